// The guard over calls of one caller: a token bucket in memory.
import { describe, expect, test } from 'vitest';
import type { Principal } from '../../../src/api/waist/context.ts';
import { callLimiter, strangerLimiter } from '../../../src/app/call-limiter.ts';
import { limitsSchema } from '../../../src/config/service.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';

const principal = { kind: 'key', accountId: 'acct_1', mode: 'live' } as Principal;

test('one call every two seconds, as the configuration allows it', () => {
  const { accountCallsPerSecond } = limitsSchema.parse({ account_calls_per_second: 0.5 });
  let now = 0;
  const limiter = callLimiter(
    () => accountCallsPerSecond,
    () => now,
  );
  const kinds: string[] = [];
  for (; now < 6_000; now += 1_000) kinds.push(limiter.take({ principal, peer: '203.0.113.7' }).kind);
  expect(kinds).toEqual(['ok', 'limited', 'ok', 'limited', 'ok', 'limited']);
});

describe('strangers', () => {
  const { createAccount, getAccount } = AccountService.method;
  const nobody: Principal = { kind: 'none' };
  let now = 0;
  const calls = callLimiter(
    () => 100,
    () => now,
  );
  const limiter = strangerLimiter(
    calls,
    () => ({ registrationsPerAddressPerHour: 10, waitingAccountCallsPerHour: 20 }),
    () => now,
  );
  const register = (peer: string) => limiter.take({ principal: nobody, method: createAccount, peer });

  test('register ten accounts at once, then one in six minutes; of IPv6 a /64 is one address', () => {
    for (let each = 0; each < 10; each++) expect(register(`2001:db8::${each}`).kind).toBe('ok');
    expect(register('2001:db8::77')).toMatchObject({ kind: 'limited', retryAfterSeconds: 360 });
    expect(register('2001:db8:0:1::1').kind).toBe('ok');
    now += 360_000;
    expect(register('2001:db8::77').kind).toBe('ok');
    expect(register('2001:db8::77').kind).toBe('limited');
  });

  test('register at most twice ten accounts within their first hour', () => {
    const [from, peer] = [now, '203.0.113.9'];
    let registered = 0;
    for (; now < from + 3_600_000; now += 60_000) while (register(peer).kind === 'ok') registered += 1;
    expect(registered).toBe(19);
    // Each place of the bucket takes six minutes: the last one is there when the hour is over.
    expect(register(peer).kind).toBe('ok');
  });

  test('make other calls as ever, and so do administrators', () => {
    while (register('198.51.100.1').kind === 'ok');
    now += 1_000;
    expect(limiter.take({ principal: nobody, method: getAccount, peer: '198.51.100.1' }).kind).toBe('ok');
    const administrator = { kind: 'administrator', id: 'adm_1' } as Principal;
    expect(limiter.take({ principal: administrator, method: createAccount, peer: '198.51.100.1' }).kind).toBe('ok');
  });

  test('make few calls with their test keys while the account waits for approval, however many keys and addresses', () => {
    const call = (principal: Principal, peer: string) => limiter.take({ principal, method: getAccount, peer });
    const key = { kind: 'key', accountId: 'acct_1', mode: 'test', keyId: 'key_1' } as const;
    const waiting = (keyId: string) => ({ ...key, keyId, waits: true }) as unknown as Principal;
    for (let each = 0; each < 20; each++) expect(call(waiting(`key_${each}`), `198.51.100.${each}`).kind).toBe('ok');
    expect(call(waiting('key_1'), '198.51.100.1')).toMatchObject({ kind: 'limited', retryAfterSeconds: 180 });
    expect(call(key as unknown as Principal, '198.51.100.1').kind).toBe('ok');
  });
});

test('a clock that is set back refuses nobody for as long as it was ahead', () => {
  let now = 7_200_000;
  const limiter = callLimiter(
    () => 10,
    () => now,
  );
  expect(limiter.take({ principal, peer: '203.0.113.7' }).kind).toBe('ok');
  now = 3_600_000;
  expect(limiter.take({ principal, peer: '203.0.113.7' }).kind).toBe('ok');
  now += 1_000;
  for (let each = 0; each < 10; each++) expect(limiter.take({ principal, peer: '203.0.113.7' }).kind).toBe('ok');
});
