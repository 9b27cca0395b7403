// Calls of pages to the service (`/service/<path>`): they are passed on with the sandbox's key, and the answers as they come, because an
// answer of WatchSession lasts as long as its session. Whichever side goes takes the other one with it.

import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ServiceAddress } from '../service.ts';
import { type Response, write } from './server.ts';

export const SERVICE = '/service';

/** Headers of one connection and not of the message (RFC 9110 section 7.6.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers of the page, which are not passed on: the service is called with the sandbox's key, and not by a browser. */
const ofThePage = ['host', 'authorization', 'cookie', 'origin', 'referer', 'expect'];

const isForBrowsers = (name: string) => name.startsWith('sec-') || name.startsWith('access-control-');

const unavailable = (error: string): Response => ({ status: 503, headers: { 'retry-after': '1' }, body: { error } });

/** `url`: that of the request, below `/service`. */
export function pass(service: ServiceAddress, url: URL, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { target } = service;
  if (!target) {
    incoming.resume();
    write(outgoing, unavailable('the service is not there yet, or not any more'));
    return;
  }
  const { http, apiKey } = target;
  // Else a body would follow that no header speaks of, and the service would take it for the next request.
  const framing = incoming.headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' };
  const asked = (http.protocol === 'https:' ? httpsRequest : httpRequest)({
    // Never put together as one address: a path may begin with two slashes.
    hostname: http.hostname.replace(/^\[|\]$/g, ''),
    port: http.port,
    path: http.pathname.replace(/\/$/, '') + url.pathname.slice(SERVICE.length) + url.search,
    method: incoming.method,
    headers: { ...kept(incoming, ofThePage), ...framing, authorization: `Bearer ${apiKey}` },
    // A connection that is kept may be closed by the service just when it is used again.
    agent: false,
  });
  asked.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, kept(answer, ['set-cookie']));
    // A stream that has nothing to say yet has begun all the same.
    outgoing.flushHeaders();
    answer.on('error', () => outgoing.destroy());
    answer.pipe(outgoing);
  });
  asked.on('error', (error) => {
    incoming.resume();
    if (outgoing.headersSent) outgoing.destroy();
    else write(outgoing, unavailable(`the service does not answer: ${error.message}`));
  });
  outgoing.on('close', () => asked.destroy());
  incoming.pipe(asked);
}

/** The headers of a message that go on. */
function kept(message: IncomingMessage, left: readonly string[]): IncomingMessage['headers'] {
  const named = (message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const without = new Set([...hopByHop, ...left, ...named]);
  return Object.fromEntries(
    Object.entries(message.headers).filter(([name]) => !without.has(name) && !isForBrowsers(name)),
  );
}
