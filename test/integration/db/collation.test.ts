// A database whose collation passes over punctuation, as some of ICU do, and those of an older libc are said to. Ids and holders are compared
// byte by byte all the same.
import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { migrate } from '../../../src/db/migrate.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { openSessions } from '../../../src/db/verify/open.ts';
import { toOpenItem } from '../../../src/engine/sessions/change.ts';
import { databaseAt } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';
import { databaseUrl, execute } from '../../support/server.ts';
import { request, Story } from '../../support/session.ts';

const { url: server } = inject('databaseServer');
const name = `ramz_collation_${process.pid}_${Date.now()}`;
await execute(
  server,
  `create database ${name} template template0 encoding 'UTF8' locale 'C' locale_provider icu icu_locale 'en-u-ka-shifted'`,
);
const database = databaseAt<unknown>(databaseUrl(server, name));
afterAll(async () => {
  await database.close();
  await execute(server, `drop database ${name} with (force)`);
});

test('a session that is opened for a route of another process stands in the queue of the route', async () => {
  await migrate(database.plain);
  await ensurePartitions(database.plain, Date.now(), 30);
  const { rows } = await sql<{ passes: boolean }>`select 'route/sms' > 'route0' as passes`.execute(database.db);
  expect(rows).toEqual([{ passes: true }]);
  const { session } = new Story({ request: { ...request, id: ids('vrf_'), to: '+213550000001' } });
  const messages = session.messages.map((message) => ({ ...message, id: ids('msg_') }));
  const opened = { ...session, messages, version: 1 };
  const results = await openSessions(database.lanes, [toOpenItem(opened, 'route/sms/atlas', null)]);
  expect(results).toMatchObject([{ kind: 'opened' }]);
  const queue = await sql`select route, session_id from route_queue`.execute(database.db);
  expect(queue.rows).toEqual([{ route: 'sms/atlas', session_id: session.id }]);
});
