// Precise local timers for the deadlines of sessions that this process saved last. They only save time: the durable deadline is the row's
// `next_at`, and the sweep takes up deadlines whose process died.

import type { Session } from '../../core/verify/session.ts';
import type { SessionKey } from '../../db/verify/sessions.ts';
import type { EngineContext } from '../context.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** Timers held at once; beyond it the sweep does the work. */
const maxTimers = 200_000;

interface Timer {
  at: number;
  handle: NodeJS.Timeout;
}

export class Deadlines {
  readonly #context: EngineContext;
  readonly #sessions: Sessions;
  readonly #timers = new Map<string, Timer>();

  constructor(context: EngineContext, sessions: Sessions) {
    this.#context = context;
    this.#sessions = sessions;
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
    if (session.nextAt === null || this.#timers.size >= maxTimers) return;
    const key = { accountId: session.accountId, id: session.id };
    const handle = setTimeout(
      () => {
        this.#timers.delete(key.id);
        this.due(key);
      },
      Math.max(0, session.nextAt - this.#context.now()),
    );
    handle.unref();
    this.#timers.set(session.id, { at: session.nextAt, handle });
  }

  /** Does what is due in the session. Returns at once; a failure is left to the sweep: the row still says what is due. */
  due(key: SessionKey): void {
    const line = 'a deadline could not be stored: a sweep takes it up, look at the database for the cause';
    const failed = (err: unknown) => this.#context.log.error({ err, session_id: key.id }, line);
    this.#sessions.apply(key, { kind: 'deadline' }).catch(failed);
  }

  stop(): void {
    for (const { handle } of this.#timers.values()) clearTimeout(handle);
    this.#timers.clear();
  }
}
