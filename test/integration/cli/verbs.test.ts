// The verbs of the program itself: words that a verb does not take are refused, and nothing is done; the exit code is what the verb returns.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { testFolder } from '../../support/folder.ts';
import { startProcess, startScript } from '../../support/process.ts';

const folder = testFolder('verbs');

/** Nothing listens there: a verb that did its work would fail with 1. */
const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', RAMZ_DATA: '/nonexistent' };

test.each([
  [['migrate', '--help'], 0, 'usage: npm run ramz -- migrate', 'brings the database up to this version, then ends'],
  [['migrate', 'now'], 2, 'usage: npm run ramz -- migrate', '"now" is one word too many'],
  [['serve', '--port=80'], 2, 'usage: npm run ramz -- serve', "Unknown option '--port'"],
  [['sandbox', 'help'], 0, 'usage: npm run ramz -- sandbox', 'the sandbox alone'],
  [['start', '--help'], 0, 'usage: npm start', '--quiet'],
  [['start', '--silent'], 2, 'usage: npm start', '"--silent" is not understood'],
  [['help'], 0, 'usage: npm run ramz -- <verb>', 'migrate '],
  [['migrat'], 2, 'usage: npm run ramz -- <verb>', '"migrat" is no verb'],
])('%j', async (args, code, usage, said) => {
  const run = startScript('src/main.ts', { args, env });
  expect(await run.exit()).toMatchObject({ code });
  expect(run.output()).toContain(usage);
  expect(run.output()).toContain(said);
});

test('keys new writes a key ring and nothing else, and ends with 0', async () => {
  const run = startScript('src/main.ts', { args: ['keys', 'new'], env });
  expect(await run.exit()).toEqual({ code: 0, signal: null });
  expect(parseKeyRing(run.output())).toMatchObject({ kind: 'ok' });
});

describe('a database that is not there is named by its setting, without a stack', () => {
  const ring = newKeyRing((size) => randomBytes(size));
  const ports = { HOST: '127.0.0.1', PORT: '0', GRPC_PORT: '0', SANDBOX_PORT: '0' };

  test.each([[['migrate']], [['serve']], [['report']], [['start']], [['account', 'waiting']]])('%j', async (args) => {
    const run = startScript('src/main.ts', { args, env: { ...env, ...ports, RAMZ_DATA: folder, RAMZ_KEYS: ring } });
    expect(await run.exit()).toMatchObject({ code: 1 });
    expect(run.output()).toMatch(/the database can't be used: connect ECONNREFUSED 127.0.0.1:1. .*DATABASE_URL/);
    expect(run.output()).not.toMatch(/^ {4}at /m);
  });
});

test('a data directory that is a file is named', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const run = startScript('src/main.ts', { args: ['start'], env: { RAMZ_DATA: file } });
  expect(await run.exit()).toMatchObject({ code: 1 });
  expect(run.output()).toBe(
    `ramz: RAMZ_DATA: ${file} can't be made a folder (EEXIST): set it to one that can be written\n`,
  );
});

describe.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
  "where a data directory is another user's, as after `sudo npm start`, its owner is named, and nothing taken for missing",
  () => {
    /** Without the rights by which root reads what is others': the files of this checkout are root's. */
    const limited = ['--bounding-set=-dac_override,-dac_read_search', process.execPath, 'src/main.ts'];
    const other = 65_534;
    const owner = execFileSync('id', ['-un', String(other)], { encoding: 'utf8' }).trim();
    const says = async (words: string, data: string, path = data) => {
      const settings = { DATABASE_URL: '', RAMZ_DATA: data, RAMZ_KEY_RING: '', RAMZ_KEYS: '' };
      const run = startProcess('setpriv', { args: [...limited, ...words.split(' ')], env: settings });
      expect(await run.exit(), words).toMatchObject({ code: 1 });
      expect(run.output().replace(/^ramz: /, ''), words).toBe(
        `RAMZ_DATA: ${path} belongs to ${owner}, and this user may not use it: run this as ${owner}, or set RAMZ_DATA to a folder of this user's own\n`,
      );
    };

    test('which is closed to others', async () => {
      const data = join(folder, 'closed');
      mkdirSync(data, { mode: 0o700 });
      writeFileSync(join(data, 'keys.json'), newKeyRing(randomBytes));
      chownSync(data, other, other);
      for (const words of ['start', 'report', 'keys status', 'migrate', 'send +213550123456', 'destroy --yes'])
        await says(words, data);
    });

    test('which others may read', async () => {
      const data = join(folder, 'open');
      mkdirSync(data, { mode: 0o555 });
      chownSync(data, other, other);
      for (const words of ['start', 'destroy --yes']) await says(words, data);
    });

    test('of which only a file is', async () => {
      for (const [name, words] of [
        ['keys.json', 'start'],
        ['server.log', 'start'],
        ['sandbox.json', 'send +213550123456'],
      ] as const) {
        const data = join(folder, `of-${name}`);
        mkdirSync(data);
        writeFileSync(join(data, name), '{}', { mode: 0o600 });
        chownSync(join(data, name), other, other);
        await says(words, data, join(data, name));
      }
    });
  },
);

/** Runs `node src/main.ts …` in a shell; `to` is where its output goes. */
const inShell = (words: string, to: string) =>
  startProcess('sh', { args: ['-c', `"$0" src/main.ts ${words} ${to}`, process.execPath], env });

test.runIf(process.platform === 'linux')('a ring that could not be written is no ring that was made', async () => {
  const run = inShell('keys new', '> /dev/full');
  expect(await run.exit()).toMatchObject({ code: 1 });
  expect(run.output()).toMatch(/^ramz: not all of the output could be written: ENOSPC/);
});

test('a reader that has enough is no failure', async () => {
  const run = inShell('keys new', '| true; echo over');
  expect(await run.exit()).toMatchObject({ code: 0 });
  expect(run.output()).toBe('over\n');
});

test('what was refused is not in the file that the output goes to', async () => {
  const file = join(folder, 'output');
  for (const words of [
    'account export',
    'migrat',
    'cells list --jsn',
    'erase 0551',
    'report --by nothing',
    'operators --json',
  ]) {
    const run = inShell(words, `> ${file}`);
    expect(await run.exit(), words).toMatchObject({ code: 2 });
    expect(run.output(), words).toContain('usage: ');
    expect(readFileSync(file, 'utf8'), words).toBe('');
  }
});

test('without a database none is made, but by what makes one, which names it', async () => {
  const data = join(folder, 'none');
  const settings = { DATABASE_URL: '', RAMZ_DATA: data, RAMZ_KEYS: newKeyRing((size) => randomBytes(size)) };
  for (const words of ['report', 'account waiting', 'cells list', 'keys status']) {
    const run = startScript('src/main.ts', { args: words.split(' '), env: settings });
    expect(await run.exit(), words).toMatchObject({ code: 1 });
    expect(run.output(), words).toBe(
      `there is no database: DATABASE_URL is not set, and ${data}/postgres is not there\n`,
    );
  }
  expect(existsSync(data)).toBe(false);
  const migrate = startScript('src/main.ts', { args: ['migrate'], env: settings });
  expect(await migrate.exit()).toMatchObject({ code: 0 });
  expect(migrate.output()).toContain(`the embedded database in ${data}: applied 0001_beginning`);
  const destroy = startScript('src/main.ts', { args: ['destroy', '--yes'], env: settings });
  expect(await destroy.exit()).toMatchObject({ code: 0 });
});
