// Everything a run needs, each in its own process: Postgres, the servers on it, and here, in the driver, the sandbox, which
// must outlive all of them: its SMSCs and its webhook endpoint are the other side's word.
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Files, type SandboxState } from '../../src/launch/files.ts';
import { prepareAccount, prepareEndpoints } from '../../src/launch/prepare.ts';
import { runSandbox, type Sandbox } from '../../src/sandbox/main.ts';
import { sandboxProfiles } from '../../src/sandbox/operators.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/wait.ts';
import { Journal } from './journal.ts';
import { Ledger } from './ledger.ts';
import { type Server, serverNames } from './plan.ts';
import { Postgres } from './postgres.ts';
import { Relay } from './relay.ts';
import { ServerProcess } from './server.ts';

export interface World {
  directory: string;
  journal: Journal;
  ledger: Ledger;
  postgres: Postgres;
  servers: readonly ServerProcess[];
  /** Between their peer ports. */
  relay: Relay;
  sandbox: Sandbox;
  account: SandboxState;
  /** What one delivered message costs at each operator, in the words of its tariff or of its own receipts. */
  prices: Readonly<Record<string, string>>;
  /** Connections each operator allows, over all processes; a transmitter and receiver pair counts twice. */
  allowedBinds: Readonly<Record<string, number>>;
  /** Moves what the sandbox received into the ledger. */
  collect(): void;
  /** For an interrupted driver: kills everything at once. */
  abandon(): void;
  stop(): Promise<{ drained: boolean }>;
}

const collectMs = 50;

export interface WorldOptions {
  /** How many servers, 1 to 4. */
  processes: number;
  /** Whether they talk to each other. */
  peers: boolean;
  webhookTimeoutSeconds: number;
  /** Where the servers' output goes, anew each time; default: a file that is removed with the rest. */
  logFile?: string;
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'ramz-chaos-'));
  const names = serverNames.slice(0, options.processes);
  const journal = new Journal(names);
  const ledger = new Ledger();
  const files = new Files(directory);
  const log = openSync(options.logFile ?? files.path('servers.log'), 'w');
  const postgres = new Postgres(files.path('postgres'), journal);
  await postgres.start();
  const keyRing = files.keyRing();
  const prepared = await prepareAccount(postgres, keyRing, files.state());
  if (prepared.kind === 'refused') throw new Error(prepared.reason);
  const { state } = prepared;
  const sandbox = await runSandbox();
  const config = files.writeJson('config.json', configOf(sandbox, options.webhookTimeoutSeconds));
  const relay = new Relay();
  const relayPort = await relay.listen();
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    RAMZ_CONFIG: config,
    RAMZ_KEY_RING: keyRing,
    RAMZ_DATA: directory,
    RAMZ_ADMIN_TOKEN: state.adminToken,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    RAMZ_DRAIN_SECONDS: '0',
    ...(options.peers ? { PEER_PORT: '0', CHAOS_RELAY_PORT: String(relayPort) } : {}),
  };
  const server = async (name: Server) => {
    const ports = { PORT: String(await freePort()), GRPC_PORT: String(await freePort()), METRICS_PORT: 'off' };
    return new ServerProcess({ name, env: { ...env, ...ports }, log, journal, relay: options.peers ? relay : null });
  };
  const servers = await Promise.all(names.map(server));

  const collect = () => {
    for (const message of sandbox.inbox.list().reverse()) ledger.arrive(message);
    sandbox.inbox.clear();
    for (const webhook of sandbox.sink.list().reverse()) ledger.receive(webhook);
    sandbox.sink.clear();
  };
  const collecting = setInterval(collect, collectMs);

  const abandon = () => {
    for (const each of servers) void each.kill();
    postgres.killNow();
  };
  const stop = async () => {
    const drained = await Promise.all(servers.map((each) => each.stop()));
    await relay.close();
    clearInterval(collecting);
    await sandbox.stop();
    collect();
    await postgres.destroy();
    closeSync(log);
    rmSync(directory, { recursive: true, force: true });
    return { drained: drained.every(Boolean) };
  };

  let account = state;
  try {
    for (const each of servers) each.start();
    await until(() => servers.every(({ ready }) => ready), { what: 'all servers' });
    const ready = { http: sandbox.httpUrl, webhookUrl: sandbox.webhookUrl };
    await prepareEndpoints(servers[0]?.url ?? '', ready, state, (next) => {
      account = next;
    });
    const bound = () => Object.values(sandbox.smscs).every(({ counts }) => counts.binds > 0);
    await until(bound, { what: 'binds with every operator' });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    directory,
    journal,
    ledger,
    postgres,
    servers,
    relay,
    sandbox,
    account,
    collect,
    abandon,
    stop,
    prices: pricesOf(sandbox),
    allowedBinds: allowedBindsOf(sandbox),
  };
}

function configOf(sandbox: Sandbox, webhookTimeoutSeconds: number): object {
  return {
    sandbox: true,
    scenario_prefix: sandbox.scenarioPrefix,
    service: { brand: 'Ramz', home_country: 'DZ' },
    operators: sandbox.operators,
    limits: {
      account_calls_per_second: 1_000_000,
      budget: { sends_per_hour: null, sends_per_day: null, spend_per_hour: {}, spend_per_day: {} },
      webhook_endpoints_per_host: 100,
      webhook_deliveries_per_host: 10_000,
      webhook_deliveries_per_host_per_second: 1_000_000,
    },
    webhooks: {
      allow_private_targets: true,
      timeout_seconds: webhookTimeoutSeconds,
      concurrency_per_endpoint: 32,
    },
  };
}

function pricesOf(sandbox: Sandbox): Record<string, string> {
  return Object.fromEntries(
    sandbox.operators.map(({ id, tariff }) => {
      const stated = sandboxProfiles[id as keyof typeof sandboxProfiles].receipt.cost;
      return [String(id), stated ?? (tariff as { amount: string }[])[0]?.amount ?? ''];
    }),
  );
}

function allowedBindsOf(sandbox: Sandbox): Record<string, number> {
  const links = ({ count, type }: { count: number; type: string }) => count * (type === 'transmitter_receiver' ? 2 : 1);
  return Object.fromEntries(
    sandbox.operators.map(({ id, binds }) => {
      const all = (binds as { count: number; type: string }[]).map(links);
      return [String(id), all.reduce((sum, each) => sum + each, 0)];
    }),
  );
}
