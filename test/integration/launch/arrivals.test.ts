// The stream of what arrives at the sandbox: read as it comes, taken up again after a break, counted under load.
import { createServer, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { Printer, readEvents, type ServerEvent, showArrivals } from '../../../src/launch/arrivals.ts';
import { listen } from '../../support/listen.ts';
import { until } from '../../support/wait.ts';

const paint = (_: string, text: string) => text;
const sms = (to: string) => ({
  id: to.slice(-2),
  channel: 'sms',
  to,
  text: 'code 1234',
  received_at: '2026-11-22T12:34:27.862Z',
});
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** A sandbox whose streams the test writes. */
async function streams(status = 200) {
  const open: ServerResponse[] = [];
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'text/event-stream' });
    if (status !== 200) return response.end('no');
    response.write(event('hello', { messages: [sms('+213550000000')], moods: [] }));
    open.push(response);
    return response;
  });
  const { port } = await listen(server);
  return { url: `http://127.0.0.1:${port}`, open };
}

test('what comes is printed, what came before is not; a broken stream is taken up again', async () => {
  const { url, open } = await streams();
  const said: string[] = [];
  const end = new AbortController();
  await showArrivals({ sandbox: url, say: (line) => said.push(line), paint, signal: end.signal });
  open[0]?.write(event('message', sms('+213550000001')));
  await until(() => said.length === 1, { what: 'the first line' });
  open[0]?.destroy();
  const again = await until(() => open[1], { what: 'the stream to be taken up again' });
  again.write(event('message', sms('+213550000002')));
  await until(() => said.length === 2, { what: 'the second line' });
  expect(said.map((line) => /\+\d+/.exec(line)?.[0])).toEqual(['+213550000001', '+213550000002']);
  end.abort();
  await until(() => again.destroyed, { what: 'the stream to be left' });
});

test('a sandbox without a stream keeps no start waiting', async () => {
  const { url } = await streams(404);
  const said: string[] = [];
  await showArrivals({ sandbox: url, say: (line) => said.push(line), paint, signal: new AbortController().signal });
  expect(said).toEqual([]);
});

test('an event may come in pieces, and in several lines', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\nevent: a\nda');
    setImmediate(() => response.end('ta: {"b":\ndata: "é"}\n\ndata: 2\n\nevent: without data\n\n'));
  });
  const { port } = await listen(server);
  const heard: ServerEvent[] = [];
  const signal = new AbortController().signal;
  expect(await readEvents(`http://127.0.0.1:${port}`, (each) => heard.push(each), signal)).toBe(true);
  expect(heard).toEqual([
    { event: 'a', data: '{"b":\n"é"}' },
    { event: 'message', data: '2' },
  ]);
});

test('under load so many lines are printed at a time, and the others are counted', async () => {
  const said: string[] = [];
  const printer = new Printer((line) => said.push(line), 1);
  for (let n = 0; n < 50; n += 1) printer.print(`line ${n}`);
  expect(said).toHaveLength(20);
  await until(() => said.length > 20, { what: 'the count' });
  expect(said.at(-1)?.trim()).toBe('… and 30 more');
  printer.print('line 50');
  expect(said.at(-1)).toBe('line 50');
});
