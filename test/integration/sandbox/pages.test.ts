// Many pages, slow ones and dead ones: none of them holds up another, fills this process, or is left behind.
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/sandbox/clock.ts';
import { Feed } from '../../../src/sandbox/feed.ts';
import { Events } from '../../../src/sandbox/http/events.ts';
import { type HttpServer, listen } from '../../../src/sandbox/http/server.ts';
import { runSandbox } from '../../../src/sandbox/main.ts';
import { until } from '../../support/wait.ts';
import { Page } from './page.ts';

const everyMs = 15_000;
const aloneMs = 5_000;

/** What is due later is run when a test says so. */
const due = new Map<number, () => void>();
const clock: Clock = {
  now: Date.now,
  after: (ms, action) => {
    due.set(ms, action);
    return () => due.delete(ms);
  },
};

let feed: Feed;
let events: Events;
let server: HttpServer;
let httpUrl: string;
let hello: object;
let alone: number;
const sockets: Socket[] = [];

beforeEach(async () => {
  feed = new Feed();
  hello = { messages: [] };
  alone = 0;
  const onAlone = () => {
    alone += 1;
  };
  events = new Events({ feed, clock, hello: () => hello, mostUnread: 512 * 1024, mostPages: 120, onAlone });
  server = await listen({ handle: ({ query }) => events.answer({ isTerminal: query.has('reader') }) }, '127.0.0.1', 0);
  httpUrl = `http://127.0.0.1:${server.port}`;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  events.stop();
  await server.close();
  due.clear();
});

/** A page that asks and never reads. */
async function deafPage(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  sockets.push(socket);
  const before = events.size;
  socket.write('GET /sandbox/events HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await until(() => events.size === before + 1, { what: 'the page' });
  return socket;
}

const announce = (text: string) => feed.announce('message', { text } as never);

test('100 pages get every event in the same order; each that goes is forgotten', async () => {
  const pages = await Promise.all(Array.from({ length: 100 }, () => Page.open(httpUrl)));
  expect(events.size).toBe(100);
  const texts = Array.from({ length: 200 }, (_, index) => `message ${index}`);
  for (const text of texts) announce(text);
  await until(() => pages.every((page) => page.of('message').length === 200), { what: 'all of it everywhere' });
  for (const page of pages) expect(page.of('message').map(({ text }) => text)).toEqual(texts);
  for (const page of pages.splice(0, 50)) page.close();
  await until(() => events.size === 50, { what: 'those that went to be forgotten' });
  announce('last');
  await until(() => pages.every((page) => page.of('message').length === 201), { what: 'the last one' });
  for (const page of pages) page.close();
  await until(() => events.size === 0, { what: 'all to be forgotten' });
});

test('a page that does not read is cut off at its bound, and the others miss nothing', async () => {
  const slow = await deafPage();
  const page = await Page.open(httpUrl);
  const long = 'x'.repeat(64 * 1024);
  let announced = 0;
  await until(
    () => {
      announce(long);
      announced += 1;
      return events.size === 1;
    },
    { what: 'the slow one to be cut off' },
  );
  await until(() => page.of('message').length === announced, { what: 'all of it at the other' });
  slow.resume();
  await until(() => slow.destroyed || slow.readableEnded, { what: 'the slow one to see it' });
  page.close();
});

test('one event that is longer than the bound reaches a page that reads, and ends one that does not at the next', async () => {
  hello = { messages: ['x'.repeat(3 * 1024 * 1024)] };
  const page = await Page.open(httpUrl);
  expect(page.hello.messages[0]).toHaveLength(3 * 1024 * 1024);
  hello = { messages: ['x'.repeat(12 * 1024 * 1024)] };
  await deafPage();
  announce('y'.repeat(2 * 1024 * 1024));
  await page.last('message', ({ text }) => text.length === 2 * 1024 * 1024);
  expect([events.size, page.ended]).toEqual([1, false]);
  page.close();
});

test('more pages than there is room for are refused, and welcome once one has gone', async () => {
  const pages = await Promise.all(Array.from({ length: 120 }, () => Page.open(httpUrl)));
  expect((await Page.open(httpUrl)).answer.status).toBe(503);
  pages.pop()!.close();
  await until(() => events.size === 119, { what: 'one to be forgotten' });
  const last = await Page.open(httpUrl);
  expect(last.answer.status).toBe(200);
  for (const page of [...pages, last]) page.close();
});

test('a line without meaning goes out every 15 s while a page is there, and no timer is left without one', async () => {
  expect(due.size).toBe(0);
  const page = await Page.open(httpUrl);
  for (const times of [1, 2, 3]) {
    due.get(everyMs)!();
    await until(() => page.comments === times, { what: 'the line' });
  }
  page.close();
  await until(() => events.size === 0, { what: 'the page to be forgotten' });
  expect([...due.keys()]).toEqual([aloneMs]);
});

test('the last page that goes is noticed after a while, unless one comes back', async () => {
  const [first, second] = [await Page.open(httpUrl), await Page.open(httpUrl)];
  first.close();
  await until(() => events.size === 1, { what: 'one to go' });
  expect(due.has(aloneMs)).toBe(false);
  second.close();
  await until(() => due.has(aloneMs), { what: 'the last one to go' });
  const again = await Page.open(httpUrl);
  expect([due.has(aloneMs), alone]).toEqual([false, 0]);
  again.close();
  await until(() => due.has(aloneMs), { what: 'the last one to go again' });
  due.get(aloneMs)!();
  expect(alone).toBe(1);
});

test('the terminal, which reads for as long as the sandbox runs, is no page', async () => {
  const terminal = await Page.open(httpUrl, {}, '?reader=terminal');
  const page = await Page.open(httpUrl);
  page.close();
  await until(() => due.has(aloneMs), { what: 'the last page to go' });
  due.get(aloneMs)!();
  expect(alone).toBe(1);
  due.delete(aloneMs);
  terminal.close();
  await until(() => events.size === 0, { what: 'the terminal to be forgotten' });
  expect(due.has(aloneMs)).toBe(false);
});

test('a stop ends every page, the deaf ones too, and leaves nothing', async () => {
  const page = await Page.open(httpUrl);
  const deaf = await deafPage();
  events.stop();
  await until(() => page.ended, { what: 'the page to end' });
  await server.close();
  deaf.resume();
  await until(() => deaf.destroyed || deaf.readableEnded, { what: 'the deaf one to end' });
  expect([events.size, due.size]).toEqual([0, 0]);
  announce('to no one');
});

test('webhooks of any length do not swell the first event, and the newest come first to it', async () => {
  const sandbox = await runSandbox({ clock: { ...clock, after: systemClock.after } });
  for (let index = 0; index < 5; index += 1)
    sandbox.sink.receive('default', {}, JSON.stringify({ index, text: 'x'.repeat(400 * 1024) }));
  const page = await Page.open(sandbox.httpUrl);
  expect(page.hello.webhooks.map(({ event }: { event: { index: number } }) => event.index)).toEqual([4]);
  // In JSON each of these octets is six.
  sandbox.sink.receive('default', {}, '\u0001'.repeat(1024 * 1024 - 1));
  const late = await Page.open(sandbox.httpUrl);
  await page.last('webhook', ({ body }) => body.length === 1024 * 1024 - 1);
  expect(late.hello.webhooks).toEqual([]);
  expect([page.ended, late.ended]).toEqual([false, false]);
  page.close();
  late.close();
  await sandbox.stop();
});
