// Every call we make, every answer of the sandbox, and every callback of it, against what the platform publishes: we send
// what it takes, and the sandbox says nothing that it would not.
import { afterAll, beforeEach, expect, test } from 'vitest';
import { templateMessage } from '../../../src/channels/whatsapp/account.ts';
import { readCallback } from '../../../src/channels/whatsapp/callbacks.ts';
import { GraphClient } from '../../../src/channels/whatsapp/graph.ts';
import { linking } from '../../../src/channels/whatsapp/linking.ts';
import { readStatus } from '../../../src/channels/whatsapp/status.ts';
import { publishedCallback } from '../../support/published-callbacks.ts';
import { calls, errorAnswer } from '../../support/published-requests.ts';
import { testSandbox } from '../../support/sandbox.ts';
import { until } from '../../support/wait.ts';
import { account, message, ownId } from '../../unit/channels/whatsapp/support.ts';
import { Callback } from '../sandbox/callback.ts';

const sandbox = await testSandbox({ deliverDelayMs: 2 });
const { platform, messagingIdentity: identity } = sandbox;
const callback = await new Callback(identity.appSecret, identity.verifyToken).start();
afterAll(() => callback.stop());
await platform.subscriptions.subscribe(callback.url, identity.verifyToken);
const graph = new GraphClient({ connections: 4 });
afterAll(() => graph.close());

let made: string[];
beforeEach(() => {
  made = [];
  callback.clear();
});

/** Stands before the client: nothing goes out, or comes in, that is not as published. */
const client: Pick<GraphClient, 'call'> = {
  async call(call) {
    const { method = 'POST', url, body } = call;
    const { pathname, searchParams } = new URL(url);
    const end = pathname.split('/').slice(pathname.includes('oauth') ? -2 : -1);
    const name = `${method} ${end.join('/').replace(/^\d+$/, '{id}')}`;
    const published = calls[name];
    if (!published) throw new Error(`${name} is not published`);
    made.push(name);
    published.query.parse(Object.fromEntries(searchParams));
    published.body.parse(body);
    const exchange = await graph.call(call);
    if (exchange.kind !== 'answered') throw new Error(exchange.kind);
    (exchange.status < 300 ? published.answer : errorAnswer).parse(exchange.body);
    return exchange;
  },
};
const graphUrl = `${sandbox.httpUrl}/graph/${identity.version}`;
const platformCalls = linking({
  client,
  graphUrl,
  expiryMinutes: 10,
  deliverWithinSeconds: 30,
  app: { id: identity.appId, secret: identity.appSecret },
  template: { name: identity.templateName, languages: { ar: 'ar', fr: 'fr', en: 'en' } },
});
const bodies = () => callback.posts.map(({ body }) => publishedCallback.parse(body));

test('linking an account, from the code to its end', async () => {
  const dialog = { method: 'POST', body: JSON.stringify({ business: 'Shop', number: '+213550006661' }) };
  const ended = (await (await fetch(`${graphUrl}/dialog/oauth`, dialog)).json()) as {
    code: string;
    data: { waba_id: string; phone_number_id: string };
  };
  const exchanged = await platformCalls.exchangeCode({ code: ended.code, redirectUri: null });
  if (exchanged.kind !== 'done') throw new Error(exchanged.kind);
  const { waba_id: wabaId, phone_number_id: phoneNumberId } = ended.data;
  const access = { token: exchanged.token, wabaId, phoneNumberId };
  expect(await platformCalls.inspectToken(access)).toEqual({ kind: 'done' });
  expect(await platformCalls.findNumber(access)).toMatchObject({ kind: 'done' });
  expect(await platformCalls.subscribe(access)).toEqual({ kind: 'done' });
  expect(await platformCalls.readHealth(access)).toMatchObject({
    kind: 'done',
    health: { canSend: 'AVAILABLE', quality: 'GREEN', messagingLimit: 'TIER_2K', tokenExpiresAt: null },
  });
  expect(await platformCalls.register(access, '482913')).toEqual({ kind: 'done' });
  for (const language of platformCalls.languages) {
    expect(await platformCalls.createTemplate(access, language)).toEqual({ kind: 'done' });
    // Twice: refused, as published, and taken for done.
    expect(await platformCalls.createTemplate(access, language)).toEqual({ kind: 'done' });
  }
  expect(await platformCalls.readTemplates(access)).toMatchObject({ kind: 'done' });
  // Another delivery time than the one set, which is given it once the template can be edited.
  const [template] = platform.templates.of(wabaId);
  if (template) [template.ttlSeconds, template.status] = [600, 'APPROVED'];
  const listed = await platformCalls.readTemplates(access);
  expect(listed).toMatchObject({ kind: 'done', outdated: [template?.id] });
  expect(await platformCalls.updateTemplate(access, template?.id ?? '')).toEqual({ kind: 'done' });
  expect(template?.ttlSeconds).toBe(30);
  expect(await platformCalls.listNumbers({ ...access, wabaId: '' })).toMatchObject({
    kind: 'done',
    numbers: [{ wabaId, phoneNumberId }],
  });
  expect(await platformCalls.register(access, '000000')).toMatchObject({ kind: 'refused' });
  expect(await platformCalls.exchangeCode({ code: ended.code, redirectUri: null })).toMatchObject({ kind: 'refused' });
  await until(() => callback.changes('message_template_status_update').length >= 3, { what: 'the reviews' });
  expect(platform.uninstall(wabaId)).toBeNull();
  await until(() => callback.changes('account_update').length >= 2, { what: 'the end' });
  expect(await platformCalls.unsubscribe(access)).toMatchObject({ kind: 'refused' });
  expect(Object.keys(calls).filter((name) => !made.includes(name))).toEqual(['POST messages']);

  const read = bodies().map((body) => readCallback(JSON.stringify(body)));
  const accounts = read.flatMap((each) => (each.kind === 'callback' ? each.accounts : []));
  expect(accounts).toContainEqual({ kind: 'changed', wabaId });
  expect(accounts).toContainEqual({
    kind: 'ended',
    wabaId,
    reportedAt: expect.any(Number),
    reason: 'uninstalled',
    appId: identity.appId,
  });
});

test.each([
  ['delivered and read', null],
  ['failed', 131026],
])('a message, and its statuses: %s', async (_, errorCode) => {
  const from = account({ graphUrl, phoneNumberId: identity.phoneNumberId, accessToken: identity.systemToken });
  from.template = { name: identity.templateName, languages: { ar: 'ar', fr: 'fr', en: 'en' } };
  const body = templateMessage(message({ to: errorCode ? '+213557000001' : '+213557000002', language: 'fr' }), from);
  const url = `${graphUrl}/${identity.phoneNumberId}/messages`;
  const exchange = await client.call({ url, body, accessToken: identity.systemToken, timeoutMs: 5_000 });
  if (exchange.kind !== 'answered') throw new Error(exchange.kind);
  const [{ id: wamid }] = (exchange.body as { messages: [{ id: string }] }).messages;
  const sent = await until(() => platform.statuses.find({ wamid }), { what: 'the message' });
  if (errorCode) await platform.statuses.send(sent, 'failed', errorCode);
  else await platform.statuses.send(sent, 'read');
  const statuses = await until(() => callback.statuses(wamid).length >= 2 && callback.statuses(wamid), {
    what: 'them',
  });
  expect(bodies().length).toBeGreaterThan(0);
  for (const status of statuses) {
    expect(readStatus(status, { route: 'whatsapp/1', tariff: null, now: Date.now() })).toMatchObject({
      kind: 'receipt',
      carrier: { references: [wamid, `whatsapp/1 ${ownId}`] },
    });
  }
});
