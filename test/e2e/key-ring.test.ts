// A process with another key ring does not join: it names the keys it lacks, or who lacks the keys it would make things with, and ends before
// it takes a bind or opens a port. With keys that every process has it starts: that is how a ring is turned (key-rotation.test.ts).

import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newKeyRing } from '../../src/core/secrets/key-ring.ts';
import { testFolder } from '../support/folder.ts';
import { startScript } from '../support/process.ts';
import { bindsOf, testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const service = await testService();
const { sandbox } = service;
service.configure({ messaging: sandbox.messaging });
const first = await service.startHere();
const folder = testFolder('ring');

type Ring = Record<string, { current: string; keys: Record<string, string> }>;
const ours = (): Ring => JSON.parse(readFileSync(String(service.env.RAMZ_KEY_RING), 'utf8'));
const fresh = (): Ring => JSON.parse(newKeyRing((size) => randomBytes(size)));

let rings = 0;
/** Environment with that ring. */
function withRing(ring: Ring): Record<string, string> {
  rings += 1;
  const path = join(folder, `ring-${rings}.json`);
  writeFileSync(path, JSON.stringify(ring));
  return { ...service.env, RAMZ_KEY_RING: path };
}

/** A pending session, an endpoint (made by the harness) and a linked WhatsApp account: something of each purpose. */
await first.live.send('+213551777001', { ttl_seconds: 600 });
const { id: waba_id } = sandbox.platform.accounts.addWaba('Example Shop');
const { id: phone_number_id } = sandbox.platform.accounts.addPhone(waba_id, '+213550007771', 'Example Shop');
const access_token = sandbox.platform.accounts.issueToken(waba_id).token;
await first.live.call('POST', '/v1/waba', { waba_id, phone_number_id, access_token });

async function refusedStart(ring: Ring): Promise<string> {
  const server = startScript('src/main.ts', { args: ['serve'], env: withRing(ring) });
  expect(await server.exit()).toMatchObject({ code: 1 });
  expect(server.output()).not.toContain('"msg":"ready"');
  return server.output();
}

test('another ring: every key that is missing is named, and nothing was taken', async () => {
  const binds = { atlas: 2, sahara: 2, djurdjura: 2 };
  await until(async () => JSON.stringify(await bindsOf(first)) === JSON.stringify(binds), { what: 'its binds' });
  const output = await refusedStart(fresh());
  const ring = ours();
  const purposes = ['api_key', 'code', 'waba_secret', 'webhook_secret'];
  const named = purposes.map((purpose) => `  ${purpose}  ${ring[purpose]?.current}`).join('\n');
  expect(output).toContain(`the key ring lacks keys that the database names:\n${named}\n`);
  for (const { keys } of Object.values(ring)) {
    for (const secret of Object.values(keys)) expect(output).not.toContain(secret);
  }
  expect(await bindsOf(first)).toEqual(binds);
  expect((await first.live.call('GET', '/v1/account')).status).toBe(200);
});

test('one purpose of another ring is enough', async () => {
  const output = await refusedStart({ ...ours(), api_key: fresh().api_key as Ring[string] });
  expect(output).toContain(`names:\n  api_key  ${ours().api_key?.current}\n`);
});

test('an id under another purpose is not the key', async () => {
  const [own, other] = [ours(), fresh()];
  const id = own.code?.current ?? '';
  const ring: Ring = { ...own, code: other.code as Ring[string] };
  ring.api_key = { ...ring.api_key, keys: { ...ring.api_key?.keys, [id]: own.code?.keys[id] ?? '' } } as Ring[string];
  expect(await refusedStart(ring)).toContain(`names:\n  code  ${id}\n`);
});

test('new keys beside the old: it starts once the others have them, and old keys work there', async () => {
  const [own, other] = [ours(), fresh()];
  const turned = Object.fromEntries(
    Object.entries(other).map(([purpose, { current, keys }]) => [
      purpose,
      { current, keys: { ...own[purpose]?.keys, ...keys } },
    ]),
  );
  const lacked = Object.values(other).map(({ current }) => current);
  const output = await refusedStart(turned);
  expect(output).toMatch(new RegExp(`prc_\\w+ \\(.+, pid ${process.pid}\\) lacks ${lacked.join(', ')}\n`));

  const added = Object.entries(turned).map(([purpose, { current, keys }]) => [
    purpose,
    { current: own[purpose]?.current, next: current, keys },
  ]);
  writeFileSync(String(service.env.RAMZ_KEY_RING), JSON.stringify(Object.fromEntries(added)));
  await first.app.rereadKeys();
  const server = await service.startProcess(withRing(turned));
  expect((await server.live.call('GET', '/v1/account')).status).toBe(200);
  expect((await server.process.end()).code).toBe(0);
});

test('the command line makes no key that running processes would refuse; what needs no ring works', async () => {
  const env = withRing(fresh());
  const run = (...args: string[]) => startScript('src/main.ts', { args: ['account', ...args], env });
  for (const words of [
    ['create', 'Shop'],
    ['key', 'create', service.accountId],
  ]) {
    const refused = run(...words);
    expect(await refused.exit()).toMatchObject({ code: 1 });
    expect(refused.output()).toContain(`api_key  ${ours().api_key?.current}`);
  }
  const shown = run('show', service.accountId);
  expect(await shown.exit()).toMatchObject({ code: 0 });
});
