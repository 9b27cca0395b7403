// The SS7 gateway and its simulated network as processes of a test file. Without a JDK and Maven the tests are skipped by name.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import {
  buildGateway,
  javaArguments,
  type NetworkEvent,
  networkEvent,
  type SettingsFile,
} from '../../../scripts/ss7/gateway.ts';
import { startProcess, type TestProcess } from '../../support/process.ts';
import type { ToolTest } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';

export const password = 'secret';
const patienceMs = 60_000;

/** Why there is no gateway here; undefined where there is one. */
const missing = await buildGateway((line) => console.log(line));
/** A gateway that can not be built fails; a machine that has nothing to build it with skips. */
if (missing !== undefined && !/^(?:there is no|the JDK here is) /.test(missing)) throw new Error(missing);

export const isMissing = missing !== undefined;

/** `test` where the gateway is; else a `test` that skips and says why. */
export const ss7Test: ToolTest = (name, run, timeoutMs) =>
  missing === undefined ? test(name, run, timeoutMs) : test(name, ({ skip }) => skip(missing));

const mains = { gateway: 'ramz.ss7.Main', network: 'ramz.ss7.sandbox.Main' } as const;

/** @param options of the JVM */
function start(name: keyof typeof mains, folder: string, settings: SettingsFile, options: readonly string[] = []) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(settings));
  // What a killed program leaves behind goes with the folder.
  const args = [`-Djava.io.tmpdir=${folder}`, ...options, ...javaArguments(mains[name], file)];
  return startProcess('java', { args });
}

/** Resolves once it listens. */
export async function startNetwork(folder: string, settings: SettingsFile): Promise<TestProcess> {
  const network = start('network', folder, settings);
  await network.waitFor(/^ready$/m, patienceMs);
  return network;
}

/** What the network was asked for, and what its phones show; `to` with or without `+`. */
export type Events = (kind: NetworkEvent['kind'], to: string) => NetworkEvent[];

export const eventsOf =
  (network: TestProcess): Events =>
  (kind, to) =>
    network
      .output()
      .split('\n')
      .flatMap((line) => networkEvent(line) ?? [])
      .filter((event) => event.kind === kind && event.to === to.replace('+', ''));

export interface Gateway {
  process: TestProcess;
  smppPort: number;
  isHealthy(): Promise<boolean>;
  metrics(): Promise<string>;
  /** Value of a series, such as `ss7_association_active{association="a"}`; undefined where there is none. */
  metric(series: string): Promise<number | undefined>;
  /** Waits until traffic can go over so many associations. */
  active(count: number): Promise<void>;
}

/** Resolves once it takes binds, and all of its associations are active. */
export async function startGateway(
  folder: string,
  settings: SettingsFile,
  options: readonly string[] = [],
): Promise<Gateway> {
  const process = start('gateway', folder, settings, options);
  const [, smppPort, http] = await process.waitFor(/ready smpp=(\d+) http=(\d+)/, patienceMs);
  const get = (path: string) => fetch(`http://127.0.0.1:${http}${path}`);
  const metrics = async () => await (await get('/metrics')).text();
  const gateway: Gateway = {
    process,
    smppPort: Number(smppPort),
    isHealthy: async () => (await get('/healthz')).ok,
    metrics,
    metric: async (series) => {
      const found = (await metrics()).split('\n').find((line) => line.startsWith(`${series} `));
      return found === undefined ? undefined : Number(found.slice(series.length + 1));
    },
    active: async (count) => {
      const isSo = async () => [...(await metrics()).matchAll(/^ss7_association_active\{.*\} 1/gm)].length === count;
      await until(isSo, { what: `${count} associations`, timeoutMs: patienceMs, everyMs: 50 });
    },
  };
  await process.waitFor(/network: up/, patienceMs);
  await gateway.active(settings.m3ua.associations.length);
  return gateway;
}
