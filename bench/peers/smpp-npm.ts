// The reference: npm `smpp` in the same place, with the least that makes its receipts useful: id and state by a regular expression.

import smpp, { type Pdu } from 'smpp';
import { credentials, destination, measure, smppTask, text } from './smpp-protocol.ts';

const task = smppTask();
const waiting = new Map<string, () => void>();
const early = new Set<string>();

const session = smpp.connect({ host: '127.0.0.1', port: task.port });
await new Promise<void>((resolve) => session.on('connect', () => resolve()));
session.on('deliver_sm', (pdu: Pdu) => {
  const [, id = '', state] = /id:(\S+).* stat:(\S+)/.exec(String(pdu.short_message.message)) ?? [];
  if (state !== 'DELIVRD') throw new Error('the receipt was not understood');
  const tell = waiting.get(id);
  if (tell) tell();
  else early.add(id);
  session.send(pdu.response());
});
await new Promise<void>((resolve, reject) => {
  const bind = { system_id: credentials.systemId, password: credentials.password };
  session.send(new smpp.PDU('bind_transceiver', bind), (answer) =>
    answer.command_status === 0 ? resolve() : reject(new Error(`bind: ${answer.command_status}`)),
  );
});

const measured = await measure(async () => {
  const from = performance.now();
  const id = await new Promise<string>((resolve) => {
    const pdu = new smpp.PDU('submit_sm', {
      source_addr_ton: 5,
      source_addr_npi: 0,
      source_addr: 'Ramz',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: destination,
      registered_delivery: 1,
      short_message: text,
    });
    session.send(pdu, (answer) => resolve(answer.message_id as string));
  });
  if (!early.delete(id)) {
    await new Promise<void>((resolve) => waiting.set(id, resolve));
    waiting.delete(id);
  }
  return performance.now() - from;
}, task);
process.send?.(measured);
session.close();
process.disconnect();
