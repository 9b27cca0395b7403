// Recovery of sessions that no process acts on: deadlines that were missed, what dead processes held, what waits for a route that this
// process has, and what a broken commit may have left to it without its knowledge.

import type { Event } from '../../core/verify/event.ts';
import { isOutgoing, type Message, type Session } from '../../core/verify/session.ts';
import type { EngineStore } from '../../db/engine-store.ts';
import type { HeldCall } from '../../db/fleet/holder.ts';
import type { SessionKey } from '../../db/verify/sessions.ts';
import type { EngineContext } from '../context.ts';
import type { Backlog } from '../delivery/backlog.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { nameless } from '../delivery/outgoing.ts';
import { noticeUnknownCommit, type UnknownCommits } from '../fleet/unknown-commits.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Deadlines } from './deadlines.ts';

/** Sessions that are taken up: a dead process's, those that wait for a route, or this process's own of an unknown commit. */
type Whose = 'dead' | 'route' | 'own';

/** The rooms that recovery works with. */
export interface Recovering {
  sessions: Sessions;
  dispatcher: Dispatcher;
  deadlines: Deadlines;
  backlog: Backlog;
  unknownCommits: UnknownCommits;
}

/** How late a deadline may be before another process handles it. */
const graceMs = 300;
/** The most sessions that one sweep takes. */
const sweepLimit = 500;

export class Takeover {
  readonly #context: EngineContext;
  readonly #db: EngineStore;
  readonly #rooms: Recovering;

  constructor(context: EngineContext, db: EngineStore, rooms: Recovering) {
    this.#context = context;
    this.#db = db;
    this.#rooms = rooms;
  }

  /** Deadlines that no process met in time, what dead processes left behind, and what this process may hold without knowing. */
  async sweep(): Promise<void> {
    const { fleet } = this.#context;
    const { deadlines, unknownCommits } = this.#rooms;
    for (const key of await this.#db.overdue(graceMs, sweepLimit)) deadlines.due(key);
    if (fleet.mayTakeOver) {
      await this.#takeOverAll(await this.#claimed(this.#db.claimOrphans(fleet.processId, sweepLimit)), 'dead');
      await Promise.all((await this.#db.lostCalls(fleet.processId, sweepLimit)).map((call) => this.#settle(call)));
    }
    await unknownCommits.search(() => this.#findOwn());
  }

  /** No receipt will end the call of a dead process; several processes may say so at once. */
  async #settle({ session, messageId, holder }: HeldCall): Promise<void> {
    const { sessions } = this.#rooms;
    sessions.forget(session.id); // What is held here may be older than the call.
    const line =
      'the call of a dead process could not be settled: a sweep finds it again, look at the database for the cause';
    await sessions
      .apply(session, { kind: 'call_lost', messageId, holder })
      .catch((err: unknown) => this.#context.log.error({ err, session_id: session.id, message_id: messageId }, line));
  }

  /** Messages that wait for a route this process has. */
  async claim(): Promise<void> {
    const { processId } = this.#context.fleet;
    const routes = this.#rooms.backlog.shortRoutes();
    if (routes.length === 0) return;
    await this.#takeOverAll(await this.#claimed(this.#db.claimRoutes(processId, routes, sweepLimit)), 'route');
  }

  /** A claim that breaks off may have been committed: its sessions are then this process's, and are searched for. */
  #claimed(keys: Promise<SessionKey[]>): Promise<SessionKey[]> {
    return noticeUnknownCommit(keys, () => this.#rooms.unknownCommits.add());
  }

  /** Takes up what is this process's own and not under way here. */
  async #findOwn(): Promise<void> {
    const { processId } = this.#context.fleet;
    for (let after = ''; ; ) {
      const keys = await this.#db.heldBy(processId, after, sweepLimit);
      const idle = keys.filter(({ id }) => !this.#rooms.dispatcher.has(id));
      await this.#takeOverAll(idle, 'own');
      if (keys.length < sweepLimit) return;
      after = keys.at(-1)?.id ?? after;
    }
  }

  /** The sessions are this process's by now: one that can't be taken over, for example because lanes are full, is searched for again. */
  async #takeOverAll(keys: readonly SessionKey[], whose: Whose): Promise<void> {
    const line = 'a session could not be taken over: it is searched for again, look at the database for the cause';
    const failed = (err: unknown, { id }: SessionKey) => {
      this.#rooms.unknownCommits.add();
      this.#context.log.error({ err, session_id: id }, line);
    };
    await Promise.all(keys.map((key) => this.#takeOver(key, whose).catch((error) => failed(error, key))));
  }

  /** Sends what is queued in a session this process has just taken over. */
  async #takeOver(key: SessionKey, whose: Whose): Promise<void> {
    const { sessions, dispatcher } = this.#rooms;
    sessions.forget(key.id);
    const session = await sessions.peek(key);
    for (const message of session?.messages.filter(isOutgoing) ?? []) {
      if (!session || (whose === 'own' && dispatcher.has(key.id))) return; // On its way from here, perhaps since a moment ago.
      await this.#takeUp(session, message, whose);
    }
  }

  async #takeUp(session: Session, message: Message, whose: Whose): Promise<void> {
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
