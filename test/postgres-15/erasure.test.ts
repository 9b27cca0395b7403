// The erasure of a number while two processes serve its account, proven with pg_dump: nothing of the number is in the dump, in any form, and a run that
// is killed in the middle is finished by the next.

import { execFileSync } from 'node:child_process';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { formsOf } from '../../src/core/erasure/number-forms.ts';
import { startScript } from '../support/process.ts';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';
import { requireTool, toolPath } from '../support/tool.ts';
import { until } from '../support/wait.ts';

const test = requireTool('pg_dump');
const service = await testService({ errorsExpected: false });
const { sandbox, database } = service;
service.configure({ messaging: sandbox.messaging, verify: { resend_interval_seconds: 0 } });
const [here, elsewhere] = [await service.startHere(), await service.startProcess()];
await sandbox.platform.subscriptions.subscribe(
  `${here.http}/v1/callbacks/messaging`,
  sandbox.messagingIdentity.verifyToken,
);
const admin = serviceClient(here.http, service.adminToken);

/** Lines of a dump that have the number in any form. */
function dumped(number: string): string[] {
  const args = ['--dbname', database.url, '--no-owner'];
  const dump = execFileSync(toolPath('pg_dump') ?? 'pg_dump', args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
  expect(dump).toContain('COPY public.verify_session');
  const pattern = new RegExp(formsOf(number).pattern);
  return dump.split('\n').filter((line) => pattern.test(line));
}

async function eraseEverywhere(number: string): Promise<Record<string, number>> {
  type Erased = { complete: boolean; tables: { table: string; count: number }[] };
  const { status, body } = await admin.call<Erased>('POST', `/v1/admin/numbers/${number}/erase`, {});
  expect({ status, complete: body.complete }).toEqual({ status: 200, complete: true });
  return Object.fromEntries(body.tables.map(({ table, count }) => [table, count]));
}

test('a dump has nothing of it, and neither process brings it back', async () => {
  const to = '+213664320101';
  const { live } = here;
  await live.call('POST', '/v1/webhook_endpoints', { url: `${sandbox.webhookUrl}?all` });
  const reference = { client_reference: `user 0${to.slice(4)}`, metadata: { phone: to } };
  const once = { 'idempotency-key': `signup-${to.slice(1)}` };
  const sent = await live.call<{ id: string }>('POST', '/v1/verify/send', { to, purpose: 'sms', ...reference }, once);
  expect(sent.status).toBe(200);
  const { id } = sent.body;
  await live.sessionWhen(id, 'its delivery', ({ delivery }) => delivery === 'delivered');
  await elsewhere.live.call('POST', '/v1/verify/check', { id, code: '000000' });
  const app = await elsewhere.live.send(to, { purpose: 'app', channel: 'whatsapp' });
  await here.live.sessionWhen(app.id, 'its delivery', ({ delivery }) => delivery === 'delivered');
  const test = await elsewhere.test.send(to, { purpose: 'test' });
  await sql`insert into parked_receipt (id, operator, reason, raw, received_at)
    values ('prk_1', 'atlas', 'unreadable', ${Buffer.from(to.slice(1)).toString('hex')}, now())`.execute(database.db);
  await until(async () => (await deliveries()) >= 4, { what: 'the webhooks' });
  expect(dumped(to).length).toBeGreaterThan(10);

  const tables = await eraseEverywhere(to);
  expect(tables).toMatchObject({ verify_session: 3, parked_receipt: 1, idempotency: 1 });
  expect(dumped(to)).toEqual([]);
  for (const [client, session] of [
    [elsewhere.live, id],
    [here.live, app.id],
    [here.test, test.id],
  ] as const) {
    const { body } = await client.call('GET', `/v1/verify/sessions/${session}`);
    expect(body).toMatchObject({ to: '+213664******', status: 'canceled', status_reason: 'number_erased' });
    // What a process has in memory is older: it says and stores what is erased.
    expect(JSON.stringify(await client.call('POST', `/v1/verify/sessions/${session}/cancel`))).not.toContain(to);
  }
  expect(await elsewhere.live.call('GET', `/v1/verify/sessions?to=${encodeURIComponent(to)}`)).toMatchObject({
    body: { sessions: [] },
  });
  // With the number one begins again.
  const anew = await elsewhere.live.send(to, { purpose: 'sms' });
  expect(anew.id).not.toBe(id);
  await here.live.sessionWhen(anew.id, 'its delivery', ({ delivery }) => delivery === 'delivered');
  await eraseEverywhere(to);
  expect(dumped(to)).toEqual([]);
});

const deliveries = async () =>
  Number((await sql<{ n: string }>`select count(*) as n from webhook_delivery`.execute(database.db)).rows[0]?.n);

test('a run that is killed in the middle is finished by the next', async () => {
  const to = '+213664320102';
  const count = 60;
  const purposes = Array.from({ length: count }, (_, n) => `p${n}`);
  await Promise.all(purposes.map((purpose) => here.live.send(to, { purpose })));
  const left = async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::integer as n from verify_session
      where number = ${to}`.execute(database.db);
    return rows[0]?.n ?? 0;
  };
  const run = startScript('src/main.ts', { args: ['erase', to], env: service.env });
  await until(async () => (await left()) < count, { what: 'the first session to be erased' });
  await run.end('SIGKILL');
  expect(await left()).toBeGreaterThan(0);
  expect(dumped(to)).not.toEqual([]);
  const again = startScript('src/main.ts', { args: ['erase', to], env: service.env });
  expect(await again.exit(60_000)).toMatchObject({ code: 0 });
  expect(again.output()).toContain('nothing of the number is left');
  expect(dumped(to)).toEqual([]);
});
