// A browser's own EventSource follows a session: over a connection that breaks between two events nothing is lost and nothing told twice,
// and after the end the browser does not come again.

import { createServer, request, type ServerResponse } from 'node:http';
import { afterEach, expect } from 'vitest';
import { browserTest as test, testBrowser } from '../support/browser.ts';
import { listen } from '../support/listen.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const server = await service.startHere();
const customer = server.test;

/** What came to the server between browser and service: a browser can't send a key by itself. */
const asked: { lastEventId: string | undefined; status: number }[] = [];
let open: ServerResponse | undefined;

const between = await listen(
  createServer((incoming, outgoing) => {
    if (incoming.url === '/') return outgoing.setHeader('content-type', 'text/html').end('<!doctype html>');
    if (!incoming.url?.startsWith('/v1/')) return outgoing.writeHead(404).end();
    const lastEventId = incoming.headers['last-event-id'];
    const headers = {
      authorization: `Bearer ${service.testKey}`,
      ...(lastEventId && { 'last-event-id': lastEventId }),
    };
    const passed = request(server.http + incoming.url, { headers, agent: false }, (answer) => {
      asked.push({ lastEventId: lastEventId?.toString(), status: answer.statusCode ?? 0 });
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.on('error', () => outgoing.destroy()).pipe(outgoing);
    });
    open = outgoing;
    outgoing.on('close', () => passed.destroy());
    return passed.on('error', () => outgoing.destroy()).end();
  }),
);

afterEach(() => void open?.destroy());

interface Seen {
  ids: string[];
  kinds: string[];
  ends: string[];
  state: number;
}

test('a browser follows a session to its end', async () => {
  const { id } = await customer.send('+213663100001');
  const page = await (await testBrowser()).newPage();
  await page.goto(`http://127.0.0.1:${between.port}/`);
  await page.evaluate((path) => {
    const source = new EventSource(path);
    const seen: Omit<Seen, 'state'> = { ids: [], kinds: [], ends: [] };
    Object.assign(globalThis, { seen: () => ({ ...seen, state: source.readyState }) });
    source.onmessage = ({ lastEventId, data }) => {
      seen.ids.push(lastEventId);
      for (const { kind } of JSON.parse(data).new_entries) seen.kinds.push(kind);
    };
    source.addEventListener('end', (event) => seen.ends.push((event as MessageEvent).data));
  }, `/v1/verify/sessions/${id}/events`);
  const seen = () => page.evaluate(() => (globalThis as unknown as { seen(): Seen }).seen());
  const isDelivered = async () => (await seen()).kinds.includes('delivery_delivered');
  await until(isDelivered, { what: 'the receipt' });

  // Cut off: what happens before the browser is back must not be lost.
  const before = await seen();
  open?.destroy();
  await customer.check(id, '123456');
  await until(() => asked.length === 2, { what: 'the browser to come again' });
  expect(asked[1]).toEqual({ lastEventId: before.ids.at(-1), status: 200 });
  await customer.check(id, '000000');
  await until(async () => (await seen()).state === 2, { what: 'the browser to close the stream for good' });

  const { ids, kinds, ends } = await seen();
  const { timeline } = await customer.session(id);
  expect(kinds).toEqual(timeline.map(({ kind }) => kind));
  expect(ids).toEqual([...new Set(ids)]);
  expect(ends).toEqual(['{}']);
  expect(asked.at(-1)).toEqual({ lastEventId: ids.at(-1), status: 204 });
  await page.close();
});
