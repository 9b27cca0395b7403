// What the worlds of the guards are made of, through the API and on the database.
import type { TestService } from '../../support/service.ts';
import type { Client } from '../../support/service-client.ts';

export type Json = Record<string, unknown>;

/** The body of an answer that must be 200. */
export async function ok(
  client: Client,
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
): Promise<Json> {
  const answer = await client.call<Json>(method, path, body, headers);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** As after open registration. */
export async function waitForApproval(database: TestService['database'], accountId: string): Promise<void> {
  const waiting = { approved_at: null as never };
  await database.db.updateTable('account').set(waiting).where('id', '=', accountId).execute();
}

/** A stop that holds: what is sent to one prefix looks like pumping. */
export async function insertStop(
  database: TestService['database'],
  accountId: string,
  idOf = (own: string): string => own,
): Promise<string> {
  const id = idOf(`stop_${accountId.slice('acct_'.length)}`);
  const found = {
    prefix: '+213664',
    rule: 'prefix_conversion',
    reason: 'low_conversion',
    sent: 100,
    verified: 0,
  } as const;
  const [started_at, ends_at] = [new Date(), new Date(Date.now() + 3_600_000)];
  const row = { ...found, id, account_id: accountId, enforced: true, started_at, ends_at };
  await database.db.insertInto('stop').values(row).execute();
  return id;
}

/** What links a business's own account on the messaging platform, which calls the service at `http`. */
export async function linkable(sandbox: TestService['sandbox'], http: string) {
  const { accounts, subscriptions } = sandbox.platform;
  const waba_id = accounts.addWaba('Shop').id;
  const phone_number_id = accounts.addPhone(waba_id, '+213550008001', 'Shop').id;
  const access_token = accounts.issueToken(waba_id).token;
  await subscriptions.subscribe(`${http}/v1/callbacks/messaging`, sandbox.messagingIdentity.verifyToken);
  return { waba_id, phone_number_id, access_token };
}

/** The first event of an endpoint. */
export async function firstEvent(client: Client, endpointId: string): Promise<string | undefined> {
  const path = `/v1/webhook_endpoints/${endpointId}/deliveries`;
  const { deliveries } = (await ok(client, 'GET', path)) as unknown as { deliveries: { event_id: string }[] };
  return deliveries[0]?.event_id;
}
