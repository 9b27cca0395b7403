// Control leaves nothing behind: tokens of administrators, keys, secrets of webhooks, and numbers that were listed, unlocked, asked about,
// refused or erased are searched for in every row, in the log, and in a heap snapshot of the process that did it all.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { heapSnapshots } from '../support/heap.ts';
import { rowsWith } from '../support/rows-with.ts';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';

const service = await testService();
const { database, sandbox, accountId } = service;
const heap = heapSnapshots();
const server = await service.startProcess({
  NODE_OPTIONS: heap.options,
  LOG_LEVEL: 'debug',
});
const { http, live, process: running } = server;

/** One for each thing that is done with a number. */
const numbers = {
  listed: '+213661700101',
  unlocked: '+213661700102',
  asked: '+213661700103',
  refused: '+213661700104',
  erased: '+213558700105',
  sought: '+213661700106',
};
const client = { ip: '203.0.113.77', user_agent: 'Agent-of-a-dry-run/7', device_id: 'device-of-a-dry-run' };
/** Texts that are secret themselves. */
const secrets: string[] = [];
let sentId = '';
const referenceOfErased = `user-${numbers.erased.slice(1)}`;
/** Of webhooks: a process has them in memory as long as it signs with them. */
const signingSecrets: string[] = [];
/** The part between id and checksum. */
const secretOf = (token: string) => token.split('_').at(-2) ?? '';

async function done<T>(by: typeof live, method: string, path: string, body?: object, status = 200): Promise<T> {
  const answer = await by.call<T>(method, path, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(status);
  return answer.body;
}

test('everything is done once', async () => {
  const bootstrap = serviceClient(http, service.adminToken);
  const { token } = await done<{ token: string }>(bootstrap, 'POST', '/v1/admin/administrators', { name: 'Amina' });
  const { key } = await done<{ key: string }>(live, 'POST', '/v1/api_keys', { name: 'desk' });
  const endpoint = { url: `${sandbox.webhookUrl}?control` };
  const { id, secret } = await done<{ id: string; secret: string }>(live, 'POST', '/v1/webhook_endpoints', endpoint);
  const rotated = await done<{ secret: string }>(live, 'POST', `/v1/webhook_endpoints/${id}/rotate_secret`, {});
  secrets.push(secretOf(token), secretOf(key));
  signingSecrets.push(secret.slice(6), rotated.secret.slice(6));

  const [admin, desk] = [serviceClient(http, token), serviceClient(http, key)];
  await done(desk, 'POST', '/v1/limits/lists', { list: 'block', value: numbers.listed, note: 'ticket 7' });
  await done(desk, 'POST', '/v1/limits/lists', { list: 'allow', value: numbers.listed, note: 'a friend' });
  await done(desk, 'POST', '/v1/limits/dry_run', { to: numbers.asked, client });
  await done(desk, 'PATCH', '/v1/account', { allowed_prefixes: [numbers.refused] }, 400);
  await done(desk, 'POST', '/v1/api_keys', { name: 'x', restrictions: { prefixes: [numbers.refused] } }, 400);
  await done(desk, 'GET', `/v1/verify/sessions?to=${encodeURIComponent(numbers.sought)}`);
  await done(desk, 'GET', `/v1/audit_events?target=${encodeURIComponent(numbers.sought)}`);
  await done(admin, 'POST', `/v1/admin/accounts/${accountId}/unlock`, { to: numbers.unlocked });
  await done(admin, 'GET', `/v1/admin/accounts?search=${encodeURIComponent(numbers.sought)}`);

  const sent = await live.send(numbers.erased, {
    client_reference: referenceOfErased,
    code_length: 10,
  });
  sentId = sent.id;
  const code = await sandbox.codeTo(numbers.erased);
  expect(await live.check(sent.id, code)).toMatchObject({ valid: true });
  await live.sessionWhen(sent.id, 'it to be delivered', ({ delivery }) => delivery === 'delivered');
  secrets.push(code);
  await done(admin, 'POST', `/v1/admin/numbers/${encodeURIComponent(numbers.erased)}/erase`, {});
  await done(admin, 'GET', '/v1/admin/audit_events');
});

test('no row has any of them', async () => {
  for (const [what, number] of Object.entries(numbers))
    expect(await rowsWith(database.plain, number), `the number that was ${what}`).toEqual({});
  const { rows: tables } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(database.db);
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(database.db);
    for (const { text } of rows)
      for (const secret of [...secrets, ...signingSecrets, ...Object.values(client)])
        expect(text, name).not.toContain(secret);
  }
});

test('the memory of the process has none of them', async () => {
  const { listed, asked, refused } = numbers;
  const gone = [...secrets, ...Object.values(client), listed, asked, refused, referenceOfErased];
  const left = async () => {
    await otherCalls();
    const snapshot = await heap.take(running);
    expect(snapshot).toContain(accountId);
    return gone.filter((text) => snapshot.includes(text));
  };
  let found = await left();
  // A slow machine makes one batch of many calls: some connections then carry nothing else at first.
  for (let tries = 1; tries < 5 && found.length > 0; tries += 1) found = await left();
  expect(found).toEqual([]);
}, 300_000);

/** What a connection carried last, to a caller or to the database, stays until it carries something else. */
async function otherCalls(): Promise<void> {
  for (let round = 0; round < 5; round += 1)
    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        await live.call('GET', `/v1/verify/sessions?purpose=none${n}`);
        await live.call('POST', '/v1/verify/check', { id: sentId, code: '000000' });
      }),
    );
}

test('the log has none of them', async () => {
  expect(await running.end()).toMatchObject({ code: 0 });
  const log = server.log();
  expect(log.split('\n').length).toBeGreaterThan(20);
  const digits = Object.values(numbers).map((number) => number.slice(4));
  for (const text of [...secrets, ...signingSecrets, ...Object.values(client), ...digits])
    expect(log).not.toContain(text);
});
