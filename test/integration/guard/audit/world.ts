// An account with something of each kind, and an administrator: those whose changes the audit log must have.
import { testService } from '../../../support/service.ts';
import { type Client, serviceClient } from '../../../support/service-client.ts';
import { until } from '../../../support/wait.ts';

type Json = Record<string, unknown>;

async function ok(client: Client, method: string, path: string, body?: object): Promise<Json> {
  const answer = await client.call<Json>(method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

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
  await database.db
    .updateTable('account')
    .set({ approved_at: null as never })
    .where('id', '=', things.waiting ?? '')
    .execute();
  const { accounts, subscriptions } = sandbox.platform;
  const waba_id = accounts.addWaba('Shop').id;
  const phone_number_id = accounts.addPhone(waba_id, '+213550008001', 'Shop').id;
  const link = { waba_id, phone_number_id, access_token: accounts.issueToken(waba_id).token };
  await subscriptions.subscribe(`${server.http}/v1/callbacks/messaging`, sandbox.messagingIdentity.verifyToken);
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
    stopped: async (idOf = (own: string) => own) => {
      const stop = {
        prefix: '+213664',
        rule: 'prefix_conversion',
        reason: 'low_conversion',
        sent: 100,
        verified: 0,
      } as const;
      const id = idOf(`stop_${accountId.slice('acct_'.length)}`);
      const [started_at, ends_at] = [new Date(), new Date(Date.now() + 3_600_000)];
      const row = { ...stop, id, account_id: accountId, enforced: true, started_at, ends_at };
      await database.db.insertInto('stop').values(row).execute();
      return id;
    },
    newKey: () => make('/v1/api_keys', { name: 'spare' }),
    /** An event of the endpoint. */
    delivered: () =>
      until(
        async () => {
          const path = `/v1/webhook_endpoints/${things.endpoint}/deliveries`;
          const { deliveries } = (await ok(live, 'GET', path)) as unknown as { deliveries: { event_id: string }[] };
          return deliveries[0]?.event_id;
        },
        { what: 'an event of the endpoint' },
      ),
    events: () => database.db.selectFrom('audit_event').selectAll().orderBy('id').execute(),
  };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;
