// The address under which the database is reached, wherever its primary is: a TCP proxy, as a load balancer or a moved IP address does it.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';

export interface VirtualAddress {
  port: number;
  /** Connections go there from now on; those there are end at once. */
  moveTo(port: number): void;
}

/** Ends with the test file. */
export async function virtualAddress(first: number): Promise<VirtualAddress> {
  let target = first;
  const sockets = new Set<Socket>();
  const track = (socket: Socket, other: () => Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      other().destroy();
    });
  };
  const server = createServer({ noDelay: true }, (near) => {
    const far: Socket = connect({ host: '127.0.0.1', port: target, noDelay: true });
    track(near, () => far);
    track(far, () => near);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  afterAll(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(port) {
      target = port;
      cut();
    },
  };
}
