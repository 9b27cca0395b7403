// The tables of the store in memory, and the clock of its "server". A verb runs at one instant and is committed as a whole or, where it
// throws, not at all: that is what a statement of ours promises.
import type { ShardMap } from '../../../src/core/fleet/shards.ts';
import type { Message, Session, StoredReceipt } from '../../../src/core/verify/session.ts';
import type { EngineReads, EngineStore } from '../../../src/db/engine-store.ts';
import type { Slot } from '../../../src/db/fleet/slots.ts';
import type { BudgetRow } from './budgets.ts';

/** The verbs of the store as functions that answer at once; database.ts puts the way there and back around them. */
type AtOnce<Store> = {
  [Verb in keyof Store]: Store[Verb] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

export type Verbs = AtOnce<EngineStore> & AtOnce<EngineReads>;

/** A row of verify_session with the messages that belong to it. */
export interface StoredSession {
  /** Without messages. */
  session: Session;
  holder: string | null;
  /** By id. */
  messages: Map<string, Message>;
  receipts: StoredReceipt[];
}

export interface Reference {
  operator: string;
  reference: string;
  messageId: string;
  accountId: string;
  sessionId: string;
  number: string;
  submittedAt: number;
}

export interface Failures {
  failures: number;
  failuresInRow: number;
  needsUnlock: boolean;
  windowEndsAt: number;
}

export interface NumberBucket {
  hour: number;
  day: number;
  updatedAt: number;
}

export interface Delivery {
  eventId: string;
  endpointId: string;
  sessionId: string;
  type: string;
  body: string;
  holder: string;
}

export interface Parked {
  id: string;
  operator: string | null;
  number: string | null;
  receipt: { references: string[] } | null;
  receivedAt: number;
}

export interface Tables {
  /** The database's clock, Unix ms. */
  now(): number;
  sessions: Map<string, StoredSession>;
  /** Sessions in which resends were done, by the id of the resend. */
  resends: Map<string, string>;
  /** Id of the pending session by `pendingKey`. */
  pending: Map<string, string>;
  /** Sessions that wait for a route, by route and id. */
  queues: Map<string, { route: string; id: string }>;
  /** Ids of sessions that are over with something unsettled. */
  unsettled: Set<string>;
  answers: Map<string, { hash: Buffer; answer: unknown }>;
  failures: Map<string, Failures>;
  numberBuckets: Map<string, NumberBucket>;
  accountBuckets: Map<string, { tokens: number; updatedAt: number }>;
  budgets: Map<string, BudgetRow>;
  /** What was told to each budget as spent beyond what was granted; in no table of Postgres. */
  corrections: Map<string, bigint>;
  references: Map<string, Reference>;
  parked: Map<string, Parked>;
  deliveries: Delivery[];
  processes: Map<string, { leaseUntil: number; routes: string; address?: string | null }>;
  shards: ShardMap;
  slots: Map<string, Slot & { owner: string | null; leaseUntil: number; bound: boolean }>;
}

export const createTables = (now: () => number): Tables => ({
  now,
  sessions: new Map(),
  resends: new Map(),
  pending: new Map(),
  queues: new Map(),
  unsettled: new Set(),
  answers: new Map(),
  failures: new Map(),
  numberBuckets: new Map(),
  accountBuckets: new Map(),
  budgets: new Map(),
  corrections: new Map(),
  references: new Map(),
  parked: new Map(),
  deliveries: [],
  processes: new Map(),
  shards: { fence: 0, ranges: [] },
  slots: new Map(),
});

export const keyOf = (...parts: string[]): string => parts.join('\n');

/** What Postgres answers where a row is there already (SQLSTATE 23505). */
export const repeated = (constraint: string): Error =>
  Object.assign(new Error(`duplicate key value violates unique constraint "${constraint}"`), {
    code: '23505',
    constraint,
  });

/** Codes compare by character, as columns with collation "C" do. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
