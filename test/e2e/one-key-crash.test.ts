// A server is killed with -9 in the middle of sends that have keys, and its client then uses each unanswered key for another number, at the
// server that is left. Whichever body the key belongs to by then, exactly one of the two ever has an effect.

import { expect, test } from 'vitest';
import type { Schema } from '../../src/db/schema.ts';
import { testDatabase } from '../support/database.ts';
import { testService } from '../support/service.ts';
import type { ErrorBody, Sent } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { inParallel } from './load.ts';

// The numbers and the keys of half of the shards lie in another database.
const shards = { '0-511': 'home', '512-1023': 'b' };
const epochs = [{ from: '1970-01-01T00:00:00Z', shards }];
const inCells = async () => ({ DATABASE_CELLS: JSON.stringify({ cells: { b: (await testDatabase()).url }, epochs }) });

async function start(settings: Record<string, string>) {
  const service = await testService({ database: await testDatabase<Schema>(), errorsExpected: true });
  const { sandbox } = service;
  return { sandbox, killed: await service.startProcess(settings), left: await service.startProcess(settings) };
}
const [alone, celled] = [await start({}), await start(await inCells())];

const notBusy = <Answer extends { status: number }>(answer: Answer) => (answer.status === 503 ? null : answer);

const orders = Array.from({ length: 150 }, (_, n) => ({
  key: `order-${n}`,
  to: `+21355${7_000_000 + n}`,
  other: `+21355${7_500_000 + n}`,
}));

test.each([
  ['in one database', alone],
  ['over two cells', celled],
])('killed between the bodies of one key, %s', async (_, { sandbox, killed, left }) => {
  const send = (server: typeof left, key: string, to: string) =>
    server.live.call<Sent & ErrorBody>('POST', '/v1/verify/send', { to }, { 'idempotency-key': key });
  let acknowledged = 0;
  const unanswered: typeof orders = [];
  await inParallel(orders, 24, async (order) => {
    const answer = await send(killed, order.key, order.to).catch(() => null);
    if (!answer) return void unanswered.push(order);
    expect(answer.status).toBe(200);
    acknowledged += 1;
    if (acknowledged === 50) killed.process.signal('SIGKILL');
  });
  expect(await killed.process.exit()).toMatchObject({ signal: 'SIGKILL' });
  expect(unanswered.length).toBeGreaterThan(0);

  await inParallel(orders, 24, async ({ key, to, other }) => {
    const second = await send(left, key, other);
    const first = await send(left, key, to);
    const [kept, refused] = first.status === 200 ? [first, second] : [second, first];
    expect(kept.status, key).toBe(200);
    expect(refused, key).toMatchObject({ status: 409, body: { error: { code: 'idempotency_key_reused' } } });
    // What had been answered stays with its number.
    if (!unanswered.some((order) => order.key === key)) expect(first.status, key).toBe(200);
    const listed = async (number: string) => {
      const path = `/v1/verify/sessions?to=${encodeURIComponent(number)}`;
      const list = () => left.live.call<{ sessions: Sent[] }>('GET', path);
      // Two connections answer all lists: on a busy machine one of so many may wait in vain for its turn.
      const { status, body } = await until(async () => notBusy(await list()), { what: 'a list' });
      expect(status, key).toBe(200);
      return body.sessions.map(({ id }) => id);
    };
    expect(await listed(kept.body.to), key).toEqual([kept.body.id]);
    const unused = kept.body.to === to ? other : to;
    expect(await listed(unused), key).toEqual([]);
    expect(sandbox.smsTo(unused), key).toEqual([]);
    // A second one only where it was not known whether the operator had the first.
    const { timeline } = await left.live.session(kept.body.id);
    const doubts = timeline.filter(({ kind }) => kind === 'message_unknown').length;
    expect(sandbox.smsTo(kept.body.to).length, key).toBeLessThanOrEqual(1 + doubts);
  });
});
