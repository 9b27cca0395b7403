// A brand and texts of an account on a running service: what phones show, that a resend reads as the first message did, and that receipts
// which echo a code in front of the text give nothing away.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { standingAlone } from '../support/checks.ts';
import { testService } from '../support/service.ts';
import { serviceClient } from '../support/service-client.ts';
import { until } from '../support/wait.ts';

const service = await testService({
  config: { verify: { resend_interval_seconds: 0, timeout_seconds: { min: 1, max: 900 } } },
});
const server = await service.startProcess({ LOG_LEVEL: 'trace' });
const { sandbox, database, accountId } = service;
const { live } = server;
const admin = serviceClient(server.http, service.adminToken);

const texts = [
  { language: 'ar', text: '{code} هو رمز {brand}' },
  { language: 'fr', text: '{code} est votre code {brand}.' },
];
const smsTo = (to: string, count = 1) =>
  until(
    () => {
      const found = sandbox.smsTo(to);
      return found.length >= count && found.map(({ text }) => text);
    },
    { what: `${count} SMS to ${to}` },
  );
const codes: string[] = [];

let last = 0;
const numbers = (prefix: string) => `${prefix}8${String(++last).padStart(6, '0')}`;

async function decide(decision: object): Promise<void> {
  const answer = await admin.call('POST', `/v1/accounts/${accountId}/wording_decisions`, decision);
  expect(answer).toMatchObject({ status: 200 });
}

test('the deployment’s own until the operator of the service has approved the account’s', async () => {
  await live.call('PATCH', '/v1/account', { brand: 'My Shop', texts });
  const to = numbers('+21355');
  await live.send(to, { language: 'fr' });
  expect(await smsTo(to)).toEqual([expect.stringMatching(/^Votre code de vérification Ramz : \d{6}\./)]);
  await decide({ brand: 'My Shop', status: 'approved' });
  for (const text of texts) await decide({ text, status: 'approved' });
  const english = async () => {
    const number = numbers('+21355');
    await live.send(number, { language: 'en' });
    return (await smsTo(number))[0]?.startsWith('Your My Shop verification code: ');
  };
  await until(english, { what: 'the brand', everyMs: 100 });
});

test.each([
  ['atlas', '+21355'],
  ['sahara', '+21366'],
  ['djurdjura', '+21377'],
])('code first at %s: masked in every receipt, whatever of it the operator repeats', async (_, prefix) => {
  for (const [language, form] of [
    ['ar', /^\u200f\u200e(\d{6})\u200e هو رمز My Shop$/],
    ['fr', /^(\d{6}) est votre code My Shop\.$/],
  ] as const) {
    const to = numbers(prefix);
    const { id } = await live.send(to, { language });
    const [text = ''] = await smsTo(to);
    const [, code = ''] = form.exec(text) ?? [];
    expect(text).toMatch(form);
    codes.push(code);
    const session = await live.sessionWhen(id, 'it to be delivered', ({ delivery }) => delivery === 'delivered');
    const raw = session.messages[0]?.receipts[0]?.raw ?? '';
    expect(raw).toContain('stat:DELIVRD');
    expect(raw.split(/text:/i)[1] ?? '').not.toMatch(/\d/);
    expect(JSON.stringify(session)).not.toMatch(standingAlone(code));
    expect(JSON.stringify(await sandbox.eventsOf(id, 2))).not.toMatch(standingAlone(code));
    expect(await live.check(id, code)).toMatchObject({ valid: true });
  }
});

test('a resend reads as the first message did', async () => {
  const to = numbers('+21355');
  const sent = await live.send(to, { language: 'fr', cascade: [{ channel: 'sms' }] });
  const [first] = await smsTo(to);
  await live.call('PATCH', '/v1/account', { brand: '' });
  const other = async () => {
    const number = numbers('+21355');
    await live.send(number, { language: 'fr' });
    return (await smsTo(number))[0]?.endsWith('est votre code Ramz.');
  };
  await until(other, { what: 'the deployment’s brand', everyMs: 100 });
  expect(await live.send(to, { language: 'fr', cascade: [{ channel: 'sms' }] })).toMatchObject({ id: sent.id });
  expect(await smsTo(to, 2)).toEqual([first, first]);
});

test('neither rows nor log have any of the codes', async () => {
  expect(await server.process.end()).toMatchObject({ code: 0 });
  const log = server.log();
  const { rows } = await sql<{ text: string }>`
    select to_jsonb(t)::text as text from verify_session t union all select to_jsonb(t)::text from message t
    union all select to_jsonb(t)::text from receipt t union all select to_jsonb(t)::text from session_timeline t
    union all select to_jsonb(t)::text from webhook_delivery t`.execute(database.db);
  expect(rows.length).toBeGreaterThan(20);
  expect(codes).toHaveLength(6);
  for (const code of codes) {
    expect(log).not.toMatch(standingAlone(code));
    for (const { text } of rows) expect(text).not.toMatch(standingAlone(code));
  }
});
