// The sandbox's HTTP server: it reads whole requests and writes answers. Handlers are plain functions of a request, so that tests
// can call them without a port; they are in routes.ts.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const MAX_BODY = 1024 * 1024;

export interface Request {
  method: string;
  /** Without the query, decoded; never ends in a slash. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: string;
}

export interface Response {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is text or octets and `headers` names its type. */
  body?: unknown;
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

export interface HttpServer {
  port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** @throws when the port is taken. */
export async function listen(handler: Handler, host: string, port: number): Promise<HttpServer> {
  const server = createServer((incoming, outgoing) => {
    serve(handler, incoming, outgoing).catch(() => outgoing.destroy());
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

async function serve(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await readBody(incoming);
  if (body === null) return write(outgoing, { status: 413, body: { error: 'body too large' } });
  const url = URL.parse(incoming.url ?? '/', 'http://sandbox');
  if (!url) return write(outgoing, { status: 400, body: { error: 'bad address' } });
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value ?? '')]),
  );
  const path = url.pathname.replace(/(?<=.)\/+$/, '');
  const method = incoming.method ?? 'GET';
  write(outgoing, await handler({ method, path, query: url.searchParams, headers, body }));
}

/** Null when the body is too large. */
async function readBody(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function write(outgoing: ServerResponse, { status, headers = {}, body, cut = false }: Response): void {
  if (cut) {
    outgoing.destroy();
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
