// The gRPC port: a listener of our own that hands its connections to grpc-js once they have begun as HTTP/2 must, because grpc-js's
// takes any number of them and waits without limit.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { endOf, type Gate } from '../clients/gate.ts';
import { awaitBeginning } from './preface.ts';

export interface ListenOptions {
  host: string;
  /** 0 = any free one. */
  port: number;
  /** PEM. Without it the port speaks HTTP/2 in the clear. */
  tls?: { key: Buffer; cert: Buffer };
  /** Connections at once; one more is closed as soon as it comes. Default 10 000. */
  maxConnections?: number;
}

export interface Listener {
  port: number;
  /** Takes no further connections; resolves when those there are have ended. */
  close(): Promise<void>;
  /** Cuts off connections that are left, those included that never spoke HTTP/2. */
  destroy(): void;
}

/** Rejects with the `code` and `port` Node gives when the port is taken. */
export async function listen(server: Server, gate: Gate, options: ListenOptions): Promise<Listener> {
  const { host, port, tls, maxConnections = 10_000 } = options;
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
    ? createSecureServer({ ...common, ...tls, ALPNProtocols: ['h2'] }, begin).on('connection', accept)
    : createServer(common, (socket) => {
        accept(socket);
        begin(socket);
      });
  listener.maxConnections = maxConnections;
  listener.listen(port, host);
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    close: () => new Promise((resolve) => listener.close(() => resolve())),
    destroy: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
