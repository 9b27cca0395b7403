// An account with something of each kind, and an administrator: those whose changes the audit log must have.
import { testService } from '../../../support/service.ts';
import { serviceClient } from '../../../support/service-client.ts';
import { until } from '../../../support/wait.ts';
import { firstEvent, insertStop, type Json, linkable, ok, waitForApproval } from '../making.ts';

export async function makeWorld() {
  const service = await testService();
  const { sandbox, database, accountId, liveKey, adminToken } = service;
  service.configure({ messaging: sandbox.messaging });
  const server = await service.startHere();
  const { live } = server;
  const bootstrap = serviceClient(server.http, adminToken);
  const administrator = await ok(bootstrap, 'POST', '/v1/admin/administrators', { name: 'Amina' });

  const make = async (path: string, body: object, by = live) => String((await ok(by, 'POST', path, body)).id);
  const things: Record<string, string> = {
    endpoint: await make('/v1/webhook_endpoints', { url: sandbox.webhookUrl }),
    sender: await make('/v1/sender_ids', { name: 'Shop' }),
    administrator: await make('/v1/admin/administrators', { name: 'Nadia' }, bootstrap),
    listEntry: await make('/v1/limits/lists', { list: 'block', value: '+213550009998' }),
    platformEntry: await make('/v1/admin/limits/lists', { list: 'block', value: '+213550009997' }, bootstrap),
  };
  for (const name of ['account', 'waiting']) {
    const made = await ok(bootstrap, 'POST', '/v1/accounts', { name });
    things[name] = String((made.account as Json).id);
  }
  await waitForApproval(database, things.waiting ?? '');
  const link = await linkable(sandbox, server.http);
  const other = (await ok(bootstrap, 'POST', '/v1/accounts', { name: 'Other' })) as {
    account: { id: string };
    live_key: { id: string };
  };
  const reader = await ok(live, 'POST', '/v1/api_keys', { name: 'reader', scopes: ['read'] });
  const clerk = await ok(bootstrap, 'POST', '/v1/admin/administrators', { name: 'Clerk', scopes: ['audit'] });

  return {
    server,
    database,
    accountId,
    webhookUrl: sandbox.webhookUrl,
    things,
    link,
    keys: { key: liveKey, administrator: String(administrator.token) },
    /** Those who lack the scope. */
    lacking: { key: String(reader.key), administrator: String(clerk.token) },
    otherId: other.account.id,
    otherKeyId: other.live_key.id,
    /** A site that waits for approval. */
    registered: async () => {
      await ok(live, 'PATCH', '/v1/account', { autofill: { web_origins: ['https://shop.example'] } });
      return 'https://shop.example';
    },
    /** A stop that holds. */
    stopped: (idOf?: (own: string) => string) => insertStop(database, accountId, idOf),
    newKey: () => make('/v1/api_keys', { name: 'spare' }),
    /** An event of the endpoint. */
    delivered: () => until(() => firstEvent(live, things.endpoint ?? ''), { what: 'an event of the endpoint' }),
    events: () => database.db.selectFrom('audit_event').selectAll().orderBy('id').execute(),
  };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;
