// An account that is closed while two processes serve it: calls and streams end everywhere within a second, an export holds all that the API showed,
// the account is reopened as it was, and once it was closed for long enough everything of it is deleted, also by a process that is killed meanwhile.

import { create } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { rowsNaming } from '../support/all-rows.ts';
import { callers, type Outcome } from '../support/doors.ts';
import { databaseClock } from '../support/machine-clock.ts';
import { startScript } from '../support/process.ts';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService({ errorsExpected: true });
const { sandbox, database, accountId } = service;
const [here, elsewhere] = [await service.startHere(), await service.startProcess()];
const doors = callers(here.app);
afterAll(() => {
  for (const door of doors) door.close();
});
const admin = serviceClient(here.http, service.adminToken);
const account = `/v1/admin/accounts/${accountId}`;
/** A second is what is promised; the looks take some time, too. */
const soonMs = 1_000 + 2_000;
const clock = databaseClock(database);

type Fields = Record<string, unknown>;
interface Exported {
  kind: string;
  data: Fields;
}

const everywhere = [here.live, here.test, elsewhere.live, elsewhere.test];
const untilAll = async (status: number) => {
  const are = async () => {
    const answers = await Promise.all(everywhere.map((client) => client.call<unknown>('GET', '/v1/account')));
    return answers.every((answer) => answer.status === status);
  };
  const from = Date.now();
  await until(are, { what: `${status} everywhere` });
  expect(clock.between(from, Date.now())).toBeLessThanOrEqual(soonMs);
};

async function exported(pageSize: number): Promise<Exported[]> {
  const lines: string[] = [];
  let token = '';
  do {
    const path = `${account}/export?page_size=${pageSize}&page_token=${token}`;
    const { status, body } = await admin.call<{ records: { line: string }[]; next_page_token: string }>('GET', path);
    expect(status).toBe(200);
    expect(body.records.length).toBeLessThanOrEqual(pageSize);
    lines.push(...body.records.map(({ line }) => line));
    token = body.next_page_token;
  } while (token !== '');
  // The API writes whole seconds without their fraction.
  return lines.map((line) => JSON.parse(line.replaceAll('.000Z', 'Z')) as Exported);
}

const of = (records: readonly Exported[], kind: string): Fields[] =>
  records.filter((record) => record.kind === kind).map(({ data }) => data);

async function listed<Name extends string>(path: string, name: Name): Promise<Fields[]> {
  const client = here.live;
  const { status, body } = await client.call<Record<Name, Fields[]> & { next_page_token: string }>('GET', path);
  expect({ path, status, next: body.next_page_token }).toEqual({ path, status: 200, next: '' });
  return body[name];
}

/** The part of a key between id and checksum. */
const secretOf = (key: string): string => {
  const secret = key.split('_').at(-2) ?? '';
  expect(secret).toHaveLength(32);
  return secret;
};

const made = async (path: string, body: object) => (await here.live.call<{ id: string }>('POST', path, body)).body.id;
const byId = (rows: readonly Fields[]) => rows.toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));

/** What the API shows of the account in live mode. */
async function shown() {
  const endpoints = await listed('/v1/webhook_endpoints?page_size=100', 'webhook_endpoints');
  const deliveries: Fields[] = [];
  for (const { id } of endpoints) {
    deliveries.push(...(await listed(`/v1/webhook_endpoints/${id}/deliveries?page_size=100`, 'deliveries')));
  }
  const sessions = await listed('/v1/verify/sessions?page_size=100', 'sessions');
  return {
    keys: await listed('/v1/api_keys?include_revoked=true&page_size=100', 'api_keys'),
    senders: await listed('/v1/sender_ids?page_size=100', 'sender_ids'),
    entries: await listed('/v1/limits/lists?page_size=100', 'entries'),
    events: await listed('/v1/audit_events?page_size=100', 'audit_events'),
    endpoints,
    deliveries,
    sessions: await Promise.all(sessions.map(({ id }) => here.live.session(String(id)))),
  };
}

test('closed, exported, reopened, closed again and purged', { timeout: 300_000 }, async () => {
  await made('/v1/webhook_endpoints', { url: `${sandbox.webhookUrl}?closed` });
  await made('/v1/sender_ids', { name: 'Closing' });
  await made('/v1/limits/lists', { list: 'block', value: '+213551*', note: 'never' });
  await made('/v1/api_keys', { name: 'desk', person: 'Amina Haddad', scopes: ['read'] });
  const sms = await here.live.send('+213550640001', { metadata: { cart: '8812' } });
  const app = await elsewhere.live.send('+213661640002');
  for (const { id } of [sms, app]) await here.live.sessionWhen(id, 'its delivery', (s) => s.delivery === 'delivered');
  await here.live.call('POST', '/v1/verify/check', { id: sms.id, code: '000000' });
  for (const { id } of [sms, app]) await here.live.call('POST', `/v1/verify/sessions/${id}/cancel`);
  await until(async () => (await shown()).deliveries.filter(({ status }) => status === 'delivered').length >= 6, {
    what: 'webhooks',
  });
  const before = await shown();
  const watched = await here.test.send('+213664640003');
  const streams = doors.map(({ stream }) => {
    const seen: Outcome[] = [];
    const { watchSession } = VerifyService.method;
    const ended = (async () => {
      const headers = { authorization: `Bearer ${service.testKey}` };
      for await (const one of stream(watchSession, create(watchSession.input, { id: watched.id }), headers))
        seen.push(one);
    })();
    return { seen, ended };
  });
  await until(() => streams.every(({ seen }) => seen.length > 0), { what: 'the streams to begin' });

  const closed = await admin.call<Fields>('POST', `${account}/close`, { reason: 'contract ended' });
  expect(closed.body).toMatchObject({ status: 'closed', closed_reason: 'contract ended' });
  expect(Date.parse(String(closed.body.purge_at)) - Date.parse(String(closed.body.closed_at))).toBe(30 * 86_400_000);
  await untilAll(403);
  await Promise.all(streams.map(({ ended }) => ended));
  for (const { seen } of streams) expect(seen.at(-1)).toMatchObject({ code: 'account_closed' });
  expect(await here.live.call('GET', '/v1/account')).toMatchObject({ body: { error: { code: 'account_closed' } } });

  const records = await exported(7);
  expect(records[0]).toMatchObject({ kind: 'export', data: { version: 1, account_id: accountId } });
  expect(records.at(-1)).toEqual({ kind: 'end', data: {} });
  const sessions = of(records, 'session').filter(({ test }) => test === false);
  expect(byId(sessions)).toMatchObject(byId(before.sessions as unknown as Fields[]));
  for (const [kind, rows] of [
    ['api_key', before.keys],
    ['sender_id', before.senders],
    ['webhook_endpoint', before.endpoints],
    ['list_entry', before.entries],
    ['audit_event', before.events],
  ] as const) {
    const found = new Set(of(records, kind).map(({ id }) => id));
    expect(rows.length, kind).toBeGreaterThan(0);
    expect(
      rows.filter(({ id }) => !found.has(id)),
      kind,
    ).toEqual([]);
  }
  const events = new Set(of(records, 'webhook_delivery').map(({ event_id }) => event_id));
  expect(before.deliveries.filter(({ event_id }) => !events.has(event_id))).toEqual([]);
  expect(of(records, 'usage').length).toBeGreaterThan(0);
  const text = JSON.stringify(records);
  for (const secret of ['whsec_', 'contract ended', secretOf(service.liveKey)]) {
    expect(text).not.toContain(secret);
  }
  const written = (await operator('export', accountId)).trim().split('\n');
  const kinds = (lines: readonly Exported[]) => lines.map(({ kind, data }) => `${kind} ${data.id ?? ''}`);
  const fromCli = written.map((line) => JSON.parse(line) as Exported);
  expect(kinds(fromCli)).toEqual(expect.arrayContaining(kinds(records)));

  expect((await admin.call('POST', `${account}/resume`)).body).toMatchObject({ error: { code: 'account_closed' } });
  expect((await admin.call('POST', `${account}/reopen`)).body).toMatchObject({ status: 'active' });
  await untilAll(200);
  const sent = await elsewhere.live.send('+213550640004');
  expect(sent.status).toBe('pending');
  await here.live.sessionWhen(sent.id, 'its receipt', ({ messages }) => messages[0]?.status === 'delivered');
  expect(byId((await shown()).keys)).toMatchObject(byId(before.keys).map(({ last_used_at: _, ...key }) => key));

  expect(await operator('close', accountId)).toContain('closed since');
  await untilAll(403);
  const old = sql`now() - interval '31 days'`;
  await sql`update account set closed_at = ${old}, suspended_at = ${old} where id = ${accountId}`.execute(database.db);
  await sql`update verify_session set status = 'expired' where account_id = ${accountId}`.execute(database.db);
  // A process that is killed has the last two hours counted again from their sessions: what was counted is as old as the closing.
  await sql`update rollup set at = at - interval '31 days' where account_id = ${accountId}`.execute(database.db);
  await killedInTheMiddle();
  expect((await admin.call('POST', `${account}/reopen`)).body).toMatchObject({ error: { code: 'account_closed' } });
  await service.startProcess();
  const left = async () => Object.keys(await rowsNaming([database.plain], accountId)).toSorted();
  // A process that meets another one at it comes again after a minute.
  await until(async () => !(await left()).includes('account'), { what: 'the purge', timeoutMs: 120_000 });
  expect(await left()).toEqual(['audit_event', 'rollup']);
  expect((await admin.call('GET', account)).status).toBe(404);
  const isUnknown = async () =>
    (await here.live.call<{ error: { code: string } }>('GET', '/v1/account')).body.error.code === 'invalid_api_key';
  await until(isUnknown, { what: 'the process that had the key to hear of it' });
});

/** A purge that waits at a row of this test is killed there. */
async function killedInTheMiddle(): Promise<void> {
  await database.plain.transaction().execute(async (tx) => {
    // A start on a busy machine takes longer than the 15 s after which our sessions end a transaction that is idle.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    await sql`select from api_key where account_id = ${accountId} for update`.execute(tx);
    const { process } = await service.startProcess();
    const gone = async () =>
      (await sql`select from verify_session where account_id = ${accountId}`.execute(database.plain)).rows;
    await until(async () => (await gone()).length === 0, { what: 'the sessions to be gone' });
    await process.end('SIGKILL');
  });
}

async function operator(...args: string[]): Promise<string> {
  const run = startScript('src/main.ts', { args: ['account', ...args], env: service.env });
  expect(await run.exit()).toMatchObject({ code: 0 });
  return run.output();
}
