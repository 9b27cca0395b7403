// The SMPP codec: any frame is decoded to something, what can be written again is read again as the same, every request that has an answer gets
// it with its own number, and masking touches nothing but digits.

import { decodePdu, encodePdu } from '../../../src/smpp/codec.ts';
import { Framer } from '../../../src/smpp/framing.ts';
import {
  type Command,
  commandIds,
  type Field,
  FieldError,
  fields,
  HEADER_OCTETS,
  isAnswerId,
} from '../../../src/smpp/pdu.ts';
import { reactionTo } from '../../../src/smpp/reaction.ts';
import { maskFrame } from '../../../src/smpp/receipt-text.ts';
import { vectors } from '../../unit/smpp/vectors.ts';
import type { Random } from '../random.ts';
import { hold, type Target } from '../target.ts';

export const pduSeeds = vectors.map(({ hex }) => Buffer.from(hex, 'hex'));
const commands = Object.keys(fields) as Command[];
/** SMPP v3.4 gives them no answer (sections 4.1.7 and 4.12). */
const [outbind, alertNotification] = [0x0000000b, 0x00000102];
const tags = [0x001e, 0x0204, 0x0210, 0x0423, 0x0424, 0x0427, 0x1400, 0x1403, 0xffff];
export const pduWords = [
  ...['00000010', '00000000', '7fffffff', '80000000', 'ffffffff'].map((hex) => Buffer.from(hex, 'hex')),
  ...Object.values(commandIds).map((id) => Buffer.from(id.toString(16).padStart(8, '0'), 'hex')),
  ...tags.map((tag) => Buffer.from(`${tag.toString(16).padStart(4, '0')}0004`, 'hex')),
];

/** A PDU made field by field from the tables, with now and then a field that is too long, unfinished or missing. */
export function randomPdu(random: Random, command = random.pick(commands)): Buffer {
  const parts = (fields[command] as readonly Field[]).map((field) => randomField(field, random));
  while (random.chance(0.4)) {
    const value = random.bytes(random.pick([0, 1, 2, 3, 4, 5, 65, 200]));
    const lie = random.chance(0.05) ? random.below(5) - 2 : 0;
    const head = Buffer.alloc(4);
    head.writeUInt16BE(random.chance(0.9) ? random.pick(tags) : random.below(0x10000), 0);
    head.writeUInt16BE(Math.max(0, value.length + lie), 2);
    parts.push(head, value);
  }
  const body = Buffer.concat(parts).subarray(0, random.chance(0.95) ? undefined : random.below(40));
  const header = Buffer.alloc(HEADER_OCTETS);
  header.writeUInt32BE(HEADER_OCTETS + body.length, 0);
  header.writeUInt32BE(commandIds[command], 4);
  header.writeUInt32BE(random.pick([0, 0, 0, 8, 0x58, 0x14, 0xffffffff]), 8);
  header.writeUInt32BE(random.pick([0, 1, 2, 3, 0x7fffffff, 0xffffffff]), 12);
  return Buffer.concat([header, body]);
}

function randomField(field: Field, random: Random): Buffer {
  if (field.kind === 'uint8')
    return Buffer.from([random.chance(0.7) ? random.pick([0, 1, 4, 5, 8]) : random.below(256)]);
  const text = random.bytes(random.below(random.chance(0.9) ? Math.min(field.maxOctets, 20) : field.maxOctets + 40));
  const letters = text.map((octet) => 0x30 + (octet % 60));
  if (field.kind === 'octets') return Buffer.concat([Buffer.from([Math.min(255, letters.length)]), letters]);
  return Buffer.concat([letters, Buffer.from(random.chance(0.97) ? [0] : [])]);
}

export const pdu: Target = {
  name: 'pdu',
  weight: 30,
  seeds: pduSeeds,
  dictionary: pduWords,
  generate: randomPdu,
  run(input) {
    if (input.length < HEADER_OCTETS) return; // the framer lets none through
    const frame = Buffer.from(input);
    frame.writeUInt32BE(frame.length, 0);
    const decoded = decodePdu(frame);
    if (decoded.kind === 'pdu') readsItsOwnWriting(decoded.pdu);
    hold(frame.subarray(4).equals(input.subarray(4)), 'decoding changed the frame');

    const { reaction } = reactionTo(decoded, frame);
    const commandId = frame.readUInt32BE(4);
    const answered = reaction.kind === 'reply' || reaction.kind === 'unbound';
    if (answered) hold(encodePdu(reaction.pdu).readUInt32BE(12) === frame.readUInt32BE(12), 'the answer is to another');
    const wantsNone = isAnswerId(commandId) || commandId === outbind || commandId === alertNotification;
    hold(answered || reaction.kind === 'deliver' || wantsNone, 'a request is left without an answer');
    hold(!(answered && wantsNone), 'what wants no answer is answered');

    const masked = maskFrame(frame);
    hold(masked.length === frame.length, 'masking changed the length');
    hold(masked.subarray(0, 16).equals(frame.subarray(0, 16)), 'masking changed the header');
    for (const [at, octet] of masked.entries())
      hold(octet === frame[at] || octet === 0x2a, 'masking made something up');
  },
};

function readsItsOwnWriting(pdu: Parameters<typeof encodePdu>[0]): void {
  let written: Buffer;
  try {
    written = encodePdu(pdu);
  } catch (error) {
    hold(error instanceof FieldError, `encoding threw ${String(error)}`);
    return;
  }
  const again = decodePdu(written);
  hold(again.kind === 'pdu', 'what was written can not be read');
  hold(encodePdu(again.pdu).equals(written), 'what was written is read as something else');
}

/** However a stream is torn, the same PDUs come out of it, and the same fault. */
export const frames: Target = {
  name: 'frames',
  weight: 10,
  seeds: [Buffer.concat(pduSeeds), ...pduSeeds],
  dictionary: pduWords,
  generate: (random) => Buffer.concat(Array.from({ length: 1 + random.below(4) }, () => randomPdu(random))),
  run(input) {
    const limit = 4_096;
    const whole = new Framer(limit).push(input);
    for (const step of [1, 2, 3, 5, 17]) {
      const framer = new Framer(limit);
      const found: Buffer[] = [];
      let fault: unknown = null;
      for (let at = 0; at < input.length; at += step) {
        const framed = framer.push(input.subarray(at, at + step));
        found.push(...framed.frames);
        fault ??= framed.fault;
      }
      hold(Buffer.concat(found).equals(Buffer.concat(whole.frames)), `torn every ${step} octets, other PDUs come out`);
      hold(found.length === whole.frames.length, `torn every ${step} octets, PDUs are cut elsewhere`);
      hold(JSON.stringify(fault) === JSON.stringify(whole.fault), `torn every ${step} octets, the fault is another`);
      if (input.length > 600) return; // two ways are enough for a long one
    }
  },
};
