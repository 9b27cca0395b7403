// Starting a verification: the flow of POST /v1/verify/send behind the doors.

import { Counter } from '../../collections/counter.ts';
import { advance } from '../../core/verify/advance.ts';
import { saltBytes } from '../../core/verify/code.ts';
import type { AskedAgain, Effect, Event, Outcome } from '../../core/verify/event.ts';
import { type OpenRequest, open } from '../../core/verify/open.ts';
import type { Channel, Message, Mode, Session } from '../../core/verify/session.ts';
import { holderForRoute, processHolder } from '../../db/fleet/holder.ts';
import type { Bucket } from '../../db/limits/buckets.ts';
import type { NumberLimits, Spent } from '../../db/limits/number-tokens.ts';
import { isOutage } from '../../db/outage.ts';
import type { AccountView } from '../accounts/views.ts';
import { type EngineContext, newId } from '../context.ts';
import type { Backlog } from '../delivery/backlog.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { Limits } from '../limits/limits.ts';
import { numberLimitsOf, retryAfterMs } from '../limits/number-limits.ts';
import { toOpenItem } from '../sessions/change.ts';
import { type Idempotency, isRepeatedKey, type Replay } from '../sessions/idempotency.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Store } from '../sessions/store.ts';
import { worldOf } from '../sessions/world.ts';

export interface SendRequest extends Omit<OpenRequest, 'id' | 'keyId' | 'salt'> {
  /** The channel the client named, or null: decides where a resend starts. */
  channel: Channel | null;
  /** What the client said explicitly: a resend may not contradict it. */
  asked: AskedAgain;
  idempotency: (Idempotency & { answer(session: Session): unknown }) | null;
}

export type SendResult =
  | { kind: 'sent'; session: Session }
  | Replay
  | { kind: 'no_route'; reasons: string[] }
  | { kind: 'number_limited'; retryAfterMs: number }
  | { kind: 'account_limited'; retryAfterMs: number }
  /** Queues are longer than they can drain in time: nothing was stored. */
  | { kind: 'overloaded'; retryAfterMs: number }
  | { kind: 'resend_too_soon'; session: Session; resendAfter: number }
  | { kind: 'too_many_sends'; session: Session }
  | { kind: 'resend_differs'; session: Session; field: string };

/** `taken`: another session has the number's place; its id where it is known. */
type Opened = SendResult | { kind: 'taken'; sessionId: string | null };

/** A send, and what sends to its number are held against. */
type Counted = SendRequest & { limits: NumberLimits | null };

/** The rooms that a send goes through. */
export interface Sending {
  limits: Limits;
  sessions: Sessions;
  dispatcher: Dispatcher;
  backlog: Backlog;
}

/** Times the race for a number's place is run: each loss means somebody else's session came or went in between. */
const maxRounds = 5;

export class Sender {
  readonly #context: EngineContext;
  readonly #rooms: Sending;
  /** Sends being stored that are to wait in line, by route: a thousand at once would all find it empty. */
  readonly #opening = new Counter();

  constructor(context: EngineContext, rooms: Sending) {
    this.#context = context;
    this.#rooms = rooms;
  }

  async send(request: SendRequest): Promise<SendResult> {
    const replay = await this.#replay(request);
    if (replay) return replay;
    const account = await this.#context.accounts.view(request.accountId, request.mode);
    // The account's own rate comes first, and what it refuses touches nothing else.
    const taken = await this.#rooms.limits.take(this.#accountBucket(request, account));
    if (taken.kind === 'refused') return { kind: 'account_limited', retryAfterMs: taken.retryAfterMs };
    try {
      return await this.#openOrResend(request, account);
    } catch (error) {
      if (!isRepeatedKey(error)) throw error;
      // The same key at the same time: the other call has committed, and this one stored nothing.
      const answered = await this.#replay(request);
      if (answered) return answered;
      throw error;
    }
  }

  async #openOrResend(request: SendRequest, account: AccountView): Promise<SendResult> {
    for (let round = 0; round < maxRounds; round += 1) {
      const opened = await this.#open(request, account);
      if (opened.kind !== 'taken') return opened;
      const resent = await this.#resend(request, account, opened.sessionId);
      if (resent) return resent;
    }
    return { kind: 'overloaded', retryAfterMs: 1000 };
  }

  async #open(request: SendRequest, account: AccountView): Promise<Opened> {
    const { ring, randomBytes } = this.#context;
    const id = newId(this.#context, 'vrf_', request.accountId);
    const salt = Buffer.from(randomBytes(saltBytes)).toString('hex');
    const world = worldOf(this.#context, account, request.accountId);
    const opening = open({ ...request, id, keyId: ring.current('code').id, salt }, world);
    if (!('next' in opening)) return opening;
    const queued = { ...opening.next, version: 1 };
    const [message] = queued.messages;
    if (!message) throw new Error('a new session has nothing to send');
    const marked = advance(queued, { kind: 'submitting', messageId: message.id }, world);
    const departure = marked.outcome.kind === 'done' ? this.#rooms.dispatcher.begin(queued, message) : null;
    const limits = this.#numberLimits(account, request.mode);
    if (!departure) return this.#inLine({ ...request, limits }, queued, message, opening.effects);
    try {
      const stored = await this.#stored({ ...request, limits }, marked.next, message, opening.effects);
      if (stored.kind === 'sent') departure.go(stored.session);
      else departure.drop(false);
      return stored;
    } catch (error) {
      departure.drop(isOutage(error));
      throw error;
    }
  }

  /** Stored as queued, for a message that has to wait for its place. */
  async #inLine(request: Counted, session: Session, message: Message, effects: Effect[]): Promise<Opened> {
    const late = this.#tooLate(session, message.route);
    if (late) return late;
    this.#opening.add(message.route, 1);
    try {
      return await this.#stored(request, session, message, effects);
    } finally {
      this.#opening.add(message.route, -1);
    }
  }

  async #stored(
    { idempotency, limits }: Counted,
    session: Session,
    { route }: Message,
    effects: Effect[],
  ): Promise<Opened> {
    const { channels, fleet, store, events } = this.#context;
    const self = processHolder(fleet.processId);
    const holder = holderForRoute(route, self, (name) => channels.canSend(name));
    const kept = idempotency ? { ...idempotency, answer: idempotency.answer(session) } : null;
    const result = await store.open(toOpenItem(session, holder, kept, limits));
    if (result.kind === 'taken') return { kind: 'taken', sessionId: result.sessionId || null };
    if (result.kind === 'spent') return this.#numberLimited(result.by, limits);
    this.#rooms.sessions.adopt(session, holder);
    events.emit('committed', { session, effects, held: holder === self, deliveries: [], bodies: [] });
    return { kind: 'sent', session };
  }

  /** Null = the place is free again, or the old session is too old: open a new one. */
  async #resend(request: SendRequest, account: AccountView, taken: string | null): Promise<SendResult | null> {
    const { accountId, mode, to, purpose, channel, asked, idempotency } = request;
    const id = taken ?? (await this.#context.store.pending({ accountId, mode, number: to, purpose }));
    if (!id) return null;
    const applied = await this.#rooms.sessions.apply(
      { accountId, id },
      { kind: 'resend', channel, asked },
      idempotency ? { idempotency: { ...idempotency, answer: (_, session) => idempotency.answer(session) } } : {},
    );
    const limits = this.#numberLimits(account, mode);
    if (applied.kind === 'number_spent') return this.#numberLimited(applied.by, limits);
    if (applied.kind !== 'applied') return null;
    return this.#resendResult(applied.outcome, applied.session, limits);
  }

  async #resendResult(outcome: Outcome, session: Session, limits: NumberLimits | null): Promise<SendResult | null> {
    switch (outcome.kind) {
      case 'resent':
        return { kind: 'sent', session };
      case 'resend_too_soon':
        return { ...outcome, session };
      case 'too_many_sends':
      case 'resend_differs':
        return { ...outcome, session };
      case 'no_route':
        return { kind: 'no_route', reasons: [outcome.reason] };
      default: {
        if (session.status !== 'pending') return null;
        // Not to cancel one session and be refused the next.
        const place = { accountId: session.accountId, mode: session.mode, number: session.to };
        const spent = limits && (await this.#context.store.spentTokens(place, limits));
        if (spent) return this.#numberLimited(spent, limits);
        const cancel: Event = { kind: 'cancel', reason: 'replaced' };
        await this.#rooms.sessions.apply(session, cancel);
        return null;
      }
    }
  }

  /** A message that would wait longer than its own leg lasts is not worth taking. */
  #tooLate(session: Session, route: string): SendResult | null {
    const backlogMs = this.#rooms.backlog.ms(route, this.#opening.of(route));
    if (backlogMs === null || session.legEndsAt === null) return null;
    const legMs = session.legEndsAt - session.createdAt;
    return backlogMs > legMs ? { kind: 'overloaded', retryAfterMs: backlogMs - legMs } : null;
  }

  async #replay({ idempotency, accountId, mode }: SendRequest): Promise<Replay | null> {
    return idempotency ? replayOf(this.#context.store, accountId, mode, idempotency) : null;
  }

  #accountBucket({ accountId, mode }: SendRequest, account: AccountView): Bucket {
    const { accountPerSecond, accountBurst } = this.#context.settings.sendLimits;
    const perSecond = account.sendsPerSecond ?? accountPerSecond;
    return {
      key: `account:${accountId}:${mode}`,
      capacity: Math.max(accountBurst, perSecond),
      refillPerSecond: perSecond,
    };
  }

  #numberLimits(account: AccountView, mode: Mode): NumberLimits | null {
    return numberLimitsOf(account, mode, this.#context.settings.sendLimits);
  }

  #numberLimited(by: Spent, limits: NumberLimits | null): SendResult {
    if (!limits) throw new Error('a send that is not counted was refused');
    return { kind: 'number_limited', retryAfterMs: retryAfterMs(by, limits, this.#context.randomBytes) };
  }
}

/** What an earlier call with the same key was answered. */
export async function replayOf(
  store: Pick<Store, 'storedAnswer'>,
  accountId: string,
  mode: Session['mode'],
  { route, key, hash }: Idempotency,
): Promise<Replay | null> {
  const stored = await store.storedAnswer(accountId, mode, route, key);
  if (!stored) return null;
  return stored.hash.equals(hash) ? { kind: 'replayed', answer: stored.answer } : { kind: 'idempotency_conflict' };
}
