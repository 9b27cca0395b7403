// The two roles of deploy/: the owner migrates, the service may only read and write rows. With that the whole service starts, verifies, and
// keeps its partitions; no superuser takes part.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { migrateDatabase } from '../../../src/cli/migrate.ts';
import { lowestId, timeOf } from '../../../src/core/ids.ts';
import { prepareSchema } from '../../../src/db/migrate.ts';
import { mark } from '../../../src/db/partitions/drop.ts';
import { Places } from '../../../src/db/partitions/places.ts';
import { readPartitions } from '../../../src/db/partitions/plan.ts';
import { dropExpiredPartitions, ensurePartitions, partitionHorizonMs } from '../../../src/db/partitions.ts';
import { inside, type Placement, type Queryable } from '../../../src/db/queryable.ts';
import type { Schema } from '../../../src/db/schema.ts';
import { databaseAt } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';
import { openedSessions, saveOnce } from '../../support/saving.ts';
import { databaseUrl, execute } from '../../support/server.ts';
import { testService } from '../../support/service.ts';
import { until } from '../../support/wait.ts';

const server = inject('databaseServer');
/** Roles belong to the server, which other files use too. */
const own = `t${process.pid}_${Date.now()}`;
const file = (name: string) => {
  const text = readFileSync(join(import.meta.dirname, '../../../deploy', name), 'utf8');
  const renamed = text.replaceAll('ramz_', `${own}_`).replaceAll('database ramz', `database ${own}`);
  // A paragraph is a transaction.
  return renamed
    .replace(/^--.*$/gm, '')
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim());
};
const as = (role: string, database: string) => {
  const url = new URL(server.url);
  Object.assign(url, { username: `${own}_${role}`, password: 'secret', pathname: `/${database}` });
  return url.href;
};
const all = async (url: string, statements: readonly string[]) => {
  for (const statement of statements) await execute(url, statement);
};

await execute(server.url, `create role ${own}_admin login createrole createdb password 'secret'`);
afterAll(async () => {
  await execute(server.url, `drop database if exists ${own} with (force)`);
  for (const role of ['service', 'owner', 'admin']) await execute(server.url, `drop role if exists ${own}_${role}`);
});
await all(as('admin', 'postgres'), file('roles.sql'));
for (const role of ['owner', 'service'])
  await execute(as('admin', 'postgres'), `alter role ${own}_${role} password 'secret'`);
const [owner, url] = [as('owner', own), as('service', own)];
await all(owner, file('grants.sql'));

const database = databaseAt<Schema>(url);
const dayMs = 86_400_000;
let sent = 0;

test('before the owner has migrated, the service is refused and says who has to', async () => {
  expect(await prepareSchema(url, { migrate: true })).toEqual({
    kind: 'refused',
    reason: expect.stringMatching(
      /may not change tables \(permission denied .*\): run `npm run migrate` as their owner/,
    ),
  });
  expect(await prepareSchema(owner, { migrate: true })).toEqual({ kind: 'ready', applied: expect.any(Array) });
  expect(await prepareSchema(url, { migrate: true })).toEqual({ kind: 'ready', applied: [] });
});

test('the service starts, verifies and keeps its house; grants made after the migration do as well', async () => {
  // As where somebody had migrated first.
  for (const kind of ['tables', 'sequences', 'functions'])
    await execute(owner, `revoke all on all ${kind} in schema public from ${own}_service`);
  await all(owner, file('grants.sql'));
  const service = await testService({ database });
  service.env.RAMZ_MIGRATE = 'off';
  const { live, metrics, app } = await service.startHere();
  const { id } = await live.send('+213551360001');
  expect(await live.check(id, await service.sandbox.codeTo('+213551360001'))).toMatchObject({ valid: true });
  await until(() => service.sandbox.sink.list({}).length > 0, { what: 'its webhook' });
  expect(await (await fetch(`${metrics}/readyz`)).json()).toMatchObject({ status: 'ready', database: 'current' });
  await app.close();
});

test('migrate makes the missing partitions as the owner, with the retention of the configuration', async () => {
  const config = join(testFolder('migrate'), 'config.json');
  const migrate = async (retention_days: number) => {
    for (const { name } of await readPartitions(inside(database.plain))) await execute(owner, `drop table ${name}`);
    writeFileSync(config, JSON.stringify({ service: { retention_days }, operators: 'not read here' }));
    const lines: string[] = [];
    const env = { DATABASE_URL: owner, RAMZ_CONFIG: config };
    return { code: await migrateDatabase({ env, say: (line) => lines.push(line) }), lines };
  };
  const line = 'configuration: service.retention_days: must be at least 1';
  expect(await migrate(0)).toEqual({ code: 1, lines: [line] });
  for (const [days, least, most] of [
    [365, 100, 365],
    [30, 3, 30],
  ] as const) {
    expect(await migrate(days)).toEqual({ code: 0, lines: [expect.stringMatching(/^made \d+ partitions$/)] });
    const horizon = (await partitionHorizonMs(database.plain, Date.now())) / dayMs;
    expect(horizon).toBeGreaterThan(least);
    expect(horizon).toBeLessThan(most);
  }
});

test('partitions are made and dropped by the service', async () => {
  const later = Date.now() + 60 * dayMs;
  const made = await ensurePartitions(database.plain, later, 30);
  expect(made.length).toBeGreaterThan(0);
  const long = Date.now() - 90 * dayMs;
  const old = await ensurePartitions(database.plain, long, 1);
  const { dropped, postponed } = await dropExpiredPartitions(database.plain, Date.now(), 30);
  expect({ dropped: dropped.toSorted(), postponed }).toEqual({ dropped: old.toSorted(), postponed: [] });
  const left = await readPartitions(inside(database.plain));
  expect(left.map(({ name }) => name)).toEqual(expect.arrayContaining(made));
  const owners = await execute(
    owner,
    `select distinct relowner::regrole::text as owner from pg_class where relispartition and relkind = 'r'`,
  );
  expect(owners.rows).toEqual([{ owner: `${own}_owner` }]);
});

test('a long reader keeps a partition of the service from being dropped, and for no longer', async () => {
  const old = await ensurePartitions(database.plain, Date.now() - 90 * dayMs, 1);
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  try {
    await reader.query('begin; select count(*) from verify_session');
    const held = await dropExpiredPartitions(database.plain, Date.now(), 30);
    expect(held.postponed.toSorted()).toEqual(old.filter((name) => name.startsWith('verify_session')).toSorted());
    await reader.query('commit');
    expect((await dropExpiredPartitions(database.plain, Date.now(), 30)).dropped.toSorted()).toEqual(
      held.postponed.toSorted(),
    );
  } finally {
    await reader.end();
  }
});

test('what the owner left half-dropped does not keep the service from dropping the rest, and migrate finishes it', async () => {
  const old = await ensurePartitions(database.plain, Date.now() - 90 * dayMs, 1);
  const [pending = '', detached = ''] = old.filter((name) => name.startsWith('message_p'));
  for (const name of [pending, detached]) await execute(owner, `comment on table ${name} is '${mark}'`);
  await execute(owner, `alter table message detach partition ${detached}`);
  // As a service does that owned its tables and was killed while it waited for a reader.
  const [reader, killed] = [new pg.Client(owner), new pg.Client(owner)];
  await Promise.all([reader.connect(), killed.connect()]);
  await reader.query('begin; lock table message in access share mode');
  await killed.query('set lock_timeout = 50');
  const detach = killed.query(`alter table message detach partition ${pending} concurrently`);
  await expect(detach).rejects.toMatchObject({ code: '55P03' });
  await Promise.all([reader.end(), killed.end()]);
  expect((await readPartitions(inside(database.plain))).find(({ name }) => name === pending)).toMatchObject({
    detaching: true,
    ours: false,
  });

  const { dropped, postponed } = await dropExpiredPartitions(database.plain, Date.now(), 30);
  expect({ dropped: dropped.toSorted(), postponed }).toEqual({
    dropped: old.filter((name) => name !== detached).toSorted(),
    postponed: [detached],
  });
  const migrate = async (lock?: string) => {
    const lines: string[] = [];
    const holder = new pg.Client(owner);
    await holder.connect();
    if (lock) await holder.query(`begin; ${lock}`);
    expect(await migrateDatabase({ env: { DATABASE_URL: owner }, say: (line) => lines.push(line) })).toBe(0);
    await holder.end();
    return lines;
  };
  // A backup reads it: that it stays is said, and why.
  const [why, ...rest] = await migrate(`lock table ${detached} in access share mode`);
  expect(why).toMatch(`${detached} is past retention and is not dropped yet: a transaction still reads from its table`);
  expect(rest.join()).not.toContain('dropped');
  expect(await migrate()).toEqual([expect.stringMatching(/dropped 1 partition$/)]);
  expect((await execute(owner, `select to_regclass('${detached}') as left`)).rows).toEqual([{ left: null }]);
  expect(await dropExpiredPartitions(database.plain, Date.now(), 30)).toEqual({ dropped: [], postponed: [] });
});

test.each([
  ['a table of its own', 'create table x (n integer)'],
  ['a column', 'alter table account add column x integer'],
  ['the end of a table', 'drop table account'],
  ['the end of all rows at once', 'truncate account'],
  ['a partition', 'drop table %partition'],
  ['another text of the audit log', `update audit_event set action = 'nothing'`],
  ['the end of a row of it', 'delete from audit_event'],
  ['the end of all its rows', 'truncate audit_event'],
  ['its guard', 'alter table audit_event disable trigger audit_event_kept'],
  ['the rights of the owner', `set role ${own}_owner`],
])('refused to the service: %s', async (_, statement) => {
  const [partition] = await readPartitions(inside(database.plain));
  const text = statement.replace('%partition', partition?.name ?? '');
  await expect(sql.raw(text).execute(database.db)).rejects.toMatchObject({ code: '42501' });
});

test('the service adds to the audit log, and forgets what is old', async () => {
  const write = (id: string, age: string) =>
    sql`insert into audit_event (id, at, action, target, actor_kind, actor_id, actor_name, address, request_id, before, after)
      values (${id}, now() - ${age}::interval, 'tried', 'x', 'system', '', '', '', '', '{}', '{}')`.execute(
      database.db,
    );
  await write('aud_old', '100 days');
  await write('aud_young', '80 days');
  await sql`select ramz_forget_audit_events(now(), 10)`.execute(database.db);
  const { rows } = await sql<{ id: string }>`select id from audit_event where action = 'tried'`.execute(database.db);
  expect(rows).toEqual([{ id: 'aud_young' }]);
});

const moved = (name: string) => [
  'create schema elsewhere',
  `grant select, update on ${name} to ${own}_service`,
  `alter table ${name} set schema elsewhere`,
];

test.each([
  ['its own', (name: string) => [`revoke all on ${name} from ${own}_service`], () => file('grants.sql')],
  ['its schema', moved, (name: string) => [`alter table elsewhere.${name} set schema public`, 'drop schema elsewhere']],
] as const)(
  'a partition without rights for the service on %s is saved in by way of its table',
  async (_, take, giveBack) => {
    await ensurePartitions(database.plain, Date.now(), 30);
    const { lanes } = database;
    /** Places as they are now, and what they call the partition of today's sessions. */
    const looked = async () => {
      const places = new Places(lanes);
      await until(() => places.of('message', []) !== 'message', { what: 'the partitions to be known' });
      return { places, name: places.of('verify_session', [lowestId('vrf_', Date.now())]) };
    };
    const { name } = await looked();
    expect(name).toBe(await sessionsOfToday());
    await all(owner, take(name));
    const after = await looked();
    expect(after.name).toBe('verify_session');
    const today = await sessionsOfToday();
    const stale: Placement = { of: (table) => (table === 'verify_session' ? today : table), forget: () => {} };
    for (const places of [after.places, stale]) {
      const db: Queryable = { places, query: (statement) => lanes.query(statement as never) as never };
      sent += 1;
      const sessions = await openedSessions(db, [`+21355136100${sent}`]);
      expect(await saveOnce(db, sessions)).toMatchObject([{ kind: 'saved' }]);
    }
    await all(owner, giveBack(name));
  },
);

/** The partition of sessions that are opened now. */
async function sessionsOfToday(): Promise<string> {
  const partitions = await readPartitions(inside(database.plain));
  const now = Date.now();
  return (
    partitions.find(({ table, from, to }) => table === 'verify_session' && timeOf(from) <= now && now < timeOf(to))
      ?.name ?? ''
  );
}

test.each([
  ['the partition of today', `select ramz_drop_partition('%partition')`],
  ['a table that is no partition', `select ramz_drop_partition('account')`],
  ['a partition of a table that has none', `select ramz_make_partition('account', 'account_p20260101', 'a', 'b', 75)`],
  ['a partition of another name', `select ramz_make_partition('message', 'm', 'a', 'b', 75)`],
  [
    'another table of the name',
    `select ramz_make_partition('message', 'message_p20260101; drop table account', 'a', 'b', 75)`,
  ],
])('the functions of the owner refuse %s', async (_, statement) => {
  await ensurePartitions(database.plain, Date.now(), 30);
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const partitions = await readPartitions(inside(database.plain));
  const today = partitions.find(({ name }) => name.startsWith('message_p') && name >= `message_p${day}`);
  const text = statement.replace('%partition', today?.name ?? '');
  await expect(sql.raw(text).execute(database.db)).rejects.toMatchObject({ code: '22023' });
});

describe('in a database that an older server made, where everybody may create objects in the schema', () => {
  const superuser = databaseUrl(server.url, own);
  const fake = `create function format(text, text, regclass, integer) returns text language sql as
    $$ select 'alter table account add column x integer' $$`;
  const notFake = 'drop function format(text, text, regclass, integer)';
  beforeEach(() => execute(superuser, 'grant create on schema public to public'));

  test('the grants take that right', async () => {
    await sql.raw(fake).execute(database.db);
    await sql.raw(notFake).execute(database.db);
    await all(owner, file('grants.sql'));
    await expect(sql.raw(fake).execute(database.db)).rejects.toMatchObject({ code: '42501' });
  });

  test('the grants fail where they cannot take it, and name what helps', async () => {
    await execute(superuser, 'alter schema public owner to current_user');
    const hint = expect.stringMatching(`alter schema public owner to ${own}_owner.`);
    await expect(all(owner, file('grants.sql'))).rejects.toMatchObject({ code: 'P0001', hint });
    await execute(superuser, `alter schema public owner to ${own}_owner`);
    await all(owner, file('grants.sql'));
    await expect(sql.raw(fake).execute(database.db)).rejects.toMatchObject({ code: '42501' });
    await execute(superuser, 'alter schema public owner to pg_database_owner');
  });

  /** Each fits the arguments of the functions better than Postgres' own. */
  const fakes = [
    ['function', 'format(text, variadic text[])', 'text'],
    ['function', 'format(text, text, regclass, integer)', 'text'],
    ['function', 'format(text, regclass)', 'text'],
    ['operator', '=', 'oid', 'regclass', 'boolean'],
    ['operator', '=', 'oid', 'regnamespace', 'boolean'],
    ['operator', '||', 'text', 'name', 'text'],
    ['operator', '||', 'name', 'name', 'text'],
    ['operator', '^', 'numeric', 'integer', 'numeric'],
    ['operator', '*', 'integer', 'numeric', 'numeric'],
    ['operator', '*', 'numeric', 'integer', 'numeric'],
  ] as const;

  test('what another role made there is not called with the rights of the owner', async () => {
    const says = `language plpgsql as $$ begin raise exception 'called as %', current_user; end $$`;
    const drops: string[] = [];
    for (const [kind, name, ...types] of fakes) {
      if (kind === 'function') {
        await sql.raw(`create function ${name} returns ${types[0]} ${says}`).execute(database.db);
        drops.push(`drop function ${name}`);
        continue;
      }
      const [left, right, result] = types;
      const call = `called_${drops.length}`;
      await sql.raw(`create function ${call}(${left}, ${right}) returns ${result} ${says}`).execute(database.db);
      const operands = `leftarg = ${left}, rightarg = ${right}`;
      await sql.raw(`create operator ${name} (function = ${call}, ${operands})`).execute(database.db);
      drops.push(`drop function ${call}(${left}, ${right}) cascade`);
    }
    const [low, high] = [1, 2].map((day) => lowestId('msg_', Date.UTC(2020, 0, day)));
    const make = sql`select ramz_make_partition('message', 'message_p20200101', ${low}::text, ${high}::text, 75)`;
    await make.execute(database.db);
    await sql`select ramz_drop_partition('message_p20200101')`.execute(database.db);
    await sql`select ramz_forget_audit_events(now(), 10)`.execute(database.db);
    for (const drop of drops) await sql.raw(drop).execute(database.db);
    await all(owner, file('grants.sql'));
  });
});

test('nobody else may call them', async () => {
  await execute(server.url, `create role ${own}_other login password 'secret'`);
  try {
    const call = execute(as('other', own), `select ramz_drop_partition('account')`);
    await expect(call).rejects.toMatchObject({ code: '42501' });
  } finally {
    await execute(server.url, `drop role ${own}_other`);
  }
});
