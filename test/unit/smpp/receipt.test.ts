import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodePdu, encodePdu } from '../../../src/smpp/codec.ts';
import type { Tlv } from '../../../src/smpp/pdu.ts';
import {
  type Delivery,
  isReceipt,
  messageOctets,
  type ReceiptOptions,
  readReceipt,
} from '../../../src/smpp/receipt.ts';
import { encodeUcs2 } from '../../../src/smpp/text.ts';
import { guessReceiptDateFormat } from '../../../src/smpp/times.ts';
import { tags } from '../../../src/smpp/tlv.ts';
import { cpuMs } from '../../support/cpu.ts';
import { receipts } from './receipts.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const options: ReceiptOptions = { timeZone: 'Africa/Algiers', now: noon };
const iso = (at: number | null) => at && new Date(at).toISOString().replace('.000Z', 'Z');

function delivery(octets: Buffer, tlvs: readonly Tlv[] = [], esm_class = 4): Delivery {
  const result = decodePdu(encodePdu({ command: 'deliver_sm', sequence: 1, esm_class, short_message: octets, tlvs }));
  if (result.kind !== 'pdu' || result.pdu.command !== 'deliver_sm') throw new Error('not a deliver_sm');
  return result.pdu;
}
const read = (text: string, tlvs: readonly Tlv[] = [], change: Partial<ReceiptOptions> = {}) =>
  readReceipt(delivery(Buffer.from(text, 'latin1'), tlvs), { ...options, ...change });
const tlv = {
  id: (text: string): Tlv => ({ tag: tags.receipted_message_id, value: Buffer.from(text) }),
  state: (...octets: number[]): Tlv => ({ tag: tags.message_state, value: Buffer.from(octets) }),
  network: (...octets: number[]): Tlv => ({ tag: tags.network_error_code, value: Buffer.from(octets) }),
};

describe('texts', () => {
  test.each(receipts)('$quirk', ({ text, id, state, error, doneAt, now, timeZone }) => {
    const at = now === undefined ? noon : Date.parse(now);
    const receipt = read(text, [], { now: at, timeZone: timeZone ?? 'Africa/Algiers' });
    expect({ ...receipt, doneAt: iso(receipt.doneAt) }).toMatchObject({
      ids: id === null ? [] : [id],
      state,
      error,
      doneAt,
    });
  });

  test('the submit date is read too', () => {
    expect(iso(read('id:1 submit date:2601011159 done date:2601011200').submittedAt)).toBe('2026-01-01T10:59:00Z');
  });

  const short = receipts.filter(({ text }) => text.length <= 127);
  test.each(short)('in UTF-16BE: $quirk', ({ text, id, error }) => {
    const receipt = readReceipt(delivery(encodeUcs2(text)), options);
    expect(receipt).toMatchObject({ ids: id === null ? [] : [id], error });
  });

  test.each([
    ['DDMMYYYYhhmmss', '01/01/2026 12:00:59', '2026-01-01T11:00:59Z'],
    ['DDMMYYYYhhmm', '01.01.2026 12:00', '2026-01-01T11:00:00Z'],
    ['DDMMYYhhmmss', '010126120059', '2026-01-01T11:00:59Z'],
    ['DDMMYYhhmm', '0101261200', '2026-01-01T11:00:00Z'],
    ['epoch', '1767265259', '2026-01-01T11:00:59Z'],
    ['epoch', '1767265259000', '2026-01-01T11:00:59Z'],
  ] as const)('dates as %s: %s', (dateFormat, written, doneAt) => {
    expect(iso(read(`id:1 done date:${written} stat:DELIVRD`, [], { dateFormat }).doneAt)).toBe(doneAt);
  });

  test.each([
    ['2026-11-21T12:01:00Z', '2026-11-21T12:01:00Z'],
    ['2026-11-21T12:01Z', '2026-11-21T12:01:00Z'],
    ['2026-11-21T14:01:00.250+02:00', '2026-11-21T12:01:00Z'],
    ['20261121T120100Z', '2026-11-21T12:01:00Z'],
    ['20261121T1401+0200', '2026-11-21T12:01:00Z'],
    ['2026-11-21 06:31:00 -0530', '2026-11-21T12:01:00Z'],
    ['2026-11-21T14:01:00+02', '2026-11-21T12:01:00Z'],
    ['261121130100004+', '2026-11-21T12:01:00Z'],
    ['261121063100922-', '2026-11-21T12:01:00Z'],
    // Without a zone, in that of the operator.
    ['2026-11-21T13:01:00', '2026-11-21T12:01:00Z'],
  ])('a date that says its zone is read in it: %s', (written, at) => {
    const receipt = `id:1 submit date:${written} done date:${written} stat:DELIVRD err:000 text:x`;
    for (const dateFormat of ['auto', 'DDMMYYYYhhmmss', 'epoch'] as const) {
      const { doneAt, submittedAt } = read(receipt, [], {
        dateFormat: written.endsWith('13:01:00') ? 'auto' : dateFormat,
      });
      expect([iso(doneAt), iso(submittedAt)]).toEqual([at, at]);
    }
    const pattern = { exec: () => ({ id: '1', done_date: written }) };
    expect(iso(read('MSG 1', [], { pattern }).doneAt)).toBe(at);
  });
  test('a date with a zone that makes none is said without it', () => {
    const receipt = read('id:1 done date:2026-13-21T12:01:00+02:00 stat:DELIVRD');
    expect(receipt).toMatchObject({ doneAt: null, unreadDate: '20261321120100' });
  });
  test('digits that make no date are said', () => {
    expect(read('id:1 done date:1767265259')).toMatchObject({ doneAt: null, unreadDate: '1767265259' });
    expect(read('id:1 done date:2601011200')).toMatchObject({ unreadDate: null });
    // That is none: there is nothing to set.
    expect(read('id:1 stat:REJECTD done date:0000000000')).toMatchObject({ doneAt: null, unreadDate: null });
    expect(guessReceiptDateFormat('1767265259', 'UTC', noon)).toBe('epoch');
    expect(guessReceiptDateFormat('31122025235900', 'UTC', noon)).toBe('DDMMYYYYhhmmss');
    expect(guessReceiptDateFormat('99999999', 'UTC', noon)).toBeNull();
  });

  test('a pattern reads what has no keys, and all digits behind it are masked', () => {
    const pattern = {
      exec: (text: string) =>
        text.startsWith('MSG') ? { id: '77', stat: 'DELIVRD', done_date: '2026-01-01 12:00:00' } : null,
    };
    expect(read('MSG 77 IS DELIVRD, YOUR CODE 1234', [], { pattern })).toMatchObject({
      ids: ['77'],
      state: 'DELIVRD',
      doneAt: Date.UTC(2026, 0, 1, 11),
      raw: 'MSG ** IS DELIVRD, YOUR CODE ****',
    });
    expect(read('id:5 stat:UNDELIV', [], { pattern })).toMatchObject({ ids: ['5'], state: 'UNDELIV' });
  });

  test('a configured date format wins where it fits, and does no harm where it does not', () => {
    const twelve = 'id:1 done date:201206190720';
    expect(iso(read(twelve, [], { dateFormat: 'YYMMDDhhmmss' }).doneAt)).toBe('2020-12-06T18:07:20Z');
    expect(iso(read(twelve, [], { dateFormat: 'YYYYMMDDhhmm' }).doneAt)).toBe('2012-06-19T06:20:00Z');
    expect(iso(read('id:1 done date:2601011200', [], { dateFormat: 'YYYYMMDDhhmm' }).doneAt)).toBe(
      '2026-01-01T11:00:00Z',
    );
  });
});

describe('optional parameters come first', () => {
  test('both ids are named, the parameter first', () => {
    expect(read('id:19055 stat:DELIVRD', [tlv.id('4A6F\0')]).ids).toEqual(['4A6F', '19055']);
    expect(read('id:4A6F stat:DELIVRD', [tlv.id('4A6F')]).ids).toEqual(['4A6F']);
    expect(read('id:4A6F stat:DELIVRD', [tlv.id('\0')]).ids).toEqual(['4A6F']);
  });

  test.each([
    [[1], 'ENROUTE'],
    [[2], 'DELIVRD'],
    [[3], 'EXPIRED'],
    [[4], 'DELETED'],
    [[5], 'UNDELIV'],
    [[6], 'ACCEPTD'],
    [[7], 'UNKNOWN'],
    [[8], 'REJECTD'],
    [[9], null],
    [[], null],
    [[0, 0, 0, 0, 5], null],
  ] as const)('message_state %j is %s', (octets, state) => {
    expect(read('', [tlv.state(...octets)]).state).toBe(state);
  });

  test('message_state wins over the text; one that says nothing does not', () => {
    expect(read('id:1 stat:DELIVRD', [tlv.state(5)]).state).toBe('UNDELIV');
    expect(read('id:1 stat:DELIVRD', [tlv.state(77)]).state).toBe('DELIVRD');
  });

  test.each([
    ['id:1 err:000', [3, 0, 27], '27'],
    ['id:1', [3, 0, 27], '27'],
    ['id:1 err:006', [3, 0, 27], '006'],
    ['id:1 err:000', [3, 0, 0], '000'],
    ['id:1', [3, 0], null],
  ])('%s with network_error_code %j', (text, octets, error) => {
    expect(read(text, [tlv.network(...octets)]).error).toBe(error);
  });
});

describe('an operator means something of its own', () => {
  test('numbers', () => {
    expect(read('', [tlv.state(6)], { messageStates: { 6: 'DELIVRD' } }).state).toBe('DELIVRD');
  });
  test('words, with and without an error', () => {
    const meanings = { 'UNDELIV/027': 'ENROUTE', FAILED: 'UNDELIV' } as const;
    expect(read('id:1 stat:UNDELIV err:027', [], { meanings }).state).toBe('ENROUTE');
    expect(read('id:1 stat:UNDELIV err:028', [], { meanings }).state).toBe('UNDELIV');
    expect(read('id:1 stat:failed', [], { meanings }).state).toBe('UNDELIV');
    expect(read('', [tlv.state(5)], { meanings: { UNDELIV: 'EXPIRED' } }).state).toBe('EXPIRED');
  });
});

describe('where a receipt is', () => {
  const text = Buffer.from('id:4A6F stat:DELIVRD');
  const payload = { tag: tags.message_payload, value: text };

  test('in message_payload of a deliver_sm', () => {
    expect(readReceipt(delivery(Buffer.alloc(0), [payload]), options).ids).toEqual(['4A6F']);
  });
  test('in data_sm', () => {
    const result = decodePdu(encodePdu({ command: 'data_sm', sequence: 1, esm_class: 4, tlvs: [payload] }));
    const pdu = (result as { pdu: Delivery }).pdu;
    expect(messageOctets(pdu)).toEqual(text);
    expect(readReceipt(pdu, options)).toMatchObject({ ids: ['4A6F'], state: 'DELIVRD' });
  });
  test.each([
    [0x04, true],
    [0x20, true],
    [0x44, true], // with a user data header
    [0x00, false], // an ordinary message, whatever its text says
    [0x08, false],
    [0x10, false],
  ])('esm_class %d', (esmClass, expected) => {
    expect(isReceipt(delivery(text, [], esmClass))).toBe(expected);
  });
  test('marked by receipted_message_id alone', () => {
    expect(isReceipt(delivery(text, [tlv.id('4A6F')], 0))).toBe(true);
  });
});

test('no octets make it throw or stall', () => {
  const piece = fc.constantFrom('id:', 'stat:', 'done date:', 'err:', 'text:', ' ', '2601011200', 'DELIVRD', '\0', 'é');
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, fc.uint8Array({ maxLength: 8 }), (each, octets) => {
      const receipt = readReceipt(delivery(Buffer.from(each).subarray(0, 254), [tlv.state(...octets)]), options);
      expect(receipt.ids.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
  const value = Buffer.from(`${'id:'.repeat(5_000)}${' '.repeat(20_000)}${'submit '.repeat(3_000)}`);
  const tookMs = cpuMs(() => readReceipt(delivery(Buffer.alloc(0), [{ tag: tags.message_payload, value }]), options));
  expect(tookMs).toBeLessThan(200);
});
