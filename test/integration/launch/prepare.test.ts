// What `npm start` sets up by the public API, against a server that cannot answer yet.
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import type { SandboxState } from '../../../src/launch/files.ts';
import { prepareEndpoints } from '../../../src/launch/prepare.ts';
import { listen } from '../../support/listen.ts';

/** Answers 503 as often as `refusals` says, then as a service and a sandbox do. */
async function refusing(refusals: number, retryAfter: string) {
  const asked: string[] = [];
  const { port } = await listen(
    createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const refused = asked.length <= refusals;
      response.writeHead(refused ? 503 : 200, { 'content-type': 'application/json', 'retry-after': retryAfter });
      const answer =
        request.method === 'GET' ? { webhook_endpoints: [] } : { id: 'whe_1', url: 'x', secret: 'whsec_1' };
      response.end(JSON.stringify(refused ? { error: { code: 'unavailable' } } : answer));
    }),
  );
  return { asked, url: `http://127.0.0.1:${port}` };
}

test('a server whose database is slower than a call waits is asked again when it says so', async () => {
  const { asked, url } = await refusing(2, '0');
  const kept: SandboxState[] = [];
  const state = { adminToken: 'a', apiKey: 'live', testKey: 'test' };
  await prepareEndpoints(url, { http: url, webhookUrl: 'http://127.0.0.1:1/' }, state, (next) => kept.push(next));
  expect(kept).toMatchObject([{ webhookSecrets: ['whsec_1', 'whsec_1'] }]);
  const once = ['GET /v1/webhook_endpoints', 'POST /v1/webhook_endpoints'];
  expect(asked).toEqual([once[0], once[0], ...once, ...once, 'POST /sandbox/secrets']);
});

test('anything else that is refused is an error at once', async () => {
  const { port } = await listen(createServer((_, response) => response.writeHead(500).end('no')));
  const url = `http://127.0.0.1:${port}`;
  const prepared = prepareEndpoints(
    url,
    { http: url, webhookUrl: 'http://127.0.0.1:1/' },
    { adminToken: 'a' },
    () => {},
  );
  await expect(prepared).rejects.toThrow('GET /v1/webhook_endpoints: 500 no');
});
