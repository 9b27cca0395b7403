import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeByTable, decodePdu, encodePdu } from '../../../src/smpp/codec.ts';
import { type Command, commandIds, FieldError, fields, type Pdu, type PduInput } from '../../../src/smpp/pdu.ts';
import { vectors } from './vectors.ts';

const decoded = (frame: Buffer): Pdu => {
  const result = decodePdu(frame);
  if (result.kind !== 'pdu') throw new Error(`not decoded: ${JSON.stringify(result)}`);
  return result.pdu;
};
const commands = Object.keys(fields) as Command[];
const patched = (frame: Buffer, change: (copy: Buffer) => void): Buffer => {
  const copy = Buffer.from(frame);
  change(copy);
  return copy;
};

describe('vectors', () => {
  test('there is one of every command', () => {
    expect(new Set(vectors.map(({ pdu }) => pdu.command))).toEqual(new Set(commands));
    expect(Object.keys(commandIds).toSorted()).toEqual(commands.toSorted());
  });

  test.each(vectors)('$pdu.command is encoded to the octets of another implementation', ({ hex, pdu }) => {
    expect(encodePdu(pdu).toString('hex')).toBe(hex);
  });

  test.each(vectors)('$pdu.command is decoded from them', ({ hex, pdu }) => {
    expect(decoded(Buffer.from(hex, 'hex'))).toMatchObject({ status: 0, tlvs: [], ...pdu });
  });
});

/** Any PDU with any values its fields can carry. */
const anyPdu: fc.Arbitrary<PduInput> = fc.constantFrom(...commands).chain((command) => {
  const body: Record<string, fc.Arbitrary<unknown>> = {};
  for (const field of fields[command]) {
    if (field.kind === 'uint8') body[field.name] = fc.integer({ min: 0, max: 255 });
    else if (field.kind === 'octets') body[field.name] = bytes(field.maxOctets);
    else body[field.name] = latin1(field.maxOctets - 1);
  }
  const tlv = fc.record({ tag: fc.integer({ min: 0, max: 0xffff }), value: bytes(40) });
  return fc.record({
    command: fc.constant(command),
    status: fc.integer({ min: 0, max: 0xffffffff }),
    sequence: fc.integer({ min: 1, max: 0x7fffffff }),
    tlvs: fc.array(tlv, { maxLength: 5 }),
    ...body,
  }) as unknown as fc.Arbitrary<PduInput>;
});
const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const latin1 = (maxLength: number) =>
  fc.array(fc.integer({ min: 1, max: 255 }), { maxLength }).map((codes) => String.fromCharCode(...codes));

test('whatever is encoded comes back', () => {
  fc.assert(
    fc.property(anyPdu, (pdu) => {
      expect(decoded(encodePdu(pdu))).toEqual(pdu);
    }),
    { numRuns: 500 },
  );
});

test('a request cut short anywhere is malformed, or is read up to the optional parameter that is cut', () => {
  const request = anyPdu.filter(({ command }) => !command.endsWith('_resp') && command !== 'generic_nack');
  fc.assert(
    fc.property(request, fc.nat(), (pdu, at) => {
      const frame = encodePdu(pdu);
      const cut = frame.subarray(0, 16 + (at % Math.max(1, frame.length - 16)));
      const result = decodePdu(cut);
      if (result.kind === 'pdu') {
        const read = encodePdu(result.pdu).subarray(16);
        expect(cut.subarray(16, 16 + read.length)).toEqual(read);
        expect(result.damage === undefined).toBe(16 + read.length === cut.length);
        if (result.damage !== undefined) expect(['deliver_sm', 'data_sm']).toContain(pdu.command);
      } else expect(result).toMatchObject({ kind: 'malformed', command: pdu.command, sequence: pdu.sequence });
    }),
    { numRuns: 300 },
  );
});

test('no octets at all make it throw, and answers are always read', () => {
  const body = fc.uint8Array({ maxLength: 200 });
  const id = fc.oneof(fc.constantFrom(...Object.values(commandIds)), fc.integer({ min: 0, max: 0xffffffff }));
  fc.assert(
    fc.property(id, body, (commandId, octets) => {
      const frame = Buffer.concat([Buffer.alloc(16), octets]);
      frame.writeUInt32BE(frame.length, 0);
      frame.writeUInt32BE(commandId, 4);
      const { kind } = decodePdu(frame);
      if (commandId >= 0x80000000) expect(kind).not.toBe('malformed');
    }),
    { numRuns: 2000 },
  );
});

describe('answers are read as far as they go', () => {
  test.each([
    ['a refusal without a body', '00000010800000040000005800000007', { status: 0x58, message_id: '' }],
    ['an id without its NUL', '0000001480000004000000000000000734413646', { status: 0, message_id: '4A6F' }],
    ['odd octets behind the id', '0000001780000004000000000000000734413646000001', { message_id: '4A6F', tlvs: [] }],
    ['an optional parameter cut off', '0000001b80000009000000000000000741000210000534ffff', { system_id: 'A' }],
  ])('%s', (_, hex, expected) => {
    expect(decoded(Buffer.from(hex, 'hex'))).toMatchObject(expected);
  });
});

describe('malformed requests', () => {
  const deliver = Buffer.from(vectors.find(({ pdu }) => pdu.command === 'deliver_sm')!.hex, 'hex');
  test.each([
    ['sm_length beyond the end', patched(deliver, (copy) => copy.writeUInt8(0xff, 48)), 'short_message is cut off'],
    ['no body', deliver.subarray(0, 16), 'service_type is cut off'],
  ])('%s', (_, frame, reason) => {
    expect(decodePdu(frame)).toMatchObject({ kind: 'malformed', command: 'deliver_sm', sequence: 7, reason });
  });
});

describe('messages of which only the optional parameters are damaged are read up to there', () => {
  const id = { tag: 0x1e, value: Buffer.from('4A6F') };
  const behind = (pdu: PduInput, octets: Buffer) => {
    const frame = Buffer.concat([encodePdu({ ...pdu, sequence: 7, tlvs: [id] }), octets]);
    frame.writeUInt32BE(frame.length, 0);
    return frame;
  };
  test.each([
    ['a stray octet at the end', Buffer.of(0)],
    ['a TLV with one octet too few', Buffer.from([0x14, 0x00, 0x00, 0x03, 1, 2])],
  ])('%s', (_, octets) => {
    const damage = 'an optional parameter is cut off';
    const short_message = Buffer.from('id:4A6F stat:DELIVRD');
    const message = { command: 'deliver_sm', short_message } as const;
    expect(decodePdu(behind(message, octets))).toMatchObject({
      kind: 'pdu',
      damage,
      pdu: { short_message, tlvs: [id] },
    });
    expect(decodePdu(behind({ command: 'data_sm' }, octets))).toMatchObject({
      kind: 'pdu',
      damage,
      pdu: { tlvs: [id] },
    });
    expect(decodePdu(behind({ command: 'submit_sm' }, octets))).toMatchObject({ kind: 'malformed', reason: damage });
  });
});

test('an unknown command keeps its header', () => {
  const frame = Buffer.from('0000001000000abc0000000100000009', 'hex');
  expect(decodePdu(frame)).toEqual({ kind: 'unknown_command', commandId: 0xabc, status: 1, sequence: 9 });
});

describe('what cannot be written is refused by name', () => {
  const submit = { command: 'submit_sm', sequence: 1 } as const;
  test.each<[PduInput, string, string]>([
    [{ ...submit, source_addr: 'A\0\x05\x00HACK' }, 'source_addr', 'holds a NUL'],
    [{ ...submit, source_addr: 'A'.repeat(21) }, 'source_addr', 'too long'],
    [{ ...submit, destination_addr: '٢١٣' }, 'destination_addr', 'not ISO 8859-1'],
    [{ ...submit, validity_period: '0'.repeat(17) }, 'validity_period', 'too long'],
    [{ ...submit, short_message: Buffer.alloc(255) }, 'short_message', 'too long'],
    [{ ...submit, data_coding: 256 }, 'data_coding', 'not a number of the right size'],
    [{ ...submit, esm_class: -1 }, 'esm_class', 'not a number of the right size'],
    [{ ...submit, tlvs: [{ tag: 0x424, value: Buffer.alloc(65_536) }] }, 'tlv 0x424', 'too long'],
    [{ command: 'bind_transceiver', system_id: 'a'.repeat(16) }, 'system_id', 'too long'],
  ])('%o', (pdu, field, reason) => {
    const attempt = () => encodePdu(pdu);
    expect(attempt).toThrow(FieldError);
    expect(attempt).toThrow(expect.objectContaining({ field, reason }));
  });

  test('the message of the error does not hold the value', () => {
    expect(() => encodePdu({ ...submit, source_addr: '123456\0' })).toThrow(/^source_addr: holds a NUL$/);
  });

  test('the longest values fit', () => {
    const frame = encodePdu({ ...submit, source_addr: 'A'.repeat(20), short_message: Buffer.alloc(254) });
    expect(decoded(frame)).toMatchObject({ source_addr: 'A'.repeat(20), short_message: Buffer.alloc(254) });
  });
});

test('deliver_sm and submit_sm are read as the table reads them, broken ones too', () => {
  const shortMessage = anyPdu.filter(({ command }) => command === 'deliver_sm' || command === 'submit_sm');
  fc.assert(
    fc.property(shortMessage, fc.nat(400), fc.integer({ min: 0, max: 255 }), fc.nat(400), (pdu, at, octet, cut) => {
      const frame = encodePdu(pdu);
      if (16 + at < frame.length) frame[16 + at] = octet;
      for (const each of [frame, frame.subarray(0, Math.max(16, frame.length - cut))]) {
        const { command, status = 0, sequence = 0 } = pdu;
        expect(decodePdu(each)).toEqual(decodeByTable(each, command, status, sequence));
      }
    }),
  );
});
