// Sessions in the store in memory: "open", "save" and the reads of db/verify/*.ts.
import type { Message, Session } from '../../../src/core/verify/session.ts';
import { lockedType } from '../../../src/core/webhooks/event-body.ts';
import { routeHeldBy } from '../../../src/db/fleet/holder.ts';
import type { OpenItem, OpenResult } from '../../../src/db/verify/open.ts';
import type { SaveItem, SaveResult } from '../../../src/db/verify/save.ts';
import { decodeTimeline } from '../../../src/db/verify/timeline.ts';
import { type Asked, type Checked, countFailures, type Locked, tokensFor } from './limits.ts';
import { byText, keyOf, repeated, type StoredSession, type Tables, type Verbs } from './tables.ts';

type SessionVerbs = Pick<
  Verbs,
  | 'openSessions'
  | 'saveSessions'
  | 'loadSessions'
  | 'pendingSessionOf'
  | 'storedAnswer'
  | 'claimKey'
  | 'findKey'
  | 'holdPlaces'
  | 'freePlace'
  | 'freePlaces'
  | 'readCounts'
  | 'addCounts'
  | 'deleteCounts'
  | 'failuresAfter'
  | 'countApart'
  | 'sessionOfResend'
  | 'findSessions'
  | 'latestSessionOf'
  | 'listSessions'
>;

export const sessionVerbs = (tables: Tables): SessionVerbs => ({
  openSessions: (items) => open(tables, items),
  saveSessions: (items, limit) => save(tables, items, limit),
  loadSessions: (wanted) => wanted.map(({ accountId, id }) => loaded(tables.sessions.get(id), accountId)),
  pendingSessionOf: ({ accountId, mode, number, purpose }) =>
    tables.pending.get(keyOf(accountId, mode, number, purpose)) ?? null,
  storedAnswer: ({ accountId, mode, route, key }) => tables.answers.get(keyOf(accountId, mode, route, key)) ?? null,
  sessionOfResend: (operation) => tables.resends.get(operation) ?? null,
  claimKey: oneDatabase,
  findKey: oneDatabase,
  holdPlaces: oneDatabase,
  freePlace: oneDatabase,
  freePlaces: oneDatabase,
  readCounts: oneDatabase,
  addCounts: oneDatabase,
  deleteCounts: oneDatabase,
  failuresAfter: oneDatabase,
  countApart: oneDatabase,
  findSessions: (wanted) =>
    wanted.map(({ accountId, id }) => {
      const row = tables.sessions.get(id);
      const found = loaded(row, accountId);
      const receipts = [...(row?.receipts ?? [])].sort((a, b) => a.receivedAt - b.receivedAt || byText(a.id, b.id));
      return found && { session: found.session, receipts };
    }),
  latestSessionOf: ({ accountId, mode, number, purpose }) => {
    const ids = [...tables.sessions.values()]
      .map(({ session }) => session)
      .filter((session) => session.accountId === accountId && session.mode === mode && session.to === number)
      .filter((session) => session.purpose === purpose)
      .map(({ id }) => id);
    return ids.sort(byText).at(-1) ?? null;
  },
  listSessions: () => {
    throw new Error('lists are not simulated');
  },
});

const oneDatabase = (): never => {
  throw new Error('there is one database');
};

const pendingKey = ({ accountId, mode, to, purpose }: Session): string => keyOf(accountId, mode, to, purpose);

function loaded(row: StoredSession | undefined, accountId: string) {
  if (row?.session.accountId !== accountId) return null;
  const messages = [...row.messages.values()].sort((a, b) => byText(a.id, b.id));
  return { session: { ...row.session, messages }, holder: row.holder };
}

function open(tables: Tables, items: readonly OpenItem[]): OpenResult[] {
  const firsts = new Map<string, string>();
  for (const { session } of items) {
    const key = pendingKey(session);
    const first = firsts.get(key);
    if (first === undefined || session.id < first) firsts.set(key, session.id);
  }
  const first = (session: Session) => firsts.get(pendingKey(session)) ?? '';
  const free = items.filter(({ session }) => !tables.pending.has(pendingKey(session)) && first(session) === session.id);
  const asked = free.flatMap(({ session, limits }): Asked[] =>
    limits ? [{ id: session.id, accountId: session.accountId, number: session.to, limits }] : [],
  );
  const tokens = tokensFor(tables, asked);
  const reserved = free.filter(({ session, limits }) => limits === null || tokens.granted.has(session.id));
  const keep = answersOf(
    tables,
    reserved.map(({ session, idempotency }) => ({ session, key: idempotency })),
  );
  if (reserved.some(({ session }) => tables.sessions.has(session.id))) throw repeated('verify_session_pkey');
  if (reserved.some(({ session }) => tables.resends.has(session.id))) throw repeated('session_timeline_pkey');
  const results = items.map(({ session }): OpenResult => {
    if (reserved.some((item) => item.session.id === session.id)) return { kind: 'opened' };
    const by = tokens.spent.get(first(session));
    if (by) return { kind: 'spent', by };
    return { kind: 'taken', sessionId: tables.pending.get(pendingKey(session)) ?? '' };
  });
  // From here on nothing fails.
  tokens.take();
  keep();
  for (const { session, holder } of reserved) {
    tables.pending.set(pendingKey(session), session.id);
    tables.sessions.set(session.id, {
      session: { ...session, ...asOpened, lastSendAt: session.createdAt, messages: [] },
      holder,
      messages: new Map(session.messages.map((message) => [message.id, message])),
      receipts: [],
    });
    const route = routeHeldBy(holder);
    if (route !== null) tables.queues.set(keyOf(route, session.id), { route, id: session.id });
  }
  return results;
}

/** What the statement sets in every session that it opens. */
const asOpened = {
  version: 1,
  status: 'pending',
  statusReason: null,
  run: 1,
  sends: 1,
  attempts: 0,
  firstSendAt: null,
  verifiedAt: null,
} as const;

/** @throws where one of the keys is stored already. Returns what stores them. */
function answersOf(tables: Tables, given: readonly { session: Session; key: SaveItem['key'] }[]): () => void {
  const rows = given.flatMap(({ session, key }) =>
    key
      ? [
          {
            name: keyOf(session.accountId, session.mode, key.route, key.key),
            kept: { hash: key.hash, answer: JSON.parse(JSON.stringify(key.answer)) as unknown },
          },
        ]
      : [],
  );
  const names = new Set(rows.map(({ name }) => name));
  if (names.size < rows.length || rows.some(({ name }) => tables.answers.has(name))) throw repeated('idempotency_pkey');
  return () => {
    for (const { name, kept } of rows) tables.answers.set(name, kept);
  };
}

function save(tables: Tables, items: readonly SaveItem[], limit: Parameters<Verbs['saveSessions']>[1]): SaveResult[] {
  const looked = items.filter(({ session }) => {
    const row = tables.sessions.get(session.id);
    return row?.session.accountId === session.accountId && row.session.version === session.version;
  });
  const checks = looked.flatMap(({ session, change }): Checked[] =>
    change.guarded
      ? [
          {
            id: session.id,
            accountId: session.accountId,
            mode: session.mode,
            number: session.to,
            failures: change.failures,
            now: change.now,
          },
        ]
      : [],
  );
  const failures = countFailures(tables, checks, limit);
  const asked = looked.flatMap(({ session, resend }): Asked[] =>
    resend ? [{ id: session.id, accountId: session.accountId, number: session.to, limits: resend }] : [],
  );
  const tokens = tokensFor(tables, asked);
  const mine = looked.filter(({ session: { id } }) => !failures.refused.has(id) && !tokens.spent.has(id));
  const keep = answersOf(tables, mine);
  const operations = mine.flatMap(({ operation }) => (operation === null ? [] : [operation]));
  const isNoted = (operation: string) => tables.resends.has(operation) || tables.sessions.has(operation);
  if (new Set(operations).size < operations.length || operations.some(isNoted)) throw repeated('session_timeline_pkey');
  for (const { session, change } of mine) {
    const { joinsQueue, unsettled } = change;
    if (joinsQueue !== null && tables.queues.has(keyOf(joinsQueue, session.id))) throw repeated('route_queue_pkey');
    if (unsettled === true && tables.unsettled.has(session.id)) throw repeated('unsettled_pkey');
  }
  // From here on nothing fails.
  tokens.take();
  failures.count();
  keep();
  const results = new Map<string, SaveResult>();
  for (const [id, lock] of failures.refused) if (lock) results.set(id, { kind: 'locked', until: lock.until });
  for (const [id, by] of tokens.spent) results.set(id, { kind: 'spent', by });
  for (const item of mine) results.set(item.session.id, stored(tables, item, failures.locks));
  return items.map(({ session }) => results.get(session.id) ?? { kind: 'stale' });
}

function stored(tables: Tables, item: SaveItem, locks: readonly Locked[]): SaveResult {
  const { session, change } = item;
  const row = tables.sessions.get(session.id) as StoredSession;
  const before = row.session;
  row.session = {
    ...session,
    ...fixedOf(before),
    version: before.version + 1,
    legs: change.legs ? [...change.legs] : before.legs,
    timeline: [...before.timeline, ...decodeTimeline(JSON.parse(change.timeline))],
    messages: [],
  };
  row.holder = change.holder;
  if (item.operation !== null) tables.resends.set(item.operation, session.id);
  const { leavesQueue, joinsQueue, unsettled } = change;
  if (leavesQueue !== null) tables.queues.delete(keyOf(leavesQueue, session.id));
  if (joinsQueue !== null) tables.queues.set(keyOf(joinsQueue, session.id), { route: joinsQueue, id: session.id });
  if (unsettled === true) tables.unsettled.add(session.id);
  if (unsettled === false) tables.unsettled.delete(session.id);
  if (session.status !== 'pending' && tables.pending.get(pendingKey(session)) === session.id) {
    tables.pending.delete(pendingKey(session));
  }
  for (const message of item.messages) {
    const known = row.messages.get(message.id);
    if (known) row.messages.set(message.id, merged(known, message));
  }
  for (const message of item.newMessages) row.messages.set(message.id, message);
  for (const {
    detail: _detail,
    errorText: _text,
    operatorAmount: _amount,
    billable: _billable,
    ...receipt
  } of item.receipts) {
    row.receipts.push(receipt);
  }
  const { accountId, id: sessionId, to: number } = session;
  for (const reference of item.references) {
    const key = keyOf(reference.operator, reference.reference, reference.messageId);
    if (!tables.references.has(key)) {
      tables.references.set(key, { ...reference, accountId, sessionId, number, submittedAt: change.now });
    }
  }
  return { kind: 'saved', deliveries: item.events.flatMap((event) => queued(tables, item, event, locks)) };
}

function queued(
  tables: Tables,
  { session, change }: SaveItem,
  event: SaveItem['events'][number],
  locks: readonly Locked[],
) {
  const lock = event.type === lockedType ? locks.find(({ by }) => by === session.id) : undefined;
  if (event.type === lockedType && change.guarded && !lock) return [];
  const body = lock ? completed(event.json, lock) : event.json;
  return event.endpointIds.map((endpointId) => {
    tables.deliveries.push({
      eventId: event.id,
      endpointId,
      sessionId: session.id,
      type: event.type,
      body,
      holder: change.deliveryHolder,
    });
    return { eventId: event.id, endpointId, ...(lock ? { body } : {}) };
  });
}

function completed(json: string, { failures, failuresInRow, until }: Locked): string {
  const body = JSON.parse(json) as { data: object };
  const counts = { failures, failures_in_row: failuresInRow, needs_unlock: until === null };
  const locked = until === null ? {} : { locked_until: new Date(until).toISOString() };
  return JSON.stringify({ ...body, data: { ...body.data, ...counts, ...locked } });
}

/** What a save never changes of a session. */
const fixedOf = (session: Session) => {
  const { channel, language, codeLength, keyId, salt, senderId, clientReference, autofill, cascade } = session;
  const { createdAt, expiresAt, mode, to, purpose } = session;
  const asked = { channel, language, codeLength, keyId, salt, senderId, clientReference, autofill, cascade };
  return { ...asked, createdAt, expiresAt, mode, to, purpose };
};

/** Nor of a message. */
function merged(before: Message, message: Message): Message {
  const { run, position, channel, createdAt } = before;
  return { ...message, run, position, channel, createdAt };
}
