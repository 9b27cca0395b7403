// Look-ups of sessions: one with its receipts, a page of them, the last one of a number. They have connections of their own, so that sends
// go on whatever callers read.

import type { CellMap } from '../../core/fleet/cells.ts';
import { isId } from '../../core/ids.ts';
import type { Mode, Session, StoredReceipt } from '../../core/verify/session.ts';
import { Lanes } from '../../db/batch.ts';
import type { EngineReads } from '../../db/engine-store.ts';
import type { ListedSession, ListPage, SessionFilter } from '../../db/verify/list.ts';
import type { Loaded, SessionKey } from '../../db/verify/sessions.ts';
import type { PendingKey } from '../sessions/store.ts';

/** A session by the id a client gave. An id of another account or mode is as unknown as any other. */
export interface SessionName {
  accountId: string;
  mode: Mode;
  id: string;
}

export interface FoundSession {
  session: Session;
  /** Oldest first. */
  receipts: StoredReceipt[];
}

/** A page of a list. It begins with the session after `before`; null = with the newest. */
export interface PageWanted {
  limit: number;
  before: string | null;
}

/** A text that can't be an id is not looked up. */
export const isSessionId = (id: string): boolean => isId('vrf_', id);

export class Lookup {
  readonly #reads: EngineReads;
  /** Calls at the same time share a statement. */
  readonly #sessions: Lanes<SessionKey, Loaded | null>;

  constructor(reads: EngineReads, cells: CellMap) {
    this.#reads = reads;
    const cellOf = ({ id }: SessionKey) => cells.ofId(id);
    this.#sessions = new Lanes(cellOf, (keys) => reads.loadSessions(keys), { name: 'read' });
  }

  /** The session as it is stored now, whichever process saved it last. */
  async session({ accountId, mode, id }: SessionName): Promise<Session | null> {
    if (!isSessionId(id)) return null;
    const loaded = await this.#sessions.push({ accountId, id });
    return loaded?.session.mode === mode ? loaded.session : null;
  }

  async find(name: SessionName): Promise<FoundSession | null> {
    const session = await this.session(name);
    return session && { session, receipts: await this.receiptsOf(session) };
  }

  receiptsOf(session: Session): Promise<StoredReceipt[]> {
    return this.#reads.receiptsOf(session);
  }

  list(filter: SessionFilter, page: PageWanted): Promise<ListPage<ListedSession>> {
    return this.#reads.listSessions(filter, page);
  }

  /** Id of the youngest session of the number and purpose, whatever became of it. */
  latestOf(key: PendingKey): Promise<string | null> {
    return this.#reads.latestSessionOf(key);
  }
}
