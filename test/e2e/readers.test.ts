// A backup or an analyst reads every table for as long as it likes, while partitions are made and dropped and a process starts: nobody's
// verification fails or waits. Sooner or later the database's operator does this to every installation.

import pg from 'pg';
import { expect, test } from 'vitest';
import { lowestId } from '../../src/core/ids.ts';
import { readPartitions, tables } from '../../src/db/partitions/plan.ts';
import { inside } from '../../src/db/queryable.ts';
import { databaseClock } from '../support/machine-clock.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const { database, sandbox } = service;
const clock = databaseClock(database);
const dayMs = 86_400_000;

const lockAll = `lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`;
const counts = tables.map(({ name }) => `(select count(*) from ${name})`).join(', ');

test.each([
  { how: 'a transaction that holds every table', statements: [lockAll], retention: 60, number: 1 },
  { how: 'a statement that goes on', statements: [`select ${counts}, pg_sleep(300)`], retention: 90, number: 2 },
])('$how: verifications go on, and a process with another retention starts', async (variant) => {
  // Its housekeeping comes first: else it may drop the other partition before anybody reads it.
  const swept = await makeExpired(10 + variant.number);
  const running = await service.startHere();
  await until(() => running.log().includes(swept), { what: 'housekeeping of the first process' });
  const expired = await makeExpired(variant.number);
  const reader = new pg.Client({ connectionString: database.url });
  reader.on('error', () => {});
  await reader.connect();
  const watcher = new pg.Client({ connectionString: database.url });
  await watcher.connect();
  try {
    await reader.query('begin');
    for (const statement of variant.statements) {
      const reading = reader.query(statement).catch(() => {});
      if (statement === lockAll) await reading;
    }
    const held = async () => Number((await watcher.query(heldText)).rows[0]?.n) >= tables.length;
    await until(held, { what: 'the reader to have every table' });

    let ended = false;
    const waits = watchWaits(watcher, () => ended);
    const outcomes: boolean[] = [];
    const verify = async () => {
      for (let n = 0; !ended; n += 1) {
        const to = `+21355${variant.number}${String(n).padStart(6, '0')}`;
        const { id } = await running.live.send(to);
        const { valid } = await running.live.check(id, await sandbox.codeTo(to));
        outcomes.push(valid);
      }
    };
    const verifying = verify();
    service.configure({ service: { retention_days: variant.retention } });
    const second = await service.startHere();
    await until(() => outcomes.length >= 10, { what: 'ten verifications' });
    // The second one's housekeeping, which runs at once, has tried the expired partition and left it for later.
    await until(() => second.log().includes(`"postponed":[`), { what: 'housekeeping' });
    expect(second.log()).toContain(expired);
    ended = true;
    await verifying;
    expect(outcomes.every(Boolean)).toBe(true);
    expect(await waits).toEqual([]);
    const ready = (await (await fetch(`${second.metrics}/readyz`)).json()) as { partition_horizon_seconds: number };
    expect(ready.partition_horizon_seconds).toBeGreaterThan((2 * variant.retention * 86_400) / 6 - 3_600);
    await second.app.close();
  } finally {
    await watcher.end();
    await database.lanes.query('select pg_terminate_backend($1)', [
      (reader as unknown as { processID: number }).processID,
    ]);
    await reader.end().catch(() => {});
    await running.app.close();
  }
});

const heldText = `select count(distinct l.relation)::integer as n from pg_locks l join pg_class c on c.oid = l.relation
  where l.granted and l.mode = 'AccessShareLock' and c.relkind = 'p'
    and l.database = (select oid from pg_database where datname = current_database())
    and l.pid <> pg_backend_pid() and l.pid in (select pid from pg_stat_activity where application_name = '')`;

/** A partition of last year. */
async function makeExpired(n: number): Promise<string> {
  const name = `verify_session_p202501${String(n).padStart(2, '0')}`;
  const [from, to] = [n, n + 1].map((day) => lowestId('vrf_', Date.UTC(2025, 0, 1) + day * dayMs));
  await database.lanes.query(
    `create table ${name} partition of verify_session for values from ('${from}') to ('${to}')`,
  );
  expect((await readPartitions(inside(database.db as never))).map((each) => each.name)).toContain(name);
  return name;
}

/** Statements that waited for a lock on a table for over a second of the machine's time, until `ended`: each one was seen waiting before and after. */
async function watchWaits(watcher: pg.Client, ended: () => boolean): Promise<string[]> {
  const seen: string[] = [];
  const firstSeen = new Map<string, number>();
  const look = async () => {
    const { rows } = await watcher.query<{ wait: string; query: string }>(
      `select concat_ws(' ', pid, l.waitstart) as wait, a.query from pg_locks l join pg_stat_activity a using (pid)
       where not l.granted and l.locktype = 'relation'
         and l.database = (select oid from pg_database where datname = current_database())
         and l.waitstart is not null`,
    );
    const now = Date.now();
    for (const { wait, query } of rows) {
      const from = firstSeen.get(wait) ?? now;
      firstSeen.set(wait, from);
      if (clock.between(from, now) >= 1_000) seen.push(query);
    }
    return ended();
  };
  await until(look, { what: 'the end of the watch', timeoutMs: 100_000, everyMs: 50 });
  return seen;
}
