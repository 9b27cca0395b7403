// Sessions of statements whose outcome is not known: a connection that breaks under a statement leaves open whether it was committed. If it
// was, its rows name this process, and no other takes them while this one lives. So this process looks at these sessions
// until no such statement can be committed any more.

import type { SessionKey } from '../../db/verify/sessions.ts';
import { openMs, UnknownCommits } from './unknown-commits.ts';

/** Between two looks. */
const everyMs = 1_000;
/** Sessions looked at; beyond it, in a long outage under full load, everything is looked through. */
const mostSessions = 50_000;

export class UncertainSessions {
  readonly #now: () => number;
  readonly #sessions = new Map<string, { key: SessionKey; until: number }>();
  #takenAt = Number.NEGATIVE_INFINITY;
  /** Everything is to be looked through: there were more than are kept, or nobody knows which. */
  readonly #unknown: UnknownCommits;

  constructor({ now }: { now(): number }) {
    this.#now = now;
    this.#unknown = new UnknownCommits({ now });
  }

  /** Called when the outcome of a statement over these sessions is not known, or one of them can't be acted on now. */
  add(keys: readonly SessionKey[]): void {
    this.#takenAt = Number.NEGATIVE_INFINITY;
    const until = this.#now() + openMs;
    for (const { accountId, id } of keys) {
      this.#sessions.delete(id);
      this.#sessions.set(id, { key: { accountId, id }, until });
    }
    if (this.#sessions.size <= mostSessions) return;
    this.#sessions.clear();
    this.addUnknown();
  }

  /** The same for a statement that finds its sessions itself. */
  addUnknown(): void {
    this.#takenAt = Number.NEGATIVE_INFINITY;
    this.#unknown.add();
  }

  /** What is to be looked at now: at once after a failure, then once a second. */
  take(): { sessions: SessionKey[]; all: boolean } {
    const at = this.#now();
    if (this.#sessions.size === 0 && !this.#unknown.isOpen) return { sessions: [], all: false };
    // A clock that was set back counts as time that has passed, and makes nothing uncertain for longer.
    if (Math.abs(at - this.#takenAt) < everyMs) return { sessions: [], all: false };
    this.#takenAt = at;
    const sessions = [...this.#sessions.values()].map(({ key }) => key);
    for (const [id, uncertain] of this.#sessions) {
      uncertain.until = Math.min(uncertain.until, at + openMs);
      if (uncertain.until <= at) this.#sessions.delete(id);
    }
    return { sessions, all: this.#unknown.isOpen };
  }
}
