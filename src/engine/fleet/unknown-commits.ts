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
  #until = 0;
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: UnknownCommitsOptions) {
    this.#options = { everyMs, ...options };
  }

  /** Called when the outcome of a statement is not known. */
  add(): void {
    this.#until = this.#options.now() + abandonedMs;
    this.#searchedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether such a statement may still be committed. */
  get isOpen(): boolean {
    const { now } = this.#options;
    this.#until = Math.min(this.#until, now() + abandonedMs); // Lower where the clock was set back.
    return now() < this.#until;
  }

  /** Runs `find` after an unknown commit: at once, then once a second until no such statement can be committed any more. */
  async search(find: () => Promise<unknown>): Promise<void> {
    const at = this.#options.now();
    if (!this.isOpen || elapsedMs(this.#searchedAt, at) < this.#options.everyMs) return;
    await find();
    this.#searchedAt = at;
  }
}

/** Sessions remembered. More of them come in a long outage under full load: then all sessions of this process are looked at. */
const mostSessions = 50_000;

export class UncertainSessions {
  readonly #now: () => number;
  readonly #sessions = new Map<string, { key: SessionKey; until: number }>();
  #takenAt = Number.NEGATIVE_INFINITY;
  /** Open while all sessions of this process are to be looked at: there were more than are kept, or the statement chose them itself. */
  readonly #unknown: UnknownCommits;

  constructor({ now }: { now(): number }) {
    this.#now = now;
    this.#unknown = new UnknownCommits({ now });
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
    this.#unknown.add();
  }

  /** What is to be looked at now: at once after a failure, then once a second. `all`: all sessions of this process. */
  take(): { sessions: SessionKey[]; all: boolean } {
    const at = this.#now();
    if (this.#sessions.size === 0 && !this.#unknown.isOpen) return { sessions: [], all: false };
    if (elapsedMs(this.#takenAt, at) < everyMs) return { sessions: [], all: false };
    this.#takenAt = at;
    const sessions = [...this.#sessions.values()].map(({ key }) => key);
    for (const [id, uncertain] of this.#sessions) {
      uncertain.until = Math.min(uncertain.until, at + abandonedMs); // Lower where the clock was set back.
      if (uncertain.until <= at) this.#sessions.delete(id);
    }
    return { sessions, all: this.#unknown.isOpen };
  }
}
