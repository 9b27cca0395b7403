// What a page sees of the sandbox while it is open: everything there is at its beginning, and then each change.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runSandbox, type Sandbox } from '../../../src/sandbox/main.ts';
import { sandboxProfiles } from '../../../src/sandbox/operators.ts';
import { until } from '../../support/wait.ts';
import { Esme } from './esme.ts';
import { Page } from './page.ts';

const { systemId, password } = sandboxProfiles.atlas;
const to = '+213551111111';

let sandbox: Sandbox;
let esme: Esme;
let page: Page;

beforeAll(async () => {
  sandbox = await runSandbox({ deliverDelayMs: 2 });
  esme = await Esme.bind(sandbox.smscPorts.atlas, { systemId, password });
});
afterAll(async () => {
  esme.close();
  await sandbox.stop();
});
beforeEach(async () => {
  for (const what of ['messages', 'webhooks']) await ask('DELETE', `/sandbox/${what}`);
  page = await Page.open(sandbox.httpUrl);
});
afterEach(() => page.close());

const ask = (method: string, path: string, body?: unknown) =>
  fetch(sandbox.httpUrl + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

const texts = (messages: { text: string }[]) => messages.map(({ text }) => text);

test('a page begins with all there is, and is of a kind that nothing keeps', async () => {
  await esme.submit(to, 'first');
  await page.last('message', ({ text }) => text === 'first');
  await esme.submit(to, 'second');
  await page.last('message', ({ text }) => text === 'second');
  for (const body of ['{"n":1}', '{"n":2}']) await fetch(sandbox.webhookUrl, { method: 'POST', body });
  const late = await Page.open(sandbox.httpUrl);
  expect(late.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(late.answer.headers.get('cache-control')).toBe('no-store, no-transform');
  const { messages, webhooks, ...others } = late.hello;
  expect(texts(messages)).toEqual(['first', 'second']);
  expect(messages.map(({ id }: { id: string }) => id)).toEqual(page.of('message').map(({ id }) => id));
  expect(webhooks.map(({ event }: { event: unknown }) => event)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(webhooks).toEqual(page.of('webhook'));
  expect(others).toMatchObject({
    calls: [],
    service: null,
    numbers: { sms_delivered: '+213550000001', voice_rejected: '+213550000013' },
    operators: [
      { id: 'atlas', prefixes: ['+21355'] },
      { id: 'sahara', prefixes: ['+21366'] },
      { id: 'djurdjura', prefixes: ['+21377'] },
    ],
  });
  expect(others.scenarios[0]).toEqual({
    name: 'sms_delivered',
    number: '+213550000001',
    description: 'The SMS is delivered at once.',
  });
  expect(others.moods.map(({ of, mood }: { of: string; mood: string }) => `${of} ${mood}`)).toEqual([
    'atlas well',
    'sahara well',
    'djurdjura well',
    'whatsapp well',
    'trunk well',
  ]);
  late.close();
});

test('what the operator says it did not deliver is not announced', async () => {
  await esme.submit('+213550000005', 'undelivered');
  await esme.submit('+213550000004', 'rejected');
  await until(() => esme.delivered.some(({ source_addr }) => source_addr === '213550000005'), { what: 'the receipt' });
  await esme.submit(to, 'delivered');
  await page.last('message', ({ text }) => text === 'delivered');
  expect(texts(page.of('message'))).toEqual(['delivered']);
});

test('a clear is announced', async () => {
  await ask('DELETE', '/sandbox/messages');
  await ask('DELETE', '/sandbox/webhooks');
  await page.last('cleared', ({ what }) => what === 'webhooks');
  expect(page.of('cleared')).toEqual([{ what: 'messages' }, { what: 'webhooks' }]);
});

describe('moods', () => {
  afterEach(() => ask('POST', '/sandbox/control', { action: 'reset' }));
  const set = async (of: string, mood: string) =>
    (await ask('POST', '/sandbox/control', { action: 'mood', of, mood })).status;
  const words = (moods: { of: string; mood: string }[]) =>
    moods.filter(({ mood }) => mood !== 'well').map(({ of, mood }) => `${of} ${mood}`);

  test('each change is announced once, with all moods', async () => {
    expect(await set('atlas', 'slow')).toBe(204);
    expect(await set('atlas', 'slow')).toBe(204);
    expect(await set('whatsapp', 'down')).toBe(204);
    expect(await set('trunk', 'refusing')).toBe(204);
    expect(await set('trunk', 'throttling')).toBe(400);
    expect(await set('nobody', 'slow')).toBe(400);
    expect(await set('atlas', 'sad')).toBe(400);
    await ask('POST', '/sandbox/control', { action: 'reset' });
    await page.last('moods', (moods) => words(moods).length === 0);
    expect(page.of('moods').map(words)).toEqual([
      ['atlas slow'],
      ['atlas slow', 'whatsapp down'],
      ['atlas slow', 'whatsapp down', 'trunk refusing'],
      [],
    ]);
  });

  test('an outage that was ordered by another name is a mood, too', async () => {
    await ask('POST', '/sandbox/control', { action: 'go_down', operator: 'sahara' });
    await ask('POST', '/sandbox/control', { action: 'voice_trunk', state: 'gone' });
    await ask('POST', '/sandbox/control', { action: 'voice_trunk', state: 'silent' });
    await page.last('moods', (moods) => words(moods).includes('trunk silent'));
    expect(page.of('moods').map(words)).toEqual([
      ['sahara down'],
      ['sahara down', 'trunk down'],
      ['sahara down', 'trunk silent'],
    ]);
  });
});

test('the service is announced without its key', async () => {
  const service = { http: 'http://127.0.0.1:8080', grpc: '127.0.0.1:50051', api_key: 'ramz_test_key' };
  expect((await ask('POST', '/sandbox/service', service)).status).toBe(204);
  const late = await Page.open(sandbox.httpUrl);
  expect(late.hello.service).toEqual({ http: service.http, grpc: service.grpc });
  late.close();
  expect((await ask('POST', '/sandbox/service', null)).status).toBe(204);
  await page.last('service', (shown) => shown === null);
  expect(page.of('service')).toEqual([{ http: service.http, grpc: service.grpc }, null]);
  for (const wrong of [{ ...service, http: 'file:///etc' }, { ...service, api_key: 'a\r\nb' }, {}, 7])
    expect((await ask('POST', '/sandbox/service', wrong)).status).toBe(400);
});
