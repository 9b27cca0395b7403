// Saves name the partition of their rows: what they store is what they stored in whole tables, and a partition that goes stops none.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { lowestId, timeOf } from '../../../src/core/ids.ts';
import { Places } from '../../../src/db/partitions/places.ts';
import { readPartitions } from '../../../src/db/partitions/plan.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { inside, type Queryable } from '../../../src/db/queryable.ts';
import { loadSessions } from '../../../src/db/verify/sessions.ts';
import { markDeliveries } from '../../../src/db/webhooks/attempts.ts';
import { testDatabase } from '../../support/database.ts';
import { openedSessions, saveOnce } from '../../support/saving.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase({ lanes: 2 });
const dayMs = 86_400_000;
const texts: string[] = [];
let db: Queryable;

let numbers = 0;
function phone(): string {
  numbers += 1;
  return `+2135510${String(numbers).padStart(5, '0')}`;
}
/** The partition of a table at a time, Unix ms. */
async function partitionAt(table: string, at: number): Promise<string> {
  const partitions = await readPartitions(inside(database.plain));
  const found = partitions.find((each) => each.table === table && timeOf(each.from) <= at && at < timeOf(each.to));
  return found?.name ?? '';
}
const saved = () => texts.splice(0).filter((text) => text.includes('saved as'));
const attemptsOf = async (ids: string[]) => {
  const { rows } = await sql<{ attempts: number; version: number }>`
    select attempts, version from verify_session where id = any(${ids}) order by id`.execute(database.plain);
  return rows;
};

beforeEach(async () => {
  await ensurePartitions(database.plain, Date.now(), 30);
  const query = (statement: { text: string }) => {
    texts.push(statement.text);
    return database.lanes.query(statement as never);
  };
  const places = new Places(database.lanes);
  db = { places, query } as never;
  const today = await partitionAt('verify_session', Date.now());
  await until(() => places.of('verify_session', []) === today, { what: 'the partitions to be known' });
  texts.length = 0;
});

test('sessions and messages of today are saved in their partitions', async () => {
  const sessions = await openedSessions(db, [phone(), phone()]);
  expect(await saveOnce(db, sessions)).toMatchObject([{ kind: 'saved' }, { kind: 'saved' }]);
  const [text = ''] = saved();
  for (const table of ['verify_session', 'message']) {
    expect(text).toContain(`update ${await partitionAt(table, Date.now())} s set`);
    expect(text).not.toMatch(new RegExp(`(join|update) ${table}\\b`));
  }
  expect(text).toContain(`select from ${await partitionAt('operator_reference', Date.now())} o`);
  const loaded = await loadSessions(db, sessions);
  expect(loaded.map((each) => each?.session)).toMatchObject(
    sessions.map(() => ({ attempts: 1, version: 2, messages: [{ status: 'submitted' }] })),
  );
});

test('deliveries of today are marked in their partition', async () => {
  const delivery = { event_id: lowestId('evt_', Date.now()), endpoint_id: 'whe_1' };
  await sql`insert into webhook_delivery (account_id, event_id, endpoint_id, mode, type, body, status, created_at)
    values ('acct_1', ${delivery.event_id}, 'whe_1', 'live', 'session.verified', '{}', 'pending', now())`.execute(
    database.plain,
  );
  const mark = { attempts: 0, attempted: true, status: 'delivered', next_at: null, last_status: 204, last_error: null };
  expect(await markDeliveries(db, [{ ...delivery, ...mark, at: Date.now() }])).toEqual([true]);
  expect(texts.at(-1)).toContain(`update ${await partitionAt('webhook_delivery', Date.now())} d set`);
  const { rows } =
    await sql`select status, attempts from webhook_delivery where event_id = ${delivery.event_id}`.execute(
      database.plain,
    );
  expect(rows).toEqual([{ status: 'delivered', attempts: 1 }]);
});

test('a batch over two partitions is saved in whole tables', async () => {
  const [here] = await openedSessions(db, [phone()]);
  const [there] = await openedSessions(db, [phone()], Date.now() + 6 * dayMs);
  if (!here || !there) throw new Error('two sessions');
  expect(await saveOnce(db, [here, there])).toMatchObject([{ kind: 'saved' }, { kind: 'saved' }]);
  expect(saved()[0]).toContain('update verify_session s set');
  expect(await attemptsOf([here.id, there.id])).toEqual([
    { attempts: 1, version: 2 },
    { attempts: 1, version: 2 },
  ]);
});

test('a partition that was dropped: nothing is there to be saved, and what is in others is', async () => {
  const at = Date.now() + 6 * dayMs;
  const name = await partitionAt('verify_session', at);
  const [gone] = await openedSessions(db, [phone()], at);
  const [here] = await openedSessions(db, [phone()]);
  if (!gone || !here) throw new Error('two sessions');
  expect(await saveOnce(db, [gone])).toMatchObject([{ kind: 'saved' }]);
  expect(saved()[0]).toContain(`update ${name} s set`);
  await sql`drop table ${sql.raw(name)}`.execute(database.plain);
  expect(await saveOnce(db, [{ ...gone, version: 2 }])).toEqual([{ kind: 'stale' }]);
  expect(saved()).toEqual([
    expect.stringContaining(`update ${name} s set`),
    expect.stringContaining('update verify_session s set'),
  ]);
  expect(await saveOnce(db, [here])).toMatchObject([{ kind: 'saved' }]);
});

test('a partition that was replaced by another table of the same rows and name is the one that is saved in', async () => {
  const [session] = await openedSessions(db, [phone()]);
  if (!session) throw new Error('a session');
  expect(await saveOnce(db, [session])).toMatchObject([{ kind: 'saved' }]);
  const name = await partitionAt('verify_session', Date.now());
  const { rows } = await sql<{ bound: string }>`
    select pg_get_expr(relpartbound, oid) as bound from pg_class where oid = ${name}::regclass`.execute(database.plain);
  for (const statement of [
    `alter table verify_session detach partition ${name}`,
    `alter table ${name} rename to put_away`,
    `create table ${name} (like verify_session including all)`,
    `insert into ${name} select * from put_away`,
    `alter table verify_session attach partition ${name} ${rows[0]?.bound}`,
  ])
    await sql.raw(statement).execute(database.plain);
  expect(await saveOnce(db, [{ ...session, version: 2, attempts: 1 }])).toMatchObject([{ kind: 'saved' }]);
  expect(await attemptsOf([session.id])).toEqual([{ attempts: 2, version: 3 }]);
});
