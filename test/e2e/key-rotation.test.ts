// A rotation of every purpose of the key ring with two processes under load, by the command line, to the removal of the old keys: no call is
// refused, no code and no webhook is lost, and a process that comes late with the old ring does not join.

import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { keys } from '../../src/cli/keys.ts';
import { keyPurposes } from '../../src/core/secrets/key-ring.ts';
import { testFolder } from '../support/folder.ts';
import { startScript } from '../support/process.ts';
import { type ServerProcess, testService } from '../support/service.ts';
import type { Checked, Sent, Session } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService({ config: { verify: { allow_custom_code: true } } });
const { sandbox, database } = service;
service.configure({ messaging: sandbox.messaging });
const first = await service.startProcess();
const second = await service.startProcess();
const { platform } = sandbox;
await platform.subscriptions.subscribe(`${first.http}/v1/callbacks/messaging`, sandbox.messagingIdentity.verifyToken);

const ringPath = String(service.env.RAMZ_KEY_RING);
type Ring = Record<string, { current: string; next?: string; keys: Record<string, string> }>;
const ring = (): Ring => JSON.parse(readFileSync(ringPath, 'utf8'));
const ringBefore = readFileSync(ringPath, 'utf8');
const before = ring();
const oldIds = keyPurposes.map((purpose) => before[purpose]?.current ?? '');

/** By its path, because the SDK is compiled with other libraries of types. */
const sdk = join(import.meta.dirname, '../../sdks/node/src/webhooks.ts');
const { verify }: { verify(body: string, headers: object, secret: string, options: object): Promise<unknown> } =
  await import(sdk);

/** An endpoint whose secret rotates: both secrets are signed with. */
const own = { url: `${sandbox.webhookUrl}/rotating`, description: 'both secrets' };
const made = await first.live.call<{ id: string; secret: string }>('POST', '/v1/webhook_endpoints', own);
const turned = await first.live.call<{ secret: string }>(
  'POST',
  `/v1/webhook_endpoints/${made.body.id}/rotate_secret`,
  {},
);
const secrets = { previous: made.body.secret, current: turned.body.secret };
sandbox.sink.setSecrets('rotating', Object.values(secrets));

/** A business's own WhatsApp account, from which its messages go out. */
const { id: waba_id } = platform.accounts.addWaba('Example Shop');
const { id: phone_number_id } = platform.accounts.addPhone(waba_id, '+213550008001', 'Example Shop');
const access_token = platform.accounts.issueToken(waba_id).token;
await first.live.call('POST', '/v1/waba', { waba_id, phone_number_id, access_token });
await until(async () => (await first.live.call<{ status: string }>('GET', '/v1/waba')).body.status === 'connected', {
  what: 'the link',
});

const failures: string[] = [];
let verified = 0;
let numbers = 0;
const anyOf = () => (Math.random() < 0.5 ? first : second).live;

async function call<T>(method: string, path: string, body?: object, key?: string): Promise<T> {
  const answer = await anyOf().call<T>(method, path, body, key ? { 'idempotency-key': key } : {});
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const codeOf = (to: string) =>
  until(() => /(?<!\d)\d{6}(?!\d)/.exec(sandbox.inbox.list({ to })[0]?.text ?? '')?.[0], { what: `a code at ${to}` });

interface Opened {
  id: string;
  to: string;
  code: string;
}

/** By SMS with a code of ours, by SMS with one of its caller's, or from the business's own WhatsApp number. */
async function open(kind = numbers % 3): Promise<Opened> {
  numbers += 1;
  const to = `+21355${String(1_000_000 + numbers)}`;
  const more =
    kind === 1 ? { code: '481516' } : kind === 2 ? { cascade: [{ channel: 'whatsapp', timeout_seconds: 20 }] } : {};
  const key = randomUUID();
  const sent = await call<Sent>('POST', '/v1/verify/send', { to, ...more }, key);
  const repeated = await call<Sent>('POST', '/v1/verify/send', { to, ...more }, key);
  if (repeated.id !== sent.id) throw new Error('the same key opened another session');
  if (kind === 2 && (await messagesFrom(sent.id)).every((each) => each !== 'whatsapp'))
    throw new Error('not by WhatsApp');
  return { id: sent.id, to, code: await codeOf(to) };
}

const messagesFrom = async (id: string) =>
  (await call<Session>('GET', `/v1/verify/sessions/${id}`)).messages.map(({ channel }) => channel);

async function check({ id, code }: Opened): Promise<void> {
  const wrong = await call<Checked>('POST', '/v1/verify/check', {
    id,
    code: code === '000000' ? '111111' : '000000',
  });
  if (wrong.reason !== 'incorrect_code') throw new Error(`a wrong code: ${JSON.stringify(wrong)}`);
  const key = randomUUID();
  for (const _ of [1, 2]) {
    const checked = await call<Checked>('POST', '/v1/verify/check', { id, code }, key);
    if (!checked.valid) throw new Error(`${id}: ${JSON.stringify(checked)}`);
  }
  verified += 1;
}

let loaded = true;
const load = Array.from({ length: 4 }, async () => {
  while (loaded) {
    await open()
      .then(check)
      .catch((error: Error) => failures.push(error.message));
  }
});
afterAll(async () => {
  loaded = false;
  await Promise.all(load);
});
const someMore = async (count: number) => {
  const from = verified;
  await until(() => verified >= from + count || failures.length > 0, {
    what: `${count} more verifications`,
  });
  expect(failures).toEqual([]);
};

/** The command line, in this process where what it waits for is to be shorter. */
async function ramzKeys(...args: string[]) {
  let output = '';
  const say = (line: string) => {
    output += `${line}\n`;
  };
  const code = await keys(args, { env: { ...process.env, ...service.env }, say, write: say, settledMs: 0 });
  return { code, output };
}
interface Status {
  keys: {
    purpose: string;
    id: string;
    role: string;
    named_by: { what: string; rows: number }[];
    kept_by: string[];
    safe_to_remove: boolean;
  }[];
  processes: { id: string; pid: number }[];
}
const status = async (): Promise<Status> => JSON.parse((await ramzKeys('status', '--json')).output);
const metric = async ({ metrics }: { metrics: string }, name: string) =>
  (await (await fetch(`${metrics}/metrics`)).text()).split('\n').filter((line) => line.startsWith(`${name}{`));

const pending: Opened[] = [];

test('before: both processes hold the same keys, and something is named under each purpose', async () => {
  // Of each kind: what a code of its caller's is sealed with is named by pending sessions alone.
  for (let n = 0; n < 6; n += 1) pending.push(await open(n % 3));
  await someMore(5);
  const { keys: found, processes } = await status();
  expect(processes.map(({ pid }) => pid).toSorted()).toEqual([first.process.pid, second.process.pid].toSorted());
  expect(found.map(({ id, role }) => [id, role])).toEqual(oldIds.map((id) => [id, 'current']));
  // What is hashed with these is counted for a while, or is of a list, which is empty here.
  const named = found.filter(({ purpose }) => !['signals', 'lists'].includes(purpose));
  for (const key of named) expect([key.purpose, key.named_by.length > 0]).toEqual([key.purpose, true]);
});

test('rotate: every purpose in two phases, while calls go on', async () => {
  const { mode } = statSync(ringPath);
  const run = startScript('src/main.ts', { args: ['keys', 'rotate'], env: service.env });
  expect(await run.exit(), run.output()).toMatchObject({ code: 0 });
  expect(run.output()).toMatch(/^1 of 2: .* added, not in use yet\n2 of 2: .* current\n/);
  expect(statSync(ringPath).mode).toBe(mode);
  const after = ring();
  for (const purpose of keyPurposes) {
    expect(after[purpose]?.current).not.toBe(before[purpose]?.current);
    expect(Object.keys(after[purpose]?.keys ?? {})).toHaveLength(2);
  }
  for (const server of [first, second]) {
    const wanted = Object.values(after).map(({ current }) => current);
    const shown = async () =>
      (await metric(server, 'ramz_key_ring_info')).map((line) => /key_id="([^"]+)"/.exec(line)?.[1]);
    const isShown = async () => String((await shown()).toSorted()) === String(wanted.toSorted());
    await until(isShown, { what: 'the new keys in the metrics' });
  }
  await someMore(20);
  for (const server of [first, second])
    for (const secret of Object.values(after).flatMap((each) => Object.values(each.keys)))
      expect(server.log() + run.output()).not.toContain(secret);
});

let third: ServerProcess;
test('a process with the ring of before does not join; one with the new ring does', async () => {
  const path = join(testFolder('late'), 'ring.json');
  writeFileSync(path, ringBefore);
  const late = startScript('src/main.ts', { args: ['serve'], env: { ...service.env, RAMZ_KEY_RING: path } });
  expect(await late.exit()).toMatchObject({ code: 1 });
  expect(late.output()).toContain(`  code  ${ring().code?.current}\n`);
  third = await service.startProcess();
  expect((await third.live.call('GET', '/v1/account')).status).toBe(200);
  expect(await third.process.end()).toMatchObject({ code: 0 });
});

test('what was under way before verifies, by the same code', async () => {
  for (const each of pending.splice(0)) await check(each);
  expect(failures).toEqual([]);
});

test('then nothing names the old keys but the answers of a day, and those that are used no more', async () => {
  loaded = false;
  await Promise.all(load);
  expect(failures).toEqual([]);
  for (const client of [first.live, first.test]) expect((await client.call('GET', '/v1/account')).status).toBe(200);
  // API keys follow their use within seconds, secrets are sealed again by one of the processes.
  const old = await until(
    async () => {
      const found = (await status()).keys.filter(({ role }) => role === 'old');
      const named = found.flatMap(({ named_by }) => named_by);
      if (named.length === 0) return found;
      throw new Error(JSON.stringify(named));
    },
    { what: 'the old keys to be named by nothing', everyMs: 500 },
  );
  expect(old.map(({ id }) => id)).toEqual(oldIds);
  expect(old.find(({ purpose }) => purpose === 'code')?.kept_by).toEqual([
    'answers kept for Idempotency-Keys name it: for 24 hours at most',
  ]);
  // Three endpoints and a link. The third process, which was here for a moment, may have been the one.
  const linesOf = ({ log }: { log(): string }) => [...log().matchAll(/"rows":(\d+),"msg":"secrets were sealed again/g)];
  const resealed = () => [first, second, third].flatMap(linesOf).reduce((sum, [, rows]) => sum + Number(rows), 0);
  await until(() => resealed() >= 4, { what: 'what was sealed again to be told' });
  expect(resealed()).toBe(4);
  for (const server of [first, second]) {
    const told = linesOf(server).reduce((sum, [, rows]) => sum + Number(rows), 0);
    const measured = async () =>
      (await metric(server, 'ramz_key_ring_resealed_total')).reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
    expect(await measured()).toBe(told);
  }
});

test('remove: refused while anything needs the key, and then everything works without it', async () => {
  const current = ring().code?.current ?? '';
  expect(await ramzKeys('remove', current)).toEqual({
    code: 1,
    output: `${current} must stay:\n  it is the current key\n`,
  });
  const [code = ''] = oldIds;
  expect(await ramzKeys('remove', code)).toMatchObject({
    code: 1,
    output: expect.stringContaining('Idempotency-Keys'),
  });
  // A day later housekeeping has deleted them.
  await sql`delete from idempotency`.execute(database.db);
  for (const id of oldIds) expect(await ramzKeys('remove', id)).toEqual({ code: 0, output: `${id} is removed\n` });
  const { keys: found } = await status();
  expect(found.map(({ role }) => role)).toEqual(keyPurposes.map(() => 'current'));
  for (let n = 0; n < 6; n += 1) await check(await open(n % 3));
  const { rows: log } = await sql<{ action: string; target: string }>`
    select action, target from audit_event where action in ('rotate_key', 'remove_key') and actor_id = 'cli'`.execute(
    database.db,
  );
  expect(log.map(({ action, target }) => `${action} ${target}`).toSorted()).toEqual(
    ['rotate_key', 'remove_key'].flatMap((action) => keyPurposes.map((purpose) => `${action} ${purpose}`)).toSorted(),
  );
  const late = join(testFolder('removed'), 'ring.json');
  writeFileSync(late, ringBefore);
  const refused = startScript('src/main.ts', { args: ['serve'], env: { ...service.env, RAMZ_KEY_RING: late } });
  expect(await refused.exit()).toMatchObject({ code: 1 });
});

test('every webhook of the walk was signed with both secrets of its endpoint', async () => {
  const got = sandbox.sink.list();
  expect(got.filter(({ verified: good }) => !good)).toEqual([]);
  const rotating = got.filter(({ endpoint }) => endpoint === 'rotating');
  expect(rotating.length).toBeGreaterThan(50);
  for (const { headers, body } of rotating) {
    for (const secret of Object.values(secrets)) await verify(body, headers, secret, { toleranceSeconds: 3_600 });
  }
});
