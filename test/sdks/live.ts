// The whole service with its sandbox (`npm start`), in a folder and on ports of its own, for SDK tests, snippets and
// examples: whatever talks to it finds it in the environment.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from '../../scripts/run.ts';
import { isRunning, removeCluster } from '../../src/db/embedded.ts';

export interface Live {
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** What `npm start` writes; see the contract. */
interface SandboxFile {
  http: string;
  grpc: string;
  sandbox: string;
  api_key: string;
  test_key: string;
  admin_token: string;
  account_id: string;
  webhook_sink: string;
  numbers: Record<string, string>;
  prefixes: string[];
}

const startMs = 90_000;

/** @param folder where it keeps its data; must exist. */
export async function startLive(folder: string): Promise<Live> {
  const data = join(folder, 'data');
  const child = spawn(process.execPath, ['src/main.ts', 'start'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, RAMZ_DATA: data, PORT: '0', GRPC_PORT: '0', RAMZ_CONFIG: '', DATABASE_URL: '' },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const file = join(data, 'sandbox.json');
  const deadline = performance.now() + startMs;
  while (!existsSync(file)) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the service did not start:\n${said}`);
    }
    await wait(50);
  }
  return { env: liveEnvironment(file), stop: () => stop(child).then(() => removeDatabase(join(data, 'postgres'))) };
}

/** For root it lies outside of the folder, and would stay there for good. */
function removeDatabase(dataDir: string): void {
  if (!isRunning(join(dataDir, 'cluster'))) removeCluster(dataDir);
}

/** The variables that SDKs read themselves, and what only tests need. */
function liveEnvironment(file: string): Record<string, string> {
  const read = JSON.parse(readFileSync(file, 'utf8')) as SandboxFile;
  return {
    RAMZ_BASE_URL: read.http,
    RAMZ_API_KEY: read.api_key,
    RAMZ_TEST_KEY: read.test_key,
    RAMZ_ADMIN_TOKEN: read.admin_token,
    RAMZ_GRPC_TARGET: read.grpc.replace(/^\w+:\/\//, ''),
    RAMZ_SANDBOX_URL: read.sandbox,
    RAMZ_WEBHOOK_SINK: read.webhook_sink,
    RAMZ_SANDBOX_FILE: file,
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  const kill = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await ended;
  clearTimeout(kill);
}
