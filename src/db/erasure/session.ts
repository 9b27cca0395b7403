// The erasure of a number from one session and from all rows that belong to the session. It is one short transaction: after a crash the session
// is either still found by its number, or done. The session is locked first, as a save does, and its version is raised: what another process
// has in memory of it is stale from then on, and can't be stored.

import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { type NumberForms, withoutNumber } from '../../core/erasure/number-forms.ts';
import { lowestId } from '../../core/ids.ts';
import { withLocks } from '../lock-patience.ts';
import type { SessionKey } from '../verify/sessions.ts';
import { encodeTimeline, type StoredEntry } from '../verify/timeline.ts';

/** Rows that were changed or deleted, by table. */
export type ErasedRows = Record<string, number>;

export interface SessionErasure {
  forms: NumberForms;
  /** Endpoints that may have webhooks of the account. */
  endpoints: readonly string[];
  /** Keys whose claims are gone. */
  unclaimed: readonly AnsweredKey[];
  /** Unix ms. */
  now: number;
}

export type SessionErased =
  | { kind: 'erased'; rows: ErasedRows }
  /** Claims of these keys may be there, and are found by the answers alone: they go first. */
  | { kind: 'claimed'; keys: readonly AnsweredKey[] }
  /** It is not over: cancel it first. */
  | { kind: 'pending' }
  /** Another erasure was faster. */
  | { kind: 'gone' };

/** An Idempotency-Key under which the session was an answer. */
export interface AnsweredKey {
  account_id: string;
  mode: string;
  route: string;
  key: string;
}

type Tx = Transaction<unknown>;

interface Locked {
  version: number;
  status: string;
  mode: string;
  run: number;
  created_at: Date;
  metadata: unknown;
}

export function eraseSession(db: Kysely<unknown>, key: SessionKey, erasure: SessionErasure): Promise<SessionErased> {
  const { forms, now } = erasure;
  return withLocks(db, async (tx): Promise<SessionErased> => {
    const { rows } = await sql<Locked>`select version, status, mode, run, created_at, metadata from verify_session
      where account_id = ${key.accountId} and id = ${key.id} and number = ${forms.e164} for update`.execute(tx);
    const [locked] = rows;
    if (!locked) return { kind: 'gone' };
    if (locked.status === 'pending') return { kind: 'pending' };
    const spans = spansOf([locked.created_at.getTime(), ...(await timesOf(tx, key.id))]);
    const answers = { key, mode: locked.mode, spans };
    const claimed = (await answeredKeys(tx, answers)).filter(
      (each) => !erasure.unclaimed.some((gone) => isSame(each, gone)),
    );
    if (claimed.length > 0) return { kind: 'claimed', keys: claimed };
    const idempotency = await deleteAnswers(tx, answers);
    const erased: ErasedRows = {
      operator_reference: await eraseReferences(tx, key.id, forms),
      message: await eraseMessages(tx, key.id, forms),
      receipt: await eraseReceipts(tx, key.id, forms),
      session_timeline: await eraseTimeline(tx, key.id, forms),
      webhook_delivery: await eraseDeliveries(tx, key.id, erasure, spans),
      idempotency,
      verify_session: 1,
    };
    const entries = encodeTimeline([{ at: now, kind: 'number_erased', run: locked.run }]);
    await sql`insert into session_timeline (session_id, version, entries)
      values (${key.id}, ${locked.version + 1}, ${entries})`.execute(tx);
    await sql`update verify_session set number = ${forms.erased}, version = version + 1,
        client_reference = ${emptied('client_reference', forms)}, purpose = ${emptied('purpose', forms)},
        metadata = ${locked.metadata === null ? null : JSON.stringify(withoutNumber(locked.metadata, forms))}::jsonb
      where account_id = ${key.accountId} and id = ${key.id}`.execute(tx);
    return { kind: 'erased', rows: erased };
  });
}

/** A text of the client's own stays where the number is not in it. */
const emptied = (column: string, { pattern }: NumberForms): RawBuilder<string> =>
  sql`case when ${sql.ref(column)} ~ ${pattern} then '' else ${sql.ref(column)} end`;

/** Times of what has happened to the session, Unix ms. Its webhooks were made at these, and its answers stored. */
async function timesOf(tx: Tx, sessionId: string): Promise<number[]> {
  const { rows } = await sql<{
    entries: string;
  }>`select entries from session_timeline where session_id = ${sessionId}`.execute(tx);
  return rows.flatMap(({ entries }) => (JSON.parse(entries) as StoredEntry[]).map(([at]) => Number(at)));
}

/**
 * A webhook has the time of its change's timeline (engine/sessions/sessions.ts). Of what was stored before that held, a clock may have been
 * set in between.
 */
const beforeMs = 1_000;
const afterMs = 2_000;

interface Span {
  from: number;
  until: number;
}

/** Spans around these times; those that overlap are one. */
export function spansOf(times: readonly number[]): Span[] {
  const spans: Span[] = [];
  for (const at of times.toSorted((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last && at - beforeMs <= last.until) last.until = at + afterMs;
    else spans.push({ from: at - beforeMs, until: at + afterMs });
  }
  return spans;
}

interface Answers {
  key: SessionKey;
  mode: string;
  spans: readonly Span[];
}

/** Answers are found by their time: no index names the session. While the session is locked, none is stored. */
const answersIn = ({ from, until }: Span, { key, mode }: Answers): RawBuilder<boolean> => sql<boolean>`
  created_at >= to_timestamp(${from / 1000}) and created_at < to_timestamp(${until / 1000})
    and account_id = ${key.accountId} and mode = ${mode} and answer ->> 'id' = ${key.id}`;

async function answeredKeys(tx: Tx, answers: Answers): Promise<AnsweredKey[]> {
  const keys: AnsweredKey[] = [];
  for (const span of answers.spans) {
    const { rows } = await sql<AnsweredKey>`select account_id, mode, route, key from idempotency
      where ${answersIn(span, answers)}`.execute(tx);
    keys.push(...rows);
  }
  return keys;
}

const isSame = (one: AnsweredKey, other: AnsweredKey): boolean =>
  one.account_id === other.account_id && one.mode === other.mode && one.route === other.route && one.key === other.key;

async function deleteAnswers(tx: Tx, answers: Answers): Promise<number> {
  let count = 0;
  for (const span of answers.spans) {
    const { numAffectedRows } = await sql`delete from idempotency where ${answersIn(span, answers)}`.execute(tx);
    count += Number(numAffectedRows ?? 0);
  }
  return count;
}

/**
 * References keep a late receipt from being parked with its number. Those that have the number in them go, as WhatsApp's do. They are found by the
 * message: a receipt may have filed it under another form of its id, and a refused sender under another route.
 */
async function eraseReferences(tx: Tx, sessionId: string, { erased, pattern }: NumberForms): Promise<number> {
  const { rows } = await sql<{ id: string }>`select id from message where session_id = ${sessionId}`.execute(tx);
  const filed = sql`message_id = any(${rows.map(({ id }) => id)}::text[])`;
  const gone = await sql`delete from operator_reference where ${filed} and reference ~ ${pattern}`.execute(tx);
  const kept = await sql`update operator_reference set number = ${erased} where ${filed}`.execute(tx);
  return Number(gone.numAffectedRows ?? 0) + Number(kept.numAffectedRows ?? 0);
}

async function eraseMessages(tx: Tx, sessionId: string, { pattern }: NumberForms): Promise<number> {
  const { numAffectedRows } = await sql`update message set provider_message_id = null
    where session_id = ${sessionId} and provider_message_id ~ ${pattern}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** A report as it came names the phone in some form or other: none is kept. */
async function eraseReceipts(tx: Tx, sessionId: string, { pattern }: NumberForms): Promise<number> {
  const { numAffectedRows } = await sql`update receipt set raw = '',
      provider_message_id = case when provider_message_id ~ ${pattern} then null else provider_message_id end
    where session_id = ${sessionId} and (raw <> '' or provider_message_id ~ ${pattern})`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

async function eraseTimeline(tx: Tx, sessionId: string, forms: NumberForms): Promise<number> {
  const { rows } = await sql<{ version: number; entries: string }>`select version, entries from session_timeline
    where session_id = ${sessionId} and entries ~ ${forms.pattern}`.execute(tx);
  for (const { version, entries } of rows) {
    const clean = JSON.stringify((JSON.parse(entries) as unknown[]).map((entry) => withoutNumber(entry, forms)));
    await sql`update session_timeline set entries = ${clean}
      where session_id = ${sessionId} and version = ${version}`.execute(tx);
  }
  return rows.length;
}

interface Body {
  endpoint_id: string;
  event_id: string;
  body: string;
}

/** Webhooks are found by endpoint and time, as those of a dead process are (webhooks/recovery.ts). They are locked in the order of a mark. */
async function eraseDeliveries(
  tx: Tx,
  sessionId: string,
  { forms, endpoints }: SessionErasure,
  spans: readonly Span[],
): Promise<number> {
  if (endpoints.length === 0) return 0;
  const lows = spans.map(({ from }) => lowestId('evt_', Math.max(0, from)));
  const highs = spans.map(({ until }) => lowestId('evt_', until));
  const { rows } = await sql<Body>`
    select d.endpoint_id, d.event_id, d.body from unnest(${[...endpoints]}::text[]) e(id)
    cross join unnest(${lows}::text[], ${highs}::text[]) w(low, high)
    cross join lateral (
      select endpoint_id, event_id, body from webhook_delivery
      where endpoint_id = e.id and event_id >= w.low and event_id < w.high and session_id = ${sessionId} offset 0
    ) d`.execute(tx);
  if (rows.length === 0) return 0;
  const ids = [rows.map(({ endpoint_id }) => endpoint_id), rows.map(({ event_id }) => event_id)] as const;
  const bodies = rows.map(({ body }) => JSON.stringify(withoutNumber(JSON.parse(body), forms)));
  await sql`with clean as (
      select * from unnest(${ids[0]}::text[], ${ids[1]}::text[], ${bodies}::text[]) c(endpoint_id, event_id, body)
    ),
    locked as materialized (
      select d.endpoint_id, d.event_id, clean.body from clean join webhook_delivery d
        on d.endpoint_id = clean.endpoint_id and d.event_id = clean.event_id
      order by d.event_id, d.endpoint_id for update of d
    )
    update webhook_delivery d set body = l.body from locked l
    where d.endpoint_id = l.endpoint_id and d.event_id = l.event_id`.execute(tx);
  return rows.length;
}
