// The owners of shards, as this process knows them. The owner of a number does its work from memory, in long batches; a process that does not know
// the owner, or knows an old one, does or gets the work done all the same: what is stored decides, and the owner only makes
// collisions rare.

import { type CellMap, oneCell } from '../../core/fleet/cells.ts';
import {
  areSame,
  isShardMap,
  nextRanges,
  overlap,
  ownerOf,
  type ShardMap,
  type ShardRange,
} from '../../core/fleet/shards.ts';
import type { EngineStore } from '../../db/engine-store.ts';
import type { PeerAddress } from '../../peers/port.ts';
import type { Conversation } from './conversation.ts';
import type { Fleet } from './members.ts';

export interface OwnersOptions {
  db: Pick<EngineStore, 'announcePeer' | 'readShards' | 'moveShards'>;
  fleet: Pick<Fleet, 'processId' | 'events' | 'now'>;
  conversation: Conversation;
  log: OwnersLog;
  /** Which database a shard is in. Default: all are in one. */
  cells?: Pick<CellMap, 'borders'>;
}

interface OwnersLog {
  error(fields: object, message: string): void;
}

/** The connections to other processes. */
interface Port {
  meet(peers: readonly PeerAddress[]): void;
  /** Waits no longer for those of them that are not heard: their lease has ended. */
  giveUp(processIds: readonly string[]): void;
  /** Processes that would be asked now. */
  readonly reachable: readonly string[];
}

/** What a process says about a map that it has made. */
const verb = 'shards';

/** A map that was not heard of is read after so many ticks, of a second each. */
const ticksPerLook = 10;
/** Tries of a move that another process comes before. */
const maxMoves = 5;

export class Owners {
  readonly #options: OwnersOptions;
  #map: ShardMap = { fence: 0, ranges: [] };
  #port: Port | null = null;
  /** Null while this process is given no shards: before it can be reached, and once it is about to end. */
  #address: string | null = null;
  #ticks = 0;
  #isUnsettled = false;

  constructor(options: OwnersOptions) {
    this.#options = options;
    options.conversation.serve(verb, async (said) => {
      if (!isShardMap(said)) throw new Error('a peer said what is no map of shards');
      this.#learn(said);
    });
  }

  /** The process that owns the shard, which may be this one; null while nobody does. */
  ownerOf(shard: number): string | null {
    return ownerOf(this.#map.ranges, shard);
  }

  /** Shards that this process owns. */
  get own(): number {
    const range = this.#map.ranges.find(({ owner }) => owner === this.#options.fleet.processId);
    return range ? range.after - range.first : 0;
  }

  /** Gives this process shards of its own, now that it can be reached at `address`, which is `port`'s. */
  async begin(address: string, port: Port): Promise<void> {
    const { events } = this.#options.fleet;
    this.#port = port;
    this.#address = address;
    const look = () => void this.#look().catch((err: unknown) => this.#failed(err));
    events.on('joined', look);
    events.on('gone', (processIds) => {
      port.giveUp(processIds);
      look();
    });
    // The row may have been deleted with the lease.
    events.on('back', () => void this.#announce().then(look, (err: unknown) => this.#failed(err)));
    await this.#announce();
    await this.#look();
  }

  /** Gives the shards to the others, who learn of it at once. This process goes on with what it has taken. */
  async leave(): Promise<void> {
    this.#address = null;
    await this.#announce();
    await this.#look();
  }

  /** Once a second: steps on while the ranges are not equal, and looks now and then. */
  async tick(): Promise<void> {
    this.#ticks += 1;
    if (this.#isUnsettled || this.#ticks % ticksPerLook === 0) await this.#look();
  }

  #learn(map: ShardMap): void {
    if (map.fence > this.#map.fence) this.#set(map);
  }

  #set(map: ShardMap): void {
    const before = this.#map.ranges;
    this.#map = map;
    const isGone = ({ owner }: ShardRange) => !map.ranges.some((range) => range.owner === owner);
    const left = before.filter(isGone);
    const own = map.ranges.filter(({ owner }) => owner === this.#options.fleet.processId);
    if (own.some((mine) => left.some((theirs) => overlap(mine, theirs)))) this.#options.fleet.events.emit('inherited');
  }

  #announce(): Promise<void> {
    const { db, fleet } = this.#options;
    return db.announcePeer(fleet.processId, this.#address);
  }

  /** Reads the map, and moves it on where that is this process's task. */
  async #look(): Promise<void> {
    const { db, fleet, cells = oneCell } = this.#options;
    for (let tries = 0; tries < maxMoves; tries += 1) {
      const known = this.#map;
      const { fence, ranges, peers } = await db.readShards();
      // What is stored counts, its fence lower than ours or not: the row may have been deleted, or put back from a backup. Only news
      // heard during the look may be newer.
      if (this.#map === known) this.#set({ fence, ranges });
      else this.#learn({ fence, ranges });
      this.#port?.meet(peers);
      const live = peers.map(({ processId }) => processId);
      // Its row was deleted with its lease, and what it said when it was back was not stored.
      if (this.#address !== null && tries === 0 && !live.includes(fleet.processId)) await this.#announce();
      const next = nextRanges(ranges, live, cells.borders(fleet.now()));
      const hasChanged = !areSame(next, ranges);
      // One process moves: the eldest, or one that leaves. Another would only come second.
      const isMover = live[0] === fleet.processId || this.#address === null;
      this.#isUnsettled = hasChanged && isMover;
      if (!this.#isUnsettled) return;
      if (await db.moveShards(fence, next)) {
        this.#say({ fence: fence + 1, ranges: next });
        return;
      }
    }
  }

  /** Sooner than the others would read it. One that does not hear it asks the old owner for a while, who does the work all the same. */
  #say(map: ShardMap): void {
    this.#learn(map);
    for (const peer of this.#port?.reachable ?? []) void this.#options.conversation.ask(peer, verb, map);
  }

  #failed(err: unknown): void {
    this.#options.log.error({ err }, 'the owners of shards could not be read: they are read again within seconds');
    this.#isUnsettled = true;
  }
}
