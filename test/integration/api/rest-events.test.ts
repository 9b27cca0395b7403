// Streams over REST: the form of Server-Sent Events, what is an error before and after the stream has begun, and clients that read slowly,
// leave, or ask for the head alone.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { allEvents, readEvents } from '../../support/event-stream.ts';
import { until } from '../../support/wait.ts';
import { newSeen, startFake } from './fake.ts';

const seen = newSeen();
const beatMs = 50;
let api: Api;
let base: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  api = await startFake(seen, { http: { host: '127.0.0.1', port: 0, timeouts: { beatMs } } });
  base = `http://127.0.0.1:${api.httpPort}`;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await api.close(1_000);
});

const authorization = 'Bearer all';
const address = (id: string) => `${base}/v1/verify/sessions/${id}/events`;
const ask = (id: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(address(id), { ...init, headers: { authorization, ...headers } });

test('a stream from its first state to its end', async () => {
  const response = await ask('vrf_short', { accept: 'text/event-stream' });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  const text = await response.text();
  expect(text).toMatch(/^retry: 1000\n\nid: 1-1\ndata: \{.*\}\n\nid: 2-3\ndata: \{.*\}\n\nevent: end\ndata: \{\}\n\n$/);
  const events = await allEvents(new Response(text).body);
  expect(events.map(({ type, lastEventId }) => [type, lastEventId])).toEqual([
    ['message', '1-1'],
    ['message', '2-3'],
    ['end', '2-3'],
  ]);
  const [, state] = events.map(({ data }) => JSON.parse(data));
  // The names of REST, and fields that say nothing too.
  expect(state).toMatchObject({ session: { id: 'vrf_short', status: 'verified', status_reason: '' }, new_entries: [] });
});

test('what is refused before the stream has begun is an answer like any other', async () => {
  const refusals = [
    [await ask('vrf_none'), 404, 'session_not_found'],
    [await ask('vrf_short', { authorization: 'Bearer gone' }), 401, 'revoked_api_key'],
    [await ask('vrf_short', { 'last-event-id': 'seven' }), 400, 'invalid_argument'],
    [await fetch(`${address('vrf_short')}?after=1`, { headers: { authorization } }), 400, 'unknown_field'],
  ] as const;
  for (const [response, status, code] of refusals) {
    expect(response.headers.get('content-type')).toBe('application/json');
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
  }
  expect((await ask('vrf_short', {}, { method: 'POST' })).status).toBe(405);
});

test('an error in the stream is its last event', async () => {
  const response = await ask('vrf_bad');
  const events = await allEvents(response.body);
  expect(events.map(({ type }) => type)).toEqual(['message', 'end']);
  const { error } = JSON.parse(events[1]?.data ?? '');
  expect(error).toEqual({
    code: 'session_not_found',
    message: 'no such session',
    request_id: response.headers.get('x-request-id'),
  });
});

test('Last-Event-ID counts before the address, and an empty one not at all', async () => {
  const query = async (text: string, headers: Record<string, string>) => {
    const response = await fetch(`${address('vrf_short')}?${text}`, { headers: { authorization, ...headers } });
    const events = await allEvents(response.body);
    return [response.status, ...events.map(({ lastEventId }) => lastEventId)];
  };
  expect(await query('last_event_id=1-1', {})).toEqual([200, '2-3', '2-3']);
  expect(await query('last_event_id=9-9', { 'last-event-id': '1-1' })).toEqual([200, '2-3', '2-3']);
  expect(await query('', { 'last-event-id': '' })).toEqual([200, '1-1', '2-3', '2-3']);
});

test('a client that was told everything gets no content: browsers do not come again', async () => {
  const response = await ask('vrf_short', { 'last-event-id': '9-9' });
  expect([response.status, await response.text()]).toEqual([204, '']);
});

test('a stream with nothing to tell begins at once, and shows by comments that it lives', async () => {
  const leaving = new AbortController();
  const response = await ask('vrf_long', { 'last-event-id': '1-1' }, { signal: leaving.signal });
  expect(response.status).toBe(200);
  let comments = 0;
  const events: unknown[] = [];
  const reading = (async () => {
    for await (const event of readEvents(response.body, { onComment: () => comments++ })) events.push(event);
  })();
  await until(() => comments >= 3, { what: 'three comments' });
  const ended = seen.watchesEnded;
  leaving.abort();
  await expect(reading).rejects.toThrow();
  await until(() => seen.watchesEnded > ended, { what: 'the handler to end' });
  expect(events).toEqual([]);
});

test('the head alone begins no watch that lasts', async () => {
  const ended = seen.watchesEnded;
  for (const lastEventId of ['', '1-1']) {
    const response = await ask('vrf_long', { 'last-event-id': lastEventId }, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  }
  await until(() => seen.watchesEnded === ended + 2, { what: 'the handlers to end' });
  expect((await ask('vrf_none', {}, { method: 'HEAD' })).status).toBe(404);
});

/** Asks for a stream and reads nothing of it. */
async function deaf(id: string): Promise<Socket> {
  const socket = connect(api.httpPort, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET /v1/verify/sessions/${id}/events HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
  return socket;
}

test('a client that reads nothing is cut off, and holds nothing', async () => {
  const ended = seen.watchesEnded;
  const socket = await deaf('vrf_flood');
  await until(() => seen.watchesEnded > ended, { what: 'the stream to be cut off' });
  const closed = once(socket, 'close');
  socket.on('error', () => {}).resume();
  await closed;
});

test('a client that reads slowly gets everything', async () => {
  const asked = request(`${address('vrf_many')}`, { headers: { authorization } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  // Each chunk is awaited before the next is read.
  const slow = async function* () {
    for await (const chunk of response) {
      await new Promise((resolve) => setImmediate(resolve));
      yield chunk as Uint8Array;
    }
  };
  const events = await allEvents(slow());
  expect(events).toHaveLength(1 + 200 + 1);
  expect(events.at(-1)).toMatchObject({ type: 'end', data: '{}' });
});

test('what can not be read behind the request of a stream ends the stream, and is no part of it', async () => {
  const socket = await deaf('vrf_long');
  let text = '';
  socket.on('data', (octets) => {
    text += octets;
  });
  socket.resume();
  await until(() => text.includes('data: '), { what: 'its first event' });
  const closed = once(socket, 'close');
  socket.on('error', () => {}).write('no request\r\n\r\n');
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).not.toContain('malformed_request');
});

test('a process that stops ends its streams with a reason', async () => {
  const stopping = await startFake(newSeen());
  const url = `http://127.0.0.1:${stopping.httpPort}/v1/verify/sessions/vrf_long/events`;
  const response = await fetch(url, { headers: { authorization } });
  const reading = allEvents(response.body);
  await stopping.close(600_000);
  const events = await reading;
  expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({ error: { code: 'unavailable' } });
});
