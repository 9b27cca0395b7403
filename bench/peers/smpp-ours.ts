// Our SMPP client, as the SMS channel uses it: a bind, submit_sm, receipts parsed to their end. Measures its own CPU time.

import { Bind, isReceipt, type PduInput, readReceipt, receiptKeys } from '../../src/smpp/index.ts';
import { credentials, destination, inFlight, measure, text } from './smpp-protocol.ts';

const [port, seconds] = process.argv.slice(2).map(Number) as [number, number];
const waiting = new Map<string, () => void>();
const early = new Set<string>();

const bound = Promise.withResolvers<void>();
const bind = new Bind({
  host: '127.0.0.1',
  port,
  ...credentials,
  type: 'transceiver',
  window: inFlight,
  onDeliver: async (incoming) => {
    if (incoming.kind !== 'message' || !isReceipt(incoming.pdu)) throw new Error('not a receipt');
    const receipt = readReceipt(incoming.pdu, {
      timeZone: 'Africa/Algiers',
      now: Date.now(),
      dateFormat: 'YYMMDDhhmm',
    });
    if (receipt.state !== 'DELIVRD' || receipt.doneAt === null) throw new Error('the receipt was not understood');
    const [id = ''] = receipt.ids.flatMap((each) =>
      receiptKeys(each, { rule: 'same', stripLeadingZeros: false, caseInsensitive: false }),
    );
    const tell = waiting.get(id);
    if (tell) tell();
    else early.add(id);
    return { status: 0 };
  },
  observer: { onState: (state) => state === 'bound' && bound.resolve() },
});
bind.start();
await bound.promise;

const pdu: PduInput<'submit_sm'> = {
  command: 'submit_sm',
  source_addr_ton: 5,
  source_addr_npi: 0,
  source_addr: 'Ramz',
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: destination,
  registered_delivery: 1,
  short_message: Buffer.from(text, 'latin1'),
};

const measured = await measure(async () => {
  const result = await bind.submit({ ...pdu });
  if (result.kind !== 'answered') throw new Error(`submit: ${result.kind}`);
  if (early.delete(result.messageId)) return;
  await new Promise<void>((resolve) => waiting.set(result.messageId, resolve));
  waiting.delete(result.messageId);
}, seconds);
process.send?.(measured);
await bind.close(1_000);
process.disconnect();
