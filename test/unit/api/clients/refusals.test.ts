// Refused keys by address: from when on they are not looked at, what the log says, and how much is remembered.
import { beforeEach, describe, expect, test } from 'vitest';
import { Refusals, type RefusalsOptions } from '../../../../src/api/clients/refusals.ts';

let now = 0;
let lines: { fields: Record<string, unknown>; message: string }[] = [];
let observed: object[] = [];
let unlogged: object[] = [];
beforeEach(() => {
  [now, lines, observed, unlogged] = [1_000_000, [], [], []];
});

const newRefusals = (more: Partial<RefusalsOptions> = {}) =>
  new Refusals({
    failuresPerMinute: () => 20,
    now: () => now,
    logger: {
      warn: (fields: object, message?: string) => lines.push({ fields: { ...fields }, message: String(message) }),
    },
    observe: (refusal) => observed.push(refusal),
    unlogged: (refusal) => unlogged.push(refusal),
    ...more,
  });

const guess = (refusals: Refusals, address = '192.0.2.1') => refusals.note(address, 'rest', 'invalid_api_key');
const times = (count: number, run: () => boolean) => Array.from({ length: count }, run).filter(Boolean).length;

describe('twenty failures within a minute', () => {
  test('shut an address, and no other, until the minute is over', () => {
    const refusals = newRefusals();
    times(19, () => guess(refusals));
    expect(refusals.blockedForMs('192.0.2.1')).toBe(0);
    now += 10_000;
    guess(refusals);
    expect(refusals.blockedForMs('192.0.2.1')).toBe(50_000);
    expect(refusals.blockedForMs('192.0.2.2')).toBe(0);
    now += 50_000;
    expect(refusals.blockedForMs('192.0.2.1')).toBe(0);
    guess(refusals);
    expect(refusals.blockedForMs('192.0.2.1')).toBe(0); // A new minute begins with one.
  });

  test('are counted by /64 of IPv6', () => {
    const refusals = newRefusals();
    let host = 0;
    times(20, () => guess(refusals, `2001:db8::${(++host).toString(16)}`));
    expect(refusals.blockedForMs('2001:db8::ffff')).toBeGreaterThan(0);
    expect(refusals.blockedForMs('2001:db8:0:1::1')).toBe(0);
  });

  test('are guesses: calls without a key, and what was refused unseen, do not lengthen anything', () => {
    const refusals = newRefusals();
    times(50, () => refusals.note('192.0.2.1', 'grpc', 'missing_api_key'));
    times(50, () => refusals.note('192.0.2.1', 'grpc', 'too_many_failures'));
    expect(refusals.blockedForMs('192.0.2.1')).toBe(0);
    expect(observed).toHaveLength(100);
    expect(observed[99]).toEqual({ door: 'grpc', reason: 'too_many_failures' });
  });
});

describe('the log', () => {
  test('has a line for each up to the threshold, then one a minute with their number', () => {
    const refusals = newRefusals();
    expect(times(33_779, () => guess(refusals))).toBe(20);
    refusals.sweep();
    expect(lines).toEqual([]);
    now += 60_000;
    refusals.sweep();
    expect(lines.map(({ fields }) => fields)).toEqual([{ client: '192.0.2.1', refused: 33_759 }]);
    refusals.sweep(true);
    expect(lines).toHaveLength(1);
    expect(refusals.callers).toBe(0);
  });

  test('loses no refusal of a minute that was never swept', () => {
    const refusals = newRefusals();
    times(100, () => guess(refusals));
    now += 60_000;
    times(25, () => guess(refusals));
    refusals.sweep(true);
    expect(lines.map(({ fields }) => fields)).toEqual([{ client: '192.0.2.1', refused: 80 + 5 }]);
  });

  test('has no more lines of good keys that may not make their calls, whose address is shut out of nothing', () => {
    const refusals = newRefusals();
    const reasons = ['key_restricted', 'missing_scope', 'account_suspended', 'rate_limited'] as const;
    let nth = 0;
    const refuse = () => refusals.note('192.0.2.1', 'rest', reasons[nth++ % 4] as (typeof reasons)[number]);
    expect(times(10_000, refuse)).toBe(20);
    expect(refusals.blockedForMs('192.0.2.1')).toBe(0);
    expect(observed).toEqual([]);
    expect(unlogged).toHaveLength(9_980);
    expect(unlogged[0]).toEqual({ door: 'rest', reason: 'key_restricted' });
    // They hide no guesses that come from there.
    expect(times(30, () => guess(refusals))).toBe(20);
    now += 60_000;
    refusals.sweep();
    expect(lines).toEqual([
      { fields: { client: '192.0.2.1', refused: 10 }, message: 'further calls with no good key were refused' },
      {
        fields: { client: '192.0.2.1', refused: 9_980 },
        message: 'further calls were refused before anything was done for them',
      },
    ]);
  });

  test('is bounded over all addresses, and so is what is remembered', () => {
    const refusals = newRefusals({ mostCallers: 100, mostLines: 50 });
    let address = 0;
    const own = times(5_000, () => guess(refusals, `10.0.${++address >> 8}.${address & 255}`));
    expect(own).toBe(50);
    expect(refusals.callers).toBe(100);
    refusals.sweep(true);
    expect(lines.length).toBeLessThanOrEqual(101);
    expect(lines.reduce((sum, { fields }) => sum + Number(fields.refused), 0)).toBe(5_000 - 50);
    now += 60_000;
    expect(guess(refusals)).toBe(true);
  });
});

test('at an address that the admin token was shown at, it is guessed twenty times more a minute and not without end', () => {
  const refusals = newRefusals();
  refusals.sawAdmin('192.0.2.1');
  const lookedAt = () => refusals.blockedForMs('192.0.2.1') === 0 || refusals.isKnownAdmin('192.0.2.1');
  let guesses = 0;
  for (; lookedAt() && guesses < 1_000; guesses += 1) refusals.note('192.0.2.1', 'rest', 'invalid_admin_token');
  expect(guesses).toBe(40);
  now += 60_000;
  expect(lookedAt()).toBe(true);
});

test('whoever has shown the admin token may go on from there', () => {
  const refusals = newRefusals();
  expect(refusals.isKnownAdmin('192.0.2.1')).toBe(false);
  refusals.sawAdmin('192.0.2.1');
  expect(refusals.isKnownAdmin('192.0.2.1')).toBe(true);
  for (let n = 0; n < 1_000; n += 1) refusals.sawAdmin(`10.0.${n >> 8}.${n & 255}`);
  expect(refusals.isKnownAdmin('192.0.2.1')).toBe(false);
});

test('a clock that is set back shuts no address for as long as it was ahead, and keeps no line from the log', () => {
  const refusals = newRefusals({ mostLines: 25 });
  times(30, () => guess(refusals));
  expect(refusals.blockedForMs('192.0.2.1')).toBe(60_000);
  now -= 600_000;
  expect(refusals.blockedForMs('192.0.2.1')).toBe(0);
  expect(times(10, () => guess(refusals, '192.0.2.2'))).toBe(10);
  expect(times(10, () => guess(refusals))).toBe(10);
  refusals.sweep();
  expect(refusals.callers).toBe(2);
  now += 60_000;
  refusals.sweep();
  expect(refusals.callers).toBe(0);
  expect(lines).toEqual([{ fields: { client: '192.0.2.1', refused: 10 }, message: expect.any(String) }]);
});
