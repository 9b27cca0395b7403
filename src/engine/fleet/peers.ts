// The other processes, and what one says to another: to stop a call that is the other's, that messages wait for a route, or that the number of
// sessions is being erased. A notice may be lost; a process that could not hear for a while looks at its own calls and at the queues again.

import { EventEmitter } from 'node:events';
import type { StopReason } from '../../core/verify/call.ts';
import type { Channel, Mode } from '../../core/verify/session.ts';
import { announceToAll, NoticeListener, sendNotice } from '../../db/fleet/notices.ts';
import type { Queryable } from '../../db/queryable.ts';
import { pause } from '../../time/repeat.ts';
import type { Conversation } from './conversation.ts';

/** The call of a message, or its next try, is no longer wanted. */
export interface StopNotice {
  kind: 'stop';
  mode: Mode;
  channel: Channel;
  sessionId: string;
  messageId: string;
  why: StopReason;
}

/** Messages wait for a process that has the route. */
export interface WaitsNotice {
  kind: 'waits';
  route: string;
}

/** The number of these sessions is erased: those that are pending are to end, and what is held in memory of them is to be forgotten. */
export interface EraseNotice {
  kind: 'erase';
  /** Of one account. */
  accountId: string;
  sessionIds: string[];
}

export interface PeerEvents {
  /** A message waits for a process that has the route. */
  waits: [WaitsNotice];
  /** Another process asks for it. */
  stop: [StopNotice];
  /** Any process says so, this one among them. */
  erase: [EraseNotice];
  /** Notices are heard from now on, and some may have been lost before. */
  listening: [];
}

/** Says to all processes that the number of these sessions is erased. From anywhere: who says it need not be a process of the service. */
export const announceErasure = (home: Queryable, notice: Omit<EraseNotice, 'kind'>): Promise<void> =>
  announceToAll(home, JSON.stringify({ kind: 'erase', ...notice }));

export interface PeersOptions {
  db: Queryable;
  /** URL of the same database, for the connection that listens. */
  url: string;
  processId: string;
  /** A quicker way to those that can be asked directly. */
  conversation?: Conversation;
  log: PeersLog;
}

interface PeersLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A notice is sent again so often while the database fails: a phone does not ring for longer. */
const maxTries = 6;
const firstPauseMs = 100;
/** A route is announced once in so long, however many messages begin to wait for it. */
const announceEveryMs = 20;

export class Peers {
  readonly events = new EventEmitter<PeerEvents>();
  readonly #options: PeersOptions;
  readonly #listener: NoticeListener;
  /** Routes announced a moment ago; true where another message has begun to wait for one since. */
  readonly #announced = new Map<string, boolean>();
  #ignored = 0;
  /** An outage is logged once, not with every try. */
  #isSilent = false;

  constructor(options: PeersOptions) {
    const { url, processId, conversation, log } = options;
    this.#options = options;
    conversation?.serve(verb, async (value) => this.#take(value));
    this.#listener = new NoticeListener({
      url,
      processId,
      onNotice: (payload) => this.#take(parsed(payload)),
      onListening: () => {
        this.#isSilent = false;
        this.events.emit('listening');
      },
      onLost: (err) => {
        if (!this.#isSilent) log.warn({ err }, 'other processes cannot be heard until the connection is made again');
        this.#isSilent = true;
      },
    });
  }

  /** Notices that were not understood. */
  get ignored(): number {
    return this.#ignored;
  }

  start(): void {
    this.#listener.start();
  }

  stop(): Promise<void> {
    return this.#listener.stop();
  }

  /** Asks another process. Returns at once; a failure is tried again, then logged. */
  tell(processId: string, notice: StopNotice): void {
    const { sessionId: session_id, messageId: message_id } = notice;
    const line =
      'a call of another process could not be stopped: it rings until its own end, look at the database for the cause';
    this.#send(processId, notice).catch((err: unknown) =>
      this.#options.log.error({ err, session_id, message_id }, line),
    );
  }

  /** Says to all that a message waits for a process that has the route. Returns at once; a process that does not hear it looks later. */
  announce(route: string): void {
    if (this.#announced.has(route)) {
      this.#announced.set(route, true);
      return;
    }
    this.#announced.set(route, false);
    const notice: WaitsNotice = { kind: 'waits', route };
    // Heard later or not at all, the message waits for the next look at the queue.
    announceToAll(this.#options.db, JSON.stringify(notice)).catch(() => {});
    setTimeout(() => {
      const isMore = this.#announced.get(route);
      this.#announced.delete(route);
      if (isMore) this.announce(route);
    }, announceEveryMs).unref();
  }

  async #send(processId: string, notice: StopNotice): Promise<void> {
    const said = await this.#options.conversation?.ask(processId, verb, notice);
    if (said?.kind === 'answered') return;
    const payload = JSON.stringify(notice);
    for (let tries = 1; ; tries += 1) {
      try {
        return await sendNotice(this.#options.db, processId, payload);
      } catch (error) {
        if (tries >= maxTries) throw error;
        await pause(firstPauseMs * 2 ** tries);
      }
    }
  }

  #take(given: unknown): void {
    const notice = noticeOf(given);
    if (notice?.kind === 'stop') this.events.emit('stop', notice);
    else if (notice?.kind === 'erase') this.events.emit('erase', notice);
    else if (notice) this.events.emit('waits', notice);
    else this.#ignored += 1;
  }
}

const modes: readonly Mode[] = ['live', 'test'];
const channels: readonly Channel[] = ['sms', 'whatsapp', 'voice'];
const reasons: readonly StopReason[] = ['leg_over', 'delivered_elsewhere', 'session_over'];

const verb = 'stop';

/** Null for what is no JSON: every client of the database can notify. */
function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}

/** Null for what no process of this kind sends: a newer release may say more. */
function noticeOf(given: unknown): StopNotice | WaitsNotice | EraseNotice | null {
  if (typeof given !== 'object' || given === null) return null;
  const { kind, route, mode, channel, sessionId, messageId, why, accountId, sessionIds } = given as Record<
    string,
    unknown
  >;
  if (kind === 'waits') return typeof route === 'string' ? { kind, route } : null;
  if (kind === 'erase') {
    if (typeof accountId !== 'string' || !Array.isArray(sessionIds)) return null;
    return { kind, accountId, sessionIds: sessionIds.filter((id) => typeof id === 'string') };
  }
  if (kind !== 'stop' || typeof sessionId !== 'string' || typeof messageId !== 'string') return null;
  if (!isOf(modes, mode) || !isOf(channels, channel) || !isOf(reasons, why)) return null;
  return { kind, mode, channel, sessionId, messageId, why };
}

const isOf = <Word extends string>(words: readonly Word[], word: unknown): word is Word => words.includes(word as Word);
