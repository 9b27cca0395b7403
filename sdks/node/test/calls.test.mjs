// Options of clients and calls, and what the hooks hear: vectors/calls.json and what is Node's own.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { ConfigurationError, NetworkError, RateLimitError, ResponseInfo } from '@ramz/sdk';
import { camel, errorOf, invoke, kindOf, scripted, vectors } from './support.mjs';

/** The SDK's timers, in place of the runtime's: one ends when a test says so, and its length is known. */
const timers = [];
const own = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
before(() => {
  globalThis.setTimeout = (run, ms) => timers.push({ run, ms });
  globalThis.clearTimeout = () => {};
});
after(() => Object.assign(globalThis, own));

/** A client whose clock stands still, but for `takes_ms` of an answer, for timeouts and for pauses. */
function timed(responses, options) {
  let nowMs = 0;
  const limits = [];
  const spend = ({ fault, takes_ms: takesMs = 0 }) => {
    const { ms, run } = timers.at(-1);
    limits.push(ms);
    nowMs += fault === 'timeout' ? ms : takesMs;
    if (fault === 'timeout') queueMicrotask(run);
  };
  const pauses = [];
  const sleep = async (ms) => {
    pauses.push(ms);
    nowMs += ms;
  };
  const { ramz, calls } = scripted(responses, {
    timeoutMs: undefined,
    ...options,
    runtime: { sleep, now: () => nowMs },
    meanwhile: spend,
  });
  return { ramz, calls, pauses, limits };
}

/** Names of options as they are here; those of headers stay. */
const named = (options = {}) =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), value]));
const given = { 'verify.send': { to: '+213550000001' }, 'verify.get': { id: 'vrf_1' } };

const within = (found, bounds) => {
  assert.equal(found.length, bounds.length);
  for (const [index, [least, most]] of bounds.entries())
    assert.ok(found[index] >= least && found[index] <= most, `${found[index]} is not within ${least} and ${most}`);
};

describe('calls', () => {
  for (const { name, operation, client, options, responses, expect } of vectors('calls').cases)
    test(name, async () => {
      const [ofClient, ofCall] = [[], []];
      let calls = [];
      let pauses = [];
      let limits = [];
      const call = async () => {
        const made = timed(responses, { ...named(client), onResponse: (info) => ofClient.push(info) });
        ({ calls, pauses, limits } = made);
        const own = { ...named(options), onResponse: (info) => ofCall.push(info) };
        return invoke(made.ramz, operation, given[operation], own);
      };
      if (expect.ok) assert.equal((await call()).id, expect.ok);
      else {
        const error = await errorOf(call());
        if (expect.error === 'configuration') assert.ok(error instanceof ConfigurationError, String(error));
        else assert.equal(kindOf(error), expect.error);
        assert.equal(error.code, expect.code);
      }
      assert.equal(calls.length, expect.calls);
      within(pauses, expect.waits_ms);
      if (expect.timeouts_ms) within(limits, expect.timeouts_ms);
      for (const { headers } of calls) {
        for (const [header, value] of Object.entries(expect.headers ?? {})) assert.equal(headers.get(header), value);
        assert.ok(headers.get('user-agent').endsWith(expect.user_agent_ends ?? ''));
      }
      assert.deepEqual(ofClient, ofCall);
      if (expect.told) assert.deepEqual(ofCall.map(heard(operation)), expect.told);
    });
});

const heard = (operation) => (info) => {
  assert.equal(info.operation, operation);
  return { attempt: info.attempt, status: info.status, request_id: info.requestId, duration_ms: info.durationMs };
};

test('the user agent has the version of the runtime', async () => {
  const { ramz, calls } = timed([{ status: 200, body: { id: 'vrf_1' } }], { userAgent: 'my-shop/1.2' });
  await ramz.verify.get('vrf_1');
  assert.match(calls[0].headers.get('user-agent'), /^ramz-node\/\d+\.\d+\.\d+ node\/\d+\.\d+\.\d+ my-shop\/1\.2$/);
});

test('headers of a response are heard without the key, in one line for a log', async () => {
  const headers = { 'x-ratelimit': '7', 'x-echo': 'Bearer ramz_test_key', 'x-request-id': 'req_1' };
  const { ramz } = timed([{ status: 200, headers, body: { id: 'vrf_1' }, takes_ms: 131 }]);
  const infos = [];
  await ramz.verify.get('vrf_1', { onResponse: (info) => infos.push(info) });
  const [info] = infos;
  assert.ok(info instanceof ResponseInfo);
  assert.equal(info.headers.get('X-RateLimit'), '7');
  assert.equal(info.headers.get('x-echo'), 'Bearer ***');
  assert.equal(String(info), 'verify.get, attempt 1: HTTP 200 in 0.131 s (req_1)');
});

test('what a hook throws ends the call', async () => {
  const own = new Error('of the hook');
  const onResponse = () => {
    throw own;
  };
  const { ramz, calls } = timed([{ status: 503 }, { status: 200, body: { id: 'vrf_1' } }], { onResponse });
  assert.equal(await errorOf(ramz.verify.get('vrf_1')), own);
  assert.equal(calls.length, 1);
});

test('what a hook throws ends the call whatever it is, as of a hook that calls Ramz itself', async () => {
  const limited = {
    message: 'mine',
    code: 'rate_limited',
    requestId: '',
    status: 429,
    retryAfterSeconds: 0,
    details: {},
  };
  for (const own of [new NetworkError('mine'), new RateLimitError(limited)])
    for (const status of [200, 503]) {
      const onResponse = () => {
        throw own;
      };
      const { ramz, calls } = timed(Array(3).fill({ status, body: { id: 'vrf_1' } }), { onResponse });
      assert.equal(await errorOf(ramz.verify.send({ to: '+213550000001' })), own);
      assert.equal(calls.length, 1);
    }
});

test('a watch has no total, and takes no key', async () => {
  const { ramz, calls } = timed([]);
  for (const options of [{ totalTimeoutMs: 1 }, { idempotencyKey: 'mine' }])
    await assert.rejects(async () => ramz.verify.watch('vrf_1', options), ConfigurationError);
  assert.equal(calls.length, 0);
});

test('malformed options of a client', () => {
  const wrong = [
    { headers: ['x'] },
    { headers: { 'x-a': 1 } },
    { headers: 'x' },
    { userAgent: '' },
    { onResponse: 'x' },
  ];
  for (const options of wrong) assert.throws(() => timed([], options), ConfigurationError, inspect(options));
});

test('a secret header is not shown', () => {
  const { ramz } = timed([], { headers: { 'x-gateway': 's3cret' } });
  assert.ok(!inspect(ramz, { depth: 9, showHidden: true }).includes('s3cret'));
  assert.throws(
    () => timed([], { headers: { 'x-gateway': 's3cret\n' } }),
    (error) => !error.message.includes('s3cret'),
  );
});
