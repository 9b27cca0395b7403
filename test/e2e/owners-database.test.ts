// Three servers with peer ports, each with a way of its own to the database. One is cut off from it while its peers reach it: calls do not wait
// for it. Then the database stands still for all: nothing is done twice, and all is answered once it is back.
import { expect, test } from 'vitest';
import { proxyTo } from '../integration/hostile/proxy.ts';
import { databaseClock } from '../support/machine-clock.ts';
import { type ServerProcess, testService } from '../support/service.ts';
import { until } from '../support/wait.ts';
import { inParallel } from './load.ts';
import { whole } from './owners.ts';

// Servers that can't reach their database say so.
const service = await testService({ errorsExpected: true });
const { sandbox } = service;
const clock = databaseClock(service.database);
const url = new URL(service.database.url);
const [one, two, three] = await Promise.all([1, 2, 3].map(() => proxyTo(url.hostname, Number(url.port))));
const proxies = [one, two, three].filter((each) => each !== undefined);
const servers: ServerProcess[] = await Promise.all(
  proxies.map(({ port }) => {
    const own = new URL(url);
    own.port = String(port);
    return service.startProcess({ PEER_PORT: '0', DATABASE_URL: own.href });
  }),
);
const server = (n: number) => servers[n % servers.length] as ServerProcess;

let number = 5_300_000;

async function delivered(count: number) {
  const numbers = Array.from({ length: count }, () => {
    number += 1;
    return `+21355${number}`;
  });
  return inParallel(numbers, 12, async (to, n) => {
    const { live } = server(n);
    const { id } = await live.send(to, { cascade: [{ channel: 'sms', timeout_seconds: 300 }] });
    const code = await sandbox.codeTo(to);
    await until(async () => (await live.session(id)).messages[0]?.status === 'delivered', { what: 'its receipt' });
    return { id, to, code };
  });
}

async function expectOnce(sessions: Awaited<ReturnType<typeof delivered>>): Promise<void> {
  for (const { id, to } of sessions) {
    const { timeline } = await server(0).live.session(id);
    expect(timeline.filter(({ kind }) => kind === 'code_checked')).toHaveLength(1);
    expect(sandbox.smsTo(to)).toHaveLength(1);
  }
}

test('an owner that only its database does not hear: calls for its numbers wait for a moment, and count once', async () => {
  await whole(servers);
  const sessions = await delivered(90);
  proxies[0]?.become('silent');
  const waits: number[] = [];
  const checks = await inParallel(sessions, 6, async ({ id, code }, n) => {
    const startedAt = Date.now();
    const checked = await server(1 + (n % 2)).live.check(id, code);
    waits.push(clock.between(startedAt, Date.now()));
    return checked;
  });
  proxies[0]?.become('refusing');
  proxies[0]?.become('open');
  expect(checks.filter(({ valid }) => valid)).toHaveLength(90);
  // A third of them is the silent one's, and its lease runs for three seconds.
  waits.sort((a, b) => a - b);
  expect(waits.at(-1)).toBeLessThan(2_000);
  expect(waits[Math.floor(waits.length * 0.8)]).toBeLessThan(500);
  await whole(servers);
  await expectOnce(sessions);
});
