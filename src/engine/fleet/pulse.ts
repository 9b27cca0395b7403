// The pulse of a process: one statement about once a second, by which it renews its leases, says how loaded its routes are, and learns what
// has changed. Whatever else a process does while nobody calls begins with what a pulse has found.

import { EventEmitter } from 'node:events';
import type { EngineStore } from '../../db/engine-store.ts';
import type { PulseFound } from '../../db/fleet/pulse.ts';
import type { Fleet } from './members.ts';
import type { Slots } from './slots.ts';

/**
 * The time between the beginnings of two pulses, ms. A change made anywhere (a key revoked, an account suspended) holds in this process after
 * that time and one statement; the documentation promises a second.
 */
const everyMs = 800;
/** The shortest pause between two pulses, ms, however long the database takes. */
const leastMs = 200;
/** How long after the end of another process's lease the next pulse comes, ms: by the database's clock the lease has ended by then. */
const afterEndMs = 10;

export interface PulseEvents {
  /** `startedAt`: when the statement was sent, Unix ms. Emitted after the leases were renewed. */
  found: [found: PulseFound, startedAt: number];
}

/** Loads of this process's routes, which the pulse stores for the others. */
export interface OwnLoads {
  /** JSON, an object of `RouteLoad` by route; null = as they were last stored. */
  changed(): string | null;
  /** What `changed` said is stored. */
  stored(loads: string): void;
}

export interface PulseOptions {
  db: EngineStore;
  fleet: Fleet;
  slots: Pick<Slots, 'leased' | 'renewed'>;
  loads: OwnLoads;
}

export class Pulse {
  readonly events = new EventEmitter<PulseEvents>();
  readonly #options: PulseOptions;
  #last: PulseFound | null = null;
  /** The state of this process's binds as the last pulse stored it. */
  #said = '';

  constructor(options: PulseOptions) {
    this.#options = options;
  }

  /** What the last one has found; null before the first. */
  get last(): PulseFound | null {
    return this.#last;
  }

  /** Resolves with how long the next one may wait, ms: sooner than usual where the lease of a silent process ends before. */
  async beat(): Promise<number> {
    const { db, fleet, slots, loads } = this.#options;
    const startedAt = fleet.now();
    const leased = slots.leased();
    const changed = loads.changed();
    const { processId, leaseMs } = fleet;
    const said = leased.map(({ operator, n, bound }) => `${operator} ${n} ${bound}`).join();
    // Where a bind is lost or comes up here, most often the others' do so in the same moment: what they say is wanted at once, too.
    const mostMs = said === this.#said ? everyMs : leastMs;
    this.#said = said;
    const found = await db.pulse({ processId, leaseMs, loads: changed, slots: leased });
    if (changed !== null) loads.stored(changed);
    this.#last = found;
    fleet.renewed(startedAt, found.others);
    slots.renewed(startedAt, { asked: leased.length, ...found });
    this.events.emit('found', found, startedAt);
    const ends = found.others.flatMap(({ leftMs }) => (leftMs > 0 ? [leftMs + afterEndMs] : []));
    // `everyMs` at most: a clock that was set back meanwhile would ask for hours.
    return Math.min(mostMs, Math.max(leastMs, startedAt + everyMs - fleet.now()), ...ends);
  }
}
