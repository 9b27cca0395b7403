// The store of the engine: every statement that verification needs, as verbs without a connection. The engine's rooms know it by its
// type alone, so that one in memory can take the place of Postgres. A verb is added by its name here; lanes are above it.

import { readRouteLoads } from './delivery/route-loads.ts';
import { claimOrphans, claimRoutes, openSessionsAt, openSessionsOf } from './fleet/claims.ts';
import { endLease, renewLease } from './fleet/holder.ts';
import { pulse } from './fleet/pulse.ts';
import { announcePeer, moveShards, readShards } from './fleet/shards.ts';
import { balanceSlots, configureSlots, giveBackSlots, isAnyBound } from './fleet/slots.ts';
import { takeTokens } from './limits/buckets.ts';
import { takeCredit } from './limits/budgets.ts';
import { addCounts, deleteCounts, failuresAfter, readCounts } from './limits/moved-counts.ts';
import { peekTokens } from './limits/number-tokens.ts';
import type { Queryable, Reads } from './queryable.ts';
import { countParked, findReferences, matchableReceipts, parkReceipts, removeParked } from './receipts/receipts.ts';
import { countApart } from './verify/count-apart.ts';
import { claimKey, findKey, type KeyClaim } from './verify/key-claims.ts';
import { listSessions } from './verify/list.ts';
import { openSessions } from './verify/open.ts';
import { freePlace, freePlaces, holdPlaces } from './verify/places.ts';
import { saveSessions } from './verify/save.ts';
import {
  findSessions,
  type IdempotencyKey,
  latestSessionOf,
  loadSessions,
  pendingSessionOf,
  type StoredAnswer,
  sessionOfResend,
  storedAnswer,
} from './verify/sessions.ts';

/** Verbs about sessions, numbers and receipts, whichever database their rows are in. */
const sessionVerbs = {
  // Sessions.
  openSessions,
  saveSessions,
  loadSessions,
  pendingSessionOf,
  storedAnswer,
  openSessionsAt,
  sessionOfResend,
  // Limits.
  takeTokens,
  takeCredit,
  peekTokens,
  // Receipts.
  findReferences,
  parkReceipts,
  matchableReceipts,
  removeParked,
  countParked,
  // Routes.
  readRouteLoads,
};

/** Verbs about one database: the processes that work on it, and what they leave there. */
const ownVerbs = {
  // Leases of processes, and what falls to others with them.
  pulse,
  renewLease,
  endLease,
  openSessionsOf,
  claimOrphans,
  claimRoutes,
  // Claims of Idempotency-Keys, where there are several databases.
  claimKey,
  findKey,
  // Numbers that have moved to another cell.
  holdPlaces,
  freePlace,
  freePlaces,
  readCounts,
  addCounts,
  deleteCounts,
  failuresAfter,
  countApart,
  // Owners of shards.
  announcePeer,
  readShards,
  moveShards,
  // Routes.
  configureSlots,
  balanceSlots,
  giveBackSlots,
  isAnyBound,
};

const verbs = { ...sessionVerbs, ...ownVerbs };

const readVerbs = { loadSessions, findSessions, latestSessionOf };
const listVerbs = { listSessions };

type Statement = (db: never, ...args: never[]) => unknown;

/** Verbs as their callers have them: without the connection. */
type Bound<Verbs> = {
  [Verb in keyof Verbs]: Verbs[Verb] extends (db: never, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never;
};

/** What sends, checks and receipts need, in one database or over several (cell-store.ts). */
export type SessionStore = Omit<Bound<typeof sessionVerbs>, 'storedAnswer'> & {
  /** With `claim` the key is the request's from then on, where it was nobody's. In one database the answer itself is the claim. */
  storedAnswer(key: IdempotencyKey, claim?: KeyClaim | null): Promise<StoredAnswer | null>;
};

/** All verbs, recovery among them, in one database. Each is one statement, committed as a whole or not at all. */
export type EngineStore = Bound<typeof verbs>;

/** Verbs that only read. They have connections of their own, so that sends go on whatever callers read. */
export type EngineReads = Bound<typeof readVerbs & typeof listVerbs>;

function bind<Verbs extends Record<string, Statement>>(verbs: Verbs, db: Queryable): Bound<Verbs> {
  const bound = Object.entries(verbs).map(([name, run]) => [name, run.bind(null, db as never)]);
  return Object.fromEntries(bound) as Bound<Verbs>;
}

/** The store in Postgres. */
export const engineStore = (db: Queryable): EngineStore => bind(verbs, db);

/** `lists` is for lists, which may be long. */
export const engineReads = ({ reads, lists }: { reads: Reads; lists: Reads }): EngineReads => ({
  ...bind(readVerbs, reads),
  ...bind(listVerbs, lists),
});
