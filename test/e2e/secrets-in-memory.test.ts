// What is not in the memory of a running process: the keys of its ring, in any form, the administrators' first token, and the secrets that webhooks
// are signed with; and what does not open the way there: the inspector stays closed, whatever signal comes.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heapSnapshots } from '../support/heap.ts';
import { startScript } from '../support/process.ts';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

// A process stands still while its heap is written, for minutes on a busy machine: Postgres ends its transactions meanwhile, which it logs.
const service = await testService({ errorsExpected: true });
const heap = heapSnapshots();
/** An inspector that opened would take any free port, and say which. */
const anyPort = '--inspect-port=127.0.0.1:0';
const server = await service.startProcess({ NODE_OPTIONS: `${anyPort} ${heap.options}` });
const { live, http, process: running } = server;
const ringPath = String(service.env.RAMZ_KEY_RING);

interface Section {
  keys: Record<string, string>;
}
const sections = () => Object.values(JSON.parse(readFileSync(ringPath, 'utf8')) as Record<string, Section>);
const keys = () => sections().flatMap((section) => Object.values(section.keys));

/** A key as text may have it: base64, base64url, hexadecimal in both cases, its bytes as Latin-1 and as a list of numbers. */
function formsOf(base64: string): string[] {
  const bytes = Buffer.from(base64, 'base64');
  const latin1 = JSON.stringify(bytes.toString('latin1')).slice(1, -1);
  return [
    base64,
    base64.slice(0, -1),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    latin1,
    [...bytes].join(','),
  ];
}

const snapshot = () => heap.take(running);

test('a heap snapshot has no key of the ring and no token, from before a rotation and from after it', async () => {
  const first = keys();
  // Everything that keys are for is done once, and the token is used.
  const to = '+213551700001';
  const { id } = await live.send(to);
  expect(await live.check(id, await service.sandbox.codeTo(to))).toMatchObject({ valid: true });
  const admin = serviceClient(http, service.adminToken);
  expect((await admin.call('POST', '/v1/accounts', { name: 'Made by the token' })).status).toBe(200);
  expect((await admin.call('POST', '/v1/accounts', {}, { authorization: 'Bearer guessed-token' })).status).toBe(401);

  const rotated = startScript('src/main.ts', { args: ['keys', 'rotate'], env: service.env });
  expect(await rotated.exit(60_000), rotated.output()).toMatchObject({ code: 0 });
  const all = keys();
  expect(all).toHaveLength(first.length * 2);
  expect(first.every((key) => all.includes(key))).toBe(true);

  await live.send('+213551700002', { client_reference: 'reference-in-memory' });
  const text = await snapshot();
  // What was done is in memory, or nothing was looked at; so is the id of a key, which is no secret.
  expect(text).toContain('reference-in-memory');
  expect(text).toContain(Object.keys(sections()[0]?.keys ?? {})[0]);
  const found = all.flatMap((key) => formsOf(key).flatMap((form, n) => (text.includes(form) ? [n] : [])));
  expect(found).toEqual([]);
  const { adminToken } = service;
  expect(text.includes(adminToken)).toBe(false);
  expect(text.includes(createHash('sha256').update(adminToken).digest('hex'))).toBe(false);
});

test('a heap snapshot has no secret of a webhook endpoint, while webhooks are signed with it and with the one before', async () => {
  const { sink, webhookUrl } = service.sandbox;
  const endpoint = { url: `${webhookUrl}/in-memory`, description: 'endpoint-in-memory' };
  const made = await live.call<{ id: string; secret: string }>('POST', '/v1/webhook_endpoints', endpoint);
  const turned = await live.call<{ secret: string }>('POST', `/v1/webhook_endpoints/${made.body.id}/rotate_secret`, {});
  const secrets = [made.body.secret, turned.body.secret];
  sink.setSecrets('in-memory', secrets);
  const { id } = await live.send('+213551700003');
  const signed = () => sink.list({ sessionId: id }).find((each) => each.endpoint === 'in-memory');
  const webhook = await until(signed, { what: 'a webhook at the endpoint' });
  expect(webhook.verified).toBe(true);
  expect(webhook.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);

  const text = await snapshot();
  // The endpoint itself is held: its address and its id are in memory.
  expect(text).toContain(endpoint.url);
  expect(text).toContain(made.body.id);
  const found = secrets.flatMap((secret) =>
    formsOf(secret.slice('whsec_'.length)).flatMap((form, n) => (text.includes(form) ? [n] : [])),
  );
  expect(found).toEqual([]);
});

test('SIGUSR1 opens no inspector, and the service goes on', async () => {
  running.signal('SIGUSR1');
  await running.waitFor(/SIGUSR1 is ignored/);
  expect(running.output()).not.toContain('Debugger listening');
  expect((await live.call('GET', '/v1/account')).status).toBe(200);
});

test('every launch has the flag, which holds from the first moment on', () => {
  const flag = '--disable-sigusr1';
  const root = join(import.meta.dirname, '../..');
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  expect(JSON.parse(/^CMD (.+)$/m.exec(read('Dockerfile'))?.[1] ?? '')).toEqual(['node', flag, 'src/main.ts', 'serve']);
  expect(read('scripts/up.mjs')).toContain(`const closed = ['${flag}'];`);
  expect(read('scripts/up.mjs').match(/^ {2}\w+: \[.*'src\/main\.ts'/gm)).toEqual([
    expect.stringContaining('...closed'),
    expect.stringContaining('...closed'),
  ]);
  // The server of `npm start` is started with the flags of its starter.
  expect(read('src/main.ts')).toContain('[...process.execArgv, ');
  expect(read('deploy/compose.yaml') + read('deploy/compose.voice.yaml')).not.toMatch(
    /^\s+(command|entrypoint):.*main\.ts/m,
  );
  expect(process.allowedNodeEnvironmentFlags.has(flag)).toBe(true);
});
