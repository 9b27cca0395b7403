// Who is killed, frozen or cut off, and when: decided before the run, from the seed alone. Here the plan for two servers and Postgres;
// plan-owners.ts has that for servers with peer ports.
import type { Random } from './random.ts';

/** The servers of a run, as many of them as it has. */
export const serverNames = ['a', 'b', 'c', 'd'] as const;

export type Server = (typeof serverNames)[number];
export type Part = Server | 'postgres';

export type Fault =
  /** SIGKILL to all of them at once; each is started again after its own pause. */
  | { kind: 'kill'; atMs: number; parts: { part: Part; restartAfterMs: number }[] }
  /**
   * SIGSTOP, and SIGCONT when the time is over: longer than the lease, so that the others take over from a living process, and longer
   * than every lease where it is the database.
   */
  | { kind: 'freeze'; atMs: number; part: Part; forMs: number }
  /** Nothing passes between the peer ports of these and of all others; what was on its way arrives when the time is over. */
  | { kind: 'cut'; atMs: number; parts: Server[]; forMs: number };

export interface PlanOptions {
  /** How long load runs. Faults lie between `headMs` and its end. */
  durationMs: number;
  kills: number;
  freezes: number;
  freezeMs: number;
  /** Quiet at the beginning, so that there is something to lose. */
  headMs: number;
}

/** Every kind comes early, so that a short run has them all. */
const first: readonly Part[][] = [['a'], ['b'], ['a', 'b'], ['postgres'], ['a', 'b', 'postgres']];
/** Then at random, each server more often than the rest. */
const later: readonly Part[][] = [
  ['a'],
  ['a'],
  ['a'],
  ['b'],
  ['b'],
  ['b'],
  ['postgres'],
  ['postgres'],
  ['a', 'b'],
  ['a', 'postgres'],
  ['b', 'postgres'],
  ['a', 'b', 'postgres'],
] as Part[][];

/** Frozen in turn with the database. */
const servers: readonly Server[] = ['a', 'b'];

const maxPauseMs = 1_000;

/** One fault in each of as many equal stretches, at a random point of its first 70 %; freezes are spread over the run. */
export function planFaults({ durationMs, kills, freezes, freezeMs, headMs }: PlanOptions, random: Random): Fault[] {
  // A freeze takes as long as it lasts; the stretches of kills are what is left.
  const stretchMs = (durationMs - headMs - freezes * freezeMs) / Math.max(1, kills);
  const freezeAfter = new Set(
    Array.from({ length: freezes }, (_, index) => Math.floor(((index + 1) * kills) / (freezes + 1))),
  );
  const faults: Fault[] = [];
  let stretchAt = headMs;
  let frozen = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const parts = first[kill] ?? random.pick(later);
    const withPauses = parts.map((part) => ({ part, restartAfterMs: random.int(maxPauseMs) }));
    faults.push({ kind: 'kill', atMs: Math.round(stretchAt + random.next() * 0.7 * stretchMs), parts: withPauses });
    stretchAt += stretchMs;
    if (!freezeAfter.has(kill + 1)) continue;
    const part: Part = frozen % 2 === 0 ? random.pick(servers) : 'postgres';
    faults.push({ kind: 'freeze', atMs: Math.round(stretchAt), part, forMs: freezeMs });
    frozen += 1;
    stretchAt += freezeMs;
  }
  return faults;
}
