// What a start knows of its sandbox: its report, the configuration of a server that talks to it, and the file for programs that talk
// to both.

import { readFileSync } from 'node:fs';
import type { SandboxState } from './files.ts';

export interface SandboxReady {
  /** Number of its process. */
  pid: number;
  http: string;
  webhookUrl: string;
  operators: unknown[];
  /** The section of a configuration that fits its messaging platform. */
  messaging: object;
  /** The section that fits its trunk; null without phones. */
  voice: object | null;
  scenarioPrefix: string;
  numbers: Record<string, string>;
  prefixes: string[];
  /** For the person who starts it. */
  warnings: string[];
}

export interface Running {
  http: string;
  grpc: string;
  /** undefined where there is no such port. */
  metrics: string | undefined;
  pid: number;
  ready: SandboxReady;
  account: SandboxState;
}

/** The addresses and keys that a program needs to talk to what is running. */
export function sandboxJson({ http, grpc, metrics, pid, ready, account }: Running): object {
  const { accountId, apiKey, testKey, adminToken } = account;
  return {
    http,
    grpc,
    metrics,
    sandbox: ready.http,
    server_pid: pid,
    sandbox_pid: ready.pid,
    account_id: accountId,
    api_key: apiKey,
    test_key: testKey,
    admin_token: adminToken,
    webhook_sink: ready.webhookUrl,
    numbers: ready.numbers,
    prefixes: ready.prefixes,
  };
}

/** The text that a shell reads: the variables that every SDK reads. */
export function sandboxEnv({ http, account }: Pick<Running, 'http' | 'account'>): string {
  const variables = { RAMZ_BASE_URL: http, RAMZ_API_KEY: account.apiKey, RAMZ_TEST_KEY: account.testKey };
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');
}

/** The configuration of a server that talks to the sandbox: its operators, messaging platform and trunk, webhooks to this machine, room for load. */
export function sandboxConfig(ready: SandboxReady): object {
  return {
    sandbox: true,
    scenario_prefix: ready.scenarioPrefix,
    service: { brand: 'Ramz', home_country: 'DZ' },
    operators: ready.operators,
    messaging: ready.messaging,
    ...(ready.voice ? { voice: ready.voice } : {}),
    // Everything comes from this machine, and goes to the one sink that is there.
    limits: {
      account_calls_per_second: 100_000,
      authentication_failures_per_minute: 1_000,
      webhook_endpoints_per_host: 100,
      webhook_deliveries_per_host: 10_000,
      webhook_deliveries_per_host_per_second: 1_000_000,
    },
    // A person who watches a cascade at the phones page waits seconds, not a quarter of a minute a leg.
    verify: { timeout_seconds: { min: 1, max: 900 }, allow_custom_code: true },
    webhooks: { allow_private_targets: true },
  };
}

/** Whether the configuration at this path is a sandbox's: the key for trying the API out is given to no other server. */
export function isSandboxConfig(path: string): boolean {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).sandbox === true;
  } catch {
    return false; // The server says what is wrong with it.
  }
}
