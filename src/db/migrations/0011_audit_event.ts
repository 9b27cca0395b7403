// The audit log: one row for each change that a key with the scope `manage` or an administrator makes. Whatever a role was granted, only the
// owner of the table changes or deletes rows: the service adds and reads them, and forgets old ones by a function with the owner's rights.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table audit_event (
    id text collate "C" primary key,
    at timestamptz not null,
    -- Null where it is about no account.
    account_id text collate "C",
    -- Null where it is about both modes, or about no account.
    mode text check (mode in ('live', 'test')),
    action text collate "C" not null,
    -- Id of what was changed.
    target text collate "C" not null,
    actor_kind text not null,
    actor_id text collate "C" not null,
    actor_name text not null,
    address text not null,
    request_id text collate "C" not null,
    -- The members that differ.
    before jsonb not null,
    after jsonb not null
  )`.execute(db);
  await sql`create index audit_event_account on audit_event (account_id, id)`.execute(db);
  await sql`create index audit_event_actor on audit_event (actor_id, id)`.execute(db);
  await sql`create index audit_event_action on audit_event (action, id)`.execute(db);
  await sql`create index audit_event_target on audit_event (target, id)`.execute(db);

  await sql`create function ramz_keep_audit_events() returns trigger language plpgsql as $body$
  begin
    if current_user <> (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then
      raise exception 'rows of audit_event are only added' using errcode = 'insufficient_privilege';
    end if;
    return null;
  end $body$`.execute(db);
  await sql`create trigger audit_event_kept before update or delete or truncate on audit_event
    for each statement execute function ramz_keep_audit_events()`.execute(db);

  // Nothing younger than 90 days, whatever the caller takes for retention.
  await sql`create function ramz_forget_audit_events(older_than timestamptz, most integer) returns bigint
    language sql security definer as $body$
    with old as (
      select id from audit_event where at < least(older_than, now() - interval '90 days') order by id limit most
    ), gone as (delete from audit_event e using old where e.id = old.id returning 1)
    select count(*) from gone
  $body$`.execute(db);
  // With the rights of another a function must not find its tables by the caller's search path.
  await sql`do $body$
  begin
    execute format('alter function ramz_forget_audit_events(timestamptz, integer) set search_path = %I, pg_temp', current_schema());
    revoke all on function ramz_forget_audit_events(timestamptz, integer) from public;
  end $body$`.execute(db);
}
