// The batches of "save": which rows each part of the statement takes, and with which columns. Array text is made directly from the
// objects of the domain, so that a save builds no row of its own for a session, a message or a receipt.

import type { Leg, Message, Receipt, Session } from '../../core/verify/session.ts';
import type { EventBody } from '../../core/webhooks/event-body.ts';
import { type Columns, type Relation, together } from '../columns.ts';
import { type NumberLimits, wantedTokens } from '../limits/number-tokens.ts';
import { record } from '../record.ts';
import type { KeptAnswer } from './open.ts';
import { message, ofSession, receipt, session } from './records.ts';

export interface SaveItem {
  /** The state to store; `version` is the one it was computed from. */
  session: Session;
  change: SavedChange;
  /** Those of the session's messages that are changed, and those that are new. */
  messages: readonly Message[];
  newMessages: readonly Message[];
  receipts: readonly Receipt[];
  references: readonly SavedReference[];
  events: readonly SavedEvent[];
  key: KeptAnswer | null;
  /** What a resend is held against; null where there is none, or nothing is counted. */
  resend: NumberLimits | null;
  /** Of a resend that another process may do as well: the id that the session would have if there were none to go on with. */
  operation: string | null;
}

/** What travels beside the state. */
export interface SavedChange {
  /** null where they stay. */
  legs: readonly Leg[] | null;
  /** Shard of the session's number. */
  shard: number;
  /** What is new at the timeline's end, as it is stored (timeline.ts). */
  timeline: string;
  holder: string | null;
  /** The route whose queue the session leaves, and the one whose queue it joins: `holder` was, or is, that route. */
  leavesQueue: string | null;
  joinsQueue: string | null;
  /** Whether it is over with something unsettled (change.ts) from now on, or no longer; null where that stays as it was. */
  unsettled: boolean | null;
  /** For a check: refuse when the number is locked, and 1 for a wrong code. A save has one check at most. */
  guarded: boolean;
  failures: number;
  now: number;
  /** Who posts the events for the first time. */
  deliveryHolder: string;
}

/** Wrong codes that lock a number. */
export interface FailureLimit {
  /** So many within a window lock it until the window ends. */
  failures: number;
  windowMs: number;
  /** So many in a row, over windows and sessions, lock it until the operator unlocks it. */
  failuresInRow: number;
}

/** An event, and the endpoints that want it. */
export interface SavedEvent extends EventBody {
  endpointIds: readonly string[];
}

/** A reference the carrier's receipts will name. */
export interface SavedReference {
  messageId: string;
  operator: string;
  reference: string;
}

/** What a batch may have beside its sessions; each is a part of the statement. */
export const saveParts = [
  'messages',
  'new_messages',
  'receipts',
  'references',
  'events',
  'keys',
  /** A session ends: its row in pending_number is deleted. */
  'ends',
  /** A check that counts: one is refused while its number is locked. */
  'guards',
  /** A resend that takes a token of its number. */
  'sends',
  /** A resend that another process may do as well: it is noted under its id, so that neither opens a session with it. */
  'operations',
  /** A session that begins or ceases to wait for a route. */
  'queues',
  /** A session that ends before all its messages have, or the last answer to such a one. */
  'unsettled',
] as const;

export type SavePart = (typeof saveParts)[number];

/** What a save may change of a session. What is not left out here is stored by it. */
export const savedSession = session.omit(
  'channel',
  'language',
  'codeLength',
  'keyId',
  'salt',
  'senderId',
  'clientReference',
  'metadata',
  'autofill',
  'wording',
  'cascade',
  'createdAt',
  'expiresAt',
  // By `change`.
  'legs',
);
const savedChange = record<Omit<SavedChange, 'deliveryHolder'>>()({
  legs: 'json',
  shard: 'integer',
  timeline: 'text',
  holder: 'text',
  leavesQueue: 'text',
  joinsQueue: 'text',
  unsettled: 'boolean',
  guarded: 'boolean',
  failures: 'integer',
  now: 'ms',
});

export interface SaveBatch {
  /** null: of every save. */
  part: SavePart | null;
  /** The relation's name in the statement. */
  name: string;
  relation: Relation;
  parameters(items: readonly SaveItem[]): string[];
}

interface BatchParts<Row> extends Pick<SaveBatch, 'part' | 'name'> {
  rows(item: SaveItem): readonly Row[];
  ofRow: Columns<Row>;
  /** Read from the session that a row is about. */
  ofSession: Columns<Session>;
  /** Read from the change that a row belongs to. */
  ofChange?: Columns<SavedChange>;
}

function batch<Row>({ part, name, rows: rowsOf, ofRow, ofSession, ofChange }: BatchParts<Row>): SaveBatch {
  return {
    part,
    name,
    relation: together(ofSession, ofRow, ...(ofChange ? [ofChange] : [])),
    parameters(items) {
      const sessions: Session[] = [];
      const rows: Row[] = [];
      const changes: SavedChange[] = [];
      for (const item of items) {
        for (const row of rowsOf(item)) {
          sessions.push(item.session);
          rows.push(row);
          changes.push(item.change);
        }
      }
      return [...ofSession.parameters(sessions), ...ofRow.parameters(rows), ...(ofChange?.parameters(changes) ?? [])];
    },
  };
}

/** What rows of some tables carry of their session beside its key. */
const ofSessionInMode = record<Pick<Session, 'accountId' | 'id' | 'mode'>>()({
  accountId: 'text',
  id: ['text', 'session_id'],
  mode: 'text',
});
const ofSessionToNumber = record<Pick<Session, 'accountId' | 'id' | 'to'>>()({
  accountId: 'text',
  id: ['text', 'session_id'],
  to: ['text', 'number'],
});
const reference = record<SavedReference>()({ operator: 'text', reference: 'text', messageId: 'text' });
const submitted = record<Pick<SavedChange, 'now'>>()({ now: ['ms', 'submitted_at'] });
const event = record<SavedEvent>()({ id: 'text', type: 'text', json: ['text', 'body'], endpointIds: 'texts' });
const emitted = record<Pick<SavedChange, 'now' | 'deliveryHolder'>>()({
  now: ['ms', 'created_at'],
  deliveryHolder: 'text',
});
const key = record<KeptAnswer>()({ route: 'text', key: 'text', hash: ['bytea', 'request_hash'], answer: 'json' });
const answered = record<Pick<SavedChange, 'now'>>()({ now: ['ms', 'created_at'] });

const ifAny = <Row>(row: Row | null): readonly Row[] => (row === null ? [] : [row]);

/** In the order of their parameters; behind them come those of the limit of failures. */
export const saveBatches: readonly SaveBatch[] = [
  batch({ name: 'i', part: null, rows: ({ change }) => [change], ofSession: savedSession, ofRow: savedChange }),
  batch({ name: 'm', part: 'messages', rows: ({ messages }) => messages, ofSession, ofRow: message }),
  batch({ name: 'n', part: 'new_messages', rows: ({ newMessages }) => newMessages, ofSession, ofRow: message }),
  batch({ name: 'r', part: 'receipts', rows: ({ receipts }) => receipts, ofSession, ofRow: receipt }),
  batch({
    name: 'f',
    part: 'references',
    rows: ({ references }) => references,
    ofSession: ofSessionToNumber,
    ofRow: reference,
    ofChange: submitted,
  }),
  batch({
    name: 'e',
    part: 'events',
    rows: ({ events }) => events,
    ofSession: ofSessionInMode,
    ofRow: event,
    ofChange: emitted,
  }),
  batch({
    name: 'k',
    part: 'keys',
    rows: ({ key }) => ifAny(key),
    ofSession: ofSessionInMode,
    ofRow: key,
    ofChange: answered,
  }),
  batch({
    name: 'b',
    part: 'sends',
    rows: ({ resend }) => ifAny(resend),
    ofSession: session.pick('accountId', 'id', 'to'),
    ofRow: wantedTokens,
  }),
  batch({
    name: 'o',
    part: 'operations',
    rows: ({ operation }) => (operation === null ? [] : [{ operation }]),
    ofSession,
    ofRow: record<{ operation: string }>()({ operation: 'text' }),
  }),
];

const batchesOf = (parts: ReadonlySet<SavePart>): readonly SaveBatch[] =>
  saveBatches.filter(({ part }) => part === null || parts.has(part));

/** What a statement with these parts is given, for its `with`: a relation of each batch, and the limit of failures as `bounds`. */
export function inputTexts(parts: ReadonlySet<SavePart>): string[] {
  const texts: string[] = [];
  let next = 1;
  for (const { name, relation } of batchesOf(parts)) {
    texts.push(`${name} as materialized (${relation.select(next)})`);
    next += relation.count;
  }
  // Always there, so that their types are known whether they are used or not.
  texts.push(`bounds as materialized (
  select $${next}::integer as failures, $${next + 1}::double precision as window_ms, $${next + 2}::integer as failures_in_row
)`);
  return texts;
}

/** The parameters of `inputTexts`. */
export const inputValues = (
  parts: ReadonlySet<SavePart>,
  items: readonly SaveItem[],
  { failures, windowMs, failuresInRow }: FailureLimit,
): unknown[] => [...batchesOf(parts).flatMap((batch) => batch.parameters(items)), failures, windowMs, failuresInRow];
