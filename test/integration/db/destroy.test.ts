// `ramz destroy`: what it removes, what it leaves, and when it asks.
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { destroy } from '../../../src/cli/destroy.ts';
import { leftovers, startEmbedded } from '../../../src/db/embedded.ts';
import { testFolder } from '../../support/folder.ts';
import { startProcess } from '../../support/process.ts';

const parent = testFolder('destroy');

type Ask = ((question: string) => Promise<boolean>) | null;

async function run(args: string[], data: string, ask: Ask = null, env: NodeJS.ProcessEnv = {}) {
  const said: string[] = [];
  const code = await destroy(args, { env: { ...env, RAMZ_DATA: data }, say: (line) => void said.push(line), ask });
  return { code, said: said.join('\n') };
}

/** A process that waits, with these words in its command. */
const running = (...words: string[]) =>
  startProcess(process.execPath, { args: ['-e', 'setInterval(() => {}, 1000)', '--', ...words] });

/** A data directory as `npm start` leaves it. */
async function made(name: string): Promise<{ data: string; cluster: string }> {
  const data = join(parent, name);
  mkdirSync(data);
  writeFileSync(join(data, 'keys.json'), '{}');
  const server = await startEmbedded({ dataDir: join(data, 'postgres') });
  await server.stop();
  return { data, cluster: realpathSync(join(data, 'postgres', 'cluster')) };
}

test('removes the data directory and its database, wherever that lies', async () => {
  const { data, cluster } = await made('whole');
  const asked: string[] = [];
  const answer = (yes: boolean) => async (question: string) => asked.push(question) > 0 && yes;
  expect(await run([], data, answer(false))).toEqual({ code: 1, said: 'nothing was removed' });
  expect(existsSync(cluster)).toBe(true);
  expect(await run([], data, answer(true))).toEqual({ code: 0, said: `removed ${data}` });
  expect([existsSync(data), existsSync(cluster)]).toEqual([false, false]);
  expect(asked[0]).toContain(`Remove ${data} with its database`);
});

test('without a terminal it does nothing unless it is told yes', async () => {
  const { data, cluster } = await made('quiet');
  expect(await run([], data)).toMatchObject({ code: 2, said: expect.stringContaining('add --yes') });
  expect(existsSync(cluster)).toBe(true);
  expect(await run(['--yes'], data)).toMatchObject({ code: 0 });
  expect([existsSync(data), existsSync(cluster)]).toEqual([false, false]);
});

test('removes nothing that is in use; a server whose user was killed is ended first', async () => {
  const { data } = await made('used');
  const server = await startEmbedded({ dataDir: join(data, 'postgres') });
  expect(await run(['--yes'], data)).toMatchObject({ code: 1, said: expect.stringContaining('is in use') });
  expect(existsSync(join(data, 'keys.json'))).toBe(true);
  await server.stop();
  expect(await run(['--yes'], data)).toMatchObject({ code: 0 });
});

test('beside a database of its own it is in use as long as the server of npm start lives, and the question says what is lost', async () => {
  const data = join(parent, 'beside');
  mkdirSync(data);
  writeFileSync(join(data, 'sandbox-state.json'), '{}');
  const started = (server_pid: number) => writeFileSync(join(data, 'sandbox.json'), JSON.stringify({ server_pid }));
  const server = running('src/main.ts', 'serve');
  started(server.pid);
  expect(await run(['--yes'], data)).toMatchObject({ code: 1, said: expect.stringContaining(`process ${server.pid}`) });
  expect(existsSync(join(data, 'sandbox-state.json'))).toBe(true);
  await server.end('SIGKILL');
  const { code, said } = await run(['--yes'], data, null, { DATABASE_URL: 'postgres://x' });
  expect([code, existsSync(data)]).toEqual([0, false]);
  expect(said).toContain(`Without the key ring in ${data} no service starts over it`);
});

test('a start that is not up yet is in the way; another program that has the number of one that was killed is not', async () => {
  const data = join(parent, 'number');
  mkdirSync(data);
  writeFileSync(join(data, 'sandbox-state.json'), '{}');
  const start = running('src/main.ts', 'start');
  writeFileSync(join(data, 'start.pid'), String(start.pid));
  expect(await run(['--yes'], data)).toMatchObject({ code: 1, said: expect.stringContaining(`process ${start.pid}`) });
  await start.end('SIGKILL');
  const other = running('another', 'program');
  writeFileSync(join(data, 'start.pid'), String(other.pid));
  writeFileSync(join(data, 'sandbox.json'), JSON.stringify({ server_pid: other.pid }));
  expect(await run(['--yes'], data)).toEqual({ code: 0, said: `removed ${data}` });
  await other.end();
});

test('removes what a link leads to, and the link', async () => {
  const { data, cluster } = await made('behind');
  const link = join(parent, 'link');
  symlinkSync(data, link);
  expect(await run(['--yes'], link)).toEqual({ code: 0, said: `removed ${link}` });
  expect([link, data, cluster].map((path) => existsSync(path))).toEqual([false, false, false]);
});

test.each([
  ['a database of another program', 'postgres/18/data'],
  ['keys of another program', 'keys.json'],
])('removes no directory that has %s', async (name, path) => {
  const folder = join(parent, name.replaceAll(' ', '-'));
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), '');
  expect(await run(['--yes'], folder)).toMatchObject({ code: 1, said: expect.stringContaining('no data directory') });
  expect(existsSync(join(folder, path))).toBe(true);
});

test('removes no directory that a home is in', async () => {
  const above = join(parent, 'above');
  mkdirSync(join(above, 'here'), { recursive: true });
  writeFileSync(join(above, 'sandbox-state.json'), '{}');
  const home = { HOME: join(above, 'here') };
  expect(await run(['--yes'], above, null, home)).toMatchObject({
    code: 1,
    said: expect.stringContaining('holds more'),
  });
  expect(existsSync(above)).toBe(true);
});

test('removes no directory that is not its own', async () => {
  const folder = join(parent, 'photos');
  mkdirSync(folder);
  writeFileSync(join(folder, 'one.jpg'), '');
  expect(await run(['--yes'], folder)).toMatchObject({ code: 1, said: expect.stringContaining('no data directory') });
  expect(existsSync(join(folder, 'one.jpg'))).toBe(true);
  expect(await run(['--yes', '--force'], folder)).toMatchObject({ code: 2, said: expect.stringContaining('usage') });
});

test.runIf(process.getuid?.() === 0)('removes what a deleted checkout has left, and no other', async () => {
  const [gone, kept] = [await made('gone'), await made('kept')];
  rmSync(gone.data, { recursive: true });
  // Others of this machine may be gone, too: they are asked for one by one.
  const only = async (question: string) => question.includes(gone.data);
  expect((await run(['--gone'], kept.data, only)).said).toContain(`removed ${join(gone.cluster, '..')}`);
  expect([existsSync(gone.cluster), existsSync(kept.cluster)]).toEqual([false, true]);
  expect(await run(['--yes'], kept.data)).toMatchObject({ code: 0 });
});

test.runIf(process.getuid?.() === 0)(
  'a checkout that was moved keeps its database from its next start on',
  async () => {
    const { data, cluster } = await made('moved');
    const moved = join(parent, 'moved-to');
    renameSync(data, moved);
    const place = join(cluster, '..');
    expect(leftovers().map((each) => each.place)).toContain(place);
    await (await startEmbedded({ dataDir: join(moved, 'postgres') })).stop();
    expect(leftovers().map((each) => each.place)).not.toContain(place);
    expect(await run(['--yes'], moved)).toMatchObject({ code: 0 });
    expect(existsSync(cluster)).toBe(false);
  },
);
