// The sandbox's messaging platform from outside: sending, its refusals, its status webhooks and their misbehaviour.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scenarioNumbers } from '../../../src/core/verify/scenarios.ts';
import { runSandbox, type Sandbox } from '../../../src/sandbox/main.ts';
import { sandboxIdentity as identity } from '../../../src/sandbox/platform/accounts.ts';
import { until } from '../../support/wait.ts';
import { Callback } from './callback.ts';
import { GraphClient } from './graph-client.ts';

const numbers = scenarioNumbers('+21355');
const TO = '+213551234567';

let sandbox: Sandbox;
let callback: Callback;
let graph: GraphClient;

beforeAll(async () => {
  callback = await new Callback(identity.appSecret, identity.verifyToken).start();
  sandbox = await runSandbox({ deliverDelayMs: 4, messagingCallbackUrl: callback.url });
  graph = new GraphClient(sandbox.httpUrl, identity);
});

afterAll(async () => {
  await sandbox.stop();
  await callback.stop();
  await until(() => sockets() === 0, { what: 'no socket and no server to be left' });
});

beforeEach(async () => {
  const { notifier, statuses } = sandbox.platform;
  await until(() => notifier.waiting + statuses.due === 0, { what: 'the webhooks of the test before' });
  sandbox.inbox.clear();
  callback.clear();
  await control({ action: 'reset' });
});

async function control(action: Record<string, unknown>): Promise<{ status: number; error?: string }> {
  const response = await fetch(`${sandbox.httpUrl}/sandbox/control`, { method: 'POST', body: JSON.stringify(action) });
  const text = await response.text();
  return { status: response.status, ...(text ? JSON.parse(text) : {}) };
}

async function sendTo(to = TO): Promise<string> {
  const { status, body } = await graph.send(to);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.messages[0].id;
}

const words = (wamid: string) => callback.statuses(wamid).map(({ status }) => status);

describe('sending', () => {
  test('is answered as documented, and the phone shows the template with the code', async () => {
    const { status, body } = await graph.send('213 55 123 45 67');
    expect(status).toBe(200);
    expect(body).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: '213 55 123 45 67', wa_id: '213551234567' }],
      messages: [{ id: expect.stringMatching(/^wamid\.[A-Za-z0-9+/]+=*$/), message_status: 'accepted' }],
    });
    expect(sandbox.inbox.list({ to: TO })).toEqual([
      {
        id: expect.any(String),
        channel: 'whatsapp',
        from: 'Ramz',
        to: TO,
        text: expect.stringMatching(/^\*?482913|482913/),
        operator: null,
        received_at: expect.any(String),
      },
    ]);
  });

  test('a button that copies another code than the text says shows on the phone', async () => {
    const request = graph.request(TO);
    request.template.components[1]!.parameters = [{ type: 'text', text: '000000' }];
    await graph.send(TO, request);
    expect(sandbox.inbox.list({ to: TO })[0]?.text).toContain('000000');
  });

  test('the section for the configuration names what works here', async () => {
    const state = await fetch(`${sandbox.httpUrl}/sandbox/messaging`);
    const { messaging } = (await state.json()) as { messaging: Record<string, string> };
    expect(messaging).toEqual(sandbox.messaging);
    const { graph_base_url, graph_version, phone_number_id, access_token } = messaging;
    const response = await fetch(`${graph_base_url}/${graph_version}/${phone_number_id}`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(await response.json()).toMatchObject({ id: phone_number_id, status: 'CONNECTED' });
  });
});

describe('refusals', () => {
  const template = (over: Record<string, unknown>) => ({ template: { ...graph.request(TO).template, ...over } });
  const parts = (body: unknown[], button: unknown[]) =>
    template({
      components: [
        { type: 'body', parameters: body },
        { type: 'button', sub_type: 'url', index: '0', parameters: button },
      ],
    });
  const code = { type: 'text', text: '1234' };

  test.each<[string, number, number, () => Record<string, unknown>]>([
    ['no recipient', 400, 100, () => ({ to: undefined })],
    ['no product', 400, 100, () => ({ messaging_product: undefined })],
    ['another product', 400, 100, () => ({ messaging_product: 'sms' })],
    ['a key that is not documented', 400, 100, () => ({ priority: 'high' })],
    ['a recipient that is no number', 400, 131009, () => ({ to: 'nobody' })],
    ['the sender as recipient', 400, 131021, () => ({ to: identity.phoneNumber })],
    ['a text message', 400, 131051, () => ({ type: 'text', text: { body: 'hello' } })],
    ['echo data beyond 512', 400, 131009, () => ({ biz_opaque_callback_data: 'x'.repeat(513) })],
    ['a template nobody made', 404, 132001, () => template({ name: 'nothing' })],
    ['a language it is not in', 404, 132001, () => template({ language: { code: 'de' } })],
    ['no language code', 400, 131008, () => template({ language: { policy: 'deterministic' } })],
    ['another policy', 400, 100, () => template({ language: { code: 'fr', policy: 'fallback' } })],
    ['no components', 400, 132000, () => template({ components: undefined })],
    ['two parameters for one', 400, 132000, () => parts([code, code], [code])],
    ['no parameter for the button', 400, 131008, () => parts([code], [])],
    ['an empty parameter', 400, 131009, () => parts([{ type: 'text', text: '' }], [code])],
    ['a code beyond 15 characters', 400, 132005, () => parts([{ type: 'text', text: '1'.repeat(16) }], [code])],
    ['a parameter key too many', 400, 100, () => parts([{ ...code, parameter_name: 'code' }], [code])],
  ])('%s: HTTP %i, code %i', async (_, status, errorCode, over) => {
    const answer = await graph.send(TO, over());
    expect(answer.body).toEqual({
      error: expect.objectContaining({
        message: expect.stringContaining(`(#${errorCode})`),
        type: 'OAuthException',
        code: errorCode,
        fbtrace_id: expect.any(String),
      }),
    });
    expect(answer.status).toBe(status);
    expect(sandbox.inbox.size).toBe(0);
  });

  test('no token, a wrong one, a revoked one: 401 and code 190', async () => {
    for (const token of [null, 'EAAwrong']) {
      const answer = await new GraphClient(sandbox.httpUrl, identity, token).send(TO);
      expect([answer.status, answer.body.error.code]).toEqual([401, 190]);
      expect(answer.headers.get('www-authenticate')).toContain('OAuth');
    }
    await control({ action: 'messaging_revoke_tokens' });
    expect((await graph.send(TO)).body.error).toMatchObject({ code: 190, error_subcode: 460 });
    await control({ action: 'messaging_reset' });
    await sendTo();
  });

  test('unknown number ids, versions, edges and bodies', async () => {
    const request = graph.request(TO);
    expect((await graph.call('POST', '123456789/messages', request)).body.error).toMatchObject({
      code: 100,
      error_subcode: 33,
      type: 'GraphMethodException',
    });
    expect((await graph.call('GET', `${identity.phoneNumberId}/messages`)).status).toBe(400);
    expect((await graph.call('POST', `${identity.phoneNumberId}/calls`, request)).status).toBe(400);
    expect((await graph.call('POST', `${identity.phoneNumberId}/messages`, '{"to":')).body.error.code).toBe(100);
    const old = `${sandbox.httpUrl}/graph/v1.0/${identity.phoneNumberId}/messages`;
    expect(await (await fetch(old, { method: 'POST' })).json()).toMatchObject({ error: { code: 2500 } });
  });

  test('paused, disabled and pending templates', async () => {
    for (const [status, errorCode] of [
      ['PAUSED', 132015],
      ['DISABLED', 132016],
      ['PENDING', 132001],
    ]) {
      await control({ action: 'messaging_template', name: identity.templateName, language: 'fr', status });
      expect((await graph.send(TO)).body.error.code).toBe(errorCode);
    }
  });

  test('the account is banned: every message of its numbers is refused, until a reset lifts the ban', async () => {
    const canSend = async () =>
      (await graph.call('GET', `${identity.phoneNumberId}?fields=health_status`)).body.health_status.can_send_message;
    const value = { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } };
    await control({ action: 'messaging_account_update', waba_id: identity.wabaId, value });
    expect(await canSend()).toBe('BLOCKED');
    const banned = await graph.send(TO);
    expect([banned.status, banned.body.error?.code]).toEqual([403, 131031]);
    expect(sandbox.inbox.size).toBe(0);
    await control({ action: 'reset' });
    expect(await canSend()).toBe('AVAILABLE');
    await sendTo();
  });

  test('the rate of the number and of the pair', async () => {
    await control({ action: 'messaging_limits', per_second: 2, pair_burst: 1 });
    await sendTo();
    const pair = await graph.send(TO);
    expect(pair.body.error.code).toBe(131056);
    await control({ action: 'messaging_limits', per_second: 1, pair_burst: 100 });
    // A second may pass between two of them: the one that comes sooner is refused.
    const rate = await until(() => graph.send('+213551234568').then((sent) => sent.status !== 200 && sent), {
      what: 'a refusal',
    });
    expect([rate.status, rate.body.error.code]).toEqual([429, 130429]);
  });

  test('any code by order, for as often as ordered, and by number', async () => {
    await control({ action: 'messaging_refuse', code: 131048, count: 2 });
    expect((await graph.send(TO)).body.error.code).toBe(131048);
    expect((await graph.send(TO)).body.error.code).toBe(131048);
    await sendTo();
    const blocked = await graph.send('+213558000368');
    expect([blocked.status, blocked.body.error.code]).toEqual([403, 368]);
    expect((await control({ action: 'messaging_refuse', code: 4711 })).status).toBe(400);
  });
});

describe('answers that say nothing', () => {
  test('lost: the message is taken, delivered and never answered', async () => {
    await control({ action: 'messaging_lose_answers' });
    await expect(graph.send(TO)).rejects.toThrow();
    await until(() => callback.statuses().length === 2, { what: 'its statuses' });
    expect(sandbox.inbox.size).toBe(1);
    await sendTo();
  });

  test('a page of a proxy, with the message taken or not', async () => {
    await control({ action: 'messaging_answer', status: 502, body: '<h1>bad gateway</h1>' });
    expect(await graph.send(TO)).toMatchObject({ status: 502, body: '<h1>bad gateway</h1>' });
    expect(sandbox.inbox.size).toBe(0);
    await control({ action: 'messaging_answer', status: 200, body: 'ok', taken: true });
    expect(await graph.send(TO)).toMatchObject({ status: 200, body: 'ok' });
    expect(sandbox.inbox.size).toBe(1);
  });
});

describe('status webhooks', () => {
  test('sent, then delivered: signed, with price and echo, as documented', async () => {
    const wamid = await sendTo();
    await until(() => words(wamid).length === 2, { what: 'two statuses' });
    expect(callback.posts.every(({ signed }) => signed)).toBe(true);
    const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'authentication' };
    const common = {
      id: wamid,
      timestamp: expect.stringMatching(/^\d{10}$/),
      recipient_id: '213551234567',
      biz_opaque_callback_data: 'msg_1',
      pricing,
    };
    const byStatus = new Map(callback.statuses(wamid).map((status) => [status.status, status]));
    expect(byStatus.get('sent')).toEqual({ ...common, status: 'sent' });
    expect(byStatus.get('delivered')).toEqual({ ...common, status: 'delivered' });
    expect(callback.changes('messages')[0]).toMatchObject({
      entry: identity.wabaId,
      value: {
        messaging_product: 'whatsapp',
        metadata: { display_phone_number: '213550009900', phone_number_id: identity.phoneNumberId },
      },
    });
  });

  test('without data to echo there is no echo', async () => {
    await graph.send(TO, { biz_opaque_callback_data: undefined });
    await until(() => callback.statuses().length === 2, { what: 'two statuses' });
    expect(callback.statuses()[0]).not.toHaveProperty('biz_opaque_callback_data');
  });

  test('scenario numbers: not on the app fails with 131026 and reaches no phone; silent is sent and no more', async () => {
    const gone = await sendTo(numbers.app_unreachable);
    await until(() => words(gone).length === 1, { what: 'the failure' });
    expect(callback.statuses(gone)[0]).toMatchObject({
      status: 'failed',
      errors: [{ code: 131026, title: expect.any(String), error_data: { details: expect.any(String) } }],
    });
    expect(callback.statuses(gone)[0]).not.toHaveProperty('pricing');
    expect(sandbox.inbox.size).toBe(0);

    const silent = await sendTo(numbers.voice_busy);
    await until(() => words(silent).length === 1, { what: 'sent' });
    await control({ action: 'messaging_send_status', wamid: silent, status: 'read' });
    await until(() => words(silent).length === 2, { what: 'read' });
    expect(words(silent)).toEqual(['sent', 'read']);
  });

  test('a number fails with the code in it', async () => {
    const wamid = await sendTo('+213559131049');
    await until(() => words(wamid).length === 1, { what: 'the failure' });
    expect(callback.statuses(wamid)[0]?.errors?.[0]?.code).toBe(131049);
  });

  test('scripted: any order, doubled, read without delivered; only the first of delivered and read is priced', async () => {
    await control({ action: 'messaging_statuses', to: TO, statuses: ['read', 'delivered', 'sent'], copies: 2 });
    const wamid = await sendTo();
    await until(() => words(wamid).length === 6, { what: 'all statuses' });
    expect(words(wamid)).toEqual(['read', 'read', 'delivered', 'delivered', 'sent', 'sent']);
    expect(callback.statuses(wamid).map(({ pricing }) => pricing !== undefined)).toEqual([
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
    const other = await sendTo('+213551234569');
    await until(() => words(other).length === 2, { what: 'the usual of another number' });
  });

  test('failed after sent, with a code', async () => {
    await control({ action: 'messaging_statuses', statuses: ['sent', 'failed'], error_code: 131042 });
    const wamid = await sendTo();
    await until(() => words(wamid).length === 2, { what: 'both' });
    expect(callback.statuses(wamid)[1]?.errors?.[0]?.code).toBe(131042);
    expect(sandbox.inbox.size).toBe(0);
  });

  test.each([500, 204, 302])('anything but 200 is sent again, the same bytes: %i', async (status) => {
    await control({ action: 'messaging_statuses', statuses: ['delivered'] });
    callback.answers = [status];
    const wamid = await sendTo();
    await until(() => words(wamid).length === 2, { what: 'the retry' });
    expect(callback.posts[1]?.raw).toBe(callback.posts[0]?.raw);
  });

  test('held until released, together in one webhook when so ordered', async () => {
    await control({ action: 'messaging_hold_statuses' });
    const first = await sendTo();
    const second = await sendTo('+213551234568');
    await until(() => sandbox.platform.notifier.waiting === 4, { what: 'four changes in line' });
    expect(callback.posts).toHaveLength(0);
    await control({ action: 'messaging_batch', size: 4 });
    await control({ action: 'messaging_release_statuses' });
    await until(() => callback.posts.length > 0, { what: 'the webhook' });
    expect(callback.posts[0]?.body.entry[0]?.changes[0]?.value.statuses).toHaveLength(4);
    expect([words(first).length, words(second).length]).toEqual([2, 2]);
  });

  test('a bad signature on order', async () => {
    await control({ action: 'messaging_statuses', statuses: ['sent', 'delivered'] });
    await control({ action: 'messaging_sign_badly', count: 1 });
    const wamid = await sendTo();
    await until(() => words(wamid).length === 2, { what: 'both' });
    expect(callback.posts.map(({ signed }) => signed)).toEqual([false, true]);
  });

  test('a status for a message that is not there is refused', async () => {
    const order = { action: 'messaging_send_status', to: '+213559999999', status: 'read' };
    expect((await control(order)).status).toBe(400);
  });
});

/** A closed handle is gone one turn of the loop after its 'close' event. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
}
