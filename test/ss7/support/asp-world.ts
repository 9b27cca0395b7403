// The SS7 gateway as an application server process before a signalling gateway of the tests' own, behind which the simulated network is. Belongs at the top of
// a test file; everything ends with the file.
import { afterAll } from 'vitest';
import { joinedSettings, type SettingsFile } from '../../../scripts/ss7/gateway.ts';
import { testFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { type Events, eventsOf, type Gateway, isMissing, password, startGateway, startNetwork } from './programs.ts';
import { SignallingGateway } from './signalling-gateway.ts';

export interface AspWorld {
  relay: SignallingGateway;
  gateway: Gateway;
  events: Events;
}

/**
 * Null where the gateway can not be built.
 * @param map settings of the gateway's `map`
 * @param options of its JVM
 */
export async function aspWorld({
  map = {},
  options = [],
}: {
  map?: Record<string, number>;
  options?: readonly string[];
}): Promise<AspWorld | null> {
  if (isMissing) return null;
  const folder = testFolder('ss7-asp');
  const [near, far] = await Promise.all([freePort(), freePort()]);
  const link = { gateway: { local: 0, remote: near }, network: { local: far, remote: near } };
  const timing = { forward_timeout_seconds: 4, retry_seconds: 1, ...map };
  const joined = joinedSettings({ smppPort: 0, password, links: [link], map: timing });
  const network = await startNetwork(folder, joined.network);
  afterAll(() => network.end());
  const relay = new SignallingGateway(joined.gateway.m3ua.routing_context);
  await relay.start({ to: far, from: near });
  afterAll(() => relay.stop());
  const gateway = await startGateway(folder, asProcess(joined.gateway, relay), options);
  // Asked to end, it would wait for the outcome of what is under way.
  afterAll(() => gateway.process.hasEnded() || gateway.process.end('SIGKILL'));
  return { relay, gateway, events: eventsOf(network) };
}

/** Associations to both point codes of the signalling gateway, one the backup of the other. */
function asProcess(settings: SettingsFile, relay: SignallingGateway): SettingsFile {
  const [association] = settings.m3ua.associations;
  if (association === undefined) throw new Error('there is no association');
  const [first, second] = relay.faces.map(({ pointCode }) => pointCode) as [number, number];
  const way = { point_code: first, backup_point_code: second };
  return {
    ...settings,
    m3ua: {
      ...settings.m3ua,
      role: 'asp',
      associations: relay.faces.map(({ port, pointCode }, at) => ({
        ...association,
        name: 'ab'[at] ?? '',
        remote_port: port,
        point_code: pointCode,
      })),
    },
    sccp: {
      ...settings.sccp,
      routes: [
        { prefix: '', ...way },
        { prefix: '21399', ...way, routing_indicator: 'subsystem' },
      ],
    },
  };
}
