// Precise local timers for the deadlines of sessions this process saved last. Only a convenience: the durable deadline is
// the row's next_at, and the sweep takes up those whose owner died.

import type { Session } from '../../core/verify/session.ts';
import type { SessionKey } from '../../db/verify/load.ts';

export interface DeadlinesOptions {
  now(): number;
  due(key: SessionKey): void;
  /** Timers held at once; beyond it the sweep does the work. Default 200 000. */
  maxTimers?: number;
}

interface Timer {
  at: number;
  handle: NodeJS.Timeout;
}

export class Deadlines {
  readonly #options: DeadlinesOptions;
  readonly #timers = new Map<string, Timer>();

  constructor(options: DeadlinesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#timers.size;
  }

  /** Follows the session's `nextAt`: sets, moves or drops its timer. */
  follow(session: Session): void {
    const held = this.#timers.get(session.id);
    if (held?.at === session.nextAt) return;
    if (held) {
      clearTimeout(held.handle);
      this.#timers.delete(session.id);
    }
    if (session.nextAt === null || this.#timers.size >= (this.#options.maxTimers ?? 200_000)) return;
    const key = { accountId: session.accountId, id: session.id };
    const handle = setTimeout(
      () => {
        this.#timers.delete(key.id);
        this.#options.due(key);
      },
      Math.max(0, session.nextAt - this.#options.now()),
    );
    handle.unref();
    this.#timers.set(session.id, { at: session.nextAt, handle });
  }

  stop(): void {
    for (const { handle } of this.#timers.values()) clearTimeout(handle);
    this.#timers.clear();
  }
}
