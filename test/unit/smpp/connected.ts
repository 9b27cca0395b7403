// A connection with a peer at the other end, on a clock that stands still.
import { type Duplex, duplexPair } from 'node:stream';
import { Connection } from '../../../src/smpp/connection.ts';
import type { ConnectionOptions } from '../../../src/smpp/connection-options.ts';
import type { Incoming } from '../../../src/smpp/deliveries.ts';
import { until } from '../../support/wait.ts';
import { FakeClock } from './fake-clock.ts';
import { Peer } from './fake-smsc.ts';

export function connected(change: Partial<ConnectionOptions> = {}, stream?: Duplex) {
  const clock = new FakeClock();
  const [one, theirs] = duplexPair();
  const ours = stream ?? one;
  const oddities: string[] = [];
  const delivered: Incoming[] = [];
  const late: unknown[] = [];
  const connection = new Connection(ours, {
    clock,
    responseTimeoutMs: 10_000,
    enquireLinkIdleMs: 25_000,
    enquireLinkMisses: 2,
    inactivityMs: null,
    maxPduOctets: 65_536,
    maxDeliveries: 3,
    deliverTimeoutMs: 500_000,
    onDeliver: async (incoming) => {
      delivered.push(incoming);
      return { status: 0 };
    },
    onLateAnswer: (request, answer, status) => late.push({ request, answer, status }),
    observer: { onOddity: (oddity) => oddities.push(oddity) },
    ...change,
  });
  return { connection, peer: new Peer(theirs), clock, ours, oddities, delivered, late };
}
export const submit = { command: 'submit_sm', destination_addr: '213550000001' } as const;
export const eventually = (what: string, condition: () => boolean) => until(condition, { what, everyMs: 1 });
/** Lets everything happen that needs no clock. */
export const settle = async () => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};
