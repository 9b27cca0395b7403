// Webhooks beyond the vectors: events and their types, ways to give headers and bodies, misuse.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { ConfigurationError, SignatureError, webhooks } from '@ramz/sdk';
import { errorOf } from './support.mjs';

const secret = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE=';
const other = 'whsec_dGhlIG5leHQgc2VjcmV0LCBvZiAyNCBi';
const verified = JSON.stringify({
  id: 'evt_1',
  type: 'session.verified',
  test: true,
  timestamp: '2026-03-01T10:15:33.412Z',
  data: {
    session_id: 'vrf_1',
    session: { verified_at: '2026-03-01T10:16:02Z', client_reference: 'طلب 🙂' },
    brand_new: 1,
  },
});

test('an event is told by its type', async () => {
  const event = await webhooks.verify(verified, await webhooks.sign(verified, secret), secret);
  assert.equal(event.type, 'session.verified');
  assert.equal(event.timestamp.getTime(), Date.UTC(2026, 2, 1, 10, 15, 33, 412));
  assert.equal(event.accountId, '');
  assert.equal(event.data.sessionId, 'vrf_1');
  assert.equal(event.data.session.clientReference, 'طلب 🙂');
  assert.ok(event.data.session.verifiedAt instanceof Date);
  assert.equal(event.data.brandNew, 1);
});

test('data of an unknown type stays as it came', async () => {
  const body = JSON.stringify({ id: 'evt_1', type: 'moon.risen', data: { seen_at: '2026-03-01T10:16:02Z' } });
  const event = await webhooks.verify(body, await webhooks.sign(body, secret), secret);
  assert.equal(event.type, 'moon.risen');
  assert.deepEqual(event.data, { seen_at: '2026-03-01T10:16:02Z' });
});

describe('headers', () => {
  const ways = {
    Headers: (headers) => new Headers(headers),
    'an object, as Node has it': (headers) => ({ host: 'a', cookie: undefined, ...headers }),
    'an object, in capitals': (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    'lists of one': (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    pairs: (headers) => Object.entries(headers),
    'a Map': (headers) => new Map(Object.entries(headers)),
  };
  for (const [name, give] of Object.entries(ways))
    test(name, async () => {
      const headers = await webhooks.sign(verified, secret);
      assert.equal((await webhooks.verify(verified, give(headers), secret)).id, 'evt_1');
    });
  for (const name of ['webhook-id', 'webhook-timestamp'])
    test(`${name} is missing, or there twice`, async () => {
      const headers = await webhooks.sign(verified, secret);
      for (const value of [undefined, [headers[name], headers[name]]]) {
        const error = await errorOf(webhooks.verify(verified, { ...headers, [name]: value }, secret));
        assert.equal(error.reason, 'malformed');
      }
    });
  test('none at all', async () => {
    for (const headers of [{}, undefined, null])
      assert.equal((await errorOf(webhooks.verify(verified, headers, secret))).reason, 'malformed');
  });
});

describe('bodies', () => {
  const bytes = new TextEncoder().encode(verified);
  // As in Jest's jsdom: the classes are others there.
  const foreign = runInNewContext('Uint8Array.from(bytes)', { bytes });
  const ways = {
    text: verified,
    Uint8Array: bytes,
    Buffer: Buffer.from(verified),
    ArrayBuffer: bytes.slice().buffer,
    'part of a buffer': new Uint8Array([0, ...bytes, 0]).subarray(1, -1),
    'Uint8Array of a sandbox': foreign,
    'ArrayBuffer of a sandbox': foreign.buffer,
  };
  for (const [name, body] of Object.entries(ways))
    test(name, async () => {
      assert.equal((await webhooks.verify(body, await webhooks.sign(verified, secret), secret)).id, 'evt_1');
    });
  test('one that was parsed already is a mistake, and says so', async () => {
    const headers = await webhooks.sign(verified, secret);
    const error = await errorOf(webhooks.verify(JSON.parse(verified), headers, secret));
    assert.ok(error instanceof ConfigurationError);
    assert.match(error.message, /raw body/);
  });
  test('one that is genuine, but no JSON', async () => {
    for (const body of ['', 'hello', '[]', 'null']) {
      const error = await errorOf(webhooks.verify(body, await webhooks.sign(body, secret), secret));
      assert.ok(error instanceof SignatureError);
      assert.equal(error.reason, 'malformed');
    }
  });
});

describe('secrets', () => {
  for (const wrong of [undefined, '', [], 'secret', 'whsec_', [secret, undefined], 'whsec_c2hvcnQ='])
    test(`${JSON.stringify(wrong)} is refused`, async () => {
      const error = await errorOf(webhooks.verify(verified, await webhooks.sign(verified, secret), wrong));
      assert.ok(error instanceof ConfigurationError);
      assert.doesNotMatch(inspect(error), /c2hvcnQ|YW4g/);
    });
  test('both while one rotates', async () => {
    const headers = await webhooks.sign(verified, [other, secret]);
    for (const one of [secret, other, [other, secret]])
      assert.equal((await webhooks.verify(verified, headers, one)).id, 'evt_1');
  });
});

test('the clock may be off by what is allowed', async () => {
  const headers = await webhooks.sign(verified, secret, { timestamp: new Date(Date.now() - 400_000) });
  assert.equal((await errorOf(webhooks.verify(verified, headers, secret))).reason, 'too_old');
  assert.equal((await webhooks.verify(verified, headers, secret, { toleranceSeconds: 500 })).id, 'evt_1');
});

describe('a tolerance that is none lets nothing in', () => {
  const none = [Number('x'), Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, '300', null, true, {}, [], 300n];
  for (const toleranceSeconds of none)
    test(`${typeof toleranceSeconds} ${String(toleranceSeconds)}`, async () => {
      // Of 1970, so that only a comparison which is always false could take it.
      for (const timestamp of [new Date(0), new Date()]) {
        const headers = await webhooks.sign(verified, secret, { timestamp });
        const error = await errorOf(webhooks.verify(verified, headers, secret, { toleranceSeconds }));
        assert.ok(error instanceof ConfigurationError, inspect(error));
        assert.match(error.message, /toleranceSeconds/);
      }
    });
  test('nor does a clock that is none', async () => {
    const headers = await webhooks.sign(verified, secret);
    for (const now of [new Date('x'), Date.now(), null])
      assert.ok((await errorOf(webhooks.verify(verified, headers, secret, { now }))) instanceof ConfigurationError);
  });
  test('0 is one', async () => {
    const timestamp = new Date();
    const headers = await webhooks.sign(verified, secret, { timestamp });
    const event = await webhooks.verify(verified, headers, secret, { toleranceSeconds: 0, now: timestamp });
    assert.equal(event.id, 'evt_1');
  });
});

test('what is signed and of other types than the contract’s is malformed', async () => {
  for (const body of [
    '{"id":5,"type":"session.verified"}',
    '{"id":"evt_1","type":"session.verified","data":{"session":{"run":"one"}}}',
  ]) {
    const error = await errorOf(webhooks.verify(body, await webhooks.sign(body, secret), secret));
    assert.ok(error instanceof SignatureError, inspect(error));
    assert.equal(error.reason, 'malformed');
  }
});
