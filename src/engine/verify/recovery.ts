// Recovery in every cell: each has a takeover and claims of its own, which go by this process's lease there. A process may have lost one
// database and not the others, and what it held in that one alone falls to those that reach it.

import { ofCell } from '../../core/fleet/cells.ts';
import type { Shards } from '../../core/fleet/shards.ts';
import type { EngineStore } from '../../db/engine-store.ts';
import { settleAll } from '../../time/settle.ts';
import type { EngineContext } from '../context.ts';
import type { Backlog } from '../delivery/backlog.ts';
import type { UncertainSessions } from '../fleet/unknown-commits.ts';
import { RouteClaims } from './route-claims.ts';
import { type Recovering, Takeover } from './takeover.ts';

/** A database with sessions, and this process's lease in it. */
export interface EngineCell {
  name: string;
  db: EngineStore;
  fleet: EngineContext['fleet'];
}

interface CellRecovery {
  takeover: Takeover;
  claims: RouteClaims;
}

interface RecoveryRooms extends Omit<Recovering, 'uncertain'> {
  backlog: Backlog;
  /** Sessions that a broken statement may have changed, by the name of their cell. */
  uncertain: ReadonlyMap<string, UncertainSessions>;
}

export class Recovery {
  readonly #cells = new Map<string, CellRecovery>();

  constructor(context: EngineContext, cells: readonly EngineCell[], { uncertain, backlog, ...rooms }: RecoveryRooms) {
    for (const { name, db, fleet } of cells) {
      const own = { ...context, fleet };
      const ownUncertain = ofCell(uncertain, name);
      const takeover = new Takeover(own, db, { ...rooms, uncertain: ownUncertain });
      const claims = new RouteClaims(own, db, { backlog, takeover, uncertain: ownUncertain });
      this.#cells.set(name, { takeover, claims });
    }
  }

  listen(): void {
    for (const { takeover, claims } of this.#cells.values()) {
      takeover.listen();
      claims.listen();
    }
  }

  /** Sweeps one cell, or all of them. */
  sweep(cell?: string): Promise<void> {
    return this.#each(cell, ({ takeover }) => takeover.sweep());
  }

  claim(cell?: string): Promise<void> {
    return this.#each(cell, ({ claims }) => claims.claim());
  }

  /** Something may wait for any of this process's routes. */
  wantAll(): void {
    for (const { claims } of this.#cells.values()) claims.wantAll();
  }

  takeOver(range: Shards, options?: { own?: boolean }): Promise<void> {
    return this.#each(undefined, ({ takeover }) => takeover.takeOver(range, options));
  }

  /** Every cell is tried. @throws what one of them threw. */
  async #each(cell: string | undefined, run: (recovery: CellRecovery) => Promise<void>): Promise<void> {
    const chosen: Promise<void>[] = [];
    for (const [name, recovery] of this.#cells) if (cell === undefined || name === cell) chosen.push(run(recovery));
    // Mostly there is one, several times a second.
    if (chosen.length === 1) return chosen[0];
    await settleAll(chosen);
  }
}
