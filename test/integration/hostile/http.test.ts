// Slow, greedy and wrong clients on the HTTP door: each gets its 4xx or is cut off, everybody else is served meanwhile.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { fetchOver } from '../../support/few-connections.ts';
import { testService } from '../../support/service.ts';
import { type Checked, type ErrorBody, serviceClient } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';

const service = await testService();
const server = await service.startProcess();
const { live, http } = server;
const { hostname, port } = new URL(http);
const rssMb = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]) / 1024;

const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

interface Raw {
  socket: Socket;
  text(): string;
  closed(): boolean;
}

function open(text = ''): Raw {
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  return { socket, text: () => received, closed: () => socket.destroyed };
}

const authorization = `authorization: Bearer ${service.liveKey}\r\n`;
const post = (headers: string, body = '') =>
  `POST /v1/verify/check HTTP/1.1\r\nhost: x\r\n${authorization}content-type: application/json\r\n${headers}\r\n${body}`;
const served = async () => expect((await live.call('GET', '/v1/account')).status).toBe(200);

/** One answer in our shape. */
async function refused(raw: Raw, status: number): Promise<ErrorBody['error']> {
  await until(() => raw.text().includes('\r\n\r\n{') && raw.text().endsWith('}'), {
    what: `an answer, ${status}`,
  });
  expect(raw.text()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  return (JSON.parse(raw.text().slice(raw.text().indexOf('{'))) as ErrorBody).error;
}

describe('slow clients', () => {
  test('300 that send their headers an octet at a time are cut off; calls pass between them', async () => {
    const slow = Array.from({ length: 300 }, () => open('POST /v1/verify/send HTTP/1.1\r\nx-slow: '));
    const dripping = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write('a');
    }, 250);
    try {
      await until(
        async () => {
          await served();
          return slow.every(({ closed }) => closed());
        },
        { what: 'them to be cut off', everyMs: 100 },
      );
    } finally {
      clearInterval(dripping);
    }
    expect(slow.every(({ text }) => text().startsWith('HTTP/1.1 408 ') || text() === '')).toBe(true);
  });

  test('bodies that never come, and 1,500 connections that say nothing, hold nobody up', async () => {
    const waiting = Array.from({ length: 100 }, () => open(post('content-length: 60000\r\n', '{"id":"')));
    const idle = Array.from({ length: 1_500 }, () => open());
    await until(() => idle.every(({ socket }) => !socket.connecting), {
      what: 'them to be connected',
    });
    await Promise.all(Array.from({ length: 50 }, served));
    for (const { socket } of [...waiting, ...idle]) socket.destroy();
    expect(rssMb()).toBeLessThan(500);
  });

  test('answers that nobody reads hold nobody up', async () => {
    const greedy = open();
    greedy.socket.pause();
    // Each answer is a thousand times as long as its request.
    for (let block = 0; block < 50; block += 1)
      greedy.socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100));
    await Promise.all(Array.from({ length: 50 }, served));
    expect(rssMb()).toBeLessThan(500);
    greedy.socket.destroy();
  });
});

describe('too much', () => {
  test('headers of 100 KB', async () => {
    const raw = open(`GET / HTTP/1.1\r\nx-large: ${'y'.repeat(100_000)}\r\n\r\n`);
    expect(await refused(raw, 400)).toMatchObject({
      code: 'malformed_request',
      message: expect.stringContaining('16384'),
    });
  });

  test('more headers than anybody needs', async () => {
    const many = Array.from({ length: 900 }, (_, nth) => `x${nth}: y\r\n`).join('');
    const raw = open(post(`${many}content-length: 2\r\n`, '{}'));
    await until(() => /^HTTP\/1.1 4/.test(raw.text()), { what: 'an answer' });
  });

  test.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('100,000 times %s is refused by its size, 10,000 times by its shape', async (left, right) => {
    const nest = (depth: number) => `${left.repeat(depth)}1${right.repeat(depth)}`;
    for (const [depth, status] of [
      [100_000, 413],
      [10_000, 400],
    ] as const) {
      const answer = await fetch(`${http}/v1/verify/check`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.liveKey}`, 'content-type': 'application/json' },
        body: nest(depth),
      });
      expect(answer.status).toBe(status);
      expect(((await answer.json()) as ErrorBody).error.request_id).toMatch(/^req_/);
    }
  });

  test('a body in chunks that has no end is cut at 64 KiB', async () => {
    const raw = open(post('transfer-encoding: chunked\r\n'));
    const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`;
    const pouring = setInterval(() => !raw.socket.destroyed && raw.socket.write(chunk.repeat(4)), 1);
    try {
      await until(raw.closed, { what: 'the connection to be closed' });
      // Who goes on writing may lose the answer with the connection.
      expect(raw.text()).toMatch(/^(HTTP\/1.1 413 |$)/);
    } finally {
      clearInterval(pouring);
    }
  });
});

describe('what is no request', () => {
  test.each([
    ['two lengths', post('content-length: 2\r\ncontent-length: 3\r\n', '{}x')],
    [
      'two keys, of which a proxy looked at the other',
      `GET /v1/account HTTP/1.1\r\nhost: x\r\n${authorization.repeat(2)}\r\n`,
    ],
    ['two names of the host', `GET /v1/account HTTP/1.1\r\nhost: x\r\nHost: y\r\n${authorization}\r\n`],
    ['a length and chunks', post('content-length: 2\r\ntransfer-encoding: chunked\r\n', '0\r\n\r\n')],
    ['a line break inside a header', 'GET / HTTP/1.1\r\nhost: x\r\nx-a: b\rc: d\r\n\r\n'],
    ['a NUL in the path', 'GET /v1/\0 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['chunks whose size is no number', post('transfer-encoding: chunked\r\n', 'zz\r\n')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s', async (_, text) => {
    const raw = open(text);
    expect((await refused(raw, 400)).code).toBe('malformed_request');
    await until(raw.closed, { what: 'the connection to be closed' });
  });
});

test('requests in a row without waiting are answered in their order', async () => {
  const ids = Array.from({ length: 200 }, (_, nth) => `/v1/no-such-route-${nth}`);
  const raw = open(ids.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));
  await until(() => raw.text().split('HTTP/1.1 404').length - 1 === ids.length, {
    what: 'every answer',
  });
  const body = JSON.stringify({ id: 'vrf_none', code: '123456' });
  const mixed = open(`${post(`content-length: ${body.length}\r\n`, body)}GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`);
  await until(() => /404[\s\S]*HTTP\/1.1 200/.test(mixed.text()), { what: 'both answers, in order' });
});

const guessing = serviceClient(http, service.liveKey, fetchOver({ connections: 200 }));

test('of 1,000 checks at once five are counted, and the right code after them is refused', async () => {
  const to = '+213551230001';
  const { id } = await live.send(to);
  const code = await service.sandbox.codeTo(to);
  const wrong = `${code.slice(0, -1)}${(Number(code.at(-1)) + 1) % 10}`;
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, () => guessing.call<Checked>('POST', '/v1/verify/check', { id, code: wrong })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const reasons = Map.groupBy(answers, ({ body }) => body.reason);
  expect(reasons.get('incorrect_code')?.length).toBe(5);
  expect(reasons.get('too_many_attempts')?.length).toBe(995);
  expect(await live.check(id, code)).toMatchObject({ valid: false, reason: 'too_many_attempts' });
});

test("another account's key finds nothing, and changes nothing", async () => {
  const { id, to } = await live.send('+213551230002');
  const made = await fetch(`${http}/v1/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Another' }),
  });
  const text = await made.text();
  const keys = text.match(/ramz_(live|test)_\w+/g) ?? [];
  expect(keys).toHaveLength(2);
  const code = await service.sandbox.codeTo(to);
  for (const key of [...keys, service.testKey]) {
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await fetch(http + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return answer.status;
    };
    expect(await ask('GET', `/v1/verify/sessions/${id}`)).toBe(404);
    expect(await ask('POST', `/v1/verify/sessions/${id}/cancel`, {})).toBe(404);
    expect(await ask('POST', '/v1/verify/check', { id, code })).toBe(404);
    expect(await ask('POST', '/v1/verify/check', { to, code })).toBe(404);
  }
  expect(await live.check(id, code)).toMatchObject({ valid: true });
});
