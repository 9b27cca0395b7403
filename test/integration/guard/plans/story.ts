// A story that sends each statement of the hot path at least once: sends of every kind, checks, lists, webhooks, what is left to
// another process, and what comes too late.
import { execute } from '../../../support/server.ts';
import type { LocalServer, TestService } from '../../../support/service.ts';
import { type Client, serviceClient } from '../../../support/service-client.ts';
import { until } from '../../../support/wait.ts';

export async function tell(service: TestService): Promise<void> {
  const { sandbox, adminToken } = service;
  service.configure({ messaging: sandbox.messaging, verify: { resend_interval_seconds: 0 } });
  const one = await service.startHere();
  const two = await service.startHere();
  await sandbox.platform.subscriptions.subscribe(
    `${one.http}/v1/callbacks/messaging`,
    sandbox.messagingIdentity.verifyToken,
  );
  const admin = serviceClient(one.http, adminToken);
  // With the limits that everybody has.
  const { body } = await admin.call<{ account: { id: string }; live_key: { key: string } }>('POST', '/v1/accounts', {
    name: 'Shop',
  });
  const live = serviceClient(one.http, body.live_key.key);
  const elsewhere = serviceClient(two.http, body.live_key.key);
  const ok = async <T = Record<string, string>>(client: Client, method: string, path: string, body?: object) => {
    const answer = await client.call<T>(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  await settings(admin, live, ok, sandbox.webhookUrl);
  const first = await verified(live, sandbox);
  await verified(one.live, sandbox);
  await elsewhereChecked(live, elsewhere);
  await unsettled(live, sandbox);
  await lists(live, ok, first);
  await webhooks(live, ok);
  await linked(service, live, ok);
  await lateReceipts(service, live, one);
}

type Ok = <T = Record<string, string>>(client: Client, method: string, path: string, body?: object) => Promise<T>;

let told = 0;
const freshNumber = (): string => {
  told += 1;
  return `+213663${String(told).padStart(6, '0')}`;
};

async function settings(admin: Client, live: Client, ok: Ok, webhookUrl: string): Promise<void> {
  // Nobody listens there: what fails is among the retries.
  await ok(live, 'POST', '/v1/webhook_endpoints', { url: 'http://127.0.0.1:1/', event_types: ['session.verified'] });
  await ok(live, 'POST', '/v1/webhook_endpoints', { url: `${webhookUrl}?all` });
  const { id } = await ok(live, 'POST', '/v1/sender_ids', { name: 'Shop' });
  for (const operator of ['atlas', 'sahara', 'djurdjura']) {
    await ok(admin, 'POST', `/v1/sender_ids/${id}/decisions`, { operator, status: 'approved' });
  }
  const autofill = { web_origins: ['https://shop.example'] };
  await ok(live, 'PATCH', '/v1/account', { default_sender_id: 'Shop', autofill });
  const key = await ok(live, 'POST', '/v1/api_keys', { name: 'spare' });
  await ok(live, 'POST', `/v1/api_keys/${key.id}/revoke`, {});
}

/** Sent with an idempotency key, sent again, guessed wrong, and verified. */
async function verified(client: Client, sandbox: TestService['sandbox']): Promise<string> {
  const to = freshNumber();
  const send = { to, purpose: 'login', client_reference: 'order-1' };
  const once = { 'idempotency-key': `send ${to}` };
  const { body: sent } = await client.call<{ id: string }>('POST', '/v1/verify/send', send, once);
  await client.call('POST', '/v1/verify/send', send, once);
  await client.sessionWhen(sent.id, 'the delivery', ({ delivery }) => delivery === 'delivered');
  await client.call('POST', '/v1/verify/send', { to, purpose: 'login' });
  await client.sessionWhen(
    sent.id,
    'the second delivery',
    ({ messages }) => messages.filter(({ receipts }) => receipts.length > 0).length === 2,
  );
  await client.check(sent.id, '123456');
  const code = await sandbox.codeTo(to);
  await client.call('POST', '/v1/verify/check', { to, purpose: 'login', code }, { 'idempotency-key': `check ${to}` });
  await client.call('POST', '/v1/verify/check', { to, purpose: 'login', code });
  await client.call('POST', '/v1/verify/check', { to: freshNumber(), code });
  return sent.id;
}

/** What one process opened, another goes on with. */
async function elsewhereChecked(here: Client, there: Client): Promise<void> {
  const to = freshNumber();
  const { id } = await here.send(to);
  await there.session(id);
  await there.check(id, '123456');
  await there.call('POST', `/v1/verify/sessions/${id}/cancel`, {});
  await here.session(id);
}

/** Over while the operator has not answered yet. */
async function unsettled(client: Client, { smscs: { sahara } }: TestService['sandbox']): Promise<void> {
  sahara.faults.answersPaused = true;
  const { id } = await client.send(freshNumber());
  const message = (what: string) => client.sessionWhen(id, what, ({ messages }) => messages[0]?.status === what);
  await message('submitting');
  await client.call('POST', `/v1/verify/sessions/${id}/cancel`, {});
  sahara.faults.reset();
  sahara.resumeAnswers();
  await message('delivered');
}

async function lists(client: Client, ok: Ok, id: string): Promise<void> {
  const { to } = await client.session(id);
  const after = new Date(Date.now() - 3_600_000).toISOString();
  const filters = [
    '',
    `to=${encodeURIComponent(to)}`,
    'status=verified',
    'client_reference=order-1',
    'purpose=login',
    'delivery=delivered',
    `created_after=${after}`,
  ];
  for (const filter of filters) {
    const page = await ok(client, 'GET', `/v1/verify/sessions?page_size=1&${filter}`);
    if (page.next_page_token)
      await ok(client, 'GET', `/v1/verify/sessions?page_size=1&${filter}&page_token=${page.next_page_token}`);
  }
  for (const path of [
    '/v1/account',
    '/v1/account/measures',
    '/v1/verify/summary',
    '/v1/verify/summary?group_by=hour&group_by=operator&group_by=channel',
    '/v1/api_keys',
    '/v1/sender_ids',
    '/v1/webhook_endpoints',
  ]) {
    await ok(client, 'GET', path);
  }
}

async function webhooks(client: Client, ok: Ok): Promise<void> {
  const { webhook_endpoints } = await ok<{ webhook_endpoints: { id: string }[] }>(
    client,
    'GET',
    '/v1/webhook_endpoints',
  );
  const path = `/v1/webhook_endpoints/${webhook_endpoints[0]?.id}`;
  const delivered = async (query = '') => {
    const { deliveries } = await ok<{ deliveries: { event_id: string }[] }>(
      client,
      'GET',
      `${path}/deliveries${query}`,
    );
    return deliveries[0];
  };
  const event = await until(() => delivered(), { what: 'a webhook' });
  await delivered('?status=failed');
  await ok(client, 'POST', `${path}/deliveries/${event.event_id}/redeliver`, {});
  const nobodys = event.event_id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  await client.call('POST', `${path}/deliveries/${nobodys}/redeliver`, {});
  await ok(client, 'POST', `${path}/replay`, { event_types: ['sender_id.decided'] });
  await ok(client, 'POST', `${path}/test`, {});
  await ok(client, 'POST', `${path}/rotate_secret`, {});
  await ok(client, 'PATCH', path, { description: 'shop' });
}

/** The business's own account at the messaging platform, and a message from it. */
async function linked({ sandbox }: TestService, client: Client, ok: Ok): Promise<void> {
  const waba_id = sandbox.platform.accounts.addWaba('Shop').id;
  const phone_number_id = sandbox.platform.accounts.addPhone(waba_id, '+213550008001', 'Shop').id;
  const access_token = sandbox.platform.accounts.issueToken(waba_id).token;
  await ok(client, 'POST', '/v1/waba', { waba_id, phone_number_id, access_token });
  const isLinked = async () => (await ok(client, 'GET', '/v1/waba')).status === 'connected';
  await until(isLinked, { what: 'the link' });
  const fromOwnNumber = async () => {
    const { id } = await client.send(freshNumber(), { channel: 'whatsapp' });
    await client.sessionWhen(id, 'the delivery', ({ delivery }) => delivery === 'delivered');
    return (await ok(client, 'GET', '/v1/account/measures')).messaging_app_first_send_at;
  };
  await until(fromOwnNumber, { what: 'a message from the own number' });
}

/** Receipts that reach another process than the one that sent: of one message it finds the reference, of another nobody does for a while, of the last nobody ever. */
async function lateReceipts({ sandbox, database }: TestService, client: Client, sender: LocalServer): Promise<void> {
  for (const smsc of Object.values(sandbox.smscs)) smsc.holdReceipts();
  const known = await client.send(freshNumber());
  const late = await client.send(freshNumber());
  const lost = await client.send(freshNumber());
  for (const { id } of [known, late, lost]) {
    await client.sessionWhen(id, 'the answer', ({ messages }) => messages[0]?.provider_message_id !== '');
  }
  await execute(database.url, `delete from operator_reference where session_id = '${lost.id}'`);
  const refer = (reference: string) =>
    execute(database.url, `update operator_reference set reference = ${reference} where session_id = '${late.id}'`);
  await refer("'late ' || reference");
  await sender.app.close();
  for (const smsc of Object.values(sandbox.smscs)) smsc.releaseReceipts();
  const has = async (count: number, rows: string) =>
    (await execute(database.url, `select from ${rows}`)).rowCount === count;
  const arrived = (id: string) => has(1, `receipt where session_id = '${id}'`);
  await until(() => arrived(known.id), { what: 'the receipt at the other process' });
  await until(() => has(2, 'parked_receipt'), { what: 'the receipts nobody knows' });
  await refer('substr(reference, 6)');
  await until(() => arrived(late.id), { what: 'the parked receipt at its message' });
  await until(() => has(1, 'parked_receipt'), { what: 'the one that nobody ever knows' });
}
