// A server of a test: on loopback, on any port unless one is given, and gone with the file, whoever still holds a connection.
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll } from 'vitest';

/** `sockets`: connections that are open at the moment. */
export async function listen(server: Server, port = 0): Promise<{ port: number; sockets: ReadonlySet<Socket> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}
