import { array, assert, constantFrom, integer, option, property, record } from 'fast-check';
import { expect, it, test } from 'vitest';
import {
  dayLimits,
  type Inherited,
  inherited,
  type KeyRestrictions,
  keyBudgets,
  keyPrefixes,
  mayCallFrom,
  restrictionsOf,
  unrestricted,
} from '../../../../src/core/limits/key-restrictions.ts';

const restricted = (change: Partial<KeyRestrictions>): KeyRestrictions => ({ ...unrestricted, ...change });
const child = (parent: Partial<KeyRestrictions>, asked: Partial<KeyRestrictions> = {}): Inherited =>
  inherited({ keyId: 'key_p', restrictions: restricted(parent) }, restricted(asked));

test.each([
  [[], '203.0.113.7', true],
  [[], '', true],
  [['203.0.113.0/24'], '203.0.113.7', true],
  [['203.0.113.0/24'], '203.0.114.7', false],
  [['203.0.113.0/24'], '64:ff9b::203.0.113.7', true],
  [['203.0.113.0/24'], '64:ff9b::203.0.114.7', false],
  [['203.0.113.0/24', '2001:db8::/32'], '2001:db8::1', true],
  [['203.0.113.7'], '::ffff:203.0.113.7', true],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['0.0.0.0/0'], 'unknown', false],
  [['0.0.0.0/0'], '', false],
])('from %j a call of %j: %j', (addresses, peer, may) => expect(mayCallFrom(addresses, peer)).toBe(may));

it('sends to its prefixes only', () => {
  expect(keyPrefixes('+213551000001', [])).toBeNull();
  expect(keyPrefixes('+213551000001', ['+33', '+21355'])).toBeNull();
  const found = { rule: 'key_restriction', reason: 'prefix', field: 'to' };
  expect(keyPrefixes('+213661000001', ['+33', '+21355'])).toEqual(found);
});

it('gives a new key its own restrictions, and any tighter ones', () => {
  const parent = { addresses: ['10.0.0.0/8'], prefixes: ['+213'], sendsPerDay: 100 };
  const within = [{ keyId: 'key_p', sendsPerDay: 100 }];
  expect(child({})).toEqual({ kind: 'ok', restrictions: null });
  expect(child({}, parent)).toEqual({ kind: 'ok', restrictions: parent });
  expect(child(parent)).toEqual({ kind: 'ok', restrictions: { ...parent, within } });
  const tighter = { addresses: ['10.1.0.0/16', '10.2.3.4'], prefixes: ['+21355'], sendsPerDay: 7 };
  expect(child(parent, tighter)).toEqual({ kind: 'ok', restrictions: { ...tighter, within } });
});

test.each([
  [{ addresses: ['10.0.0.0/8'] }, { addresses: ['10.1.0.0/16', '0.0.0.0/0'] }, 'addresses'],
  [{ addresses: ['10.0.0.0/8'] }, { addresses: ['::/0'] }, 'addresses'],
  [{ prefixes: ['+21355'] }, { prefixes: ['+2135'] }, 'prefixes'],
  [{ prefixes: ['+21355'] }, { prefixes: ['+21355', '+21366'] }, 'prefixes'],
  [{ sendsPerDay: 100 }, { sendsPerDay: 101 }, 'sends_per_day'],
  [{ budget: { sendsPerHour: 5 } }, { budget: { sendsPerHour: 6 } }, 'budget.sends_per_hour'],
  [
    { budget: { spendPerDay: { DZD: '9.5' } } },
    { budget: { spendPerDay: { DZD: '9.51' } } },
    'budget.spend_per_day.DZD',
  ],
])('%j does not give %j', (parent, asked, part) => expect(child(parent, asked)).toEqual({ kind: 'wider', part }));

it('gives a new key its budget, and any tighter one, whose sends count for both', () => {
  const budget = { sendsPerDay: 100, spendPerDay: { DZD: '50', EUR: '1' } };
  expect(child({ budget })).toMatchObject({ restrictions: { budget, within: [{ keyId: 'key_p', budget }] } });
  const asked = { sendsPerHour: 5, spendPerHour: { DZD: '9' }, spendPerDay: { DZD: '49.5' } };
  const made = child({ budget }, { budget: asked });
  const own = { ...asked, sendsPerDay: 100, spendPerDay: { DZD: '49.5', EUR: '1' } };
  expect(made).toMatchObject({ kind: 'ok', restrictions: { budget: own } });
  const restrictions = made.kind === 'ok' ? made.restrictions : null;
  expect(keyBudgets({ apiKeyId: 'key_c', restrictions: restrictions ?? unrestricted })).toEqual([
    { keyId: 'key_c', limits: own },
    { keyId: 'key_p', limits: budget },
  ]);
  // A budget that limits nothing is none.
  expect(child({}, { budget: {} })).toEqual({ kind: 'ok', restrictions: null });
});

it('counts a send for so many keys at most', () => {
  let restrictions = restricted({ sendsPerDay: 100 });
  const generations = Array.from({ length: 10 }, (_, generation) => {
    const made = inherited({ keyId: `key_${generation}`, restrictions }, unrestricted);
    if (made.kind === 'ok') restrictions = made.restrictions ?? unrestricted;
    return made.kind;
  });
  expect(generations).toEqual([...Array<string>(8).fill('ok'), 'too_deep', 'too_deep']);
});

it('reads a part that a stored row lacks as no restriction', () => {
  const stored = restrictionsOf({ budget: { sendsPerDay: 5 } }) ?? unrestricted;
  expect(mayCallFrom(stored.addresses, '203.0.113.7')).toBe(true);
  expect(keyPrefixes('+213551000001', stored.prefixes)).toBeNull();
  expect(dayLimits('key_1', stored)).toEqual([]);
  expect(restrictionsOf(null)).toBeNull();
});

const anyAmount = option(constantFrom('1', '2', '3'), { nil: undefined });
const anyBudget = record({
  sendsPerHour: option(integer({ min: 1, max: 3 }), { nil: undefined }),
  spendPerDay: record({ DZD: anyAmount, EUR: anyAmount }),
}).map(({ sendsPerHour, spendPerDay: { DZD, EUR } }) => ({
  ...(sendsPerHour === undefined ? {} : { sendsPerHour }),
  ...(DZD || EUR ? { spendPerDay: { ...(DZD && { DZD }), ...(EUR && { EUR }) } } : {}),
}));
const anyRestrictions = record({
  addresses: array(constantFrom('10.0.0.0/8', '10.1.0.0/16', '10.1.2.3', '0.0.0.0/0', '2001:db8::/32'), {
    maxLength: 3,
  }),
  prefixes: array(constantFrom('+2', '+213', '+21355', '+33'), { maxLength: 3 }),
  sendsPerDay: option(integer({ min: 1, max: 5 }), { nil: null }),
  budget: anyBudget,
});
const peers = ['10.1.2.3', '10.1.9.9', '10.9.9.9', '192.0.2.1', '2001:db8::1', '2001:db9::1'];
const numbers = ['+213551000001', '+213661000001', '+20100000001', '+33612345678', '+15005550006'];

it('never lets a key that it makes do what it may not do itself, over generations', () => {
  assert(
    property(anyRestrictions, anyRestrictions, anyRestrictions, (first, second, third) => {
      const made = inherited({ keyId: 'key_1', restrictions: first }, second);
      if (made.kind !== 'ok') return;
      const one = made.restrictions ?? unrestricted;
      const again = inherited({ keyId: 'key_2', restrictions: one }, third);
      if (again.kind !== 'ok') return;
      const two = again.restrictions ?? unrestricted;
      for (const [parent, key] of [
        [first, one],
        [one, two],
      ] as const) {
        for (const peer of peers)
          if (mayCallFrom(key.addresses, peer)) expect(mayCallFrom(parent.addresses, peer)).toBe(true);
        for (const to of numbers)
          if (!keyPrefixes(to, key.prefixes)) expect(keyPrefixes(to, parent.prefixes)).toBeNull();
      }
      // What it sends is paid from the budget of every key that it descends from, and its own allows no more.
      const paying = keyBudgets({ apiKeyId: 'key_3', restrictions: two });
      if (Object.keys(first.budget).length > 0) {
        expect(paying.map(({ keyId }) => keyId)).toEqual(['key_3', 'key_2', 'key_1']);
        expect(paying.at(-1)?.limits).toEqual(first.budget);
      }
      for (const { limits } of paying) {
        const [own] = paying;
        expect(own?.limits.sendsPerHour ?? 9).toBeLessThanOrEqual(limits.sendsPerHour ?? 9);
        for (const currency of ['DZD', 'EUR'])
          expect(Number(own?.limits.spendPerDay?.[currency] ?? 9)).toBeLessThanOrEqual(
            Number(limits.spendPerDay?.[currency] ?? 9),
          );
      }
      // What it sends counts for every key that it descends from.
      const counted = dayLimits('key_3', two).map(({ keyId }) => keyId);
      if (first.sendsPerDay !== null) expect(counted).toEqual(['key_3', 'key_2', 'key_1']);
      if (one.sendsPerDay !== null) expect(counted.slice(0, 2)).toEqual(['key_3', 'key_2']);
    }),
    { numRuns: 1_000 },
  );
});
