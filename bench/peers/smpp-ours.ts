// Our SMPP client, as the SMS channel uses it: a bind, submit_sm, receipts parsed to their end. Measures its own CPU time.

import { setTimeout as sleep } from 'node:timers/promises';
import { receiptKeys } from '../../src/core/receipts/message-ids.ts';
import { Bind, isReceipt, type PduInput, readReceipt } from '../../src/smpp/index.ts';
import { credentials, destination, inFlightOf, measure, smppTask, text } from './smpp-protocol.ts';

const task = smppTask();
const { port, dateFormat = 'YYMMDDhhmm', window = inFlightOf(task) } = task;
const waiting = new Map<string, () => void>();
const early = new Set<string>();

const bound = Promise.withResolvers<void>();
const bind = new Bind({
  host: '127.0.0.1',
  port,
  ...credentials,
  type: 'transceiver',
  window,
  onDeliver: async (incoming) => {
    if (incoming.kind !== 'message' || !isReceipt(incoming.pdu)) throw new Error('not a receipt');
    const receipt = readReceipt(incoming.pdu, { timeZone: 'Africa/Algiers', now: Date.now(), dateFormat });
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

let free = window;
const forRoom: (() => void)[] = [];

const measured = await measure(async (dueAt) => {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => forRoom.push(resolve));
  const from = dueAt ?? performance.now();
  const result = await bind.submit({ ...pdu });
  const next = forRoom.shift();
  if (next) next();
  else free += 1;
  if (result.kind !== 'answered') throw new Error(`submit: ${result.kind}`);
  if (result.status !== 0) throw new Error(`submit: refused with 0x${result.status.toString(16)}`);
  const id = result.messageId;
  if (!early.delete(id)) {
    await new Promise<void>((resolve) => waiting.set(id, resolve));
    waiting.delete(id);
  }
  return performance.now() - from;
}, task);
await sleep(200); // An unbind overtakes answers to receipts at the gateway, which would wait for them.
await bind.close(1_000);
process.send?.(measured); // Whoever has it ends this process.
process.disconnect();
