// `ramz keys` where rings are kept: in a file, in a folder with a file for each purpose, in a variable, and beside processes that are behind.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { account } from '../../../src/cli/account.ts';
import { administrators } from '../../../src/cli/administrators.ts';
import { erase } from '../../../src/cli/erase.ts';
import { keys } from '../../../src/cli/keys.ts';
import { loadKeyRing } from '../../../src/config.ts';
import { type KeyRing, keyPurposes, newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { reportOf } from '../../../src/core/secrets/ring-report.ts';
import { engineStore } from '../../../src/db/engine-store.ts';
import { inside, type Queryable } from '../../../src/db/queryable.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { announcedKeys, announceKeys, markRemoved, reportRing } from '../../../src/db/secrets/process-rings.ts';
import { LiveRing } from '../../../src/engine/secrets/live-ring.ts';
import { knownKeys, Rotation } from '../../../src/engine/secrets/rotation.ts';
import { ServiceKeys } from '../../../src/engine/secrets/service-keys.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';
import { testFolder } from '../../support/folder.ts';
import { startProcess } from '../../support/process.ts';
import { until } from '../../support/wait.ts';

const { db, lanes, url } = await testDatabase();
const folder = testFolder('keys');
let path = '';
let made = 0;
beforeEach(() => {
  made += 1;
  path = join(folder, `ring-${made}.json`);
  writeFileSync(path, newKeyRing(randomBytes), { mode: 0o600 });
});
afterEach(async () => {
  for (const table of ['process', 'announced_key']) await sql`delete from ${sql.table(table)}`.execute(db);
});

async function run(env: Record<string, string>, ...args: string[]) {
  let output = '';
  const add = (text: string) => {
    output += text;
  };
  const options = {
    env: { DATABASE_URL: url, ...env },
    say: (line: string) => add(`${line}\n`),
    write: add,
    settledMs: 0,
  };
  return { code: await keys(args, options), output };
}
const ofFile = (...args: string[]) => run({ RAMZ_KEY_RING: path }, ...args);
const ring = (): KeyRing => ringOf(readFileSync(path, 'utf8'));
function ringOf(json: string): KeyRing {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
}
/** Whether so many statements wait for a lock of the table. */
async function waitingFor(table: string, count: number): Promise<boolean> {
  const { rows } = await sql`select from pg_locks where relation = ${table}::regclass and not granted`.execute(db);
  return rows.length >= count;
}
/** A process that holds that ring, on another host. */
async function processWith(held: KeyRing | null): Promise<string> {
  const id = ids('prc_');
  await engineStore(lanes).renewLease(id, 60_000);
  if (held) await reportRing(inside(db), id, { host: 'other-host', pid: 7, ring: reportOf(held) });
  return id;
}

test('a file is replaced whole, and keeps its mode; another one is left in peace', async () => {
  chmodSync(path, 0o440);
  const before = ring().current('code').id;
  const { code, output } = await ofFile('rotate', 'code');
  expect([code, output.split('\n')[0]]).toEqual([
    0,
    expect.stringMatching(/^1 of 2: code-[0-9a-f]{8} added, not in use yet$/),
  ]);
  expect(ring().current('code').id).not.toBe(before);
  expect(ring().byId(before)).toBeDefined();
  expect(ring().all('api_key')).toHaveLength(1);
  expect(statSync(path).mode & 0o777).toBe(0o440);
  expect(await ofFile('remove', before)).toEqual({ code: 0, output: `${before} is removed\n` });
  expect(ring().byId(before)).toBeUndefined();
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  expect(await ofFile('remove', before)).toMatchObject({ code: 1, output: expect.stringContaining('no key') });
});

test('a link to the file stays a link', async () => {
  const link = join(folder, `link-${made}.json`);
  symlinkSync(path, link);
  expect(await run({ RAMZ_KEY_RING: link }, 'rotate', 'code')).toMatchObject({ code: 0 });
  expect(statSync(link).ino).toBe(statSync(path).ino);
  expect(ring().all('code')).toHaveLength(2);
});

test('a folder has a file for each purpose, and only that of the purpose changes', async () => {
  const parts = join(folder, `ring-${made}`);
  mkdirSync(parts);
  for (const [purpose, section] of Object.entries(JSON.parse(readFileSync(path, 'utf8'))))
    writeFileSync(join(parts, `${purpose}.json`), JSON.stringify(section), { mode: 0o400 });
  const read = (name: string) => readFileSync(join(parts, `${name}.json`), 'utf8');
  const before = read('api_key');
  expect(await run({ RAMZ_KEY_RING: parts }, 'rotate', 'webhook_secret')).toMatchObject({ code: 0 });
  expect(Object.keys(JSON.parse(read('webhook_secret')).keys)).toHaveLength(2);
  expect(read('api_key')).toBe(before);
  const sources = { env: { RAMZ_KEY_RING: parts }, readFile: (name: string) => readFileSync(name, 'utf8') };
  expect(loadKeyRing(sources).value?.all('webhook_secret')).toHaveLength(2);
  expect(keyPurposes.every((purpose) => loadKeyRing(sources).value?.has(purpose))).toBe(true);
});

test('a ring that can not be written here is printed, in both phases, and read by nothing meanwhile', async () => {
  const inVariable = (json: string, ...args: string[]) => run({ RAMZ_KEYS: json }, ...args);
  const json = readFileSync(path, 'utf8');
  const refused = await inVariable(json, 'rotate', 'code');
  expect(refused).toEqual({ code: 1, output: expect.stringContaining('With --print the changed ring goes to stdout') });
  const first = await inVariable(json, 'rotate', 'code', '--print');
  const next = ringOf(first.output).next('code')?.id;
  expect(ringOf(first.output).current('code').id).toBe(ringOf(json).current('code').id);
  const behind = await processWith(ringOf(json));
  expect(await inVariable(first.output, 'rotate', 'code', '--print', '--wait', '0')).toEqual({ code: 1, output: '' });
  await reportRing(inside(db), behind, { host: 'other-host', pid: 7, ring: reportOf(ringOf(first.output)) });
  const second = await inVariable(first.output, 'rotate', 'code', '--print', '--wait', '0');
  expect(ringOf(second.output).current('code').id).toBe(next);
  expect(readFileSync(path, 'utf8')).toBe(json);
});

test('a key that can not be taken out of the ring here is not recorded as removed', async () => {
  const removals = async () => {
    const { rows } = await sql`select from audit_event where action = 'remove_key'`.execute(db);
    return rows.length;
  };
  const old = ring().current('code').id;
  await ofFile('rotate', 'code');
  const before = await removals();
  const inVariable = { RAMZ_KEYS: readFileSync(path, 'utf8') };
  expect(await run(inVariable, 'remove', old)).toMatchObject({ code: 1, output: expect.stringContaining('RAMZ_KEYS') });
  mkdirSync(`${path}.new`); // Where the changed file would be written.
  expect(await ofFile('remove', old)).toMatchObject({ code: 1, output: expect.stringContaining("can't be written") });
  expect(await removals()).toBe(before);
  expect((await ofFile('status')).output).toContain(old);
  rmdirSync(`${path}.new`);
  expect(await ofFile('remove', old)).toEqual({ code: 0, output: `${old} is removed\n` });
  expect(await removals()).toBe(before + 1);
});

test.runIf(process.platform === 'linux')('a ring of which only a part can be written stays as it was', async () => {
  // The ring is longer than one of the units that a shell counts in: 512 or 1,024 bytes.
  const before = readFileSync(path);
  const limited = startProcess('sh', {
    args: ['-c', 'ulimit -f 1; exec "$0" src/main.ts keys rotate --wait 0', process.execPath],
    env: { DATABASE_URL: url, RAMZ_KEY_RING: path, RAMZ_KEYS: undefined, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  expect(await limited.exit()).toEqual({ code: 1, signal: null });
  expect(limited.output()).toContain(`${path} can't be written (EFBIG)`);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(existsSync(`${path}.new`)).toBe(false);
});

test('a process that lacks the key is named, and the rotation goes on where it stopped', async () => {
  const before = ring();
  const behind = await processWith(before);
  const stopped = await ofFile('rotate', 'code', '--wait', '0');
  const next = ring().next('code')?.id;
  expect(stopped).toEqual({
    code: 1,
    output: expect.stringContaining(`  ${behind} (other-host, pid 7) lacks ${next}\n`),
  });
  expect(ring().current('code').id).toBe(before.current('code').id);

  await reportRing(inside(db), behind, { host: 'other-host', pid: 7, ring: reportOf(ring()) });
  const turned = await ofFile('rotate', 'code', '--wait', '0');
  const old = before.current('code').id;
  expect(turned).toEqual({ code: 1, output: expect.stringContaining(`still makes new things with ${old}`) });
  expect(ring().current('code').id).toBe(next);

  // Run once more it begins no other rotation while this one is under way, and the old key stays.
  expect(await ofFile('rotate', 'code', '--wait', '0')).toMatchObject({
    code: 1,
    output: expect.stringContaining('not finished'),
  });
  expect(ring().next('code')).toBeUndefined();
  expect(await ofFile('remove', old)).toMatchObject({
    code: 1,
    output: expect.stringContaining(`${behind} makes new things with it`),
  });
  await reportRing(inside(db), behind, { host: 'other-host', pid: 7, ring: reportOf(ring()) });
  expect(await ofFile('remove', old, '--wait', '0')).toMatchObject({
    code: 1,
    output: expect.stringContaining(`still holds ${old}`),
  });
});

const busy = { code: 1, output: expect.stringMatching(/^another `ramz keys` command changes the ring/) };

test('of two removals at once one is refused: the ring and what is recorded agree', async () => {
  const own = ring();
  const [one, other] = [own.current('code').id, own.current('api_key').id];
  await ofFile('rotate', 'code', 'api_key');
  const { first, second } = await db.transaction().execute(async (tx) => {
    // The first one has written its draft, and can't record the removal yet.
    await sql`lock table announced_key in exclusive mode`.execute(tx);
    const first = ofFile('remove', one);
    await until(() => existsSync(`${path}.new`), { what: 'the draft of the ring' });
    let isOver = false;
    const second = ofFile('remove', other).finally(() => {
      isOver = true;
    });
    await until(async () => isOver || (await waitingFor('announced_key', 2)), {
      what: 'the second one to wait, or end',
    });
    return { first, second };
  });
  expect(await first).toMatchObject({ code: 0 });
  expect(await second).toEqual(busy);
  expect([ring().byId(one), ring().byId(other)]).toEqual([undefined, expect.anything()]);
  const removed = (await announcedKeys(inside(db))).filter((key) => key.removed);
  expect(removed.map(({ id }) => id)).toEqual([one]);
  expect(await ofFile('remove', other)).toEqual({ code: 0, output: `${other} is removed\n` });
});

test('while a rotation waits no other command changes the ring; what stands in it is shown', async () => {
  await processWith(ring());
  const waiting = ofFile('rotate', 'code', '--wait', '60');
  const next = await until(() => ring().next('code')?.id, { what: 'the next key' });
  for (const words of [
    ['rotate', 'api_key'],
    ['remove', next],
    ['remove', next, '--lost'],
    ['rotate', '--print'],
  ])
    expect(await ofFile(...words)).toEqual(busy);
  expect(await ofFile('status')).toMatchObject({ code: 0, output: expect.stringContaining(next) });
  await sql`delete from process`.execute(db);
  expect(await waiting).toMatchObject({ code: 0 });
  expect(await ofFile('rotate', 'api_key')).toMatchObject({ code: 0 });
});

test('a rotation that waits writes nothing over a ring that was changed by hand meanwhile', async () => {
  await processWith(ring());
  const waiting = ofFile('rotate', 'code', '--wait', '60');
  await until(() => ring().next('code')?.id, { what: 'the next key' });
  const changed = JSON.parse(readFileSync(path, 'utf8'));
  changed.api_key.keys['api_key-mine'] = randomBytes(32).toString('base64');
  writeFileSync(path, JSON.stringify(changed));
  await sql`delete from process`.execute(db);
  expect(await waiting).toEqual({ code: 1, output: expect.stringContaining(`${path} was changed meanwhile`) });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(changed);
  expect(await ofFile('rotate', 'code')).toMatchObject({ code: 0 });
});

test('a process of an older release is named: nothing is rotated or removed past it', async () => {
  const older = await processWith(null);
  expect(await ofFile('rotate', '--wait', '0')).toMatchObject({
    code: 1,
    output: expect.stringContaining(`${older} does not say which keys it has: is it of an older release?`),
  });
  expect(keyPurposes.filter((purpose) => ring().next(purpose))).toEqual([]);
  expect(await ofFile('status')).toMatchObject({
    code: 0,
    output: expect.stringContaining(`${older}: does not say which keys it has`),
  });
});

test('a rotation that is given up: its key is removed, and nothing asks for it', async () => {
  await processWith(ring());
  await ofFile('rotate', 'code', '--wait', '0');
  const next = ring().next('code')?.id ?? '';
  expect((await ofFile('status')).output).toContain(`${next}  next  held by 0 of 1 processes`);
  expect(await ofFile('remove', next, '--wait', '0')).toEqual({ code: 0, output: `${next} is removed\n` });
  expect(ring().next('code')).toBeUndefined();
});

test('a key whose removal was not finished is made current by no rotation, and can be taken out', async () => {
  const home = inside(db);
  const id = await processWith(ring());
  const report = () => reportRing(home, id, { host: 'other-host', pid: 7, ring: reportOf(ring()) });
  await ofFile('rotate', 'code', '--wait', '0');
  await report();
  const [current, next = ''] = [ring().current('code').id, ring().next('code')?.id];
  // The ring that it prints is stored nowhere.
  expect(await ofFile('remove', next, '--print')).toMatchObject({ code: 0 });
  const admitted = () => {
    const databases = { home, cells: [home] };
    return new ServiceKeys({ ring: new LiveRing(ring()), processId: id, databases, patienceMs: 0 }).admit();
  };
  for (const more of [[], ['--print']])
    expect(await ofFile('rotate', 'code', '--wait', '0', ...more)).toEqual({
      code: 1,
      output: expect.stringMatching(`^${next} was removed, .*\`keys remove ${next}\``),
    });
  expect(ring().current('code').id).toBe(current);
  expect(await admitted()).toEqual({ kind: 'ok' });

  await ofFile('remove', next, '--wait', '0');
  expect(ring().byId(next)).toBeUndefined();
  await report();
  await ofFile('rotate', 'code', '--wait', '0');
  await report();
  await ofFile('rotate', 'code', '--wait', '0');
  expect([current, next]).not.toContain(ring().current('code').id);
  expect(await admitted()).toEqual({ kind: 'ok' });
});

test('a ring that is not the one of the service changes nothing, also where no process is running', async () => {
  const home = inside(db);
  const databases = { home, cells: [home] };
  const own = ring();
  const admitted = () =>
    new ServiceKeys({ ring: new LiveRing(own), processId: 'none', databases, patienceMs: 0 }).admit();
  const foreign = join(folder, `foreign-${made}.json`);
  const json = JSON.parse(newKeyRing(randomBytes));
  json.code.keys['code-old'] = randomBytes(32).toString('base64');
  const text = JSON.stringify(json);
  writeFileSync(foreign, text, { mode: 0o600 });
  const refusals = async (lacked: string) => {
    for (const words of [['rotate'], ['rotate', '--print'], ['remove', 'code-old'], ['remove', 'code-old', '--print']])
      expect(await run({ RAMZ_KEY_RING: foreign }, ...words)).toEqual({
        code: 1,
        output: expect.stringContaining(`this is not the ring of the service: it lacks\n${lacked}\n`),
      });
    expect(readFileSync(foreign, 'utf8')).toBe(text);
    expect(await admitted()).toEqual({ kind: 'ok' });
  };

  await sql`insert into account (id, name, created_at) values ('acct_1', 'Shop', now())`.execute(db);
  await sql`insert into api_key (id, account_id, mode, name, secret_hash, hmac_key_id, scopes, created_at)
    values ('key_1', 'acct_1', 'live', '', '', ${own.current('api_key').id}, '{}', now())`.execute(db);
  await refusals(`  api_key  ${own.current('api_key').id}`);
  expect(await announcedKeys(home)).toEqual([]);
  await sql`delete from api_key`.execute(db);

  // Nothing names the key yet, but a rotation has made it current.
  const announced = knownKeys(own, [own.current('code').id]);
  await announceKeys(home, announced);
  await refusals(`  code  ${own.current('code').id}`);
  expect(await announcedKeys(home)).toMatchObject([{ removed: false }]);
});

test('a key that a rotation has announced, and a broken removal has taken out of the ring, is removed all the same', async () => {
  const old = ring().current('code').id;
  await announceKeys(inside(db), knownKeys(ring(), [old]));
  await ofFile('rotate', 'code');
  const { code, ...others } = JSON.parse(readFileSync(path, 'utf8'));
  delete code.keys[old];
  writeFileSync(path, JSON.stringify({ ...others, code }));
  expect(await ofFile('rotate', 'api_key')).toMatchObject({ code: 1, output: expect.stringContaining(`code  ${old}`) });
  expect(await ofFile('remove', old)).toEqual({ code: 0, output: `${old} is removed\n` });
  expect(await ofFile('rotate', 'api_key')).toMatchObject({ code: 0 });
});

test("the ring of the data directory is not taken for that of a database of one's own", async () => {
  const text = readFileSync(path, 'utf8');
  const data = join(folder, `data-${made}`);
  mkdirSync(data);
  writeFileSync(join(data, 'keys.json'), text, { mode: 0o600 });
  const refused = { code: 1, output: expect.stringMatching(/^RAMZ_KEY_RING: is missing: DATABASE_URL is set/) };
  expect(await run({ RAMZ_DATA: data }, 'rotate')).toEqual(refused);
  expect(await run({ RAMZ_DATA: data, DATABASE_URL: '', DATABASE_URL_FILE: '/none' }, 'status')).toEqual(refused);
  expect(readFileSync(join(data, 'keys.json'), 'utf8')).toBe(text);
  expect(await run({ RAMZ_DATA: data, RAMZ_KEY_RING: path }, 'status')).toMatchObject({ code: 0 });
});

test('nothing is made with a ring that the running processes do not have, or with a key that was removed', async () => {
  const env = { DATABASE_URL: url, RAMZ_KEY_RING: path, RAMZ_DATA: '/nonexistent' };
  const tried = async (verb: typeof account, ...args: string[]) => {
    const lines: string[] = [];
    const code = await verb(args, { env, say: (line) => lines.push(line) });
    return { code, output: lines.join('\n') };
  };
  const id = await processWith(ringOf(newKeyRing(randomBytes)));
  const foreign = {
    code: 1,
    output: expect.stringMatching(
      new RegExp(`running processes lack the current keys of this key ring:\n {2}${id} \\(other-host, pid 7\\) lacks `),
    ),
  };
  expect(await tried(account, 'create', 'Shop')).toEqual(foreign);
  expect(await tried(administrators, 'create', 'Amina')).toEqual(foreign);
  expect(await tried(account, 'platform', 'block', '+213551*')).toEqual(foreign);
  expect(await tried(erase, '+213551234567')).toEqual(foreign);
  await reportRing(inside(db), id, { host: 'other-host', pid: 7, ring: reportOf(ring()) });
  expect(await tried(account, 'platform', 'block', '+213551*')).toMatchObject({ code: 0 });

  await sql`delete from process`.execute(db);
  const { id: current } = ring().current('lists');
  await markRemoved(inside(db), { purpose: 'lists', id: current, check: '' });
  expect(await tried(account, 'platform', 'block', '+213552*')).toEqual({
    code: 1,
    output: expect.stringContaining(`makes things with keys that were removed:\n  lists  ${current}\n`),
  });
});

test('of a removal that breaks off nothing stays: no start is refused for it', async () => {
  await processWith(ring());
  await ofFile('rotate', 'code', '--wait', '0');
  const home = inside(db);
  const next = ring().next('code')?.id ?? '';
  let looks = 0;
  const away = {
    query: () =>
      looks++ === 0
        ? home.query({ name: 'none', text: 'select where false', values: [] })
        : Promise.reject(new Error('away')),
  };
  const rotationOver = (cell: Queryable) =>
    new Rotation({ db: withSchema(db), databases: { home, cells: [cell] }, actor: tester, settledMs: 0 });
  const remove = async (rotation: Rotation, takeOut: () => void) => {
    const key = await rotation.find(ring(), next);
    return key && rotation.remove(ring(), key, takeOut);
  };
  await expect(remove(rotationOver(away as Queryable), () => {})).rejects.toThrow('away');
  expect(await announcedKeys(home)).toEqual([]);
  const changed = () => {
    throw new Error('changed meanwhile');
  };
  await expect(remove(rotationOver(home), changed)).rejects.toThrow('changed meanwhile');
  expect(await announcedKeys(home)).toEqual([]);
  const { rows } = await sql`select from audit_event where before ->> 'key' = ${next}`.execute(db);
  expect(rows).toEqual([]);
  await rotationOver(home).announce(knownKeys(ring(), [next]));
  await expect(remove(rotationOver(home), changed)).rejects.toThrow('changed meanwhile');
  expect(await announcedKeys(home)).toMatchObject([{ id: next, removed: false }]);
});

test('status is for people and programs, and shows no key', async () => {
  await processWith(ring());
  const [text, json] = [await ofFile('status'), await ofFile('status', '--json')];
  expect(text.output).toMatch(/^code\n {2}code-[0-9a-f]{8} {2}current {2}used by 1 of 1 processes\n/);
  expect(text.output).toMatch(/\nprocesses\n {2}prc_\w+ \(other-host, pid 7\)\n$/);
  expect(JSON.parse(json.output).keys).toHaveLength(keyPurposes.length);
  for (const secret of readFileSync(path, 'utf8').match(/[A-Za-z0-9+/]{43}=/g) ?? [])
    expect(text.output + json.output).not.toContain(secret);
});

test.each([
  ['a purpose that there is not', ['rotate', 'codes'], 2, /no purpose "codes": it has code, api_key/],
  ['the current key', ['remove', 'CURRENT'], 1, /must stay:\n {2}it is the current key/],
])('%s is refused', async (_, args, code, output) => {
  const found = await ofFile(...args.map((arg) => (arg === 'CURRENT' ? ring().current('code').id : arg)));
  expect(found).toEqual({ code, output: expect.stringMatching(output) });
});

test('a cell that can not be reached: nothing is said to be safe, and nothing is removed', async () => {
  const cells = {
    cells: { b: 'postgres://ramz@127.0.0.1:9/away' },
    epochs: [{ from: '2026-01-01T00:00:00Z', shards: { '0-1023': 'b' } }],
  };
  const env = { RAMZ_KEY_RING: path, DATABASE_CELLS: JSON.stringify(cells) };
  const old = ring().current('code').id;
  await ofFile('rotate', 'code');
  for (const words of [['status'], ['remove', old]])
    expect(await run(env, ...words)).toEqual({ code: 1, output: expect.stringContaining('ECONNREFUSED') });
  expect(ring().byId(old)).toBeDefined();
  // After a leak it is not to wait for a cell.
  const current = ring().current('code').id;
  expect(await run(env, 'rotate', 'code')).toMatchObject({ code: 0 });
  expect(ring().current('code').id).not.toBe(current);
});
