// Recovery of sessions that no process acts on: what dead processes held, deadlines of theirs, and what a broken commit may have left to
// this process without its knowledge. Nothing is looked for without a cause: a process is gone, this one was away, or a
// statement of its own broke off.

import { allShards, isIn, type Shards, takeoverShards } from '../../core/fleet/shards.ts';
import { shardOf } from '../../core/ids.ts';
import { isCallInHand } from '../../core/verify/cascade.ts';
import { isOutgoing, type Message, type Session } from '../../core/verify/session.ts';
import type { EngineStore } from '../../db/engine-store.ts';
import type { MessageInHand, OpenSession } from '../../db/fleet/claims.ts';
import type { SessionKey } from '../../db/verify/sessions.ts';
import { isAhead } from '../../time/wall-clock.ts';
import type { EngineContext } from '../context.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { nameless } from '../delivery/outgoing.ts';
import { abandonedMs, noticeUnknownCommit, type UncertainSessions } from '../fleet/unknown-commits.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Deadlines } from './deadlines.ts';

/** How the sessions that are taken up came to be this process's: a claim has just taken them, or they were its own before. */
export type Whose = 'claimed' | 'own';

/** The rooms that recovery works with. */
export interface Recovering {
  sessions: Sessions;
  dispatcher: Dispatcher;
  deadlines: Deadlines;
  uncertain: UncertainSessions;
}

/** Sessions that one statement should find. How many shards it reads follows from how many sessions the one before has found. */
const perStatement = 1_000;
/** The most shards that one statement reads. In a cell most shards are empty, and empty ones do not show how full the next ones are. */
const maxShards = 128;
/** How long after the last change of the fleet the share is looked through a second time, ms: by then every process has seen the change. */
const secondLookMs = 2_500;

export class Takeover {
  readonly #context: EngineContext;
  readonly #db: EngineStore;
  readonly #rooms: Recovering;
  /** What the next sweep looks through: this process's share of the shards, or all shards and what this process itself holds as well. */
  #wanted: 'share' | 'all' | null = null;
  /** When the share is looked through a second time, Unix ms; null = it is not. */
  #secondLookAt: number | null = null;
  /** Unix ms. After a process has gone, the share is looked through one last time when no statement of that process can be committed any more. */
  #lastLooksAt: number[] = [];
  #running: Promise<void> | null = null;

  constructor(context: EngineContext, db: EngineStore, rooms: Recovering) {
    this.#context = context;
    this.#db = db;
    this.#rooms = rooms;
  }

  /** From now on each change of the fleet causes a look. A look that fails is made again by the next sweep. */
  listen(): void {
    const { events } = this.#context.fleet;
    const look = (what: 'share' | 'all') => {
      this.want(what);
      this.sweep().catch(() => {}); // Logged by the loop, which tries again.
    };
    const lookTwice = (what: 'share' | 'all') => {
      this.#lastLooksAt.push(this.#context.now() + abandonedMs);
      look(what);
    };
    events.on('gone', () => lookTwice('share'));
    events.on('back', () => lookTwice('all'));
    events.on('inherited', () => look('share'));
    events.on('joined', () => {
      if (this.#secondLookAt !== null) this.#secondLookAt = this.#context.now() + secondLookMs;
    });
  }

  /** Has the next sweep look through this process's share, or through all shards. */
  want(what: 'share' | 'all'): void {
    this.#wanted = what === 'all' ? 'all' : (this.#wanted ?? 'share');
    this.#secondLookAt = this.#context.now() + secondLookMs;
  }

  /** Looks where there is a cause; without one it asks the database nothing. A second call waits for the first. */
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
    if (this.#takeDueLook()) this.#wanted ??= 'share';
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

  /** Whether a second or a last look is due; it is then taken off, because the caller makes it. */
  #takeDueLook(): boolean {
    const now = this.#context.now();
    const isSecondDue = this.#secondLookAt !== null && !isAhead(this.#secondLookAt, now, secondLookMs);
    if (isSecondDue) this.#secondLookAt = null;
    const ahead = this.#lastLooksAt.filter((at) => isAhead(at, now, abandonedMs));
    const isLastDue = ahead.length < this.#lastLooksAt.length;
    this.#lastLooksAt = ahead;
    return isSecondDue || isLastDue;
  }

  /**
   * Takes over what nobody looks after in these shards: sends what dead processes held, settles what they were writing and their calls,
   * and has an eye on the deadlines of `share`. Reads ids and deadlines alone; a whole session is read when something is to be done in it.
   * @param own takes up, too, what this process holds and does not act on.
   */
  async takeOver(range: Shards, { share = [range], own = false } = {}): Promise<void> {
    let shards = maxShards / 8;
    for (let first = range.first; first < range.after; ) {
      const after = Math.min(first + shards, range.after);
      const found = await this.#db.openSessionsOf(this.#context.fleet.processId, first, after);
      await this.#takeAll(found, { share, own });
      first = after;
      shards = Math.min(maxShards, Math.max(1, Math.floor((shards * perStatement) / Math.max(1, found.length))));
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
    const { deadlines } = this.#rooms;
    const { processId } = this.#context.fleet;
    for (const { nextAt, ...key } of found) {
      if (nextAt !== null && isIn(share, shardOf(key.id))) deadlines.expect(key, nextAt);
    }
    if (own) {
      await this.takeUpAll(
        found.filter((session) => this.#isIdle(session)),
        'own',
      );
    }
    if (!this.#context.fleet.mayTakeOver) return;
    const orphans = found.filter(({ held }) => held === 'dead');
    if (orphans.length > 0) {
      const claim = this.#db.claimOrphans(processId, orphans);
      await this.takeUpAll(await noticeUnknownCommit(claim, () => this.#rooms.uncertain.add(orphans)), 'claimed');
    }
    const lost = (session: OpenSession) => session.inHand.filter(({ holder }) => holder !== processId);
    await Promise.all(found.flatMap((session) => lost(session).map((message) => this.#settle(session, message))));
  }

  /** Whether this process is to send something of the session, or is on record as writing it, and does nothing of it. */
  #isIdle({ id, held, inHand }: OpenSession): boolean {
    const { dispatcher } = this.#rooms;
    const { processId } = this.#context.fleet;
    if (held === 'self' && !dispatcher.has(id)) return true;
    return inHand.some(({ messageId, holder }) => holder === processId && !dispatcher.has(messageId));
  }

  /** Settles a message that a dead process was writing, or a call of that process. Several processes may do so at once. */
  async #settle({ accountId, id }: SessionKey, { messageId, holder }: MessageInHand): Promise<void> {
    const { sessions, uncertain } = this.#rooms;
    const line =
      'a message of a dead process could not be settled: it is looked at again, look at the database for the cause';
    try {
      sessions.forget(id); // What is held here may be older than the message.
      const session = await sessions.peek({ accountId, id });
      const message = session?.messages.find((each) => each.id === messageId);
      // A call was filed before it was made, and its receipts always name it.
      const filed = session && message && !isCallInHand(message) ? nameless(session, message) : {};
      await sessions.apply({ accountId, id }, { kind: 'holder_lost', messageId, holder }, filed);
    } catch (err) {
      uncertain.add([{ accountId, id }]);
      this.#context.log.error({ err, session_id: id, message_id: messageId }, line);
    }
  }

  /** Takes up sessions that are this process's by now. One that can't be taken up, for example because lanes are full, is looked at again. */
  async takeUpAll(keys: readonly SessionKey[], whose: Whose): Promise<void> {
    const line = 'a session could not be taken over: it is looked at again, look at the database for the cause';
    const failed = (err: unknown, { accountId, id }: SessionKey) => {
      this.#rooms.uncertain.add([{ accountId, id }]);
      this.#context.log.error({ err, session_id: id }, line);
    };
    await Promise.all(keys.map((key) => this.#takeUp(key, whose).catch((error) => failed(error, key))));
  }

  /** Sends what is queued in a session of this process, and settles what it is on record as writing. */
  async #takeUp(key: SessionKey, whose: Whose): Promise<void> {
    const { sessions, dispatcher } = this.#rooms;
    sessions.forget(key.id);
    const session = await sessions.peek(key);
    for (const message of session?.messages.filter(isOutgoing) ?? []) {
      const isHere = dispatcher.has(message.id); // It may have been dispatched a moment ago.
      if (!session || (isHere && whose === 'own')) continue;
      if (message.status === 'queued') await this.#send(session, message);
      else if (!isHere && message.holder === this.#context.fleet.processId) await this.#settleOwn(session, message);
    }
  }

  async #send(session: Session, message: Message): Promise<void> {
    const { channels } = this.#context;
    if (channels.canSend(message.route)) this.#rooms.dispatcher.dispatch(session, message.id);
    else await this.#giveBack(session, message);
  }

  /** Settles a message that is on record as being written by this process, although this process does not write it. */
  async #settleOwn(session: Session, message: Message): Promise<void> {
    const { sessions, dispatcher } = this.#rooms;
    if (dispatcher.takeUnwritten(message.id)) return this.#giveBack(session, message);
    // The bytes may have left, so it is never sent again.
    const event = { kind: 'unknown', messageId: message.id, reason: 'process_lost' } as const;
    await sessions.apply(session, event, nameless(session, message));
  }

  async #giveBack(session: Session, message: Message): Promise<void> {
    const { processId: holder } = this.#context.fleet;
    await this.#rooms.sessions.apply(
      session,
      { kind: 'not_sent', messageId: message.id, holder },
      { onlyIfHeld: true },
    );
  }
}
