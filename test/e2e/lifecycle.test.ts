// Signals to a running server: SIGTERM ends it without breaking what is under way, SIGHUP takes a new configuration over
// without dropping the binds of operators that did not change.

import { once } from 'node:events';
import { connect } from 'node:net';
import { Client, credentials } from '@grpc/grpc-js';
import { service as health } from 'grpc-health-check';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { scenarioNumbers } from '../../src/core/verify/scenarios.ts';
import { databaseClock, whileLeasesHold } from '../support/machine-clock.ts';
import { startScript } from '../support/process.ts';
import { bindsOf, type ServerProcess, testService } from '../support/service.ts';
import type { Session } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

// An operator that refuses a bind is trouble worth an error in the log: here it is a trap that must not be stepped into.
const service = await testService({ errorsExpected: true });
const { sandbox, database, configure } = service;
let running: ServerProcess[] = [];
const clock = databaseClock(database, () => running);
const both = { atlas: 2, sahara: 2, djurdjura: 2 };

/** Statuses of `grpc.health.v1.Health/Watch`, until the server ends the stream. */
function watchHealth(address: string) {
  const client = new Client(address, credentials.createInsecure());
  const { Watch } = health as unknown as Record<
    string,
    { path: string; requestSerialize: never; responseDeserialize: never }
  >;
  const statuses: unknown[] = [];
  const call = client.makeServerStreamRequest<object, { status: string }>(
    Watch?.path as string,
    Watch?.requestSerialize as never,
    Watch?.responseDeserialize as never,
    { service: '' },
  );
  call.on('data', ({ status }) => statuses.push(status));
  call.on('error', () => client.close());
  call.on('end', () => client.close());
  return statuses;
}

/** A request of which the last line is still to come: a connection that is in use is not closed. */
async function begunRequest(address: string, path: string) {
  const { port, hostname } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n`);
  return async () => {
    socket.write('\r\n');
    await once(socket, 'close');
    return answer;
  };
}

test('SIGTERM: what is under way is answered, probes say so, what was taken is sent by another', async () => {
  const server = await service.startProcess();
  const { live, http, grpc, process: child } = server;
  await until(async () => JSON.stringify(await bindsOf(server)) === JSON.stringify(both), { what: 'its binds' });
  const statuses = watchHealth(grpc);
  await until(() => statuses.includes('SERVING'), { what: 'health' });

  const holding = new pg.Client({ connectionString: database.url });
  await holding.connect();
  await holding.query('begin; lock table pending_number in exclusive mode');
  const to = '+213557000001';
  // The leg outlasts the one server's end and the next one's start.
  const sending = live.send(to, { cascade: [{ channel: 'sms', timeout_seconds: 300 }] });
  const waiting = `select from pg_locks where not granted and relation = 'pending_number'::regclass`;
  await until(async () => (await holding.query(waiting)).rowCount, { what: 'the send to be in the database' });
  // As late as can be: the server waits 5 s for the rest of it. Once others are answered, it has read what there is.
  const finish = await begunRequest(http, '/readyz');
  for (const _ of [1, 2]) await fetch(`${http}/healthz`);

  child.signal('SIGTERM');
  await child.waitFor(/"msg":"stopping"/);
  expect(await finish()).toMatch(/^HTTP\/1\.1 503 [\s\S]*"status":"stopping"/);
  await until(() => statuses.at(-1) === 'NOT_SERVING', { what: 'health to say so' });
  await expect(fetch(`${http}/healthz`)).rejects.toThrow();

  await holding.query('rollback');
  await holding.end();
  const { id } = await sending;
  expect(await child.exit()).toEqual({ code: 0, signal: null });
  await until(() => Object.values(sandbox.smscs).every(({ counts }) => counts.binds === 0), { what: 'no bind' });

  const next = await service.startProcess();
  const delivered = ({ delivery }: Session) => delivery === 'delivered';
  const session = await next.live.sessionWhen(id, 'it to be delivered', delivered);
  expect(session.messages).toHaveLength(1);
  expect(await next.live.check(id, await sandbox.codeTo(to))).toMatchObject({ valid: true });
  expect(sandbox.smsTo(to)).toHaveLength(1);
  expect(await next.process.end('SIGINT')).toEqual({ code: 0, signal: null });
});

test('SIGTERM: an operator that answers later than a lease lasts is waited for, and others leave its message alone', async () => {
  const [server, other] = [await service.startProcess(), await service.startProcess()];
  const oneEach = async () => (await bindsOf(server)).atlas === 1 && (await bindsOf(other)).atlas === 1;
  await until(oneEach, { what: 'a bind of each' });
  const { atlas } = sandbox.smscs;
  const submits = atlas.counts.submits;
  const control = async (order: object) =>
    expect(
      (await fetch(`${sandbox.httpUrl}/sandbox/control`, { method: 'POST', body: JSON.stringify(order) })).status,
    ).toBe(204);
  await control({ action: 'delay_answers', operator: 'atlas', ms: 6_000 });
  const { sms_silent: to } = scenarioNumbers(sandbox.scenarioPrefix as string);
  const { id } = await server.live.send(to, { cascade: [{ channel: 'sms', timeout_seconds: 60 }] });
  await until(() => atlas.counts.submits === submits + 1, { what: 'the SMS to be written' });
  server.process.signal('SIGTERM');
  expect(await server.process.exit()).toEqual({ code: 0, signal: null });
  const session = await other.live.sessionWhen(id, 'its answer', ({ messages }) => messages[0]?.status === 'submitted');
  expect(session.timeline.map(({ kind }) => kind)).not.toContain('message_unknown');
  expect(atlas.counts.submits).toBe(submits + 1);
  // The operator allows two.
  expect(atlas.counts.peak_binds).toBe(2);
  await control({ action: 'delay_answers', operator: 'atlas', ms: 0 });
  expect(await other.process.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('SIGTERM: the same one once more, as systemd, npm and scripts/up.mjs each give it, cuts nothing off', async () => {
  const endedTwice = async () => {
    const { process: child } = await service.startProcess({ RAMZ_DRAIN_SECONDS: '2' });
    const sentAt = performance.now();
    child.signal('SIGTERM');
    await child.waitFor(/"msg":"stopping"/);
    child.signal('SIGTERM');
    const tookMs = performance.now() - sentAt;
    const exit = await child.exit();
    return tookMs < 300 && exit; // On a machine that stood still meanwhile it is a later one.
  };
  const exit = await until(endedTwice, { what: 'two signals within 300 ms' });
  expect(exit).toEqual({ code: 0, signal: null });
});

test('SIGTERM: a later one ends it at once', async () => {
  const { process: child } = await service.startProcess({ RAMZ_DRAIN_SECONDS: '300' });
  child.signal('SIGTERM');
  await child.waitFor(/"msg":"stopping"/);
  const stoppingAt = performance.now();
  await until(() => performance.now() - stoppingAt > 600, {
    what: 'the time in which it is the same signal to be over',
  });
  child.signal('SIGTERM');
  expect(await child.exit()).toEqual({ code: 143, signal: null });
});

test('SIGHUP: binds that it makes anew come up also where the database fails at that moment', async () => {
  const server = await service.startProcess();
  await until(async () => JSON.stringify(await bindsOf(server)) === JSON.stringify(both), { what: 'its binds' });
  // Only the statement that makes the slots of a configuration deletes any.
  await sql`create function fails() returns trigger language plpgsql as $$ begin raise exception 'x'; end $$`.execute(
    database.db,
  );
  await sql`create trigger fails before delete on bind_slot for each statement execute function fails()`.execute(
    database.db,
  );
  const operators = (service.config.operators as Record<string, unknown>[]).map((operator) =>
    operator.id === 'djurdjura' ? { ...operator, window: 50 } : operator,
  );
  const bound = () => server.log().match(/"operator":"djurdjura"[^\n]*"state":"bound"/g)?.length ?? 0;
  const before = bound();
  configure({ operators });
  server.process.signal('SIGHUP');
  await server.process.waitFor(/"msg":"(configuration reloaded|configuration not reloaded)"/);
  await until(() => bound() >= before + 2, { what: 'its binds again' });
  await sql`drop function fails cascade`.execute(database.db);
  configure({});
  expect(await server.process.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('SIGHUP: new settings hold, and only the binds they change are made anew', () =>
  whileLeasesHold(clock, async () => {
    const server = await service.startProcess();
    running = [server];
    try {
      await newSettingsHold(server);
    } finally {
      for (const smsc of Object.values(sandbox.smscs)) smsc.faults.bindStatus = null;
      configure({});
      await server.process.end('SIGTERM');
    }
  }));

let numbers = 2_000;
async function newSettingsHold(server: ServerProcess): Promise<void> {
  const { live, process: child } = server;
  await until(async () => JSON.stringify(await bindsOf(server)) === JSON.stringify(both), { what: 'its binds' });
  const { atlas, sahara, djurdjura } = sandbox.smscs;
  // From here on a bind that is dropped does not come back, so that nobody has to look at the right moment.
  for (const smsc of [atlas, sahara, djurdjura]) smsc.faults.bindStatus = 0x0d;

  const operators = (service.config.operators as Record<string, unknown>[]).map((operator) => {
    if (operator.id === 'djurdjura') return { ...operator, window: 50 }; // a setting of its connections
    if (operator.id !== 'atlas') return operator;
    const [tariff] = operator.tariff as object[];
    return { ...operator, tariff: [{ ...tariff, version: 'dearer', amount: '7.25' }] };
  });
  configure({ operators, service: { brand: 'Neuf' } });
  child.signal('SIGHUP');
  await child.waitFor(/"msg":"configuration reloaded"/);
  await until(() => djurdjura.counts.binds === 0, { what: 'the changed binds to be closed' });
  expect([atlas.counts.binds, sahara.counts.binds]).toEqual([2, 4]);

  numbers += 1;
  const to = `+21355700${numbers}`;
  const { id } = await live.send(to);
  const { total_cost } = await live.sessionWhen(id, 'it to be delivered', ({ delivery }) => delivery === 'delivered');
  expect(total_cost).toEqual([{ amount: '7.25', currency: 'DZD', final: true }]);
  expect(sandbox.smsTo(to)[0]?.text).toContain('Neuf');

  // A file with a mistake changes nothing, and says where it is.
  configure({ operators: [{ ...operators[0], rate_per_second: 'fast' }] });
  child.signal('SIGHUP');
  await child.waitFor(/operators\[0\]\.rate_per_second[^\n]*"msg":"configuration not reloaded"/);
  expect(await live.check(id, await sandbox.codeTo(to))).toMatchObject({ valid: true });
  expect([atlas.counts.binds, sahara.counts.binds]).toEqual([2, 4]);
}

test('SIGHUP: a process that starts follows it when it is ready, and one that ends passes it over', async () => {
  const holding = new pg.Client({ connectionString: database.url });
  await holding.connect();
  await holding.query('begin; lock table schema_migration in access exclusive mode');
  configure({});
  const child = startScript('src/main.ts', { args: ['serve'], env: { ...service.env, RAMZ_DRAIN_SECONDS: '2' } });
  const waiting = `select from pg_locks where not granted and relation = 'schema_migration'::regclass`;
  await until(async () => (await holding.query(waiting)).rowCount, { what: 'the start to wait for the database' });
  configure({ sandbox: false });
  child.signal('SIGHUP');
  await holding.query('rollback');
  await holding.end();
  await child.waitFor(/"msg":"ready"[\s\S]*"restart_needed_for":\["sandbox"\],"msg":"configuration reloaded"/);

  child.signal('SIGTERM');
  await child.waitFor(/"msg":"stopping"/);
  child.signal('SIGHUP');
  await child.waitFor(/"msg":"SIGHUP is ignored: the process is stopping"/);
  expect(await child.exit()).toEqual({ code: 0, signal: null });
});
