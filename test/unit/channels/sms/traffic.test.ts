// What comes of a message that an operator sends on its own: taken in as a receipt, kept unread, or passed over.
import { expect, test } from 'vitest';
import type { CarrierReceipt, UnreadableReport } from '../../../../src/channels/channel.ts';
import { takeIn } from '../../../../src/channels/sms/traffic.ts';
import { decodePdu, encodePdu } from '../../../../src/smpp/codec.ts';
import type { PduInput } from '../../../../src/smpp/pdu.ts';
import { reactionTo } from '../../../../src/smpp/reaction.ts';
import { operatorConfig } from '../../../peers/support/channel.ts';

const text =
  'id:4A6F sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:DELIVRD err:000 text:Code 738291';
const message = { command: 'deliver_sm', sequence: 1, esm_class: 4, source_addr: '213551234567' } as const;
const operator = operatorConfig({ id: 'atlas', binds: [{ host: '127.0.0.1', system_id: 'a', password: 'b' }] });

/** Takes in a PDU with these octets behind it. */
async function takenIn(pdu: PduInput, octets: readonly number[] = []) {
  const frame = Buffer.concat([encodePdu(pdu), Buffer.from(octets)]);
  frame.writeUInt32BE(frame.length, 0);
  const { reaction } = reactionTo(decodePdu(frame), frame);
  if (reaction.kind !== 'deliver') throw new Error(reaction.kind);
  const receipts: CarrierReceipt[] = [];
  const unread: UnreadableReport[] = [];
  const { status } = await takeIn(reaction.incoming, operator, {
    intake: {
      take: async (receipt) => void receipts.push(receipt),
      takeUnreadable: async (report) => void unread.push(report),
      takeLateAnswer: async () => {},
      takeAnswered: async () => {},
    },
    now: () => Date.UTC(2026, 10, 21, 12),
    onReport: () => {},
    onError: () => {},
  });
  return { status, receipts, unread };
}

test('a receipt is taken in although its optional parameters end with a stray octet', async () => {
  const { status, receipts, unread } = await takenIn({ ...message, short_message: Buffer.from(text) }, [0]);
  expect([status, unread]).toEqual([0, []]);
  expect(receipts).toMatchObject([{ references: ['4A6F'], receipt: { status: 'DELIVRD' } }]);
});

test('a message that is no receipt without its damaged part is kept unread, with its digits masked', async () => {
  const payload = [0x04, 0x24, 0x00, text.length + 1, ...Buffer.from(text)];
  const { status, receipts, unread } = await takenIn({ ...message, esm_class: 0 }, payload);
  expect([status, receipts]).toEqual([0, []]);
  expect(unread).toMatchObject([{ operator: 'atlas', reason: 'an optional parameter is cut off' }]);
  const raw = Buffer.from(unread[0]?.raw ?? '', 'hex').toString('latin1');
  expect(raw).toContain('stat:DELIVRD');
  expect(raw).not.toMatch(/738|291/);
  expect(raw).not.toMatch(/21355|4567/);
});
