// The embedded server through what happens to it: crashes, company, stale files, hostile umask and parents.
// Every user runs under umask 077, and every data directory has a 0700 parent.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseUser, serverIdentity } from '../../../src/db/embedded/identity.ts';
import { serverBinaries } from '../../../src/db/embedded/place.ts';
import { leftovers, removeCluster, startEmbedded } from '../../../src/db/embedded.ts';
import { isRunning } from '../../support/pid.ts';
import { startProcess, startScript, type TestProcess } from '../../support/process.ts';
import { execute } from '../../support/server.ts';
import { until } from '../../support/wait.ts';

const isRoot = process.getuid?.() === 0;
let parent: string;
let dataDir: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'ramz-embedded-'));
  dataDir = join(parent, '.data', 'postgres');
});

afterEach(async () => {
  const server = await startEmbedded({ dataDir }).catch(() => undefined);
  await server?.destroy();
  rmSync(parent, { recursive: true, force: true });
});

interface Up {
  url: string;
  pid: number;
  adopted: boolean;
}

const startUser = () => startScript(join(import.meta.dirname, 'embedded-user.ts'), { args: [dataDir] });
const up = async (user: TestProcess): Promise<Up> => JSON.parse((await user.waitFor(/up (.*)\n/))[1]!);
const down = async (user: TestProcess): Promise<string> => {
  user.write('stop\n');
  const [, result] = await user.waitFor(/down (\w+)/);
  await user.exit();
  return result!;
};

test('what was written is there at the next start; nothing runs in between', async () => {
  const first = await startEmbedded({ dataDir });
  await execute(first.url, 'create table kept as select 1 as n');
  expect([await first.stop(), await first.stop()]).toEqual(['stopped', 'stopped']);
  expect(isRunning(first.pid)).toBe(false);

  const second = await startEmbedded({ dataDir, settings: { work_mem: '7MB' } });
  expect(second.adopted).toBe(false);
  expect((await execute(second.url, 'select n from kept')).rows).toEqual([{ n: 1 }]);
  expect((await execute(second.url, 'show work_mem')).rows).toEqual([{ work_mem: '7MB' }]);
  expect((await execute(second.url, 'show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }]);
});

test('only its password opens it, and only the starting user reads that', async () => {
  const server = await startEmbedded({ dataDir });
  const wrong = new URL(server.url);
  wrong.password = 'guess';
  await expect(execute(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  for (const name of ['password', 'postgres.log']) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  expect(statSync(join(dataDir, 'cluster')).mode & 0o777).toBe(0o700);
  // As root the cluster is elsewhere, and knows the way back.
  const back = isRoot ? ['link'] : [];
  expect(readdirSync(dataDir).sort()).toEqual(['cluster', ...back, 'password', 'postgres.log']);
});

test('text sorts by code point and upper-cases beyond ASCII, whatever the machine has installed', async () => {
  const { url } = await startEmbedded({ dataDir });
  const query = `select upper('é') as upper, array(select w from unnest(array['b','é','B','a']) w order by w) as sorted`;
  expect((await execute(url, query)).rows).toEqual([{ upper: 'É', sorted: ['B', 'a', 'b', 'é'] }]);
});

test('it outlives kill -9 of its user and is adopted; the adopter ends it', async () => {
  const killed = startUser();
  const before = await up(killed);
  await killed.end('SIGKILL');
  expect(isRunning(before.pid)).toBe(true);

  const next = startUser();
  expect(await up(next)).toEqual({ ...before, adopted: true });
  expect(await down(next)).toBe('stopped');
  expect(isRunning(before.pid)).toBe(false);
});

test('killed itself with -9, it recovers at the next start', async () => {
  const first = await startEmbedded({ dataDir });
  await execute(first.url, 'create table kept as select 1 as n');
  process.kill(first.pid, 'SIGKILL');
  await until(() => !isRunning(first.pid), { what: 'the server to be dead' });
  const second = await startEmbedded({ dataDir });
  expect((await execute(second.url, 'select n from kept')).rows).toEqual([{ n: 1 }]);
  expect(await first.stop()).toBe('stopped'); // The handle of the dead one must not end the new one.
  expect(isRunning(second.pid)).toBe(true);
});

test('a backend that outlives its server, and may still commit, is waited for by the next start', async () => {
  const first = await startEmbedded({ dataDir });
  const client = new pg.Client({ connectionString: first.url });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const backend = rows[0]?.pid ?? 0;
  process.kill(backend, 'SIGSTOP');
  process.kill(first.pid, 'SIGKILL');
  await first.lost;

  const next = startEmbedded({ dataDir });
  const log = () => readFileSync(join(dataDir, 'postgres.log'), 'utf8');
  try {
    await until(() => log().includes('pre-existing shared memory block'), { what: 'the next server to see it' });
  } finally {
    process.kill(backend, 'SIGCONT');
  }
  expect(await next).toMatchObject({ adopted: false });
  expect(isRunning(backend)).toBe(false);
  await client.end().catch(() => {});
});

test('an end that nobody asked for is noticed, and one in order is not one', async () => {
  const first = await startEmbedded({ dataDir });
  process.kill(first.pid, 'SIGKILL');
  await first.lost;
  const second = await startEmbedded({ dataDir });
  let isLost = false;
  void second.lost.then(() => {
    isLost = true;
  });
  expect(await second.stop()).toBe('stopped');
  expect(isLost).toBe(false);
});

test('a user whose connection is lost while the server goes on is counted again', async () => {
  const server = await startEmbedded({ dataDir });
  const users = async () =>
    (await execute(server.url, `select pid from pg_locks where locktype = 'advisory' and granted`)).rows.map(
      ({ pid }) => pid,
    );
  const [before] = await users();
  await execute(server.url, `select pg_terminate_backend(${before})`);
  await until(async () => (await users()).some((pid) => pid !== before), { what: 'it to join again' });
  const other = startUser();
  await up(other);
  expect(await server.stop()).toBe('shared');
  expect(await down(other)).toBe('stopped');
});

/** One process of the server crashes: the server ends every connection, recovers and goes on. Resolves once connections end. */
async function crashOne(url: string): Promise<void> {
  const [crashing, bystander] = [new pg.Client(url), new pg.Client(url)];
  for (const client of [crashing, bystander]) {
    client.on('error', () => {});
    await client.connect();
  }
  const { rows } = await crashing.query<{ pid: number }>('select pg_backend_pid() as pid');
  const ended = new Promise<void>((resolve) => bystander.once('end', resolve));
  process.kill(rows[0]!.pid, 'SIGKILL');
  await ended;
}

test('who stops while the server recovers from the crash of one of its processes leaves it to the others', async () => {
  const [one, two] = [await startEmbedded({ dataDir }), await startEmbedded({ dataDir })];
  await crashOne(one.url);
  expect(await one.stop()).toBe('shared');
  expect((await execute(two.url, 'select 1 as n')).rows).toEqual([{ n: 1 }]);
  expect(isRunning(two.pid)).toBe(true);
  // The last user ends it, also where its own connection was lost.
  await crashOne(two.url);
  expect(await two.stop()).toBe('stopped');
  expect(isRunning(two.pid)).toBe(false);
});

test('several processes starting at once on a new directory share one server; the last one ends it', async () => {
  const users = [startUser(), startUser(), startUser()];
  const found = await Promise.all(users.map(up));
  expect(new Set(found.map(({ url, pid }) => `${url} ${pid}`)).size).toBe(1);
  expect(found.filter(({ adopted }) => !adopted)).toHaveLength(1);
  expect(readdirSync(join(parent, '.data'))).toEqual(['postgres']);
  const results: string[] = [];
  for (const user of users) results.push(await down(user));
  expect(results).toEqual(['shared', 'shared', 'stopped']);
  expect(isRunning(found[0]!.pid)).toBe(false);
});

test('starting while the last user stops gives a server that stays', async () => {
  let server = await startEmbedded({ dataDir });
  for (let turn = 0; turn < 5; turn++) {
    const stopping = server.stop();
    const [, next] = await Promise.all([stopping, startEmbedded({ dataDir })]);
    expect((await execute(next.url, 'select 1 as n')).rows).toEqual([{ n: 1 }]);
    server = next;
  }
});

test("a stale pid file whose number is a stranger's now does not hinder the start", async () => {
  const first = await startEmbedded({ dataDir });
  const file = join(dataDir, 'cluster', 'postmaster.pid');
  const lines = readFileSync(file, 'utf8').split('\n');
  await first.stop();
  writeFileSync(file, [process.pid, ...lines.slice(1)].join('\n'), { mode: 0o600 });
  const second = await startEmbedded({ dataDir });
  expect(second.adopted).toBe(false);
});

test('a start killed while it made the files leaves nothing that the next one trips over', async () => {
  const killed = startUser();
  const drafts = () => readdirSync(draftsIn()).filter((name) => name.startsWith('postgres.draft-'));
  await until(() => drafts().some((name) => name.includes(`-${killed.pid}-`)), { what: 'the files to be begun' });
  await killed.end('SIGKILL');

  const next = startUser();
  expect((await up(next)).adopted).toBe(false);
  expect(drafts().filter((name) => name.includes(`-${killed.pid}-`))).toEqual([]);
  await down(next);
});

/** As root the files are made in a system folder (the server runs as `nobody`), else beside their final place. */
const draftsIn = () => {
  const folder = process.getuid?.() === 0 ? '/var/lib/ramz' : join(parent, '.data');
  mkdirSync(folder, { recursive: true });
  return realpathSync(folder);
};

test('a directory that holds something else is refused and not touched', async () => {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, 'letter.txt'), 'dear');
  await expect(startEmbedded({ dataDir })).rejects.toThrow('holds no database');
  expect(readdirSync(dataDir)).toEqual(['letter.txt']);
});

const idOf = (flag: string, user: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));

test.runIf(isRoot)('as root it runs as a user that is its own, and takes a cluster of another user over', async () => {
  const uid = idOf('-u', databaseUser);
  expect(uid).not.toBe(idOf('-u', 'nobody'));
  const first = await startEmbedded({ dataDir });
  await execute(first.url, 'create table kept as select 1 as n');
  const files = realpathSync(join(dataDir, 'cluster'));
  const ownerOf = (pid: number) => statSync(`/proc/${pid}`).uid;
  expect([statSync(files).uid, ownerOf(first.pid)]).toEqual([uid, uid]);
  await first.stop();
  execFileSync('chown', ['-R', `${idOf('-u', 'nobody')}:${idOf('-g', 'nobody')}`, files]);
  const second = await startEmbedded({ dataDir });
  expect([statSync(files).uid, ownerOf(second.pid)]).toEqual([uid, uid]);
  expect((await execute(second.url, 'select n from kept')).rows).toEqual([{ n: 1 }]);
  // Another service of this machine.
  const nobody = { uid: idOf('-u', 'nobody'), gid: idOf('-g', 'nobody') };
  const reading = () => execFileSync('ls', [files], { ...nobody, stdio: 'pipe' });
  expect(reading).toThrow(/Permission denied/);
});

/** A stopped database in `dataDir` itself, as an ordinary user has it; root's own is elsewhere. */
async function makeInPlace(): Promise<string> {
  const server = await startEmbedded({ dataDir });
  await execute(server.url, 'create table kept as select 1 as n');
  await server.stop();
  const copy = join(parent, 'copy');
  execFileSync('cp', ['-a', realpathSync(dataDir), copy]);
  rmSync(join(copy, 'link'));
  removeCluster(dataDir);
  renameSync(copy, dataDir);
  return join(dataDir, 'cluster');
}

test.runIf(isRoot)("as root it leaves another user's database alone, and names that user", async () => {
  const files = await makeInPlace();
  const identity = { uid: idOf('-u', 'nobody'), gid: idOf('-g', 'nobody') };
  for (const [uid, name] of [
    [54_321, "'#54321'"],
    [identity.uid, 'nobody'],
  ] as const) {
    execFileSync('chown', ['-R', `${uid}:${identity.gid}`, parent]);
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({
      name: 'Refused',
      message: expect.stringContaining(`sudo -u ${name} `),
    });
    expect(statSync(files).uid).toBe(uid);
    expect(readdirSync(dataDir).sort()).toEqual(['cluster', 'password', 'postgres.log']);
  }
  const { postgres } = serverBinaries(serverIdentity(() => {}));
  const asked = execFileSync(postgres, ['--single', '-D', files, 'postgres'], {
    ...identity,
    cwd: '/',
    env: { LC_ALL: 'C' },
    input: 'select n from kept;\n',
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(asked).toContain('n = "1"');
});

test.runIf(isRoot)('as root it takes over a database that root was given, wherever that lies', async () => {
  const files = await makeInPlace();
  chmodSync(parent, 0o711);
  chmodSync(dirname(dataDir), 0o711);
  execFileSync('chown', ['-R', '0:0', files]);
  const server = await startEmbedded({ dataDir });
  expect((await execute(server.url, 'select n from kept')).rows).toEqual([{ n: 1 }]);
  expect(statSync(files).uid).toBe(idOf('-u', databaseUser));
});

test.runIf(isRoot)('a user who may not read the database is told whose it is, and not that there is none', async () => {
  await makeInPlace();
  for (const folder of [parent, dirname(dataDir)]) chmodSync(folder, 0o755);
  const script = `
    const { openCluster } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/db/embedded/cluster.ts'))});
    process.setgroups([]);
    process.setgid(54321);
    process.setuid(54321);
    openCluster(${JSON.stringify(dataDir)}, { initdb: '/nowhere', postgres: '/nowhere' }, {});`;
  const started = startProcess(process.execPath, { args: ['-e', script] });
  expect(await started.exit()).toMatchObject({ code: 1 });
  expect(started.output()).toContain(`Refused: ${join(dataDir, 'cluster')} belongs to ${databaseUser}`);
});

test.runIf(isRoot)('as root it stays when its data directory is deleted, and is found', async () => {
  const server = await startEmbedded({ dataDir });
  const place = dirname(realpathSync(join(dataDir, 'cluster')));
  const own = () => leftovers().filter((each) => each.place === place);
  expect(own()).toEqual([]);
  rmSync(dataDir);
  expect(own()).toEqual([{ place, dataDir, running: true }]);
  expect(await server.stop()).toBe('stopped');
  expect(own()).toEqual([{ place, dataDir, running: false }]);
  removeCluster(place);
  expect(own()).toEqual([]);
  expect(existsSync(place)).toBe(false);
});

test.runIf(isRoot)('where no user can be made for it, nobody stands in, and that is said', async () => {
  const folder = join(parent, 'bin');
  mkdirSync(folder);
  // Knows no user of the database's own; the real useradd refuses to make one that there is.
  writeFileSync(join(folder, 'id'), `#!/bin/sh\n[ "$2" = nobody ] && echo 65534\n`, { mode: 0o755 });
  const script = `
    const { serverIdentity } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/db/embedded/identity.ts'))});
    console.log(JSON.stringify(serverIdentity((line) => console.log(line))));`;
  const started = startProcess(process.execPath, {
    args: ['-e', script],
    env: { PATH: `${folder}:${process.env.PATH}` },
  });
  expect(await started.exit()).toMatchObject({ code: 0 });
  expect(started.output()).toMatch(/ramz-postgres could not be made \(.*\): the embedded database runs as nobody/);
  expect(started.output()).toContain('{"uid":65534,"gid":65534}');
});
