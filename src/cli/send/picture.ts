// The picture of a session in a terminal: a lane for each leg over one axis of time, and below each lane the words of its marks, because
// marks that are close to each other share a place.

import type { Lane, Mark, Story } from '../../story/story.ts';
import { isShown, type Paint, painted, signOf, type Tone, wordsOf } from './marks.ts';

export interface PictureOptions {
  /** Columns of the terminal; below 60 it is drawn as for 60. */
  columns: number;
  paint: Paint;
}

/** Narrower ones would leave no place for the axis. */
const LEAST_COLUMNS = 60;
/** Wider ones would only move the words away from their lane. */
const MOST_COLUMNS = 140;
/** Columns between two numbers of the axis. */
const TICK_DISTANCE = 9;
/** Shorter stories would be stretched until the milliseconds of a busy machine look like waiting. */
const SHORTEST_MS = 100;

/** One line of the picture each, without line ends. */
export function drawStory(story: Story, { columns, paint }: PictureOptions): string[] {
  const rows = [...story.lanes.map(laneRow), ...story.ahead.map(aheadRow), sessionRow(story)];
  const label = Math.max(...rows.map((row) => row.label.length)) + 2;
  const right = Math.max(...rows.flatMap((row) => [row.outcome.length, row.cost.length])) + 1;
  const width = Math.min(MOST_COLUMNS, Math.max(LEAST_COLUMNS, columns));
  const scale = new Scale(story, width - label - right);
  const [numbers, line] = scale.axis();
  const lines = rows.flatMap((row) => {
    const bar = barOf(row, story, scale, paint) + aside(row.outcome, right, row.tone, paint);
    const about = { ...row, nowMs: story.endMs, time: (atMs: number) => scale.time(atMs), width: scale.cells };
    const [words = [], ...more] = wordsOf(about);
    const first = painted(words, paint, scale.cells) + aside(row.cost, right, 'neutral', paint);
    const below = first.trim() === '' ? [] : [first, ...more.map((each) => painted(each, paint))];
    return [row.label.padEnd(label) + bar, ...below.map((line) => ' '.repeat(label) + line)];
  });
  const axis = [scale.unit.padEnd(label) + numbers, ' '.repeat(label) + line].map((each) => paint('faint', each));
  return [...axis, ...lines].map((each) => each.trimEnd());
}

/** A line of the picture: a leg, or the session itself. */
interface Row {
  label: string;
  lane: Lane | null;
  marks: readonly Mark[];
  outcome: string;
  tone: Tone;
  cost: string;
}

const OUTCOMES: Record<Lane['outcome'], { words: string; tone: Tone }> = {
  under_way: { words: 'under way', tone: 'neutral' },
  delivered: { words: 'delivered', tone: 'good' },
  failed: { words: 'failed', tone: 'bad' },
  timed_out: { words: 'timed out', tone: 'bad' },
  refused: { words: 'refused', tone: 'bad' },
  skipped: { words: 'skipped', tone: 'faint' },
  stopped: { words: 'stopped', tone: 'faint' },
};

function laneRow(lane: Lane): Row {
  const { words, tone } = OUTCOMES[lane.outcome];
  const label = lane.run > 1 ? `${lane.channel} ${lane.run}` : lane.channel;
  const cost = lane.cost ? `${lane.cost.amount} ${lane.cost.currency}` : '';
  return { label, lane, marks: lane.marks, outcome: words, tone, cost };
}

const aheadRow = ({ channel }: Story['ahead'][number]): Row => ({
  label: channel,
  lane: null,
  marks: [],
  outcome: 'if needed',
  tone: 'faint',
  cost: '',
});

const sessionRow = ({ marks }: Story): Row => ({
  label: 'session',
  lane: null,
  marks,
  outcome: '',
  tone: 'neutral',
  cost: '',
});

/** The column on the right. */
const aside = (text: string, width: number, tone: Tone, paint: Paint) =>
  text === '' ? '' : ' '.repeat(width - text.length) + paint(tone, text);

/** Where a moment of the story is on the axis. */
class Scale {
  readonly #startMs: number;
  readonly #lengthMs: number;
  readonly #cells: number;

  constructor({ startMs, endMs, lanes }: Story, cells: number) {
    const ends = lanes.flatMap(({ endMs: over, timeoutAtMs }) => over ?? timeoutAtMs ?? []);
    this.#startMs = startMs;
    this.#lengthMs = Math.max(SHORTEST_MS, Math.max(endMs, ...ends) - startMs);
    this.#cells = cells;
  }

  get cells(): number {
    return this.#cells;
  }

  place(atMs: number): number {
    const place = Math.round(((atMs - this.#startMs) / this.#lengthMs) * (this.#cells - 1));
    return Math.min(this.#cells - 1, Math.max(0, place));
  }

  get unit(): 'ms' | 's' {
    return this.#lengthMs < 1_000 ? 'ms' : 's';
  }

  /** Times since the beginning, in the unit of the axis. */
  time(atMs: number): string {
    const ms = Math.max(0, atMs - this.#startMs);
    return this.unit === 'ms' ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
  }

  /** The numbers, and the line below them. */
  axis(): [string, string] {
    const stepMs = this.#step();
    const places: string[] = Array.from({ length: this.#cells }, () => '─');
    let numbers = '';
    for (let ms = 0; ms <= this.#lengthMs; ms += stepMs) {
      const place = this.place(this.#startMs + ms);
      places[place] = '┼';
      numbers = numbers.padEnd(place) + (this.unit === 'ms' ? ms : ms / 1_000);
    }
    return [numbers, places.join('')];
  }

  /** 1, 2 or 5 of a power of ten. */
  #step(): number {
    const least = (this.#lengthMs * TICK_DISTANCE) / this.#cells;
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
  }
}

interface Cell {
  sign: string;
  tone: Tone;
  rank: number;
}

/** The line of a row on the axis: its time, the time it still has or was late by, its marks. */
function barOf({ lane, marks, tone }: Row, story: Story, scale: Scale, paint: Paint): string {
  const cells: Cell[] = Array.from({ length: scale.cells }, () => ({ sign: ' ', tone: 'neutral', rank: -1 }));
  const fill = (fromMs: number, toMs: number, sign: string, of: Tone) =>
    cells.fill({ sign, tone: of, rank: -1 }, scale.place(fromMs), scale.place(toMs) + 1);
  if (lane) {
    const untilMs = lane.endMs ?? story.endMs;
    if (lane.endMs === null && lane.timeoutAtMs !== null) fill(untilMs, lane.timeoutAtMs, '┄', 'faint');
    const lastMs = lane.isCallUp ? story.endMs : (marks.at(-1)?.atMs ?? untilMs);
    if (lastMs > untilMs) fill(untilMs, lastMs, '─', 'faint');
    if (lane.outcome !== 'skipped') fill(lane.startMs, untilMs, '━', tone);
  }
  for (const mark of marks.filter(isShown)) {
    const { sign, rank } = signOf(mark);
    const place = scale.place(mark.atMs);
    if (rank >= (cells[place]?.rank ?? 0)) cells[place] = { sign, tone: mark.tone, rank };
  }
  let line = '';
  for (let from = 0, to = 0; from < cells.length; from = to) {
    const of = cells[from]?.tone ?? 'neutral';
    while (to < cells.length && cells[to]?.tone === of) to += 1;
    const text = cells.slice(from, to).map(({ sign }) => sign);
    line += paint(of, text.join(''));
  }
  return line;
}
