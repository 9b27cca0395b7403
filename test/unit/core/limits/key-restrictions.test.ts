import { array, assert, constantFrom, integer, option, property, record } from 'fast-check';
import { expect, it, test } from 'vitest';
import {
  dayLimits,
  inherited,
  type KeyRestrictions,
  keyPrefixes,
  mayCallFrom,
  unrestricted,
} from '../../../../src/core/limits/key-restrictions.ts';

const restricted = (change: Partial<KeyRestrictions>): KeyRestrictions => ({ ...unrestricted, ...change });
const child = (parent: Partial<KeyRestrictions>, asked: Partial<KeyRestrictions> = {}) =>
  inherited({ keyId: 'key_p', restrictions: restricted(parent) }, restricted(asked));

test.each([
  [[], '203.0.113.7', true],
  [[], '', true],
  [['203.0.113.0/24'], '203.0.113.7', true],
  [['203.0.113.0/24'], '203.0.114.7', false],
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
  [{ sendsPerDay: 100 }, { sendsPerDay: 101 }, 'sendsPerDay'],
])('%j does not give %j', (parent, asked, part) => expect(child(parent, asked)).toEqual({ kind: 'wider', part }));

const anyRestrictions = record({
  addresses: array(constantFrom('10.0.0.0/8', '10.1.0.0/16', '10.1.2.3', '0.0.0.0/0', '2001:db8::/32'), {
    maxLength: 3,
  }),
  prefixes: array(constantFrom('+2', '+213', '+21355', '+33'), { maxLength: 3 }),
  sendsPerDay: option(integer({ min: 1, max: 5 }), { nil: null }),
});
const peers = ['10.1.2.3', '10.1.9.9', '10.9.9.9', '192.0.2.1', '2001:db8::1', '2001:db9::1'];
const numbers = ['+213551000001', '+213661000001', '+20100000001', '+33612345678', '+15005550006'];

it('never lets a key that it makes do what it may not do itself, over generations', () => {
  assert(
    property(anyRestrictions, anyRestrictions, anyRestrictions, (first, second, third) => {
      const made = inherited({ keyId: 'key_1', restrictions: first }, second);
      if (made.kind === 'wider') return;
      const one = made.restrictions ?? unrestricted;
      const again = inherited({ keyId: 'key_2', restrictions: one }, third);
      if (again.kind === 'wider') return;
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
      // What it sends counts for every key that it descends from.
      const counted = dayLimits('key_3', two).map(({ keyId }) => keyId);
      if (first.sendsPerDay !== null) expect(counted).toEqual(['key_3', 'key_2', 'key_1']);
      if (one.sendsPerDay !== null) expect(counted.slice(0, 2)).toEqual(['key_3', 'key_2']);
    }),
    { numRuns: 1_000 },
  );
});
