// Four servers with peer ports under load, of which two have a bind at each operator. The owner of a quarter of the numbers is killed with -9: its
// numbers work at once, nothing acknowledged is lost, and nothing is done twice.
import { expect, test } from 'vitest';
import { databaseClock } from '../support/machine-clock.ts';
import { type ServerProcess, testService } from '../support/service.ts';
import type { Sent } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { inParallel } from './load.ts';
import { metric, whole } from './owners.ts';

// Servers that lose a peer, and one that is killed, say so.
const service = await testService({ errorsExpected: true });
const { sandbox } = service;
const clock = databaseClock(service.database);
const servers: ServerProcess[] = await Promise.all([1, 2, 3, 4].map(() => service.startProcess({ PEER_PORT: '0' })));
const [killed, ...left] = servers as [ServerProcess, ...ServerProcess[]];
/** As of members.ts, and the second in which its numbers have to work again. */
const leaseMs = 3_000;
const cascade = [{ channel: 'sms', timeout_seconds: 300 }];
const numbers = Array.from({ length: 400 }, (_, n) => `+21355${5_400_000 + n}`);

test('killed at load', async () => {
  await whole(servers);
  let killedAt = Number.POSITIVE_INFINITY;
  let ended: Promise<unknown> = Promise.resolve();
  const waits: { sinceKill: number; ms: number }[] = [];
  /** At any server that lives; what got no answer is repeated with its key, as clients do. */
  const sent = await inParallel(numbers, 12, async (to, n) => {
    if (n === 200) {
      killedAt = Date.now();
      ended = killed.process.end('SIGKILL');
    }
    for (let tries = 0; ; tries += 1) {
      const isDead = Date.now() >= killedAt;
      const by = isDead || tries > 0 ? left[(n + tries) % 3] : servers[n % 4];
      const startedAt = Date.now();
      try {
        const key = { 'idempotency-key': `send-${to}` };
        const { status, body } = await (by as ServerProcess).live.call<Sent>(
          'POST',
          '/v1/verify/send',
          { to, cascade },
          key,
        );
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
        if (isDead)
          waits.push({ sinceKill: clock.between(killedAt, startedAt), ms: clock.between(startedAt, Date.now()) });
        return { id: body.id, to };
      } catch (error) {
        // Only the killed one may be the reason.
        if (by !== killed || tries >= 5) throw error;
      }
    }
  });
  await ended;
  expect(new Set(sent.map(({ id }) => id)).size).toBe(numbers.length);
  // Calls for the numbers of the killed one are among them from the first moment on.
  expect(waits.filter(({ sinceKill }) => sinceKill < leaseMs).length).toBeGreaterThan(20);
  expect(Math.max(...waits.map(({ ms }) => ms))).toBeLessThan(leaseMs + 1_000);

  const codes = await inParallel(sent, 12, ({ to }) => sandbox.codeTo(to));
  const checks = await inParallel(sent, 12, ({ id }, n) =>
    (left[n % 3] as ServerProcess).live.check(id, codes[n] ?? ''),
  );
  expect(checks.filter(({ valid }) => valid)).toHaveLength(numbers.length);
  const again = await inParallel(sent, 12, ({ id }, n) =>
    (left[(n + 1) % 3] as ServerProcess).live.check(id, codes[n] ?? ''),
  );
  expect(new Set(again.map(({ reason }) => reason))).toEqual(new Set(['already_verified']));
  await until(
    async () => {
      const sessions = await inParallel(sent, 12, ({ id }) => (left[0] as ServerProcess).live.session(id));
      return sessions.every(({ messages }) =>
        messages.every(({ status }) => status !== 'submitting' && status !== 'queued'),
      );
    },
    { what: 'every message to have an end', everyMs: 500 },
  );
  for (const { id, to } of sent) {
    const { timeline, messages } = await (left[0] as ServerProcess).live.session(id);
    expect(timeline.filter(({ kind }) => kind === 'code_checked')).toHaveLength(1);
    // Twice only where the session says that the first one was in doubt.
    expect(sandbox.smsTo(to).length).toBeLessThanOrEqual(messages.length);
  }
  await whole(left);
  const handedOver = await Promise.all(left.map((one) => metric(one, 'ramz_peer_questions_total{verb="submit"')));
  expect(Math.max(...handedOver)).toBeGreaterThan(0);
});
