// The signs by which a process knows that an account's sends deserve a look: crowds of neighbouring numbers among its own sends, counted in memory.
// Nothing is decided by them: the look is at committed rows, those of all processes.

import { CountSketch } from '../../collections/count-sketch.ts';
import { BoundedMap } from '../../collections/small-maps.ts';
import { stopPoints } from '../../core/limits/points.ts';
import { sequentialMs, spans } from '../../core/limits/sequential-numbers.ts';
import { elapsedMs } from '../../time/wall-clock.ts';

/** Accounts that are remembered. */
const mostAccounts = 10_000;
/** Between two looks at a crowd that grows fast, at one that does not, and at an account without any. */
const lookMs = { fast: 100, slow: 1_000, calm: 5_000 } as const;
/** An account without a crowd that sends less than this is looked at once a minute. */
const fewSends = 10;
const fewMs = 60_000;

/** An account that has sent something since it was last looked at. */
interface Watched {
  sends: number;
  lookedAt: number;
  /** When its conversion was last looked at. */
  conversionAt: number;
  /** Points of the last look. */
  points: number;
  /** The number that made a crowd; null = there is none. */
  crowded: string | null;
}

/** A look that is due. */
export interface Look {
  accountId: string;
  /** The number that made a crowd; null = there is none. */
  crowded: string | null;
  /** Whether the account's conversion is to be looked at, too. */
  checksConversion: boolean;
}

export class Crowds {
  readonly #sketch = new CountSketch(sequentialMs / 2);
  readonly #watched = new BoundedMap<string, Watched>(mostAccounts);

  /**
   * A live session was opened here. `processes`: how many live, each of which sees its part of an attack. Returns true where a look is
   * due sooner than it was: the loop sleeps until the time that it was told.
   */
  add(accountId: string, to: string, { now, processes }: { now: number; processes: number }): boolean {
    const watched = this.#of(accountId, now);
    watched.sends += 1;
    let isCrowded = false;
    for (const { numbers, points } of spans) {
      const digits = Math.log10(numbers);
      const count = this.#sketch.add(`${accountId}${digits}${to.slice(0, -digits)}`, now);
      isCrowded ||= count >= Math.max(2, stopPoints / (points * 2 * processes));
    }
    if (!isCrowded) return watched.sends === 1 || watched.sends === fewSends;
    const isNew = watched.crowded === null;
    watched.crowded = to;
    return isNew || watched.sends === 1 || watched.sends === fewSends;
  }

  /**
   * Looks that are due now, for each of which `begin` and then `setPoints` are to be called. First the one that has waited for most of its
   * own turns: so a crowd comes before an account without one, and where they are too many for this process each still has its share.
   */
  due(now: number): Look[] {
    const due: (Look & { turns: number })[] = [];
    for (const [accountId, watched] of this.#watched) {
      if (watched.sends === 0 || this.#leftMs(watched, now) > 0) continue;
      const turns = elapsedMs(watched.lookedAt, now) / everyMs(watched);
      const checksConversion = elapsedMs(watched.conversionAt, now) >= lookMs.calm;
      due.push({ accountId, crowded: watched.crowded, checksConversion, turns });
    }
    return due.sort((one, other) => other.turns - one.turns).map(({ turns: _, ...look }) => look);
  }

  /** Ms until the next look is due; null while nothing is sent. */
  nextMs(now: number): number | null {
    let next: number | null = null;
    for (const watched of this.#watched.values()) {
      if (watched.sends > 0) next = Math.min(next ?? fewMs, Math.max(0, this.#leftMs(watched, now)));
    }
    return next;
  }

  /** The account's rows are about to be read: whatever is sent from now on may not be in them. */
  begin({ accountId, checksConversion }: Look, now: number): void {
    const watched = this.#of(accountId, now);
    Object.assign(watched, { sends: 0, lookedAt: now, points: 0, crowded: null });
    if (checksConversion) watched.conversionAt = now;
  }

  /** The points that a look has found. */
  setPoints(accountId: string, points: number, now: number): void {
    this.#of(accountId, now).points = points;
  }

  #of(accountId: string, now: number): Watched {
    const known = this.#watched.get(accountId);
    if (known) return known;
    const watched: Watched = { sends: 0, lookedAt: now - lookMs.calm, conversionAt: 0, points: 0, crowded: null };
    this.#watched.set(accountId, watched);
    return watched;
  }

  /** Ms until the next look at the account; 0 or less where it is due. */
  #leftMs(watched: Watched, now: number): number {
    return everyMs(watched) - elapsedMs(watched.lookedAt, now);
  }
}

/** The pause between two looks at the account, ms. */
function everyMs({ sends, points, crowded }: Watched): number {
  if (crowded === null) return sends >= fewSends ? lookMs.calm : fewMs;
  return points >= stopPoints / 4 || sends >= fewSends ? lookMs.fast : lookMs.slow;
}
