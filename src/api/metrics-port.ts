// The metrics port: what the operators of the service ask of one process, apart from what the world asks of all of them. Its pages name
// operators, their state and the runtime, so it listens on this machine alone unless it is told otherwise, and can ask for a token.

import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost } from './docs/own-machine.ts';
import { type Readiness, statusOf } from './http.ts';
import { type Certificate, renewCertificate, setResponseHeaders, targetOf, tlsRules } from './port-rules.ts';
import { writeJson } from './rest/answer.ts';
import { repeatedHeader } from './single-headers.ts';
import type { Logger } from './waist/ports.ts';

export interface MetricsPortOptions {
  host: string;
  /** 0 = any free one. */
  port: number;
  /** Bearer token that everything but `/healthz` asks for. Null = none: then only requests that name this machine are answered. */
  token: string | null;
  /** PEM; without it the port speaks plain HTTP. */
  tls?: Certificate;
}

export interface MetricsPortParts {
  metrics: () => Promise<{ contentType: string; body: string }>;
  readiness: () => Promise<Readiness>;
  /** True once the process is being stopped. */
  stopping: () => boolean;
  logger: Logger;
}

export interface MetricsPort {
  port: number;
  renewCertificate(certificate: Certificate): void;
  close(): void;
}

/** Scrapers are few. */
const maxConnections = 64;

/** Rejects when the port is taken. */
export async function openMetricsPort(options: MetricsPortOptions, parts: MetricsPortParts): Promise<MetricsPort> {
  const allowed = tokenCheck(options.token);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    setResponseHeaders(response);
    response.setHeader('cache-control', 'no-store');
    const path = targetOf(request).split('?', 1)[0];
    if (repeatedHeader(request.rawHeaders) !== undefined) return void response.writeHead(400).end();
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405).end();
    if (path === '/healthz') return writeJson(response, 200, { status: 'ok' });
    if (options.token === null && !isLoopbackHost(request.headers.host ?? '')) return refuseName(response);
    if (!allowed(request.headers.authorization)) {
      return void response.writeHead(401, { 'www-authenticate': 'Bearer realm="ramz metrics"' }).end();
    }
    switch (path) {
      case '/metrics': {
        const { contentType, body } = await parts.metrics();
        return void response.writeHead(200, { 'content-type': contentType }).end(body);
      }
      case '/readyz': {
        const readiness = await parts.readiness();
        const { code, status } = statusOf(readiness, parts.stopping());
        const cells = readiness.cells && { cells: await readiness.cells() };
        return writeJson(response, code, { status, ...readiness.details, ...cells });
      }
      default:
        return void response.writeHead(404).end();
    }
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch((error: unknown) => {
      parts.logger.error({ err: error }, 'metrics could not be answered');
      response.destroy();
    });
  };
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 65_000 };
  const server = options.tls
    ? createSecure({ ...limits, ...tlsRules, ...options.tls }, listener)
    : createPlain(limits, listener);
  server.maxConnections = maxConnections;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    renewCertificate: (certificate) => renewCertificate(server, certificate),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A page that a browser here shows reaches this port by a name of its own that leads here (DNS rebinding); of a token it knows nothing. */
function refuseName(response: ServerResponse): void {
  response
    .writeHead(421, { 'content-type': 'text/plain' })
    .end('Without METRICS_TOKEN this port answers only requests for localhost or a loopback address.\n');
}

/** Takes as long for a wrong token as for the right one. */
function tokenCheck(token: string | null): (header: string | undefined) => boolean {
  if (token === null) return () => true;
  const expected = digest(`Bearer ${token}`);
  return (header = '') => timingSafeEqual(digest(header.replace(/^bearer +/i, 'Bearer ')), expected);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
