// The rule `sequential_numbers`: sends of one account within ten minutes to numbers that lie too close together, or at equal distances. Honest
// users have numbers all over their operators' ranges; a script that makes numbers up counts. No verification is waited for, so that an
// attack ends within its first seconds, but those that there are count against it: the phones of one company are neighbours, too.

import { isErased } from '../erasure/number-forms.ts';
import { type Entered, sendPoints, stopPoints } from './points.ts';

/** How far back sends are looked at, ms. */
export const sequentialMs = 600_000;
/** How many sends of an account are looked at: the newest ones. */
export const sequentialSends = 2_000;

/** Whether a code was entered; `claimed`: it was the caller's own, so that the caller alone knows. */
export type Verification = 'no' | 'claimed' | 'checked';

/** A send to a number. Of several to one number the surest verification stands for all. */
export interface RecentSend {
  /** E.164, or what is left of it where it was erased. */
  number: string;
  /** Unix ms. */
  at: number;
  verified: Verification;
}

/** A finding: which numbers look sequential, and how sure that is. */
export interface SequentialFound {
  reason: 'adjacent' | 'evenly_spaced' | 'one_block';
  points: number;
  /** One of the numbers, or what is left of those that were erased. */
  number: string;
  /** Different numbers that were sent to, and how many of them were verified. */
  sent: number;
  verified: number;
}

/** Points of a send that is not verified, by how close together the numbers are. */
export const spans = [
  { numbers: 100, points: 4 },
  { numbers: 1_000, points: 2 },
  { numbers: 10_000, points: 1.25 },
  // So many numbers are a block (`one_block`). A busy account sends into every block of a country, so a block counts only where a tenth of all
  // sends of the account go into it.
  { numbers: 100_000, points: 0.5, share: 0.1 },
] as const;

/** Points of a number that is as far from its neighbours as they are from theirs. */
const spacedPoints = 5;

/** Numbers of one length, sorted, each once. */
interface Line {
  at: number[];
  verified: Verification[];
}

/** The strongest case among the sends, whether or not it is enough for a stop; null where there are hardly any. */
export function sequentialNumbers(sends: readonly RecentSend[]): SequentialFound | null {
  const erased = sends.filter(({ number }) => isErased(number));
  const lines = linesOf(erased.length === 0 ? sends : sends.filter(({ number }) => !isErased(number)));
  const all = lines.reduce((sum, { at }) => sum + at.length, erased.length);
  let strongest = crowdOfErased(erased);
  for (const line of lines) {
    for (const found of [...spans.map((span) => densest(line, span, all)), longestSpaced(line)]) {
      if (found && (!strongest || found.points > strongest.points)) strongest = found;
    }
  }
  return strongest;
}

/** Points of a send whose number was erased within minutes, which honest callers hardly ever have done. */
const erasedPoints = 1.25;

/**
 * The caller that sends may erase as well, and what was erased must not go uncounted. Of such a number only the beginning is known: those with the
 * same beginning are a block, and each send to one of them is a number.
 */
function crowdOfErased(sends: readonly RecentSend[]): SequentialFound | null {
  let best: SequentialFound | null = null;
  for (const [number, same] of Map.groupBy(sends, (send) => send.number)) {
    const of = (how: Verification) => same.filter(({ verified }) => verified === how).length;
    const entered = { sent: same.length, checked: of('checked'), claimed: of('claimed') };
    const points = sendPoints(entered, erasedPoints);
    if (points <= (best?.points ?? 0)) continue;
    best = { reason: 'one_block', points, number, ...counted(entered) };
  }
  return best;
}

/** True where the numbers are to be stopped. */
export const isSequential = (found: SequentialFound | null): found is SequentialFound =>
  found !== null && found.points >= stopPoints;

/** The surest last. */
const sureness: readonly Verification[] = ['no', 'claimed', 'checked'];

/**
 * An account that sends much is looked at ten times a second, so nothing is made for each send: its number and how sure its verification is are
 * one whole number, below 2^53 with the 15 digits of E.164. Sorted, a number's surest send is its last, and longer numbers come behind.
 */
function linesOf(sends: readonly RecentSend[]): Line[] {
  const many = sureness.length;
  const marks = Float64Array.from(sends, ({ number, verified }) => Number(number) * many + sureness.indexOf(verified));
  marks.sort();
  const lines: Line[] = [];
  let longer = 0;
  for (let index = 0; index < marks.length; index += 1) {
    const at = Math.floor(value(marks, index) / many);
    if (Math.floor(value(marks, index + 1) / many) === at) continue;
    if (at >= longer) {
      lines.push({ at: [], verified: [] });
      longer = 10 ** String(at).length;
    }
    const line = lines.at(-1);
    line?.at.push(at);
    line?.verified.push(sureness[value(marks, index) % many] ?? 'no');
  }
  return lines;
}

type Span = (typeof spans)[number];

/** Adds the number at `index` to those of a window, or takes it away. */
function count(entered: Entered, { verified }: Line, index: number, by: 1 | -1): void {
  entered.sent += by;
  const how = verified[index];
  if (how === 'checked' || how === 'claimed') entered[how] += by;
}

const nothing = (): Entered => ({ sent: 0, checked: 0, claimed: 0 });

/** The window of the span's width with the most points. */
function densest(line: Line, span: Span, all: number): SequentialFound | null {
  const { at } = line;
  const least = 'share' in span ? all * span.share : 0;
  let best: SequentialFound | null = null;
  let from = 0;
  const entered = nothing();
  for (let to = 0; to < at.length; to += 1) {
    count(entered, line, to, 1);
    for (; value(at, to) - value(at, from) >= span.numbers; from += 1) count(entered, line, from, -1);
    // Verifications only take points off: most windows are passed over by their number of sends alone.
    if (entered.sent < least || entered.sent * span.points <= (best?.points ?? 0)) continue;
    const points = sendPoints(entered, span.points);
    if (points <= (best?.points ?? 0)) continue;
    const reason = span.numbers === 100_000 ? 'one_block' : 'adjacent';
    best = { reason, points, number: `+${value(at, to)}`, ...counted(entered) };
  }
  return best;
}

const counted = ({ sent, checked, claimed }: Entered) => ({ sent, verified: checked + claimed });

/** The longest row of numbers at one distance. */
function longestSpaced(line: Line): SequentialFound | null {
  const { at } = line;
  let best: SequentialFound | null = null;
  let entered = nothing();
  for (let to = 0; to < at.length; to += 1) {
    const isSpaced = entered.sent < 2 || value(at, to) - value(at, to - 1) === value(at, to - 1) - value(at, to - 2);
    if (!isSpaced) {
      entered = nothing();
      count(entered, line, to - 1, 1);
    }
    count(entered, line, to, 1);
    if (entered.sent < 3) continue;
    const points = sendPoints(entered, spacedPoints);
    if (points <= (best?.points ?? 0)) continue;
    best = { reason: 'evenly_spaced', points, number: `+${value(at, to)}`, ...counted(entered) };
  }
  return best;
}

const value = (of: ArrayLike<number>, at: number): number => of[at] ?? 0;
