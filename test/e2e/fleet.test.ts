// Two servers on one database, each a process of its own: nothing is sent twice, no right code counts twice, and the
// operators see no more binds than they allow.

import { afterAll, expect, test } from 'vitest';
import { addAmounts } from '../../src/core/money/money.ts';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { checkOf } from '../support/checks.ts';
import { callers } from '../support/doors.ts';
import { databaseClock, mayHaveLostLease } from '../support/machine-clock.ts';
import { bindsOf, type ServerProcess, testService } from '../support/service.ts';
import type { Sent } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { inParallel } from './load.ts';

const service = await testService();
const { sandbox } = service;
const servers: ServerProcess[] = [];
const clock = databaseClock(service.database, () => servers);
const startedAt = Date.now();
servers.push(...(await Promise.all([service.startProcess(), service.startProcess()])));
const [one, two] = servers as [ServerProcess, ServerProcess];

const portOf = (address: string) => Number(address.split(':').at(-1));
const doors = servers.flatMap(({ http, grpc }) => callers({ httpPort: portOf(http), grpcPort: portOf(grpc) }));
afterAll(() => {
  for (const door of doors) door.close();
});

/** A transmitter and a receiver for each of Sahara's two; the others have one connection both ways. */
const connectionsAllowed = { atlas: 2, sahara: 4, djurdjura: 2 };

test('the binds of every operator are spread over both, and are no more than it allows', async () => {
  const evenly = { atlas: 1, sahara: 1, djurdjura: 1 };
  await until(
    async () => {
      for (const server of servers) expect(await bindsOf(server)).toEqual(evenly);
      return true;
    },
    { what: 'each to hold one bind of each operator' },
  );
});

test('of 16 right codes at once, by every door of both processes, one is valid', async () => {
  const to = '+213554000001';
  const { id } = await one.live.send(to);
  const input = checkOf({ id, code: await sandbox.codeTo(to) });
  const headers = { authorization: `Bearer ${service.liveKey}` };
  const checks = Array.from({ length: 16 }, (_, index) =>
    doors[index % doors.length]?.call(VerifyService.method.check, input, headers),
  );
  const answers = (await Promise.all(checks)).map((outcome) => outcome?.kind === 'ok' && outcome.json);
  const valid = answers.filter((answer) => (answer as { valid: boolean }).valid);
  expect(valid).toEqual([expect.objectContaining({ status: 'verified', reason: '' })]);
  const others = answers.filter((answer) => !valid.includes(answer));
  expect(others).toEqual(Array(15).fill(expect.objectContaining({ valid: false, reason: 'already_verified' })));
  expect(await two.live.session(id)).toMatchObject({ status: 'verified' });
});

test('one number, asked for by 16 calls at once over both: one session, one SMS', async () => {
  const to = '+213554000002';
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      (index % 2 ? one : two).live.call<Sent>('POST', '/v1/verify/send', { to, purpose: 'race' }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  await sandbox.codeTo(to);
  expect(sandbox.smsTo(to)).toHaveLength(1);
});

test('2,000 sessions: each delivered once, told once, and the costs add up', async () => {
  const prices = { '+21355': '3.50', '+21366': '4.1875', '+21377': '3.90' };
  const prefixes = Object.keys(prices) as (keyof typeof prices)[];
  const numbers = Array.from({ length: 2_000 }, (_, n) => `${prefixes[n % 3]}${5_000_000 + n}`);
  // No leg ends before its message is delivered, however slow the machine is: a session has its two events, and no more.
  const cascade = [{ channel: 'sms', timeout_seconds: 300 }];
  const sent = await inParallel(numbers, 64, (to, n) => (n % 2 ? one : two).live.send(to, { cascade }));
  const ids = sent.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2_000);

  const isReceipt = (type: string) => type === 'receipt.updated';
  const mine = new Set(ids);
  const own = () => sandbox.events().filter(({ data }) => mine.has(data.session_id));
  await until(() => own().length >= 4_000, { what: '4,000 webhooks', timeoutMs: 120_000, everyMs: 100 });
  for (const to of numbers) if (sandbox.smsTo(to).length !== 1) expect(sandbox.smsTo(to), to).toHaveLength(1);

  const events = own();
  const told = Map.groupBy(events, ({ data }) => data.session_id);
  for (const id of ids) {
    const types = told.get(id)?.map(({ session_sequence, type }) => `${session_sequence} ${type}`);
    if (String(types?.sort()) !== '1 message.submitted,2 receipt.updated') expect(types, id).toEqual(['two events']);
  }
  expect(sandbox.sink.list().every(({ verified }) => verified)).toBe(true);

  const costs = events.filter(({ type }) => isReceipt(type)).map(({ data }) => data.cost);
  expect(costs.every((cost) => cost?.final && cost.currency === 'DZD')).toBe(true);
  const billed = costs.reduce((sum, cost) => addAmounts(sum, cost?.amount ?? '0'), '0');
  const owed = numbers.reduce((sum, to) => addAmounts(sum, prices[to.slice(0, 6) as '+21355']), '0');
  expect(billed).toBe(owed);

  const { rows } = await service.database.lanes.query<{ delivery: string; n: number }>({
    name: 'e2e.deliveries',
    text: 'select delivery, count(*)::integer as n from verify_session where id = any ($1::text[]) group by 1',
    values: [ids],
  });
  expect(rows).toEqual([{ delivery: 'delivered', n: 2_000 }]);
  for (const [operator, allowed] of Object.entries(connectionsAllowed)) {
    const { peak_binds, refused } = sandbox.smscs[operator as 'atlas'].counts;
    // One that stood still has lost its slots to the other, and still has its binds at the operator for a moment.
    const tooMany = mayHaveLostLease(clock, startedAt) ? 0 : Math.max(0, peak_binds - allowed);
    expect({ operator, refused, tooMany }).toEqual({ operator, refused: 0, tooMany: 0 });
  }
});
