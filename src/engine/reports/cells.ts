// The projectors of a process over its cells: each cell has marks and projectors of its own, and a change goes to those of its session's cell.

import type { CellMap } from '../../core/fleet/cells.ts';
import type { Wakeup } from '../../time/on-demand.ts';
import { settleAll } from '../../time/settle.ts';
import type { Reports } from '../context.ts';
import type { CommittedChange, Projectors } from './projector.ts';

/** The projectors of one cell, as a loop runs them. */
export interface CellReports {
  /** Of the cell. */
  name: string;
  due: Wakeup;
  /** Resolves with when they have to run again though nothing comes in, ms. @throws where one of them failed. */
  run(): Promise<number>;
}

export class ReportsOverCells implements Reports {
  /** Each runs for itself: a database that hangs keeps no other waiting. */
  readonly cells: readonly CellReports[];
  readonly #map: CellMap;
  readonly #parts: ReadonlyMap<string, Projectors>;

  /** `parts`: by the name of their cell. */
  constructor(map: CellMap, parts: ReadonlyMap<string, Projectors>) {
    this.#map = map;
    this.#parts = parts;
    this.cells = [...parts].map(([name, part]) => ({ name, due: part.due, run: () => part.run() }));
  }

  committed(change: CommittedChange): void {
    this.#parts.get(this.#map.ofId(change.session.id))?.committed(change);
  }

  commitUnknown(): void {
    for (const part of this.#parts.values()) part.commitUnknown();
  }

  /** Other processes are gone in a cell: their marks are looked for there. */
  othersGone(cell: string): void {
    this.#parts.get(cell)?.othersGone();
  }

  /** Stores the first marks: before this process commits anything. Of these cells, or of all. */
  async begin(cells: readonly string[] = [...this.#parts.keys()]): Promise<void> {
    await Promise.all(cells.map((cell) => this.#parts.get(cell)?.begin()));
  }

  /** @throws after all have ended, where one of them failed. */
  async end(): Promise<void> {
    await settleAll([...this.#parts.values()].map((part) => part.end()));
  }
}
