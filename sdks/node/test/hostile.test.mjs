// What a hostile or broken other side may do: bodies without an end, lists in circles, JSON as deep as it gets.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  ConfigurationError,
  NetworkError,
  Ramz,
  RequestTimeoutError,
  ServerError,
  SignatureError,
  webhooks,
} from '@ramz/sdk';
import { errorOf, invoke, kindOf, scripted, vectors } from './support.mjs';

const mebibyte = Buffer.alloc(1024 * 1024, ' ');
const key = 'ramz_test_secret_9f8e7d';
let server;
let baseUrl;
let sent = 0;
before(async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
  server = createServer((request, response) => {
    const what = request.url.split('/').at(-1);
    const type = what === 'WatchSession' ? 'text/html' : 'application/json';
    if (what === 'vrf_bomb') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    if (what === 'vrf_drip') {
      response.writeHead(200, { 'content-type': type });
      const drip = setInterval(() => response.write(' '), 5);
      return response.on('close', () => clearInterval(drip));
    }
    if (what === 'vrf_dump')
      return response.end(JSON.stringify({ id: what, to: request.headers.authorization.slice(0, 6) }));
    // As debugging proxies do: all that was sent, in the page and in headers.
    if (what === 'vrf_echo' || request.url.startsWith('/echo/')) {
      const { authorization } = request.headers;
      const headers = { 'x-echo': authorization, location: `https://${key}:${key}@elsewhere.example/?${key}` };
      return response.writeHead(308, headers).end(`${' '.repeat(1010)}${authorization}`);
    }
    if (what === 'vrf_gzip') {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': type });
      return response.end(gzipSync('{"id":"vrf_gzip"}'));
    }
    response.writeHead(what === 'vrf_500' ? 500 : 200, { 'content-type': type });
    const pour = () => {
      while (!response.destroyed && sent < 1024) {
        sent += 1;
        if (!response.write(mebibyte)) return response.once('drain', pour);
      }
      response.end();
    };
    pour();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
const client = (options) => new Ramz({ apiKey: key, baseUrl, maxRetries: 0, ...options });

describe('a body', () => {
  for (const [name, id] of [
    ['of a gigabyte', 'vrf_big'],
    ['of a gigabyte, of an error', 'vrf_500'],
    ['that is a gzip bomb', 'vrf_bomb'],
  ])
    test(`${name} is left after 16 MiB`, async () => {
      sent = 0;
      const error = await errorOf(client().verify.get(id));
      assert.ok(error instanceof ServerError, inspect(error));
      assert.match(error.message, /larger than any answer/);
      assert.ok(sent < 100, `${sent} MiB`);
    });
  test('of a gigabyte in place of a stream, too', async () => {
    sent = 0;
    const watch = async () => {
      for await (const _ of client().verify.watch('vrf_1'));
    };
    assert.ok((await errorOf(watch())) instanceof ServerError);
    assert.ok(sent < 100, `${sent} MiB`);
  });
  test('that is packed by gzip is read', async () => {
    assert.equal((await client().verify.get('vrf_gzip')).id, 'vrf_gzip');
  });
  test('that drips for ever ends with the time of the try', async () => {
    assert.ok((await errorOf(client({ timeoutMs: 50 }).verify.get('vrf_drip'))) instanceof RequestTimeoutError);
  });
  test('of somebody’s own fetch that streams nothing is read all the same', async () => {
    const response = { status: 200, headers: new Headers(), text: async () => '{"id":"vrf_1"}' };
    assert.equal((await client({ fetch: async () => response }).verify.get('vrf_1')).id, 'vrf_1');
  });
});

describe('JSON', () => {
  const deep = (depth) => `{"id":"vrf_1","more":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  test('of 100 000 levels is no answer', async () => {
    const { ramz } = scripted([{ status: 200, body_text: deep(100_000) }]);
    assert.ok((await errorOf(ramz.verify.get('vrf_1'))) instanceof ServerError);
  });
  test('of 500 levels is one, and brackets in text are no levels', async () => {
    const text = JSON.stringify({ id: `vrf_"\\${'['.repeat(1000)}` });
    for (const body_text of [deep(500), text]) {
      const { ramz } = scripted([{ status: 200, body_text }]);
      const { id } = JSON.parse(body_text);
      assert.equal((await ramz.verify.get(id)).id, id);
    }
  });
  test('with a name twice means the last one', async () => {
    const { ramz } = scripted([{ status: 200, body_text: '{"id":"vrf_1","id":"vrf_2"}' }]);
    assert.equal((await ramz.verify.get('vrf_2')).id, 'vrf_2');
    const again = scripted([{ status: 200, body_text: '{"id":"vrf_1","id":"vrf_2"}' }]);
    assert.ok((await errorOf(again.ramz.verify.get('vrf_1'))) instanceof ServerError);
  });
  test('of an error can’t touch prototypes', async () => {
    const evil = '{"error":{"code":"no_route","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
    const { ramz } = scripted([{ status: 400, body_text: evil }]);
    const error = await errorOf(ramz.verify.get('vrf_1'));
    assert.equal(error.polluted ?? error.details.polluted ?? {}.polluted, undefined);
  });
  test('of a webhook can’t either, nor choose its shape by the name of a method', async () => {
    const secret = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE=';
    for (const type of ['__proto__', 'constructor', 'toString']) {
      const body = `{"id":"evt_1","type":"${type}","data":{"__proto__":{"polluted":1}}}`;
      const event = await webhooks.verify(body, await webhooks.sign(body, secret), secret);
      assert.equal(event.data.polluted ?? {}.polluted, undefined);
    }
    const body = `{"id":"evt_1","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const error = await errorOf(webhooks.verify(body, await webhooks.sign(body, secret), secret));
    assert.ok(error instanceof SignatureError);
  });
});

describe('lists', () => {
  const { operation, cases } = vectors('lists');
  for (const { name, pages, expect } of cases)
    test(name, async () => {
      const { ramz, calls } = scripted(pages.map((body) => ({ status: 200, body })));
      const ids = [];
      const all = async () => {
        for await (const { id } of invoke(ramz, operation)) ids.push(id);
      };
      if (expect.error === null) await all();
      else assert.equal(kindOf(await errorOf(all())), expect.error);
      assert.deepEqual(ids, expect.ids);
      assert.deepEqual(
        calls.map(({ url }) => new URL(url).searchParams.get('page_token') ?? ''),
        expect.page_tokens,
      );
    });
});

describe('a header', () => {
  const body = '{"key":"ramz_live_other","to":"+213550000001"}';
  /** What the error of a call is when bytes come that no server of Node's would write. */
  const errorAt = async (head) => {
    const raw = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
    });
    await new Promise((resolve) => raw.listen(0, '127.0.0.1', resolve));
    const ramz = client({ baseUrl: `http://127.0.0.1:${raw.address().port}`, maxRetries: 0 });
    const error = await errorOf(ramz.apiKeys.create({ name: 'backend' }));
    raw.close();
    return error;
  };
  test('that is malformed shows nothing of what follows it', async () => {
    const error = await errorAt('HTTP/1.1 201 Created\r\nno colon');
    assert.ok(error instanceof NetworkError);
    const shown = inspect(error, { depth: 20, showHidden: true });
    assert.match(shown, /HTTP\/1\.1 protocol/);
    for (const secret of ['ramz_live_other', '213550000001']) assert.ok(!shown.includes(secret), shown);
  });
  test('may have spaces at its end', async () => {
    const error = await errorAt('HTTP/1.1 503 Unavailable\r\nretry-after: 3 \t\r\nx-request-id: req_1 ');
    assert.deepEqual([error.retryAfterSeconds, error.requestId], [3, 'req_1']);
  });
});

describe('a phone number', () => {
  const to = '+213550000001';
  const calls = {
    'a list': (ramz) => ramz.verify.list({ to }).page(),
    'an erasure': (ramz) => ramz.numbers.erase(to),
    'an erasure with signs': (ramz) => ramz.numbers.erase(`("${to}")`),
    'an erasure everywhere': (ramz) => ramz.admin.eraseNumberEverywhere(to),
  };
  const refused = (address) => Object.assign(new Error('Unable to connect'), { path: address, code: 'ECONNREFUSED' });
  const faults = {
    Deno: (address) =>
      new TypeError('fetch failed', { cause: new Error(`error sending request for url (${address}): refused`) }),
    Bun: refused,
    'node-fetch': (address) => new Error(`request to ${address} failed, reason: refused`, { cause: refused(address) }),
  };
  for (const [runtime, fault] of Object.entries(faults))
    for (const [name, call] of Object.entries(calls))
      test(`is in no error of ${runtime} about ${name}`, async () => {
        let thrown;
        const fetch = async (address) => {
          thrown = fault(address);
          throw thrown;
        };
        // As it may stand in an address, and would end it for whoever looks for one in brackets.
        const error = await errorOf(call(client({ fetch, baseUrl: 'https://ramz.test:8443/a(b', maxRetries: 0 })));
        assert.ok(error instanceof NetworkError);
        assert.match(error.message, /refused|Unable to connect/);
        assert.ok(error.cause instanceof Error);
        assert.equal(error.cause.code, thrown.code);
        const shown = inspect(error, { depth: 20, showHidden: true });
        if (runtime !== 'Bun') assert.match(shown, /https:\/\/ramz\.test:8443\/…/);
        for (const text of [shown, error.message, error.stack]) assert.ok(!text.includes('550000001'), text);
      });
  test('takes nothing from an error without one: a browser’s stack has addresses, too', async () => {
    const failed = new TypeError('Failed to fetch https://ramz.test');
    failed.stack = `${failed}\n    at f (https://app.example/assets/app.js:10:5)\ng@https://app.example/app.js:1:2`;
    const fetch = async () => {
      throw failed;
    };
    assert.equal((await errorOf(client({ fetch, maxRetries: 0 }).numbers.erase(to))).cause, failed);
    failed.stack += '\n    at https://app.example/login?phone=%2B213550000001:3:1';
    const { cause } = await errorOf(client({ fetch, maxRetries: 0 }).numbers.erase(to));
    assert.deepEqual(cause.stack.split('\n').slice(1), [
      '    at f (https://app.example/assets/app.js:10:5)',
      'g@https://app.example/app.js:1:2',
      '    at https://app.example/…',
    ]);
  });
});

describe('the key', () => {
  test('is in nothing that can be printed', async () => {
    const ramz = client();
    assert.equal((await ramz.verify.get('vrf_dump')).to, 'Bearer');
    const watch = client({ baseUrl: `${baseUrl}/echo` })
      .verify.watch('vrf_1')
      [Symbol.asyncIterator]();
    const errors = [
      await errorOf(ramz.verify.get('vrf_big')),
      await errorOf(ramz.verify.get('vrf_drip', { timeoutMs: 50 })),
      await errorOf(client().verify.get('vrf_echo')),
      await errorOf(watch.next()),
      await errorOf(client({ baseUrl: 'http://127.0.0.1:1' }).verify.get('vrf_1')),
      await errorOf(client({ baseUrl: 'http://127.0.0.1:1' }).verify.send({ to: '+213550000001' })),
    ];
    assert.match(errors[2].message, /HTTP 308 to https:\/\/elsewhere.example\/…/);
    assert.equal(errors[2].headers.get('X-Echo'), 'Bearer ***');
    assert.equal(errors[2].headers.get('location'), 'https://***@elsewhere.example/?***');
    assert.match(errors[2].body, /Bearer \*\*\*$/);
    assert.match(errors[3].message, /HTTP 308 to/);
    for (const value of [ramz, ramz.verify, ramz.verify.list(), ramz.verify.watch('vrf_1'), ...errors]) {
      const shown = inspect(value, { depth: 20, showHidden: true, getters: true });
      const more = `${value.body} ${JSON.stringify([...(value.headers ?? [])])}`;
      for (const text of [more, shown, JSON.stringify(value), String(value), value.stack ?? ''])
        assert.ok(!text.includes(key), text);
    }
  });
  test('is not in the error of a gateway that repeats it', async () => {
    const refusal = { code: 'bad_token', message: 'no such token: ramz_test_key', token: 'ramz_test_key' };
    const answer = { status: 401, headers: { 'x-request-id': 'ramz_test_key' } };
    for (const body of [{ error: refusal }, refusal]) {
      const { ramz } = scripted(
        [
          { ...answer, body },
          { ...answer, body },
        ],
        { maxRetries: 0 },
      );
      const watch = ramz.verify.watch('vrf_1')[Symbol.asyncIterator]();
      for (const error of [await errorOf(ramz.verify.get('vrf_1')), await errorOf(watch.next())]) {
        assert.match(error.message, /no such token: \*\*\*/);
        assert.deepEqual([error.status, error.requestId], [401, '***']);
        const shown = `${inspect(error, { depth: 20, showHidden: true, getters: true })} ${error.body}`;
        assert.ok(!shown.includes('ramz_test_key'), shown);
      }
    }
  });
  test('and an idempotency key make no header of their own', async () => {
    for (const bad of ['a\r\nx-evil: 1', 'a\n', ' a', 'a ', '', 'ä', 'a'.repeat(257)])
      assert.ok(
        (await errorOf(client().verify.send({ to: '+213550000001' }, { idempotencyKey: bad }))) instanceof
          ConfigurationError,
        JSON.stringify(bad),
      );
    assert.throws(() => client({ apiKey: 'a\r\nx-evil: 1' }), ConfigurationError);
  });
});
