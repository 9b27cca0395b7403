// The time axis of the picture, and the places of marks and labels on it: for random stories, and for the recorded ones.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Story, type StorySession, storyOf } from '../../../src/story/story.ts';
import { span } from '../../../web/session/format.ts';
import { axisOf } from '../../../web/session/timeline/axis.ts';
import { placeLabels, spread } from '../../../web/session/timeline/place.ts';

const folder = join(import.meta.dirname, '../../support/stories');
const recorded = (name: string): StorySession => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
const names = readdirSync(folder).map((file) => file.replace('.json', ''));
const storyAt = (name: string, afterMs = 0): Story => {
  const session = recorded(name);
  return storyOf(session, Date.parse(session.created_at ?? '') + afterMs);
};

/** A session whose entries are so many ms apart: what the pauses look like is all that counts here. */
const paused = fc.array(fc.oneof(fc.nat(200), fc.nat(60_000)), { minLength: 1, maxLength: 12 }).map((pauses): Story => {
  let at = 0;
  const timeline = pauses.map((ms, index) => {
    at += ms;
    return { at: new Date(at).toISOString(), kind: index % 3 === 1 ? 'leg_started' : 'code_checked', ...legOf(index) };
  });
  return storyOf({ status: 'pending', delivery: 'sending', created_at: new Date(0).toISOString(), timeline }, at);
});

const legOf = (index: number) => (index % 3 === 1 ? { run: 1, position: index, channel: 'sms' } : {});

describe('the axis', () => {
  it('goes from edge to edge, and never back', () => {
    fc.assert(
      fc.property(paused, fc.integer({ min: 120, max: 900 }), (story, widthPx) => {
        const axis = axisOf(story, widthPx);
        expect(axis.at(story.startMs)).toBe(0);
        const times = Array.from({ length: 50 }, (_, n) => story.startMs + ((story.endMs - story.startMs) * n) / 49);
        const places = times.map(axis.at);
        expect(places).toEqual([...places].sort((a, b) => a - b));
        expect(places.at(-1)).toBeCloseTo(story.endMs > story.startMs ? widthPx : 0, 5);
        expect(axis.at(story.startMs - 1_000)).toBe(0);
        expect(axis.at(story.endMs + 1e9)).toBeLessThanOrEqual(widthPx + 1e-6);
      }),
    );
  });

  it('cuts out no time in which something happens or is under way', () => {
    fc.assert(
      fc.property(paused, (story) => {
        const axis = axisOf(story, 400);
        const busy = [...story.marks, ...story.lanes.flatMap(({ marks }) => marks)].map(({ atMs }) => axis.at(atMs));
        for (const { px, widthPx } of axis.breaks) {
          expect(busy.filter((at) => at > px && at < px + widthPx)).toEqual([]);
          expect(story.lanes.filter(({ startMs, endMs }) => endMs === null && axis.at(startMs) < px)).toEqual([]);
        }
      }),
    );
  });

  it('keeps the texts of its ticks apart', () => {
    fc.assert(
      fc.property(paused, fc.integer({ min: 200, max: 900 }), (story, widthPx) => {
        const { ticks } = axisOf(story, widthPx);
        expect(ticks[0]?.px).toBe(0);
        expect(new Set(ticks.map(({ ms }) => span(ms, 'en'))).size).toBe(ticks.length);
        for (const [index, { px }] of ticks.slice(1).entries())
          expect(px - (ticks[index]?.px ?? 0)).toBeGreaterThan(50);
      }),
    );
  });

  it('writes no text of a tick into a break, which has a text of its own, or beyond the end', () => {
    fc.assert(
      fc.property(paused, fc.integer({ min: 200, max: 900 }), (story, widthPx) => {
        const { ticks, breaks } = axisOf(story, widthPx);
        for (const { px, ms, side } of ticks) {
          if (side === null) continue;
          const textPx = ms === 0 ? 14 : 32;
          const [from, to] = side === 'after' ? [px, px + textPx] : [px - textPx, px];
          expect(to).toBeLessThanOrEqual(widthPx + 1e-6);
          for (const cut of breaks) expect(to <= cut.px + 1e-6 || from >= cut.px + cut.widthPx - 1e-6).toBe(true);
        }
      }),
    );
  });

  it('shortens the wait for a late receipt, and keeps what is under way in proportion', () => {
    const late = storyAt('sms_late');
    const axis = axisOf(late, 400);
    expect(axis.breaks).toHaveLength(1);
    expect(axis.breaks[0]?.ms).toBeGreaterThan(10_000);
    const [sms] = late.lanes;
    const startMs = sms?.startMs ?? 0;
    expect(axis.at(startMs + 4_000) - axis.at(startMs + 2_000)).toBeCloseTo(
      axis.at(startMs + 2_000) - axis.at(startMs),
      5,
    );
    expect(axis.at(sms?.endMs ?? 0)).toBeGreaterThan(200);
  });

  it('holds still while a leg is waited for', () => {
    const [early, late] = [storyAt('under_way', 500), storyAt('under_way', 4_500)].map((story) => axisOf(story, 400));
    const startMs = storyAt('under_way').startMs;
    for (const ms of [0, 1_000, 4_900]) expect(early?.at(startMs + ms)).toBe(late?.at(startMs + ms));
    expect(late?.ticks.at(-1)?.ms).toBe(5_000);
  });

  it.each(names)('%s has ticks, and little time cut out', (name) => {
    const axis = axisOf(storyAt(name, 3_000), 360);
    expect(axis.ticks.length).toBeGreaterThanOrEqual(2);
    expect(axis.breaks.length).toBeLessThanOrEqual(2);
  });
});

describe('places', () => {
  const middles = fc
    .array(fc.integer({ min: 0, max: 300 }), { maxLength: 10 })
    .map((list) => list.sort((a, b) => a - b));

  it('marks do not cover each other, keep their order, and stay on the line', () => {
    fc.assert(
      fc.property(middles, (list) => {
        const places = spread(list, 20, 300);
        for (const [index, px] of places.entries()) {
          expect(px).toBeGreaterThanOrEqual(10);
          expect(px).toBeLessThanOrEqual(290);
          if (index > 0) expect(px - (places[index - 1] as number)).toBeGreaterThanOrEqual(20);
        }
      }),
    );
  });

  it('a mark with room stands where it belongs', () => {
    expect(spread([50, 120, 250], 20, 300)).toEqual([50, 120, 250]);
    expect(spread([0, 1, 300], 20, 300)).toEqual([10, 30, 290]);
  });

  it('labels do not cover each other, and the least important one goes first', () => {
    const labels = [
      { px: 20, widthPx: 60, weight: 1 },
      { px: 40, widthPx: 60, weight: 3 },
      { px: 60, widthPx: 60, weight: 2 },
    ];
    expect(placeLabels(labels, 300)).toEqual([0, 66, 132]);
    expect(placeLabels(labels, 150)).toEqual([null, 10, 76]);
    expect(placeLabels(labels, 40)).toEqual([null, 0, null]);
    expect(placeLabels([], 40)).toEqual([]);
  });

  it('labels stay on the line', () => {
    const some = fc.array(
      fc.record({ px: fc.nat(300), widthPx: fc.integer({ min: 5, max: 140 }), weight: fc.nat(3) }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(some, (list) => {
        const labels = list.sort((a, b) => a.px - b.px);
        const edges = placeLabels(labels, 300);
        const shown = labels.flatMap(({ widthPx }, index) =>
          edges[index] == null ? [] : [{ from: edges[index], to: edges[index] + widthPx }],
        );
        for (const [index, { from, to }] of shown.entries()) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(300);
          if (index > 0) expect(from).toBeGreaterThanOrEqual((shown[index - 1]?.to ?? 0) - 1e-9);
        }
      }),
    );
  });
});
