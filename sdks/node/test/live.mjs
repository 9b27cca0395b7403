// One story against the running service, the same in every language. Told by whichever runtime imports it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { AuthenticationError, InvalidRequestError, NotFoundError, Ramz, SignatureError, webhooks } from '@ramz/sdk';

const reference = 'طلب ١٠٤٢ 🙂';
const { RAMZ_SANDBOX_URL, RAMZ_SANDBOX_FILE, RAMZ_WEBHOOK_SINK, RAMZ_TEST_KEY } = process.env;
const { prefixes } = JSON.parse(readFileSync(RAMZ_SANDBOX_FILE, 'utf8'));
const newNumber = () => prefixes[0] + String(Math.floor(Math.random() * 1e7)).padStart(7, '0');
const sandbox = async (path) => (await fetch(`${RAMZ_SANDBOX_URL}/sandbox/${path}`)).json();

/** Asks until there is an answer. The end after a minute is for what hangs. */
async function eventually(what, ask) {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not come`);
}

const codeSentTo = (to) =>
  eventually('the code', async () => {
    const { messages } = await sandbox(`messages?to=${encodeURIComponent(to)}`);
    return /\d{6}/.exec(messages[0]?.text ?? '')?.[0];
  });

const errorOf = (promise) =>
  promise.then(
    () => assert.fail('no error'),
    (error) => error,
  );

/** @param ramz a client; its transport does not matter */
export async function story(ramz, name) {
  const account = await ramz.accounts.get();
  assert.match(account.id, /^acct_/);
  assert.ok(account.createdAt instanceof Date);
  const endpoint = await ramz.webhookEndpoints.create({ url: `${RAMZ_WEBHOOK_SINK}/${name}` });
  assert.match(endpoint.secret, /^whsec_/);

  const to = newNumber();
  const sent = await ramz.verify.send({ to, clientReference: reference });
  assert.equal(sent.status, 'pending');
  assert.ok(sent.expiresAt > sent.createdAt);
  const code = await codeSentTo(to);
  const wrong = await ramz.verify.check({ id: sent.id, code: code === '111111' ? '222222' : '111111' });
  assert.deepEqual([wrong.valid, wrong.reason, wrong.attemptsRemaining], [false, 'incorrect_code', 4]);
  const right = await ramz.verify.check({ id: sent.id, code });
  assert.ok(right.valid && right.verifiedAt instanceof Date);

  const session = await eventually('the receipt', async () => {
    const now = await ramz.verify.get(sent.id);
    return now.totalCost.length > 0 && now.messages[0]?.status === 'delivered' ? now : undefined;
  });
  assert.equal(session.status, 'verified');
  assert.equal(session.clientReference, reference);
  assert.ok(session.timeline.some(({ kind }) => kind === 'session_verified'));
  assert.match(session.totalCost[0].amount, /^\d+\.\d+$/);

  await lists(ramz, sent);
  await watches(ramz);
  await hears(sent.id, endpoint, name);
  await refuses(ramz);
  await keys(ramz);
  await ramz.webhookEndpoints.delete(endpoint.id);
  assert.equal((await errorOf(ramz.webhookEndpoints.get(endpoint.id))).code, 'webhook_endpoint_not_found');
}

async function lists(ramz, { id, to, createdAt }) {
  const second = await ramz.verify.send({ to, purpose: 'payment', clientReference: reference });
  const filter = { to, clientReference: reference, createdAfter: createdAt, pageSize: 1 };
  const found = [];
  for await (const session of ramz.verify.list(filter)) found.push(session.id);
  assert.deepEqual(found, [second.id, id]);
  const page = await ramz.verify.list(filter).page();
  assert.equal(page.items.length, 1);
  assert.notEqual(page.nextPageToken, '');
}

async function watches(ramz) {
  const { id } = await ramz.verify.send({ to: newNumber() });
  const statuses = [];
  for await (const { session, newEntries } of ramz.verify.watch(id)) {
    assert.ok(newEntries.length > 0);
    statuses.push(session.status);
    if (statuses.length === 1) await ramz.verify.cancel(id);
  }
  assert.equal(statuses[0], 'pending');
  assert.equal(statuses.at(-1), 'canceled');
}

async function hears(sessionId, { secret }, name) {
  const { headers, body } = await eventually('the webhook', async () => {
    const all = await sandbox(`webhooks?session_id=${sessionId}`);
    return all.webhooks.find((one) => one.endpoint === name && one.body.includes('session.verified'));
  });
  const event = await webhooks.verify(body, headers, secret);
  assert.equal(event.type, 'session.verified');
  assert.equal(event.data.sessionId, sessionId);
  assert.equal(event.data.session.clientReference, reference);
  assert.ok(event.data.session.verifiedAt instanceof Date);
  const error = await errorOf(webhooks.verify(body.replace('verified', 'canceled'), headers, secret));
  assert.ok(error instanceof SignatureError);
  assert.equal(error.reason, 'no_match');
}

async function refuses(ramz) {
  const unknown = await errorOf(ramz.verify.get('vrf_unknown'));
  assert.ok(unknown instanceof NotFoundError);
  assert.equal(unknown.code, 'session_not_found');
  assert.match(unknown.requestId, /^req_/);
  const bad = await errorOf(ramz.verify.send({ to: '+21312' }));
  assert.ok(bad instanceof InvalidRequestError);
  assert.deepEqual([bad.code, bad.field, bad.status], ['invalid_phone_number', 'to', 400]);
  const stranger = await errorOf(new Ramz({ apiKey: 'ramz_live_wrong' }).accounts.get());
  assert.ok(stranger instanceof AuthenticationError);
  const to = newNumber();
  const idempotencyKey = `key ${to}`;
  const first = await ramz.verify.send({ to }, { idempotencyKey });
  const second = await ramz.verify.send({ to }, { idempotencyKey });
  assert.deepEqual(second, first);
}

async function keys(ramz) {
  const expiresAt = new Date('2099-01-01T00:00:00Z');
  const created = await ramz.apiKeys.create({ name: 'reader', scopes: ['read'], expiresAt });
  assert.deepEqual(created.expiresAt, expiresAt);
  const ids = [];
  for await (const { id } of ramz.apiKeys.list()) ids.push(id);
  assert.ok(ids.includes(created.id));
  const reader = new Ramz({ apiKey: created.key });
  assert.equal((await errorOf(reader.verify.send({ to: newNumber() }))).code, 'missing_scope');
  assert.ok((await ramz.apiKeys.revoke(created.id)).revokedAt instanceof Date);
}

/** With a test key nothing is sent, and the code is zeros. */
export async function testMode() {
  const ramz = new Ramz({ apiKey: RAMZ_TEST_KEY });
  const { id, test } = await ramz.verify.send({ to: newNumber() });
  assert.equal(test, true);
  assert.equal((await ramz.verify.check({ id, code: '000000' })).valid, true);
}
