// A TCP proxy in front of a database: lets everything through, refuses everybody, or swallows every packet, as networks and
// dying machines do. Ends with the test file.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';

/** `refusing`: connections are reset and none is taken. `silent`: they stay open, and nothing passes in either direction. */
export type ProxyState = 'open' | 'refusing' | 'silent';

export interface Proxy {
  port: number;
  become(state: ProxyState): void;
}

export async function proxyTo(host: string, port: number): Promise<Proxy> {
  let state: ProxyState = 'open';
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => {});
    if (state === 'refusing') return near.resetAndDestroy();
    const far = connect({ host, port, noDelay: true });
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    const pass = (from: Socket, to: Socket) => {
      // What comes while it is silent is lost, so that such a connection is never of use again.
      from.on('data', (chunk) => state === 'open' && to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => {
        if (state === 'silent') return; // nobody is told
        pairs.delete(pair);
        to.destroy();
      });
    };
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (which: (pair: [Socket, Socket]) => boolean = () => true) => {
    for (const pair of [...pairs].filter(which)) for (const socket of pair) socket.resetAndDestroy();
  };
  afterAll(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    become(next) {
      state = next;
      if (next === 'refusing') cut();
      // Of those one end has given up meanwhile, the other end hears of it now.
      if (next === 'open') cut((pair) => pair.some((socket) => socket.destroyed));
    },
  };
}
