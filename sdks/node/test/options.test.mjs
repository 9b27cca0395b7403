// What a user may do wrong: an error at once, which says what to do, and never with a key or secret in it.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { ConfigurationError, Ramz, RamzError } from '@ramz/sdk';
import { errorOf, scripted } from './support.mjs';

const given = { apiKey: 'ramz_live_secret', baseUrl: 'http://ramz.test' };
const saved = {};
beforeEach(() => {
  for (const name of ['RAMZ_API_KEY', 'RAMZ_BASE_URL']) {
    saved[name] = process.env[name];
    delete process.env[name];
  }
});
afterEach(() => {
  for (const [name, value] of Object.entries(saved))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

const refused = (options, message) => () =>
  assert.throws(
    () => new Ramz(options),
    (error) => {
      assert.ok(error instanceof ConfigurationError && error instanceof RamzError);
      assert.match(error.message, message);
      assert.doesNotMatch(inspect(error), /secret/);
      return true;
    },
  );

describe('refused at once', () => {
  test('no key', refused({ baseUrl: given.baseUrl }, /RAMZ_API_KEY/));
  test('an empty key', refused({ ...given, apiKey: '' }, /RAMZ_API_KEY/));
  test('a key with a newline', refused({ ...given, apiKey: 'ramz_live_secret\n' }, /newline/));
  test('a key with a space', refused({ ...given, apiKey: ' ramz_live_secret' }, /space/));
  test('no address', refused({ apiKey: given.apiKey }, /RAMZ_BASE_URL.*self-hosted/));
  for (const baseUrl of [
    'verify.example',
    'ftp://verify.example',
    'https://u:p@verify.example',
    'https://a.example/?x=1',
  ])
    test(`the address ${baseUrl}`, refused({ ...given, baseUrl }, /baseUrl must be like/));
  for (const timeoutMs of [0, -1, Number.NaN, '10', 2 ** 31, Number.POSITIVE_INFINITY])
    test(`timeoutMs ${timeoutMs}`, refused({ ...given, timeoutMs }, /timeoutMs/));
  for (const maxRetries of [-1, 1.5, '2'])
    test(`maxRetries ${maxRetries}`, refused({ ...given, maxRetries }, /maxRetries/));
  test('a fetch that is none', refused({ ...given, fetch: 'node-fetch' }, /fetch/));
});

describe('a number that JSON has not is refused in a request, and nothing is sent', () => {
  const { ramz, calls } = scripted([]);
  const to = '+213550000001';
  const nonsense = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 6n];
  for (const value of nonsense)
    test(String(value), async () => {
      for (const [field, request] of [
        ['codeLength', { to, codeLength: value }],
        ['timeoutSeconds', { to, cascade: [{ channel: 'sms', timeoutSeconds: value }] }],
        ['metadata.order_id', { to, metadata: { order_id: value } }],
      ]) {
        const error = await errorOf(ramz.verify.send(request));
        assert.ok(error instanceof ConfigurationError, String(error));
        assert.match(error.message, new RegExp(`^${field} must be a finite number`));
      }
      const query = await errorOf(ramz.verify.list({ pageSize: value }).page());
      assert.ok(query instanceof ConfigurationError, String(query));
      assert.deepEqual(calls, []);
    });
});

describe('what is iterable in a request', () => {
  const to = '+213550000001';
  const sent = async (metadata) => {
    const { ramz, calls } = scripted([{ status: 200, body: { id: 'vrf_1' } }]);
    await ramz.verify.send({ to, metadata });
    return JSON.parse(calls[0].body).metadata;
  };
  test('is read as a list where the contract has one', async () => {
    const { ramz, calls } = scripted([{ status: 200, body: { id: 'whe_1' } }]);
    await ramz.webhookEndpoints.update('whe_1', { eventTypes: new Set(['receipt.updated']) });
    assert.equal(calls[0].body, '{"event_types":["receipt.updated"]}');
  });
  test('is read as names and values', async () => {
    const metadata = { order_id: '1042', orderId: '٨٨١٢' };
    assert.deepEqual(await sent(new Map(Object.entries(metadata))), metadata);
    assert.deepEqual(await sent(new URLSearchParams(metadata)), metadata);
    assert.deepEqual(await sent(new Map([['order_id', null]])), {});
    const { ramz, calls } = scripted([{ status: 200, body: { id: 'key_1' } }]);
    const budget = new Map([['spendPerDay', new Map([['DZD', '5000']])]]);
    await ramz.apiKeys.create({ name: 'backend', restrictions: new Map([['budget', budget]]) });
    assert.deepEqual(JSON.parse(calls[0].body).restrictions, { budget: { spend_per_day: { DZD: '5000' } } });
  });
  test('is refused where it has none, and nothing is sent', async () => {
    const { ramz, calls } = scripted([]);
    for (const given of [new Set(['order_id']), new Map([[1042, 'order']]), new Set([['a']])]) {
      const error = await errorOf(ramz.verify.send({ to, metadata: given }));
      assert.ok(error instanceof ConfigurationError, String(error));
      assert.match(error.message, /^metadata must be an object/);
    }
    const error = await errorOf(ramz.verify.send(new Set([to])));
    assert.ok(error instanceof ConfigurationError, String(error));
    assert.deepEqual(calls, []);
  });
});

test('the environment fills in', async () => {
  process.env.RAMZ_API_KEY = 'ramz_live_env';
  process.env.RAMZ_BASE_URL = 'https://verify.example/otp/';
  const asked = [];
  const ramz = new Ramz({
    fetch: async (url, { headers }) => {
      asked.push([url, headers.authorization]);
      return Response.json({ id: 'acct_1' });
    },
  });
  assert.equal(ramz.baseUrl, 'https://verify.example/otp');
  await ramz.accounts.get();
  assert.deepEqual(asked, [['https://verify.example/otp/v1/account', 'Bearer ramz_live_env']]);
});

test('the key is in nothing that is printed', () => {
  const ramz = new Ramz(given);
  for (const text of [inspect(ramz, { depth: 9, showHidden: true }), JSON.stringify(ramz), String(ramz)])
    assert.doesNotMatch(text, /secret/);
});

describe('a web page is refused, unless it is said to be meant', () => {
  const places = {
    'a page': { window: {}, document: {} },
    'a worker of one': { WorkerGlobalScope: class {}, navigator: { userAgent: 'Mozilla/5.0 (X11)' } },
  };
  for (const [name, globals] of Object.entries(places))
    test(name, () => {
      const before = Object.keys(globals).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)]);
      for (const [key, value] of Object.entries(globals))
        Object.defineProperty(globalThis, key, { value, configurable: true });
      try {
        assert.throws(() => new Ramz(given), /dangerouslyAllowBrowser/);
        new Ramz({ ...given, dangerouslyAllowBrowser: true });
      } finally {
        for (const [key, descriptor] of before)
          if (descriptor) Object.defineProperty(globalThis, key, descriptor);
          else delete globalThis[key];
      }
      new Ramz(given);
    });
});

describe('refused before anything is sent', () => {
  const wrong = {
    'an empty id': (ramz) => ramz.verify.get(''),
    'no id': (ramz) => ramz.verify.get(undefined),
    'an id that climbs': (ramz) => ramz.verify.cancel('..'),
    'an id of another type': (ramz) => ramz.verify.get({ id: 'vrf_1' }),
    'a number in place of a request': (ramz) => ramz.verify.send('+213550000001'),
    'no request': (ramz) => ramz.verify.send(),
    'an idempotency key with a newline': (ramz) => ramz.verify.send({ to: '+1' }, { idempotencyKey: 'a\nb' }),
    'an empty idempotency key': (ramz) => ramz.verify.send({ to: '+1' }, { idempotencyKey: '' }),
    'an idempotency key where none is taken': (ramz) => ramz.verify.get('vrf_1', { idempotencyKey: 'a' }),
    'a timeout of nothing': (ramz) => ramz.verify.get('vrf_1', { timeoutMs: 0 }),
  };
  for (const [name, call] of Object.entries(wrong))
    test(name, async () => {
      const { ramz, calls } = scripted([]);
      assert.ok((await errorOf(call(ramz))) instanceof ConfigurationError);
      assert.equal(calls.length, 0);
    });
});
