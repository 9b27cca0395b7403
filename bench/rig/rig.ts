// What is measured, put together: a Postgres of its own, an account, one server process or several, and the load's ends (SMSC, webhook
// sink) in this process. Nothing of it is left behind.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Files } from '../../src/launch/files.ts';
import { prepareAccount } from '../../src/launch/prepare.ts';
import { Load } from '../load/verifications.ts';
import { cpuUs, cpuWithChildrenUs, residentMib, wakeups } from '../measure/cpu.ts';
import { type BenchChild, startChild } from './children.ts';
import { benchConfig } from './config.ts';
import { openPostgres, type PostgresKind, type RigPostgres } from './postgres.ts';

export interface CpuUsed {
  /** Of all server processes. */
  serverUs: number;
  postgresUs: number;
  /** Load, SMSC and webhook sink. */
  driverUs: number;
}

export interface Rig {
  database: RigPostgres;
  /** A place for files; gone with the rig. */
  directory: string;
  apiKey: string;
  /** For further processes on the same database. */
  environment: NodeJS.ProcessEnv;
  load: Load;
  /** Of the first server. */
  serverPid: number;
  /** Where the first server answers. */
  http: string;
  cpu(): CpuUsed;
  /** Of all server processes so far. */
  wakeups(): number;
  serverMib(): number;
  /** Of each server. */
  metrics(): Promise<string[]>;
  /** One call of the API beside the load. @throws where it is refused. */
  send(request: object): Promise<void>;
  close(): Promise<void>;
}

export interface RigOptions {
  /** Event types the webhook endpoint takes. Default: the receipt alone, the callback the specification names. */
  eventTypes?: readonly string[];
  /** Where the server leaves its CPU profile when it ends. */
  profileTo?: string;
  /** Further sections of the server's configuration. */
  config?: object;
  /** Further options of Node for the server. */
  nodeOptions?: readonly string[];
  /** Server processes on the one database; each call goes to any of them. Default 1. */
  servers?: number;
  /** Binds at each operator, over all servers. Default 2. */
  binds?: number;
  /** From submit_sm to its receipt, ms. Default 20. */
  receiptAfterMs?: number;
  /** From the webhook to the check, as a person takes to read and type, ms. Default 0. */
  checkAfterMs?: number;
  /** Default: embedded. */
  postgres?: PostgresKind;
  /** Further settings of Postgres. */
  postgresSettings?: Readonly<Record<string, string>>;
}

const bindMs = 20_000;

const open = new Set<AsyncDisposableStack>();

/** For an end that comes unexpected: Postgres is detached and would outlive this process. */
export async function closeRigs(): Promise<void> {
  await Promise.all([...open].map((stack) => stack.disposeAsync()));
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const { servers: count = 1, binds = 2, receiptAfterMs = 20, checkAfterMs = 0 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'ramz-bench-'));
  const stack = new AsyncDisposableStack();
  open.add(stack);
  stack.defer(() => {
    open.delete(stack);
  });
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  try {
    const files = new Files(directory);
    const database = await openPostgres(
      options.postgres ?? 'embedded',
      files.path('postgres'),
      options.postgresSettings,
    );
    stack.defer(() => database.destroy());
    const prepared = await prepareAccount({ url: database.url }, files.keyRing(), files.state());
    if (prepared.kind === 'refused') throw new Error(prepared.reason);
    const load = await Load.start({ receiptAfterMs, checkAfterMs });
    stack.defer(() => load.close());

    const config = { ...benchConfig(load.smscPort, binds), ...options.config };
    const environment = {
      DATABASE_URL: database.url,
      RAMZ_DATA: directory,
      RAMZ_KEY_RING: files.keyRing(),
      RAMZ_CONFIG: files.writeJson('config.json', config),
    };
    const servers: Server[] = [];
    stack.defer(async () => {
      await Promise.all(servers.map((server) => server.stop()));
    });
    while (servers.length < count) servers.push(await startServer(environment, options));
    const [first] = servers;
    if (!first) throw new Error('a rig has at least one server');
    const { http } = first.ready;
    const apiKey = String(prepared.state.apiKey);
    const eventTypes = options.eventTypes ?? ['receipt.updated'];
    await post(`${http}/v1/webhook_endpoints`, apiKey, { url: load.webhookUrl, event_types: eventTypes });
    await bound(servers, binds);
    if (servers.length > 1) await sharedOut(servers);
    load.use(
      servers.map(({ ready }) => Number(new URL(ready.http).port)),
      apiKey,
    );

    return {
      database,
      directory,
      apiKey,
      load,
      http,
      serverPid: first.pid,
      environment: { DATABASE_URL: database.url, RAMZ_KEY_RING: files.keyRing() },
      cpu: () => ({
        serverUs: servers.reduce((sum, { pid }) => sum + cpuUs(pid), 0),
        postgresUs: cpuWithChildrenUs(database.pid),
        driverUs: cpuUs(process.pid),
      }),
      wakeups: () => servers.reduce((sum, { pid }) => sum + wakeups(pid), 0),
      serverMib: () => residentMib(first.pid),
      metrics: () => metricsOf(servers),
      send: (request) => post(`${http}/v1/verify/send`, apiKey, request),
      close: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

interface Ready {
  http: string;
  metrics: string;
}
type Server = BenchChild<Ready>;

function startServer(environment: NodeJS.ProcessEnv, { profileTo, nodeOptions = [], servers = 1 }: RigOptions) {
  const profile =
    profileTo === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${profileTo}`];
  return startChild<Ready>('src/main.ts', {
    args: ['serve'],
    execArgv: [...profile, ...nodeOptions],
    env: {
      ...environment,
      HOST: '127.0.0.1',
      PORT: '0',
      GRPC_PORT: '0',
      METRICS_PORT: '0',
      // Several processes hand what comes in to each other.
      ...(servers > 1 ? { PEER_HOST: '127.0.0.1', PEER_PORT: '0' } : {}),
      LOG_LEVEL: 'warn',
      NODE_ENV: 'production',
      RAMZ_DRAIN_SECONDS: '0',
    },
  });
}

async function post(url: string, apiKey: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
}

/** Waits until every bind is up, at whichever server. */
async function bound(servers: readonly Server[], binds: number): Promise<void> {
  for (const until = Date.now() + bindMs; Date.now() < until; await sleep(20)) {
    const up = new Map<string, number>();
    for (const { ready } of servers) {
      const { operators = [] } = (await (await fetch(`${ready.metrics}/readyz`)).json()) as {
        operators?: { operator: string; binds_held: number; binds_bound: number }[];
      };
      for (const { operator, binds_held, binds_bound } of operators)
        if (binds_held === binds_bound) up.set(operator, (up.get(operator) ?? 0) + binds_bound);
    }
    if (up.size === 3 && [...up.values()].every((count) => count === binds)) return;
  }
  throw new Error('the binds did not come up');
}

const metricsOf = (servers: readonly Server[]): Promise<string[]> =>
  Promise.all(servers.map(async ({ ready }) => (await fetch(`${ready.metrics}/metrics`)).text()));

/** Waits until the servers hear each other and own equal parts of the shards: until then numbers change their owner. */
async function sharedOut(servers: readonly Server[]): Promise<void> {
  for (const until = Date.now() + bindMs; Date.now() < until; await sleep(100)) {
    const texts = await metricsOf(servers);
    const [heard, owned] = ['ramz_peers_heard', 'ramz_shards_owned'].map((name) =>
      texts.map((text) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)),
    ) as [number[], number[]];
    const isEqual = Math.max(...owned) - Math.min(...owned) <= 1 && Math.min(...owned) > 0;
    if (isEqual && heard.every((count) => count === servers.length - 1)) return;
  }
  throw new Error('the servers did not share out the shards');
}

/** CPU used between two looks, per item. */
export function perItem(before: CpuUsed, after: CpuUsed, items: number): CpuUsed {
  return {
    serverUs: (after.serverUs - before.serverUs) / items,
    postgresUs: (after.postgresUs - before.postgresUs) / items,
    driverUs: (after.driverUs - before.driverUs) / items,
  };
}
