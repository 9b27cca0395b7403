// The statement "save": the next state of many sessions and every row that follows from it, at once. It compares versions: a session that
// another process has saved since is left as it is, and so are all rows that belong to it.

import { lockedType } from '../../core/webhooks/event-body.ts';
import type { Spent } from '../limits/number-tokens.ts';
import { inPlace, PlacedStatements } from '../partitions/places.ts';
import { again, type PlaceOf, type Queryable } from '../queryable.ts';
import {
  type FailureLimit,
  inputValues,
  type SavedEvent,
  type SaveItem,
  type SavePart,
  saveParts,
} from './save-batches.ts';
import { saveText } from './save-text.ts';

export type { FailureLimit, SavedEvent, SaveItem };

/** One event for one endpoint, which this process posts for the first time. */
export interface QueuedDelivery {
  eventId: string;
  endpointId: string;
  /** The body as it is stored, where the statement has completed it. */
  body?: string;
}

/** Nothing is stored of an item whose result is not `saved`. */
export type SaveResult =
  | { kind: 'saved'; deliveries: QueuedDelivery[]; transaction?: string }
  /** Another process has saved the session since: start again from what is stored. */
  | { kind: 'stale' }
  /** The number of a check is locked: until then, Unix ms; null = until the operator unlocks it. */
  | { kind: 'locked'; until: number | null }
  /** The number of a resend has had as many sends as it may have. */
  | { kind: 'spent'; by: Spent };

/** Parts that a batch of more sessions than this has in any case: so that there are few texts, each planned once a connection. */
const fewSessions = 4;
const usualParts = ['messages', 'receipts', 'references', 'events', 'ends', 'guards'] as const;

const statements = new PlacedStatements();

function statementFor(parts: ReadonlySet<SavePart>, items: readonly SaveItem[], placeOf: PlaceOf) {
  const places = {
    verify_session: placeOf('verify_session', idsOf(items.map(({ session }) => session))),
    message: placeOf('message', idsOf(items.flatMap(({ messages }) => messages))),
    operator_reference: placeOf(
      'operator_reference',
      items.flatMap(({ references }) => references.map(({ messageId }) => messageId)),
    ),
  };
  const name = `save ${saveParts.map((part) => (parts.has(part) ? 1 : 0)).join('')}`;
  return statements.get(name, places, () => saveText(parts, places));
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

function partsOf(items: readonly SaveItem[]): Set<SavePart> {
  const parts = new Set<SavePart>(items.length > fewSessions ? usualParts : []);
  for (const item of items) {
    const { session, change, messages, newMessages, receipts, references, events, key, resend, operation } = item;
    if (messages.length > 0) parts.add('messages');
    if (newMessages.length > 0) parts.add('new_messages');
    if (receipts.length > 0) parts.add('receipts');
    if (references.length > 0) parts.add('references');
    if (events.length > 0) parts.add('events');
    if (key) parts.add('keys');
    if (resend) parts.add('sends');
    if (operation !== null) parts.add('operations');
    if (session.status !== 'pending') parts.add('ends');
    if (change.guarded) parts.add('guards');
    if (change.leavesQueue !== null || change.joinsQueue !== null) parts.add('queues');
    if (change.unsettled !== null) parts.add('unsettled');
  }
  return parts;
}

interface Line {
  kind: 'saved' | 'queued' | 'locked' | 'spent';
  session_id: string;
  event_id: string | null;
  endpoint_id: string | null;
  /** Of `saved` the transaction's id, of `queued` the completed body, of `locked` the time in Unix ms, of `spent` the empty bucket. */
  detail: string | null;
}

export async function saveSessions(
  db: Queryable,
  items: readonly SaveItem[],
  limit: FailureLimit,
): Promise<SaveResult[]> {
  const parts = partsOf(items);
  const values = inputValues(parts, items, limit);
  const { rows } = await inPlace(db, (placeOf) => {
    const statement = statementFor(parts, items, placeOf);
    return again(() => db.query<Line>({ ...statement, values }));
  });
  const results = new Map<string, SaveResult>();
  const byId = new Map(items.map((item) => [item.session.id, item]));
  for (const { kind, session_id, detail } of rows) {
    if (kind !== 'saved') continue;
    const deliveries = deliveriesOf(byId.get(session_id)?.events ?? []);
    results.set(session_id, { kind, deliveries, transaction: detail ?? '' });
  }
  for (const { kind, session_id, event_id, endpoint_id, detail } of rows) {
    const result = results.get(session_id);
    if (kind === 'spent') results.set(session_id, { kind, by: detail as Spent });
    if (kind === 'locked') results.set(session_id, { kind, until: detail === null ? null : Number(detail) });
    if (result?.kind !== 'saved') continue;
    if (kind !== 'queued' || event_id === null || endpoint_id === null) continue;
    result.deliveries.push({ eventId: event_id, endpointId: endpoint_id, body: detail ?? '' });
  }
  return items.map((item) => results.get(item.session.id) ?? { kind: 'stale' });
}

/** Deliveries that are certain to be stored with their session. Whether the event of a lock is stored, only the statement knows: it returns those as `queued`. */
const deliveriesOf = (events: SaveItem['events']): QueuedDelivery[] =>
  events.flatMap(({ id: eventId, type, endpointIds }) =>
    type === lockedType ? [] : endpointIds.map((endpointId) => ({ eventId, endpointId })),
  );
