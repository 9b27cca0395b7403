// A server is killed with -9 under its calls: one phone rings, another one is being spoken to. The other server settles both as unknown,
// goes on with their cascades at once, and calls neither phone again.
import { expect, test } from 'vitest';
import { scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { databaseClock } from '../support/machine-clock.ts';
import { testService } from '../support/service.ts';
import type { Leg, Session } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService({ errorsExpected: true });
const { sandbox } = service;
const clock = databaseClock(service.database);
const numbers = scenarioNumbers(sandbox.scenarioPrefix);
service.configure({ voice: sandbox.voice });
const killed = await service.startProcess();
const left = await service.startProcess();

const legs: Leg[] = [
  { channel: 'voice', timeout_seconds: 60 },
  { channel: 'sms', timeout_seconds: 15 },
];
const call = ({ messages }: Session) => messages.find(({ channel }) => channel === 'voice');
const isIn = (state: string) => (session: Session) => call(session)?.call?.state === state;
const isSettled = (session: Session) => call(session)?.reason === 'process_lost';

test('killed while one phone rings and another one is spoken to', async () => {
  const heard = await killed.live.send('+213551234599', { cascade: legs.slice(0, 1), language: 'fr' });
  await killed.live.sessionWhen(heard.id, 'the code to be heard', isIn('heard'), 60_000);
  const inbox = () => sandbox.inbox.list({ to: '+213551234599', channel: 'voice' })[0]?.digits;
  const digits = await until(inbox, { what: 'the person to have written the code down' });
  // Last, because both end by themselves within half a minute.
  const ringing = await killed.live.send(numbers.voice_no_answer, { cascade: legs });
  const speaking = await killed.live.send(numbers.voice_voicemail, { cascade: legs });
  await killed.live.sessionWhen(ringing.id, 'the phone to ring', isIn('ringing'));
  await killed.live.sessionWhen(speaking.id, 'the phone to be picked up', isIn('answered'));
  await killed.process.end('SIGKILL');
  const killedAt = Date.now();

  for (const { id } of [ringing, speaking]) {
    const session = await left.live.sessionWhen(id, 'the call to be settled', isSettled);
    expect(call(session)).toMatchObject({ status: 'unknown', call: { ended: true }, cost: { final: false } });
    const again = await left.live.sessionWhen(id, 'the next leg', ({ messages }) => messages.length > 1);
    expect(again.messages.filter(({ channel }) => channel === 'voice')).toHaveLength(1);
    expect(again.messages.at(-1)?.channel).toBe('sms');
    expect(again.timeline.map(({ kind }) => kind)).not.toContain('leg_timed_out');
  }
  // The lease, and the sweep: far sooner than the leg's end.
  expect(clock.between(killedAt, Date.now())).toBeLessThan(30_000);
  const kept = await left.live.session(heard.id);
  expect(kept).toMatchObject({ delivery: 'delivered' });
  expect(call(kept)).toMatchObject({ status: 'answered', reason: '' });

  // What was said before the end is still true: the code verifies at the other server.
  expect((await left.live.check(heard.id, digits.slice(0, 6))).valid).toBe(true);
});
