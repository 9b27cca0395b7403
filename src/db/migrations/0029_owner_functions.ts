// The functions with the rights of the tables' owner, made again with a search path of Postgres' own schema alone. With the schema of the tables in the
// path, an object of that schema wins over Postgres' own where its types fit the arguments better: whoever may make a function or an operator there had
// it run with the owner's rights. The tables are named with their schema instead. Signatures and privileges stay.

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db);
  const schema = rows[0]?.schema ?? '';
  /** A name in the schema of the tables. */
  const ours = (name: string) => sql.id(schema, name);

  await sql`create or replace function ${ours('ramz_make_partition')}(parent regclass, child text, low text, high text, room integer) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
  declare
    home name := ${sql.lit(schema)};
    key name;
  begin
    select a.attname into key from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
      where p.partrelid = parent and n.nspname = home and child ~ ('^' || c.relname || '_p[0-9]{8}(_[0-9]+)?$');
    if key is null then
      raise exception '% can not be a partition of %', child, parent using errcode = 'invalid_parameter_value';
    end if;
    execute format('create table %I.%I (like %s including all excluding identity) with
      (fillfactor = %s, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)', home, child, parent, room);
    execute format('alter table %I.%I add constraint %I check (%I is not null and %I >= %L and %I < %L)',
      home, child, child || '_bound', key, key, low, key, high);
    execute format('alter table %s attach partition %I.%I for values from (%L) to (%L)', parent, home, child, low, high);
    execute format('alter table %I.%I drop constraint %I', home, child, child || '_bound');
  end $body$`.execute(db);

  await sql`create or replace function ${ours('ramz_drop_partition')}(child regclass) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
  declare
    high text;
    high_ms numeric;
  begin
    select substring(pg_get_expr(c.relpartbound, c.oid) from $re$ TO [(]'[a-z]+_([0-9a-z]{26})'[)]$re$) into high
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_inherits i on i.inhrelid = c.oid
      where c.oid = child and c.relkind = 'r' and n.nspname = ${sql.lit(schema)}
        and i.inhparent in (select partrelid from pg_partitioned_table);
    select sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(high, n, 1)) - 1) * 32::numeric ^ (10 - n)) into high_ms
      from generate_series(1, 10) n;
    if high is null or high_ms > extract(epoch from now() - interval '12 hours') * 1000 then
      raise exception '% is no partition that is past', child using errcode = 'invalid_parameter_value';
    end if;
    execute format('drop table %s', child);
  end $body$`.execute(db);

  await sql`create or replace function ${ours('ramz_forget_audit_events')}(older_than timestamptz, most integer) returns bigint
    language sql security definer set search_path = pg_catalog, pg_temp as $body$
    with old as (
      select id from ${ours('audit_event')} where at < least(older_than, now() - interval '90 days') order by id limit most
    ), gone as (delete from ${ours('audit_event')} e using old where e.id = old.id returning 1)
    select count(*) from gone
  $body$`.execute(db);
}
