// The pumping guard against made-up traffic: no honest kind may ever meet a stop, and what attacks get through is bounded. docs/abuse.md has the same
// runs as a table.
import { describe, expect, it } from 'vitest';
import { attacked, honest } from '../../../pumping/table.ts';

describe('honest traffic', () => {
  it.each(honest())('is not stopped: $name', ({ played }) => {
    expect(played.map(({ stops, refusedHonest }) => [stops.length, refusedHonest])).toEqual(played.map(() => [0, 0]));
  });
});

describe('an attack', () => {
  /** Sends that get through, where the attack is caught; the others are named in docs/abuse.md as missed. */
  const bounds: Readonly<Record<string, number>> = {
    'sequential numbers at 60 a second, after a burst of 100': 200,
    'sequential, beside an honest 2 a second': 200,
    'every 37th number': 300,
    'sequential, going on elsewhere when refused': 600,
    'random numbers of one block of 100,000': 300,
    'random numbers of one block, 5 % verified': 300,
    'sequential, every code reported as verified at once': 200,
    'sequential, codes of its own, all claimed to be verified': 200,
    'random numbers of one block, codes of its own, all claimed': 1_100,
    'random numbers of the whole country, every code reported': 8_000,
    'random numbers of the whole country': 8_000,
    'a drip: one of a block every 20 seconds': 400,
  };

  it.each(attacked())('is ended, or known to be missed: $name', ({ name, played }) => {
    const most = Math.max(...played.map(({ went }) => went));
    expect(most).toBeLessThanOrEqual(bounds[name] ?? Number.POSITIVE_INFINITY);
    expect(played.every(({ stops }) => stops.length > 0)).toBe(name in bounds);
  });
});
