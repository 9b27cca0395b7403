// Commits of unknown outcome: when a connection breaks during a statement, nobody knows whether the statement was committed. If it was, its
// rows name this process as their holder, and no other process takes them while this one lives. So this process looks for them itself:
// at the sessions of the statement where they are known (`UncertainSessions`), else among all rows of its own (`UnknownCommits`).

import { mayBeStored } from '../../db/outage.ts';
import type { SessionKey } from '../../db/verify/sessions.ts';
import { elapsedMs } from '../../time/wall-clock.ts';

/** How long an abandoned statement may still be committed: the statement timeout and a margin. */
export const abandonedMs = 20_000;

/** The pause between two looks for what an abandoned statement may have stored, ms. */
const everyMs = 1_000;

/** Calls `onUnknownCommit` where the statement was cut off by an outage, and so may have been committed. @throws what the statement throws. */
export async function noticeUnknownCommit<Result>(
  statement: Promise<Result>,
  onUnknownCommit: () => void,
): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    if (mayBeStored(error)) onUnknownCommit();
    throw error;
  }
}

export interface UnknownCommitsOptions {
  now(): number;
  /** The pause between two searches, ms. Default 1 000. */
  everyMs?: number;
}

export class UnknownCommits {
  readonly #options: Required<UnknownCommitsOptions>;
  /** When no such statement can be committed any more, Unix ms; null = everything is found. */
  #until: number | null = null;
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: UnknownCommitsOptions) {
    this.#options = { everyMs, ...options };
  }

  /** Called when the outcome of a statement is not known. */
  add(): void {
    this.#until = this.#options.now() + abandonedMs;
    this.#searchedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether such a statement may have stored what is not found yet. Time alone closes nothing: a search may have been impossible meanwhile. */
  get isOpen(): boolean {
    return this.#until !== null;
  }

  /**
   * Runs `find` after an unknown commit: at once, then once a second. The last run is one that succeeds and began when no such statement could be
   * committed any more.
   */
  async search(find: () => Promise<unknown>): Promise<void> {
    const { now, everyMs } = this.#options;
    const at = now();
    if (this.#until === null || elapsedMs(this.#searchedAt, at) < everyMs) return;
    this.#until = Math.min(this.#until, at + abandonedMs); // Lower where the clock was set back.
    try {
      await find();
    } catch (error) {
      this.#until = now() + abandonedMs; // A server that does not answer may commit once it goes on.
      throw error;
    }
    this.#searchedAt = at;
    if (this.#until <= at) this.#until = null; // Later by now where a further statement broke off meanwhile.
  }
}

/** Sessions remembered. More of them come in a long outage under full load: then all sessions of this process are looked at. */
const mostSessions = 50_000;

export class UncertainSessions {
  readonly #now: () => number;
  readonly #sessions = new Map<string, { key: SessionKey; until: number }>();
  #takenAt = Number.NEGATIVE_INFINITY;
  /** Until when all sessions of this process are to be looked at, Unix ms: there were more than are kept, or the statement chose them itself. */
  #allUntil = 0;

  constructor({ now }: { now(): number }) {
    this.#now = now;
  }

  /** Called when the outcome of a statement about these sessions is not known, or when one of them can't be acted on now. */
  add(keys: readonly SessionKey[]): void {
    this.#takenAt = Number.NEGATIVE_INFINITY;
    const until = this.#now() + abandonedMs;
    for (const { accountId, id } of keys) {
      this.#sessions.delete(id);
      this.#sessions.set(id, { key: { accountId, id }, until });
    }
    if (this.#sessions.size <= mostSessions) return;
    this.#sessions.clear();
    this.addUnknown();
  }

  /** Called when the outcome of a statement that chose its sessions itself, as a claim does, is not known. */
  addUnknown(): void {
    this.#takenAt = Number.NEGATIVE_INFINITY;
    this.#allUntil = this.#now() + abandonedMs;
  }

  /** What is to be looked at now: at once after a failure, then once a second. `all`: all sessions of this process. */
  take(): { sessions: SessionKey[]; all: boolean } {
    const at = this.#now();
    this.#allUntil = Math.min(this.#allUntil, at + abandonedMs); // Lower where the clock was set back.
    const all = at < this.#allUntil;
    if (this.#sessions.size === 0 && !all) return { sessions: [], all };
    if (elapsedMs(this.#takenAt, at) < everyMs) return { sessions: [], all: false };
    this.#takenAt = at;
    const sessions = [...this.#sessions.values()].map(({ key }) => key);
    for (const [id, uncertain] of this.#sessions) {
      uncertain.until = Math.min(uncertain.until, at + abandonedMs);
      if (uncertain.until <= at) this.#sessions.delete(id);
    }
    return { sessions, all };
  }
}
