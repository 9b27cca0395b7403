// Watches of sessions. What this process changes is seen at once. Any other may change them, too: those that can be asked say when they
// have, and while one lives that can not be asked, all that are watched here are read again in one batch five times a second.

import { isOutgoing, isTerminal, type Session } from '../../core/verify/session.ts';
import { Lanes } from '../../db/batch.ts';
import type { EngineReads } from '../../db/engine-store.ts';
import type { FoundSession, Loaded, SessionKey } from '../../db/verify/sessions.ts';
import { isDoneWithin } from '../../time/alarm.ts';
import { Wakeup } from '../../time/on-demand.ts';
import { elapsedMs } from '../../time/wall-clock.ts';
import type { EngineContext } from '../context.ts';
import { isSessionId, type Lookup, type SessionName } from './lookup.ts';
import { WatchHints } from './watch-hints.ts';

export interface WatchedSession extends FoundSession {
  /** Nothing comes after it. */
  last: boolean;
}

/** Between two readings of what is watched, ms: while another process may change it in silence, and while none does, for what is lost. */
const readEveryMs = 200;
const readCoveredEveryMs = 2_000;
/** Watches whose receipts are read at once in a cell: they share the readers' connections with lists and lookups, and must not take them all. */
const mostReading = 3;

interface Watched {
  /** Null until a watcher's first reading has found the session for its account. */
  key: SessionKey | null;
  /** The last that its watchers have; 0 while none has any. */
  version: number;
  listeners: Set<(session: Session) => void>;
  /** The last reading that is on its way. */
  reading: Promise<void> | null;
}

interface Known {
  key: SessionKey;
  watched: Watched;
}

export class Watches {
  readonly #lookup: Lookup;
  readonly #now: () => number;
  readonly #hints: WatchHints;
  #readAllAt = 0;
  /** Set when the first watch begins. */
  readonly begun = new Wakeup();
  readonly #sessions: Lanes<SessionKey, Loaded | null>;
  readonly #cellOf: (key: { id: string }) => string;
  readonly #reading = new Map<string, AtMost>();
  /** Cells whose readings are on their way for longer than the pause, and whether something of theirs should have been read meanwhile. */
  readonly #late = new Map<string, boolean>();
  /** Why the last reading of a cell failed. */
  readonly #failed = new Map<string, unknown>();
  /** Watched sessions, by their ids. */
  readonly #watched = new Map<string, Watched>();
  #listeners = 0;

  constructor(context: EngineContext, lookup: Lookup, reads: EngineReads) {
    const { now, events, cells, observe } = context;
    const { lane } = observe;
    this.#lookup = lookup;
    this.#now = now;
    this.#hints = new WatchHints(context, (id, version) => {
      // One that can't be read is read by the next run.
      this.#hinted(id, version).catch(() => {});
    });
    events.on('committed', ({ session }) => this.#changed(session));
    const load = (keys: readonly SessionKey[]) => reads.loadSessions(keys);
    this.#cellOf = ({ id }) => cells.ofId(id);
    this.#sessions = new Lanes(this.#cellOf, load, { name: 'watch', ...(lane ? { observe: lane } : {}) });
  }

  /** Number of watchers; several of one session count each. */
  get size(): number {
    return this.#listeners;
  }

  /**
   * Reads what is watched, and wakes the watchers of each session that has changed since. Resolves with when that is to be done again, ms;
   * null = once `begun` is set.
   */
  async runOnce(): Promise<number | null> {
    const known = this.#known();
    if (known.length === 0) return null;
    const { isCovered, fresh } = await this.#hints.cover(known.map(({ key }) => key.id));
    const at = this.#now();
    const isAll = !isCovered || elapsedMs(this.#readAllAt, at) >= readCoveredEveryMs;
    if (isAll) this.#readAllAt = at;
    // Between its first reading and the others' answer a session may have changed unseen.
    const read = this.#known().filter(({ key }) => isAll || fresh.has(key.id));
    const cells = Map.groupBy(read, ({ key }) => this.#cellOf(key));
    await Promise.all([...cells].map(([cell, some]) => this.#readIn(cell, some)));
    const left = new Set(this.#known().map(({ key }) => this.#cellOf(key)));
    for (const cell of this.#failed.keys()) if (!left.has(cell)) this.#failed.delete(cell);
    for (const [cell, error] of this.#failed) {
      // While the cell is late again, each run fails for it: the loop says so once.
      if (!this.#late.has(cell)) this.#failed.delete(cell);
      throw error;
    }
    return isCovered && this.#late.size === 0 ? readCoveredEveryMs : readEveryMs;
  }

  /** A cell that does not answer soon is left to answer late: nobody who watches a session of another cell waits for it. */
  async #readIn(cell: string, known: readonly Known[]): Promise<void> {
    if (this.#late.has(cell)) return void this.#late.set(cell, true);
    const reading = Promise.all(known.map(({ key, watched }) => this.#read(key, watched))).then(
      () => void this.#failed.delete(cell),
      (error: unknown) => void this.#failed.set(cell, error),
    );
    if (await isDoneWithin(reading, readEveryMs)) return;
    this.#late.set(cell, false);
    void reading.then(() => {
      if (this.#late.get(cell)) this.#readAllAt = Number.NEGATIVE_INFINITY;
      this.#late.delete(cell);
    });
  }

  #known(): Known[] {
    return [...this.#watched.values()].flatMap((watched) => (watched.key ? [{ key: watched.key, watched }] : []));
  }

  async #read(key: SessionKey, watched: Watched): Promise<void> {
    const read = this.#sessions.push(key).then((loaded) => {
      if (loaded) this.#changed(loaded.session);
    });
    watched.reading = read;
    try {
      await read;
    } finally {
      if (watched.reading === read) watched.reading = null;
    }
  }

  async #hinted(id: string, version: number): Promise<void> {
    const watched = this.#watched.get(id);
    // What is on its way may be that version, or a later one.
    while (watched?.reading && version > watched.version) await watched.reading.catch(() => {});
    if (watched?.key && version > watched.version) await this.#read(watched.key, watched);
  }

  #changed(session: Session): void {
    const watched = this.#watched.get(session.id);
    if (!watched || session.version <= watched.version) return;
    watched.version = session.version;
    for (const listener of watched.listeners) listener(session);
  }

  /** The session as it is, then after every change, until it is over or `signal` is aborted. Ends at once where there is none. */
  async *watch(name: SessionName, signal: AbortSignal): AsyncGenerator<WatchedSession> {
    if (!isSessionId(name.id)) return;
    let version = 0;
    for await (const seen of this.#follow(name, signal)) {
      if (seen.version <= version) continue; // Another watcher had seen less.
      const found = await this.#turnsIn(this.#cellOf(name)).run(() => this.#lookup.find(name));
      if (!found) return;
      const { session, receipts } = found;
      version = session.version;
      const last = isOver(session);
      yield { session, receipts, last };
      if (last) return;
    }
  }

  #turnsIn(cell: string): AtMost {
    const turns = this.#reading.get(cell) ?? new AtMost(mostReading);
    this.#reading.set(cell, turns);
    return turns;
  }

  /** The session as it is and every state after that, until `signal` is aborted; states in between may be passed over. */
  async *#follow(name: SessionName, signal: AbortSignal): AsyncGenerator<Session> {
    let latest = null as Session | null;
    let wake = () => {};
    const listener = (session: Session) => {
      latest = session;
      wake();
    };
    const aborted = () => wake();
    // Before the first reading: what is committed during it is in neither the one nor the other otherwise.
    const watched = this.#add(name.id, listener);
    signal.addEventListener('abort', aborted);
    try {
      const from = await this.#lookup.session(name);
      if (!from) return;
      if (!latest || latest.version < from.version) latest = from;
      this.#begin(watched, from);
      while (!signal.aborted) {
        const session: Session | null = latest;
        latest = null;
        if (session) {
          yield session;
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', aborted);
      this.#remove(name.id, listener);
    }
  }

  #add(id: string, listener: (session: Session) => void): Watched {
    const watched = this.#watched.get(id) ?? { key: null, version: 0, listeners: new Set(), reading: null };
    watched.listeners.add(listener);
    this.#listeners += 1;
    this.#watched.set(id, watched);
    return watched;
  }

  /** A watcher has read the session as it was stored then. */
  #begin(watched: Watched, { accountId, id, version }: Session): void {
    watched.key ??= { accountId, id };
    watched.version = watched.version === 0 ? version : Math.min(watched.version, version);
    this.begun.set();
  }

  #remove(id: string, listener: (session: Session) => void): void {
    const watched = this.#watched.get(id);
    if (watched?.listeners.delete(listener)) this.#listeners -= 1;
    if (watched?.listeners.size === 0) this.#watched.delete(id);
  }
}

/**
 * A watch ends when the session is over and none of its messages is on its way out any more. It does not wait for receipts of
 * a session that is over: they may take days or never come, and webhooks and GetSession show them.
 */
const isOver = (session: Session): boolean => isTerminal(session) && !session.messages.some(isOutgoing);

/** Runs a limited number of pieces of work at once, and the others in the order in which they came. */
export class AtMost {
  readonly #most: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
