// A TCP proxy in front of an SMSC: remembers every PDU that passed, and can cut one connection of several. It finds PDUs by
// their length alone and knows nothing else of SMPP.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach } from 'vitest';

export interface Passed {
  /** The connection, counted from 0. */
  connection: number;
  from: 'esme' | 'smsc';
  frame: Buffer;
}

export interface TcpProxy {
  port: number;
  passed: Passed[];
  connections: number;
  /** Resets the nth connection, counted from 0, at both ends. */
  cut(nth: number): void;
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** Ends with the test. @param port of the SMSC. */
export async function proxyTo(port: number): Promise<TcpProxy> {
  const passed: Passed[] = [];
  const pairs: [Socket, Socket][] = [];
  const server = createServer({ noDelay: true }, (esme) => {
    const smsc = connect({ host: '127.0.0.1', port, noDelay: true });
    const connection = pairs.push([esme, smsc]) - 1;
    proxy.connections = pairs.length;
    pass(esme, smsc, (frame) => passed.push({ connection, from: 'esme', frame }));
    pass(smsc, esme, (frame) => passed.push({ connection, from: 'smsc', frame }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (nth: number) => {
    for (const socket of pairs[nth] ?? []) socket.resetAndDestroy();
  };
  closers.push(async () => {
    for (const nth of pairs.keys()) cut(nth);
    await new Promise((resolve) => server.close(resolve));
  });
  const proxy: TcpProxy = { port: (server.address() as AddressInfo).port, passed, connections: 0, cut };
  return proxy;
}

/** What comes behind octets that are no PDU is passed on, and not remembered. */
function pass(from: Socket, to: Socket, onFrame: (frame: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  let lost = false;
  from.on('data', (chunk) => {
    to.write(chunk);
    if (lost) return;
    rest = Buffer.concat([rest, chunk]);
    for (let length = 0; rest.length >= 4; rest = rest.subarray(length)) {
      length = rest.readUInt32BE(0);
      lost = length < 16;
      if (lost || rest.length < length) break;
      onFrame(Buffer.from(rest.subarray(0, length)));
    }
  });
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}
