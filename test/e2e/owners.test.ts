// Three servers with peer ports on one database: calls go to the owners of their numbers. An owner is frozen for ten seconds and woken while
// its sessions are checked; another one is stopped in order; no code counts twice, and no call waits for either.
import { expect, test } from 'vitest';
import { databaseClock } from '../support/machine-clock.ts';
import { type ServerProcess, testService } from '../support/service.ts';
import { until } from '../support/wait.ts';
import { inParallel } from './load.ts';
import { metric, whole } from './owners.ts';

// A frozen process logs that its database was away.
const service = await testService({ errorsExpected: true });
const { sandbox } = service;
const clock = databaseClock(service.database);
const ports = { PEER_PORT: '0' };
const servers = (await Promise.all([1, 2, 3].map(() => service.startProcess(ports)))) as ServerProcess[];
const server = (n: number) => servers[n % servers.length] as ServerProcess;

const answered = (one: ServerProcess, verb: string) =>
  metric(one, `ramz_peer_questions_total{verb="${verb}",result="answered"}`);

let number = 5_100_000;

/** Sessions whose SMS is delivered, opened by any process. */
async function delivered(count: number, by: readonly ServerProcess[] = servers) {
  const numbers = Array.from({ length: count }, () => {
    number += 1;
    return `+21355${number}`;
  });
  const cascade = [{ channel: 'sms', timeout_seconds: 300 }];
  return inParallel(numbers, 16, async (to, n) => {
    const one = by[n % by.length] as ServerProcess;
    const { id } = await one.live.send(to, { cascade });
    const code = await sandbox.codeTo(to);
    await until(async () => (await one.live.session(id)).messages[0]?.status === 'delivered', { what: 'its receipt' });
    return { id, to, code };
  });
}

test('calls that arrive anywhere are answered by the owners of their numbers', async () => {
  await whole(servers);
  const sessions = await delivered(60);
  const checks = await inParallel(sessions, 16, ({ id, code }, n) => server(n + 1).live.check(id, code));
  expect(checks.filter(({ valid }) => valid)).toHaveLength(60);
  for (const one of servers) {
    expect(await answered(one, 'send')).toBeGreaterThan(0);
    expect(await answered(one, 'check')).toBeGreaterThan(0);
  }
  for (const { to } of sessions) expect(sandbox.smsTo(to)).toHaveLength(1);
});

test('an owner that is frozen for ten seconds: each right code is valid once, tries are counted once', async () => {
  await whole(servers);
  const sessions = await delivered(90);
  const [frozen, ...awake] = servers as [ServerProcess, ...ServerProcess[]];
  const frozenAt = Date.now();
  frozen.process.signal('SIGSTOP');
  let slowestMs = 0;
  const checks = await inParallel(sessions, 8, async ({ id, code }, n) => {
    const startedAt = Date.now();
    const checked = await (awake[n % 2] as ServerProcess).live.check(id, code);
    slowestMs = Math.max(slowestMs, clock.between(startedAt, Date.now()));
    return checked;
  });
  expect(checks.filter(({ valid }) => valid)).toHaveLength(90);
  // None waited for the owner to wake, or for its lease to end.
  expect(slowestMs).toBeLessThan(2_500);
  await until(() => Date.now() - frozenAt >= 10_000, { what: 'ten seconds' });
  frozen.process.signal('SIGCONT');
  await whole(servers);
  const again = await inParallel(sessions, 16, ({ id, code }, n) => server(n).live.check(id, code));
  expect(again.map(({ valid, reason }) => ({ valid, reason }))).toEqual(
    again.map(() => ({ valid: false, reason: 'already_verified' })),
  );
  for (const { id, to } of sessions) {
    const { timeline } = await server(0).live.session(id);
    expect(timeline.filter(({ kind }) => kind === 'code_checked')).toHaveLength(1);
    expect(sandbox.smsTo(to)).toHaveLength(1);
  }
  const direct = await Promise.all(awake.map((one) => metric(one, 'ramz_peer_questions_total{verb="check"')));
  const asked = await Promise.all(awake.map((one) => answered(one, 'check')));
  expect(direct).not.toEqual(asked);
});

test('a server that stops in order gives its numbers to the others, and no call fails', async () => {
  await whole(servers);
  const sessions = await delivered(30);
  const [last, ...others] = servers.toReversed() as [ServerProcess, ...ServerProcess[]];
  const ended = last.process.end();
  const checks = await inParallel(sessions, 4, ({ id, code }, n) =>
    (others[n % 2] as ServerProcess).live.check(id, code),
  );
  expect(checks.filter(({ valid }) => valid)).toHaveLength(30);
  await ended;
  await whole(others);
});
