// The running service against its own document: one story through every operation. What it must refuse is in refusals.ts.
// Run by `node --test` with the environment of test/sdks/live.ts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { call, done, env, seen } from './client.ts';
import { checkClosed, document, type JsonObject, routes } from './document.ts';
import { stopped } from './stop.ts';

const file = JSON.parse((await import('node:fs')).readFileSync(env('RAMZ_SANDBOX_FILE'), 'utf8')) as {
  prefixes: string[];
};
const admin = { key: env('RAMZ_ADMIN_TOKEN') };
let lastNumber = 4_200_000 + Math.floor(Math.random() * 100_000);
const newNumber = (): string => `${file.prefixes[0]}${String(++lastNumber)}`;
const text = (value: unknown): string => String(value);

/** Waits for something of the sandbox. */
async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error('it did not come in time');
    await wait(50);
  }
}

async function sandbox<T>(path: string): Promise<T> {
  return (await (await fetch(`${env('RAMZ_SANDBOX_URL')}${path}`)).json()) as T;
}

const codeAt = (to: string): Promise<string> =>
  eventually(async () => {
    const { messages } = await sandbox<{ messages: { text: string }[] }>(
      `/sandbox/messages?to=${encodeURIComponent(to)}`,
    );
    return /\b\d{6}\b/.exec(messages[0]?.text ?? '')?.[0];
  });

test('verify', async () => {
  const to = newNumber();
  const sent = await done('send', { body: { to, client_reference: 'طلب 1042 🛒' } });
  const id = text(sent.json.id);
  const code = await codeAt(to);
  const wrong = await done('check', { body: { id, code: code === '000000' ? '000001' : '000000' } });
  assert.deepEqual([wrong.json.valid, wrong.json.reason], [false, 'incorrect_code']);
  assert.equal((await call('send', { body: { to } })).code, 'resend_too_soon');
  const otherLength = { to, code_length: 8 };
  assert.ok(['session_differs', 'resend_too_soon'].includes((await call('send', { body: otherLength })).code));
  assert.equal((await call('check', { body: { to, code } })).json.valid, true);
  await eventually(async () => {
    const { json } = await done('getSession', { path: { id } });
    return json.delivery === 'delivered' ? json : undefined;
  });
  assert.equal((await call('cancelSession', { path: { id } })).code, 'session_not_pending');
  const { json: state } = await done('watchSession', { path: { id } });
  assert.equal((state.session as JsonObject).status, 'verified');
  const told = { path: { id }, headers: { 'last-event-id': text(state.event_id) } };
  assert.equal((await call('watchSession', told)).status, 204);
  const own = await done('send', { body: { to: newNumber(), code: '042617' } });
  const report = { path: { id: text(own.json.id) }, body: { outcome: 'verified' } };
  assert.equal((await done('reportSession', report)).json.status, 'verified');
  assert.equal((await call('reportSession', { ...report, body: { outcome: 'fraud' } })).code, 'session_not_pending');
  const second = await done('send', { body: { to: newNumber() } });
  await done('cancelSession', { path: { id: text(second.json.id) } });
  for (const query of [
    {},
    { page_size: '1' },
    { to },
    { status: 'canceled' },
    { purpose: 'login' },
    { delivery: 'delivered' },
    { created_after: '2026-01-01T00:00:00Z' },
  ])
    await done('listSessions', { query });
  await done('getSummary', {});
  await done('getSummary', { query: { group_by: ['hour', 'operator', 'channel'] } });
  const came = await eventually(async () => {
    const { webhooks } = await sandbox<{ webhooks: { event: { type: string } }[] }>(
      `/sandbox/webhooks?session_id=${id}`,
    );
    return webhooks.some(({ event }) => event.type === 'session.verified') && webhooks;
  });
  for (const { event } of came || []) isAsDocumented(event);
});

/** A real callback against the schema of its type. */
function isAsDocumented(event: { type: string }): void {
  const schema = document.webhooks[event.type]?.post.requestBody?.content?.['application/json'].schema;
  assert.ok(schema, `no webhook ${event.type}`);
  assert.equal(checkClosed(schema, event), undefined, JSON.stringify(event));
}

test('account, keys, sender names', async () => {
  const made = await done('createAccount', { ...admin, body: { name: 'Docs', language: 'fr' } });
  const keyOf = (which: string): string => text((made.json[which] as unknown as JsonObject).key);
  const key = keyOf('live_key');
  await done('getAccount', { key });
  await done('updateAccount', { key, body: { name: 'Documents', language: 'ar', in_country_only: true } });
  const wording = { brand: 'Documents', texts: [{ language: 'fr', text: '{code} est votre code {brand}.' }] };
  await done('updateAccount', { key, body: wording });
  const account_id = text((made.json.account as unknown as JsonObject).id);
  const approved = { brand: wording.brand, status: 'approved', reason: 'trade register matches' };
  await done('decideWording', { ...admin, path: { account_id }, body: approved });
  const rejected = { text: wording.texts[0], status: 'rejected' };
  await done('decideWording', { ...admin, path: { account_id }, body: rejected as unknown as JsonObject });
  assert.equal((await call('updateAccount', { key, body: wording })).code, 'text_not_approved');
  await done('getMeasures', { key });
  await done('getLimits', { key });
  const created = await done('createApiKey', { key, body: { name: 'reader', scopes: ['read'] } });
  const reader = text(created.json.key);
  assert.equal((await call('createApiKey', { key: reader, body: { name: 'x' } })).code, 'missing_scope');
  assert.equal(
    (await call('createApiKey', { key: keyOf('test_key'), body: { name: 'x', test: false } })).code,
    'live_key_required',
  );
  await done('revokeApiKey', { key, path: { id: text(created.json.id) } });
  assert.equal((await call('getAccount', { key: reader })).code, 'revoked_api_key');
  assert.equal(
    (await call('revokeApiKey', { key, path: { id: text((made.json.live_key as unknown as JsonObject).id) } })).code,
    'last_manage_key',
  );
  await done('listApiKeys', { key, query: { include_revoked: 'true' } });
  const entry = await done('createListEntry', { key, body: { list: 'block', value: '+213551*', note: 'docs' } });
  await done('listListEntries', { key, query: { list: 'block' } });
  await done('deleteListEntry', { key, path: { id: text(entry.json.id) } });
  const sender = await done('createSenderId', { key, body: { name: 'Docs' } });
  const path = { id: text(sender.json.id) };
  assert.equal((await call('createSenderId', { key, body: { name: 'Docs' } })).code, 'sender_id_exists');
  await done('getSenderId', { key, path });
  await done('listSenderIds', { key });
  const operator = text(((sender.json.decisions as unknown as JsonObject[])[0] as JsonObject).operator);
  const decision = { operator, status: 'approved', reason: 'trade register matches' };
  await done('decideSenderId', { ...admin, path, body: decision });
  assert.equal((await call('decideSenderId', { key, path, body: decision })).code, 'invalid_admin_token');
});

test('limits', async () => {
  const stop = (await stopped()).json;
  const inside = `${text(stop.prefix)}${'0'.repeat(13 - text(stop.prefix).length)}`;
  const { json } = await done('dryRun', { body: { to: inside } });
  const objecting = (json.results as unknown as JsonObject[]).filter(({ objects }) => objects);
  assert.deepEqual([json.allowed, objecting[0]?.stop_id, objecting[0]?.mode], [true, stop.id, 'monitor']);
  const path = { id: text(stop.id) };
  assert.ok((await done('liftStop', { path })).json.lifted_at);
  await done('liftStop', { path });
  await done('listStops', { query: { page_size: '1' } });
  assert.equal((await call('liftStop', { path: { id: 'stop_0' } })).code, 'stop_not_found');
  assert.equal((await call('liftStop', { key: env('RAMZ_TEST_KEY'), path })).code, 'stop_not_found');
});

test('webhook endpoints', async () => {
  const created = await done('createWebhookEndpoint', { body: { url: `${env('RAMZ_WEBHOOK_SINK')}/docs` } });
  const path = { id: text(created.json.id) };
  await done('getWebhookEndpoint', { path });
  await done('listWebhookEndpoints', { query: { page_size: '1' } });
  await done('updateWebhookEndpoint', { path, body: { description: 'docs', event_types: ['session.canceled'] } });
  await done('rotateWebhookSecret', { path, body: { keep_previous_seconds: 0 } });
  await done('rotateWebhookSecret', { path, body: {} });
  for (const event_type of Object.keys(document.webhooks)) {
    await done('testWebhookEndpoint', { path, body: { event_type } });
  }
  const { webhooks } = await sandbox<{ webhooks: { event: { type: string } }[] }>('/sandbox/webhooks');
  const examples = webhooks.map(({ event }) => event);
  for (const type of Object.keys(document.webhooks)) assert.ok(examples.some((event) => event.type === type));
  const session = await done('send', { body: { to: newNumber() } });
  await done('cancelSession', { path: { id: text(session.json.id) } });
  const event_id = await eventually(async () => {
    const { json } = await done('listWebhookDeliveries', { path, query: { page_size: '5' } });
    const [first] = json.deliveries as unknown as JsonObject[];
    return Number(first?.attempts) > 0 ? text(first?.event_id) : undefined;
  });
  await done('redeliverWebhook', { path: { ...path, event_id } });
  await done('replayWebhooks', { path, body: { event_types: ['session.canceled'] } });
  assert.equal((await call('replayWebhooks', { path, body: { replay_token: 'x' } })).code, 'invalid_page_token');
  assert.equal(
    (await call('redeliverWebhook', { path: { ...path, event_id: 'evt_x' } })).code,
    'webhook_delivery_not_found',
  );
  assert.equal(
    (await call('updateWebhookEndpoint', { path, body: { url: 'ftp://shop.example/' } })).code,
    'invalid_webhook_url',
  );
  await done('deleteWebhookEndpoint', { path });
  assert.equal((await call('getWebhookEndpoint', { path })).code, 'webhook_endpoint_not_found');
});

test("the business's own WhatsApp account", async () => {
  const made = await done('createAccount', { ...admin, body: { name: 'App' } });
  const key = text((made.json.live_key as JsonObject).key);
  assert.equal((await call('getWaba', { key })).code, 'waba_not_found');
  await done('createWabaSignup', { key, body: { language: 'fr' } });
  const body = { waba_id: '104200000000777', phone_number_id: '109300000000777', access_token: 'EAAnobody' };
  await done('connectWaba', { key, body });
  await done('getWaba', { key });
  const test_key = text((made.json.test_key as JsonObject).key);
  assert.equal((await call('disconnectWaba', { key: test_key })).code, 'live_key_required');
  await done('disconnectWaba', { key });
});

test('the accounts of the deployment', async () => {
  const made = await done('createAccount', { ...admin, body: { name: 'Managed' } });
  const path = { id: text((made.json.account as JsonObject).id) };
  const { json } = await done('listAccounts', { ...admin, query: { search: path.id, status: 'active' } });
  assert.deepEqual(
    (json.accounts as unknown as JsonObject[]).map(({ id }) => id),
    [path.id],
  );
  await done('approveAccount', { ...admin, path });
  await done('suspendAccount', { ...admin, path, body: { reason: 'a stolen key' } });
  const { json: suspended } = await done('findAccount', { ...admin, path });
  assert.deepEqual([suspended.status, suspended.suspended_reason], ['suspended', 'a stolen key']);
  assert.equal((await done('resumeAccount', { ...admin, path })).json.status, 'active');
  const { json: closed } = await done('closeAccount', { ...admin, path, body: { reason: 'contract ended' } });
  assert.deepEqual([closed.status, closed.closed_reason], ['closed', 'contract ended']);
  const { json: exported } = await done('exportAccount', { ...admin, path, query: { page_size: '100' } });
  const kinds = (exported.records as unknown as JsonObject[]).map(({ kind }) => kind);
  assert.deepEqual([kinds[0], kinds.at(-1)], ['export', 'end']);
  assert.equal((await call('resumeAccount', { ...admin, path })).code, 'account_closed');
  assert.equal((await done('reopenAccount', { ...admin, path })).json.status, 'active');
});

test('the erasure of a number', async () => {
  const [to, other] = [newNumber(), newNumber()];
  const { json: sent } = await done('send', { body: { to } });
  const erased = await done('eraseNumber', { path: { to } });
  assert.deepEqual([erased.json.sessions, erased.json.complete], [1, true]);
  const { json } = await done('getSession', { path: { id: text(sent.id) } });
  assert.equal(json.status_reason, 'number_erased');
  await done('send', { body: { to: other } });
  assert.equal((await done('eraseNumberEverywhere', { ...admin, path: { to: other }, body: {} })).json.complete, true);
});

test('the administrators of the deployment', async () => {
  const made = await done('createAdministrator', { ...admin, body: { name: 'Amina Haddad', scopes: ['audit'] } });
  const { json } = await done('listAdministrators', { ...admin, query: { include_revoked: 'true' } });
  assert.ok((json.administrators as unknown as JsonObject[]).some(({ id }) => id === made.json.id));
  await done('revokeAdministrator', { ...admin, path: { id: text(made.json.id) } });
  assert.equal((await call('listAdministrators', { key: text(made.json.token) })).code, 'invalid_admin_token');
});

test('an account as administrators see it, and the audit log', async () => {
  const { json: made } = await done('createAccount', { ...admin, body: { name: 'Managed' } });
  const account_id = text((made.account as unknown as JsonObject).id);
  const { key, id: keyId } = made.live_key as unknown as { key: string; id: string };
  const web_origins = ['https://shop.example'];
  await done('updateAccount', { key, body: { autofill: { web_origins } } });
  const path = { id: account_id };
  await done('decideAutofill', { ...admin, path, body: { value: web_origins[0], approved: true } });
  await done('suspendAccount', { ...admin, path, body: { reason: 'a key was stolen' } });
  await done('resumeAccount', { ...admin, path });
  const rule_modes = { client_limit: 'monitor' };
  const budget = { sends_per_day: 500, spend_per_day: { DZD: '2500.00' }, unlimited: ['spend_per_hour'] };
  const change = { sends_per_second: 5, rule_modes, budget };
  const limited = await done('updateAccountLimits', { ...admin, path, body: change });
  const limits = limited.json.limits as unknown as JsonObject;
  assert.deepEqual(limits, {
    unlimited_numbers: false,
    sends_per_second: 5,
    rule_modes,
    budget: { ...budget, spend_per_hour: {} },
  });
  await done('unlockNumber', { ...admin, path, body: { to: newNumber() } });
  const { json: listed } = await done('listAuditEvents', { key });
  const events = listed.audit_events as unknown as JsonObject[];
  assert.ok(events.some(({ action }) => action === 'suspend_account'));
  await done('listAccountKeys', { ...admin, path });
  await done('revokeAccountKey', { ...admin, path: { id: keyId }, body: { force: true } });
  await done('revokeAllAccountKeys', { ...admin, path, body: {} });
  await done('listAdminAuditEvents', { ...admin, query: { account_id } });
});

test('the lists for all accounts, and the stops of accounts', async () => {
  const { json: entry } = await done('createPlatformEntry', {
    ...admin,
    body: { list: 'allow', value: '+213799999*' },
  });
  const { json: listed } = await done('listPlatformEntries', { ...admin, query: { list: 'allow' } });
  assert.ok(
    (listed.entries as unknown as JsonObject[]).some(({ id, value }) => id === entry.id && value === '+213799999*'),
  );
  await done('deletePlatformEntry', { ...admin, path: { id: text(entry.id) } });
  const id = text((await stopped()).json.id);
  const { json: stops } = await done('listAccountStops', { ...admin, query: { active: 'true' } });
  assert.ok((stops.stops as unknown as { stop: JsonObject }[]).some(({ stop }) => stop.id === id));
  const { json: lifted } = await done('liftAccountStop', { ...admin, path: { id } });
  assert.ok((lifted.stop as unknown as JsonObject).lifted_at);
});

test('the mobile operators of the deployment', async () => {
  await done('listOperators', admin);
  const path = { id: 'djurdjura' };
  await done('pauseOperator', { ...admin, path, body: { reason: 'maintenance' } });
  await done('resumeOperator', { ...admin, path });
  await done('rebindOperator', { ...admin, path, body: {} });
  await done('listParkedReceipts', { ...admin, query: { page_size: '1' } });
  assert.equal((await call('resumeOperator', { path })).code, 'invalid_admin_token');
});

test('every operation answered 200', () => {
  const missing = routes.map(({ operation }) => operation.operationId).filter((id) => !seen.get(id)?.has(200));
  assert.deepEqual(missing, []);
});
