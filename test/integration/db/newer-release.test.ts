// A process goes on while a newer release migrates the database: a column that is added breaks no statement that it has prepared.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findAccountForSends } from '../../../src/db/accounts/accounts.ts';
import { loadAdministrators } from '../../../src/db/accounts/administrators.ts';
import { findApiKeys, isOver, revokeApiKey } from '../../../src/db/accounts/api-keys.ts';
import { listAuditEvents } from '../../../src/db/accounts/audit-list.ts';
import { findAccountRow } from '../../../src/db/accounts/control.ts';
import { inTransaction } from '../../../src/db/changes.ts';
import { findLists, listEntries } from '../../../src/db/limits/lists.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { inside } from '../../../src/db/queryable.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { listSessions } from '../../../src/db/verify/list.ts';
import { findSessions, loadSessions } from '../../../src/db/verify/sessions.ts';
import { findWaba, lockWaba } from '../../../src/db/waba/links.ts';
import { listDeliveries } from '../../../src/db/webhooks/deliveries.ts';
import {
  getEndpoint,
  listEndpoints,
  loadEndpoints,
  rotateSecret,
  updateEndpoint,
} from '../../../src/db/webhooks/endpoints.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { openedSessions, saveOnce } from '../../support/saving.ts';
import { everySession } from '../../support/session.ts';

const database = await testDatabase();
await ensurePartitions(database.db, Date.now(), 30);
const older = database.connect({ max: 1, lanes: 1, lists: 1 });
const [db, reads] = [withSchema(older.db), inside(older.db)];

const owner = { accountId: 'acct_1', mode: 'live' } as const;
const key = { accountId: owner.accountId, id: 'vrf_1' };
const page = { limit: 1, before: null };
const now = new Date();
const every = { accountId: 'acct_1', mode: null, actorId: null, action: null, target: null, since: null, until: null };

const statements: Record<string, () => Promise<unknown>> = {
  'keys for authentication': () => findApiKeys(db, ['key_1']),
  'administrators for authentication': () => loadAdministrators(db),
  'an account for a send': () => findAccountForSends(db, { id: 'acct_1', mode: 'live', operators: ['atlas'] }),
  'an account': () => findAccountRow(db, 'acct_1'),
  'a key within a transaction': () => inTransaction(db, (tx) => isOver(tx, 'key_1', now)),
  'the revocation of a key': () =>
    revokeApiKey(db, { accountId: null, id: 'key_1', modes: ['live'], now, actor: tester, force: true }),
  'the lock of a link': () => inTransaction(db, (tx) => lockWaba(tx, 'acct_1')),
  'a link': () => findWaba(db, 'acct_1'),
  lists: () => findLists(db, owner),
  'entries of a list': () => listEntries(db, owner, { ...page, list: null }),
  'the audit log': () => listAuditEvents(db, every, page),
  'endpoints for delivery': () => loadEndpoints(older.lanes, ['whe_1']),
  'an endpoint': () => getEndpoint(reads, owner, 'whe_1'),
  endpoints: () => listEndpoints(reads, owner, page),
  'an endpoint that changes': () => updateEndpoint(reads, owner, 'whe_1', { description: 'new' }, Date.now()),
  'a secret that changes': () =>
    rotateSecret(reads, owner, 'whe_1', { sealedSecret: 's', keepUntil: null, now: Date.now() }),
  deliveries: () => listDeliveries(older.lists, owner, 'whe_1', { ...page, status: null }),
  'a session with its receipts': () => findSessions(reads, [key]),
  'a session': () => loadSessions(older.lanes, [key]),
  sessions: () => listSessions(older.lists, everySession('acct_1'), page),
  'a session that is saved': async () => saveOnce(older.lanes, await openedSessions(older.lanes, ['+213550000001'])),
};

async function migrated(): Promise<void> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`.execute(database.db);
  for (const { name } of rows) await sql`alter table ${sql.table(name)} add column newer text`.execute(database.db);
}

test('each is prepared, a newer release adds a column to every table, and each works', async () => {
  await sql`insert into account (id, name, created_at) values ('acct_1', 'Shop', now())`.execute(database.db);
  for (const run of Object.values(statements)) await run();
  await sql`delete from pending_number`.execute(database.db);
  await migrated();
  const failed: Record<string, string> = {};
  for (const [name, run] of Object.entries(statements)) {
    await run().catch((error: Error) => {
      failed[name] = error.message;
    });
  }
  expect(failed).toEqual({});
});
