// The gRPC port: a listener of our own in front of grpc-js, which takes any number of connections and waits without limit. A connection
// is handed over once it has begun as every HTTP/2 connection does (RFC 9113 section 3.4: the client's preface and its SETTINGS), and
// costs nearly nothing until then.

import { once } from 'node:events';
import type { Http2Server, ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { endOf, type Gate } from '../clients/gate.ts';
import { type Certificate, renewCertificate, tlsRules } from '../port-rules.ts';
import { boundTimeout } from '../waist/interceptors/ends.ts';

export interface ListenOptions {
  host: string;
  /** 0 = any free one. */
  port: number;
  /** PEM. Without it the port speaks HTTP/2 in the clear. */
  tls?: Certificate;
  /** Connections at once; one more is closed as soon as it comes. Default 10 000. */
  maxConnections?: number;
}

export interface Listener {
  port: number;
  renewCertificate(certificate: Certificate): void;
  /** Takes no further connections; resolves when those there are have ended. */
  close(): Promise<void>;
  /** Cuts off connections that are left, those included that never spoke HTTP/2. */
  destroy(): void;
}

/** Rejects with the `code` and `port` Node gives when the port is taken. */
export async function listen(server: Server, gate: Gate, options: ListenOptions): Promise<Listener> {
  const { host, port, tls, maxConnections = 10_000 } = options;
  boundDeadlines(server);
  leaveEnded(server);
  // TLS ends here and not in grpc-js, so that its handshake is timed too: what is injected speaks HTTP/2 by now.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    gate.accept(socket);
  };
  const begin = (socket: Socket) => {
    socket.on('error', () => {}); // A caller who breaks off before it is HTTP/2 is no error of ours.
    awaitBeginning(socket, () => {
      gate.of(endOf(socket))?.greeted();
      injector.injectConnection(socket);
    });
  };
  const common = { noDelay: true, keepAlive: true };
  const listener = tls
    ? createSecureServer({ ...common, ...tlsRules, ...tls, ALPNProtocols: ['h2'] }, begin).on('connection', accept)
    : createServer(common, (socket) => {
        accept(socket);
        begin(socket);
      });
  listener.maxConnections = maxConnections;
  listener.listen(port, host);
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    renewCertificate: (certificate) => renewCertificate(listener, certificate),
    close: () => new Promise((resolve) => listener.close(() => resolve())),
    destroy: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** What grpc-js has and its types don't. */
interface Serving {
  createHttp2Server(credentials: ServerCredentials): Http2Server;
  _streamHandler(interceptors: unknown, stream: ServerHttp2Stream, headers: unknown): void;
}

/**
 * Shortens deadlines that are weeks away, before grpc-js reads them: it counts in 32 bits of milliseconds, and one that is 25 days away or more
 * would be over at once, or at any other time.
 */
function boundDeadlines(server: Server): void {
  const serving = server as unknown as Serving;
  const create = serving.createHttp2Server;
  serving.createHttp2Server = (credentials) =>
    create
      .call(serving, credentials)
      .prependListener('stream', (_: unknown, headers: NodeJS.Dict<string | string[]>) =>
        boundTimeout(headers, 'grpc-timeout'),
      );
}

/**
 * Keeps from grpc-js the calls that have ended before they are seen, as one that is reset in the packet that a connection begins with: Node reads
 * all of that packet before it shows the first call. To a method or content type that is none grpc-js responds without a look at the stream, and
 * that throws where nobody catches it. Before its other responses grpc-js looks.
 */
function leaveEnded(server: Server): void {
  const serving = server as unknown as Serving;
  const handle = serving._streamHandler;
  serving._streamHandler = (interceptors, stream, headers) => {
    if (!stream.destroyed && !stream.closed) handle.call(serving, interceptors, stream, headers);
    else stream.on('error', () => {});
  };
}

const magic = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameHead = 9;
const settings = 4;
/** The largest frame a peer may send before it was allowed more (section 4.2). */
const maxFrame = 16_384;

/** Whether the connection begins as it must; `more` while too little of it has come. */
export function judgeBeginning(bytes: Buffer): 'complete' | 'more' | 'wrong' {
  const known = Math.min(bytes.length, magic.length);
  if (!bytes.subarray(0, known).equals(magic.subarray(0, known))) return 'wrong';
  if (bytes.length < magic.length + frameHead) return 'more';
  const length = bytes.readUIntBE(magic.length, 3);
  if (bytes[magic.length + 3] !== settings || length > maxFrame) return 'wrong';
  return bytes.length < magic.length + frameHead + length ? 'more' : 'complete';
}

/** Calls `ready` once the beginning has come; what was read is put back before. A connection that begins otherwise is closed. */
function awaitBeginning(socket: Socket, ready: () => void): void {
  let held = Buffer.alloc(0);
  const read = () => {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
      held = Buffer.concat([held, chunk]);
    }
    const beginning = judgeBeginning(held);
    if (beginning === 'wrong') socket.destroy();
    if (beginning !== 'complete') return;
    socket.off('readable', read);
    socket.unshift(held);
    ready();
  };
  socket.on('readable', read);
}
