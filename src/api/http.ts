// The HTTP/1.1 port and the handler of each path: REST, Connect and gRPC-web, health, the documents, and mounted pages. One port serves
// all that callers need, so that a deployment opens one; what only its operators need is at the metrics port.

import { createServer as createPlain, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { Socket } from 'node:net';
import { sharedAnswer } from '../time/shared-answer.ts';
import { type ClientAddresses, plainAddress } from './clients/address.ts';
import { endOf, type Gate } from './clients/gate.ts';
import { connectOrigin, createConnectHandler } from './connect/handler.ts';
import type { Deployment } from './docs/deployment.ts';
import { createDocuments, type Viewer } from './docs/documents.ts';
import { type Certificate, responseHeaders, setResponseHeaders, targetOf, tlsRules } from './port-rules.ts';
import { writeError, writeJson } from './rest/answer.ts';
import { createRestHandler } from './rest/handler.ts';
import { headerProblem } from './single-headers.ts';
import { fail } from './waist/errors.ts';
import type { Waist } from './waist/invoke.ts';
import type { Logger } from './waist/ports.ts';

export interface Readiness {
  ready: boolean;
  /** Shown at the metrics port, e.g. the state of each operator. */
  details?: object;
  /** Shown there, too: the state of each cell beside home. Nobody else waits for them. Absent with one cell. */
  cells?: () => Promise<Readonly<Record<string, string>>>;
}

/** Of `GET /readyz`, at either port. */
export function statusOf({ ready }: Readiness, stopping: boolean): { code: number; status: string } {
  if (stopping) return { code: 503, status: 'stopping' };
  return ready ? { code: 200, status: 'ready' } : { code: 503, status: 'not_ready' };
}

/** The caller's address, as far as the proxies in front are trusted. */
export function clientOf({ socket, headers }: IncomingMessage, addresses: Pick<ClientAddresses, 'of'>): string {
  const forwardedFor = headers['x-forwarded-for'];
  return addresses.of(
    plainAddress(socket.remoteAddress),
    forwardedFor === undefined ? undefined : String(forwardedFor),
  );
}

/** Something else on the same port, such as the page of an embedded signup. Answers and returns true, or returns false for a path that is not its own. */
export type Mount = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface HttpHooks {
  /** `GET /readyz`. Default: ready. */
  readiness?: () => Promise<Readiness>;
  /** Asked in order, before everything else. */
  mounts?: Mount[];
  /** Shows the API at `/docs`. Default: a page without scripts does. */
  viewer?: Viewer;
  /** What `/openapi.json` says of this deployment. Default: the contract alone. */
  deployment?: () => Deployment;
}

export interface HttpTimeouts {
  /** For the request line and headers, ms. Default 5 000. */
  headersMs?: number;
  /** For the whole request, ms. Default 30 000. */
  requestMs?: number;
  /** A connection without a request, ms. Default 65 000: longer than a load balancer's usual 60 s. */
  keepAliveMs?: number;
  /** How often the first two are looked at, ms. Default 1 000. */
  checkMs?: number;
  /** Between two comments in a stream of events, ms. Default 15 000. */
  beatMs?: number;
}

const maxHeaderBytes = 16 * 1024;

/** How long one answer about readiness is given to all who ask without a key, ms: less than there is between two probes. */
const readinessKeepMs = 500;

/** RFC 6797: for a year no browser asks without TLS. Only where TLS ends here: a proxy that ends it says so itself. */
const hsts = 'max-age=31536000';

export interface HttpDeps {
  waist: Waist;
  gate: Gate;
  addresses: ClientAddresses;
  logger: Logger;
  hooks?: HttpHooks;
  timeouts?: HttpTimeouts;
  tls?: Certificate;
  /** Connections at once; beyond it new ones are closed. Default 10 000: memory and file descriptors end somewhere. */
  maxConnections?: number;
  /** True once the server is being stopped. */
  stopping: () => boolean;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers `GET` of health, readiness and the documents; false for any other path. */
function operationalPaths(hooks: HttpHooks, stopping: () => boolean) {
  const documents = createDocuments(hooks);
  const readinessNow = sharedAnswer(hooks.readiness ?? (async () => ({ ready: true })), { keepMs: readinessKeepMs });
  return async (path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    switch (path) {
      case '/':
        response.writeHead(302, { location: '/docs' }).end();
        return true;
      case '/healthz':
        writeJson(response, 200, { status: 'ok' });
        return true;
      case '/readyz': {
        const readiness = stopping() ? { ready: true } : await readinessNow();
        const { code, status } = statusOf(readiness, stopping());
        writeJson(response, code, { status });
        return true;
      }
      default:
        return documents(path, request, response);
    }
  };
}

/** Hands each request to what answers its path: Connect and gRPC-web, a mount, an operational path, else REST. */
function createAnswer({ waist, gate, addresses, logger, hooks = {}, timeouts = {}, stopping }: HttpDeps): Answer {
  const rest = createRestHandler(waist, { beatMs: timeouts.beatMs });
  const connect = createConnectHandler(waist, logger);
  const operational = operationalPaths(hooks, stopping);

  const refuseHeaders = (problem: string, request: IncomingMessage, response: ServerResponse): void => {
    const origin = waist.newOrigin('rest', clientOf(request, addresses), undefined);
    const error = fail('malformed_request', problem);
    response.setHeader('x-request-id', origin.requestId).setHeader('connection', 'close');
    writeError(response, waist.refuse('unrouted', error, origin, performance.now()), origin.requestId);
  };

  return async (request, response) => {
    if (stopping()) response.setHeader('connection', 'close');
    const problem = headerProblem(request);
    if (problem !== undefined) return refuseHeaders(problem, request, response);
    const path = (request.url ?? '/').split('?', 1)[0] as string;
    const peer = clientOf(request, addresses);
    const proven = gate.of(endOf(request.socket))?.proven;
    if (connect.has(path)) {
      const { door, timeoutMs } = connectOrigin(request);
      return connect.handle(path, request, response, waist.newOrigin(door, peer, timeoutMs, proven));
    }
    const origin = waist.newOrigin('rest', peer, undefined, proven);
    response.setHeader('x-request-id', origin.requestId);
    if (hooks.mounts?.some((mount) => mount(request, response))) return;
    const reading = request.method === 'GET' || request.method === 'HEAD';
    if (reading && (await operational(path, request, response))) return;
    try {
      await rest(request, response, origin);
    } catch (reason) {
      const error = waist.refuse('unrouted', reason, origin, performance.now());
      if (response.headersSent) response.destroy();
      else writeError(response, error, origin.requestId);
    }
  };
}

/** The server of the port; it does not listen yet. */
export function createHttpServer(deps: HttpDeps): Server {
  const { waist, gate, logger, timeouts = {}, tls, maxConnections = 10_000 } = deps;
  const { headersMs = 5_000, requestMs = 30_000, keepAliveMs = 65_000, checkMs = 1_000 } = timeouts;
  const answer = createAnswer(deps);
  const options = {
    noDelay: true,
    keepAlive: true,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    // Node's own refusal has no body: `headerProblem` asks for it.
    requireHostHeader: false,
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    request.url = targetOf(request);
    setResponseHeaders(response);
    if (tls) response.setHeader('strict-transport-security', hsts);
    answer(request, response).catch((error) => {
      logger.error({ err: error }, 'request could not be answered');
      response.destroy();
    });
  };
  const server = tls ? createSecure({ ...options, ...tlsRules, ...tls }, listener) : createPlain(options, listener);
  server.maxConnections = maxConnections;
  // An expectation that nobody knows is ignored (RFC 9110 section 10.1.1); Node would answer 417 without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // Under TLS the connection is not ours to write to: there it is cut without an answer.
  server.on('connection', (socket: Socket) => {
    gate.accept(socket, () => (tls ? socket.destroy() : answerUnreadable(tooSlow, socket, waist)));
  });
  const answers = new Set<ServerResponse>();
  // `close()` ends the connections that are idle then; those whose last answer comes later would stay for their keep-alive. While the stop is
  // only announced, no idle connection is ended: a balancer may be sending a request on it, which would be lost. Each answer says
  // `connection: close`, so that the balancer ends it.
  server.on('request', (request, response) => {
    const connection = gate.of(endOf(request.socket));
    connection?.greeted();
    connection?.begin();
    answers.add(response);
    response.once('close', () => {
      answers.delete(response);
      connection?.end();
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });
  // `close()` calls this, too. To Node a connection is idle once its answer is ended, whether or not all of it could be written: none is closed
  // while a caller reads slowly.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const isOnItsWay = ({ writableEnded, writableFinished }: ServerResponse) => writableEnded && !writableFinished;
    if (![...answers].some(isOnItsWay)) closeIdle();
  };
  server.on('clientError', (error, socket) => {
    // Into an answer that is under way nothing else can be written. Those before it, on a connection that is used again, are over.
    const hasBegun = [...answers].some((response) => response.req.socket === socket && response.headersSent);
    if (hasBegun) socket.destroy();
    else answerUnreadable(error, socket as Socket, waist);
  });
  return server;
}

const slowCode = 'ERR_HTTP_REQUEST_TIMEOUT';
const tooSlow: NodeJS.ErrnoException = Object.assign(new Error('no request came in time'), { code: slowCode });

/** Answers a request that is no HTTP, or that comes too slowly, with an error of the API where that is still possible. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, waist: Waist): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { requestId } = waist.newOrigin('rest', '', undefined);
  const slow = error.code === slowCode;
  const status = slow ? '408 Request Timeout' : '400 Bad Request';
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? `the headers are larger than ${maxHeaderBytes} bytes`
      : 'that is not an HTTP/1.1 request';
  const message = slow ? 'the request took too long to arrive' : problem;
  const body = JSON.stringify({ error: { code: 'malformed_request', message, request_id: requestId } });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nx-request-id: ${requestId}\r\n` +
      responseHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join('') +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
