// Receipt texts as operators write them, each named by its quirk, beside what must be read from them. Dates are read in
// Africa/Algiers (UTC+1) unless said otherwise.
import type { MessageState } from '../../../src/smpp/receipt.ts';

export interface ReceiptVector {
  quirk: string;
  text: string;
  id: string | null;
  state: MessageState | null;
  error: string | null;
  /** ISO 8601. */
  doneAt: string | null;
  /** Unix time the receipt came, ISO 8601; default is 2026-01-01T12:00Z. */
  now?: string;
  timeZone?: string;
}

const standard = { id: '4A6F', state: 'DELIVRD', error: '000', doneAt: '2026-01-01T11:00:00Z' } as const;

export const receipts: readonly ReceiptVector[] = [
  {
    quirk: 'as in appendix B',
    text: 'id:4A6F sub:001 dlvrd:001 submit date:2601011159 done date:2601011200 stat:DELIVRD err:000 text:Your code 1234',
    ...standard,
  },
  {
    quirk: 'no sub, no dlvrd',
    text: 'id:4A6F submit date:2601011159 done date:2601011200 stat:DELIVRD err:000 text:Your',
    ...standard,
  },
  { quirk: 'no text', text: 'id:4A6F submit date:2601011159 done date:2601011200 stat:DELIVRD err:000', ...standard },
  {
    quirk: '12 digits with seconds',
    text: 'id:4A6F sub:001 dlvrd:001 submit date:260101115953 done date:260101120059 stat:DELIVRD err:000 text:',
    ...standard,
    doneAt: '2026-01-01T11:00:59Z',
  },
  {
    quirk: '12 digits with the century',
    text: 'id:4A6F sub:001 dlvrd:001 submit date:202601011159 done date:202601011200 stat:DELIVRD err:000 text:',
    ...standard,
  },
  {
    quirk: '12 digits that are dates both ways, read near to now',
    text: 'id:4A6F done date:201906190720 stat:EXPIRED err:030',
    id: '4A6F',
    state: 'EXPIRED',
    error: '030',
    doneAt: '2019-06-19T06:20:00Z',
    now: '2019-06-19T07:00:00Z',
  },
  {
    quirk: 'the same digits where the other reading is nearer',
    text: 'id:4A6F done date:201206190720 stat:EXPIRED err:030',
    id: '4A6F',
    state: 'EXPIRED',
    error: '030',
    doneAt: '2020-12-06T18:07:20Z',
    now: '2020-12-06T18:10:00Z',
  },
  {
    quirk: '14 digits',
    text: 'id:4A6F done date:20260101120001 stat:DELIVRD err:000',
    ...standard,
    doneAt: '2026-01-01T11:00:01Z',
  },
  {
    quirk: 'dates with separators',
    text: 'id:4A6F submit date:2026-01-01 11:59:00 done date:2026-01-01 12:00:00 stat:DELIVRD err:000 text:x',
    ...standard,
  },
  {
    quirk: 'no stat key, only the word',
    text: 'id:4A6F sub:000 dlvrd:000 submit date:260101115900 done date:260101120000 DELIVRD err:000 Text:',
    ...standard,
  },
  {
    quirk: 'err of four digits',
    text: 'id:4A6F done date:2601011200 stat:DELIVRD err:0000 text:',
    ...standard,
    error: '0000',
  },
  {
    quirk: 'err with letters',
    text: 'id:4A6F sub:001 dlvrd:000 done date:2601011200 stat:UNDELIV err:21b text:x',
    ...standard,
    state: 'UNDELIV',
    error: '21b',
  },
  { quirk: 'no err', text: 'id:4A6F done date:2601011200 stat:DELIVRD text:x', ...standard, error: null },
  {
    quirk: 'err without a value',
    text: 'id:4A6F done date:2601011200 stat:DELIVRD err: text:x',
    ...standard,
    error: null,
  },
  {
    quirk: 'spaces behind the colons',
    text: 'id: 4A6F sub: 001 dlvrd: 001 submit date: 2601011159 done date: 2601011200 stat: REJECTD err: 0 Text: y',
    ...standard,
    state: 'REJECTD',
    error: '0',
  },
  {
    quirk: 'capital keys',
    text: 'ID:4A6F SUB:001 DLVRD:001 SUBMIT DATE:2601011159 DONE DATE:2601011200 STAT:DELIVRD ERR:000 TEXT:y',
    ...standard,
  },
  {
    quirk: 'underscores in the keys',
    text: 'id:4A6F submit_date:2601011159 done_date:2601011200 stat:DELIVRD err:000 text:y',
    ...standard,
  },
  { quirk: 'small words', text: 'id:4A6F done date:2601011200 stat:delivrd err:000', ...standard },
  {
    quirk: 'the word in full',
    text: 'id:4A6F done date:2601011200 stat:UNDELIVERABLE err:001',
    ...standard,
    state: 'UNDELIV',
    error: '001',
  },
  {
    quirk: 'a number as stat',
    text: 'id:4A6F done date:2601011200 stat:5 err:001',
    ...standard,
    state: 'UNDELIV',
    error: '001',
  },
  {
    quirk: 'commas between the keys',
    text: 'id:4A6F,done date:2601011200,stat:DELIVRD,err:000,text:1234',
    ...standard,
  },
  { quirk: 'NULs at the end', text: 'id:4A6F done date:2601011200 stat:DELIVRD err:000\0\0', ...standard },
  { quirk: 'keys in another order', text: 'stat:DELIVRD err:000 done date:2601011200 id:4A6F', ...standard },
  {
    quirk: 'a receipt forged inside the echo',
    text: 'id:4A6F stat:UNDELIV err:006 text:id:8 stat:DELIVRD err:000 done date:2601011200',
    id: '4A6F',
    state: 'UNDELIV',
    error: '006',
    doneAt: null,
  },
  { quirk: 'the first of two ids', text: 'id:4A6F id:9 stat:DELIVRD', ...standard, error: null, doneAt: null },
  {
    quirk: 'a decimal id of 18 digits',
    text: 'id:117062714244798261 done date:2601011200 stat:DELIVRD err:000',
    ...standard,
    id: '117062714244798261',
  },
  {
    quirk: 'a UUID',
    text: 'id:dbd1d8e8-d2a4-4efe-b508-60761b1ae484 done date:2601011200 stat:DELIVRD err:000',
    ...standard,
    id: 'dbd1d8e8-d2a4-4efe-b508-60761b1ae484',
  },
  {
    quirk: 'an id with underscores',
    text: 'id:a_b_1 done date:2601011200 stat:DELIVRD err:000',
    ...standard,
    id: 'a_b_1',
  },
  { quirk: 'no id', text: 'id: sub:001 done date:2601011200 stat:DELIVRD err:000', ...standard, id: null },
  { quirk: 'not final', text: 'id:4A6F done date:2601011200 stat:ENROUTE err:000', ...standard, state: 'ENROUTE' },
  { quirk: 'a word of its own', text: 'id:4A6F done date:2601011200 stat:FOOBAR err:000', ...standard, state: null },
  {
    quirk: 'a word every object knows',
    text: 'id:4A6F done date:2601011200 stat:constructor err:000',
    ...standard,
    state: null,
  },
  {
    quirk: 'a date that is none',
    text: 'id:4A6F done date:2613451200 stat:DELIVRD err:000',
    ...standard,
    doneAt: null,
  },
  {
    quirk: 'the 30th of February',
    text: 'id:4A6F done date:2602301200 stat:DELIVRD err:000',
    ...standard,
    doneAt: null,
  },
  { quirk: 'a date of zeros', text: 'id:4A6F done date:0000000000 stat:DELIVRD err:000', ...standard, doneAt: null },
  {
    quirk: 'summer time',
    text: 'id:4A6F done date:2607011200 stat:DELIVRD err:000',
    ...standard,
    doneAt: '2026-07-01T10:00:00Z',
    now: '2026-07-01T10:00:30Z',
    timeZone: 'Europe/Paris',
  },
  {
    quirk: 'the hour that comes twice in autumn',
    text: 'id:4A6F done date:2610250230 stat:DELIVRD err:000',
    ...standard,
    doneAt: '2026-10-25T01:30:00Z',
    now: '2026-10-25T01:31:00Z',
    timeZone: 'Europe/Paris',
  },
  {
    quirk: 'fields by position, which nobody can guess',
    text: '00,0210021543,0210021500,,213550000001,10110200000000,we23',
    id: null,
    state: null,
    error: null,
    doneAt: null,
  },
  { quirk: 'empty', text: '', id: null, state: null, error: null, doneAt: null },
];
