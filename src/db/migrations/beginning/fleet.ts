// The processes that live, and who of them holds which bind and owns which shards.

import { sql } from 'kysely';

export const fleet = [
  sql`create table process (
    id text collate "C" primary key,
    started_at timestamptz not null,
    lease_until timestamptz not null,
    -- {route: {waiting, perSecond}} of the binds this process holds, written once a second: a process without a bind for a route can't see
    -- its queue otherwise.
    routes jsonb not null default '{}',
    -- host:port of its peer port; null where it has none, or is about to stop: it is given no shards then.
    peer_address text
  )`,
  sql`create table bind_slot (
    operator text collate "C" not null,
    n smallint not null,
    owner text collate "C",
    fence bigint not null default 0,
    lease_until timestamptz,
    -- Said by the owner with each renewal: whether the bind is up.
    bound boolean not null default false,
    primary key (operator, n)
  )`,
  // Orders of the person who runs the service, in the order of their ids.
  sql`create table operator_order (
    id bigint generated always as identity primary key,
    operator text collate "C" not null,
    kind text not null check (kind in ('pause', 'resume', 'rebind')),
    -- Of a rebind: null = all binds.
    slot smallint,
    reason text not null,
    ordered_at timestamptz not null default now()
  )`,
  sql`insert into change_counter values ('operators', 0)`,
  // One row: [{owner, first, after}] over all shards, each owner a process, whose lease is that of its range. The fence rises with every move.
  sql`create table shard_map (
    is_only boolean primary key default true check (is_only),
    fence bigint not null,
    ranges jsonb not null
  )`,
];
