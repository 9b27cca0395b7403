// A business's own WhatsApp account over the whole service: linked by hand, used, refused, taken back; and what is
// measured of it.
import { beforeEach, describe, expect, test } from 'vitest';
import { testService } from '../support/service.ts';
import type { ErrorBody, Leg, Session, Waba } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const { sandbox } = service;
const { platform } = sandbox;
service.configure({ messaging: sandbox.messaging });
const server = await service.startHere();
const { live, test: testing } = server;
await platform.subscriptions.subscribe(`${server.http}/v1/callbacks/messaging`, sandbox.messagingIdentity.verifyToken);
const platformId = sandbox.messagingIdentity.phoneNumberId;

let next = 0;
const anyNumber = () => {
  next += 1;
  return `+21355734${String(next).padStart(4, '0')}`;
};
const app: Leg[] = [{ channel: 'whatsapp', timeout_seconds: 20 }];
const words = ({ timeline }: Session) => timeline.map(({ kind, reason }) => [kind, reason].filter(Boolean).join(' '));
const delivered = ({ delivery }: Session) => delivery === 'delivered';
const from = (to: string) => sandbox.inbox.list({ to, channel: 'whatsapp' }).map((message) => message.from);
const wabaNow = async () => (await live.call<Waba>('GET', '/v1/waba')).body;

/** A business's account at the platform, and its token. */
function business(name = 'Example Shop') {
  next += 1;
  const { id: waba_id } = platform.accounts.addWaba(name);
  const { id: phone_number_id } = platform.accounts.addPhone(waba_id, `+21355000${8000 + next}`, name);
  return { waba_id, phone_number_id, access_token: platform.accounts.issueToken(waba_id).token };
}
async function link(request = business()) {
  const begun = await live.call<Waba>('POST', '/v1/waba', request);
  expect(begun).toMatchObject({ status: 200, body: { status: 'connecting', waba_id: request.waba_id } });
  const linked = await until(
    async () => {
      const waba = await wabaNow();
      if (waba.status !== 'connecting') return waba;
      throw new Error(JSON.stringify(waba));
    },
    { what: 'the link', everyMs: 50 },
  );
  expect(linked).toMatchObject({ status: 'connected' });
  return request;
}
async function send(to = anyNumber(), more = {}): Promise<Session> {
  const { id } = await live.send(to, { cascade: app, ...more });
  return live.sessionWhen(id, 'the app to deliver', delivered);
}
const events = (type: string) => sandbox.events().filter((event) => event.type === type);

beforeEach(async () => {
  platform.reset();
  await live.call('DELETE', '/v1/waba');
});

test('before anything: nothing to see, nothing to end; measures are absent', async () => {
  expect(await live.call<ErrorBody>('GET', '/v1/waba')).toMatchObject({
    status: 404,
    body: { error: { code: 'waba_not_found' } },
  });
  expect((await live.call<ErrorBody>('DELETE', '/v1/waba')).status).toBe(404);
  const { body } = await live.call<object>('GET', '/v1/account/measures');
  expect(body).not.toHaveProperty('messaging_app_time_to_market_seconds');
  expect(body).not.toHaveProperty('custom_waba_connected_at');
});

test('the measure: first send of the first session from the own number, minus the first link; neither ever changes', async () => {
  const measures = async () => (await live.call<Record<string, string | number>>('GET', '/v1/account/measures')).body;
  // Sent before the link, delivered by the platform's number: counts for nothing.
  await send();
  await link();
  const linked = await measures();
  expect(linked.custom_waba_connected_at).toBeTruthy();
  expect(linked).not.toHaveProperty('messaging_app_first_send_at');
  const first = await send();
  expect(first.messages[0]).toMatchObject({ sender_id: 'Example Shop' });
  const measured = await until(
    async () => {
      const found = await measures();
      return found.messaging_app_first_send_at ? found : null;
    },
    { what: 'the measure' },
  );
  expect(measured.messaging_app_first_send_at).toBe(first.messages[0]?.submitted_at);
  const seconds =
    (Date.parse(String(measured.messaging_app_first_send_at)) - Date.parse(String(measured.custom_waba_connected_at))) /
    1000;
  expect(measured.messaging_app_time_to_market_seconds).toBe(seconds);
  expect(seconds).toBeGreaterThan(0);
  await live.call('DELETE', '/v1/waba');
  await link(business('Other Shop'));
  await send();
  expect(await measures()).toEqual(measured);
});

test('a refused own number is shown as a business’s, since codes go out from the platform’s meanwhile', async () => {
  const { phone_number_id: number } = await link();
  platform.faults.answerNext({ kind: 'error', code: 131031 }, 1);
  await send();
  const line = `ramz_app_down{number="${number}",whose="business"} 1`;
  const page = async () => (await fetch(`${server.metrics}/metrics`)).text();
  await until(async () => (await page()).split('\n').includes(line), { what: line });
  const to = anyNumber();
  await send(to);
  expect(from(to)).toEqual(['Ramz']);
  await live.call('DELETE', '/v1/waba');
  await until(async () => !(await page()).includes(`number="${number}"`), { what: 'the number to be forgotten' });
});

test('messages go out from the own number while it is linked, before and after from the platform’s', async () => {
  const [before, own, after] = [anyNumber(), anyNumber(), anyNumber()];
  await send(before);
  await link();
  expect((await send(own)).messages[0]?.cost).toMatchObject({ currency: 'USD', billed_by: 'platform' });
  await live.call('DELETE', '/v1/waba');
  await send(after);
  expect([from(before), from(own), from(after)]).toEqual([['Ramz'], ['Example Shop'], ['Ramz']]);
  expect(await wabaNow()).toMatchObject({ status: 'disconnected', reason: 'requested' });
});

test('a language whose template is not approved goes out from the platform’s number', async () => {
  const { waba_id } = await link();
  const template = platform.templates.find(waba_id, sandbox.messagingIdentity.templateName, 'fr');
  platform.templates.decide(template as never, 'PAUSED');
  const paused = (waba: Waba) => waba.templates.some(({ status }) => status === 'paused');
  await until(async () => paused(await wabaNow()), { what: 'the callback to be followed' });
  const [fr, ar] = [anyNumber(), anyNumber()];
  await send(fr, { language: 'fr' });
  await send(ar, { language: 'ar' });
  expect([from(fr), from(ar)]).toEqual([['Ramz'], ['Example Shop']]);
});

test('as many people as the platform allows: later messages go out from the platform’s number until it allows more', async () => {
  const request = business();
  const phone = platform.accounts.phones.get(request.phone_number_id);
  if (!phone) throw new Error('the number is not there');
  phone.messagingLimit = 'TIER_2';
  await link(request);
  const [first, second, third] = [anyNumber(), anyNumber(), anyNumber()];
  for (const to of [first, second, third]) await send(to);
  expect([from(first), from(second), from(third)]).toEqual([['Example Shop'], ['Example Shop'], ['Ramz']]);
  const counted = async () => (await wabaNow()).daily_recipients === 2;
  // A count that took long is made again a minute later.
  await until(counted, { what: 'two people to be counted', timeoutMs: 90_000 });
  const isMeasured = async () => {
    const metrics = await (await fetch(`${server.metrics}/metrics`)).text();
    expect(metrics).toContain(`ramz_app_recipients{number="${request.phone_number_id}"} 2`);
    expect(metrics).toContain(`ramz_app_messaging_limit{number="${request.phone_number_id}"} 2`);
    return true;
  };
  await until(isMeasured, { what: 'the metrics', timeoutMs: 90_000 });

  phone.messagingLimit = 'TIER_UNLIMITED';
  const value = { max_daily_conversations_per_business: -1 };
  const change = { wabaId: request.waba_id, field: 'business_capability_update', value, at: Date.now() };
  expect(await platform.notifier.notify(change)).toBe(true);
  const messagingLimit = async () => (await wabaNow()).health?.messaging_limit;
  await until(async () => (await messagingLimit()) === 'TIER_UNLIMITED', { what: 'the new limit to be read' });
  // What is stored is known to the server that sends a moment later.
  const isFromOwn = async () => {
    const to = anyNumber();
    await send(to);
    return String(from(to)) === 'Example Shop';
  };
  await until(isFromOwn, { what: 'a message from the own number' });
});

describe('the token is refused (190)', () => {
  test('that message and later ones go out from the platform’s number; the link is broken and told', async () => {
    const { waba_id, phone_number_id } = await link();
    platform.accounts.revokeTokensOf(waba_id);
    const [first, second] = [anyNumber(), anyNumber()];
    const session = await send(first);
    expect(words(session)).toEqual([
      'session_opened',
      'leg_started',
      'sender_fallback sender_id_refused',
      'message_submitted',
      'receipt_received ACCEPTD',
      'receipt_received DELIVRD',
      'delivery_delivered',
    ]);
    expect(session.messages).toHaveLength(1);
    expect(session.messages[0]).toMatchObject({ sender_id: 'Ramz', cost: { billed_by: 'service' } });
    await send(second);
    expect([from(first), from(second)]).toEqual([['Ramz'], ['Ramz']]);
    await until(async () => (await wabaNow()).status === 'broken', { what: 'the link to be broken' });
    expect(await wabaNow()).toMatchObject({ reason: 'token_revoked', error_code: '190' });
    const event = await until(
      () => events('waba.disconnected').find(({ data }) => (data as { waba_id?: string }).waba_id === waba_id),
      { what: 'it to be told' },
    );
    expect(event).toMatchObject({ test: false, data: { phone_number_id, reason: 'token_revoked' } });
  });

  test('thirty messages at once: every one arrives, once', async () => {
    const { waba_id } = await link();
    platform.accounts.revokeTokensOf(waba_id);
    const numbers = Array.from({ length: 30 }, anyNumber);
    await Promise.all(numbers.map((to) => send(to)));
    expect(numbers.map(from)).toEqual(numbers.map(() => ['Ramz']));
  });

  test('linked again, the own number is used again', async () => {
    const request = await link();
    platform.accounts.revokeTokensOf(request.waba_id);
    await send();
    await until(async () => (await wabaNow()).status === 'broken', { what: 'the link to be broken' });
    await link({ ...request, access_token: platform.accounts.issueToken(request.waba_id).token });
    const to = anyNumber();
    await send(to);
    expect(from(to)).toEqual(['Example Shop']);
  });
});

test('other refusals of the own number: that message goes out from the platform’s, the link stays', async () => {
  await link();
  for (const code of [132001, 131031]) {
    platform.faults.answerNext({ kind: 'error', code }, 1);
    const to = anyNumber();
    const session = await send(to);
    expect(words(session)).toContain('sender_fallback sender_id_refused');
    expect(from(to)).toEqual(['Ramz']);
    expect((await wabaNow()).status).toBe('connected');
  }
  // Locked (131031): the number is not even tried for a while.
  const session = await send();
  expect(words(session)).not.toContain('sender_fallback sender_id_refused');
  expect(session.messages[0]).toMatchObject({ sender_id: '', cost: { billed_by: 'service' } });
});

test('a refusal of the whole account: GET /v1/waba has the platform’s reason, and none of its callbacks was needed', async () => {
  const { waba_id } = await link();
  const waba = platform.accounts.wabas.get(waba_id);
  if (!waba) throw new Error('the account is not there');
  waba.disabled = true;
  expect((await wabaNow()).health?.can_send).toBe('AVAILABLE');
  platform.faults.answerNext({ kind: 'error', code: 131031 }, 1);
  const to = anyNumber();
  await send(to);
  expect(from(to)).toEqual(['Ramz']);
  const health = await until(
    async () => {
      const found = (await wabaNow()).health;
      return found?.can_send === 'BLOCKED' && found;
    },
    { what: 'the platform to be asked' },
  );
  expect(health.problems).toMatchObject([{ part: 'WABA', error_code: '141000' }]);
});

test('a refusal of the template: how it stands is asked at once, and the number is not tried in vain again', async () => {
  const { waba_id } = await link();
  for (const template of platform.templates.of(waba_id)) template.status = 'PAUSED';
  const to = anyNumber();
  expect(words(await send(to))).toContain('sender_fallback sender_id_refused');
  expect(from(to)).toEqual(['Ramz']);
  const paused = async () => (await wabaNow()).templates?.every(({ status }) => status === 'paused');
  await until(paused, { what: 'the platform to be asked' });
  // Stored first, and known to the server that sends a moment later.
  const isUntried = async () => !words(await send()).includes('sender_fallback sender_id_refused');
  await until(isUntried, { what: 'a message that is not tried with the template' });
});

test('statuses of what went out before the token died are still taken', async () => {
  const { waba_id } = await link();
  platform.faults.statusesHeld = true;
  const { id } = await live.send(anyNumber(), { cascade: app });
  await live.sessionWhen(id, 'the app to take it', ({ messages }) => messages[0]?.status === 'submitted');
  await until(() => platform.notifier.waiting > 0, { what: 'its statuses' });
  platform.accounts.revokeTokensOf(waba_id);
  await live.send(anyNumber(), { cascade: app });
  await until(async () => (await wabaNow()).status === 'broken', { what: 'the link to be broken' });
  platform.faults.statusesHeld = false;
  platform.notifier.flush();
  const session = await live.sessionWhen(id, 'its status', delivered);
  expect(session.messages[0]).toMatchObject({ sender_id: 'Example Shop', cost: { billed_by: 'platform' } });
});

test('the business takes its account back: unlinked by the callback', async () => {
  const { waba_id } = await link();
  expect(platform.uninstall(waba_id)).toBeNull();
  await until(async () => (await wabaNow()).status === 'disconnected', { what: 'the callback' });
  expect(await wabaNow()).toMatchObject({ reason: 'uninstalled' });
  const to = anyNumber();
  await send(to);
  expect(from(to)).toEqual(['Ramz']);
});

test('the business takes its account back from another app of ours: that is no matter of this one', async () => {
  const { waba_id } = await link();
  const removed = (partner_app_id: string) => ({
    event: 'PARTNER_APP_UNINSTALLED',
    waba_info: { waba_id, partner_app_id },
  });
  const notified = (value: ReturnType<typeof removed>) =>
    platform.notifier.notify({ wabaId: waba_id, field: 'account_update', value, at: Date.now() + 1_000 });
  expect(await notified(removed('700100200300999'))).toBe(true);
  expect((await wabaNow()).status).toBe('connected');
  expect(await notified(removed(sandbox.messagingIdentity.appId))).toBe(true);
  expect((await wabaNow()).status).toBe('disconnected');
});

test('a callback about accounts counts only when it is signed', async () => {
  const { waba_id } = await link();
  const value = { event: 'PARTNER_APP_UNINSTALLED', waba_info: { waba_id } };
  const time = Math.floor(Date.now() / 1000) + 60;
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', time, changes: [{ field: 'account_update', value }] }],
  });
  const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
  const answer = await fetch(`${server.http}/v1/callbacks/messaging`, { method: 'POST', body, headers });
  expect(answer.status).toBe(401);
  expect((await wabaNow()).status).toBe('connected');
});

describe('what is refused', () => {
  const bad: [what: string, body: object, status: number, code: string][] = [
    ['neither code nor token', { waba_id: '12345', phone_number_id: '12345' }, 400, 'invalid_argument'],
    ['both', { waba_id: '12345', phone_number_id: '12345', code: 'a', access_token: 'b' }, 400, 'invalid_argument'],
    ['a code without its state', { waba_id: '12345', phone_number_id: '12345', code: 'a' }, 400, 'invalid_argument'],
    [
      'an unknown state',
      { waba_id: '12345', phone_number_id: '12345', code: 'a', state: 'b' },
      400,
      'invalid_signup_state',
    ] as never,
    [
      'a number for its id',
      { waba_id: '12345', phone_number_id: '+213550', access_token: 'a' },
      400,
      'invalid_argument',
    ],
    ['a PIN of five digits', { ...business(), pin: '12345' }, 400, 'invalid_argument'],
    ['the deployment’s own number', { ...business(), phone_number_id: platformId }, 409, 'phone_number_taken'],
  ];
  test.each(bad)('%s', async (_, body, status, code) => {
    expect(await live.call('POST', '/v1/waba', body)).toMatchObject({ status, body: { error: { code } } });
  });

  test('a test key: there is no such account in test mode', async () => {
    const refused = (status: number, code: string) => ({ status, body: { error: { code } } });
    expect(await testing.call('GET', '/v1/waba')).toMatchObject(refused(404, 'waba_not_found'));
    expect(await testing.call('POST', '/v1/waba', business())).toMatchObject(refused(403, 'live_key_required'));
    expect(await testing.call('POST', '/v1/waba/signups', {})).toMatchObject(refused(403, 'live_key_required'));
    expect(await testing.call('DELETE', '/v1/waba')).toMatchObject(refused(403, 'live_key_required'));
  });

  test('a second one', async () => {
    await link();
    const refused = { status: 409, body: { error: { code: 'waba_already_connected' } } };
    expect(await live.call('POST', '/v1/waba', business())).toMatchObject(refused);
    expect(await live.call('POST', '/v1/waba/signups', {})).toMatchObject(refused);
  });
});

test('how links stand is in the metrics', async () => {
  await link();
  await until(
    async () => /ramz_waba_links\{status="connected"\} 1/.test(await (await fetch(`${server.metrics}/metrics`)).text()),
    { what: 'the gauge' },
  );
});

test('no token, PIN, code or state is told again: not in answers, errors, webhooks, metrics or the log', async () => {
  const request = { ...business(), pin: '482913' };
  const answers: unknown[] = [];
  const call = async (...given: Parameters<typeof live.call>) => {
    const answer = await live.call<{ state: string; url: string }>(...given);
    answers.push(answer.body);
    return answer.body;
  };
  await call('POST', '/v1/waba', { ...request, access_token: `${request.access_token} ` });
  await call('POST', '/v1/waba', { ...request, pin: '482913x' });
  await call('POST', '/v1/waba', { ...request, code: request.access_token });
  // Every step told in the log: each has trouble once.
  for (const edge of ['phone_numbers', 'register', 'message_templates']) {
    platform.faults.callNext(edge, { kind: 'error', code: 2 }, 1);
  }
  await link(request);
  await until(
    () => events('waba.connected').some(({ data }) => (data as { waba_id?: string }).waba_id === request.waba_id),
    {
      what: 'the webhook',
    },
  );
  await send();
  platform.accounts.revokeTokensOf(request.waba_id);
  await send();
  await until(async () => (await wabaNow()).status === 'broken', { what: 'the link to be broken' });
  const { state, url } = await call('POST', '/v1/waba/signups', { language: 'ar' });
  expect(url).toBe(`http://localhost:${new URL(server.http).port}/connect/messaging?state=${state}&lang=ar`);
  answers.pop(); // It is the one that gives the state.
  const page = url.replace('localhost', '127.0.0.1');
  await fetch(page);
  const code = 'AQBcode-of-a-signup';
  const body = JSON.stringify({ state, code, waba_id: request.waba_id, phone_number_id: request.phone_number_id });
  const headers = { 'content-type': 'application/json' };
  const [address = ''] = page.split('?');
  answers.push(await (await fetch(address, { method: 'POST', body, headers })).json());
  answers.push(
    await (await fetch(`${address}/status`, { method: 'POST', body: JSON.stringify({ state }), headers })).json(),
  );
  await until(async () => (await wabaNow()).reason === 'code_refused', { what: 'the code to be refused' });
  await call('GET', '/v1/waba');
  const metrics = await (await fetch(`${server.metrics}/metrics`)).text();
  const told = `${JSON.stringify([answers, sandbox.events()])} ${metrics} ${server.log()}`;
  expect(told).toContain('"code_refused"');
  for (const secret of [request.access_token, state, code]) expect(told).not.toContain(secret);
  // Six digits may stand in a longer number.
  expect(told).not.toMatch(new RegExp(`(?<![\\w.])${request.pin}(?!\\w)`));
});
