// Requests that never end are cut off. The limits are short here, so nothing else is asked of this server.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { until } from '../../support/wait.ts';
import { newSeen, startFake } from './fake.ts';

const api = await startFake(newSeen(), {
  http: { host: '127.0.0.1', port: 0, timeouts: { headersMs: 300, requestMs: 400, checkMs: 50 } },
});
afterAll(() => api.close(0));

/** What is read behind `request` until the server closes the connection, which was used for a call before where `isUsed`. */
async function readAfter(request: string, isUsed: boolean): Promise<string> {
  const socket = connect(api.httpPort, '127.0.0.1').setEncoding('utf8');
  let text = '';
  let ended = false;
  socket.on('data', (part: string) => {
    text += part;
  });
  socket.on('close', () => {
    ended = true;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (isUsed) {
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => text.endsWith('}'), { what: 'the first answer' });
    text = '';
  }
  socket.write(request);
  await until(() => ended, { what: 'the server to close the connection' });
  return text;
}

describe.each([
  ['a new connection', false],
  ['a connection that was used before', true],
])('on %s', (_, isUsed) => {
  test('a request whose headers never end is cut off', async () => {
    const text = await readAfter('POST /v1/verify/send HTTP/1.1\r\nhost: x\r\n', isUsed);
    expect(text).toMatch(/^HTTP\/1.1 408 /);
    expect(text).toContain('"request_id":"req_');
  });

  test('a body that never ends is cut off', async () => {
    const head =
      'POST /v1/verify/send HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n';
    expect(await readAfter(`${head}{"to"`, isUsed)).toMatch(/^HTTP\/1.1 408 /);
  });
});
