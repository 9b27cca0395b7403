// Which calls have a line of the log each: those that a rate has let in, and bugs. Of those refused before, an address has so many a minute.
import { create } from '@bufbuild/protobuf';
import { expect, test, vi } from 'vitest';
import { Refusals } from '../../../../src/api/clients/refusals.ts';
import type { KeyPrincipal } from '../../../../src/api/waist/context.ts';
import { fail } from '../../../../src/api/waist/errors.ts';
import { createWaist, service } from '../../../../src/api/waist/invoke.ts';
import type { KeyOutcome } from '../../../../src/api/waist/ports.ts';
import { AccountService } from '../../../../src/gen/ramz/v1/account_pb.ts';
import { AdminService } from '../../../../src/gen/ramz/v1/admin_pb.ts';

const { getAccount } = AccountService.method;
const key: KeyPrincipal = {
  kind: 'key',
  accountId: 'acct_1',
  mode: 'test',
  keyId: 'key_1',
  name: 'stolen',
  scopes: ['read'],
  expiresAt: null,
};
const good: KeyOutcome = { kind: 'ok', principal: key };
const restrictions = { addresses: ['198.51.100.0/24'], prefixes: [], sendsPerDay: null };

async function linesOf({ outcome = good, limited = false, handler = () => ({}) as never }) {
  const lines: { code?: string }[] = [];
  const unlogged: string[] = [];
  const write = (fields: object) => void lines.push(fields);
  const logger = { debug: write, info: write, warn: write, error: write };
  const refusals = new Refusals({
    failuresPerMinute: () => 20,
    now: () => 0,
    logger,
    unlogged: ({ reason }) => unlogged.push(reason),
  });
  const waist = createWaist({
    services: [service(AccountService, { getAccount: handler })],
    authenticator: { authenticate: () => outcome, administrator: () => ({ kind: 'unknown' }) },
    logger,
    refusals,
    rateLimiter: { take: () => (limited ? { kind: 'limited', retryAfterSeconds: 1 } : { kind: 'ok' }) },
  });
  const header = new Headers({ authorization: 'Bearer key' });
  for (let nth = 0; nth < 50; nth += 1) {
    const origin = waist.newOrigin('rest', '192.0.2.1', undefined);
    await waist.invokeUnary(getAccount, create(getAccount.input), { origin, header }).catch(() => {});
  }
  const codes = [...new Set(lines.map(({ code }) => code))];
  return {
    codes,
    lines: lines.length,
    unlogged: unlogged.length,
    refuse: waist.refuse,
    newOrigin: waist.newOrigin,
    all: lines,
  };
}

test.each([
  ['key_restricted', { outcome: { kind: 'ok', principal: { ...key, restrictions } } as const }],
  ['missing_scope', { outcome: { kind: 'ok', principal: { ...key, scopes: [] } } as const }],
  ['account_suspended', { outcome: { kind: 'suspended' } as const }],
  ['account_closed', { outcome: { kind: 'closed' } as const }],
  ['account_not_approved', { outcome: { kind: 'not_approved' } as const }],
  ['rate_limited', { limited: true }],
  ['invalid_api_key', { outcome: { kind: 'unknown' } as const }],
])('twenty lines of a minute of %s', async (code, options) => {
  const { codes, lines, unlogged } = await linesOf(options);
  expect({ lines, unlogged }).toEqual({ lines: 20, unlogged: 30 });
  expect(codes[0]).toBe(code);
});

test('a line of each call that the rate let in, however it ended, and of each bug', async () => {
  const refuse = () => {
    throw fail('key_restricted', 'not to this number');
  };
  const bug = () => {
    throw new Error('a bug');
  };
  expect(await linesOf({})).toMatchObject({ codes: ['ok'], lines: 50, unlogged: 0 });
  expect(await linesOf({ handler: refuse })).toMatchObject({ codes: ['key_restricted'], lines: 50, unlogged: 0 });
  expect(await linesOf({ handler: bug })).toMatchObject({ codes: ['internal'], lines: 50, unlogged: 0 });
});

test('twenty lines of calls that their door refuses, and each bug of a door', async () => {
  const { refuse, newOrigin, all } = await linesOf({});
  all.length = 0;
  const origin = newOrigin('rest', '192.0.2.2', undefined);
  for (let nth = 0; nth < 50; nth += 1) refuse('unrouted', fail('not_found', 'no such path'), origin, 0);
  expect(all).toHaveLength(20);
  for (let nth = 0; nth < 50; nth += 1) refuse('unrouted', new Error('a bug'), origin, 0);
  expect(all).toHaveLength(70);
});

test.each([
  ['without a token', {}, 0],
  ['with what is no bearer token', { authorization: 'Basic dXNlcjpwYXNz' }, 0],
  ['with a wrong token', { authorization: 'Bearer guess' }, 60_000],
])('calls for administrators %s', async (_, header, blockedForMs) => {
  const refusals = new Refusals({ failuresPerMinute: () => 20, now: () => 0, logger: { warn: () => {} } });
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const unknown = () => ({ kind: 'unknown' }) as const;
  const waist = createWaist({
    services: [service(AdminService, {})],
    authenticator: { authenticate: unknown, administrator: unknown },
    logger: silent,
    refusals,
  });
  const { listAccounts } = AdminService.method;
  for (let nth = 0; nth < 50; nth += 1) {
    const origin = waist.newOrigin('rest', '192.0.2.1', undefined);
    const call = waist.invokeUnary(listAccounts, create(listAccounts.input), { origin, header: new Headers(header) });
    await expect(call).rejects.toThrow();
  }
  expect(refusals.blockedForMs('192.0.2.1')).toBe(blockedForMs);
});

test.each([
  ['of an account', {}, 1],
  ['of an account that anyone may have registered', { waits: true as const }, 0],
])('a connection that carries a key %s counts as one of a stranger, or not', async (_, more, times) => {
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const proven = vi.fn();
  const waist = createWaist({
    services: [service(AccountService, { getAccount: () => ({}) as never })],
    authenticator: {
      authenticate: () => ({ kind: 'ok', principal: { ...key, ...more } }),
      administrator: () => ({ kind: 'unknown' }),
    },
    logger: silent,
  });
  const origin = waist.newOrigin('rest', '192.0.2.1', undefined, proven);
  const header = new Headers({ authorization: 'Bearer key' });
  await waist.invokeUnary(getAccount, create(getAccount.input), { origin, header });
  expect(proven).toHaveBeenCalledTimes(times);
});
