// The engine's store: the hot statements over sessions behind their lanes, and the look-ups that go with them.

import type { CellMap } from '../../core/fleet/cells.ts';
import type { Mode } from '../../core/verify/session.ts';
import { type LaneOptions, Lanes, type Patience } from '../../db/batch.ts';
import type { SessionStore } from '../../db/engine-store.ts';
import type { NumberLimits, Spent } from '../../db/limits/number-tokens.ts';
import type { KeyClaim } from '../../db/verify/key-claims.ts';
import type { OpenItem, OpenResult } from '../../db/verify/open.ts';
import type { FailureLimit, SaveItem, SaveResult } from '../../db/verify/save.ts';
import type { Loaded, SessionKey, StoredAnswer } from '../../db/verify/sessions.ts';
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
  /** `isOwed`: a session was canceled for it, which must not be in vain. */
  open(item: OpenItem, options?: { isOwed: boolean }): Promise<OpenResult>;
  /** `patient`: no caller waits for it, and it may share a statement with what comes next. */
  save(item: SaveItem, options?: { patient: Patience }): Promise<SaveResult>;
  /** Sends patient saves that linger now: a caller waits for what comes after one of them. */
  flush(): void;
  load(key: SessionKey): Promise<Loaded | null>;
  /** Id of the session that is pending for the number and purpose. */
  pending(key: PendingKey): Promise<string | null>;
  /** Id of the session in which the resend with this id was done; null where none was. */
  resentIn(operation: string): Promise<string | null>;
  /** Which of the number's buckets is empty at this moment; null = none. */
  spentTokens(key: Omit<PendingKey, 'purpose'>, limits: NumberLimits): Promise<Spent | null>;
  storedAnswer(
    accountId: string,
    mode: Mode,
    route: string,
    key: string,
    claim?: KeyClaim | null,
  ): Promise<StoredAnswer | null>;
  /** Items that wait for the database, for the admission of new sends. */
  waiting(): number;
}

export interface StoreOptions extends Omit<LaneOptions, 'name'> {
  /** Called when a statement that changes sessions broke off: it is not known whether it was committed. */
  onUnknownCommit?(sessions: readonly SessionKey[]): void;
}

export function createStore(
  db: SessionStore,
  cells: CellMap,
  settings: { readonly failureLimit: FailureLimit },
  { onUnknownCommit, ...options }: StoreOptions = {},
): Store {
  const watched =
    <Item extends { session: SessionKey }, Result>(run: (items: readonly Item[]) => Promise<Result[]>) =>
    (items: readonly Item[]) =>
      noticeUnknownCommit(run(items), () => onUnknownCommit?.(items.map(({ session }) => session)));
  const cellOf = ({ session }: { session: SessionKey }) => cells.ofId(session.id);
  const open = new Lanes(
    cellOf,
    watched((items: readonly OpenItem[]) => db.openSessions(items)),
    { ...options, name: 'open' },
  );
  const save = new Lanes(
    cellOf,
    watched((items: readonly SaveItem[]) => db.saveSessions(items, settings.failureLimit)),
    { ...options, name: 'save' },
  );
  const load = new Lanes(
    ({ id }: SessionKey) => cells.ofId(id),
    (keys) => db.loadSessions(keys),
    { ...options, name: 'load' },
  );
  return {
    open: (item, options) => open.push(item, options),
    save: (item, options) => save.push(item, options),
    flush: () => save.flush(),
    load: (key) => load.push(key),
    waiting: () => open.waiting + save.waiting,
    pending: (key) => db.pendingSessionOf(key),
    resentIn: (operation) => db.sessionOfResend(operation),
    spentTokens: (key, limits) => db.peekTokens(key, limits),
    storedAnswer: (accountId, mode, route, key, claim) => db.storedAnswer({ accountId, mode, route, key }, claim),
  };
}
