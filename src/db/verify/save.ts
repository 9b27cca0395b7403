// Transition "save": the next state of many sessions and everything that follows from it, in one statement.
// Compare-and-set on version: a session somebody else has saved since is left alone, and so is all that belongs to it.

import type { Columns } from '../columns.ts';
import type { Spent } from '../limits/number-tokens.ts';
import type { Queryable } from '../queryable.ts';
import { again } from './again.ts';
import {
  type SavedEventRow,
  type SavedKeyRow,
  type SavedMessageRow,
  type SavedReceiptRow,
  type SavedReferenceRow,
  type SavedSendRow,
  type SavedSessionRow,
  savedEvent,
  savedKey,
  savedMessage,
  savedReceipt,
  savedReference,
  savedSend,
  savedSession,
} from './rows.ts';
import { type SavePart, saveParts, saveText } from './save-text.ts';

export interface SaveItem {
  session: SavedSessionRow;
  messages: SavedMessageRow[];
  receipts: SavedReceiptRow[];
  references: SavedReferenceRow[];
  events: SavedEventRow[];
  /** At most one: an event has one call. */
  keys: SavedKeyRow[];
  /** At most one: a resend whose number is counted. */
  sends: SavedSendRow[];
}

/** One event for one endpoint, leased to this process until the event's `next_at`. */
export interface QueuedDelivery {
  eventId: string;
  endpointId: string;
  /** As it is stored, where the statement completed it. */
  body?: string;
}

/** Of what is not `saved` nothing was stored. */
export type SaveResult =
  | { kind: 'saved'; deliveries: QueuedDelivery[]; firstMessageId: string | null }
  /** Saved by somebody else since: start again from what is stored. */
  | { kind: 'stale' }
  /** The number of a check is locked: until then, Unix ms; null = until the operator unlocks it. */
  | { kind: 'locked'; until: number | null }
  /** The number of a resend has had as many sends as it may have. */
  | { kind: 'spent'; by: Spent };

/** Wrong codes that lock a number. */
export interface FailureLimit {
  /** So many within a window lock it until the window ends. */
  failures: number;
  windowMs: number;
  /** So many in a row, over windows and sessions, lock it until the operator unlocks it. */
  failuresInRow: number;
}

/** Parts that a batch of more sessions than this has in any case: so that there are few texts, each planned once a connection. */
const fewSessions = 4;
const usualParts = ['messages', 'receipts', 'references', 'events', 'ends', 'guards'] as const;

const texts = new Map<string, { name: string; text: string }>();

function statementFor(parts: ReadonlySet<SavePart>): { name: string; text: string } {
  const name = `save ${saveParts.map((part) => (parts.has(part) ? 1 : 0)).join('')}`;
  const known = texts.get(name) ?? { name, text: saveText(parts) };
  texts.set(name, known);
  return known;
}

function partsOf(items: readonly SaveItem[]): Set<SavePart> {
  const parts = new Set<SavePart>(items.length > fewSessions ? usualParts : []);
  for (const { session, messages, receipts, references, events, keys, sends } of items) {
    if (messages.length > 0) parts.add('messages');
    if (receipts.length > 0) parts.add('receipts');
    if (references.length > 0) parts.add('references');
    if (events.length > 0) parts.add('events');
    if (keys.length > 0) parts.add('keys');
    if (sends.length > 0) parts.add('sends');
    if (session.status !== 'pending') parts.add('ends');
    if (session.guarded) parts.add('guards');
    if (messages.some((message) => message.maybe_first)) parts.add('firsts');
    if (messages.some((message) => message.maybe_app_first)) parts.add('app_firsts');
  }
  return parts;
}

interface Line {
  kind: 'saved' | 'told' | 'first' | 'locked' | 'spent';
  session_id: string;
  event_id: string | null;
  endpoint_id: string | null;
  /** Of `told` the completed body, of `first` the message's id, of `locked` the time in Unix ms, of `spent` the empty bucket. */
  detail: string | null;
}

export async function saveSessions(
  db: Queryable,
  items: readonly SaveItem[],
  limit: FailureLimit,
): Promise<SaveResult[]> {
  const parts = partsOf(items);
  const values: unknown[] = savedSession.parameters(items.map((item) => item.session));
  const add = <Row>(part: SavePart, columns: Columns<Row>, rowsOf: (item: SaveItem) => readonly Row[]) => {
    if (parts.has(part)) values.push(...columns.parameters(items.flatMap(rowsOf)));
  };
  // In the order of the text.
  add('messages', savedMessage, (item) => item.messages);
  add('receipts', savedReceipt, (item) => item.receipts);
  add('references', savedReference, (item) => item.references);
  add('events', savedEvent, (item) => item.events);
  add('keys', savedKey, (item) => item.keys);
  add('sends', savedSend, (item) => item.sends);
  values.push(limit.failures, limit.windowMs, limit.failuresInRow);
  const { rows } = await again(() => db.query<Line>({ ...statementFor(parts), values }));
  const results = new Map<string, SaveResult>();
  for (const row of rows) if (row.kind === 'saved') results.set(row.session_id, savedResult());
  for (const { kind, session_id, event_id, endpoint_id, detail } of rows) {
    const result = results.get(session_id);
    if (kind === 'spent') results.set(session_id, { kind, by: detail as Spent });
    if (kind === 'locked') results.set(session_id, { kind, until: detail === null ? null : Number(detail) });
    if (result?.kind !== 'saved') continue;
    if (kind === 'first') result.firstMessageId ??= detail;
    if (kind !== 'told' || event_id === null || endpoint_id === null) continue;
    result.deliveries.push({
      eventId: event_id,
      endpointId: endpoint_id,
      ...(detail === null ? {} : { body: detail }),
    });
  }
  return items.map((item) => results.get(item.session.id as string) ?? { kind: 'stale' });
}

const savedResult = (): SaveResult => ({ kind: 'saved', deliveries: [], firstMessageId: null });
