// Look-ups of sessions: one, with its receipts or without, a page of them, the last one of a number. They have connections of their own, so that sends
// go on whatever callers read.

import type { CellMap } from '../../core/fleet/cells.ts';
import { isId } from '../../core/ids.ts';
import type { Mode, Session } from '../../core/verify/session.ts';
import { Lanes } from '../../db/batch.ts';
import type { EngineReads } from '../../db/engine-store.ts';
import type { ListedSession, ListPage, SessionFilter } from '../../db/verify/list.ts';
import type { FoundSession, Loaded, SessionKey } from '../../db/verify/sessions.ts';
import type { PendingKey } from '../sessions/store.ts';

/** A session by the id a client gave. An id of another account or mode is as unknown as any other. */
export interface SessionName {
  accountId: string;
  mode: Mode;
  id: string;
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
  readonly #found: Lanes<SessionKey, FoundSession | null>;

  constructor(reads: EngineReads, cells: CellMap) {
    this.#reads = reads;
    const cellOf = ({ id }: SessionKey) => cells.ofId(id);
    this.#sessions = new Lanes(cellOf, (keys) => reads.loadSessions(keys), { name: 'read' });
    this.#found = new Lanes(cellOf, (keys) => reads.findSessions(keys), { name: 'find' });
  }

  /** The session as it is stored now, whichever process saved it last. */
  async session(name: SessionName): Promise<Session | null> {
    return (await read(this.#sessions, name))?.session ?? null;
  }

  /** The same with its receipts. Both are of one moment: a receipt is never there without what it has changed. */
  find(name: SessionName): Promise<FoundSession | null> {
    return read(this.#found, name);
  }

  list(filter: SessionFilter, page: PageWanted): Promise<ListPage<ListedSession>> {
    return this.#reads.listSessions(filter, page);
  }

  /** Id of the youngest session of the number and purpose, whatever became of it. */
  latestOf(key: PendingKey): Promise<string | null> {
    return this.#reads.latestSessionOf(key);
  }
}

async function read<Read extends { session: Session }>(
  lanes: Lanes<SessionKey, Read | null>,
  { accountId, mode, id }: SessionName,
): Promise<Read | null> {
  if (!isSessionId(id)) return null;
  const found = await lanes.push({ accountId, id });
  return found?.session.mode === mode ? found : null;
}
