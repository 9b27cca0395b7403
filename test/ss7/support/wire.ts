// An association over TCP with a relay in it: it remembers every M3UA message that passed, and can be cut and mended. The network knows the
// gateway by its port, so the relay always comes from the same one. It finds messages by their length alone (RFC 4666, 3.1.4).
import { connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';
import { until } from '../../support/wait.ts';
import { take } from './m3ua.ts';

export interface Passed {
  from: 'gateway' | 'network';
  frame: Buffer;
}

export interface Wire {
  passed: Passed[];
  /** Resets what is connected, and lets nothing through until it is mended. */
  cut(): void;
  mend(): void;
}

/** @param ports `front`: where the gateway connects to; `back`: where the relay comes from; `network`: where the network listens */
export async function wireOf(ports: { front: number; back: number; network: number }): Promise<Wire> {
  const passed: Passed[] = [];
  let isCut = false;
  let pair: Socket[] = [];
  const end = () => {
    for (const socket of pair) socket.resetAndDestroy();
  };
  const server = createServer({ noDelay: true }, (gateway) => {
    if (isCut || pair.some((socket) => !socket.destroyed)) {
      gateway.resetAndDestroy();
      return;
    }
    const network = connect({ host: '127.0.0.1', port: ports.network, localPort: ports.back, noDelay: true });
    pair = [gateway, network];
    relay(gateway, network, (frame) => passed.push({ from: 'gateway', frame }));
    relay(network, gateway, (frame) => passed.push({ from: 'network', frame }));
  });
  server.listen(ports.front, '127.0.0.1');
  await until(() => server.listening, { what: 'the relay to listen' });
  afterAll(async () => {
    end();
    await new Promise((done) => server.close(done));
  });
  return {
    passed,
    cut: () => {
      isCut = true;
      end();
    },
    mend: () => {
      isCut = false;
    },
  };
}

function relay(from: Socket, to: Socket, onFrame: (frame: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  from.on('data', (chunk) => {
    to.write(chunk);
    const taken = take(Buffer.concat([rest, chunk]));
    rest = Buffer.from(taken.rest);
    for (const { octets } of taken.messages) onFrame(Buffer.from(octets));
  });
  from.on('error', () => {});
  // A reset at both ends leaves neither port waiting.
  from.on('close', () => to.resetAndDestroy());
}
