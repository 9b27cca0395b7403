// A relay of datagrams between a caller and a callee that loses some: those whose ordinals are in its list, counted over both ways.
// sipp can't play a loss, because it takes repetitions for itself and hides them. The callee's own address is replaced by the relay's, or
// requests within the dialog would go around it.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

export interface Passed {
  octets: Buffer;
  lost: boolean;
  fromCaller: boolean;
}

export interface LossyRelay {
  /** Where the caller is to send to. */
  port: number;
  /** What came, in the order it came; a lost one is marked. */
  readonly passed: readonly Passed[];
  close(): Promise<void>;
}

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/** `lost`: ordinals, from 1. Both ports must have as many digits, so that lengths stay true. */
export async function startLossyRelay(calleePort: number, lost: readonly number[]): Promise<LossyRelay> {
  const [toCaller, toCallee] = [await bound(), await bound()];
  const relayPort = toCaller.address().port;
  const passed: Passed[] = [];
  let caller: { port: number; address: string } | null = null;
  const pass = (octets: Buffer, fromCaller: boolean, send: () => void) => {
    const isLost = lost.includes(passed.length + 1);
    passed.push({ octets, lost: isLost, fromCaller });
    if (!isLost) send();
  };
  toCaller.on('message', (datagram, { port, address }) => {
    caller = { port, address };
    pass(datagram, true, () => toCallee.send(datagram, calleePort, '127.0.0.1'));
  });
  toCallee.on('message', (datagram) => {
    if (caller === null) return;
    const { port, address } = caller;
    const ownAddress = datagram.toString('latin1').replaceAll(`127.0.0.1:${calleePort}`, `127.0.0.1:${relayPort}`);
    pass(datagram, false, () => toCaller.send(Buffer.from(ownAddress, 'latin1'), port, address));
  });
  return {
    port: relayPort,
    passed,
    close: async () => {
      for (const socket of [toCaller, toCallee]) {
        socket.close();
        await once(socket, 'close');
      }
    },
  };
}
