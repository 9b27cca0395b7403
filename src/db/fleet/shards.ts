// The map of shards: one row that says which process owns which range, and the addresses at which the processes reach each other. A
// move is a compare-and-set on the map's fence, so of two processes that move at once one has to look again.

import { isShardMap, type ShardMap, type ShardRange } from '../../core/fleet/shards.ts';
import type { Queryable } from '../queryable.ts';

/** A live process that has a peer port. */
interface PeerRow {
  processId: string;
  /** `host:port`. */
  address: string;
}

/** Says where the process is reached; null = nowhere any more. */
export async function announcePeer(db: Queryable, processId: string, address: string | null): Promise<void> {
  const text = 'update process set peer_address = $2 where id = $1';
  await db.query({ name: 'shards.announce', text, values: [processId, address] });
}

/** The map, the processes whose lease runs, and those of them that can be reached. */
export async function readShards(db: Queryable): Promise<ShardMap & { live: string[]; peers: PeerRow[] }> {
  type Row = {
    fence: string | null;
    ranges: ShardRange[] | null;
    live: { id: string; address: string | null }[] | null;
  };
  const { rows } = await db.query<Row>({
    name: 'shards.read',
    text: `select m.fence, m.ranges,
        (select jsonb_agg(jsonb_build_object('id', id, 'address', peer_address) order by id) from process
          where lease_until > now()) as live
      from (select true) one left join shard_map m on true`,
    values: [],
  });
  const { fence: stored, ranges, live } = rows[0] ?? { fence: null, ranges: null, live: null };
  const fence = Number(stored ?? 0);
  const processes = live ?? [];
  return {
    fence,
    // What is no map, by whatever hand, counts as none.
    ranges: isShardMap({ fence, ranges }) ? (ranges ?? []) : [],
    live: processes.map(({ id }) => id),
    peers: processes.flatMap(({ id, address }) => (address === null ? [] : [{ processId: id, address }])),
  };
}

/** Replaces the map where its fence is still this one. Returns whether it was. */
export async function moveShards(db: Queryable, fence: number, ranges: readonly ShardRange[]): Promise<boolean> {
  const { rows } = await db.query({
    name: 'shards.move',
    text: `insert into shard_map (fence, ranges) values (1, $2::jsonb)
      on conflict (is_only) do update set fence = shard_map.fence + 1, ranges = excluded.ranges where shard_map.fence = $1
      returning fence`,
    values: [fence, JSON.stringify(ranges)],
  });
  return rows.length > 0;
}
