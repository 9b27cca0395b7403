// The whole sandbox from outside: its HTTP port, the webhook sink, the remote control, and a stop that leaves nothing.
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runSandbox, type Sandbox } from '../../../src/sandbox/main.ts';
import { sandboxProfiles } from '../../../src/sandbox/operators.ts';
import { until } from '../../support/wait.ts';
import { Caller } from './caller.ts';
import { Esme, receiptKey } from './esme.ts';

const secret = 'whsec_c2FuZGJveCBzZWNyZXQgb2YgdGhpcyB0ZXN0IQ==';
const otherSecret = 'whsec_YW5vdGhlciBzZWNyZXQsIGFmdGVyIHJvdGF0aW9u';
const { systemId, password } = sandboxProfiles.atlas;

interface Voice {
  trunks: [{ username: string; password: string }];
}

let sandbox: Sandbox;
let esme: Esme;

beforeAll(async () => {
  sandbox = await runSandbox({ deliverDelayMs: 2, webhookSecrets: [secret] });
  esme = await Esme.bind(sandbox.smscPorts.atlas, { systemId, password });
});

afterAll(async () => {
  esme.close();
  await sandbox.stop();
  await expect(fetch(sandbox.httpUrl)).rejects.toThrow();
  await until(() => handles('TCP') + handles('UDP') === 0, { what: 'no socket and no server to be left' });
});

beforeEach(async () => {
  for (const what of ['messages', 'webhooks']) await call('DELETE', `/sandbox/${what}`);
  await call('POST', '/sandbox/control', { action: 'reset' });
});

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(sandbox.httpUrl + path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text, headers: response.headers };
}

function post(path: string, body: string, signedWith: string, at = new Date()) {
  const id = 'evt_1';
  const signature = new Webhook(signedWith).sign(id, at, body);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  return fetch(sandbox.httpUrl + path, { method: 'POST', headers, body });
}

describe('inbox', () => {
  test('lists newest first, by number (with a bare plus sign too) and channel, and clears', async () => {
    await esme.submit('+213551111111', 'first {code}');
    await until(() => sandbox.inbox.size === 1, { what: 'the first on the phone' });
    await esme.submit('+213552222222', 'رمزك 123456', { data_coding: 8, source_addr: 'Shop' });
    await until(() => sandbox.inbox.size === 2, { what: 'both on the phones' });
    const all = await call('GET', '/sandbox/messages');
    expect(all.body.messages).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        channel: 'sms',
        from: 'Shop',
        to: '+213552222222',
        text: 'رمزك 123456',
        operator: 'atlas',
        received_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      expect.objectContaining({ from: 'Ramz', to: '+213551111111', text: 'first {code}' }),
    ]);
    for (const query of ['to=%2B213551111111', 'to=+213551111111', 'to=213551111111']) {
      const { body } = await call('GET', `/sandbox/messages?${query}`);
      expect(body.messages.map(({ text }: { text: string }) => text)).toEqual(['first {code}']);
    }
    expect((await call('GET', '/sandbox/messages?channel=whatsapp')).body).toEqual({ messages: [] });
    expect((await call('GET', '/sandbox/messages?limit=1')).body.messages).toHaveLength(1);
    expect((await call('DELETE', '/sandbox/messages')).status).toBe(204);
    expect((await call('GET', '/sandbox/messages')).body).toEqual({ messages: [] });
  });

  test('health counts per operator, and the operators fit the ports', async () => {
    await esme.submit('+213551111111', 'x');
    await until(() => sandbox.inbox.size === 1, { what: 'it on the phone' });
    const { body } = await call('GET', '/sandbox/health');
    expect(body).toMatchObject({ status: 'ok', messages: 1, operators: { atlas: { binds: 1 } } });
    const operators = (await call('GET', '/sandbox/operators')).body;
    expect(operators.scenario_prefix).toBe('+21355');
    const ports = operators.operators.map(({ id, binds }: { id: string; binds: [{ port: number }] }) => [
      id,
      binds[0].port,
    ]);
    expect(Object.fromEntries(ports)).toEqual(sandbox.smscPorts);
  });

  test('an unknown route is 404', async () => {
    expect((await call('GET', '/sandbox/nothing')).status).toBe(404);
    expect((await call('PUT', '/sandbox/messages')).status).toBe(404);
  });
});

describe('calls', () => {
  const to = '+213551111111';
  let caller: Caller;

  beforeEach(async () => {
    caller = await Caller.open(sandbox.phones!.port, to);
  });
  afterEach(() => caller.close());

  const order = async (action: object) => (await call('POST', '/sandbox/control', action)).status;

  test('a recording is played by its address, while the call is up too', async () => {
    caller.invite();
    const challenge = (await caller.answered(407)).headers.get('proxy-authenticate') ?? '';
    caller.ackRefusal(407);
    const { username, password } = ((await call('GET', '/sandbox/voice')).body.voice as Voice).trunks[0];
    caller.invite({ headers: [caller.login(challenge, username, password)] });
    await caller.answered(200);
    caller.ack();
    await caller.speak(Buffer.alloc(3_200, 0x2a));
    const { recordings } = sandbox.phones!;
    await until(() => recordings.wav('1')?.length === 44 + 6_400, { what: 'all of it at the phone' });
    await order({ action: 'voice_hang_up', to });
    const message = await until(() => sandbox.inbox.list({ to })[0], { what: 'the call in the inbox' });
    const answer = await fetch(message.wav!);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const wav = Buffer.from(await answer.arrayBuffer());
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect(wav.subarray(44).equals(Buffer.from(new Int16Array(3_200).fill(-32_256).buffer))).toBe(true);
    expect((await call('GET', '/sandbox/messages?channel=voice')).body.messages).toMatchObject([{ to, digits: '' }]);
    expect((await call('GET', '/sandbox/recordings/77777.wav')).status).toBe(404);
    expect((await call('GET', '/sandbox/voice')).body).toMatchObject({ calls: 1, answered: 1, up: 0 });
  });

  test('the trunk misbehaves on demand until a reset', async () => {
    expect(await order({ action: 'voice_trunk', state: 'silent' })).toBe(204);
    expect(await order({ action: 'voice_delay_answers', ms: 60_000 })).toBe(204);
    expect(await order({ action: 'reset' })).toBe(204);
    caller.invite();
    await caller.answered(407);
    expect(await order({ action: 'voice_mute' })).toBe(204);
    expect(await order({ action: 'voice_refuse', status: 486 })).toBe(204);
    expect(await order({ action: 'voice_refuse', status: 200 })).toBe(400);
    expect(await order({ action: 'voice_press', to, key: '1' })).toBe(400);
    expect(sandbox.phones!.faults).toMatchObject({ muted: true, delayMs: 0 });
  });
});

describe('webhook sink', () => {
  const body = '{"type":"receipt.updated", "data":{"session_id":"vrf_1"}}';

  test('a right signature is 204 and kept exactly as it came', async () => {
    expect((await post('/sandbox/webhook', body, secret)).status).toBe(204);
    const { webhooks } = (await call('GET', '/sandbox/webhooks')).body;
    expect(webhooks).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        endpoint: 'default',
        headers: expect.objectContaining({ 'webhook-id': 'evt_1' }),
        body,
        event: JSON.parse(body),
        received_at: expect.any(String),
        verified: true,
        answered: 204,
      },
    ]);
    expect((await call('GET', '/sandbox/webhooks?session_id=vrf_1')).body.webhooks).toHaveLength(1);
    expect((await call('GET', '/sandbox/webhooks?session_id=vrf_2')).body.webhooks).toHaveLength(0);
  });

  test('another secret, an old timestamp, no signature, an endpoint without secrets: 401, and kept as not verified', async () => {
    const old = new Date(Date.now() - 3_600_000);
    expect((await post('/sandbox/webhook', body, otherSecret)).status).toBe(401);
    expect((await post('/sandbox/webhook', body, secret, old)).status).toBe(401);
    expect((await call('POST', '/sandbox/webhook', {})).status).toBe(401);
    expect((await post('/sandbox/webhook/unknown', body, secret)).status).toBe(401);
    const { webhooks } = (await call('GET', '/sandbox/webhooks')).body;
    expect(webhooks.map(({ verified }: { verified: boolean }) => verified)).toEqual([false, false, false, false]);
  });

  test('secrets are set by name; two are good at once', async () => {
    const set = (secrets: string[]) => call('POST', '/sandbox/secrets', { endpoint: 'shop', secrets });
    expect((await set([secret, otherSecret])).status).toBe(204);
    expect((await post('/sandbox/webhook/shop', body, secret)).status).toBe(204);
    expect((await post('/sandbox/webhook/shop', body, otherSecret)).status).toBe(204);
    expect((await set([otherSecret])).status).toBe(204);
    expect((await post('/sandbox/webhook/shop', body, secret)).status).toBe(401);
    expect((await set(['not base64!'])).status).toBe(400);
  });

  test('answers badly for as often as it is told', async () => {
    await call('POST', '/sandbox/control', { action: 'answer_webhooks', status: 503, times: 1, retry_after: 7 });
    const bad = await post('/sandbox/webhook', body, secret);
    expect([bad.status, bad.headers.get('retry-after')]).toEqual([503, '7']);
    expect((await post('/sandbox/webhook', body, secret)).status).toBe(204);
    const { webhooks } = (await call('GET', '/sandbox/webhooks')).body;
    expect(webhooks.map(({ answered }: { answered: number }) => answered)).toEqual([204, 503]);
  });

  test('answers well again after a reset of the sandbox, and not after one of an operator', async () => {
    await call('POST', '/sandbox/control', { action: 'answer_webhooks', status: 503, times: 10 });
    await call('POST', '/sandbox/control', { action: 'reset', operator: 'atlas' });
    expect((await post('/sandbox/webhook', body, secret)).status).toBe(503);
    await call('POST', '/sandbox/control', { action: 'reset' });
    expect((await post('/sandbox/webhook', body, secret)).status).toBe(204);
  });
});

describe('control', () => {
  test('throttles one operator', async () => {
    await call('POST', '/sandbox/control', { action: 'refuse_submits', operator: 'atlas', count: 1 });
    expect((await esme.submit('+213551111111', 'x')).command_status).toBe(0x58);
    expect((await esme.submit('+213551111111', 'x')).command_status).toBe(0);
  });

  test('sends a receipt on demand', async () => {
    await esme.submit('+213553333333', 'x');
    const receipts = () => esme.delivered.filter(({ source_addr }) => source_addr === '213553333333');
    await until(() => receipts().length === 1, { what: 'the usual receipt' });
    const order = { action: 'send_receipt', to: '+213553333333', status: 'UNDELIV', err: '042' };
    expect((await call('POST', '/sandbox/control', order)).status).toBe(204);
    await until(() => receipts().length === 2, { what: 'the ordered receipt' });
    expect(receiptKey(receipts()[1]!, 'err')).toBe('042');
  });

  test.each([
    { action: 'explode' },
    { action: 'refuse_submits' },
    { action: 'pause_answers', operator: 'nobody' },
    { action: 'send_receipt', to: '+213550000000', status: 'DELIVRD' },
  ])('refuses %o', async (order) => {
    const { status, body } = await call('POST', '/sandbox/control', order);
    expect(status).toBe(400);
    expect(body.error).toEqual(expect.any(String));
  });
});

test('a taken port is an error, and nothing is left running', async () => {
  const before = handles('TCPServer');
  await expect(runSandbox({ smscPorts: { djurdjura: sandbox.smscPorts.sahara } })).rejects.toThrow(/EADDRINUSE/);
  const httpPort = Number(new URL(sandbox.httpUrl).port);
  await expect(runSandbox({ httpPort })).rejects.toThrow(/EADDRINUSE/);
  await until(() => handles('TCPServer') === before, { what: 'no server to be left' });
});

/** A closed handle is gone one turn of the loop after its 'close' event. */
function handles(kind: string): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith(kind)).length;
}
