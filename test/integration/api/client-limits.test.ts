// Sends for one end user: counted over all processes, for the sends that go out, by hashes that nobody can read.
import { toJsonString } from '@bufbuild/protobuf';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SessionSchema } from '../../../src/gen/ramz/v1/session_pb.ts';
import { testDatabase } from '../../support/database.ts';
import { newCaller, newNumber, type ProcessOptions, refusalOf, startProcess } from './verify-service.ts';

const database = await testDatabase();
const ipOf = (n: number) => `203.0.113.${n}`;
const few: ProcessOptions['clientLimits'] = {
  ip: { sendsPerHour: 3, sendsPerDay: 4 },
  device: { sendsPerHour: 2, sendsPerDay: 10 },
  userAgent: { sendsPerHour: null, sendsPerDay: null },
};
const one = await startProcess(database, { clientLimits: few });
const others = await Promise.all([1, 2, 3].map(() => startProcess(database, { clientLimits: few })));
const all = [one, ...others];
const limited = (reason: string) => ({ code: 'client_rate_limited', field: `client.${reason}`, httpStatus: 429 });

test('an address has as many sends as it may, over four processes at once, each account for itself', async () => {
  const [mine, theirs] = [newCaller(), newCaller()];
  const send = (caller: typeof mine, n: number) =>
    all[n % 4]?.send(caller, { to: newNumber(), client: { ip: ipOf(1) } }).then(
      () => 'sent',
      () => 'refused',
    );
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send(n % 2 ? mine : theirs, n)));
  expect(answers.filter((_, n) => n % 2 === 1 && answers[n] === 'sent')).toHaveLength(3);
  expect(answers.filter((_, n) => n % 2 === 0 && answers[n] === 'sent')).toHaveLength(3);
});

test('the refusal names the rule, the value that was counted, and when it is over', async () => {
  const caller = newCaller();
  const client = { ip: '2001:db8:1:2::1', deviceId: 'd-1' };
  for (let n = 0; n < 2; n += 1) await one.send(caller, { to: newNumber(), client });
  const refused = await refusalOf(one.send(caller, { to: newNumber(), client }));
  expect(refused).toMatchObject({ ...limited('device_id'), metadata: { rule: 'client_limit', reason: 'device_id' } });
  // Two an hour: the next one comes back after half of it.
  expect(refused.retryAfter).toBeGreaterThan(1_700);
  expect(refused.retryAfter).toBeLessThanOrEqual(1_800);
  // The device was refused, so the address was not counted: it has one left. The subscriber's whole /64 counts as one.
  await one.send(caller, { to: newNumber(), client: { ip: '2001:db8:1:2:ffff::9' } });
  const last = refusalOf(one.send(caller, { to: newNumber(), client: { ip: '2001:db8:1:2::2' } }));
  expect(await last).toMatchObject(limited('ip'));
  await one.send(caller, { to: newNumber(), client: { ip: '2001:db8:1:3::1' } });
});

test('a refusal by several limits names the one that lasts longest', async () => {
  const clientLimits = { ...few, device: { sendsPerHour: 2, sendsPerDay: 2 }, ip: { sendsPerHour: 2, sendsPerDay: 3 } };
  const daily = await startProcess(database, { clientLimits });
  const caller = newCaller();
  const client = { ip: ipOf(5), deviceId: 'd-5' };
  for (let n = 0; n < 2; n += 1) await daily.send(caller, { to: newNumber(), client });
  const refused = await refusalOf(daily.send(caller, { to: newNumber(), client }));
  expect(refused).toMatchObject(limited('device_id'));
  // The hour of both has a token after half of it, the day of the device after twelve hours.
  expect(refused.retryAfter).toBeGreaterThan(43_000);
  expect(refused.retryAfter).toBeLessThanOrEqual(43_200);
});

test('a send that is refused later is not counted, and neither is one with a test key or from an address that many share', async () => {
  const caller = newCaller();
  const client = { ip: ipOf(3) };
  const to = newNumber();
  await one.send(caller, { to, client });
  for (let n = 0; n < 5; n += 1)
    expect(await refusalOf(one.send(caller, { to, client }))).toMatchObject({ code: 'resend_too_soon' });
  for (let n = 0; n < 2; n += 1) await one.send(caller, { to: newNumber(), client });
  expect(await refusalOf(one.send(caller, { to: newNumber(), client }))).toMatchObject(limited('ip'));
  for (let n = 0; n < 6; n += 1) {
    await one.send({ ...caller, mode: 'test' }, { to: newNumber(), client });
    await one.send(caller, { to: newNumber(), client: { ip: '10.0.0.1' } });
  }
});

test('an account has limits of its own; watched, the rule notes what it would have refused', async () => {
  const account = { clientLimits: { ip: { sendsPerHour: 1 }, device: {}, userAgent: {} } };
  const narrow = await startProcess(database, { clientLimits: few, account });
  const caller = newCaller();
  const client = { ip: ipOf(4) };
  await narrow.send(caller, { to: newNumber(), client });
  expect(await refusalOf(narrow.send(caller, { to: newNumber(), client }))).toMatchObject(limited('ip'));
  const watching = await startProcess(database, {
    clientLimits: few,
    account: { ...account, ruleModes: { client_limit: 'monitor' } },
  });
  const { id } = await watching.send(caller, { to: newNumber(), client });
  const { timeline } = await watching.get(caller, id);
  expect(timeline.filter(({ kind }) => kind === 'fraud_guard')).toMatchObject([{ rule: 'client_limit', reason: 'ip' }]);
  const off = await startProcess(database, {
    clientLimits: few,
    account: { ...account, ruleModes: { client_limit: 'off' } },
  });
  const sent = await off.send(caller, { to: newNumber(), client });
  expect((await off.get(caller, sent.id)).timeline.some(({ kind }) => kind === 'fraud_guard')).toBe(false);
});

test.each(['1.2.3', '203.0.113.7:443', 'unknown'])('%j is no address, and nothing is counted for it', async (ip) => {
  const caller = newCaller();
  const refused = await refusalOf(one.send(caller, { to: newNumber(), client: { ip, deviceId: 'never' } }));
  expect(refused).toMatchObject({ code: 'invalid_argument', field: 'client.ip', httpStatus: 400 });
});

test('a send with its client costs no statement more than one without', async () => {
  let statements = 0;
  const observe = {
    lane: (name: string) => {
      if (name === 'limits') statements += 1;
    },
  };
  // So few a second that none is taken ahead.
  const counted = await startProcess(database, { observe, sendLimits: { accountPerSecond: 1, accountBurst: 100 } });
  const caller = newCaller();
  await counted.send(caller, { to: newNumber() });
  const cost = async (client?: { ip: string; deviceId: string; userAgent: string }) => {
    const before = statements;
    await counted.send(caller, { to: newNumber(), ...(client ? { client } : {}) });
    return statements - before;
  };
  expect(await cost()).toBe(1);
  expect(await cost({ ip: ipOf(9), deviceId: 'd-9', userAgent: 'u-9' })).toBe(1);
});

test('what is stored tells nothing of the end user', async () => {
  const caller = newCaller();
  const client = { ip: '198.51.100.77', deviceId: 'device-of-alice', userAgent: 'Browser of Alice' };
  const { id } = await one.send(caller, { to: newNumber(), client }, 'a key');
  await refusalOf(one.send(caller, { to: '+12', client }));
  const tables = await sql<{ name: string }>`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(database.db);
  expect(tables.rows.length).toBeGreaterThan(25);
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(database.db);
    const text = rows.map(({ row }) => row).join('\n');
    for (const value of Object.values(client)) expect(text, name).not.toContain(value);
  }
  const { rows } = await sql<{ key: string }>`select key from rate_bucket where key like 'client:%'`.execute(
    database.db,
  );
  expect(rows.length).toBeGreaterThan(3);
  expect(toJsonString(SessionSchema, await one.get(caller, id))).not.toMatch(/198\.51|alice/i);
});
