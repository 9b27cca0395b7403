// Every scenario number, with a live and with a test key, to its documented end: what the session says, what the phone
// got, what the customer's endpoint was told, what it cost, and that the code from the phone verifies.

import { describe, expect, test } from 'vitest';
import { type ScenarioName, scenarioNames, scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { testService } from '../support/service.ts';
import type { Client, Session } from '../support/service-client.ts';

/**
 * Of a leg that ends because its time is over: a slow machine has submitted its message before. Every other leg has so much that no slow machine
 * ends it.
 */
const shortSeconds = 12;
const longSeconds = 60;
/** A late receipt comes when a short leg is over for good. */
const service = await testService({ sandbox: { lateReceiptMs: shortSeconds * 1_000 + 12_000 } });
const { sandbox } = service;
const { live, test: withTestKey } = await service.startHere();
const numbers = scenarioNumbers(sandbox.scenarioPrefix);
/** How a session ends; `timeline` as `kind`, with channel or reason where they tell two entries apart. */
interface End {
  delivery: 'delivered' | 'exhausted';
  /** Of the SMS leg, where it is neither the short nor the long time. */
  smsSeconds?: number;
  /** Channel and status of each message. */
  messages: string[];
  timeline: string[];
  /** Types of webhook, in the order of `session_sequence`. */
  webhooks: string[];
  /** Amount, and whether it is final; live only: test keys cost nothing. */
  cost?: [amount: string, final: boolean];
}

const smsTaken = ['session_opened sms', 'leg_started sms', 'message_submitted sms'];
const noOtherChannel = [
  'leg_skipped whatsapp channel_not_configured',
  'leg_skipped voice channel_not_configured',
  'delivery_exhausted',
];
const deliveredBySms: End = {
  delivery: 'delivered',
  messages: ['sms delivered'],
  timeline: [...smsTaken, 'receipt_received sms DELIVRD', 'delivery_delivered'],
  webhooks: ['message.submitted', 'receipt.updated'],
  cost: ['3.50', true],
};

/** With live keys the cascade ends where the channels of this deployment end: at SMS. */
const liveEnds: Partial<Record<ScenarioName, End>> = {
  sms_delivered: deliveredBySms,
  sms_late: {
    ...deliveredBySms,
    timeline: [
      ...smsTaken,
      'leg_timed_out sms',
      ...noOtherChannel,
      'receipt_received sms DELIVRD',
      'delivery_delivered',
    ],
    webhooks: ['message.submitted', 'session.delivery_exhausted', 'receipt.updated'],
  },
  sms_silent: {
    delivery: 'exhausted',
    messages: ['sms submitted'],
    timeline: [...smsTaken, 'leg_timed_out sms', ...noOtherChannel],
    webhooks: ['message.submitted', 'session.delivery_exhausted'],
    cost: ['0.00', false],
  },
  sms_rejected: {
    delivery: 'exhausted',
    messages: ['sms rejected'],
    timeline: ['session_opened sms', 'leg_started sms', 'message_failed sms submit_refused', ...noOtherChannel],
    webhooks: ['message.failed', 'session.delivery_exhausted'],
  },
  sms_undelivered: {
    delivery: 'exhausted',
    messages: ['sms undelivered'],
    timeline: [...smsTaken, 'receipt_received sms UNDELIV', ...noOtherChannel],
    webhooks: ['message.submitted', 'receipt.updated', 'session.delivery_exhausted'],
    cost: ['0.00', true],
  },
  sms_throttled: {
    ...deliveredBySms,
    timeline: [
      ...smsTaken.slice(0, 2),
      'operator_busy sms',
      'message_submitted sms',
      'receipt_received sms DELIVRD',
      'delivery_delivered',
    ],
  },
  sms_early_receipt: deliveredBySms,
};

const appDelivers = [
  'leg_started whatsapp',
  'message_submitted whatsapp',
  'receipt_received whatsapp DELIVRD',
  'delivery_delivered',
];
const voiceTaken = ['leg_started voice', 'message_submitted voice'];
const bothSilent = [
  ...smsTaken,
  'leg_timed_out sms',
  'leg_started whatsapp',
  'message_submitted whatsapp',
  'leg_timed_out whatsapp',
];
const silentThenApp: End = {
  delivery: 'delivered',
  messages: ['sms submitted', 'whatsapp delivered'],
  timeline: [...smsTaken, 'leg_timed_out sms', ...appDelivers],
  webhooks: ['message.submitted', 'message.submitted', 'receipt.updated'],
};
const callFails: End = {
  delivery: 'exhausted',
  messages: ['sms submitted', 'whatsapp submitted', 'voice undelivered'],
  timeline: [
    ...bothSilent,
    ...voiceTaken,
    'call_answered voice',
    'receipt_received voice UNDELIV',
    'delivery_exhausted',
  ],
  webhooks: [
    'message.submitted',
    'message.submitted',
    'message.submitted',
    'receipt.updated',
    'session.delivery_exhausted',
  ],
};

/** With test keys every channel is played. The receipt of `sms_late` takes 20 s there: its leg leaves the app time to deliver before. */
const testEnds: Record<ScenarioName, End> = {
  sms_delivered: deliveredBySms,
  sms_late: {
    delivery: 'delivered',
    smsSeconds: 8,
    messages: ['sms delivered', 'whatsapp delivered'],
    timeline: [...silentThenApp.timeline, 'receipt_received sms DELIVRD'],
    webhooks: [...silentThenApp.webhooks, 'receipt.updated'],
  },
  sms_silent: silentThenApp,
  sms_rejected: {
    delivery: 'delivered',
    messages: ['sms rejected', 'whatsapp delivered'],
    timeline: ['session_opened sms', 'leg_started sms', 'message_failed sms submit_refused', ...appDelivers],
    webhooks: ['message.failed', 'message.submitted', 'receipt.updated'],
  },
  sms_undelivered: {
    delivery: 'delivered',
    messages: ['sms undelivered', 'whatsapp delivered'],
    timeline: [...smsTaken, 'receipt_received sms UNDELIV', ...appDelivers],
    webhooks: ['message.submitted', 'receipt.updated', 'message.submitted', 'receipt.updated'],
  },
  sms_throttled: deliveredBySms,
  sms_early_receipt: deliveredBySms,
  app_unreachable: {
    delivery: 'delivered',
    messages: ['sms submitted', 'whatsapp rejected', 'voice answered'],
    timeline: [
      ...smsTaken,
      'leg_timed_out sms',
      'leg_started whatsapp',
      'message_failed whatsapp not_on_app',
      ...voiceTaken,
      'call_answered voice',
      'receipt_received voice DELIVRD',
      'delivery_delivered',
      'receipt_received voice DELIVRD',
    ],
    webhooks: ['message.submitted', 'message.failed', 'message.submitted', 'receipt.updated', 'receipt.updated'],
  },
  voice_busy: {
    delivery: 'exhausted',
    messages: ['sms submitted', 'whatsapp submitted', 'voice rejected'],
    timeline: [...bothSilent, 'leg_started voice', 'message_failed voice submit_refused', 'delivery_exhausted'],
    webhooks: ['message.submitted', 'message.submitted', 'message.failed', 'session.delivery_exhausted'],
  },
  // The leg is over before the phone is picked up: it is hung up, and the report says so.
  voice_no_answer: {
    ...callFails,
    timeline: [
      ...bothSilent,
      ...voiceTaken,
      'leg_timed_out voice',
      'delivery_exhausted',
      'receipt_received voice UNDELIV',
    ],
    webhooks: [
      'message.submitted',
      'message.submitted',
      'message.submitted',
      'session.delivery_exhausted',
      'receipt.updated',
    ],
  },
  voice_hangs_up: callFails,
  voice_voicemail: callFails,
  voice_rejected: {
    ...callFails,
    messages: ['sms submitted', 'whatsapp submitted', 'voice rejected'],
    timeline: [...bothSilent, ...voiceTaken, 'receipt_received voice REJECTD', 'delivery_exhausted'],
  },
};

/** A leg is as long as its end in the timeline wants it. */
const cascadeOf = ({ timeline, smsSeconds = shortSeconds }: End) =>
  ['sms', 'whatsapp', 'voice'].map((channel) => {
    const short = channel === 'sms' ? smsSeconds : shortSeconds;
    return { channel, timeout_seconds: timeline.includes(`leg_timed_out ${channel}`) ? short : longSeconds };
  });

/** One entry in words; the reason of a leg that started is the plan's business. */
const words = ({ kind, channel, reason }: Session['timeline'][number]): string =>
  [kind, channel, kind === 'message_submitted' ? '' : reason].filter(Boolean).join(' ');

async function play(client: Client, name: ScenarioName, end: End): Promise<Session> {
  const { id } = await client.send(numbers[name], { cascade: cascadeOf(end), client_reference: name });
  const complete = ({ delivery, timeline }: Session) =>
    delivery === end.delivery && timeline.length >= end.timeline.length;
  const session = await client.sessionWhen(id, `the end of ${name}`, complete, 150_000);
  expect(session).toMatchObject({ id, status: 'pending', to: numbers[name], test: client === withTestKey });
  expect(session.timeline.map(words)).toEqual(end.timeline);
  expect(session.messages.map(({ channel, status }) => `${channel} ${status}`)).toEqual(end.messages);

  const events = await sandbox.eventsOf(id, end.webhooks.length);
  expect(events.map(({ type }) => type)).toEqual(end.webhooks);
  expect(events.map(({ session_sequence }) => session_sequence)).toEqual(events.map((_, index) => index + 1));
  for (const event of events) {
    expect(event).toMatchObject({ account_id: service.accountId, test: session.test });
    expect(event.data.session_id).toBe(id);
    expect(event.data.session ?? event.data).toMatchObject({ to: numbers[name], client_reference: name });
  }
  return session;
}

async function verify(client: Client, { id, timeline }: Session, code: string, end: End): Promise<void> {
  const wrong = `${code.slice(0, -1)}${(Number(code.at(-1)) + 1) % 10}`;
  expect(await client.check(id, wrong)).toMatchObject({ valid: false, reason: 'incorrect_code', status: 'pending' });
  expect(await client.check(id, code)).toMatchObject({ valid: true, reason: '', status: 'verified' });
  const after = await client.session(id);
  const more = after.timeline.slice(timeline.length).map(({ kind }) => kind);
  expect(more).toEqual(['code_checked', 'code_checked', 'session_verified']);
  const events = await sandbox.eventsOf(id, end.webhooks.length + 1);
  expect(events.at(-1)).toMatchObject({ type: 'session.verified', session_sequence: end.webhooks.length + 1 });
}

describe.concurrent('with a live key', () => {
  test.each(Object.entries(liveEnds) as [ScenarioName, End][])('%s', async (name, end) => {
    const session = await play(live, name, end);
    expect(session.total_cost).toEqual(end.cost ? [{ amount: end.cost[0], currency: 'DZD', final: end.cost[1] }] : []);
    const phone = sandbox.smsTo(numbers[name]);
    if (name === 'sms_rejected' || name === 'sms_undelivered') {
      expect(phone).toEqual([]);
      return;
    }
    expect(phone).toHaveLength(1);
    expect(phone[0]).toMatchObject({ from: 'Ramz', operator: 'atlas' });
    await verify(live, session, await sandbox.codeTo(numbers[name]), end);
  });
});

describe.concurrent('with a test key', () => {
  test.each(scenarioNames)('%s', async (name) => {
    const end = testEnds[name];
    const session = await play(withTestKey, name, end);
    expect(session.total_cost).toEqual([]);
    await verify(withTestKey, session, '000000', end);
  });
});

test('the operator of a throttled message was asked twice, the phone rang once', async () => {
  expect(sandbox.smscs.atlas.counts.refused).toBeGreaterThanOrEqual(1);
  expect(sandbox.smsTo(numbers.sms_throttled)).toHaveLength(1);
});
