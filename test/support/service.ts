// The whole service for e2e tests: a sandbox, a database of its own, a configuration file, a key ring and an account with
// wide limits, and as many servers as the test wants, in this process (fast) or in processes of their own (to be killed).
// Belongs at the top of a test file; everything ends with the file.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type App, type AppOptions, startApp } from '../../src/app/app.ts';
import { loadConfig, loadKeyRing } from '../../src/config.ts';
import { defaultKeyPrefixes } from '../../src/core/accounts/api-key.ts';
import { idSource } from '../../src/core/ids.ts';
import { newKeyRing, parseKeyRing } from '../../src/core/secrets/key-ring.ts';
import type { Schema } from '../../src/db/schema.ts';
import { Accounts } from '../../src/engine/accounts/accounts.ts';
import type { SandboxOptions } from '../../src/sandbox/main.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { tester } from './actor.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { testFolder } from './folder.ts';
import { startScript, type TestProcess } from './process.ts';
import { type TestSandbox, testSandbox } from './sandbox.ts';
import { type Client, serviceClient } from './service-client.ts';
import { until } from './wait.ts';

export interface TestServer {
  /** Addresses: of the HTTP door with its scheme, of the gRPC door without. */
  http: string;
  grpc: string;
  /** The metrics port, with its scheme. */
  metrics: string;
  live: Client;
  test: Client;
  /** Every line logged so far. */
  log(): string;
}

export interface LocalServer extends TestServer {
  app: App;
}

export interface ServerProcess extends TestServer {
  process: TestProcess;
}

export interface TestService {
  sandbox: TestSandbox;
  database: TestDatabase<Schema>;
  accountId: string;
  liveKey: string;
  testKey: string;
  adminToken: string;
  /** The configuration file; `configure` writes it anew, each group of settings merged into what it was at first. */
  config: ConfigFile;
  configure(change: ConfigFile): void;
  /** What a server of this service needs in its environment. */
  env: Record<string, string>;
  /** A server in this process: its ports are open and its binds are up. */
  startHere(options?: Pick<AppOptions, 'pages'>): Promise<LocalServer>;
  /** The same by `ramz serve`, in a process of its own. */
  startProcess(env?: Record<string, string>): Promise<ServerProcess>;
}

export type ConfigFile = Record<string, unknown>;

export interface ServiceOptions {
  sandbox?: SandboxOptions;
  /** Default: one of its own on the server all tests share. */
  database?: TestDatabase<Schema>;
  /** Groups of settings, merged into those of the harness. */
  config?: ConfigFile;
  /** Servers are killed or starved: errors in their logs are no failure of the test. Default false. */
  errorsExpected?: boolean;
}

/** Legs may be as short as a second, and nothing but the sandbox limits the load. */
const config = (sandbox: TestSandbox): ConfigFile => ({
  sandbox: true,
  scenario_prefix: sandbox.scenarioPrefix,
  operators: sandbox.operators,
  verify: { timeout_seconds: { min: 1, max: 900 } },
  // All tests come from one address, guess keys there, and have their webhooks posted to it.
  limits: {
    account_calls_per_second: 100_000,
    authentication_failures_per_minute: 10_000,
    webhook_endpoints_per_host: 100,
    webhook_deliveries_per_host: 10_000,
    webhook_deliveries_per_host_per_second: 1_000_000,
    // Tests count their numbers up, and verify few of them.
    rules: { sequential_numbers: 'off', prefix_conversion: 'off' },
  },
  webhooks: { allow_private_targets: true, concurrency_per_endpoint: 16 },
});

export async function testService(options: ServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await testDatabase<Schema>());
  const sandbox = await testSandbox(options.sandbox);
  const folder = testFolder('e2e');

  const first = merged(config(sandbox), options.config ?? {});
  const paths = { config: join(folder, 'config.json'), keyRing: join(folder, 'keys.json') };
  writeFileSync(
    paths.keyRing,
    newKeyRing((size) => randomBytes(size)),
  );
  const configure = (change: ConfigFile) => writeFileSync(paths.config, JSON.stringify(merged(first, change)));
  configure({});
  const account = await makeAccount(database, readFileSync(paths.keyRing, 'utf8'));
  const adminToken = randomBytes(16).toString('hex');
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    GRPC_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    DATABASE_URL: database.url,
    RAMZ_CONFIG: paths.config,
    RAMZ_KEY_RING: paths.keyRing,
    RAMZ_ADMIN_TOKEN: adminToken,
    RAMZ_DATA: folder,
    RAMZ_DRAIN_SECONDS: '0',
  };

  const servers: TestServer[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  let webhooks: Promise<void> | undefined;
  const up = async <S extends TestServer>(server: S): Promise<S> => {
    servers.push(server);
    await until(async () => (await fetch(`${server.http}/readyz`)).ok, { what: 'the server to be ready' });
    webhooks ??= subscribe(server, sandbox);
    await webhooks;
    return server;
  };
  const doors = (http: string, grpc: string, metrics: string) => ({
    http,
    grpc,
    metrics,
    live: serviceClient(http, account.liveKey),
    test: serviceClient(http, account.testKey),
  });
  afterAll(() => {
    const logged = servers.flatMap((server) => server.log().match(/^.*"level":"error".*$/gm) ?? []);
    // The tests' Postgres waits for no disk, so that it is fast, and servers say so (app/database-watch.ts). On a machine that stands still
    // for seconds so does it, and the same watch says that. What asks for anything else must have its answer.
    const isExpected = (line: string) =>
      line.includes('synchronous_commit is off') ||
      (line.includes('"the database does not answer"') && line.includes('"loop":"database"'));
    const errors = logged.filter((line) => !isExpected(line));
    if (errors.length > 0 && !options.errorsExpected) throw new Error(`servers logged errors:\n${errors.join('\n')}`);
  });
  // Hooks run in reverse: first the servers stop, then what they logged to the end is looked at, then the rest goes.
  afterAll(() => Promise.all(stops.map((stop) => stop())));

  return {
    sandbox,
    database,
    ...account,
    adminToken,
    config: first,
    configure,
    env,
    async startHere(options = {}) {
      let log = '';
      const write = (line: string) => {
        log += line;
      };
      const logger = createLogger('info', { write });
      const sources = { env, readFile: (path: string) => readFileSync(path, 'utf8') };
      const loaded = loadConfig(sources);
      if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
      const app = await startApp({
        config: loaded.config,
        databaseUrl: database.url,
        logger,
        metrics: createMetrics(),
        readKeyRing: () => {
          const { value, errors } = loadKeyRing(sources);
          return value
            ? { kind: 'ok', ring: value }
            : { kind: 'invalid', errors: errors.map(({ message }) => message) };
        },
        ...options,
      });
      stops.push(() => app.close());
      const [http, grpc, metrics] = [app.httpPort, app.grpcPort, app.metricsPort].map((port) => `127.0.0.1:${port}`);
      return up({ app, ...doors(`http://${http}`, String(grpc), `http://${metrics}`), log: () => log });
    },
    async startProcess(more = {}) {
      const started = startScript('src/main.ts', { args: ['serve'], env: { ...env, ...more } });
      stops.push(() => started.end());
      const ready = /"http":"([^"]+)","grpc":"([^"]+)","metrics":"([^"]+)","msg":"ready"/;
      const [, http = '', grpc = '', metrics = ''] = await started.waitFor(ready, 60_000);
      return up({ process: started, ...doors(http, grpc, metrics), log: started.output });
    },
  };
}

/** Live binds of each operator that the server holds, as its metrics port says. */
export async function bindsOf({ metrics }: TestServer): Promise<Record<string, number>> {
  const response = await fetch(`${metrics}/readyz`);
  const { operators } = (await response.json()) as { operators: { operator: string; binds_bound: number }[] };
  return Object.fromEntries(operators.map(({ operator, binds_bound }) => [operator, binds_bound]));
}

async function makeAccount({ db }: TestDatabase<Schema>, keyRing: string) {
  const parsed = parseKeyRing(keyRing);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join('; '));
  const ids = idSource({ now: Date.now, randomBytes });
  const prefixes = defaultKeyPrefixes;
  const settings = { operators: [] };
  const accounts = new Accounts({ db, ids, ring: parsed.ring, prefixes, now: Date.now, settings });
  const limits = { sends_per_second: 100_000, unlimited_numbers: true, budget: 'none' as const };
  const { id, liveKey, testKey } = await accounts.create({ name: 'E2E', language: 'fr', limits, actor: tester });
  return { accountId: id, liveKey: liveKey.key, testKey: testKey.key };
}

/** One endpoint for each mode, at the sandbox's sink. A server that has just started on a busy machine may say 503, as `unavailable`. */
async function subscribe({ live, test }: TestServer, { webhookUrl, sink }: TestSandbox): Promise<void> {
  const secretOf = async (client: Client): Promise<string> => {
    const wanted = { url: webhookUrl, description: 'e2e' };
    const make = () => client.call<{ secret?: string }>('POST', '/v1/webhook_endpoints', wanted);
    const secret = async () => {
      const { status, body } = await make();
      if (body.secret === undefined) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.secret;
    };
    return until(secret, { what: 'an endpoint to be made', everyMs: 250 });
  };
  sink.setSecrets('default', await Promise.all([live, test].map(secretOf)));
}

function merged(base: ConfigFile, change: ConfigFile): ConfigFile {
  const isGroup = (value: unknown): value is ConfigFile => Object.prototype.toString.call(value) === '[object Object]';
  const entries = Object.entries(change).map(([key, value]) => {
    const old = base[key];
    return [key, isGroup(old) && isGroup(value) ? merged(old, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}
