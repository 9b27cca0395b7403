// Recovery of sessions that no process acts on: what dead processes held, deadlines of theirs, and what a broken commit may have left to
// this process without its knowledge. Nothing is looked for without a cause: a process is gone, this one was away, or a
// statement of its own broke off.

import { allShards, isIn, type Shards, takeoverShards } from '../../core/fleet/shards.ts';
import { shardOf } from '../../core/ids.ts';
import type { Event } from '../../core/verify/event.ts';
import { isOutgoing, type Message, type Session } from '../../core/verify/session.ts';
import type { EngineStore } from '../../db/engine-store.ts';
import type { LostCall, OpenSession } from '../../db/fleet/claims.ts';
import type { SessionKey } from '../../db/verify/sessions.ts';
import type { EngineContext } from '../context.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { nameless } from '../delivery/outgoing.ts';
import type { UncertainSessions } from '../fleet/uncertain-sessions.ts';
import { noticeUnknownCommit, openMs } from '../fleet/unknown-commits.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Deadlines } from './deadlines.ts';

/** Sessions that are taken up: a dead process's, those that waited for a route, or this process's own. */
export type Whose = 'dead' | 'route' | 'own';

/** The rooms that recovery works with. */
export interface Recovering {
  sessions: Sessions;
  dispatcher: Dispatcher;
  deadlines: Deadlines;
  uncertain: UncertainSessions;
}

/** Sessions that one statement should find; the shards it reads follow from what the one before found. */
const perStatement = 1_000;
const mostShards = 128;
/** Processes may see a join or an end a moment apart. So each looks once more when all have seen the last of them. */
const againMs = 2_500;

export class Takeover {
  readonly #context: EngineContext;
  readonly #db: EngineStore;
  readonly #rooms: Recovering;
  /** What is to be looked through with the next sweep: this process's share of the shards, or all of them and its own as well. */
  #wanted: 'share' | 'all' | null = null;
  /** When the share is looked through once more; null = not. */
  #againAt: number | null = null;
  /** When nothing can be committed any more of those that were gone at a look: the share is looked through once more then. */
  #closedAt: number[] = [];
  #running: Promise<void> | null = null;

  constructor(context: EngineContext, db: EngineStore, rooms: Recovering) {
    this.#context = context;
    this.#db = db;
    this.#rooms = rooms;
  }

  /** From now on it looks when the fleet changes. A look that fails is made again by the next sweep. */
  listen(): void {
    const { events } = this.#context.fleet;
    const look = (what: 'share' | 'all') => {
      this.want(what);
      this.sweep().catch(() => {}); // Logged by the loop, which tries again.
    };
    const lookTwice = (what: 'share' | 'all') => {
      this.#closedAt.push(this.#context.now() + openMs);
      look(what);
    };
    events.on('gone', () => lookTwice('share'));
    events.on('back', () => lookTwice('all'));
    events.on('inherited', () => look('share'));
    events.on('joined', () => {
      if (this.#againAt !== null) this.#againAt = this.#context.now() + againMs;
    });
  }

  /** The next sweep looks through so much. */
  want(what: 'share' | 'all'): void {
    this.#wanted = what === 'all' ? 'all' : (this.#wanted ?? 'share');
    this.#againAt = this.#context.now() + againMs;
  }

  /** Does what there is a cause for; without one it asks the database nothing. One at a time: a second call waits for the first. */
  async sweep(): Promise<void> {
    while (this.#running) await this.#running.catch(() => {});
    this.#running = this.#sweep().finally(() => {
      this.#running = null;
    });
    await this.#running;
  }

  async #sweep(): Promise<void> {
    const { uncertain } = this.#rooms;
    const { sessions, all } = uncertain.take();
    if (all) this.#wanted = 'all';
    if (this.#isAgainDue()) this.#wanted ??= 'share';
    if (sessions.length > 0) {
      await this.#lookAt(sessions).catch((error) => {
        uncertain.add(sessions);
        throw error;
      });
    }
    const wanted = this.#wanted;
    if (wanted === null || (!this.#context.fleet.mayTakeOver && !all)) return;
    this.#wanted = null;
    try {
      const { ranges, live } = await this.#db.readShards();
      const share = takeoverShards(ranges, live, this.#context.fleet.processId);
      const looked = wanted === 'all' ? [allShards] : share;
      for (const shards of looked) await this.takeOver(shards, { share, own: wanted === 'all' });
    } catch (error) {
      this.#wanted = wanted === 'all' ? 'all' : (this.#wanted ?? 'share');
      throw error;
    }
  }

  /** Whether the share is to be looked through once more, by now; then it is not for the same reason again. */
  #isAgainDue(): boolean {
    const now = this.#context.now();
    // A time further ahead than it was set was set by a clock that was set back since.
    const isDue = (at: number, setMs: number) => now >= at || at > now + setMs;
    const isSoonDue = this.#againAt !== null && isDue(this.#againAt, againMs);
    if (isSoonDue) this.#againAt = null;
    const open = this.#closedAt.filter((at) => !isDue(at, openMs));
    const isClosed = open.length < this.#closedAt.length;
    this.#closedAt = open;
    return isSoonDue || isClosed;
  }

  /**
   * Takes over what nobody looks after in these shards: sends what dead processes held, settles their calls, and has an eye on the
   * deadlines of `share`. Reads ids and deadlines alone; a whole session is read when something is to be done in it.
   * @param own takes up, too, what this process holds and does not act on.
   */
  async takeOver(range: Shards, { share = [range], own = false } = {}): Promise<void> {
    let shards = mostShards / 8;
    for (let first = range.first; first < range.after; ) {
      const after = Math.min(first + shards, range.after);
      const found = await this.#db.openSessionsOf(this.#context.fleet.processId, first, after);
      await this.#takeAll(found, { share, own });
      first = after;
      shards = Math.min(mostShards, Math.max(1, Math.floor((shards * perStatement) / Math.max(1, found.length))));
    }
  }

  async #lookAt(keys: readonly SessionKey[]): Promise<void> {
    for (let at = 0; at < keys.length; at += perStatement) {
      const some = keys.slice(at, at + perStatement);
      const found = await this.#db.openSessionsAt(this.#context.fleet.processId, some);
      await this.#takeAll(found, { share: [allShards], own: true });
    }
  }

  async #takeAll(found: readonly OpenSession[], { share, own }: { share: Shards[]; own: boolean }): Promise<void> {
    const { deadlines, dispatcher } = this.#rooms;
    for (const { nextAt, ...key } of found) {
      if (nextAt !== null && isIn(share, shardOf(key.id))) deadlines.expect(key, nextAt);
    }
    if (own) {
      const idle = found.filter(({ id, held }) => held === 'self' && !dispatcher.has(id));
      await this.takeUpAll(idle, 'own');
    }
    if (!this.#context.fleet.mayTakeOver) return;
    const orphans = found.filter(({ held }) => held === 'dead');
    if (orphans.length > 0) {
      const claim = this.#db.claimOrphans(this.#context.fleet.processId, orphans);
      await this.takeUpAll(await noticeUnknownCommit(claim, () => this.#rooms.uncertain.add(orphans)), 'dead');
    }
    await Promise.all(found.flatMap((session) => session.lostCalls.map((call) => this.#settle(session, call))));
  }

  /** No receipt will end the call of a dead process; several processes may say so at once. */
  async #settle({ accountId, id }: SessionKey, { messageId, holder }: LostCall): Promise<void> {
    const { sessions, uncertain } = this.#rooms;
    sessions.forget(id); // What is held here may be older than the call.
    const line =
      'the call of a dead process could not be settled: it is looked at again, look at the database for the cause';
    await sessions.apply({ accountId, id }, { kind: 'call_lost', messageId, holder }).catch((err: unknown) => {
      uncertain.add([{ accountId, id }]);
      this.#context.log.error({ err, session_id: id, message_id: messageId }, line);
    });
  }

  /** The sessions are this process's by now: one that can't be taken up, for example because lanes are full, is looked at again. */
  async takeUpAll(keys: readonly SessionKey[], whose: Whose): Promise<void> {
    const line = 'a session could not be taken over: it is looked at again, look at the database for the cause';
    const failed = (err: unknown, { accountId, id }: SessionKey) => {
      this.#rooms.uncertain.add([{ accountId, id }]);
      this.#context.log.error({ err, session_id: id }, line);
    };
    await Promise.all(keys.map((key) => this.#takeUp(key, whose).catch((error) => failed(error, key))));
  }

  /** Sends what is queued in a session of this process. */
  async #takeUp(key: SessionKey, whose: Whose): Promise<void> {
    const { sessions, dispatcher } = this.#rooms;
    sessions.forget(key.id);
    const session = await sessions.peek(key);
    for (const message of session?.messages.filter(isOutgoing) ?? []) {
      if (!session || (whose === 'own' && dispatcher.has(key.id))) return; // On its way from here, perhaps since a moment ago.
      await this.#send(session, message, whose);
    }
  }

  async #send(session: Session, message: Message, whose: Whose): Promise<void> {
    const { sessions, dispatcher } = this.#rooms;
    const isQueued = message.status === 'queued';
    if (isQueued && this.#context.channels.canSend(message.route)) dispatcher.dispatch(session, message.id);
    else if (isQueued || dispatcher.takeUnwritten(message.id)) {
      await sessions.apply(session, { kind: 'not_sent', messageId: message.id }, { onlyIfHeld: true });
    }
    // Its process died between `submitting` and the answer: the bytes may have left, so it is never sent again.
    else if (whose !== 'route') {
      const event: Event = { kind: 'unknown', messageId: message.id, reason: 'process_lost' };
      await sessions.apply(session, event, nameless(session, message));
    }
  }
}
