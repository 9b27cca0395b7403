// Measures and rollups of sessions that lie in several databases: each cell's are projected there, and a report adds them up as if they were in
// one. An account's first SMS is one message over all cells.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { homeCell } from '../../../src/core/fleet/cells.ts';
import { counters } from '../../../src/core/reports/rollup.ts';
import { codeOf } from '../../../src/core/verify/code.ts';
import type { Queryable } from '../../../src/db/queryable.ts';
import { inside } from '../../../src/db/queryable.ts';
import { type Division, divisions, readReport } from '../../../src/db/reports/report.ts';
import { countRaw } from '../../../src/db/reports/rollups.ts';
import { ReportsOverCells } from '../../../src/engine/reports/cells.ts';
import { firstSends } from '../../../src/engine/reports/first-sends.ts';
import { Projector, Projectors } from '../../../src/engine/reports/projector.ts';
import { rollups } from '../../../src/engine/reports/rollups.ts';
import { Summaries } from '../../../src/engine/reports/summary.ts';
import { evenly } from '../../support/cells.ts';
import { testCells, testDatabase } from '../../support/database.ts';
import { codeRing, ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';

const database = await testCells({ epochs: evenly([homeCell, 'b', 'c']) });
const { cells, map } = database;
const home = cells[0]?.database.lanes as Queryable;
const dayMs = 86_400_000;
const sums = [...counters, 'cost', 'platform_cost'];
const settings = { config: { service: { retentionDays: 30 } } };
const span = { since: Date.now() - dayMs, until: Date.now() + dayMs };

/** A process whose reports run when the test runs them. */
async function testProcess() {
  let reports: ReportsOverCells | undefined;
  const { engine, fleet } = await testEngine(database, {
    sms: new ScriptedChannel(),
    reports: {
      committed: (change) => reports?.committed(change),
      commitUnknown: () => reports?.commitUnknown(),
    },
  });
  let ahead = 0;
  const { processId } = fleet;
  const parts = cells.map(({ name, database: { lanes, plain } }) => {
    const own = { db: lanes, fleet: { processId, mayTakeOver: true }, now: () => Date.now() + ahead };
    const measures = new Projector({ ...own, projection: firstSends({ home, cell: lanes }) });
    const sums = new Projector({
      ...own,
      projection: rollups({ db: plain, processId, settings, purged: async () => [] }),
    });
    return [name, new Projectors([measures, sums])] as const;
  });
  reports = new ReportsOverCells(map, new Map(parts));
  await reports.begin();
  const made = reports;
  return {
    engine,
    fleet,
    reports: made,
    async run() {
      ahead += 1_000;
      for (const cell of made.cells) await cell.run();
    },
    /** Opens sessions until each cell has so many; every second one is verified. */
    async verifyIn(accountId: string, each: number) {
      const left = new Map(map.names.map((name) => [name, each]));
      while ([...left.values()].some((count) => count > 0)) {
        const sent = await engine.starter.sendSettled(sendRequest({ accountId }));
        if (sent.kind !== 'sent') throw new Error(sent.kind);
        const cell = map.ofId(sent.session.id);
        const count = left.get(cell) ?? 0;
        left.set(cell, count - 1);
        await engine.dispatcher.idle();
        if (count % 2) continue;
        const code = codeOf(sent.session, codeRing);
        const check = { accountId, mode: 'live', target: { id: sent.session.id }, code, idempotency: null } as const;
        expect(await engine.check(check)).toMatchObject({ kind: 'checked', checked: { valid: true } });
      }
    },
  };
}

async function newAccount(): Promise<string> {
  const id = ids('acct_');
  await sql`insert into account (id, name, created_at) values (${id}, 'a', now())`.execute(
    cells[0]?.database.db ?? database.db,
  );
  return id;
}

/** As text, in one order. */
const readable = (rows: object[]) =>
  rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row)
          .sort()
          .map(([name, value]) => [name, String(value)]),
      ),
    )
    .sort();

async function agree(): Promise<void> {
  for (const {
    name,
    database: { db, lanes },
  } of cells) {
    const { rows } = await sql<object>`select * from rollup`.execute(db);
    expect(rows.length, name).toBeGreaterThan(0);
    expect(readable(rows), name).toEqual(readable(await countRaw(lanes, span.since, span.until)));
  }
}

test('what is added up in the cells is what one database with all of it would report', async () => {
  const process = await testProcess();
  const accounts = [await newAccount(), await newAccount()];
  for (const [n, accountId] of accounts.entries()) await process.verifyIn(accountId, 3 + 2 * n);
  await process.run();
  await agree();
  const one = await testDatabase();
  for (const {
    database: { db },
  } of cells) {
    const { rows } = await sql<{ row: string }>`select to_jsonb(r)::text as row from rollup r`.execute(db);
    await sql`insert into rollup as o select r.* from jsonb_array_elements(${`[${rows.map(({ row }) => row).join(',')}]`}::jsonb) e,
      jsonb_populate_record(null::rollup, e) r
      on conflict (account_id, at, seconds, mode, operator, channel, prefix, currency) do update set
      ${sql.raw(sums.map((name) => `${name} = o.${name} + excluded.${name}`).join(', '))}`.execute(one.db);
  }
  const dbs = cells.map(({ database: { db } }) => inside(db));
  const asked: Division[][] = [[], ...divisions.map((by) => [by]), ['account', 'hour', 'channel']];
  for (const by of asked)
    for (const limit of [1, 1_000]) {
      const request = { ...span, by, limit };
      const whole = await readReport([inside(one.db)], request);
      expect(await readReport(dbs, request), `${by} ${limit}`).toEqual(whole);
    }
  const [sum] = await readReport(dbs, { ...span, by: [], limit: 1 });
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from verify_session`.execute(database.db);
  expect(sum?.counts.sessions).toBe(rows[0]?.n);
  expect(sum?.counts.sent).toBe(sum?.counts.sessions);
  expect(sum?.costs).toEqual([{ currency: 'DZD', amount: (2.5 * (rows[0]?.n ?? 0)).toFixed(2), platformAmount: '0' }]);
});

test('a summary has what an account did in all cells, and is complete until the earliest of them is', async () => {
  const process = await testProcess();
  const [accountId, other] = [await newAccount(), await newAccount()];
  await process.verifyIn(accountId, 2);
  await process.verifyIn(other, 1);
  await process.run();
  const now = Date.now();
  const dbs = cells.map(({ database: { db } }) => inside(db));
  const summaries = new Summaries(dbs, () => now);
  const request = { accountId, mode: 'live' as const, since: null, until: null, groupBy: [] };
  const summary = await summaries.of(request);
  if (summary.kind !== 'summed') throw new Error(summary.reason);
  const own = await Promise.all(
    cells.map(async ({ database: { db } }) => {
      const raw = await sql<{ n: number; verified: number }>`
        select count(*)::integer as n, (count(*) filter (where status = 'verified'))::integer as verified
        from verify_session where account_id = ${accountId}`.execute(db);
      return raw.rows[0] ?? { n: 0, verified: 0 };
    }),
  );
  expect(own.every(({ n }) => n >= 2)).toBe(true);
  const total = own.reduce((sum, { n, verified }) => ({ n: sum.n + n, verified: sum.verified + verified }));
  expect(summary.rows.map(({ counts }) => [counts.sessions, counts.verified])).toEqual([[total.n, total.verified]]);
  const [{ until } = { until: 0 }] = (
    await sql<{
      until: number;
    }>`update projection set done_until = done_until - interval '1 minute' where projector = 'rollups'
      returning extract(epoch from done_until)::double precision * 1000 as until`.execute(
      cells[1]?.database.db ?? database.db,
    )
  ).rows;
  expect(await summaries.of(request)).toMatchObject({ countedUntil: until });
  expect(summary.countedUntil).toBeGreaterThan(until);
});

test('of what is sent at once in several cells one message is an account’s first', async () => {
  const processes = [await testProcess(), await testProcess()];
  const accountId = await newAccount();
  await Promise.all(processes.map((process) => process.verifyIn(accountId, 2)));
  await Promise.all(processes.map((process) => process.run()));
  const { rows: dated } = await sql<{ at: Date; claimed: string | null }>`
    select sms_first_send_at as at, sms_first_message_id as claimed from account where id = ${accountId}`.execute(
    cells[0]?.database.db ?? database.db,
  );
  const { rows: marked } = await sql<{ at: Date }>`
    select first_send_at as at from message where account_id = ${accountId} and first_send_at is not null`.execute(
    database.db,
  );
  expect(marked).toEqual([{ at: dated[0]?.at }]);
  expect(dated[0]?.claimed).toBeNull();
});

test('what a dead process committed in a cell and did not project is looked for there', async () => {
  const dead = await testProcess();
  const heir = await testProcess();
  const accountId = await newAccount();
  await dead.verifyIn(accountId, 3);
  await dead.fleet.leave();
  for (const { name } of cells) heir.reports.othersGone(name);
  for (let runs = 0; runs < 12; runs += 1) await heir.run();
  await agree();
  const { rows } = await sql<{
    at: Date | null;
  }>`select sms_first_send_at as at from account where id = ${accountId}`.execute(cells[0]?.database.db ?? database.db);
  expect(rows[0]?.at).not.toBeNull();
});
