// Habits of SMSCs in writing receipts: texts, dates, ids, addresses, states, and what they mark as a receipt. The phone of each row is +21377 and
// seven digits more.
import type { Session as Connection } from 'smpp';
import { expect, test } from 'vitest';
import type { Smsc } from '../../support/npm-smsc.ts';
import { until } from '../../support/wait.ts';
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
/** To the octet: of two that were written one after the other the second might state the next second. */
const sameTwice = (write: (taken: Taken) => Record<string, unknown>) => {
  let written: Record<string, unknown> | undefined;
  const same = (taken: Taken) => {
    written ??= write(taken);
    return written;
  };
  return [same, same] as const;
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

const beforeAnswer =
  (change: Record<string, unknown> = {}) =>
  (smsc: Smsc) => {
    smsc.onSubmit = (submit, connection: Connection) => {
      const id = 'EARLY1';
      const receipt = { ...receiptOf({ id, submit }), ...change };
      void smsc.deliver(connection, receipt).then(() => answer(connection, submit, { message_id: id }));
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
    operator: { receipt: { date_format: 'DDMMYYYYhhmmss' } },
    play: dated(`${day}/${month}/${year} ${hours}:${minutes}:00`),
    outcome: thisMinute,
  },
  {
    name: 'ddmm_unset',
    does: 'writes the day first, and nothing is set',
    play: dated(`${day}/${month}/${year} ${hours}:${minutes}:00`),
    outcome: stated(null),
  },
  {
    name: 'epoch',
    does: 'writes seconds since 1970',
    play: dated(String(minute / 1_000)),
    operator: { receipt: { date_format: 'epoch' } },
    outcome: thisMinute,
  },
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
  {
    name: 'equals',
    does: 'writes id=… stat=…',
    play: text(({ id }) => `id=${id} stat=DELIVRD`),
    operator: { receipt: { pattern: 'id=(?<id>\\w+) +stat=(?<stat>\\w+)' } },
    outcome: delivered,
  },
  {
    name: 'equals_unset',
    does: 'writes id=… stat=…, and nothing is set',
    play: text(({ id }) => `id=${id} stat=DELIVRD`),
    outcome: lost,
  },
  {
    name: 'cmg',
    does: 'writes sentences',
    play: text(
      ({ id, submit }) =>
        `Message for ${submit.destination_addr}, with identification ${id}, has been delivered on ${year}-${month}-${day}`,
    ),
    operator: { receipt: { pattern: 'identification (?<id>\\w+), has been (?<stat>\\w+) on (?<done_date>[-\\d]+)' } },
    outcome: delivered,
  },
  // States.
  {
    name: 'undeliv',
    does: 'reports a failure',
    play: reports(stat('UNDELIV', '027')),
    outcome: { delivery: 'exhausted', message: 'undelivered', receipts: ['UNDELIV'] },
  },
  {
    name: 'failed',
    does: 'writes a word of its own',
    play: reports(stat('FAILED', '034')),
    settled: count(1),
    outcome: {
      message: 'unknown',
      receipts: ['UNKNOWN'],
      session: {
        messages: [
          { receipts: [{ provider_status: 'FAILED', error_code: '034', raw: expect.stringContaining('stat:FAILED') }] },
        ],
        timeline: expect.arrayContaining([
          expect.objectContaining({ kind: 'receipt_received', reason: 'UNKNOWN', detail: '034' }),
        ]),
      },
    },
  },
  {
    name: 'own_number',
    does: 'states a number of its own',
    play: fields(({ id }) => ({ short_message: '', receipted_message_id: id, message_state: 9 })),
    settled: count(1),
    outcome: { receipts: ['UNKNOWN'], session: { messages: [{ receipts: [{ provider_status: '9' }] }] } },
  },
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
    play: several(...sameTwice(stat('DELIVRD')), stat('EXPIRED')),
    settled: count(2),
    outcome: { delivery: 'delivered', message: 'delivered', receipts: ['DELIVRD', 'EXPIRED'] },
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
  {
    name: 'esm00',
    does: 'marks receipts as plain messages',
    play: fields(() => ({ esm_class: 0 })),
    operator: { receipt: { unmarked: 'accept_known_id' } },
    outcome: delivered,
  },
  {
    name: 'esm00_unset',
    does: 'marks receipts as plain messages, and nothing is set',
    play: fields(() => ({ esm_class: 0 })),
    outcome: lost,
  },
  {
    name: 'esm08',
    does: "marks receipts as the phone's",
    play: fields(() => ({ esm_class: 8 })),
    operator: { receipt: { unmarked: 'accept_known_id' } },
    outcome: delivered,
  },
  {
    name: 'esm08_unset',
    does: "marks receipts as the phone's, and nothing is set",
    play: fields(() => ({ esm_class: 8 })),
    outcome: lost,
  },
  {
    name: 'esm10',
    does: "marks receipts as the user's",
    play: fields(() => ({ esm_class: 0x10 })),
    operator: { receipt: { unmarked: 'accept_known_id' } },
    outcome: delivered,
  },
  {
    name: 'esm10_unset',
    does: "marks receipts as the user's, and nothing is set",
    play: fields(() => ({ esm_class: 0x10 })),
    outcome: lost,
  },
  {
    name: 'esm00_early',
    does: 'marks receipts as plain messages and sends them before it answers',
    play: beforeAnswer({ esm_class: 0 }),
    operator: { receipt: { unmarked: 'accept_known_id' } },
    outcome: delivered,
  },
  {
    name: 'esm00_other',
    does: 'lets a phone write a receipt for the message of another',
    play: fields(({ submit }) => ({
      esm_class: 0,
      source_addr: `${String(submit.destination_addr).slice(0, 7)}99999`,
    })),
    operator: { receipt: { unmarked: 'accept_known_id' } },
    legSeconds: 5, // Longer than the time after which a marked one would be taken for the only message with its id.
    outcome: lost,
  },
  {
    name: 'esm00_late',
    does: 'lets a phone write a receipt for its own message, whose end has come',
    play: several(stat('UNDELIV'), (taken) => ({ ...stat('DELIVRD')(taken), esm_class: 0 })),
    operator: { receipt: { unmarked: 'accept_known_id' } },
    outcome: { delivery: 'exhausted', message: 'undelivered', receipts: ['UNDELIV'] },
  },
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
  { name: 'early', does: 'reports before it answers', play: beforeAnswer(), outcome: delivered },
  { name: 'no_id', does: 'accepts without an id', play: ids('', 'X1'), outcome: delivered },
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

const server = await playHabits(habits);

/** Value of a counter at /metrics. */
async function counted(metric: string, labels: string): Promise<number> {
  const text = await (await fetch(`${server.metrics}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${metric}{${labels}}`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

test.each([
  ['usual', 'receipt'],
  ['failed', 'receipt'],
  ['esm00', 'receipt'],
  ['esm00_unset', 'message'],
  ['esm08_unset', 'message'],
  ['esm10_unset', 'message'],
  ['mo_stop', 'message'],
  ['equals_unset', 'receipt'],
])('every delivery is counted: %s as %s', async (operator, kind) => {
  expect(await counted('ramz_smpp_deliver_total', `operator="${operator}",kind="${kind}"`)).toBe(1);
});

test.each([
  ['usual', 'delivered', 1],
  ['undeliv', 'undelivered', 0],
  ['failed', 'unknown', 0],
])('what became of messages is counted for each operator: %s', async (operator, status, deliveries) => {
  expect(await counted('ramz_sms_outcome_total', `operator="${operator}",status="${status}"`)).toBe(1);
  expect(await counted('ramz_sms_delivery_seconds_count', `operator="${operator}"`)).toBe(deliveries);
  const metrics = await until(
    async () => {
      const text = await (await fetch(`${server.metrics}/metrics`)).text();
      return text.includes(`ramz_queue_messages{operator="${operator}"}`) && text;
    },
    { what: 'the gauges of queues' },
  );
  expect(metrics).toContain(`ramz_queue_messages{operator="${operator}"} 0`);
  expect(metrics).toContain(`ramz_queue_age_seconds{operator="${operator}"} 0`);
});

test.each([
  ['failed', 'word', 'add receipt.meanings.FAILED'],
  ['own_number', 'word', 'add receipt.message_states.9'],
  ['ddmm_unset', 'date', 'set receipt.date_format to "DDMMYYYYhhmmss"'],
  ['esm00_unset', 'unmarked', 'set receipt.unmarked to "accept_known_id"'],
  ['equals_unset', 'id', 'set receipt.pattern'],
])('what is not understood is counted and said with the setting: %s', async (operator, problem, advice) => {
  expect(await counted('ramz_receipt_problems_total', `operator="${operator}",problem="${problem}"`)).toBe(1);
  const lines = server
    .log()
    .split('\n')
    .filter((line) => line.includes(`"operator":"${operator}","problem":"${problem}"`));
  expect(lines).toEqual([expect.stringContaining(JSON.stringify(advice).slice(1, -1))]);
});

test('a word that nobody knows is told by the webhook as it came', async () => {
  const event = await until(
    () =>
      server
        .events()
        .find(({ type, data }) => type === 'receipt.updated' && (data as { operator?: string }).operator === 'failed'),
    { what: 'the webhook' },
  );
  expect(event.data).toMatchObject({ status: 'UNKNOWN', provider_status: 'FAILED', error_code: '034' });
});
