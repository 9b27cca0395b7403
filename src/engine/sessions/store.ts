// The engine's store: the hot statements over sessions behind their lanes, and the look-ups that go with them.

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
import { noticeUnknownCommit } from '../fleet/unknown-commits.ts';

/**
 * An Idempotency-Key, scoped to account, mode and route; kept 24 h. The answer is stored by the statement that stores its effect, so that
 * there is never one without the other.
 */
export interface Idempotency {
  route: string;
  key: string;
  /** Keyed hash of the request: see verify/idempotent.ts. */
  hash: Buffer;
}

/** What one session at a time may be pending for. */
export interface PendingKey {
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
  /** Id of the session that is pending for the number and purpose. */
  pending(key: PendingKey): Promise<string | null>;
  /** Which of the number's buckets is empty at this moment; null = none. */
  spentTokens(key: Omit<PendingKey, 'purpose'>, limits: NumberLimits): Promise<Spent | null>;
  storedAnswer(
    accountId: string,
    mode: Mode,
    route: string,
    key: string,
  ): Promise<{ hash: Buffer; answer: unknown } | null>;
  /** Items that wait for the database, for the admission of new sends. */
  waiting(): number;
}

export interface StoreOptions extends Omit<LaneOptions, 'name'> {
  /** Called when a statement that changes sessions broke off: it is not known whether it was committed. */
  onUnknownCommit?(): void;
}

export function createStore(
  db: Queryable,
  settings: { readonly failureLimit: FailureLimit },
  { onUnknownCommit, ...options }: StoreOptions = {},
): Store {
  const watched =
    <Item, Result>(run: (items: readonly Item[]) => Promise<Result[]>) =>
    (items: readonly Item[]) =>
      noticeUnknownCommit(run(items), () => onUnknownCommit?.());
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
    pending: (key) => pendingSessionOf(db, key),
    spentTokens: (key, limits) => peekTokens(db, key, limits),
    storedAnswer: (accountId, mode, route, key) => storedAnswer(db, { accountId, mode, route, key }),
  };
}
