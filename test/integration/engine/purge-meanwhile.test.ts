// A purge while others go on writing about the account: administrators who decide, a carrier whose receipts come late, the platform, the loops of a
// process. All of them begin behind each statement of a purge once, and nothing of the account is left afterwards.
import { type KyselyPlugin, sql } from 'kysely';
import { expect, test } from 'vitest';
import { oneCell } from '../../../src/core/fleet/cells.ts';
import { shardForAccount } from '../../../src/core/ids.ts';
import { decideAutofill } from '../../../src/db/accounts/autofill.ts';
import { closeAccount } from '../../../src/db/accounts/closing.ts';
import { approveAccount, changeLimits, unlockNumber } from '../../../src/db/accounts/control.ts';
import { decideWording } from '../../../src/db/accounts/wordings.ts';
import { inTransaction } from '../../../src/db/changes.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { insertStop } from '../../../src/db/limits/stops.ts';
import { type UntypedDb, withSchema } from '../../../src/db/schema.ts';
import { markDeliveries } from '../../../src/db/webhooks/attempts.ts';
import { Accounts } from '../../../src/engine/accounts/accounts.ts';
import { Purge } from '../../../src/engine/erasure/purge.ts';
import { emitAnomaly } from '../../../src/engine/limits/anomalies.ts';
import { Stops } from '../../../src/engine/limits/stops.ts';
import { Waba } from '../../../src/engine/waba/waba.ts';
import { accountStory, cellsOf, type Story } from '../../support/account-story.ts';
import { tester } from '../../support/actor.ts';
import { rowsNaming } from '../../support/all-rows.ts';
import { homeOf } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt, codeRing, ids } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const cells = cellsOf(database);
const [home] = cells;
// Connections of their own: the purge holds some of the others while these wait for its locks.
const others = database.connect({ max: 30, lanes: 5 });
const db = withSchema(homeOf(others).plain);
const days = 30;
const dayMs = 86_400_000;
const now = Date.now;

const context = { db, ids, now, ring: codeRing };
const accounts = new Accounts({ ...context, prefixes: {} as never, settings: { operators: ['atlas'] } });
const stops = new Stops(context);
const waba = new Waba({
  ...context,
  log: { error: () => {} },
  settings: { platform: {} as never, hasSignup: true, platformNumber: null },
});

/** Rows of the account that something is still to be written about. */
interface Written extends Story {
  senderId: string;
  keyId: string;
  stopId: string;
  endpointId: string;
  eventId: string;
  message: { id: string; to: string };
}

async function one<Row>(from: UntypedDb, query: ReturnType<typeof sql<Row>>): Promise<Row> {
  const { rows } = await query.execute(from);
  const [row] = rows;
  if (!row) throw new Error('there is no such row');
  return row;
}

async function written(): Promise<Written> {
  const story = await accountStory(database, { hears: false });
  const { accountId } = story;
  const [sessionId = ''] = story.sessions;
  const stopId = ids('stop_', shardForAccount(accountId));
  await sql`insert into stop (id, account_id, rule, reason, prefix, sent, verified, enforced, started_at, ends_at)
    values (${stopId}, ${accountId}, 'prefix_conversion', 'r', '+21356', 9, 0, true, now(), now() + interval '1 hour')`.execute(
    home,
  );
  const idOf = async (table: string) =>
    (await one<{ id: string }>(home, sql`select id from ${sql.table(table)} where account_id = ${accountId}`)).id;
  const endpointId = await idOf('webhook_endpoint');
  const found = await Promise.all(
    cells.map((cell) =>
      sql<Written['message'] & { event_id: string }>`select m.id, s.number as to, d.event_id from message m
        join verify_session s on s.id = m.session_id join webhook_delivery d on d.session_id = s.id
        where s.id = ${sessionId} limit 1`.execute(cell),
    ),
  );
  const [row] = found.flatMap(({ rows }) => rows);
  if (!row) throw new Error(`${sessionId} has no message`);
  const { event_id: eventId, ...message } = row;
  return {
    ...story,
    senderId: await idOf('sender_id'),
    keyId: await idOf('api_key'),
    stopId,
    endpointId,
    eventId,
    message,
  };
}

/** By name, so that a failure says which one it was about. */
function writersAbout({ accountId, senderId, keyId, stopId, endpointId, eventId, message, sessions, engine }: Written) {
  const decision = () => ({ id: accountId, now: new Date(), actor: tester });
  const live = { accountId, mode: 'live' as const };
  const modes = ['live' as const];
  const stop = { accountId, rule: 'sequential_numbers' as const, reason: 'r', prefix: '+21357', sent: 9, verified: 0 };
  const correction = {
    accountId,
    keyId: '',
    period: 'day' as const,
    unit: 'sends',
    limit: null,
    enforced: true,
    need: '0',
    ahead: '0',
    scale: 0,
    back: '0',
    backWindow: 0,
    more: '5',
  };
  const mark = {
    event_id: eventId,
    endpoint_id: endpointId,
    attempts: 0,
    attempted: true,
    status: 'pending',
    next_at: now(),
    last_status: 500,
    last_error: 'x',
    at: now(),
  };
  return {
    decide: () =>
      accounts.senders.decide({ senderId, operator: 'atlas', decision: 'approved', reason: '', actor: tester }),
    approve: () => approveAccount(db, decision()),
    limits: () => changeLimits(db, decision(), { reset: false, change: { sends_per_second: 5 } }),
    close: () => closeAccount(db, { ...decision(), reason: 'again' }),
    revoke: () => accounts.keys.revoke({ accountId: null, id: keyId, modes, actor: tester, force: true }),
    unlock: () =>
      unlockNumber({ home: db, cells: { map: oneCell, of: () => db } }, { ...decision(), number: message.to, modes }),
    autofill: () =>
      decideAutofill(db, {
        ...live,
        approved: false,
        now: new Date(),
        actor: tester,
        which: { values: ['https://shop.example'] },
      }),
    wording: () =>
      decideWording(db, {
        accountId,
        kind: 'brand',
        value: 'Shop',
        status: 'rejected',
        reason: null,
        now: new Date(),
        actor: tester,
      }),
    stop: () =>
      inTransaction(db, async (tx) => {
        const made = await insertStop(tx, { ...stop, id: ids('stop_'), enforced: true, now: now() }, []);
        if (made) await emitAnomaly(tx, ids, made, now());
      }),
    lift: () => stops.lift(stopId, { accountId: null, actor: tester }),
    list: () => accounts.lists.add(live, { list: 'block', value: '+213551*', note: '', actor: tester }),
    sender: () => accounts.senders.request({ accountId, mode: 'test', actor: tester }, 'Other'),
    signup: () => waba.createSignup(accountId, tester),
    unlink: () =>
      waba.accountStopped({ wabaId: '104', reportedAt: now(), stop: { kind: 'ended', reason: 'uninstalled' } }),
    budget: () =>
      engineStore(others.lanes).takeCredit([{ ...correction, event: { id: ids('evt_'), body: '{"data":{}}' } }], {
        holder: 'process/x',
        at: now(),
      }),
    webhook: () => markDeliveries(others.lanes, [mark]),
    receipt: () => engine.engine.receipts.take(carrierReceipt(message as never, 'UNDELIV')),
    cancel: () => engine.engine.cancel({ ...live, id: sessions[0] ?? '' }),
  };
}

/** The databases of a purge, with something that happens behind each statement. */
function watched(behind: (nth: number) => Promise<void>) {
  let nth = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      nth += 1;
      await behind(nth);
      return result;
    },
  };
  const [first, ...rest] = cells.map((cell) => cell.withPlugin(plugin)) as [UntypedDb, ...UntypedDb[]];
  return { home: first, cells: [first, ...rest] };
}

/** Turns until the account is gone; its statements. */
async function purged({ accountId }: Story, behind: (nth: number) => Promise<void>): Promise<number> {
  let statements = 0;
  const dbs = watched(async (nth) => {
    statements = nth;
    await behind(nth);
  });
  const purge = new Purge(dbs, now, async () => days);
  const turn = async () => {
    const done = await purge.run();
    return done.kind === 'purged' && done.accountId === accountId;
  };
  await until(turn, { what: `the purge of ${accountId}` });
  return statements;
}

const closedLongAgo = ({ accountId: id }: Story) =>
  closeAccount(withSchema(home), { id, reason: null, now: new Date(now() - (days + 1) * dayMs), actor: tester });

const isBlocked = async () => {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(home);
  return rows.length > 0;
};

/** Over cells a purge has several times the statements, and each takes as long again: every fourth is tried. */
const step = cells.length > 1 ? 4 : 1;

test('nothing of an account is left, behind whichever statement of its purge others have written about it', async () => {
  const undisturbed = await written();
  await closedLongAgo(undisturbed);
  const statements = await purged(undisturbed, async () => {});
  expect(statements).toBeGreaterThan(30);
  const disturbed = new Map<string, number>();
  const effective = new Set<string>();
  for (let at = 1; at <= statements; at += step) {
    const story = await written();
    disturbed.set(story.accountId, at);
    await closedLongAgo(story);
    let writing: Promise<unknown> | null = null;
    await purged(story, async (nth) => {
      if (nth !== at) return;
      let over = false;
      const all = Object.entries(writersAbout(story)).map(async ([name, write]) => {
        await write();
        effective.add(name);
      });
      // What is refused, and what finds nothing to refer to, has written nothing.
      writing = Promise.allSettled(all).finally(() => {
        over = true;
      });
      // Some wait for locks that the purge holds, and go on behind it.
      await until(async () => over || (await isBlocked()), {
        what: 'the others to have written, or to wait for the purge',
      });
    });
    await writing;
    await story.engine.fleet.leave();
  }
  const { audit_event: _, ...left } = await rowsNaming(cells, 'acct_');
  const behind = [...disturbed].filter(([accountId]) => JSON.stringify(left).includes(accountId));
  expect({ left, behind }).toEqual({ left: {}, behind: [] });
  expect(await rowsNaming(cells, 'vrf_')).toEqual({});
  expect([...effective].toSorted()).toEqual(Object.keys(writersAbout(undisturbed)).toSorted());
  await undisturbed.engine.fleet.leave();
}, 300_000);
