// The gRPC port: a listener of our own that hands its connections to grpc-js, because grpc-js's takes any number of them.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';

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
export async function listen(server: Server, options: ListenOptions): Promise<Listener> {
  const { host, port, tls, maxConnections = 10_000 } = options;
  const credentials = tls
    ? ServerCredentials.createSsl(null, [{ private_key: tls.key, cert_chain: tls.cert }])
    : ServerCredentials.createInsecure();
  const injector = server.createConnectionInjector(credentials);
  const sockets = new Set<Socket>();
  const listener = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    injector.injectConnection(socket);
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
