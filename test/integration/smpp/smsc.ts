// SMSCs that end with the test, and binds to them.
// Import it at the top of a test file: what is left open at its end is closed, and fails it.
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, afterEach } from 'vitest';
import { Bind, type BindOptions } from '../../../src/smpp/index.ts';
import type { Certificate } from '../../support/certificate.ts';
import { Smsc } from '../../support/npm-smsc.ts';
import { until } from '../../support/wait.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

export async function listen(tls: Partial<Certificate> = {}): Promise<Smsc> {
  const smsc = await Smsc.listen(tls);
  closers.push(() => smsc.close());
  return smsc;
}

/** A bind to it, closed at the end of the test. */
export function bindTo({ port }: { port: number }, change: Partial<BindOptions> = {}) {
  const states: { state: string; detail: string }[] = [];
  const oddities: string[] = [];
  const bind = new Bind({
    host: '127.0.0.1',
    port,
    systemId: 'ramz',
    password: 'secret08',
    type: 'transceiver',
    onDeliver: async () => ({ status: 0 }),
    backoff: { minMs: 10, maxMs: 50 },
    observer: {
      onState: (state, detail) => states.push({ state, detail }),
      onOddity: (oddity) => oddities.push(oddity),
    },
    ...change,
  });
  closers.push(() => bind.close(0));
  bind.start();
  const reached = (state: string) => until(() => bind.state === state, { what: `the bind to be ${state}`, everyMs: 2 });
  return { bind, states, oddities, reached };
}

/** A TCP server that speaks no SMPP. */
export async function rawServer(onSocket: (socket: Socket) => void = () => {}) {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  closers.push(close);
  return { port, accepted: () => count, close };
}

afterAll(async () => {
  const sockets = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap' || name === 'TCPServerWrap');
  await until(() => sockets().length === 0, { what: 'every socket to be closed' });
});
