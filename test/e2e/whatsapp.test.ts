// The cascade's second leg against the sandbox's messaging platform: statuses come by callback, signed, in any order. Every
// refusal the platform knows ends in the timeline with its reason.
import { afterEach, describe, expect, test } from 'vitest';
import { scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { systemClock } from '../../src/sandbox/clock.ts';
import { standingAlone } from '../support/checks.ts';
import { testService } from '../support/service.ts';
import type { Leg, Session } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

/** Seconds of the platform's clock that pass with each look at it, beside the real ones. */
let platformSteps = 0;
let platformAheadMs = 0;
const platformNow = () => {
  platformAheadMs += platformSteps * 1_000;
  return Date.now() + platformAheadMs;
};

// A refusal of the whole channel is logged as an error: that is the alarm.
const service = await testService({
  errorsExpected: true,
  sandbox: { clock: { now: platformNow, after: systemClock.after } },
});
const { sandbox } = service;
const { platform } = sandbox;
service.configure({ messaging: sandbox.messaging });
const server = await service.startProcess();
const { live } = server;

const numbers = scenarioNumbers(sandbox.scenarioPrefix);
const callbackUrl = `${server.http}/v1/callbacks/messaging`;
const { verifyToken } = sandbox.messagingIdentity;
expect(await platform.subscriptions.subscribe(callbackUrl, verifyToken)).toEqual({ kind: 'verified' });

afterEach(() => {
  platform.reset();
  platformSteps = 0;
  platformAheadMs = 0;
});

/** An SMS that stays silent must have been submitted before its leg is over, on a slow machine too. */
const legs = (...channels: string[]): Leg[] =>
  channels.map((channel) => ({ channel, timeout_seconds: channel === 'sms' ? 12 : 20 }));
const words = ({ timeline }: Session) =>
  timeline.map(({ kind, channel, reason }) => [kind, channel, reason].filter(Boolean).join(' '));
const appMessages = (to: string) => sandbox.inbox.list({ to, channel: 'whatsapp' });
const delivered = ({ delivery }: Session) => delivery === 'delivered';
const exhausted = ({ delivery }: Session) => delivery === 'exhausted';

let next = 0;
/** A number that is no scenario's. */
const anyNumber = () => {
  next += 1;
  return `+21355730${String(next).padStart(4, '0')}`;
};
/** A number that stands for an error: told in the answer, or by a status. */
const errorNumber = (code: number, told: 'at_once' | 'later') =>
  `${sandbox.scenarioPrefix}${told === 'at_once' ? 8 : 9}${String(code).padStart(6, '0')}`;

async function play(to: string, cascade: Leg[], what: string, wanted: (session: Session) => boolean, purpose = '') {
  const { id } = await live.send(to, { cascade, purpose });
  return live.sessionWhen(id, what, wanted);
}

test('another verify token gets no address verified', async () => {
  const other = await platform.subscriptions.subscribe(callbackUrl, 'guessed');
  expect(other).toMatchObject({ kind: 'failed' });
  await platform.subscriptions.subscribe(callbackUrl, verifyToken);
});

describe('the cascade', () => {
  test('the SMS stays silent: the app delivers the same code, and it verifies', async () => {
    const session = await play(numbers.sms_silent, legs('sms', 'whatsapp', 'voice'), 'the app to deliver', delivered);
    expect(words(session)).toEqual([
      'session_opened sms',
      'leg_started sms',
      'message_submitted sms',
      'leg_timed_out sms',
      'leg_started whatsapp',
      'message_submitted whatsapp',
      'receipt_received whatsapp ACCEPTD',
      'receipt_received whatsapp DELIVRD',
      'delivery_delivered',
    ]);
    const [, app] = session.messages;
    expect(app).toMatchObject({
      channel: 'whatsapp',
      operator: '',
      status: 'delivered',
      parts: 1,
      cost: { currency: 'USD', source: 'tariff', final: true, billed_by: 'service' },
    });
    const [seen] = appMessages(numbers.sms_silent);
    const code = /\d{6}/.exec(seen?.text ?? '')?.[0] ?? '';
    expect(code).toBe(await sandbox.codeTo(numbers.sms_silent));
    expect(await live.check(session.id, code)).toMatchObject({ valid: true });
    expect(JSON.stringify(session)).not.toMatch(standingAlone(code));
  });

  test('the SMS is refused: the app at once', async () => {
    const session = await play(numbers.sms_rejected, legs('sms', 'whatsapp'), 'the app to deliver', delivered);
    expect(words(session)).not.toContain('leg_timed_out sms');
    expect(session.messages.map(({ status }) => status)).toEqual(['rejected', 'delivered']);
  });

  test('not on the app: on to the call at once, which this deployment has not', async () => {
    const session = await play(numbers.app_unreachable, legs('sms', 'whatsapp', 'voice'), 'the end', exhausted);
    expect(words(session).slice(-3)).toEqual([
      'receipt_received whatsapp UNDELIV',
      'leg_skipped voice channel_not_configured',
      'delivery_exhausted',
    ]);
    expect(session.messages[1]).toMatchObject({ status: 'undelivered', error_code: '131026', cost: { final: true } });
  });
});

describe('statuses', () => {
  test.each([[['read', 'delivered', 'sent']], [['read']], [['delivered', 'sent', 'read', 'played']]] as (
    | 'read'
    | 'delivered'
    | 'sent'
    | 'played'
  )[][][])('%j, each twice, end as read', async (statuses = []) => {
    const to = anyNumber();
    platformSteps = 1; // No two posts lie in the same second.
    platform.faults.script(to, { statuses, copies: 2 });
    await until(() => platform.notifier.waiting === 0, { what: 'what was sent before to be taken' });
    const taken = platform.notifier.counts.delivered + 2 * statuses.length;
    const { id } = await live.send(to, { cascade: legs('whatsapp') });
    await until(() => platform.notifier.counts.delivered === taken, { what: 'every copy to be taken' });
    const isRead = ({ messages }: Session) => messages[0]?.status === 'read';
    const session = await live.sessionWhen(id, 'the message to be read', isRead);
    const told = statuses.filter((word) => word !== 'played');
    expect(session.messages[0]?.receipts).toHaveLength(told.length);
    expect(words(session).filter((line) => line === 'delivery_delivered')).toHaveLength(1);
  });

  test('delivered to a second device, too: another receipt, and nothing else', async () => {
    const to = anyNumber();
    const { id } = await play(to, legs('whatsapp'), 'the app to deliver', delivered);
    await until(() => platform.notifier.waiting === 0, { what: 'the first two statuses to be taken' });
    const before = await live.session(id);
    platformAheadMs = 90_000;
    const message = platform.statuses.find({ to });
    expect(message && (await platform.statuses.send(message, 'delivered'))).toBe(true);
    const after = await live.session(id);
    expect(before.messages[0]?.receipts).toHaveLength(2);
    expect(after.messages[0]?.receipts).toHaveLength(3);
    const { status, cost } = before.messages[0] ?? {};
    expect(after.messages).toMatchObject([{ status, cost }]);
    expect(words(after).filter((line) => line === 'delivery_delivered')).toHaveLength(1);
  });

  test('a badly signed one is refused; it counts only once it comes well signed', async () => {
    platform.faults.signBadly(1);
    const session = await play(anyNumber(), legs('whatsapp'), 'the app to deliver', delivered);
    expect(session.messages[0]?.status).toBe('delivered');
    const metrics = await (await fetch(`${server.metrics}/metrics`)).text();
    expect(metrics).toMatch(/ramz_app_callbacks_total\{result="refused"\} [1-9]/);
  });
});

test('an answer that is lost: in doubt, never sent again, and made good for by the statuses', async () => {
  platform.faults.answerNext({ kind: 'lost' }, 1);
  platform.faults.statusesHeld = true;
  const to = anyNumber();
  const { id } = await live.send(to, { cascade: legs('whatsapp') });
  const isInDoubt = (one: Session) => words(one).includes('message_unknown whatsapp connection_lost');
  await live.sessionWhen(id, 'it to be in doubt', isInDoubt);
  platform.faults.statusesHeld = false;
  platform.notifier.flush();
  const session = await live.sessionWhen(id, 'the app to deliver', delivered);
  expect(session.messages).toMatchObject([{ status: 'delivered', cost: { currency: 'USD', final: true } }]);
  expect(appMessages(to)).toHaveLength(1);
});

describe('errors', () => {
  test.each([
    [131026, 'at_once', 'not_on_app'],
    [131049, 'at_once', 'submit_refused'],
    [132001, 'at_once', 'misconfigured'],
    [132015, 'at_once', 'misconfigured'],
    [131049, 'later', 'UNDELIV'],
    [130472, 'later', 'UNDELIV'],
    [132016, 'later', 'REJECTD'],
  ] as const)('%i told %s: the SMS at once', async (code, told, reason) => {
    const to = errorNumber(code, told);
    const session = await play(to, legs('whatsapp', 'sms'), 'the SMS to deliver', delivered);
    const line = told === 'at_once' ? `message_failed whatsapp ${reason}` : `receipt_received whatsapp ${reason}`;
    expect(words(session)).toContain(line);
    expect(session.messages[0]).toMatchObject({ channel: 'whatsapp', error_code: String(code) });
  });

  test.each([130429, 131056, 131000, 2])('%i: once more, after a pause', async (code) => {
    platform.faults.answerNext({ kind: 'error', code }, 1);
    const session = await play(anyNumber(), legs('whatsapp'), 'the app to deliver', delivered);
    expect(session.messages).toHaveLength(1);
  });

  test('the token is withdrawn: on at once, the leg skipped from then on, and back with the next configuration', async () => {
    platform.revokeTokens(undefined);
    const first = await play(anyNumber(), legs('whatsapp', 'sms'), 'the SMS to deliver', delivered);
    expect(words(first)).toContain('message_failed whatsapp channel_down');
    expect(first.messages[0]).toMatchObject({ status: 'rejected', error_code: '190' });
    const second = await play(anyNumber(), legs('whatsapp', 'sms'), 'the SMS to deliver', delivered);
    expect(words(second)).toContain('leg_skipped whatsapp channel_down');
    const refused = await live.call<{ error: { code: string } }>('POST', '/v1/verify/send', {
      to: anyNumber(),
      cascade: legs('whatsapp'),
    });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'no_route' } } });
    expect(server.log()).toMatch(/"level":"error".*"code":"190".*rejects our credentials/);
    expect(server.log()).not.toContain(String(sandbox.messaging.access_token));

    platform.reset();
    service.configure({ messaging: { ...sandbox.messaging, response_timeout_ms: 9_000 } });
    server.process.signal('SIGHUP');
    await server.process.waitFor(/configuration reloaded/);
    const third = await play(anyNumber(), legs('whatsapp'), 'the app to deliver', delivered);
    expect(third.messages[0]?.status).toBe('delivered');
  });
});

test('an account that stays in the country: nothing is asked of the platform', async () => {
  const { accepted, refused } = platform.messages.counts;
  await live.call('PATCH', '/v1/account', { in_country_only: true });
  const playing = play(numbers.sms_rejected, legs('sms', 'whatsapp'), 'the end', exhausted, 'in the country');
  const session = await playing.finally(() => live.call('PATCH', '/v1/account', { in_country_only: false }));
  expect(words(session)).toContain('leg_skipped whatsapp in_country_only');
  expect(platform.messages.counts).toEqual({ accepted, refused });
});

test('webhooks of the app’s messages name no operator and keep the platform’s word', async () => {
  const to = anyNumber();
  const { id } = await live.send(to, { cascade: legs('whatsapp') });
  await live.sessionWhen(id, 'the app to deliver', delivered);
  const events = await sandbox.eventsOf(id, 3);
  expect(events.map(({ type }) => type)).toEqual(['message.submitted', 'receipt.updated', 'receipt.updated']);
  expect(events[2]?.data).toMatchObject({ channel: 'whatsapp', operator: '', provider_status: 'delivered', to });
  await until(() => events.every(({ test: isTest }) => !isTest), { what: 'live events' });
});
