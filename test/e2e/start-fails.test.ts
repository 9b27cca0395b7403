// A server that can not start says why and ends: nothing of it stays behind to hold binds or hang `npm start`.

import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startScript } from '../support/process.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const taken = createServer();
const port = await new Promise<number>((resolve) => {
  taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
});
const folder = mkdtempSync(join(tmpdir(), 'ramz-start-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => new Promise((resolve) => taken.close(resolve)));
// What `npm start` starts has the key ring of the database it is given.
copyFileSync(String(service.env.RAMZ_KEY_RING), join(folder, 'keys.json'));

test.each(['PORT', 'GRPC_PORT', 'METRICS_PORT'])('serve: a taken %s', async (variable) => {
  const server = startScript('src/main.ts', { args: ['serve'], env: { ...service.env, [variable]: String(port) } });
  await server.waitFor(/set PORT, GRPC_PORT, METRICS_PORT and PEER_PORT/);
  expect(await server.exit()).toMatchObject({ code: 1 });
});

// Work in the background would be waited for: here a table is locked that maintenance deletes from.
test('serve: a taken port ends the start before any work in the background', async () => {
  await service.database.db.transaction().execute(async (tx) => {
    await sql`lock table parked_receipt in access exclusive mode`.execute(tx);
    const server = startScript('src/main.ts', { args: ['serve'], env: { ...service.env, PORT: String(port) } });
    expect(await server.exit()).toMatchObject({ code: 1 });
  });
});

test('serve: without a key ring nothing starts', async () => {
  const server = startScript('src/main.ts', { args: ['serve'], env: { ...service.env, RAMZ_KEY_RING: '' } });
  expect(await server.exit()).toMatchObject({ code: 1 });
  expect(server.output()).toMatch(/^configuration: RAMZ_KEY_RING: is missing/m);
  const lost = startScript('src/main.ts', { args: ['serve'], env: { ...service.env, RAMZ_KEY_RING: '/nowhere' } });
  expect(await lost.exit()).toMatchObject({ code: 1 });
  expect(lost.output()).toMatch(/^configuration: RAMZ_KEY_RING: \/nowhere cannot be read/m);
});

test('serve: nothing is opened in the clear where other machines reach it, unless that is allowed', async () => {
  const server = startScript('src/main.ts', { args: ['serve'], env: { ...service.env, HOST: '' } });
  expect(await server.exit()).toMatchObject({ code: 1 });
  expect(server.output()).toMatch(/^configuration: HOST: 0\.0\.0\.0 is reached by other machines/m);
  const allowed = await service.startProcess({ HOST: '', RAMZ_ALLOW_PLAINTEXT: 'true' });
  expect((await fetch(`${allowed.http}/healthz`)).status).toBe(200);
  await allowed.process.end();
});

test('serve: every mistake in the file is told with its path', async () => {
  const [atlas, ...others] = service.config.operators as { binds: object[] }[];
  const binds = [{ ...atlas?.binds[0], port: 99_999 }];
  service.configure({ operators: [{ ...atlas, binds }, ...others], verify: { code_lenght: 6 } });
  const server = startScript('src/main.ts', { args: ['serve'], env: service.env });
  expect(await server.exit()).toMatchObject({ code: 1 });
  expect(server.output()).toContain('configuration: operators[0].binds[0].port: must be at most 65535\n');
  expect(server.output()).toContain('configuration: verify.code_lenght: is not a setting\n');
  service.configure({});
});

test('start: a taken port is told in the terminal, once, and everything ends', async () => {
  const { DATABASE_URL } = service.env;
  const env = { DATABASE_URL, RAMZ_DATA: folder, HOST: '127.0.0.1', PORT: String(port), GRPC_PORT: '0' };
  const start = startScript('src/main.ts', { args: ['start'], env });
  expect(await start.exit()).toMatchObject({ code: 1 });
  expect(start.output().match(new RegExp(`port ${port} is taken`, 'g'))).toHaveLength(1);
});

test('start: a taken SANDBOX_PORT that was asked for is named, and everything ends', async () => {
  const { DATABASE_URL } = service.env;
  const env = { DATABASE_URL, RAMZ_DATA: folder, PORT: '0', GRPC_PORT: '0', SANDBOX_PORT: String(port) };
  const start = startScript('src/main.ts', { args: ['start'], env });
  expect(await start.exit()).toMatchObject({ code: 1 });
  expect(start.output()).toContain(`ramz: the sandbox could not start: port ${port} is taken: set SANDBOX_PORT`);
});

test("start: a second one in the same folder is refused and leaves the first alone; one that was killed is in nobody's way", async () => {
  const { DATABASE_URL } = service.env;
  const env = { DATABASE_URL, RAMZ_DATA: folder, PORT: '0', GRPC_PORT: '0', SANDBOX_PORT: '0' };
  const start = () => startScript('src/main.ts', { args: ['start', '--quiet'], env });
  const first = start();
  await first.waitFor(/Ctrl-C ends everything/);
  const files = () =>
    ['sandbox.config.json', 'sandbox.json', 'sandbox.env'].map((name) => readFileSync(join(folder, name), 'utf8'));
  const before = files();
  const second = start();
  expect(await second.exit()).toMatchObject({ code: 1 });
  expect(second.output()).toBe(
    `ramz: npm start is already running in ${folder} (pid ${first.pid}): end that one first, or set RAMZ_DATA to a folder of this one's own\n`,
  );
  expect(files()).toEqual(before);
  await first.end('SIGKILL');
  const third = start();
  await third.waitFor(/Ctrl-C ends everything/);
  expect(await third.end()).toEqual({ code: 0, signal: null });
});

test('start: an option that there is none of is no start', async () => {
  const start = startScript('src/main.ts', { args: ['start', '--silent'], env: { RAMZ_DATA: folder } });
  expect(await start.exit()).toMatchObject({ code: 2 });
  expect(start.output()).toContain('npm start [-- --quiet]');
});

test("start: over another ring's database nothing is made, and the missing keys are named", async () => {
  const other = mkdtempSync(join(folder, 'other-'));
  const accounts = async () => (await service.database.db.selectFrom('account').select('id').execute()).length;
  const before = await accounts();
  const env = { DATABASE_URL: service.env.DATABASE_URL, RAMZ_DATA: other, PORT: '0', GRPC_PORT: '0' };
  const start = startScript('src/main.ts', { args: ['start'], env });
  expect(await start.exit()).toMatchObject({ code: 1 });
  expect(start.output()).toMatch(/^ramz: the key ring lacks keys that the database names:\n {2}api_key {2}api_key-/m);
  expect(await accounts()).toBe(before);
});

test('start: a configuration with a mistake is told in the terminal', async () => {
  const env = {
    DATABASE_URL: service.env.DATABASE_URL,
    RAMZ_DATA: folder,
    PORT: '0',
    GRPC_PORT: '0',
    LOG_LEVEL: 'loud',
  };
  const start = startScript('src/main.ts', { args: ['start'], env });
  expect(await start.exit()).toMatchObject({ code: 1 });
  expect(start.output()).toContain('LOG_LEVEL');
});
