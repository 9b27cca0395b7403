// The client against a server of ours: limits, aborts, redirects, what goes over the wire.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { ConfigurationError, NetworkError, NotFoundError, Ramz, RequestTimeoutError, ServerError } from '@ramz/sdk';
import { errorOf, scripted } from './support.mjs';

let server;
let baseUrl;
const seen = [];
before(async () => {
  server = createServer((request, response) => {
    seen.push({ url: request.url, headers: request.headers });
    if (request.url === '/v1/verify/sessions/vrf_slow') return;
    if (request.url === '/v1/verify/sessions/vrf_half') return void response.writeHead(200).write('{"id":');
    if (request.url === '/v1/verify/sessions/vrf_moved')
      return response.writeHead(307, { location: '/v1/account' }).end();
    if (request.url === '/v1/verify/sessions/vrf_cut') return void request.socket.destroy();
    response.end(JSON.stringify({ id: request.url.split('/').at(-1) }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
const client = (options) => new Ramz({ apiKey: 'ramz_test_key', baseUrl, maxRetries: 0, ...options });

describe('limits', () => {
  test('no answer in time', async () => {
    const error = await errorOf(client({ timeoutMs: 30 }).verify.get('vrf_slow'));
    assert.ok(error instanceof RequestTimeoutError && error instanceof NetworkError);
  });
  test('half an answer in time', async () => {
    assert.ok((await errorOf(client().verify.get('vrf_half', { timeoutMs: 50 }))) instanceof RequestTimeoutError);
  });
  test('a fetch that does not look at its signal', async () => {
    const ramz = client({ timeoutMs: 20, fetch: () => new Promise(() => {}) });
    assert.ok((await errorOf(ramz.verify.get('vrf_1'))) instanceof RequestTimeoutError);
  });
  test('the connection is lost', async () => {
    const error = await errorOf(client().verify.get('vrf_cut'));
    assert.equal(error.name, 'NetworkError');
    assert.ok(error.cause instanceof Error);
  });
  test('nobody there', async () => {
    const error = await errorOf(client({ baseUrl: 'http://127.0.0.1:1' }).verify.get('vrf_1'));
    assert.equal(error.name, 'NetworkError');
  });
});

describe('the caller’s own signal', () => {
  test('ends a call with its reason', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const call = errorOf(client().verify.get('vrf_slow', { signal: stop.signal }));
    stop.abort(reason);
    assert.equal(await call, reason);
  });
  test('aborted before: nothing is sent', async () => {
    const { ramz, calls } = scripted([]);
    const error = await errorOf(ramz.verify.get('vrf_1', { signal: AbortSignal.abort() }));
    assert.equal(error.name, 'AbortError');
    assert.equal(calls.length, 0);
  });
  test('ends the pause before a repeat', async () => {
    const stop = new AbortController();
    const { ramz, calls } = scripted([{ status: 503 }], {
      runtime: {
        sleep: async (_, signal) => {
          stop.abort();
          signal.throwIfAborted();
        },
      },
    });
    assert.equal((await errorOf(ramz.verify.get('vrf_1', { signal: stop.signal }))).name, 'AbortError');
    assert.equal(calls.length, 1);
  });
  test('leaves no listener behind', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    await client().verify.get('vrf_1', { signal });
    assert.equal(listeners, 0);
  });
});

describe('on the wire', () => {
  test('a redirect is not followed: the key stays here', async () => {
    const before = seen.length;
    const error = await errorOf(client().verify.get('vrf_moved'));
    assert.ok(error instanceof ServerError);
    assert.equal(error.status, 307);
    assert.equal(seen.length, before + 1);
  });
  test('the SDK names itself', async () => {
    await client().verify.get('vrf_1');
    assert.match(seen.at(-1).headers['user-agent'], /^ramz-node\/\d/);
  });
  test('a key of the caller is kept', async () => {
    const { ramz, calls } = scripted([{ status: 503 }, { status: 200, body: { id: 'vrf_1' } }]);
    await ramz.verify.send({ to: '+213550000001' }, { idempotencyKey: 'order 1042' });
    assert.deepEqual(
      calls.map(({ headers }) => headers.get('idempotency-key')),
      ['order 1042', 'order 1042'],
    );
  });
  test('headers of the caller may be Headers or a Map', async () => {
    for (const headers of [new Headers({ 'X-Tenant': '7' }), new Map([['X-Tenant', '7']])]) {
      const { ramz, calls } = scripted([{ status: 200, body: { id: 'vrf_1' } }], { headers });
      await ramz.verify.get('vrf_1', { headers: new Headers({ 'x-call': '1' }) });
      assert.deepEqual([calls[0].headers.get('x-tenant'), calls[0].headers.get('x-call')], ['7', '1']);
    }
    for (const headers of [[['x-tenant', '7']], new Set(['x-tenant']), new Map([[1, '7']]), new Headers({ host: 'a' })])
      assert.throws(() => scripted([], { headers }), ConfigurationError);
  });
  test('two calls have two keys', async () => {
    const { ramz, calls } = scripted([
      { status: 200, body: { id: 'vrf_1' } },
      { status: 200, body: { id: 'vrf_1' } },
    ]);
    await ramz.verify.send({ to: '+213550000001' });
    await ramz.verify.send({ to: '+213550000001' });
    assert.notEqual(calls[0].headers.get('idempotency-key'), calls[1].headers.get('idempotency-key'));
  });
  test('fields that are not known here travel all the same, undefined ones do not', async () => {
    const { ramz, calls } = scripted([{ status: 200, body: { id: 'vrf_1' } }]);
    await ramz.verify.send({ to: '+213550000001', brandNew: { deepInside: [1] }, channel: undefined, purpose: null });
    assert.deepEqual(JSON.parse(calls[0].body), { to: '+213550000001', brand_new: { deep_inside: [1] } });
  });
  test('nothing in an answer can touch prototypes', async () => {
    const { ramz } = scripted([{ status: 200, body_text: '{"id":"vrf_1","__proto__":{"polluted":true}}' }]);
    const session = await ramz.verify.get('vrf_1');
    assert.equal(session.polluted, undefined);
    assert.equal({}.polluted, undefined);
  });
});

describe('lists', () => {
  const page = (ids, next) => ({ status: 200, body: { sessions: ids.map((id) => ({ id })), next_page_token: next } });
  test('a page, and the next one by its token', async () => {
    const { ramz, calls } = scripted([page(['a'], 'more'), page(['b'], '')]);
    const first = await ramz.verify.list({ pageSize: 1 }).page();
    const second = await ramz.verify.list({ pageSize: 1, pageToken: first.nextPageToken }).page();
    assert.deepEqual([first.items[0].id, second.items[0].id, second.nextPageToken], ['a', 'b', '']);
    assert.equal(calls[1].url, 'http://ramz.test/v1/verify/sessions?page_size=1&page_token=more');
  });
  test('no page is asked for before it is needed', async () => {
    const { ramz, calls } = scripted([page(['a', 'b'], 'more')]);
    for await (const { id } of ramz.verify.list()) if (id === 'b') break;
    assert.equal(calls.length, 1);
  });
  test('a service that goes in circles is left', async () => {
    const { ramz } = scripted([page(['a'], 'x'), page(['b'], 'x')]);
    const all = (async () => {
      for await (const _ of ramz.verify.list());
    })();
    assert.ok((await errorOf(all)) instanceof ServerError);
  });
  test('its errors are those of calls', async () => {
    const { ramz } = scripted([
      { status: 404, body: { error: { code: 'webhook_endpoint_not_found', message: 'no' } } },
    ]);
    assert.ok((await errorOf(ramz.webhookEndpoints.listDeliveries('whe_1').page())) instanceof NotFoundError);
  });
});
