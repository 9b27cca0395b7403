// Habits of SMSCs in writing receipts: texts, dates, ids, addresses, states, and what they mark as a receipt. The phone of each row is +21377 and
// seven digits more.
import type { Session as Connection } from 'smpp';
import type { Smsc } from '../../support/npm-smsc.ts';
import { answer, type Habit, playHabits, push, receiptOf, reports, type Seen, type Taken } from './habits.ts';

const delivered = { delivery: 'delivered', message: 'delivered', receipts: ['DELIVRD'] };
/** No receipt found the message: the cascade ran to its end. */
const lost = { delivery: 'exhausted', receipts: [] };
/** Milliseconds since 1970, to the minute. */
const minute = Math.floor(Date.now() / 60_000) * 60_000;
const local = new Date(minute).toISOString();
const digits = local.replace(/\D/g, '').slice(0, 14);
const [year = '', month = '', day = '', hours = '', minutes = ''] = local.split(/\D/);

/** The time the operator states, beside the outcome. */
const stated = (at: string | null) => ({
  ...delivered,
  session: { messages: [{ receipts: [at === null ? {} : { operator_timestamp: at }] }] },
});
const thisMinute = stated(new Date(minute).toISOString().replace('.000Z', 'Z'));

const text = (write: (taken: Taken) => string) =>
  reports((taken) => ({ ...receiptOf(taken), short_message: Buffer.from(write(taken), 'latin1') }));
const dated = (done: string) =>
  text(({ id }) => `id:${id} sub:001 dlvrd:001 submit date:${done} done date:${done} stat:DELIVRD err:000 text:`);
const fields = (change: (taken: Taken) => Record<string, unknown>) =>
  reports((taken) => ({ ...receiptOf(taken), ...change(taken) }));

/** Answers with one id and reports another. */
const ids =
  (answered: string, reported: string, change: Record<string, unknown> = {}) =>
  (smsc: Smsc) => {
    smsc.onSubmit = (submit, connection) => {
      answer(connection, submit, { message_id: answered });
      void smsc.deliver(connection, { ...receiptOf({ id: reported, submit }), ...change });
    };
  };

/** Several receipts, one after the other, each once the one before was acknowledged. */
const several =
  (...write: ((taken: Taken) => Record<string, unknown>)[]) =>
  (smsc: Smsc) => {
    smsc.onSubmit = (submit, connection) => {
      const id = smsc.accept(submit, connection);
      void (async () => {
        for (const each of write) await smsc.deliver(connection, each({ id, submit }));
      })();
    };
  };
const stat =
  (word: string, err = '000') =>
  (taken: Taken) =>
    receiptOf(taken, { stat: word, err });

const dataSm = (smsc: Smsc) => {
  smsc.onSubmit = (submit, connection) => {
    const id = smsc.accept(submit, connection);
    const { source_addr, destination_addr, short_message } = receiptOf({ id, submit });
    push(connection, 'data_sm', { source_addr, destination_addr, esm_class: 4, message_payload: short_message });
  };
};

const beforeAnswer = (smsc: Smsc) => {
  smsc.onSubmit = (submit, connection: Connection) => {
    const id = 'EARLY1';
    void smsc.deliver(connection, receiptOf({ id, submit })).then(() => answer(connection, submit, { message_id: id }));
  };
};

const utf16 = (written: string): Buffer => Buffer.from(written, 'utf16le').swap16();
const count = (n: number) => (seen: Seen) => seen.receipts.length === n;

const habits: Habit[] = [
  { name: 'usual', does: 'writes receipts as appendix B has them', outcome: { ...delivered, submits: 1 } },
  // Dates. The operator's zone is UTC.
  { name: 'date10', does: 'writes dates of ten digits', play: dated(digits.slice(2, 12)), outcome: thisMinute },
  { name: 'date12', does: 'writes dates with seconds', play: dated(digits.slice(2)), outcome: thisMinute },
  { name: 'date12c', does: 'writes dates with the century', play: dated(digits.slice(0, 12)), outcome: thisMinute },
  { name: 'date14', does: 'writes dates with century and seconds', play: dated(digits), outcome: thisMinute },
  { name: 'iso', does: 'writes dates as in ISO 8601', play: dated(local.slice(0, 19)), outcome: thisMinute },
  {
    name: 'ddmm',
    does: 'writes the day first',
    play: dated(`${day}/${month}/${year} ${hours}:${minutes}:00`),
    outcome: stated(null),
  },
  { name: 'epoch', does: 'writes seconds since 1970', play: dated(String(minute / 1_000)), outcome: stated(null) },
  // Texts.
  {
    name: 'lower',
    does: 'writes in lower case',
    play: text(({ id }) => `id:${id} stat:delivrd err:000`),
    outcome: delivered,
  },
  {
    name: 'order',
    does: 'writes the id last',
    play: text(({ id }) => `stat:DELIVRD err:000 id:${id}`),
    outcome: delivered,
  },
  {
    name: 'semicolon',
    does: 'writes ; between keys',
    play: text(({ id }) => `id:${id};stat:DELIVRD;err:000;`),
    outcome: delivered,
  },
  {
    name: 'status',
    does: 'writes status:DELIVERED',
    play: text(({ id }) => `id:${id} status:DELIVERED error:0`),
    outcome: delivered,
  },
  {
    name: 'number',
    does: 'writes the state as a number',
    play: text(({ id }) => `id:${id} stat:2 err:0`),
    outcome: delivered,
  },
  {
    name: 'ucs2',
    does: 'writes the text in UTF-16',
    play: fields(({ id }) => ({ data_coding: 8, short_message: utf16(`id:${id} stat:DELIVRD err:000`) })),
    outcome: delivered,
  },
  { name: 'equals', does: 'writes id=… stat=…', play: text(({ id }) => `id=${id} stat=DELIVRD`), outcome: lost },
  {
    name: 'cmg',
    does: 'writes sentences',
    play: text(
      ({ id, submit }) =>
        `Message for ${submit.destination_addr}, with identification ${id}, has been delivered on ${year}-${month}-${day}`,
    ),
    outcome: lost,
  },
  // States.
  {
    name: 'undeliv',
    does: 'reports a failure',
    play: reports(stat('UNDELIV', '027')),
    outcome: { delivery: 'exhausted', message: 'undelivered', receipts: ['UNDELIV'] },
  },
  { name: 'failed', does: 'writes a word of its own', play: reports(stat('FAILED', '034')), outcome: lost },
  {
    name: 'failed_set',
    does: 'writes a word of its own that is set',
    play: reports(stat('FAILED', '034')),
    operator: { receipt: { meanings: { FAILED: 'UNDELIV' } } },
    outcome: { delivery: 'exhausted', message: 'undelivered', receipts: ['UNDELIV'] },
  },
  {
    name: 'intermediate',
    does: 'reports an intermediate state first',
    play: several((taken) => ({ ...stat('ENROUTE')(taken), esm_class: 0x20 }), stat('DELIVRD')),
    settled: count(2),
    outcome: { delivery: 'delivered', message: 'delivered' },
  },
  {
    name: 'twice',
    does: 'sends the same receipt twice',
    play: several(stat('DELIVRD'), stat('DELIVRD')),
    outcome: delivered,
  },
  {
    name: 'corrects',
    does: 'reports a failure, then a delivery',
    play: several(stat('UNDELIV'), stat('DELIVRD')),
    settled: count(2),
    outcome: { delivery: 'delivered', message: 'delivered' },
  },
  {
    name: 'takes_back',
    does: 'reports a delivery, then its expiry',
    play: several(stat('DELIVRD'), stat('EXPIRED')),
    settled: count(2),
    outcome: { delivery: 'delivered', message: 'delivered' },
  },
  {
    name: 'network_error',
    does: 'states the error in a TLV',
    play: fields(({ id }) => ({
      short_message: `id:${id} stat:UNDELIV err:000`,
      network_error_code: Buffer.from([3, 0, 27]),
    })),
    outcome: { delivery: 'exhausted', session: { messages: [{ error_code: '27' }] } },
  },
  // Where the receipt stands in the PDU.
  {
    name: 'tlvs',
    does: 'writes TLVs and no text',
    play: fields(({ id }) => ({ short_message: '', receipted_message_id: id, message_state: 2 })),
    outcome: delivered,
  },
  {
    name: 'payload',
    does: 'writes the text into message_payload',
    play: fields((taken) => ({ short_message: '', message_payload: receiptOf(taken).short_message })),
    outcome: delivered,
  },
  { name: 'data_sm', does: 'reports by data_sm', play: dataSm, outcome: delivered },
  { name: 'udhi', does: 'sets the header bit', play: fields(() => ({ esm_class: 0x44 })), outcome: delivered },
  { name: 'esm00', does: 'marks receipts as plain messages', play: fields(() => ({ esm_class: 0 })), outcome: lost },
  { name: 'esm08', does: "marks receipts as the phone's", play: fields(() => ({ esm_class: 8 })), outcome: lost },
  { name: 'esm10', does: "marks receipts as the user's", play: fields(() => ({ esm_class: 0x10 })), outcome: lost },
  {
    name: 'mo_stop',
    does: 'sends an answer of the phone',
    play: fields(() => ({ esm_class: 0, short_message: 'STOP' })),
    outcome: lost,
  },
  // Ids.
  {
    name: 'zeros',
    does: 'pads the id',
    play: ids('8A3F', '00008A3F'),
    operator: { message_id: { strip_leading_zeros: true } },
    outcome: delivered,
  },
  {
    name: 'case',
    does: 'writes the id in capitals',
    play: ids('8a3f', '8A3F'),
    operator: { message_id: { case_insensitive: true } },
    outcome: delivered,
  },
  {
    name: 'hex_dec',
    does: 'answers in hex, reports in decimal',
    play: ids('8A3F', '35391'),
    operator: { message_id: { rule: 'answer_hex_receipt_decimal' } },
    outcome: delivered,
  },
  {
    name: 'dec_hex',
    does: 'answers in decimal, reports in hex',
    play: ids('35391', '8A3F'),
    operator: { message_id: { rule: 'answer_decimal_receipt_hex' } },
    outcome: delivered,
  },
  {
    name: 'hex_unset',
    does: 'answers in hex, reports in decimal, and nothing is set',
    play: ids('8A3F', '35391'),
    outcome: lost,
  },
  { name: 'early', does: 'reports before it answers', play: beforeAnswer, outcome: delivered },
  { name: 'no_id', does: 'accepts without an id', play: ids('', 'X1'), legSeconds: 8, outcome: delivered },
  // Addresses.
  {
    name: 'src_00',
    does: 'writes the phone with 00',
    play: fields(({ submit }) => ({ source_addr: `00${submit.destination_addr}` })),
    outcome: delivered,
  },
  {
    name: 'src_zero',
    does: 'writes the phone with its 0',
    play: fields(({ submit }) => ({ source_addr: String(submit.destination_addr).replace(/^213/, '0') })),
    outcome: delivered,
  },
  {
    name: 'src_national',
    does: 'writes the phone without country code',
    play: fields(({ submit }) => ({ source_addr: String(submit.destination_addr).replace(/^213/, '') })),
    outcome: delivered,
  },
  {
    name: 'src_unswapped_longnum',
    does: 'leaves the sender, a long number, as the source',
    play: fields(({ submit }) => ({ source_addr: '21377112233', destination_addr: submit.destination_addr })),
    outcome: delivered,
  },
  {
    name: 'src_unswapped_own',
    does: 'leaves a long number of its own as the source',
    play: fields(({ submit }) => ({
      source_addr: `${String(submit.destination_addr).slice(0, 7)}99999`,
      destination_addr: submit.destination_addr,
    })),
    outcome: delivered,
  },
  {
    name: 'src_name',
    does: 'writes a name as the source',
    play: fields(() => ({ source_addr: 'ATLAS' })),
    outcome: delivered,
  },
  {
    name: 'src_none',
    does: 'writes no addresses',
    play: fields(() => ({ source_addr: '', destination_addr: '' })),
    outcome: delivered,
  },
];

await playHabits(habits);
