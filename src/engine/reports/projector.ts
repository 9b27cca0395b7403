// The projector: it brings what follows from committed rows (measures, rollups) up to date within a second, outside the statements that
// commit. What this process commits is handed to it in memory, which costs the database nothing while nothing is new.
// What a process has committed and not projected when it dies is found by its mark, the time until which all of it is projected: another
// process takes the mark over and looks through what was committed since.

import type { Queryable } from '../../db/queryable.ts';
import { moveMark, removeMark } from '../../db/reports/projections.ts';
import { Wakeup } from '../../time/on-demand.ts';
import { settleAll } from '../../time/settle.ts';
import { elapsedMs } from '../../time/wall-clock.ts';
import type { Committed, Reports } from '../context.ts';
import type { Fleet } from '../fleet/members.ts';
import { abandonedMs } from '../fleet/unknown-commits.ts';

export type CommittedChange = Pick<Committed, 'before' | 'session' | 'transaction'>;

/** What is projected, and from which rows. */
export interface Projection<Row> {
  /** Stands in the marks. */
  readonly name: string;
  /** Ms between two runs that project something; what comes meanwhile is projected together. Default 0. */
  readonly everyMs?: number;
  /** Rows kept while the database is away: beyond that they are found like those of a dead process. Default 10 000. */
  readonly mostWaiting?: number;
  /** What a committed change may add. Called for every change, so it costs next to nothing. */
  rowsOf(change: CommittedChange): readonly Row[];
  /**
   * Rows that were committed until `at` (Unix ms). Where it failed, it may have been committed all the same: the same rows come again in the
   * same order, with new ones behind them.
   */
  project(rows: readonly Row[], at: number): Promise<void>;
  /**
   * Brings one page of what any process committed from `since` until `at` (Unix ms) up to date. Returns the next page, null after the last
   * one. May run twice for one row, in several processes at once.
   */
  repair(since: number, after: string, at: number): Promise<string | null>;
}

export interface ProjectorOptions<Row> {
  db: Queryable;
  fleet: Pick<Fleet, 'processId' | 'mayTakeOver'>;
  now(): number;
  projection: Projection<Row>;
}

/** Between two marks while something is committed, and while nothing is. */
const markEveryMs = 1_000;
const idleMarkEveryMs = 60_000;
/** Of a search, at one run: where many accounts are looked through, new rows and the end of this process do not wait for all of them. */
const pagesPerRun = 10;

/** Rows that were committed and are not in memory here: they are looked for at once, and once more when nothing can come any more. */
interface Search {
  since: number;
  nextAt: number;
  lastAt: number;
  /** The page to go on with; '' = the first. */
  after: string;
  startedAt: number;
}

export class Projector<Row> {
  readonly #options: ProjectorOptions<Row>;
  #waiting: Row[] = [];
  #projectedAt = Number.NEGATIVE_INFINITY;
  #search: Search | null = null;
  /** What this process committed before this is projected. */
  #doneUntil: number;
  #hasCommitted = false;
  /** Whether the marks are to be looked at, though nothing was committed. */
  #looks = false;
  /** When the marks were last looked at, and when this process's own was last moved, and where to. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #movedAt = Number.NEGATIVE_INFINITY;
  #movedTo = Number.NEGATIVE_INFINITY;

  constructor(options: ProjectorOptions<Row>) {
    this.#options = options;
    this.#doneUntil = options.now();
  }

  /** Stores the first mark: before this process commits anything. */
  async begin(): Promise<void> {
    await this.#lookAtMarks();
  }

  /** A change of the session is committed. */
  committed(change: CommittedChange): void {
    this.#hasCommitted = true;
    const { projection } = this.#options;
    const { mostWaiting = 10_000 } = projection;
    const rows = projection.rowsOf(change);
    if (this.#waiting.length + rows.length > mostWaiting) this.commitUnknown();
    else this.#waiting.push(...rows);
  }

  /** Other processes are gone: their marks are looked for. */
  othersGone(): void {
    this.#looks = true;
  }

  /** Rows may be committed that this process does not know of, for example because a statement broke off. */
  commitUnknown(): void {
    this.#searchSince(this.#doneUntil);
  }

  /**
   * Projects what has come in, and looks after the marks. Resolves with when it has to run again though nothing comes in, ms.
   * @throws when the database fails: the next run goes on.
   */
  async run(): Promise<number> {
    if (this.#waiting.length === 0 || this.#untilProjected() <= 0) await this.#projectWaiting();
    if (this.#untilLook() <= 0) await this.#lookAtMarks();
    await this.#searchWhenDue();
    const { now } = this.#options;
    const search = this.#search ? this.#search.nextAt - now() : idleMarkEveryMs;
    const waiting = this.#waiting.length > 0 ? this.#untilProjected() : idleMarkEveryMs;
    return Math.max(0, Math.min(this.#untilLook(), search, waiting));
  }

  /** Ms until rows are to be projected again. */
  #untilProjected(): number {
    const { now, projection } = this.#options;
    return (projection.everyMs ?? 0) - elapsedMs(this.#projectedAt, now());
  }

  /** Ms until the marks are to be looked at. */
  #untilLook(): number {
    const at = this.#options.now();
    const mark = this.#hasCommitted || this.#movedAt === Number.NEGATIVE_INFINITY ? markEveryMs : idleMarkEveryMs;
    return this.#looks ? 0 : mark - elapsedMs(this.#lookedAt, at);
  }

  /** For a process that commits nothing any more: projects the rest, and leaves nothing to take over. */
  async end(): Promise<void> {
    const { db, projection, fleet } = this.#options;
    await this.#projectWaiting();
    // A search that is not finished is left to another process, by the mark.
    if (!this.#search) await removeMark(db, projection.name, fleet.processId);
  }

  async #projectWaiting(): Promise<void> {
    const startedAt = this.#options.now();
    const rows = this.#waiting;
    this.#waiting = [];
    try {
      if (rows.length > 0) await this.#options.projection.project(rows, startedAt);
    } catch (error) {
      this.#waiting = [...rows, ...this.#waiting];
      throw error;
    }
    if (rows.length > 0) this.#projectedAt = startedAt;
    if (!this.#search) this.#doneUntil = startedAt;
  }

  /** Moves the own mark where something was committed, or a minute has passed; takes over those of the dead. */
  async #lookAtMarks(): Promise<void> {
    const { db, projection, fleet, now } = this.#options;
    const at = now();
    const moves = this.#hasCommitted || elapsedMs(this.#movedAt, at) >= idleMarkEveryMs;
    const doneUntil = moves ? this.#doneUntil : null;
    this.#hasCommitted = false;
    this.#looks = false;
    const { processId, mayTakeOver } = fleet;
    const mark = { projector: projection.name, processId, doneUntil, mayTakeOver };
    const { dead, own } = await moveMark(db, mark).catch((error) => {
      this.#looks = true;
      this.#hasCommitted ||= moves;
      throw error;
    });
    // An own mark older than this process left it: a takeover was committed whose answer was lost.
    const lost = own !== null && own < Math.floor(this.#movedTo) ? own : null;
    this.#lookedAt = at;
    if (doneUntil !== null) {
      this.#movedAt = at;
      this.#movedTo = doneUntil;
    }
    for (const since of [dead, lost]) {
      if (since === null) continue;
      this.#searchSince(since);
      // The row has this time by now, or a later one: at the next look that is no loss.
      this.#movedTo = Math.min(this.#movedTo, since);
    }
    if (doneUntil === null && own === null) {
      // Another process took this one for dead, for example while the database was away: the next look stores the mark again.
      this.#movedAt = Number.NEGATIVE_INFINITY;
    }
  }

  #searchSince(since: number): void {
    const at = this.#options.now();
    // A time that is still to come is of a clock that was ahead: what is committed from now on lies before it.
    const earliest = Math.min(this.#search?.since ?? since, since, at);
    this.#search = { since: earliest, nextAt: at, lastAt: at + abandonedMs, after: '', startedAt: at };
    this.#doneUntil = Math.min(this.#doneUntil, earliest);
  }

  async #searchWhenDue(): Promise<void> {
    const { projection, now } = this.#options;
    const search = this.#search;
    const at = now();
    if (!search) return;
    // After a clock was set back the time that was left may be left at most, and not all of what it was set back by.
    search.startedAt = Math.min(search.startedAt, at);
    search.lastAt = Math.min(search.lastAt, at + abandonedMs);
    search.nextAt = Math.min(search.nextAt, search.after === '' ? search.lastAt : at);
    if (at < search.nextAt) return;
    if (search.after === '') search.startedAt = at;
    for (let pages = 0; pages < pagesPerRun; pages += 1) {
      const next = await projection.repair(search.since - abandonedMs, search.after, now());
      if (this.#search !== search) return; // Further commits are unknown by now: the search begins again.
      if (next === null) {
        const isLast = search.startedAt >= search.lastAt;
        this.#search = isLast ? null : { ...search, nextAt: search.lastAt, after: '' };
        return;
      }
      search.after = next;
    }
  }
}

type AnyProjector = Pick<Projector<unknown>, 'committed' | 'commitUnknown' | 'othersGone' | 'begin' | 'run' | 'end'>;

/** Several projectors that are run as one. */
export class Projectors implements Reports {
  /** Set when `run` is to be called. */
  readonly due = new Wakeup();
  readonly #all: readonly AnyProjector[];

  constructor(all: readonly AnyProjector[]) {
    this.#all = all;
  }

  committed(change: CommittedChange): void {
    for (const each of this.#all) each.committed(change);
    this.due.set();
  }

  commitUnknown(): void {
    for (const each of this.#all) each.commitUnknown();
    this.due.set();
  }

  othersGone(): void {
    for (const each of this.#all) each.othersGone();
    this.due.set();
  }

  async begin(): Promise<void> {
    await Promise.all(this.#all.map((each) => each.begin()));
  }

  /** Resolves with when one of them has to run again though nothing comes in, ms. @throws after all have run, where one of them failed. */
  async run(): Promise<number> {
    return Math.min(...(await settleAll(this.#all.map((each) => each.run()))));
  }

  async end(): Promise<void> {
    await settleAll(this.#all.map((each) => each.end()));
  }
}
