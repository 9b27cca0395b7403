// Statements that date first sends, once in an account's life: of its first live SMS an operator accepted, and of its first session sent from
// its own messaging-app number. The locked row decides, so that several processes date it once.

import { lowestId } from '../../core/ids.ts';
import { on } from '../columns.ts';
import type { Queryable } from '../queryable.ts';
import { record } from '../record.ts';

/** A message on record that may be its account's first. */
export interface SentMessage {
  accountId: string;
  sessionId: string;
  messageId: string;
}

const sent = record<SentMessage>()({ accountId: 'text', sessionId: 'text', messageId: 'text' });

// `offset 0`: a row is looked for by its whole key. Joined, the planner may take a part of it while a partition is young, and read all that
// has that part.
const smsText = `
with c as materialized (${sent.select(1)}),
open as materialized (
  select id from account where id = any (array(select account_id from c)) and sms_first_send_at is null
  order by id for no key update
),
first as materialized (
  select distinct on (c.account_id) c.account_id, c.session_id, m.id, m.submitted_at
  from open join c on c.account_id = open.id cross join lateral (
    select id, submitted_at from message where session_id = c.session_id and id = c.message_id offset 0
  ) m
  where m.submitted_at is not null order by c.account_id, m.submitted_at, m.id
),
dated as (
  update account a set sms_first_send_at = first.submitted_at from first where a.id = first.account_id
),
marked as (
  update message m set first_send_at = first.submitted_at from first where ${on('m', 'first', 'session_id', 'id')}
)
select id as account_id from open where id not in (select account_id from first)`;

/** Dates the accounts of these live SMS that have none, and marks the earliest message of each. Returns those still without a date. */
export async function dateFirstSms(db: Queryable, messages: readonly SentMessage[]): Promise<Set<string>> {
  const query = { name: 'first_sends.sms', text: smsText, values: sent.parameters(messages) };
  return new Set((await db.query<{ account_id: string }>(query)).rows.map((row) => row.account_id));
}

// What counts is the session's first send, by whichever channel; one that began before the link does not count.
const appText = `
with c as materialized (${sent.select(1)}),
open as materialized (
  select account_id from waba where account_id = any (array(select account_id from c)) and first_send_at is null
  order by account_id for no key update
),
first as materialized (
  select c.account_id, min(s.first_send_at) as at
  from open join c on c.account_id = open.account_id join account a on a.id = c.account_id cross join lateral (
    select first_send_at from verify_session where account_id = c.account_id and id = c.session_id offset 0
  ) s
  where s.first_send_at >= a.custom_waba_connected_at group by c.account_id
),
dated as (
  update waba w set first_send_at = first.at from first where w.account_id = first.account_id
)
select account_id from open where account_id not in (select account_id from first)`;

/** The same for messages sent from the accounts' own numbers. */
export async function dateFirstAppSends(db: Queryable, messages: readonly SentMessage[]): Promise<Set<string>> {
  const query = { name: 'first_sends.app', text: appText, values: sent.parameters(messages) };
  return new Set((await db.query<{ account_id: string }>(query)).rows.map((row) => row.account_id));
}

/** Accounts looked at with one statement. */
const accountsPerPage = 500;

/** Sessions of one account looked at, the youngest first: an account without a date may still have sent any number with test keys. */
const sessionsPerAccount = 2_000;

/** Longer than any session lives: what was accepted from then on belongs to a session that was opened no longer before. */
const longestWaitMs = 7_200_000;

const searchText = (undated: string, condition: string) => `
with undated as materialized (${undated} limit ${accountsPerPage})
select undated.id as account_id, found.session_id, found.id as message_id
from undated left join lateral (
  select m.id, s.id as session_id
  from (
    select id, mode, first_send_at from verify_session
    where account_id = undated.id and id >= $2 order by id desc limit ${sessionsPerAccount}
  ) s cross join lateral (
    select id, channel, sender_id, sender_fallback, submitted_at from message where session_id = s.id offset 0
  ) m
  where s.mode = 'live' and m.submitted_at >= to_timestamp($3::bigint / 1000.0)
    and ${condition}
  order by m.submitted_at, m.id limit 1
) found on true
order by undated.id`;

const searches = {
  sms: {
    name: 'first_sends.find_sms',
    text: searchText(
      'select id from account where sms_first_send_at is null and id > $1 order by id',
      `m.channel = 'sms'`,
    ),
  },
  app: {
    name: 'first_sends.find_app',
    text: searchText(
      `select w.account_id as id, a.custom_waba_connected_at as connected_at from waba w join account a on a.id = w.account_id
        where w.first_send_at is null and w.account_id > $1 order by w.account_id`,
      `m.channel = 'whatsapp' and m.sender_id is not null and not m.sender_fallback
        and s.first_send_at >= undated.connected_at`,
    ),
  },
};

/** One page of the accounts without a date, in order of their ids. */
export interface FirstSendsFound {
  found: SentMessage[];
  /** Where the next page begins; null after the last one. */
  next: string | null;
}

/** Looks among what was accepted from `since` (Unix ms) on. */
export async function findFirstSends(
  db: Queryable,
  what: keyof typeof searches,
  since: number,
  after: string,
): Promise<FirstSendsFound> {
  type Row = { account_id: string; session_id: string | null; message_id: string | null };
  const values = [after, lowestId('vrf_', Math.max(0, Math.floor(since) - longestWaitMs)), Math.floor(since)];
  const { rows } = await db.query<Row>({ ...searches[what], values });
  const found = rows.flatMap(({ account_id: accountId, session_id: sessionId, message_id: messageId }) =>
    sessionId === null || messageId === null ? [] : [{ accountId, sessionId, messageId }],
  );
  return { found, next: rows.length < accountsPerPage ? null : (rows.at(-1)?.account_id ?? null) };
}
