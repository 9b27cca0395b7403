// The sandbox's HTTP server: it reads whole requests and writes answers, whole or bit by bit. Handlers are plain functions of a request,
// so that tests can call them without a port; they are in routes.ts.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const MAX_BODY = 1024 * 1024;
/** Of a body that is too long, read without being kept: a client that is still writing would not see the answer. */
const MAX_UNKEPT = 64 * MAX_BODY;

export interface RequestHead {
  method: string;
  /** Without the query, as it was escaped; never ends in a slash. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
}

export interface Request extends RequestHead {
  body: string;
}

export interface Response {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is text or octets and `headers` names its type. */
  body?: unknown;
  /** Instead of `body`: what writes the answer, for as long as it takes, and ends it. */
  stream?: (outgoing: ServerResponse) => void;
  /** The connection is closed instead: the answer gets lost. */
  cut?: boolean;
}

/** Undefined where it is no JSON. */
export function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export type Handler = (request: Request) => Response | Promise<Response>;

export interface Handlers {
  /** Judges a request before its body is read: the answer that ends it, or null. */
  guard?(head: RequestHead): Response | null;
  /** Takes a request with its body unread, and answers it. False: it is no such request. */
  pass?(url: URL, incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  handle: Handler;
}

export interface HttpServer {
  port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** @throws when the port is taken. */
export async function listen(handlers: Handlers, host: string, port: number): Promise<HttpServer> {
  const server = createServer((incoming, outgoing) => {
    serve(handlers, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(handlers: Handlers, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const url = URL.parse(incoming.url ?? '/', 'http://sandbox');
  if (!url) return write(outgoing, { status: 400, body: { error: 'bad address' } });
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value ?? '')]),
  );
  const path = url.pathname.replace(/(?<=.)\/+$/, '');
  const method = incoming.method ?? 'GET';
  const head = { method, path, query: url.searchParams, headers };
  const refusal = handlers.guard?.(head) ?? null;
  if (refusal === null && handlers.pass?.(url, incoming, outgoing)) return;
  const body = await readBody(incoming);
  if (refusal) return write(outgoing, refusal);
  if (body === null) return write(outgoing, { status: 413, body: { error: 'body too large' } });
  write(outgoing, await handlers.handle({ ...head, body }));
}

/** Null when the body is too large. @throws when the connection ends, or the body does not end for very long. */
async function readBody(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_UNKEPT) throw new Error('body without an end');
    if (length > MAX_BODY) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (length > MAX_BODY) return null;
  return Buffer.concat(chunks).toString('utf8');
}

export function write(outgoing: ServerResponse, { status, headers = {}, body, stream, cut = false }: Response): void {
  if (cut) {
    outgoing.destroy();
    return;
  }
  if (stream) {
    outgoing.writeHead(status, headers).flushHeaders();
    stream(outgoing);
    return;
  }
  if (body === undefined) {
    outgoing.writeHead(status, headers).end();
    return;
  }
  const isWritten = (typeof body === 'string' || Buffer.isBuffer(body)) && 'content-type' in headers;
  const written = isWritten ? body : `${JSON.stringify(body)}\n`;
  outgoing.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(written);
}
