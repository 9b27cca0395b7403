// Timers for the deadlines of sessions. A process has a precise one for each session that it saved last; for a session that another process
// saved, and may have died with, it has a late one, which first looks whether anything is still due. They only save
// time: the durable deadline is the row's `next_at`, which is looked at again when a process dies or a timer's work can't be stored.

import type { Session } from '../../core/verify/session.ts';
import type { SessionStore } from '../../db/engine-store.ts';
import type { SessionKey } from '../../db/verify/sessions.ts';
import { dayMs } from '../../time/wall-clock.ts';
import type { EngineContext } from '../context.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** How late a deadline may be before a process that did not save the session handles it. */
const graceMs = 300;
/** Late timers ring together, at the next multiple of this time, ms. */
const tickMs = 250;
/** A deadline that could not be stored is tried again after this. */
const againMs = 1_000;
/** Sessions looked at with one statement. */
const mostAtOnce = 1_000;

/** With its handle it is 0.4 KB, and there is one for each pending session that this process saved last: no bound is needed. */
interface Timer {
  at: number;
  handle: NodeJS.Timeout;
}

export class Deadlines {
  readonly #context: EngineContext;
  readonly #db: SessionStore;
  readonly #sessions: Sessions;
  readonly #timers = new Map<string, Timer>();
  /** Sessions whose deadline is looked at late, by the tick (`tickMs`) at which. */
  readonly #late = new Map<number, Map<string, SessionKey>>();
  #tick: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(context: EngineContext, db: SessionStore, sessions: Sessions) {
    this.#context = context;
    this.#db = db;
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
    if (session.nextAt === null || this.#stopped) return;
    const key = { accountId: session.accountId, id: session.id };
    const handle = setTimeout(
      () => {
        this.#timers.delete(key.id);
        this.due(key, (early) => this.follow(early));
      },
      // Node's timers take no more than 2^31 ms, and ring at once for more: where the clock was set back by weeks. One that is early is set again.
      Math.min(dayMs, Math.max(0, session.nextAt - this.#context.now())),
    );
    handle.unref();
    this.#timers.set(session.id, { at: session.nextAt, handle });
  }

  /** The deadline (Unix ms) of a session that another process may have saved. One that is long over is done at once. */
  expect(key: SessionKey, at: number): void {
    if (this.#ringsBy(key.id, at)) return;
    if (at + graceMs <= this.#context.now()) this.due(key);
    else this.#lookLater(key, at + graceMs);
  }

  /**
   * Does what is due in the session. Returns at once; what can't be stored is tried again. `wait` is called where it is too early: a timer
   * may ring before its time, by a millisecond as Node's do, or by as much as the clock was set back meanwhile.
   */
  due({ accountId, id }: SessionKey, wait = (early: Session) => this.expect(early, early.nextAt ?? 0)): void {
    const key = { accountId, id };
    const line = 'a deadline could not be stored: it is tried again, look at the database for the cause';
    const done = this.#sessions.apply(key, { kind: 'deadline' }).then((applied) => {
      if (applied.kind !== 'applied') return;
      // Not asked of the clock again: the time may have come since it was judged too early.
      if (applied.session.nextAt !== null) wait(applied.session);
    });
    done.catch((err: unknown) => {
      this.#tell({ err, session_id: id }, line);
      this.#lookLater(key, this.#context.now() + againMs);
    });
  }

  /** Whether a timer of this process rings by then. One of an older memory may ring later than another process has set since. */
  #ringsBy(id: string, at: number): boolean {
    const held = this.#timers.get(id);
    return held !== undefined && held.at <= at;
  }

  stop(): void {
    this.#stopped = true;
    for (const { handle } of this.#timers.values()) clearTimeout(handle);
    if (this.#tick) clearTimeout(this.#tick);
    this.#timers.clear();
    this.#late.clear();
  }

  #lookLater(key: SessionKey, at: number): void {
    if (this.#stopped) return;
    const tick = Math.ceil(at / tickMs);
    const sessions = this.#late.get(tick) ?? new Map<string, SessionKey>();
    this.#late.set(tick, sessions.set(key.id, key));
    this.#wait();
  }

  #wait(): void {
    if (this.#tick || this.#late.size === 0) return;
    this.#tick = setTimeout(
      () => {
        this.#tick = null;
        this.#ring();
        this.#wait();
      },
      tickMs - (this.#context.now() % tickMs),
    );
    this.#tick.unref();
  }

  /** Looks at those whose time has come and that no timer of this process has rung for. */
  #ring(): void {
    const now = Math.floor(this.#context.now() / tickMs);
    const ringing: SessionKey[] = [];
    for (const [tick, sessions] of this.#late) {
      if (tick > now) continue;
      this.#late.delete(tick);
      for (const key of sessions.values()) if (!this.#ringsBy(key.id, tick * tickMs)) ringing.push(key);
    }
    // Each cell apart: one that is down keeps no other's deadlines waiting.
    for (const keys of Map.groupBy(ringing, ({ id }) => this.#context.cells.ofId(id)).values()) {
      while (keys.length > 0) void this.#look(keys.splice(0, mostAtOnce));
    }
  }

  async #look(keys: readonly SessionKey[]): Promise<void> {
    try {
      for (const { nextAt, ...key } of await this.#db.openSessionsAt(this.#context.fleet.processId, keys)) {
        if (nextAt !== null) this.expect(key, nextAt);
      }
    } catch (err) {
      this.#tell({ err }, 'deadlines could not be looked at: they are looked at again, check the database');
      for (const key of keys) this.#lookLater(key, this.#context.now() + againMs);
    }
  }

  /** Stopping does not wait for what is under way, and closes the database under it: another process finds the row. */
  #tell(fields: { err: unknown; session_id?: string }, line: string): void {
    if (!this.#stopped) this.#context.log.error(fields, line);
  }
}
