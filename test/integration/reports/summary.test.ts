// GetSummary of a running service, held against the sessions and messages themselves: of the caller's account and mode alone, divided as asked.
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';

const service = await testService();
const { live, test: withTestKey } = await service.startHere();
const { db } = service.database;

/** The code that came by SMS. */
const codeAt = (to: string): string => /\b\d{6}\b/.exec(service.sandbox.smsTo(to)[0]?.text ?? '')?.[0] ?? '';

interface Row {
  starts_at?: string;
  operator: string;
  channel: string;
  [counter: string]: unknown;
}
interface Summary {
  since: string;
  until: string;
  counted_until: string;
  rows: Row[];
}

const summary = async (query = '', client = live) => {
  const { status, body } = await client.call<Summary>('GET', `/v1/verify/summary${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

/** The same sums over the rows themselves. A session counts at its last message, and here each has one. */
async function raw(mode: 'live' | 'test') {
  const { rows } = await sql<Row>`
    select coalesce(m.operator, '') as operator, m.channel, count(*)::integer as sessions,
      (count(*) filter (where s.status = 'verified'))::integer as verified,
      (count(*) filter (where s.status = 'canceled'))::integer as canceled,
      (count(*) filter (where m.submitted_at is not null))::integer as sent,
      (count(*) filter (where m.status = 'delivered'))::integer as delivered,
      coalesce(sum((m.cost->>'amount')::numeric), 0)::text as amount
    from verify_session s join message m on m.session_id = s.id
    where s.mode = ${mode} group by 1, 2 order by 1, 2`.execute(db as never);
  return rows;
}

const compared = ({ rows }: Summary) =>
  rows.map(({ operator, channel, sessions, verified, canceled, sent, delivered, costs }) => {
    const [cost] = costs as { amount: string }[];
    return { operator, channel, sessions, verified, canceled, sent, delivered, amount: cost?.amount ?? '0' };
  });

async function settled(client: typeof live, to: string, path: 'check' | 'cancel' | null) {
  const { id } = await client.send(to);
  const isDelivered = async () => (await client.session(id)).delivery === 'delivered';
  await until(isDelivered, { what: 'the receipt' });
  if (path === 'check') await client.check(id, client === live ? codeAt(to) : '000000');
  if (path === 'cancel') await client.call('POST', `/v1/verify/sessions/${id}/cancel`, {});
}

test('a summary is what the rows say, for one account and mode', async () => {
  await settled(live, '+213551100001', 'check');
  await settled(live, '+213661100002', 'cancel');
  await settled(live, '+213661100003', null);
  await settled(withTestKey, '+213551100004', 'check');
  for (const [mode, client] of [
    ['live', live],
    ['test', withTestKey],
  ] as const) {
    const expected = await raw(mode);
    expect(expected.length).toBeGreaterThan(0);
    const isCounted = async () =>
      isDeepStrictEqual(compared(await summary('?group_by=channel&group_by=operator', client)), expected);
    await until(isCounted, { what: `${mode} sessions to be counted as they are` });
  }
  const [all] = (await summary()).rows;
  expect(all).toMatchObject({
    operator: '',
    channel: '',
    sessions: 3,
    verified: 1,
    canceled: 1,
    sent: 3,
    delivered: 3,
  });
  expect(all).not.toHaveProperty('starts_at');
  // While nothing happens it moves once a minute.
  const { counted_until } = await summary();
  const behindMs = Date.now() - Date.parse(counted_until);
  expect(behindMs).toBeGreaterThanOrEqual(0);
  expect(behindMs).toBeLessThan(120_000);
});

test('rows of days and hours begin where those begin', async () => {
  const now = Date.now();
  const days = (await summary('?group_by=day')).rows;
  expect(days.map(({ starts_at }) => Date.parse(starts_at ?? '') % 86_400_000)).toEqual(days.map(() => 0));
  // Two where midnight has come between.
  expect(days.reduce((sum, { sessions }) => sum + Number(sessions), 0)).toBe(3);
  const { rows, since, until: end } = await summary('?group_by=hour');
  expect(rows.map(({ starts_at }) => Date.parse(starts_at ?? '') % 3_600_000)).toEqual(rows.map(() => 0));
  expect(Date.parse(since)).toBeLessThanOrEqual(now - 86_400_000 + 60_000);
  expect(Date.parse(end)).toBeGreaterThan(now);
  // Before there was anything.
  expect(await summary('?since=2026-01-01T10:20:30Z&until=2026-01-02T10:20:30Z')).toMatchObject({
    since: '2026-01-01T10:00:00Z',
    until: '2026-01-02T11:00:00Z',
    rows: [],
  });
});

test('a time at the end of what can be named is an answer, too', async () => {
  expect(await summary('?until=0001-01-01T00:00:30Z')).toMatchObject({
    since: '0001-01-01T00:00:00Z',
    until: '0001-01-01T01:00:00Z',
    rows: [],
  });
  expect(await summary('?until=9999-12-31T23:59:30Z')).toMatchObject({
    since: '9999-12-30T23:59:00Z',
    until: '9999-12-31T23:59:59.999Z',
    rows: [],
  });
});
