// The embedded database is killed: what works on it ends and says so, for whoever starts it again. Without that it would be there and
// never ready.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readPostmaster } from '../../src/db/embedded/cluster.ts';
import { startScript } from '../support/process.ts';

const data = mkdtempSync(join(tmpdir(), 'ramz-embedded-ends-'));
const postgres = join(data, 'postgres');
const folders = [data];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const env = { RAMZ_DATA: data, HOST: '127.0.0.1', PORT: '0', GRPC_PORT: '0', METRICS_PORT: '0', DATABASE_URL: '' };

function killDatabase(): void {
  // As root its files are elsewhere.
  folders.push(realpathSync(postgres));
  const { pid } = readPostmaster(join(postgres, 'cluster')) ?? {};
  if (pid === undefined) throw new Error('no database runs');
  process.kill(pid, 'SIGKILL');
}

test('npm start', async () => {
  const start = startScript('src/main.ts', { args: ['start', '--quiet'], env: { ...env, RAMZ_CONFIG: '' } });
  await start.waitFor(/Ctrl-C ends everything/);
  killDatabase();
  expect(await start.exit()).toEqual({ code: 1, signal: null });
  expect(start.output()).toMatch(/^ramz: the database has ended by itself \(.*postgres\.log\): start again/m);
});

test('serve', async () => {
  const own = { RAMZ_CONFIG: join(data, 'sandbox.config.json'), RAMZ_KEY_RING: join(data, 'keys.json') };
  const serve = startScript('src/main.ts', { args: ['serve'], env: { ...env, ...own, RAMZ_DRAIN_SECONDS: '0' } });
  await serve.waitFor(/"msg":"ready"/);
  expect(serve.output()).toContain(`DATABASE_URL is not set: this is the embedded database in ${data}`);
  killDatabase();
  expect(await serve.exit()).toEqual({ code: 1, signal: null });
  expect(serve.output()).toContain('the embedded database has ended: this process ends; start it again');
});
