// Sessions, their messages and timelines, and what is to be found of them while something is still to be done. The big tables are
// partitioned by their time-ordered ids, so that retention is "drop a partition".
//
// No index holds a column that a save changes, in a predicate neither: then an update stays on its page and touches no index (HOT), which
// halves what it writes. What never changes stands first in a row: of the new version of a row only what differs goes to the log.

import { sql } from 'kysely';
import { busy } from './busy.ts';

export const sessions = [
  sql`create table verify_session (
    created_at timestamptz not null,
    expires_at timestamptz not null,
    code_length smallint not null,
    account_id text collate "C" not null,
    id text collate "C" not null,
    mode text not null,
    number text not null,
    purpose text not null,
    channel text not null,
    language text not null,
    key_id text not null,
    -- 16 random bytes, part of what the code is derived from: a key and an id alone make no code.
    salt bytea,
    sender_id text,
    client_reference text not null,
    autofill jsonb not null,
    cascade jsonb not null,
    -- From here on a save may change it.
    legs jsonb not null,
    version integer not null,
    event_sequence integer not null,
    run smallint not null,
    position smallint not null,
    sends smallint not null,
    attempts smallint not null,
    last_send_at timestamptz not null,
    first_send_at timestamptz,
    verified_at timestamptz,
    leg_ends_at timestamptz,
    next_at timestamptz,
    status text not null,
    status_reason text,
    delivery text not null,
    -- Who looks after its outgoing messages: 'process/…', or 'route/…' while they wait for a process with that route.
    holder text collate "C",
    primary key (account_id, id)
  ) partition by range (id)`,
  // A session is looked up by its number long after it is over. The number leads: with the account in front the planner took this index in
  // place of the primary key while a partition was empty (the two cost the same then), and each save read all sessions of the account.
  sql`create index verify_session_number on verify_session (number, account_id, id)`,
  // Sessions are looked for by the caller's own reference, which most callers do not give. The account does not lead here either.
  sql`create index verify_session_client_reference on verify_session (client_reference, account_id, id)
    where client_reference <> ''`,
  // What each save added to the timeline of its session, by the version that the save made: JSON, in the form of db/verify/timeline.ts.
  sql`create table session_timeline (
    session_id text collate "C" not null,
    version integer not null,
    entries text not null,
    primary key (session_id, version)
  ) partition by range (session_id)`,
  // The pending sessions: one at most for a number and purpose, over all partitions. By shard, so that whose process died can be looked
  // through: what is still to be done is in here, in unsettled or in route_queue, and nowhere else.
  sql`create table pending_number (
    shard smallint not null,
    account_id text collate "C" not null,
    mode text not null,
    number text not null,
    purpose text not null,
    session_id text collate "C" not null,
    primary key (shard, account_id, mode, number, purpose)
  ) ${busy}`,
  // Sessions that are over, with a message whose answer is still to come, or with a call that is up.
  sql`create table unsettled (
    shard smallint not null,
    session_id text collate "C" not null,
    account_id text collate "C" not null,
    primary key (shard, session_id)
  ) ${busy}`,
  // Sessions with a message that waits for a process with its route: their holder is 'route/…'.
  sql`create table route_queue (
    route text collate "C" not null,
    session_id text collate "C" not null,
    account_id text collate "C" not null,
    primary key (route, session_id)
  ) ${busy}`,
  sql`create table idempotency (
    account_id text collate "C" not null,
    mode text not null,
    route text not null,
    key text not null,
    request_hash bytea not null,
    answer jsonb not null,
    created_at timestamptz not null,
    primary key (account_id, mode, route, key)
  ) ${busy}`,
  sql`create index idempotency_age on idempotency (created_at)`,
  // Over several cells: which request a key is of, and the shard of the request's number, where the answer is. In the cell of the key itself.
  sql`create table idempotency_claim (
    account_id text collate "C" not null,
    mode text not null,
    route text not null,
    key text not null,
    request_hash bytea not null,
    shard smallint not null,
    created_at timestamptz not null,
    primary key (account_id, mode, route, key)
  ) ${busy}`,
  sql`create index idempotency_claim_age on idempotency_claim (created_at)`,
  sql`create table message (
    created_at timestamptz not null,
    run smallint not null,
    position smallint not null,
    -- 2: the leg's first message is in doubt.
    attempt smallint not null,
    account_id text collate "C" not null,
    session_id text collate "C" not null,
    id text collate "C" not null,
    channel text not null,
    -- From here on a save may change it.
    route text not null,
    operator text,
    sender_id text,
    sender_fallback boolean not null,
    tariff jsonb,
    provider_message_id text,
    parts smallint,
    submitted_at timestamptz,
    final_at timestamptz,
    first_send_at timestamptz,
    status text not null,
    reason text,
    error_code text,
    cost jsonb,
    receipts jsonb not null,
    -- How its call went, and the id of the process that the call stays with until it is over; null on messages that are no calls.
    call jsonb,
    holder text collate "C",
    primary key (session_id, id)
  ) partition by range (id)`,
];
