// A send that is only checked against budgets: what is said is what a send would meet, and nothing is taken.
import { beforeEach, expect, test } from 'vitest';
import type { BudgetLimits } from '../../../src/core/limits/budget.ts';
import type { AskedSend } from '../../../src/core/verify/request.ts';
import { inside } from '../../../src/db/queryable.ts';
import { AccountViews } from '../../../src/engine/accounts/views.ts';
import { AccountLimits } from '../../../src/engine/limits/account-limits.ts';
import { DryRuns } from '../../../src/engine/limits/dry-run.ts';
import { Guard } from '../../../src/engine/limits/guard.ts';
import { plainAccount } from '../../support/account.ts';
import { homeOf } from '../../support/cells.ts';
import { testDatabase } from '../../support/database.ts';
import { codeRing, ids, ScriptedChannel, testEngine } from '../../support/engine.ts';
import { askedSend } from '../../support/routed.ts';
import { windowsThatLast } from '../../support/windows.ts';

const database = await testDatabase();
beforeEach(windowsThatLast);

async function shop(budget: BudgetLimits, own: Partial<typeof plainAccount> = {}) {
  const accountId = ids('acct_');
  const accounts = new AccountViews({ load: async (id) => ({ ...plainAccount, id, ...own }) });
  const whatsapp = new ScriptedChannel('whatsapp');
  whatsapp.cost = '0.02';
  whatsapp.currency = 'USD';
  const made = await testEngine(database, { sms: new ScriptedChannel(), whatsapp, budget, accounts });
  const { engine, settings, channels } = made;
  const db = inside(homeOf(database).db);
  const now = Date.now;
  const guard = new Guard({ settings, ring: codeRing, now });
  const limits = new AccountLimits({ views: accounts, settings, home: db });
  const dryRuns = new DryRuns({ accounts, settings, guard, limits, channels, db, now });
  const asked = (change: Partial<AskedSend> = {}) => askedSend({ accountId, ...change });
  const send = async (change: Partial<AskedSend> = {}) => {
    const { kind } = await engine.send(asked(change));
    await engine.budgets.close();
    return kind;
  };
  /** Whether the send would go out, and what the rule `budget` says. */
  const dry = async (change: Partial<AskedSend> = {}) => {
    const ran = await dryRuns.of(asked(change));
    if (ran.kind !== 'checked') throw new Error(ran.kind);
    return { allowed: ran.allowed, finding: ran.results.find(({ rule }) => rule === 'budget')?.finding ?? null };
  };
  return { send, dry, dryRuns, asked };
}

test('dry runs are counted for the account and its mode, so that no list is searched by them', async () => {
  const { dryRuns, asked } = await shop({});
  const kinds = async (count: number, change: Partial<AskedSend> = {}) => {
    const ran = await Promise.all(Array.from({ length: count }, () => dryRuns.of(asked(change))));
    return ran.map(({ kind }) => kind);
  };
  expect(new Set(await kinds(100))).toEqual(new Set(['checked']));
  const more = await kinds(100);
  // Ten a second come back.
  expect(more).toContain('account_limited');
  expect(await dryRuns.of(asked({ mode: 'test' }))).toMatchObject({ kind: 'checked' });
  expect(await dryRuns.of(asked({ accountId: ids('acct_') }))).toMatchObject({ kind: 'checked' });
});

test('a budget that has room objects to nothing, and one that has none says until when', async () => {
  const { send, dry } = await shop({ sendsPerDay: 1 });
  expect(await dry()).toEqual({ allowed: true, finding: null });
  expect(await dry()).toEqual({ allowed: true, finding: null });
  expect(await send()).toBe('sent');
  const { allowed, finding } = await dry();
  expect(allowed).toBe(false);
  expect(finding).toEqual({ rule: 'budget', reason: 'sends_per_day', retryAfterMs: expect.any(Number) });
  expect(finding?.retryAfterMs).toBeLessThanOrEqual(86_400_000);
  expect(await dry({ mode: 'test' })).toMatchObject({ finding: null });
  expect(await send()).toBe('guarded');
});

test('a send that another leg can still pay for is not refused', async () => {
  const { send, dry } = await shop({ spendPerDay: { DZD: '4', USD: '0.03' } });
  expect(await send()).toBe('sent');
  expect(await dry()).toMatchObject({ allowed: false, finding: { reason: 'spend_per_day' } });
  const cascade: AskedSend['cascade'] = [
    { channel: 'sms', timeoutSeconds: null },
    { channel: 'whatsapp', timeoutSeconds: null },
  ];
  expect(await dry({ cascade })).toEqual({ allowed: true, finding: null });
  expect(await send({ cascade })).toBe('sent');
  expect(await dry({ cascade })).toMatchObject({ allowed: false, finding: { reason: 'spend_per_day' } });
});

test('a send that no leg can be paid for may be made when the first of them can', async () => {
  const { send, dry } = await shop({ spendPerHour: { DZD: '3' }, spendPerDay: { USD: '0.02' } });
  const cascade: AskedSend['cascade'] = [
    { channel: 'sms', timeoutSeconds: null },
    { channel: 'whatsapp', timeoutSeconds: null },
  ];
  for (let sent = 0; sent < 2; sent += 1) expect(await send({ cascade })).toBe('sent');
  const { allowed, finding } = await dry({ cascade });
  expect(allowed).toBe(false);
  // The SMS can be paid for in the next hour, the WhatsApp message on the next day.
  expect(finding?.retryAfterMs).toBeLessThanOrEqual(3_600_000);
});

test('a budget that is only watched is named and refuses nothing', async () => {
  const { send, dry } = await shop({ sendsPerDay: 1 }, { ruleModes: { budget: 'monitor' } });
  expect(await send()).toBe('sent');
  expect(await dry()).toMatchObject({ allowed: true, finding: { reason: 'sends_per_day' } });
});

test('of several limits of one rule the one that lasts longest says until when', async () => {
  const device = { sendsPerHour: 2, sendsPerDay: 2 };
  const clientLimits = { ip: {}, device, userAgent: {} };
  const { send, dryRuns, asked } = await shop({}, { clientLimits });
  const change = { client: { ip: '203.0.113.7', userAgent: '', deviceId: 'd-1' } };
  for (let sent = 0; sent < 2; sent += 1) expect(await send(change)).toBe('sent');
  const ran = await dryRuns.of(asked(change));
  const findings = ran.kind === 'checked' ? ran.results.flatMap(({ finding }) => finding ?? []) : [];
  expect(findings).toMatchObject([{ rule: 'client_limit', reason: 'device_id' }]);
  // The hour has a token after half of it, the day after twelve hours.
  expect(findings[0]?.retryAfterMs).toBeGreaterThan(43_000_000);
  expect(findings[0]?.retryAfterMs).toBeLessThanOrEqual(43_200_000);
});

test('a key that has used up its sends of the day says when it has the next one, in whole milliseconds', async () => {
  const { send, dryRuns, asked } = await shop({});
  const change = { apiKeyId: ids('key_'), restrictions: { addresses: [], prefixes: [], sendsPerDay: 7 } };
  for (let sent = 0; sent < 7; sent += 1) expect(await send(change)).toBe('sent');
  const ran = await dryRuns.of(asked(change));
  const findings = ran.kind === 'checked' ? ran.results.flatMap(({ finding }) => finding ?? []) : [];
  expect(findings).toMatchObject([{ rule: 'key_restriction', reason: 'sends_per_day' }]);
  const { retryAfterMs } = findings[0] ?? {};
  expect(retryAfterMs).toBeGreaterThan(0);
  expect(Number.isInteger(retryAfterMs), String(retryAfterMs)).toBe(true);
});
