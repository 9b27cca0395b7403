// Sessions somebody is watching: all of them are read again in one batch five times a second.

import type { Session } from '../../core/verify/session.ts';
import type { SessionKey } from '../../db/verify/load.ts';
import type { Store } from '../sessions/store.ts';

interface Watched {
  key: SessionKey;
  version: number;
  listeners: Set<(session: Session) => void>;
}

export class Watches {
  readonly #store: Pick<Store, 'load'>;
  readonly #watched = new Map<string, Watched>();
  #listeners = 0;

  constructor(store: Pick<Store, 'load'>) {
    this.#store = store;
  }

  /** Watchers, several of one session each for itself. */
  get size(): number {
    return this.#listeners;
  }

  /** Reads what is watched; tells those whose session has changed since. */
  async runOnce(): Promise<void> {
    await Promise.all(
      [...this.#watched.values()].map(async (watched) => {
        const loaded = await this.#store.load(watched.key);
        if (!loaded || loaded.session.version <= watched.version) return;
        watched.version = loaded.session.version;
        for (const listener of watched.listeners) listener(loaded.session);
      }),
    );
  }

  /** Every state of the session from `from` on, until `signal` is aborted; states in between may be passed over. */
  async *follow(from: Session, signal: AbortSignal): AsyncGenerator<Session> {
    let latest: Session | null = from;
    let wake = () => {};
    const listener = (session: Session) => {
      latest = session;
      wake();
    };
    const aborted = () => wake();
    this.#add(from, listener);
    signal.addEventListener('abort', aborted);
    try {
      while (!signal.aborted) {
        if (latest) {
          const session: Session = latest;
          latest = null;
          yield session;
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', aborted);
      this.#remove(from.id, listener);
    }
  }

  #add(session: Session, listener: (session: Session) => void): void {
    const { accountId, id, version } = session;
    const watched = this.#watched.get(id) ?? { key: { accountId, id }, version, listeners: new Set() };
    watched.version = Math.min(watched.version, version);
    watched.listeners.add(listener);
    this.#listeners += 1;
    this.#watched.set(id, watched);
  }

  #remove(id: string, listener: (session: Session) => void): void {
    const watched = this.#watched.get(id);
    if (watched?.listeners.delete(listener)) this.#listeners -= 1;
    if (watched?.listeners.size === 0) this.#watched.delete(id);
  }
}
