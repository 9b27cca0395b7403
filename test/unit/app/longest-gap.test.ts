// A gap in the sound of calls is shown for a minute: the gauges are set every 5 s, and Prometheus asks every 15 s to a minute.
import { expect, test } from 'vitest';
import { LongestGap } from '../../../src/app/voice.ts';

test('every scrape within a minute sees the gap, and none later does', () => {
  const longest = new LongestGap();
  const shown = Array.from({ length: 14 }, (_, nth) => longest.note(nth === 0 ? 900 : 21, nth * 5_000));
  expect(shown).toEqual([...Array(12).fill(900), 21, 21]);
});
