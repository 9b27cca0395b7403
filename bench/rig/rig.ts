// What is measured, put together: an embedded Postgres in a directory of its own, an account, one server process, and the load's
// ends (SMSC, webhook sink) in this process. Nothing of it is left behind.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { Files, prepareAccount } from '../../src/launch/prepare.ts';
import { Load } from '../load/verifications.ts';
import { cpuUs, cpuWithChildrenUs, residentMib } from '../measure/cpu.ts';
import { type BenchChild, startChild } from './children.ts';
import { benchConfig } from './config.ts';

export interface CpuUsed {
  serverUs: number;
  postgresUs: number;
  /** Load, SMSC and webhook sink. */
  driverUs: number;
}

export interface Rig {
  database: Embedded;
  /** A place for files; gone with the rig. */
  directory: string;
  apiKey: string;
  /** For further processes on the same database. */
  environment: NodeJS.ProcessEnv;
  load: Load;
  serverPid: number;
  cpu(): CpuUsed;
  serverMib(): number;
  metrics(): Promise<string>;
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
}

const bindMs = 20_000;

const open = new Set<AsyncDisposableStack>();

/** For an end that comes unexpected: Postgres is detached and would outlive this process. */
export async function closeRigs(): Promise<void> {
  await Promise.all([...open].map((stack) => stack.disposeAsync()));
}

export async function startRig({
  eventTypes = ['receipt.updated'],
  profileTo,
  config = {},
  nodeOptions = [],
}: RigOptions = {}): Promise<Rig> {
  const directory = mkdtempSync(join(tmpdir(), 'ramz-bench-'));
  const stack = new AsyncDisposableStack();
  open.add(stack);
  stack.defer(() => {
    open.delete(stack);
  });
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  try {
    const files = new Files(directory);
    const database = await startEmbedded({ dataDir: files.path('postgres') });
    stack.defer(() => database.destroy());
    const prepared = await prepareAccount(database.url, files.keyRing(), files.state());
    if (prepared.kind === 'refused') throw new Error(prepared.reason);
    const load = await Load.start({ receiptAfterMs: 20 });
    stack.defer(() => load.close());

    const profile =
      profileTo === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${profileTo}`];
    const server: BenchChild<{ http: string }> = await startChild('src/main.ts', {
      args: ['serve'],
      execArgv: [...profile, ...nodeOptions],
      env: {
        DATABASE_URL: database.url,
        RAMZ_DATA: directory,
        RAMZ_KEY_RING: files.keyRing(),
        RAMZ_CONFIG: files.writeJson('config.json', { ...benchConfig(load.smscPort), ...config }),
        HOST: '127.0.0.1',
        PORT: '0',
        GRPC_PORT: '0',
        LOG_LEVEL: 'warn',
        NODE_ENV: 'production',
        RAMZ_DRAIN_SECONDS: '0',
      },
    });
    stack.defer(() => server.stop());
    const { http } = server.ready;
    const apiKey = String(prepared.state.apiKey);
    await makeEndpoint(http, apiKey, load.webhookUrl, eventTypes);
    await bound(http);
    load.use(Number(new URL(http).port), apiKey);

    return {
      database,
      directory,
      apiKey,
      load,
      serverPid: server.pid,
      environment: { DATABASE_URL: database.url, RAMZ_KEY_RING: files.keyRing() },
      cpu: () => ({
        serverUs: cpuUs(server.pid),
        postgresUs: cpuWithChildrenUs(database.pid),
        driverUs: cpuUs(process.pid),
      }),
      serverMib: () => residentMib(server.pid),
      metrics: async () => (await fetch(`${http}/metrics`)).text(),
      send: (request) => post(`${http}/v1/verify/send`, apiKey, request),
      close: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

const makeEndpoint = (http: string, apiKey: string, url: string, eventTypes: readonly string[]): Promise<void> =>
  post(`${http}/v1/webhook_endpoints`, apiKey, { url, event_types: eventTypes });

async function post(url: string, apiKey: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
}

/** Waits until every bind is up. */
async function bound(http: string): Promise<void> {
  for (const until = Date.now() + bindMs; Date.now() < until; await sleep(20)) {
    const { operators = [] } = (await (await fetch(`${http}/readyz`)).json()) as {
      operators?: { binds_held: number; binds_bound: number }[];
    };
    if (operators.length === 3 && operators.every((each) => each.binds_held === 2 && each.binds_bound === 2)) return;
  }
  throw new Error('the binds did not come up');
}

/** CPU used between two looks, per item. */
export function perItem(before: CpuUsed, after: CpuUsed, items: number): CpuUsed {
  return {
    serverUs: (after.serverUs - before.serverUs) / items,
    postgresUs: (after.postgresUs - before.postgresUs) / items,
    driverUs: (after.driverUs - before.driverUs) / items,
  };
}
