// The main rows of the tables of habits (test/integration/habits) once more, on SMSCs made with Perl's Net::SMPP: the same outcomes with a codec
// that has nothing in common with npm `smpp`.
import { expect } from 'vitest';
import { playRows, type Row } from '../../integration/habits/habits.ts';
import { credentials, hasPerl, type Habits as PerlHabits, perlTest, startPerlSmsc } from '../support/perl-smsc.ts';

interface PerlRow extends Row {
  perl?: Partial<PerlHabits>;
}

const delivered = { delivery: 'delivered', message: 'delivered', receipts: ['DELIVRD'], submits: 1, nacks: 0 };
const lost = { delivery: 'exhausted', receipts: [] };
const many = (status: number) => Array.from({ length: 100 }, () => status);
const failed = (receipt: string) => ({ delivery: 'exhausted', receipts: [receipt] });
const minute = Math.floor(Date.now() / 60_000) * 60_000;
const thisMinute = new Date(minute).toISOString().replace('.000Z', 'Z');

const binding: PerlRow[] = [
  { name: 'plain', does: 'what the specification says', outcome: delivered },
  {
    name: 'tx_rx_pair',
    does: 'wants a transmitter and a receiver, and reports on the receiver',
    bind: { type: 'transmitter_receiver' },
    outcome: delivered,
  },
  { name: 'bind_alybnd', does: 'still holds the old bind: 0x05 once', perl: { binds: [0x05] }, outcome: delivered },
  { name: 'bind_syserr', does: 'answers a bind with 0x08 twice', perl: { binds: [0x08, 0x08] }, outcome: delivered },
  { name: 'bindfail', does: 'restarts: 0x0D once', perl: { binds: [0x0d] }, outcome: delivered },
  {
    name: 'bad_password',
    does: 'refuses the password for good: 0x0E',
    perl: { binds: many(0x0e) },
    standing: 'operator_down',
    outcome: { refused: 'no_route operator_down' },
  },
  {
    name: 'unbind_in_window',
    does: 'says unbind with a message in the window, then answers it after 200 ms',
    perl: { unbinds: true },
    outcome: delivered,
  },
];

const submitting: PerlRow[] = [
  { name: 'early_receipt', does: 'reports before it answers', perl: { early: true }, outcome: delivered },
  {
    name: 'err40a',
    does: 'refuses with a code of its own: 0x40A',
    perl: { submits: [0x40a] },
    outcome: {
      delivery: 'exhausted',
      message: 'rejected submit_refused',
      submits: 1,
      session: { messages: [{ error_code: '0x0000040a' }] },
    },
  },
  {
    name: 'throttle_twice',
    does: 'says 0x58 twice',
    perl: { submits: [0x58, 0x58] },
    outcome: { ...delivered, timeline: expect.arrayContaining(['operator_busy', 'message_submitted']), submits: 3 },
  },
  { name: 'queue_full_once', does: 'says 0x14 once', perl: { submits: [0x14] }, outcome: { ...delivered, submits: 2 } },
  {
    name: 'throttle_ever',
    does: 'says 0x58 to the end',
    perl: { submits: many(0x58) },
    legSeconds: 20,
    // The message is withdrawn just before or after the leg's end is on record.
    settled: ({ timeline }) => timeline.includes('operator_busy'),
    outcome: {
      delivery: 'exhausted',
      message: 'withdrawn',
      timeline: expect.arrayContaining(['leg_timed_out', 'operator_busy', 'message_withdrawn', 'delivery_exhausted']),
      submits: expect.toSatisfy((count: number) => count >= 3 && count <= 15),
      session: { messages: [{ error_code: 'ESME_RTHROTTLED' }] },
    },
  },
];

const receipts: PerlRow[] = [
  { name: 'tlvs', does: 'reports in optional parameters alone', perl: { carrier: 'tlvs' }, outcome: delivered },
  { name: 'data_sm', does: 'reports in data_sm', perl: { carrier: 'data_sm' }, outcome: delivered },
  { name: 'payload', does: 'reports in message_payload', perl: { carrier: 'payload' }, outcome: delivered },
  {
    name: 'hex_decimal',
    does: 'answers in hexadecimal and reports in padded decimal',
    perl: { receipt: 'padded' },
    operator: { message_id: { rule: 'answer_hex_receipt_decimal' } },
    outcome: delivered,
  },
  { name: 'hex_decimal_unset', does: 'the same, and nothing is set', perl: { receipt: 'padded' }, outcome: lost },
  {
    name: 'src_national',
    does: 'writes the phone without country code',
    perl: { source: 'national' },
    outcome: delivered,
  },
  { name: 'undeliv', does: 'reports UNDELIV', perl: { stat: 'UNDELIV', err: '21b' }, outcome: failed('UNDELIV') },
  { name: 'expired', does: 'reports EXPIRED', perl: { stat: 'EXPIRED' }, outcome: failed('EXPIRED') },
  {
    name: 'failed',
    does: 'writes a word of its own',
    perl: { stat: 'FAILED', err: '034' },
    settled: ({ receipts: taken }) => taken.length === 1,
    outcome: {
      message: 'unknown',
      receipts: ['UNKNOWN'],
      session: { messages: [{ receipts: [{ provider_status: 'FAILED', error_code: '034' }] }] },
    },
  },
  {
    name: 'esm00',
    does: 'marks receipts as plain messages',
    perl: { esm_class: 0 },
    operator: { receipt: { unmarked: 'accept_known_id' } },
    outcome: delivered,
  },
  { name: 'esm00_unset', does: 'the same, and nothing is set', perl: { esm_class: 0 }, outcome: lost },
  {
    name: 'epoch',
    does: 'writes seconds since 1970',
    perl: { done: String(minute / 1_000) },
    operator: { receipt: { date_format: 'epoch' } },
    outcome: { ...delivered, session: { messages: [{ receipts: [{ operator_timestamp: thisMinute }] }] } },
  },
];

const rows: PerlRow[] = [...binding, ...submitting, ...receipts].map((row) => ({
  // Only where no receipt is understood is the end of the leg waited for.
  legSeconds: row.outcome === lost ? 4 : 15,
  ...row,
  bind: { password: credentials.password, ...row.bind },
}));

async function start({ perl = {} }: PerlRow) {
  const { port, read, end } = await startPerlSmsc({
    answer: 'hex',
    receipt: 'hex',
    carrier: 'text',
    early: false,
    ...perl,
  });
  return { port, count: (name: string) => read(name).length, close: end };
}

if (hasPerl) await playRows(rows, start);
// Each is skipped by name, with the reason.
else for (const { name, does } of rows) perlTest(`${name}: ${does}`, () => {});
