// Servers with wide and with narrow limits over one database, and accounts that have run into each of them: what the cases of
// states.ts ask of.

import { create } from '@bufbuild/protobuf';
import { afterAll } from 'vitest';
import { VerifyService } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { callers } from '../../../support/doors.ts';
import { type LocalServer, testService } from '../../../support/service.ts';
import { type Client, serviceClient } from '../../../support/service-client.ts';
import { until } from '../../../support/wait.ts';
import { firstEvent, insertStop, linkable, ok, waitForApproval } from '../making.ts';

/** `strict` is no sandbox, has no RAMZ_ADMIN_TOKEN, links no messaging app and allows little; at `still` every account has made too many calls. */
export type ServerName = 'wide' | 'strict' | 'still';

export interface Tenant {
  id: string;
  live: Client;
  test: Client;
  liveKey: string;
  testKey: string;
  liveKeyId: string;
}

/** Of the sandbox's second operator: no scenario numbers. */
let numbers = 0;
export function freshNumber(): string {
  numbers += 1;
  return `+213663${String(numbers).padStart(6, '0')}`;
}

export const nobody = (prefix: string): string => `${prefix}_00000000000000000000000000`;

export async function makeWorld() {
  const service = await testService({ errorsExpected: false });
  const { sandbox, database, adminToken, configure } = service;
  // Long after this file's end, so that `too soon` holds at the last door of a slow machine, too.
  configure({ messaging: sandbox.messaging, verify: { resend_interval_seconds: 500, allow_custom_code: true } });
  const wide = await service.startHere();
  const narrow = {
    sends_per_number_per_hour: 2,
    sends_per_number_per_day: 2,
    failures_per_number_per_hour: 2,
    account_sends_per_second: 0.001,
    account_sends_burst: 20,
    watches_per_account: 1,
    webhook_endpoints_per_host: 1,
    client: { device: { sends_per_hour: 2 } },
  };
  configure({
    sandbox: false,
    webhooks: { allow_private_targets: false },
    verify: { max_sends: 1, resend_interval_seconds: 0, timeout_seconds: { min: 5, max: 60 } },
    limits: narrow,
  });
  delete service.env.RAMZ_ADMIN_TOKEN;
  const strict = await service.startHere();
  configure({ limits: { account_calls_per_second: 0.001, authentication_failures_per_minute: 1 } });
  const still = await service.startHere();
  const servers: Record<ServerName, LocalServer> = { wide, strict, still };

  const admin = serviceClient(wide.http, adminToken);
  const tenant = async (name: string, at: ServerName = 'wide'): Promise<Tenant> => {
    const made = (await ok(admin, 'POST', '/v1/accounts', { name })) as unknown as {
      account: { id: string };
      live_key: { id: string; key: string };
      test_key: { key: string };
    };
    const { http } = servers[at];
    const [liveKey, testKey] = [made.live_key.key, made.test_key.key];
    return {
      id: made.account.id,
      liveKeyId: made.live_key.id,
      liveKey,
      testKey,
      live: serviceClient(http, liveKey),
      test: serviceClient(http, testKey),
    };
  };
  const a = await tenant('Alice');
  const other = await tenant('Bob');

  // Keys that are of no use any more.
  const key = (body: object) => ok(a.live, 'POST', '/v1/api_keys', body);
  const revoked = await key({ name: 'revoked' });
  await ok(a.live, 'POST', `/v1/api_keys/${revoked.id}/revoke`, {});
  const expired = await key({ name: 'expired', expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  await database.db
    .updateTable('api_key')
    .set({ expires_at: new Date(0) })
    .where('id', '=', String(expired.id))
    .execute();
  const brief = await key({ name: 'brief', expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  const spare = await key({ name: 'spare' });
  const scoped = {
    verify: await key({ name: 'v', scopes: ['verify'] }),
    read: await key({ name: 'r', scopes: ['read'] }),
  };
  const manager = await key({ name: 'm', scopes: ['manage'] });
  const waiting = await tenant('Walter');
  await waitForApproval(database, waiting.id);
  const closed = await tenant('Closed');
  await ok(closed.live, 'PATCH', '/v1/account', { allowed_prefixes: ['+21355'] });
  const bound = await key({ name: 'bound', restrictions: { prefixes: ['+21355'] } });
  const poor = await tenant('Poor');
  const limits = JSON.stringify({ budget: { sends_per_day: 0 } });
  await database.db.updateTable('account').set({ limits }).where('id', '=', poor.id).execute();
  const stopped = await tenant('Stopped');
  const stopId = await insertStop(database, stopped.id);
  await database.db
    .updateTable('account')
    .set({ limits: JSON.stringify({ rules: { prefix_conversion: 'enforce' } }) })
    .where('id', '=', stopped.id)
    .execute();
  const suspended = await tenant('Mallory');
  await database.db.updateTable('account').set({ suspended_at: new Date() }).where('id', '=', suspended.id).execute();
  const [ofClosed, purging] = [await tenant('Closed'), await tenant('Purging')];
  const closing = { suspended_at: new Date(), closed_at: new Date() };
  await database.db.updateTable('account').set(closing).where('id', '=', ofClosed.id).execute();
  const gone = { ...closing, purging_since: new Date() };
  await database.db.updateTable('account').set(gone).where('id', '=', purging.id).execute();

  // Administrators; of those who may make others, one alone.
  const administrator = (body: object) => ok(admin, 'POST', '/v1/admin/administrators', body);
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const auditor = await administrator({ name: 'Auditor', scopes: ['administrators', 'audit'], expires_at: soon });
  const clerk = await administrator({ name: 'Clerk', scopes: ['accounts'] });

  // Sessions in each state.
  const once = (value: string) => ({ 'idempotency-key': value });
  const pendingNumber = freshNumber();
  const pending = await ok(a.test, 'POST', '/v1/verify/send', { to: pendingNumber, purpose: 'login' });
  const verified = await ok(a.test, 'POST', '/v1/verify/send', { to: freshNumber() });
  await ok(a.test, 'POST', '/v1/verify/check', { id: verified.id, code: '000000' });
  await ok(a.test, 'POST', '/v1/verify/send', { to: freshNumber() }, once('used'));
  await ok(a.test, 'POST', '/v1/verify/check', { id: pending.id, code: '123456' }, once('used'));
  const theirs = await ok(other.test, 'POST', '/v1/verify/send', { to: freshNumber() });

  // At the limits of the strict server.
  const limited = await tenant('Limited', 'strict');
  const fullNumber = freshNumber();
  const client = { device_id: 'of two' };
  for (const purpose of ['one', 'two'])
    await ok(limited.live, 'POST', '/v1/verify/send', { to: fullNumber, purpose, client });
  const sentOnce = freshNumber();
  const watched = await ok(limited.test, 'POST', '/v1/verify/send', { to: sentOnce, purpose: 'login' });
  const hasty = await tenant('Hasty', 'strict');
  for (let n = 0; n < 20; n += 1) await ok(hasty.test, 'POST', '/v1/verify/send', { to: freshNumber() });
  const guesser = await tenant('Guesser', 'strict');
  const locked = await ok(guesser.test, 'POST', '/v1/verify/send', { to: freshNumber() });
  for (let n = 0; n < 2; n += 1) await ok(guesser.test, 'POST', '/v1/verify/check', { id: locked.id, code: '123456' });

  // A watch that nobody ends.
  const watching = callers(strict.app);
  const grpc = watching.find(({ door }) => door === 'grpc');
  const { watchSession } = VerifyService.method;
  const watch = grpc?.stream(watchSession, create(watchSession.input, { id: String(watched.id) }), {
    authorization: `Bearer ${limited.testKey}`,
  });
  await watch?.next();
  afterAll(async () => {
    await watch?.return(undefined);
    for (const each of watching) each.close();
  });

  // As many as there may be of each resource.
  const full = await tenant('Full');
  const fill = async (path: string, body: (n: number) => object) => {
    for (let n = 0; n < 200; n += 20) {
      const made = Array.from({ length: 20 }, (_, index) => full.test.call('POST', path, body(n + index)));
      if ((await Promise.all(made)).some(({ status }) => status !== 200)) return;
    }
    throw new Error(`${path}: nothing is ever too many`);
  };
  await fill('/v1/api_keys', (n) => ({ name: `k${n}` }));
  await fill('/v1/sender_ids', (n) => ({ name: `S${n}` }));
  await fill('/v1/webhook_endpoints', (n) => ({ url: `https://h${n}.example/` }));

  // Endpoints.
  const endpoint = await ok(a.live, 'POST', '/v1/webhook_endpoints', { url: `${sandbox.webhookUrl}?guard` });
  const disabled = await ok(a.live, 'POST', '/v1/webhook_endpoints', { url: `${sandbox.webhookUrl}?off` });
  await ok(a.live, 'POST', '/v1/webhook_endpoints', { url: 'https://taken.example/' });
  const listEntry = await ok(a.live, 'POST', '/v1/limits/lists', { list: 'block', value: '+213550009999' });
  const sender = await ok(a.live, 'POST', '/v1/sender_ids', { name: 'Alice' });
  await ok(a.test, 'POST', '/v1/sender_ids', { name: 'Alicia' });
  await ok(admin, 'POST', `/v1/sender_ids/${sender.id}/decisions`, { operator: 'atlas', status: 'rejected' });
  const eventId = await until(() => firstEvent(a.live, String(disabled.id)), { what: 'an event of the endpoint' });
  await ok(a.live, 'PATCH', `/v1/webhook_endpoints/${disabled.id}`, { enabled: false });

  // Autofill that waits for its approval.
  await ok(a.live, 'PATCH', '/v1/account', { autofill: { web_origins: ['https://pending.example'] } });

  // A brand and a text that the operator of the service has rejected.
  const rejected = { brand: 'Other Bank', text: { language: 'fr', text: '{code}, cher client' } };
  await ok(a.live, 'PATCH', '/v1/account', { brand: rejected.brand, texts: [rejected.text] });
  const decide = (decision: object) =>
    ok(admin, 'POST', `/v1/accounts/${a.id}/wording_decisions`, { ...decision, status: 'rejected' });
  await decide({ brand: rejected.brand });
  await decide({ text: rejected.text });

  // The business's own messaging-app account, of somebody else.
  const link = await linkable(sandbox, wide.http);
  await ok(other.live, 'POST', '/v1/waba', link);
  await until(async () => (await ok(other.live, 'GET', '/v1/waba')).status === 'connected', { what: 'the link' });

  const pageToken = async (path: string) => String((await ok(a.live, 'GET', `${path}?page_size=1`)).next_page_token);
  const auditRows = async () => {
    const counted = database.db.selectFrom('audit_event').select(({ fn }) => fn.countAll<string>().as('rows'));
    return Number((await counted.executeTakeFirstOrThrow()).rows);
  };
  return {
    auditRows,
    servers,
    adminToken,
    a,
    other,
    limited,
    hasty,
    poor,
    guesser,
    full,
    stopped,
    stopId,
    closedId: ofClosed.id,
    purgingId: purging.id,
    keys: {
      revoked: String(revoked.key),
      expired: String(expired.key),
      brief: String(brief.key),
      verify: String(scoped.verify.key),
      read: String(scoped.read.key),
      manage: String(manager.key),
      suspended: suspended.liveKey,
      ofClosed: ofClosed.liveKey,
      closed: closed.liveKey,
      bound: String(bound.key),
      waiting: waiting.liveKey,
    },
    tokens: { auditor: String(auditor.token), auditorId: String(auditor.id), clerk: String(clerk.token) },
    spareKeyId: String(spare.id),
    pending: { id: String(pending.id), number: pendingNumber },
    verifiedId: String(verified.id),
    theirId: String(theirs.id),
    fullNumber,
    sentOnce,
    limitedId: String(watched.id),
    lockedId: String(locked.id),
    endpointId: String(endpoint.id),
    disabledId: String(disabled.id),
    eventId,
    senderId: String(sender.id),
    listEntryId: String(listEntry.id),
    phoneNumberId: link.phone_number_id,
    keysToken: await pageToken('/v1/api_keys'),
  };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;
