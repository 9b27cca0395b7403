// Voice calls from end to end: the sandbox's phones ring, press keys and read back what they heard. Two processes share one trunk; one of them
// is reloaded, the other one is ended under its calls.
import { expect, test } from 'vitest';
import { scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { startScript } from '../support/process.ts';
import { testService } from '../support/service.ts';
import type { Leg, Session } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

interface CallView {
  state: string;
  talk_seconds?: number;
  sip_code?: number;
  keys: number;
  readings: number;
  ended: boolean;
}

// Placeholder voices are warned of, and a server is ended under its calls.
const service = await testService({ errorsExpected: true });
const { sandbox } = service;
const numbers = scenarioNumbers(sandbox.scenarioPrefix);
const [trunk] = (sandbox.voice?.trunks ?? []) as Record<string, unknown>[];
/**
 * Phones that nobody answers ring for a short time, in which a cancel gets from one process to the other on a slow machine, too; two processes of
 * one machine share the ports.
 */
const voice = (change: Record<string, unknown> = {}) => ({
  voice: { ...sandbox.voice, trunks: [{ ...trunk, channels: 40, ring_seconds: 20, ...change }] },
});
service.configure(voice());
const first = await service.startProcess();
const second = await service.startProcess({ RAMZ_DRAIN_SECONDS: '1' });

const byVoice: Leg[] = [{ channel: 'voice', timeout_seconds: 45 }];
const callOf = ({ messages }: Session): CallView | undefined => {
  const message = messages.find(({ channel }) => channel === 'voice') as { call?: CallView } | undefined;
  return message?.call;
};
const hasEnded = (session: Session) => callOf(session)?.ended === true;
const isRinging = (session: Session) => callOf(session)?.state === 'ringing';
const words = ({ timeline }: Session) =>
  timeline.map(({ kind, channel, reason }) => [kind, channel, reason].filter(Boolean).join(' '));

const trunksOf = async ({ metrics }: { metrics: string }) => {
  const answer = await fetch(`${metrics}/readyz`);
  return ((await answer.json()) as { trunks: { trunk: string; up: boolean; channels: number; calls: number }[] })
    .trunks;
};
const channelsOf = async (server: { metrics: string }) => (await trunksOf(server))[0]?.channels ?? 0;

test('two processes share the channels of a trunk', async () => {
  const shares = await until(
    async () => {
      const both = await Promise.all([channelsOf(first), channelsOf(second)]);
      return both.every((share) => share === 20) && both;
    },
    { what: 'an even share of the channels for each' },
  );
  expect(shares).toEqual([20, 20]);
  expect(await trunksOf(first)).toEqual([{ trunk: 'sandbox', up: true, channels: 20, calls: 0 }]);
});

test('a person whose SMS is late and who has no app hears the code in a call', async () => {
  const to = numbers.app_unreachable;
  const { id } = await first.live.send(to, {
    language: 'fr',
    // The SMS must have been submitted before its leg is over, on a slow machine too.
    cascade: [{ channel: 'sms', timeout_seconds: 12 }, ...byVoice],
  });
  const heard = await first.live.sessionWhen(id, 'the code heard', ({ delivery }) => delivery === 'delivered');
  expect(words(heard).slice(0, 8)).toEqual([
    'session_opened sms',
    'leg_started sms',
    'message_submitted sms',
    'leg_timed_out sms',
    'leg_started voice',
    'message_submitted voice',
    'call_answered voice',
    'receipt_received voice DELIVRD',
  ]);
  expect(callOf(heard)).toMatchObject({ state: 'heard', keys: 1, ended: false });
  const over = await first.live.sessionWhen(id, 'the end of the call', hasEnded);
  expect(callOf(over)).toMatchObject({ state: 'heard', sip_code: 200, readings: 2 });
  const message = over.messages.find(({ channel }) => channel === 'voice');
  expect(message).toMatchObject({ status: 'answered', cost: { final: true, currency: 'DZD' } });
  expect(Number(message?.cost?.amount)).toBeCloseTo(0.15 * (callOf(over)?.talk_seconds ?? 0));
  const [{ digits = '' } = {}] = sandbox.inbox.list({ to, channel: 'voice' });
  expect((await first.live.check(id, digits.slice(0, 6))).valid).toBe(true);
});

test('every other phone ends the call in its own word', async () => {
  const expected = {
    voice_busy: 'busy',
    voice_no_answer: 'no_answer',
    voice_hangs_up: 'hung_up',
    voice_voicemail: 'no_key',
    voice_rejected: 'rejected',
  } as const;
  const names = Object.keys(expected) as (keyof typeof expected)[];
  const ends = await Promise.all(
    names.map(async (name) => {
      const { id } = await second.live.send(numbers[name], { cascade: byVoice });
      const exhausted = ({ delivery }: Session) => delivery === 'exhausted';
      const session = await second.live.sessionWhen(id, `${name} to be over`, exhausted);
      return [name, callOf(session)?.state, callOf(session)?.ended];
    }),
  );
  expect(ends).toEqual(names.map((name) => [name, expected[name], true]));
  expect(sandbox.inbox.list({ to: numbers.voice_voicemail, channel: 'voice' })[0]?.digits ?? '').toBe('');
});

test('a session that is canceled in one process stops the ringing in the other', async () => {
  for (const [from, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const { id } = await from.live.send(numbers.voice_no_answer, { cascade: byVoice, purpose: `stop ${from.http}` });
    await from.live.sessionWhen(id, 'the ringing', isRinging);
    await other.live.call('POST', `/v1/verify/sessions/${id}/cancel`, {});
    const over = await other.live.sessionWhen(id, 'the end of the ringing', hasEnded);
    // By itself it would have ended after 20 s, in another word.
    expect(callOf(over)).toMatchObject({ state: 'canceled', keys: 0 });
  }
});

test('a reload replaces the trunk under a call that rings', async () => {
  const { id } = await first.live.send(numbers.voice_no_answer, { cascade: byVoice, purpose: 'reload' });
  await first.live.sessionWhen(id, 'the ringing', isRinging);
  // The loopback has more than one address: another one is another connection.
  service.configure(voice({ local: { host: '127.0.0.2' } }));
  first.process.signal('SIGHUP');
  await first.process.waitFor(/configuration reloaded/);
  const { id: next } = await first.live.send(numbers.voice_busy, { cascade: byVoice, purpose: 'reload' });
  const busy = await first.live.sessionWhen(next, 'a call by the new connection', hasEnded);
  expect(callOf(busy)).toMatchObject({ state: 'busy' });
  const over = await first.live.sessionWhen(id, 'the end of the ringing', hasEnded);
  expect(callOf(over)).toMatchObject({ state: 'no_answer' });

  // A trunk that is taken away, and brought back.
  service.configure({ voice: null });
  first.process.signal('SIGHUP');
  await until(async () => (await trunksOf(first)).length === 0, { what: 'no trunk' });
  service.configure(voice());
  first.process.signal('SIGHUP');
  await until(async () => (await channelsOf(first)) > 0, { what: 'the trunk again' });
});

test('a process that ends stops its calls, and says so', async () => {
  // The other one may have had all channels since the reload, and would make the call.
  await until(async () => (await channelsOf(second)) > 0, { what: 'channels in the process that is to end' });
  const { id } = await second.live.send(numbers.voice_no_answer, { cascade: byVoice, purpose: 'drain' });
  await second.live.sessionWhen(id, 'the ringing', isRinging);
  await second.process.end('SIGTERM');
  expect(callOf(await first.live.session(id))).toMatchObject({ state: 'canceled', ended: true });
  await until(async () => (await channelsOf(first)) === 40, { what: 'all channels in the process that is left' });
});

test('a service whose recordings are missing does not start, and names them', async () => {
  service.configure({ voice: { ...voice().voice, prompts: { ar: '/nowhere' } } });
  const refused = startScript('src/main.ts', { args: ['serve'], env: service.env });
  await refused.waitFor(/prompts: \/nowhere\/SOURCE is missing/);
  expect(await refused.exit()).toEqual({ code: 1, signal: null });
});
