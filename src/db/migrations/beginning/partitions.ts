// Functions that make and drop partitions with the rights of the tables' owner: a service that may only read and write rows keeps its house
// by them. Each looks for itself at what it is asked, because its caller may be anybody with that role.

import { sql } from 'kysely';

/**
 * Makes a partition as a table of its own and then attaches it, which needs no lock that a read or a write would wait for: `create table …
 * partition of` asks for ACCESS EXCLUSIVE on the whole table, and behind a backup all others would queue for it. Indexes come along, and are
 * attached to those of the parent. An identity column would not: a partition has none of its own. The check is equal to the bounds, so that
 * attaching need not look at any row. Rows are updated a few times soon after they are inserted: room on the page keeps that cheap (HOT).
 */
const make = sql`create function ramz_make_partition(parent regclass, child text, low text, high text, room integer) returns void
  language plpgsql security definer as $body$
declare
  key name;
begin
  select a.attname into key from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
    join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    where p.partrelid = parent and c.relnamespace = current_schema()::regnamespace
      and child ~ ('^' || c.relname || '_p[0-9]{8}(_[0-9]+)?$');
  if key is null then
    raise exception '% can not be a partition of %', child, parent using errcode = 'invalid_parameter_value';
  end if;
  execute format('create table %I (like %s including all excluding identity) with
    (fillfactor = %s, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)', child, parent, room);
  execute format('alter table %I add constraint %I check (%I is not null and %I >= %L and %I < %L)',
    child, child || '_bound', key, key, low, key, high);
  execute format('alter table %s attach partition %I for values from (%L) to (%L)', parent, child, low, high);
  execute format('alter table %I drop constraint %I', child, child || '_bound');
end $body$`;

/**
 * Drops a partition, with a lock on the whole table: a function can't detach concurrently. The last id that may be in it has to be half a day
 * old (its first ten characters are the time, core/ids.ts), whatever the caller takes for retention.
 */
const drop = sql`create function ramz_drop_partition(child regclass) returns void
  language plpgsql security definer as $body$
declare
  high text;
  high_ms numeric;
begin
  select substring(pg_get_expr(c.relpartbound, c.oid) from $re$ TO [(]'[a-z]+_([0-9a-z]{26})'[)]$re$) into high
    from pg_class c join pg_inherits i on i.inhrelid = c.oid
    where c.oid = child and c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      and i.inhparent in (select partrelid from pg_partitioned_table);
  select sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(high, n, 1)) - 1) * 32::numeric ^ (10 - n)) into high_ms
    from generate_series(1, 10) n;
  if high is null or high_ms > extract(epoch from now() - interval '12 hours') * 1000 then
    raise exception '% is no partition that is past', child using errcode = 'invalid_parameter_value';
  end if;
  execute format('drop table %s', child);
end $body$`;

/** With the rights of another a function must not find its tables by the caller's search path. */
const fixed = sql`do $body$
declare
  made regprocedure;
begin
  foreach made in array array['ramz_make_partition(regclass, text, text, text, integer)', 'ramz_drop_partition(regclass)']::regprocedure[]
  loop
    execute format('alter function %s set search_path = %I, pg_temp', made, current_schema());
    execute format('revoke all on function %s from public', made);
  end loop;
end $body$`;

export const partitions = [make, drop, fixed];
