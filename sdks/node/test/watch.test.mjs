// Watching over broken connections: nothing twice, nothing lost, and an end.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NetworkError, NotFoundError, Ramz, RequestTimeoutError, ServerError } from '@ramz/sdk';
import { errorOf } from './support.mjs';

function envelope(json, flags = 0) {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const bytes = new Uint8Array(5 + text.length);
  bytes[0] = flags;
  new DataView(bytes.buffer).setUint32(1, text.length);
  bytes.set(text, 5);
  return bytes;
}
const entry = (kind) => ({ kind });
const session = (kinds, status = 'pending') => ({ id: 'vrf_1', status, timeline: kinds.map(entry) });
const told = (kinds, fresh, status) => envelope({ session: session(kinds, status), new_entries: fresh.map(entry) });
const end = (json = {}) => envelope(json, 2);

/** Each connection is a list of chunks; 'lost' breaks it, 'open' leaves it silent. */
function watching(connections, options = {}) {
  const asked = [];
  const pauses = [];
  const ramz = new Ramz({
    apiKey: 'ramz_test_key',
    baseUrl: 'http://ramz.test/path',
    fetch: async (url, init) => {
      asked.push({ url, init });
      const chunks = connections[asked.length - 1];
      if (!chunks) throw new TypeError('fetch failed');
      if (chunks instanceof Response) return chunks;
      let next = 0;
      const body = new ReadableStream({
        start(controller) {
          init.signal.addEventListener('abort', () => {
            try {
              controller.error(init.signal.reason);
            } catch {} // Closed already.
          });
        },
        pull(controller) {
          const chunk = chunks[next++];
          if (chunk === 'open') return new Promise(() => {});
          if (chunk === 'lost') throw new TypeError('terminated');
          if (chunk) controller.enqueue(chunk);
          else controller.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'application/connect+json' } });
    },
    runtime: { sleep: async (ms) => void pauses.push(ms), random: () => 0 },
    ...options,
  });
  return { ramz, asked, pauses };
}

async function all(stream) {
  const updates = [];
  for await (const { session, newEntries } of stream)
    updates.push([session.status, ...newEntries.map(({ kind }) => kind)]);
  return updates;
}

test('the updates until the service says that it is over', async () => {
  const { ramz, asked } = watching([[told(['a'], ['a']), told(['a', 'b'], ['b'], 'verified'), end()]]);
  assert.deepEqual(await all(ramz.verify.watch('vrf_1')), [
    ['pending', 'a'],
    ['verified', 'b'],
  ]);
  assert.equal(asked[0].url, 'http://ramz.test/path/ramz.v1.VerifyService/WatchSession');
  assert.deepEqual([...asked[0].init.body], [...envelope({ id: 'vrf_1' })]);
});

test('messages cut into single bytes, and several in one chunk', async () => {
  const bytes = [told(['a'], ['a']), told(['a', 'b'], ['b'], 'verified'), end()].flatMap((one) => [...one]);
  const single = bytes.map((byte) => Uint8Array.of(byte));
  const whole = [Uint8Array.from(bytes)];
  for (const chunks of [single, whole]) {
    const { ramz } = watching([chunks]);
    assert.equal((await all(ramz.verify.watch('vrf_1'))).length, 2);
  }
});

describe('a lost connection', () => {
  const first = told(['a'], ['a']);
  const again = told(['a', 'b'], ['a', 'b'], 'verified');
  test('is made again, and only what is new is told', async () => {
    const { ramz, asked, pauses } = watching([
      [first, 'lost'],
      [again, end()],
    ]);
    assert.deepEqual(await all(ramz.verify.watch('vrf_1')), [
      ['pending', 'a'],
      ['verified', 'b'],
    ]);
    assert.equal(asked.length, 2);
    assert.deepEqual(pauses, [250]);
  });
  test('with nothing new behind it, nothing is told', async () => {
    const { ramz } = watching([
      [first, 'lost'],
      [first, told(['a', 'b'], ['b'], 'verified'), end()],
    ]);
    assert.equal((await all(ramz.verify.watch('vrf_1'))).length, 2);
  });
  test('closed without a word is lost, too', async () => {
    const { ramz } = watching([[first], [again, end()]]);
    assert.equal((await all(ramz.verify.watch('vrf_1'))).length, 2);
  });
  test('a service that is being restarted says so', async () => {
    const restart = end({ error: { code: 'unavailable', message: 'stopping' } });
    const { ramz } = watching([
      [first, restart],
      [again, end()],
    ]);
    assert.equal((await all(ramz.verify.watch('vrf_1'))).length, 2);
  });
  test('again and again, without a word between, is an error', async () => {
    const { ramz, asked, pauses } = watching([[first, 'lost']]);
    const updates = [];
    const error = await errorOf(
      (async () => {
        for await (const update of ramz.verify.watch('vrf_1')) updates.push(update);
      })(),
    );
    assert.equal(error.name, 'NetworkError');
    assert.equal(updates.length, 1);
    assert.equal(asked.length, 3);
    assert.deepEqual(pauses, [250, 500]);
  });
  test('is not made again where it is told so', async () => {
    const { ramz, asked } = watching([[first, 'lost']]);
    assert.equal((await errorOf(all(ramz.verify.watch('vrf_1', { maxRetries: 0 })))).name, 'NetworkError');
    assert.equal(asked.length, 1);
  });
});

describe('refusals', () => {
  // ErrorInfo {reason: session_not_found, domain: ramz}
  const details = [{ type: 'google.rpc.ErrorInfo', value: 'ChFzZXNzaW9uX25vdF9mb3VuZBIEcmFteg' }];
  test('an unknown session', async () => {
    const { ramz } = watching([[end({ error: { code: 'not_found', message: 'no such session', details } })]]);
    const error = await errorOf(all(ramz.verify.watch('vrf_x')));
    assert.ok(error instanceof NotFoundError);
    assert.equal(error.code, 'session_not_found');
  });
  test('the session of somebody else', async () => {
    const other = envelope({ session: { ...session(['verified'], 'verified'), id: 'vrf_2' }, new_entries: [] });
    const { ramz, asked } = watching([[told(['opened'], ['opened']), other, end()]]);
    const seen = [];
    const error = await errorOf(
      (async () => {
        for await (const update of ramz.verify.watch('vrf_1')) seen.push(update.session.status);
      })(),
    );
    assert.ok(error instanceof ServerError);
    assert.match(error.message, /another id than asked for/);
    assert.deepEqual([seen, asked.length], [['pending'], 1]);
  });
  test('a proxy’s page', async () => {
    const { ramz } = watching([new Response('<html>', { status: 403 })], { maxRetries: 0 });
    const error = await errorOf(all(ramz.verify.watch('vrf_1')));
    assert.equal(error.name, 'ServerError');
    assert.equal(error.message, 'not an answer of Ramz: HTTP 403 text/plain: "<html>"');
  });
  test('a success that is no stream', async () => {
    const { ramz } = watching([new Response('{"id":"vrf_1"}')]);
    assert.ok((await errorOf(all(ramz.verify.watch('vrf_1')))) instanceof ServerError);
  });
  test('bytes that are no envelopes', async () => {
    const { ramz } = watching([[new Uint8Array(64).fill(255)]]);
    assert.ok((await errorOf(all(ramz.verify.watch('vrf_1')))) instanceof ServerError);
  });
});

/** Lets everything run that waits for no timer. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

for (const [timeoutMs, quietMs] of [
  [10_000, 60_000],
  [90_000, 90_000],
])
  test(`a connection that is silent for ${quietMs} ms is made again, which is no failure`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const connections = [
      [told(['a'], ['a']), 'open'],
      [told(['a', 'b'], ['a', 'b'], 'verified'), end()],
    ];
    const { ramz, asked, pauses } = watching(connections, { maxRetries: 0, timeoutMs });
    const updates = ramz.verify.watch('vrf_1')[Symbol.asyncIterator]();
    assert.equal((await updates.next()).value.session.status, 'pending');
    // The time that the reader takes is not the connection's.
    t.mock.timers.tick(3_600_000);
    await settled();
    const next = updates.next();
    await settled();
    t.mock.timers.tick(quietMs - 1);
    await settled();
    assert.equal(asked.length, 1);
    t.mock.timers.tick(1);
    const { session, newEntries } = (await next).value;
    assert.deepEqual([session.status, ...newEntries.map(({ kind }) => kind)], ['verified', 'b']);
    assert.ok((await updates.next()).done);
    assert.ok(asked[0].init.signal.aborted);
    assert.deepEqual([asked.length, pauses], [2, []]);
  });

test('the first answer has a limit of time of its own', async () => {
  const { ramz } = watching([['open']], { timeoutMs: 20, maxRetries: 0 });
  assert.ok((await errorOf(all(ramz.verify.watch('vrf_1')))) instanceof RequestTimeoutError);
});

test('leaving the loop ends the connection', async () => {
  const { ramz, asked } = watching([[told(['a'], ['a']), 'open']]);
  for await (const _ of ramz.verify.watch('vrf_1')) break;
  assert.ok(asked[0].init.signal.aborted);
});

test('the caller’s signal ends a silent watch', async () => {
  const stop = new AbortController();
  const { ramz } = watching([[told(['a'], ['a']), 'open']]);
  const error = await errorOf(
    (async () => {
      for await (const _ of ramz.verify.watch('vrf_1', { signal: stop.signal })) stop.abort(new Error('enough'));
    })(),
  );
  assert.equal(error.message, 'enough');
});

test('hooks hear of each connection once, and calls have headers of their own', async () => {
  const infos = [];
  const busy = new Response('', { status: 503, headers: { 'x-request-id': 'req_1' } });
  const connections = [[told(['a'], ['a']), 'lost'], busy, [told(['a', 'b'], ['b'], 'verified'), end()]];
  const { ramz, asked } = watching(connections);
  await all(ramz.verify.watch('vrf_1', { headers: { 'X-Tenant': '7' }, onResponse: (info) => infos.push(info) }));
  assert.deepEqual(
    infos.map(({ operation, attempt, status, requestId }) => [operation, attempt, status, requestId]),
    [
      ['verify.watch', 1, 200, ''],
      ['verify.watch', 2, 503, 'req_1'],
      ['verify.watch', 3, 200, ''],
    ],
  );
  assert.deepEqual([...new Set(asked.map(({ init }) => new Headers(init.headers).get('x-tenant')))], ['7']);
});

test('hooks hear of a connection that is not made', async () => {
  const infos = [];
  const { ramz } = watching([], { maxRetries: 0, onResponse: (info) => infos.push(info.status) });
  assert.equal((await errorOf(all(ramz.verify.watch('vrf_1')))).name, 'NetworkError');
  assert.deepEqual(infos, [0]);
});

test('what a hook throws ends the watch, and comes as it is', async () => {
  for (const own of [new Error('mine'), new NetworkError('mine'), 'mine'])
    for (const connection of [[told(['a'], ['a'], 'verified'), end()], undefined]) {
      const infos = [];
      const onResponse = (info) => {
        infos.push(info);
        throw own;
      };
      const { ramz } = watching(connection ? [connection, connection, connection] : [], { onResponse });
      assert.equal(await errorOf(all(ramz.verify.watch('vrf_1'))), own);
      assert.equal(infos.length, 1);
    }
});
