// Stops: what they close, how long, and what they make of what is counted.

import { describe, expect, it } from 'vitest';
import {
  blockOf,
  countedSince,
  heeded,
  isActive,
  madeBy,
  prefixToStop,
  rangeOf,
  rulesBefore,
  type Stop,
  stopFindings,
  stopOf,
} from '../../../../src/core/limits/stop.ts';

const stop = (prefix: string, change: Partial<Stop> = {}): Stop => ({
  id: `stop_${prefix}`,
  rule: 'sequential_numbers',
  reason: 'adjacent',
  prefix,
  startedAt: 1_000,
  endsAt: 5_000,
  liftedAt: null,
  ...change,
});

describe('the numbers of a stop', () => {
  it('are a block of 100,000, or less where a number is short', () => {
    expect(blockOf('+213551234567')).toBe('+2135512');
    expect(blockOf('+14155550123')).toBe('+1415555');
    expect(blockOf('+299123456')).toBe('+29912');
    expect(blockOf('+213550******')).toBe('+213550');
    expect(blockOf('+29912****')).toBe('+29912');
    expect(blockOf('+29912')).toBe('+2');
  });

  it('are a range from the third stop in one on', () => {
    const two = [stop('+2135512'), stop('+2135613')];
    expect(rangeOf('+2135512')).toBe('+2135');
    expect(prefixToStop('+2135714', two.slice(0, 1), 2_000)).toBe('+2135714');
    expect(prefixToStop('+2135714', two, 2_000)).toBe('+2135');
    expect(prefixToStop('+2136614', two, 2_000)).toBe('+2136614');
    expect(prefixToStop('+2135714', two, 6_000)).toBe('+2135714');
  });

  it('are those that begin so, while it lasts', () => {
    const stops = [stop('+2135512'), stop('+2135', { endsAt: 9_000 })];
    expect(stopOf('+213551234567', stops, 2_000)?.prefix).toBe('+2135');
    expect(stopOf('+213661234567', stops, 2_000)).toBeNull();
    expect(stopOf('+213551234567', stops, 9_000)).toBeNull();
    expect(isActive(stop('+2135', { liftedAt: 3_000 }), 2_999)).toBe(true);
    expect(isActive(stop('+2135', { liftedAt: 3_000 }), 3_000)).toBe(false);
  });
});

describe('stops by two rules', () => {
  const both = [stop('+213551', { rule: 'prefix_conversion', endsAt: 9_000 }), stop('+2135512')];

  it('object for each of them: the later one may only be watched', () => {
    expect(stopFindings('+213551234567', both, 2_000)).toEqual([
      { rule: 'sequential_numbers', reason: 'adjacent', field: 'to', retryAfterMs: 3_000, stopId: 'stop_+2135512' },
      { rule: 'prefix_conversion', reason: 'adjacent', field: 'to', retryAfterMs: 7_000, stopId: 'stop_+213551' },
    ]);
    expect(stopFindings('+213551234567', both, 6_000)).toMatchObject([{ rule: 'prefix_conversion' }]);
    expect(stopFindings('+213661234567', both, 2_000)).toEqual([]);
  });

  it('keep a rule from closing what is closed, and not what the other one watches', () => {
    const watched = { sequential_numbers: 'enforce', prefix_conversion: 'monitor' } as const;
    const enforced = { ...watched, prefix_conversion: 'enforce' } as const;
    expect(rulesBefore('sequential_numbers', watched)).toEqual(['sequential_numbers']);
    expect(rulesBefore('sequential_numbers', enforced)).toEqual(['sequential_numbers', 'prefix_conversion']);
    expect(rulesBefore('prefix_conversion', watched)).toEqual(['sequential_numbers', 'prefix_conversion']);
    expect(madeBy(['prefix_conversion'], both)).toEqual(both.slice(0, 1));
    const lifted = stop('+2136', { liftedAt: 2_000 });
    expect(heeded(['prefix_conversion'], [...both, lifted])).toEqual([...both.slice(0, 1), lifted]);
  });
});

describe('what counts after a stop', () => {
  it('begins with its end', () => {
    expect(countedSince('+213551234567', [])).toBe(0);
    expect(countedSince('+213551234567', [stop('+2135512'), stop('+2136')])).toBe(5_000);
    expect(countedSince('+213551234567', [stop('+2135512', { liftedAt: 2_000 })])).toBe(2_000);
  });

  it('begins in the wider prefix with the stop, or where it was lifted', () => {
    expect(countedSince('+213551', [stop('+2135512')])).toBe(1_000);
    expect(countedSince('+213551', [stop('+2135512', { liftedAt: 2_000 })])).toBe(2_000);
  });
});
