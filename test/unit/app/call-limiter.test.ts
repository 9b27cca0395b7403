// The guard over calls of one caller: a token bucket in memory.
import { expect, test } from 'vitest';
import type { Principal } from '../../../src/api/waist/context.ts';
import { callLimiter } from '../../../src/app/call-limiter.ts';
import { limitsSchema } from '../../../src/config/service.ts';

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
