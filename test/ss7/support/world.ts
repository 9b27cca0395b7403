// The SS7 gateway between an SMPP client and its simulated network, each a process of its own, with a relay in every association. Belongs at
// the top of a test file; everything ends with the file.
import { afterAll } from 'vitest';
import { joinedSettings, operatorEntry } from '../../../scripts/ss7/gateway.ts';
import { testFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { type Events, eventsOf, type Gateway, isMissing, password, startGateway, startNetwork } from './programs.ts';
import { type Wire, wireOf } from './wire.ts';

export interface Ss7World {
  /** The entry of a configuration file. */
  operator: ReturnType<typeof operatorEntry>;
  /** One for each association. */
  wires: Wire[];
  gateway(): Gateway;
  /** Starts the gateway again, after its end, and waits for its associations. */
  restart(): Promise<void>;
  events: Events;
}

/** @param options `map`: settings of the gateway's `map`. Null where it can not be built. */
export async function ss7World(
  options: { associations?: number; map?: Record<string, number> } = {},
): Promise<Ss7World | null> {
  if (isMissing) return null;
  const folder = testFolder('ss7');
  const ports = () => Promise.all([freePort(), freePort(), freePort()]);
  const triples = await Promise.all(Array.from({ length: options.associations ?? 1 }, ports));
  const smppPort = await freePort();
  const map = { forward_timeout_seconds: 4, retry_seconds: 1, ...options.map };
  const links = triples.map(([front, back, network]) => ({
    gateway: { local: 0, remote: front },
    network: { local: network, remote: back },
  }));
  const settings = joinedSettings({ smppPort, password, links, map });
  const network = await startNetwork(folder, settings.network);
  afterAll(() => network.end());
  const wires = await Promise.all(triples.map(([front, back, port]) => wireOf({ front, back, network: port })));
  let gateway = await startGateway(folder, settings.gateway);
  // Asked to end, it would wait for the outcome of what is under way, and for a bind that takes its receipts.
  afterAll(() => gateway.process.hasEnded() || gateway.process.end('SIGKILL'));
  return {
    operator: operatorEntry(smppPort, password),
    wires,
    gateway: () => gateway,
    restart: async () => {
      gateway = await startGateway(folder, settings.gateway);
    },
    events: eventsOf(network),
  };
}
