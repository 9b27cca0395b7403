// The projector: it brings what follows from committed rows (measures; later rollups and the ledger) up to date within a second, outside the
// statements that commit. What this process commits is handed to it in memory, which costs the database nothing while nothing is new.
// What a process has committed and not projected when it dies is found by its mark, the time until which all of it is projected: another
// process takes the mark over and looks through what was committed since.

import type { Session } from '../../core/verify/session.ts';
import type { Queryable } from '../../db/queryable.ts';
import { moveMark, removeMark } from '../../db/reports/projections.ts';
import { Wakeup } from '../../time/on-demand.ts';
import type { Fleet } from '../fleet/members.ts';

/** What is projected, and from which rows. Each of its statements may run twice for one row, in several processes at once. */
export interface Projection<Row> {
  /** Stands in the marks. */
  readonly name: string;
  /**
   * What a change of this session may add. Called for every committed change, so it costs next to nothing, and looks at the whole session:
   * what one process did not come to is then done after the session's next change, in whichever process.
   */
  rowsOf(session: Session): readonly Row[];
  project(rows: readonly Row[]): Promise<void>;
  /** One page of what was committed from `since` (Unix ms) on, in an order of its own; `next` null = the last page. */
  find(since: number, after: string): Promise<{ found: Row[]; next: string | null }>;
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
/** How long a statement may still be committed after its connection broke: the statement timeout and a margin. */
const openMs = 20_000;
/** Rows kept while the database is away: beyond that they are found like those of a dead process. */
const mostWaiting = 10_000;
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
  #search: Search | null = null;
  /** What this process committed before this is projected. */
  #doneUntil: number;
  #hasCommitted = false;
  /** Set when `run` is to be called. */
  readonly due = new Wakeup();
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
  committed({ session }: { session: Session }): void {
    this.#hasCommitted = true;
    const rows = this.#options.projection.rowsOf(session);
    if (this.#waiting.length + rows.length > mostWaiting) this.commitUnknown();
    else this.#waiting.push(...rows);
    this.due.set();
  }

  /** Other processes are gone: their marks are looked for. */
  othersGone(): void {
    this.#looks = true;
    this.due.set();
  }

  /** Rows may be committed that this process does not know of, for example because a statement broke off. */
  commitUnknown(): void {
    this.#searchSince(this.#doneUntil);
    this.due.set();
  }

  /**
   * Projects what has come in, and looks after the marks. Resolves with when it has to run again though nothing comes in, ms.
   * @throws when the database fails: the next run goes on.
   */
  async run(): Promise<number> {
    await this.#projectWaiting();
    if (this.#untilLook() <= 0) await this.#lookAtMarks();
    await this.#searchWhenDue();
    const { now } = this.#options;
    return Math.max(0, Math.min(this.#untilLook(), this.#search ? this.#search.nextAt - now() : idleMarkEveryMs));
  }

  /** Ms until the marks are to be looked at. A clock that was set back counts as time that has passed: otherwise that might be hours. */
  #untilLook(): number {
    const at = this.#options.now();
    const mark = this.#hasCommitted || this.#movedAt === Number.NEGATIVE_INFINITY ? markEveryMs : idleMarkEveryMs;
    return this.#looks ? 0 : mark - Math.abs(at - this.#lookedAt);
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
      if (rows.length > 0) await this.#options.projection.project(rows);
    } catch (error) {
      this.#waiting = [...rows, ...this.#waiting];
      throw error;
    }
    if (!this.#search) this.#doneUntil = startedAt;
  }

  /** Moves the own mark where something was committed, or a minute has passed; takes over those of the dead. */
  async #lookAtMarks(): Promise<void> {
    const { db, projection, fleet, now } = this.#options;
    const at = now();
    const moves = this.#hasCommitted || Math.abs(at - this.#movedAt) >= idleMarkEveryMs;
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
    if (dead !== null) this.#searchSince(dead);
    // An own mark older than this process left it: a takeover was committed whose answer was lost.
    if (own !== null && own < Math.floor(this.#movedTo)) this.#searchSince(own);
    this.#lookedAt = at;
    if (doneUntil !== null) {
      this.#movedAt = at;
      this.#movedTo = doneUntil;
    } else if (own === null) {
      // Another process took this one for dead, for example while the database was away: the next look stores the mark again.
      this.#movedAt = Number.NEGATIVE_INFINITY;
    }
  }

  #searchSince(since: number): void {
    const at = this.#options.now();
    const earliest = Math.min(this.#search?.since ?? since, since);
    this.#search = { since: earliest, nextAt: at, lastAt: at + openMs, after: '', startedAt: at };
    this.#doneUntil = Math.min(this.#doneUntil, since);
  }

  async #searchWhenDue(): Promise<void> {
    const { projection, now } = this.#options;
    const search = this.#search;
    const at = now();
    if (!search || at < search.nextAt) return;
    if (search.after === '') search.startedAt = at;
    for (let pages = 0; pages < pagesPerRun; pages += 1) {
      const { found, next } = await projection.find(search.since - openMs, search.after);
      if (found.length > 0) await projection.project(found);
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
