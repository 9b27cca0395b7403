// Faults that a deployment with peer ports must survive, decided before the run from the seed alone: the owner of some numbers is killed,
// stands still and wakes up, or is cut off from the other processes while all of them still reach the database, and the database stalls.
import type { Fault, Server } from './plan.ts';
import type { Random } from './random.ts';

export interface OwnersPlanOptions {
  /** Where the faults end; they begin at `headMs`. */
  durationMs: number;
  headMs: number;
  servers: readonly Server[];
}

const kinds = ['freeze', 'kill', 'cut', 'stall'] as const;
const freezeMs = 10_000;
const stallMs = 2_000;
const cutMs = 5_000;
/** Longer than a lease, or shorter: others take over, or it comes back before they do. */
const maxRestartMs = 6_000;
const minGapMs = 2_000;
const maxGapMs = 5_000;

/** Each kind once in every round, in an order of its own, with a few seconds between two faults, for as long as there is room. */
export function planOwnersFaults({ durationMs, headMs, servers }: OwnersPlanOptions, random: Random): Fault[] {
  const faults: Fault[] = [];
  let atMs = headMs;
  let left: (typeof kinds)[number][] = [];
  for (;;) {
    if (left.length === 0) left = [...kinds];
    const kind = left.splice(random.int(left.length), 1)[0] as (typeof kinds)[number];
    const part = random.pick(servers);
    const fault = faultOf(kind, atMs, part, servers, random);
    const endMs = atMs + (fault.kind === 'kill' ? maxRestartMs : fault.forMs);
    if (endMs > durationMs) return faults;
    faults.push(fault);
    atMs = endMs + minGapMs + random.int(maxGapMs - minGapMs);
  }
}

function faultOf(
  kind: (typeof kinds)[number],
  atMs: number,
  part: Server,
  servers: readonly Server[],
  random: Random,
): Fault {
  switch (kind) {
    case 'freeze':
      return { kind, atMs, part, forMs: freezeMs };
    case 'stall':
      return { kind: 'freeze', atMs, part: 'postgres', forMs: stallMs };
    case 'cut':
      // One from the others, or each from each.
      return { kind, atMs, parts: random.chance(0.5) ? [part] : [...servers], forMs: cutMs };
    case 'kill':
      return { kind, atMs, parts: [{ part, restartAfterMs: random.int(maxRestartMs) }] };
  }
}
