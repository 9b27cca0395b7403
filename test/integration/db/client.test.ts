// The two pools: what statements are called, how they are planned, what values come back.
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDatabase, type DatabaseOptions } from '../../../src/db/client.ts';
import { isOutage, mayBeStored } from '../../../src/db/outage.ts';
import { testDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { databaseUrl, execute } from '../../support/server.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const one = async (query: ReturnType<typeof sql>) => (await query.execute(database.db)).rows[0];

describe('values', () => {
  test('timestamptz is a Date, int8 a number, numeric and date are strings', async () => {
    const row = await one(
      sql`select timestamptz '2026-01-02 03:04:05.678+01' as at, 9007199254740991::int8 as n, 0.10::numeric as cost, date '2026-01-02' as day`,
    );
    expect(row).toEqual({
      at: new Date('2026-01-02T02:04:05.678Z'),
      n: 9007199254740991,
      cost: '0.10',
      day: '2026-01-02',
    });
  });

  test('an int8 a number can not hold fails its statement and not its connection', async () => {
    await expect(one(sql`select 9007199254740993::int8 as n`)).rejects.toThrow(RangeError);
    expect(await one(sql`select 1::int8 as n`)).toEqual({ n: 1 });
  });
});

describe('statements', () => {
  test('with parameters they are prepared once; without they are not', async () => {
    await database.db.connection().execute(async (connection) => {
      for (const value of [1, 2, 3]) await sql`select ${value}::int as marked`.execute(connection);
      await sql`select 4 as unmarked; select 5 as unmarked`.execute(connection);
      const prepared = await sql<{ statement: string; calls: number }>`
        select statement, generic_plans + custom_plans as calls from pg_prepared_statements
        where statement like '%marked%' and statement not like '%pg_prepared%'`.execute(connection);
      expect(prepared.rows).toEqual([{ statement: 'select $1::int as marked', calls: 3 }]);
    });
  });

  test('the lanes plan once and by index only', async () => {
    const settings = await database.lanes.query(`select name, setting from pg_settings
      where name in ('plan_cache_mode', 'enable_mergejoin', 'enable_seqscan') order by name`);
    expect(settings.rows.map((row) => row.setting)).toEqual(['off', 'off', 'force_generic_plan']);
    const usual = await one(sql`select current_setting('enable_seqscan') as value`);
    expect(usual).toEqual({ value: 'on' });
  });

  test('a connection of the lanes lives for a day: it keeps statements of partitions that are over', () => {
    expect(database.lanes.options.maxLifetimeSeconds).toBe(24 * 3_600);
  });

  describe('a statement of the lanes that fails', () => {
    const { lanes, close } = createDatabase<unknown>(database.url, { lanes: 1 });
    afterAll(close);
    const text = 'select pg_backend_pid() as pid, count(*)::int as prepared from pg_prepared_statements where $1';
    const backend = async () => (await lanes.query(text, [true])).rows[0];
    const failWith = (code: string) =>
      lanes.query(`do $$ begin raise exception 'on purpose' using errcode = '${code}'; end $$`);

    test.each([
      ['23505', 'for a row that was there already'],
      ['40P01', 'for a deadlock'],
    ])('%s, %s: its connection stays, with what it has prepared', async (code) => {
      await backend();
      const before = await backend();
      await expect(failWith(code)).rejects.toMatchObject({ code });
      expect(before).toEqual({ pid: expect.any(Number), prepared: 1 });
      expect(await backend()).toEqual(before);
    });

    test.each([
      ['0A000', 'as a plan whose table has changed'],
      ['26000', 'as a statement that a pooler does not know'],
      ['57P01', 'as at the end of the server'],
    ])('%s, %s: its connection is replaced', async (code) => {
      const before = await backend();
      await expect(failWith(code)).rejects.toMatchObject({ code });
      expect(await backend()).not.toMatchObject({ pid: before?.pid });
    });
  });

  describe('nothing is compiled: jit is off on every connection, where the server has it on', () => {
    const ask = 'select current_setting($1) as value';
    const withOptions = new URL(database.url);
    withOptions.searchParams.set('options', '-c jit=on -c work_mem=5MB');

    beforeAll(() => execute(database.url, `alter database ${new URL(database.url).pathname.slice(1)} set jit = on`));

    test.each([
      ['by default', database.url, null],
      ['with options in the URL', withOptions.href, '5MB'],
    ])('%s', async (_, url, workMem) => {
      const { rows } = await execute(database.url, 'show jit');
      expect(rows).toEqual([{ jit: 'on' }]);
      const { db, lanes, lists, close } = createDatabase<unknown>(url, { max: 3, lanes: 3, lists: 3 });
      try {
        const pooled = await Promise.all(
          Array.from({ length: 3 }, () =>
            db.connection().execute(async (connection) => {
              const { rows } = await sql<{ jit: string; work_mem: string }>`
                select current_setting('jit') as jit, current_setting('work_mem') as work_mem, pg_sleep(0.05)`.execute(
                connection,
              );
              return rows[0];
            }),
          ),
        );
        expect(pooled.map((row) => row?.jit)).toEqual(['off', 'off', 'off']);
        if (workMem) expect(pooled[0]?.work_mem).toBe(workMem);
        const clients = await Promise.all(
          [lanes, lists].flatMap((pool) => Array.from({ length: 3 }, () => pool.connect())),
        );
        for (const client of clients) {
          expect((await client.query(ask, ['jit'])).rows).toEqual([{ value: 'off' }]);
          expect((await client.query(ask, ['enable_seqscan'])).rows).toEqual([{ value: 'off' }]);
          client.release();
        }
      } finally {
        await close();
      }
    });
  });

  test('one that takes too long is canceled', async () => {
    const impatient = database.connect({ statementTimeoutMs: 50 });
    await expect(sql`select pg_sleep(10)`.execute(impatient.db)).rejects.toMatchObject({ code: '57014' });
  });

  describe('a connection that is silent for 2 s longer than a statement may run', () => {
    const silentMs = 2_300; // 300 ms, and 2 s of slack
    const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const connected = async () => {
      const { lanes } = database.connect({ statementTimeoutMs: 300, lanes: 1 });
      const client = await lanes.connect();
      await client.query('select 1');
      return client;
    };

    test('is not cut before a process that stood still has read the answer', async () => {
      const client = await connected();
      const answer = client.query<{ n: number }>('select 2 as n');
      standStill(silentMs + 200);
      await expect(answer.finally(() => client.release())).resolves.toMatchObject({ rows: [{ n: 2 }] });
    });

    test('is not cut where the database stood still with the process, and answers a little later', async () => {
      const client = await connected();
      await client.query('set statement_timeout = 0');
      const answer = client.query<{ n: number }>(`select 2 as n, pg_sleep(${(silentMs + 500) / 1000})`);
      standStill(silentMs + 200);
      await expect(answer.finally(() => client.release())).resolves.toMatchObject({ rows: [{ n: 2 }] });
    });

    test('is not cut where it was idle, and its next statement has just begun', async () => {
      const client = await connected();
      await client.query('set statement_timeout = 0');
      const next = new Promise((resolve) => setTimeout(resolve, silentMs + 100));
      const answer = next.then(() => client.query('select 2 as n, pg_sleep(1.2)'));
      standStill(silentMs + 200); // Both timers are due in one turn.
      await expect(answer.finally(() => client.release())).resolves.toMatchObject({ rows: [{ n: 2 }] });
    });

    test('is cut, also where it was idle for as long before', async () => {
      const client = await connected();
      await client.query('set statement_timeout = 0');
      standStill(silentMs + 200);
      await new Promise(setImmediate);
      const answer = client.query('select pg_sleep(5)');
      await expect(answer.finally(() => client.release())).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    });
  });

  test('a transaction left open loses its connection', async () => {
    let lost: Error | undefined;
    const impatient = database.connect({
      idleInTransactionTimeoutMs: 50,
      max: 1,
      onConnectionLost: (error) => {
        lost ??= error;
      },
    });
    const forgotten = impatient.db.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      await until(() => lost, { what: 'the connection to be lost' });
      await sql`select 1`.execute(transaction);
    });
    await expect(forgotten).rejects.toThrow();
    expect((await sql`select 2 as n`.execute(impatient.db)).rows).toEqual([{ n: 2 }]);
  });
});

test('connections that were made while the database took no changes are replaced, and write once it does', async () => {
  const name = new URL(database.url).pathname.slice(1);
  const readOnly = (value: string) =>
    execute(
      databaseUrl(database.url, 'postgres'),
      `alter database ${name} set default_transaction_read_only = ${value}`,
    );
  await readOnly('on');
  const { db, lanes } = database.connect({ max: 1, lanes: 1 });
  const writes = [() => lanes.query('create table by_lanes ()'), () => sql`create table by_others ()`.execute(db)];
  for (const write of writes) await expect(write()).rejects.toMatchObject({ code: '25006' });
  await readOnly('off');
  for (const write of writes) await write();
});

describe('with several hosts in the URL', () => {
  const { username, password, host, pathname } = new URL(database.url);
  const urlOf = (first: string) => `postgres://${username}:${password}@${first},${host}${pathname}`;

  test('the next one is asked where the first one is away', async () => {
    const { lanes, close } = createDatabase<unknown>(urlOf(`127.0.0.1:${await freePort()}`));
    expect((await lanes.query('select 2 as n')).rows).toEqual([{ n: 2 }]);
    await close();
  });

  test('who has waited for a busy pool does not wait once more for each of them', async () => {
    const { lanes, close } = createDatabase<unknown>(urlOf(host), { lanes: 1 });
    const busy = await lanes.connect();
    const asked = vi.spyOn(pg.Pool.prototype, 'connect');
    onTestFinished(() => asked.mockRestore());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const refused = expect(lanes.connect()).rejects.toThrow('timeout exceeded when trying to connect');
    await vi.advanceTimersByTimeAsync(20_000);
    await refused;
    expect(asked).toHaveBeenCalledOnce();
    vi.useRealTimers();
    busy.release();
    await close();
  });
});

describe('a statement of the lanes that is given no connection is an outage, and stores nothing', () => {
  test.each<[why: string, code: string, options: DatabaseOptions]>([
    ['nobody listens', 'ECONNREFUSED', {}],
    ['the database is not in use yet', '57P03', { isOpen: () => false }],
  ])('%s', async (_, code, options) => {
    const url = new URL(database.url);
    url.port = String(await freePort());
    const { lanes, close } = createDatabase<unknown>(url.href, options);
    const error: unknown = await lanes.query('select 1').catch((error: unknown) => error);
    expect([isOutage(error), mayBeStored(error)]).toEqual([true, false]);
    expect(error).toMatchObject({ code });
    await close();
  });
});

test('a restart behind a Unix socket is an outage: its file is gone meanwhile, and what was given no connection is not stored', async () => {
  const { hostname, port, username, password, pathname } = new URL(database.url);
  const folder = testFolder('socket');
  const listen = async () => {
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
    return server;
  };
  const url = `postgres://${username}:${password}@${pathname}?host=${folder}`;
  const { db, lanes, close } = createDatabase<unknown>(url);
  for (const asking of [() => lanes.query('select 1'), () => sql`select 1`.execute(db)]) {
    const error: unknown = await asking().catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'ENOENT', message: `connect ENOENT ${folder}/.s.PGSQL.5432` });
    expect(isOutage(error)).toBe(true);
  }
  await expect(lanes.query('select 1')).rejects.not.toSatisfy(mayBeStored);
  const server = await listen();
  expect((await lanes.query('select 2 as n')).rows).toEqual([{ n: 2 }]);
  await close();
  await new Promise((resolve) => server.close(resolve));
});

test('closing twice is fine, and nothing can be asked afterwards', async () => {
  const second = database.connect();
  await Promise.all([second.close(), second.close()]);
  await expect(second.lanes.query('select 1')).rejects.toThrow();
});
