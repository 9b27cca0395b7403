// SMS through the SS7 gateway (gateways/ss7) with its simulated network behind it, beside the same messages at the sandbox's SMSC: how many
// a second, the CPU time of each end, and from submit_sm to the receipt.

import { readFileSync } from 'node:fs';
import { buildGateway } from '../../scripts/ss7/gateway.ts';
import { type RunningGateway, startGateway } from '../../scripts/ss7/running.ts';
import { Inbox } from '../../src/sandbox/inbox.ts';
import { sandboxProfiles } from '../../src/sandbox/operators.ts';
import { startSmsc } from '../../src/sandbox/smsc/smsc.ts';
import { credentials, type Pace, type SmppMeasured } from '../peers/smpp-protocol.ts';
import type { Sample } from '../report/figures.ts';
import { played } from './smpp.ts';

/** As gateways/ss7/operator.json has them: submit_sm without an answer at once, and messages a second. */
const window = 100;
const ratePerSecond = 100;
/** Until then the JVMs compile more than they run. */
const warmupSeconds = 12;
const receiptAfterMs = 5;
const schema = '../../gateways/ss7/src/main/resources/ramz/ss7/settings.schema.json';

const say = (line: string) => process.stderr.write(`bench: ${line}\n`);

/** Nothing where the gateway can not be built. */
export async function ss7(seconds: number, runs: number): Promise<Sample[]> {
  const problem = await buildGateway(say);
  if (problem !== undefined) {
    say(`ss7 is left out: ${problem}`);
    return [];
  }
  await using stops = new AsyncDisposableStack();
  const smsc = await startReference(stops);
  // Each message asks the HLR, as a first message to a number does.
  const gateway = await startGateway({ stops, password: credentials.password, map: { routing_cache_seconds: 0 } });
  if (gateway === null) throw new Error('the association of the SS7 gateway did not come up');
  await at(gateway.smppPort, warmupSeconds, { inFlight: window });
  const samples: Sample[] = [];
  for (let run = 0; run < runs; run += 1) {
    samples.push(...(await beside(smsc, gateway, seconds)));
    samples.push(...(await alone(gateway, seconds)));
  }
  return samples;
}

async function startReference(stops: AsyncDisposableStack): Promise<{ port: number }> {
  const { sahara } = sandboxProfiles;
  const ids = { inAnswer: String, inReceipt: String };
  const receipt = { ...sahara.receipt, ids, cost: null };
  const profile = { ...sahara, ...credentials, prefixes: ['+213'], receipt };
  const smsc = await startSmsc({ profile, inbox: new Inbox(1), deliverDelayMs: receiptAfterMs });
  stops.defer(() => smsc.stop());
  return smsc;
}

const at = (port: number, seconds: number, pace: Pace): Promise<SmppMeasured> =>
  played('bench/peers/smpp-ours.ts', { port, seconds, window, pace, dateFormat: 'YYMMDDhhmmss' });

async function beside(smsc: { port: number }, gateway: RunningGateway, seconds: number): Promise<Sample[]> {
  const { smppPort, gatewayPid, networkPid } = gateway;
  // The SMSC is in this process, which does nothing else meanwhile.
  const reference = await at(smsc.port, seconds, { inFlight: window, pids: [process.pid] });
  const value = await at(smppPort, seconds, { inFlight: window, pids: [gatewayPid, networkPid] });
  const unit = 'µs CPU/message';
  return [
    { key: 'ss7_messages', unit: '1/s', value: value.messages / seconds, reference: reference.messages / seconds },
    { key: 'ss7_cpu_client', unit, value: cpu(value, 0), reference: cpu(reference, 0) },
    { key: 'ss7_cpu_gateway', unit, value: cpu(value, 1), reference: cpu(reference, 1) },
    { key: 'ss7_cpu_network', unit, value: cpu(value, 2) },
  ];
}

/** Of the messages that the gateway takes by default: one counts until its receipt is acknowledged, a little longer than the client waits for it. */
const shareUnderWay = 0.9;

/** With nearly as many messages under way as the gateway takes by default, and at a steady rate. */
async function alone({ smppPort }: RunningGateway, seconds: number): Promise<Sample[]> {
  const { properties } = JSON.parse(readFileSync(new URL(schema, import.meta.url), 'utf8'));
  const inFlight = Math.floor(properties.map.properties.max_dialogues.default * shareUnderWay);
  const full = await at(smppPort, seconds, { inFlight });
  const steady = await at(smppPort, seconds, { ratePerSecond });
  return [
    { key: 'ss7_messages_saturated', unit: '1/s', value: full.messages / seconds },
    { key: 'ss7_p50_saturated', unit: 'ms', value: full.p50Ms },
    { key: 'ss7_p99_saturated', unit: 'ms', value: full.p99Ms },
    { key: `ss7_p50_at_${ratePerSecond}`, unit: 'ms', value: steady.p50Ms },
    { key: `ss7_p99_at_${ratePerSecond}`, unit: 'ms', value: steady.p99Ms },
  ];
}

/** µs a message: 0 = of the client, then of its `pids`. */
const cpu = ({ cpuUs, othersUs, messages }: SmppMeasured, which: number): number =>
  ([cpuUs, ...othersUs][which] ?? Number.NaN) / messages;
