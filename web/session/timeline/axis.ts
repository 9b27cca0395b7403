// The time axis of the picture: milliseconds to pixels. While legs are under way it is linear, so that a bar grows evenly. A long time in which
// nothing was under way (a person looks for the phone, a receipt is late) is cut to a short break, or it would press the rest together.

import type { Story } from '../../../src/story/story.ts';

export interface Axis {
  widthPx: number;
  /** Pixels from the start of the axis; times beyond its ends are taken for its ends. */
  at(ms: number): number;
  /** `side`: of its line, on which its text has room; null where it has none. */
  ticks: { px: number; ms: number; side: 'after' | 'before' | null }[];
  /** Where time was cut out, and how much. */
  breaks: { px: number; widthPx: number; ms: number }[];
}

interface Piece {
  fromMs: number;
  toMs: number;
  isBreak: boolean;
  px: number;
  widthPx: number;
}

const breakPx = 44;
/** Quiet times below it stay as they are. */
const quietMs = 3_000;
/** Around something that happened nothing is cut out, so that there is room for its marks. */
const leastMarginMs = 250;
const marginShare = 0.12;
const tickPx = 58;
/** Room for the text of a tick: `0`, `5 s`, `150 ms`. */
const textPx = { zero: 14, seconds: 32, milliseconds: 50 };

const steps = [
  10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];

export function axisOf(story: Story, widthPx: number): Axis {
  const { startMs } = story;
  const endMs = Math.max(endOf(story), startMs + 1);
  const cuts = quietTimes(story, endMs);
  const pieces = laidOut(cuts, startMs, endMs, widthPx);
  const at = (ms: number) => {
    const time = Math.min(Math.max(ms, startMs), endMs);
    const piece = pieces.find(({ toMs }) => time <= toMs) ?? pieces.at(-1);
    if (!piece) return 0;
    const { fromMs, toMs, px } = piece;
    return px + (piece.widthPx * (time - fromMs)) / Math.max(toMs - fromMs, 1);
  };
  const breaks = pieces.filter(({ isBreak }) => isBreak).map((piece) => ({ ...piece, ms: piece.toMs - piece.fromMs }));
  return { widthPx, at, ticks: ticksOf(pieces, startMs), breaks };
}

/** While a leg waits, its whole time is shown, and the bar grows into it; else the axis would shrink at each look. */
function endOf({ endMs, lanes }: Story): number {
  const open = lanes.flatMap(({ endMs: ended, timeoutAtMs }) => (ended === null && timeoutAtMs ? [timeoutAtMs] : []));
  return Math.max(endMs, ...open);
}

/** Times in which no leg is under way, no call up, and nothing happens. */
function quietTimes(
  { startMs, endMs, lanes, marks, isMoving }: Story,
  until: number,
): { fromMs: number; toMs: number }[] {
  const busy = [
    ...lanes.map((lane) => ({ fromMs: lane.startMs, toMs: lane.endMs ?? until })),
    ...lanes.filter(({ isCallUp }) => isCallUp).map((lane) => ({ fromMs: lane.startMs, toMs: endMs })),
    ...lanes.filter(({ channel }) => channel === 'voice').map(callTime),
    ...[...marks, ...lanes.flatMap((lane) => lane.marks)].map(({ atMs }) => ({ fromMs: atMs, toMs: atMs })),
    { fromMs: startMs, toMs: startMs },
    ...(isMoving ? [{ fromMs: endMs, toMs: until }] : []),
  ].sort((a, b) => a.fromMs - b.fromMs);
  const busyMs = busy.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const marginMs = Math.min(Math.max(leastMarginMs, busyMs * marginShare), quietMs * 0.4);
  const quiet: { fromMs: number; toMs: number }[] = [];
  let reached = startMs;
  for (const { fromMs, toMs } of busy) {
    if (fromMs - reached > quietMs) quiet.push({ fromMs: reached + marginMs, toMs: fromMs - marginMs });
    reached = Math.max(reached, toMs);
  }
  return quiet;
}

/** A call goes on after its leg: it ends with its last mark. */
const callTime = ({ startMs, marks }: Story['lanes'][number]) => ({
  fromMs: startMs,
  toMs: Math.max(startMs, ...marks.map(({ atMs }) => atMs)),
});

function laidOut(cuts: { fromMs: number; toMs: number }[], startMs: number, endMs: number, widthPx: number): Piece[] {
  const cutMs = cuts.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  // Many breaks share half of the axis at most.
  const eachPx = cuts.length === 0 ? 0 : Math.min(breakPx, widthPx / 2 / cuts.length);
  const pxPerMs = (widthPx - eachPx * cuts.length) / Math.max(endMs - startMs - cutMs, 1);
  const pieces: Piece[] = [];
  let px = 0;
  const add = (fromMs: number, toMs: number, isBreak: boolean) => {
    const width = isBreak ? eachPx : (toMs - fromMs) * pxPerMs;
    pieces.push({ fromMs, toMs, isBreak, px, widthPx: width });
    px += width;
  };
  let reached = startMs;
  for (const { fromMs, toMs } of cuts) {
    add(reached, fromMs, false);
    add(fromMs, toMs, true);
    reached = toMs;
  }
  add(reached, endMs, false);
  return pieces;
}

/** As exactly as the time of a tick is written: two ticks that read alike say nothing. */
const precisionOf = (ms: number): number => (ms < 1_000 ? 1 : ms < 9_950 ? 100 : 1_000);

function ticksOf(pieces: readonly Piece[], startMs: number): Axis['ticks'] {
  const linear = pieces.filter(({ isBreak }) => !isBreak);
  const pxPerMs = Math.max(...linear.map(({ fromMs, toMs, widthPx }) => widthPx / Math.max(toMs - fromMs, 1)));
  const step = steps.find((ms) => ms * pxPerMs >= tickPx) ?? (steps.at(-1) as number);
  const ticks: Axis['ticks'] = [];
  for (const { fromMs, toMs, px, widthPx } of linear) {
    for (let n = Math.ceil((fromMs - startMs) / step); startMs + n * step <= toMs; n += 1) {
      const ms = n * step;
      if (ms % precisionOf(ms) !== 0) continue;
      const at = px + (widthPx * (startMs + ms - fromMs)) / Math.max(toMs - fromMs, 1);
      if (ticks.length === 0 || at - (ticks.at(-1) as { px: number }).px >= tickPx)
        ticks.push({ px: at, ms, side: 'after' });
    }
  }
  return sided(ticks, pieces, step < 1_000 ? textPx.milliseconds : textPx.seconds);
}

/** Each text on the side of its line that has room: a break has a text of its own, and nothing is beyond the end. */
function sided(ticks: Axis['ticks'], pieces: readonly Piece[], text: number): Axis['ticks'] {
  let taken = Number.NEGATIVE_INFINITY;
  return ticks.map((tick) => {
    const own = tick.ms === 0 ? textPx.zero : text;
    const piece = pieces.find(({ isBreak, px, widthPx }) => !isBreak && tick.px >= px && tick.px <= px + widthPx);
    const [from, to] = piece ? [piece.px, piece.px + piece.widthPx] : [tick.px, tick.px];
    const before = tick.px - own >= Math.max(taken, from) ? 'before' : null;
    const side = tick.px + own <= to ? 'after' : before;
    if (side === 'after') taken = tick.px + own;
    return { ...tick, side };
  });
}
