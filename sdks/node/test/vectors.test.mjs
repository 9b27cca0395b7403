// The vectors that every SDK is held to (sdks/vectors).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigurationError, SignatureError, webhooks } from '@ramz/sdk';
import { at, camel, errorOf, invoke, isOwn, kindOf, scripted, vectors } from './support.mjs';

const session = { status: 200, body: { id: 'vrf_1', sessions: [], next_page_token: '' } };
/** An answer to whatever was asked. */
const answerTo = (given) => ({ status: 200, body: { ...session.body, ...given } });

const pick = (object, names) =>
  Object.fromEntries(names.flatMap((name) => (name in object ? [[name, object[name]]] : [])));

describe('requests', () => {
  for (const { name, operation, arguments: given, expect } of vectors('requests').cases)
    test(name, async () => {
      const { ramz, calls } = scripted([answerTo(pick(given, ['id', 'event_id']))]);
      const answer = invoke(ramz, operation, given);
      await (answer.page?.() ?? answer);
      const [{ method, url, body, headers }] = calls;
      assert.equal(method, expect.method);
      assert.equal(url, `http://ramz.test${expect.target}`);
      assert.deepEqual(body === undefined ? undefined : JSON.parse(body), expect.body);
      if (expect.bytes) assert.equal(Buffer.byteLength(body), expect.bytes);
      assert.equal(headers.get('content-type'), expect.body === undefined ? null : 'application/json');
      assert.equal(headers.has('idempotency-key'), expect.idempotency_key ?? false);
      assert.equal(headers.get('authorization'), 'Bearer ramz_test_key');
    });
});

describe('errors', () => {
  for (const { name, expect, ...answer } of vectors('errors').cases)
    test(name, async () => {
      const { ramz } = scripted([answer], { maxRetries: 0 });
      const error = await errorOf(ramz.verify.send({ to: '+213550000001' }));
      assert.equal(kindOf(error), expect.kind);
      const { code, message, field = null, requestId, status, retryAfterSeconds = null, details } = error;
      assert.deepEqual(
        { code, message, field, request_id: requestId, status, retry_after_seconds: retryAfterSeconds, details },
        {
          code: expect.code,
          message: expect.message,
          field: expect.field,
          request_id: expect.request_id,
          status: answer.status,
          retry_after_seconds: expect.retry_after_seconds,
          details: expect.details,
        },
      );
      assert.equal(error.body, expect.body);
      for (const [header, value] of Object.entries(expect.headers ?? {}))
        assert.equal(error.headers.get(header), value);
    });
});

describe('retries', () => {
  for (const { name, operation, responses, max_retries: maxRetries = 2, ...rest } of vectors('retries').cases)
    for (const random of [0, 0.5, 1])
      test(`${name} (random ${random})`, async () => {
        const { arguments: own, expect, total_timeout_ms: totalTimeoutMs } = rest;
        const pauses = [];
        const runtime = { sleep: async (ms) => void pauses.push(ms), random: () => random };
        const { ramz, calls } = scripted(responses, { maxRetries, totalTimeoutMs, runtime });
        const given = operation === 'verify.send' ? { to: '+213550000001' } : { url: 'https://shop.example/hook' };
        const call = invoke(ramz, operation, own ?? given);
        if (expect.done) assert.equal(await call, undefined);
        else if (expect.ok) assert.equal((await call).id, expect.ok);
        else {
          const error = await errorOf(call);
          assert.equal(kindOf(error), expect.error);
          if (expect.code !== undefined) assert.equal(error.code, expect.code);
        }
        assert.equal(calls.length, expect.calls);
        assert.equal(pauses.length, expect.waits_ms.length);
        for (const [index, [least, most]] of expect.waits_ms.entries())
          assert.ok(pauses[index] >= least && pauses[index] <= most, `pause ${pauses[index]}`);
        assert.equal(new Set(calls.map(({ headers }) => headers.get('idempotency-key'))).size, 1);
      });
});

describe('answers', () => {
  for (const { name, operation, arguments: own, body, pages, expect } of vectors('answers').cases)
    test(name, async () => {
      const { ramz, calls } = scripted((pages ?? [body]).map((one) => ({ status: 200, body: one })));
      const answer = invoke(ramz, operation, own ?? { id: 'vrf_1', to: '+213550000001', code: '123456' });
      if (expect.error) {
        const error = await errorOf(answer);
        assert.equal(kindOf(error), expect.error);
        assert.ok(error.message.startsWith(expect.message), error.message);
        // It may hold numbers and secrets.
        assert.equal(error.body, '');
        assert.equal(calls.length, 1);
        return;
      }
      if (!pages) {
        const got = await answer;
        for (const [path, value] of Object.entries(expect)) assert.deepEqual(at(got, path) ?? null, value, path);
        return;
      }
      const ids = [];
      for await (const { id } of answer) ids.push(id);
      assert.deepEqual(ids, expect.ids);
      const tokens = calls.map(({ url }) => new URL(url).searchParams.get('page_token') ?? '');
      assert.deepEqual(tokens, expect.page_tokens);
    });
});

describe('written as JSON again', () => {
  for (const { name, operation, body } of vectors('written').cases)
    test(name, async () => {
      const { ramz } = scripted([{ status: 200, body }]);
      const answer = await invoke(ramz, operation, { id: 'vrf_1', code: '123456' });
      assert.deepEqual(JSON.parse(JSON.stringify(answer)), inCamelCase(body));
    });
});

const inCamelCase = (value) => {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [camel(name), isOwn(name) ? inner : inCamelCase(inner)]),
  );
};

describe('signatures', () => {
  const { sign, verify } = vectors('signatures');
  for (const { name, id, timestamp, body, secrets, signature } of sign)
    test(`signed: ${name}`, async () => {
      const headers = await webhooks.sign(body, secrets, { id, timestamp: new Date(timestamp * 1000) });
      assert.deepEqual(headers, {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      });
    });
  for (const { name, id, timestamp, body, secrets, signature, now, expect } of verify)
    test(`verified: ${name}`, async () => {
      const headers = { 'Webhook-Id': id, 'Webhook-Timestamp': timestamp, 'Webhook-Signature': signature };
      const verdict = await webhooks.verify(body, headers, secrets, { now: new Date(now * 1000) }).then(
        () => 'valid',
        (error) => {
          assert.ok(error instanceof SignatureError, String(error));
          return error.reason;
        },
      );
      assert.equal(verdict, expect);
    });
});

describe('timestamps', () => {
  for (const { text, unix_ms, written } of vectors('timestamps').cases) {
    test(`${text} is read`, async () => {
      const { ramz } = scripted([{ status: 200, body: { id: 'vrf_1', created_at: text } }]);
      assert.equal((await ramz.verify.get('vrf_1')).createdAt.getTime(), unix_ms);
    });
    test(`${text} is written as ${written}`, async () => {
      const { ramz, calls } = scripted([session]);
      await ramz.verify.list({ createdAfter: new Date(unix_ms) }).page();
      assert.equal(new URL(calls[0].url).searchParams.get('created_after'), written);
    });
  }
  test('an invalid Date is not sent', async () => {
    const { ramz, calls } = scripted([session]);
    const error = await errorOf(ramz.verify.list({ createdAfter: new Date('x') }).page());
    assert.ok(error instanceof ConfigurationError);
    assert.equal(calls.length, 0);
  });
});
