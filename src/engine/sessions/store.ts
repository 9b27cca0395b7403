// The engine's way to the database: the hot statements behind their lanes, and the look-ups that go with them.

import type { Mode } from '../../core/verify/session.ts';
import { Lane, type LaneOptions } from '../../db/batch.ts';
import { type NumberLimits, peekTokens, type Spent } from '../../db/limits/number-tokens.ts';
import type { Queryable } from '../../db/queryable.ts';
import { type OpenItem, type OpenResult, openSessions } from '../../db/verify/open.ts';
import { type FailureLimit, type SaveItem, type SaveResult, saveSessions } from '../../db/verify/save.ts';
import {
  type Loaded,
  loadSessions,
  pendingSessionOf,
  type SessionKey,
  storedAnswer,
} from '../../db/verify/sessions.ts';
import { orLost } from '../fleet/unknown-commits.ts';

export interface Place {
  accountId: string;
  mode: Mode;
  number: string;
  purpose: string;
}

export interface Store {
  open(item: OpenItem): Promise<OpenResult>;
  /** `patient`: no caller waits for it, and it may share a statement with what comes next. */
  save(item: SaveItem, options?: { patient: boolean }): Promise<SaveResult>;
  load(key: SessionKey): Promise<Loaded | null>;
  /** Id of the pending session that holds the place. */
  pending(place: Place): Promise<string | null>;
  /** Which of the number's buckets is empty at this moment; null = none. */
  spentTokens(place: Omit<Place, 'purpose'>, limits: NumberLimits): Promise<Spent | null>;
  storedAnswer(
    accountId: string,
    mode: Mode,
    route: string,
    key: string,
  ): Promise<{ hash: Buffer; answer: unknown } | null>;
  /** Sends waiting for the database: what admission looks at. */
  waiting(): number;
}

export interface StoreOptions extends Omit<LaneOptions, 'name'> {
  /** A statement that changes sessions broke off: whether it was committed is not known. */
  onLost?(): void;
}

export function createStore(
  db: Queryable,
  settings: { readonly failureLimit: FailureLimit },
  { onLost, ...options }: StoreOptions = {},
): Store {
  const watched =
    <Item, Result>(run: (items: readonly Item[]) => Promise<Result[]>) =>
    (items: readonly Item[]) =>
      orLost(run(items), () => onLost?.());
  const open = new Lane(
    watched((items: readonly OpenItem[]) => openSessions(db, items)),
    { ...options, name: 'open' },
  );
  const save = new Lane(
    watched((items: readonly SaveItem[]) => saveSessions(db, items, settings.failureLimit)),
    { ...options, name: 'save' },
  );
  const load = new Lane((keys: readonly SessionKey[]) => loadSessions(db, keys), { ...options, name: 'load' });
  return {
    open: (item) => open.push(item),
    save: (item, options) => save.push(item, options),
    load: (key) => load.push(key),
    waiting: () => open.waiting + save.waiting,
    pending: (place) => pendingSessionOf(db, place),
    spentTokens: (place, limits) => peekTokens(db, place, limits),
    storedAnswer: (accountId, mode, route, key) => storedAnswer(db, { accountId, mode, route, key }),
  };
}
