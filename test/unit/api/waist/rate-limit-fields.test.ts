// The fields RateLimit-Policy and RateLimit: each value is a list after RFC 9651, and says what the bucket allows.
import { expect, test } from 'vitest';
import { type Quota, rateLimitFields } from '../../../../src/api/waist/rate-limit-fields.ts';

/** RFC 9651, sections 4.2.1 to 4.2.5, as far as the draft needs: a list of strings, whose parameters are integers. */
const integer = '-?[0-9]{1,15}';
const key = '[a-z*][a-z0-9_.*-]*';
const item = `"(?:[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])*"(?:; *${key}=${integer})*`;
const list = new RegExp(`^${item}(?:[ \\t]*,[ \\t]*${item})*$`);

function parse(field: string): Record<string, Record<string, number>> {
  expect(field).toMatch(list);
  return Object.fromEntries(
    field.split(', ').map((each) => {
      const [name = '', ...parameters] = each.split(';');
      return [
        JSON.parse(name),
        Object.fromEntries(parameters.map((one) => one.split('=')).map(([k, v]) => [k, Number(v)])),
      ];
    }),
  );
}

const read = (...quotas: Quota[]) => {
  const fields = rateLimitFields(quotas);
  return { policy: parse(fields['ratelimit-policy']), limit: parse(fields.ratelimit) };
};

test('as the draft writes them', () => {
  const calls: Quota = { name: 'calls', capacity: 200, refillPerSecond: 200, tokens: 199 };
  const sends: Quota = { name: 'sends', capacity: 100, refillPerSecond: 50, tokens: 42.5 };
  expect(rateLimitFields([calls, sends])).toEqual({
    'ratelimit-policy': '"calls";q=200;w=1, "sends";q=100;w=2',
    ratelimit: '"calls";r=199;t=1, "sends";r=42;t=1',
  });
});

test('an empty bucket says when one more is there, as Retry-After does', () => {
  const { limit } = read({ name: 'sends', capacity: 5, refillPerSecond: 0.1, tokens: 0.25 });
  expect(limit).toEqual({ sends: { r: 0, t: 8 } });
});

test('any bucket gives fields that parse, and promises no more than it has', () => {
  // The same numbers on every run.
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let n = 0; n < 5_000; n += 1) {
    const refillPerSecond = 10 ** (random() * 12 - 8);
    const capacity = Math.max(1, 10 ** (random() * 6));
    const tokens = (random() * 1.4 - 0.2) * capacity;
    const { policy, limit } = read({ name: 'calls', capacity, refillPerSecond, tokens });
    const { q = Number.NaN, w = Number.NaN } = policy.calls ?? {};
    const { r = Number.NaN, t = Number.NaN } = limit.calls ?? {};
    expect([q, w, r, t].every(Number.isSafeInteger)).toBe(true);
    expect(q).toBeLessThanOrEqual(capacity);
    expect(w).toBeGreaterThanOrEqual(1);
    expect(r).toBeGreaterThanOrEqual(0);
    expect(r).toBeLessThanOrEqual(Math.max(0, Math.min(q, tokens)));
    expect(t).toBeGreaterThanOrEqual(1);
  }
});
