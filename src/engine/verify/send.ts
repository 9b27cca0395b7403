// The flow of POST /v1/verify/send: it opens a session, or resends the code of the pending one. Core decides both; this file counts, stores,
// and starts over where another process was faster.

import { Counter } from '../../collections/small-maps.ts';
import { shardForNumber } from '../../core/ids.ts';
import { advance } from '../../core/verify/advance.ts';
import { isCodeOf, saltBytes, sealBytes, sealedCode } from '../../core/verify/code.ts';
import { by } from '../../core/verify/draft.ts';
import { type Effect, type Event, type Outcome, type Refusal, refused } from '../../core/verify/event.ts';
import { open } from '../../core/verify/open.ts';
import { type AskedSend, type SettledSend, settle } from '../../core/verify/request.ts';
import type { Message, Session } from '../../core/verify/session.ts';
import { holderForRoute, processHolder } from '../../db/fleet/holder.ts';
import type { Bucket } from '../../db/limits/buckets.ts';
import type { NumberLimits, Spent } from '../../db/limits/number-tokens.ts';
import { isOutage } from '../../db/outage.ts';
import { isRepeated, isRepeatedKey, isRepeatedOperation } from '../../db/verify/open.ts';
import type { AccountView } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';
import type { Backlog } from '../delivery/backlog.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { type Limits, numberLimitsOf, retryAfterMs } from '../limits/limits.ts';
import { toOpenItem } from '../sessions/change.ts';
import { type Sessions, worldOf } from '../sessions/sessions.ts';
import type { Idempotency } from '../sessions/store.ts';
import type { Idempotent, KeyedCall, Replay } from './idempotent.ts';

/** What two processes may both do, and what counts once. */
interface Operation {
  /** The id of the session that the call opens, in the shard of its number. Absent = this process alone does the call, and makes one. */
  operation?: string;
}

export interface SendRequest extends AskedSend, KeyedCall, Operation {}

/** A send whose every field is settled. */
export interface SettledRequest extends SettledSend, KeyedCall, Operation {}

export type SendResult = Started | Refusal | Replay;

/** What is left of the account's own bucket of sends. */
export interface SendQuota {
  /** Tokens of a full bucket. */
  capacity: number;
  refillPerSecond: number;
  tokens: number;
}

type Started = Outcomes & { quota?: SendQuota };

type Outcomes =
  | { kind: 'sent'; session: Session }
  | { kind: 'no_route'; reasons: string[] }
  | { kind: 'number_limited'; retryAfterMs: number }
  | { kind: 'account_limited'; retryAfterMs: number }
  /** Queues are longer than they can drain in time: nothing was stored. */
  | { kind: 'overloaded'; retryAfterMs: number }
  | { kind: 'resend_too_soon'; session: Session; resendAfter: number }
  | { kind: 'too_many_sends'; session: Session }
  | { kind: 'resend_differs'; session: Session; field: string };

/** `taken`: another session is pending for the number and purpose; its id where it is known. */
type Opened = Started | { kind: 'taken'; sessionId: string | null };

/** A send with the account it is for, and what it is stored under. */
interface Counted extends SettledSend, Operation {
  account: AccountView;
  kept: Idempotency | null;
  /** Limits that sends to its number are checked against. */
  limits: NumberLimits | null;
}

/** The rooms that a send goes through. */
export interface Sending {
  idempotent: Idempotent;
  limits: Limits;
  sessions: Sessions;
  dispatcher: Dispatcher;
  backlog: Backlog;
}

/** Rounds of opening or resending: a round fails only where another session came or went in between. */
const maxRounds = 5;

export class Starter {
  readonly #context: EngineContext;
  readonly #rooms: Sending;
  /** Value of `holder` in this process's rows. */
  readonly #self: string;
  /** Per route, sends being stored that will have to queue. Without this count a thousand at once would all see an empty queue. */
  readonly #opening = new Counter();

  constructor(context: EngineContext, rooms: Sending) {
    this.#context = context;
    this.#rooms = rooms;
    this.#self = processHolder(context.fleet.processId);
  }

  async send({ idempotency, operation, ...asked }: SendRequest): Promise<SendResult> {
    const { accounts, settings, ring } = this.#context;
    if (asked.code !== null && !ring.has('custom_code'))
      return refused(
        'custom_code_not_allowed',
        'code',
        'can not be stored: the key ring of this deployment has no custom_code key',
      );
    const account = await accounts.view(asked.accountId, asked.mode);
    const settled = settle(asked, account, settings.config);
    if (settled.kind === 'ok') return this.#run({ ...settled.request, idempotency, ...by(operation) }, account);
    // What was answered before is answered again, even where the deployment refuses it by now.
    return (await this.#rooms.idempotent.earlier({ ...asked, idempotency })) ?? settled;
  }

  async sendSettled(request: SettledRequest): Promise<SendResult> {
    return this.#run(request, await this.#context.accounts.view(request.accountId, request.mode));
  }

  #run({ idempotency, ...send }: SettledRequest, account: AccountView): Promise<SendResult> {
    const call = { accountId: send.accountId, mode: send.mode, idempotency };
    return this.#rooms.idempotent.run<Started>(
      call,
      ({ kind }) => kind === 'sent',
      (kept) => this.#counted(send, account, kept),
      shardForNumber(send.to),
    );
  }

  async #counted(send: SettledSend, account: AccountView, kept: Idempotency | null): Promise<Started> {
    // The account's own rate comes first, and what it refuses touches nothing else.
    const { key, ...bucket } = this.#accountBucket(send, account);
    const taken = await this.#rooms.limits.take({ key, ...bucket });
    const quota = { ...bucket, tokens: taken.tokens };
    if (taken.kind === 'refused') return { kind: 'account_limited', retryAfterMs: taken.retryAfterMs, quota };
    const limits = numberLimitsOf(account, send.mode, this.#context.settings.sendLimits);
    return { ...(await this.#openOrResend({ ...send, account, kept, limits })), quota };
  }

  async #openOrResend(request: Counted): Promise<Started> {
    for (let round = 0; round < maxRounds; round += 1) {
      const opened = await this.#open(request);
      if (opened.kind !== 'taken') return opened;
      const done = opened.sessionId === request.operation ? await this.#done(request) : null;
      if (done) return done;
      const resent = await this.#resend(request, opened.sessionId);
      if (resent) return resent;
    }
    return { kind: 'overloaded', retryAfterMs: 1000 };
  }

  async #open(request: Counted): Promise<Opened> {
    const { ids, ring, randomBytes } = this.#context;
    const id = request.operation ?? ids('vrf_', shardForNumber(request.to));
    const salt = Buffer.from(randomBytes(saltBytes)).toString('hex');
    const { code } = request;
    const sealed = code === null ? null : sealedCode(ring, id, code, randomBytes(sealBytes));
    const world = worldOf(this.#context, request.account, id);
    const opening = open({ ...request, id, keyId: ring.current('code').id, salt, sealedCode: sealed }, world);
    if (!('next' in opening)) return opening;
    const queued = { ...opening.next, version: 1 };
    const [message] = queued.messages;
    if (!message) throw new Error('a new session has nothing to send');
    // Where the operator has a place for the message now, the session is stored with the message as `submitting` already. What
    // `advance` adds to the effects of `open` is the hand-over to the dispatcher, which `departure` stands for.
    const { processId: holder } = this.#context.fleet;
    const marked = advance(queued, { kind: 'submitting', messageId: message.id, holder }, world);
    const departure = marked.outcome.kind === 'done' ? await this.#rooms.dispatcher.begin(queued, message) : null;
    if (!departure) return this.#inLine(request, queued, message, opening.effects);
    try {
      const stored = await this.#stored(request, marked.next, opening.effects, this.#self);
      if (stored.kind === 'sent') departure.go(stored.session);
      else departure.drop(false);
      return stored;
    } catch (error) {
      departure.drop(isOutage(error));
      throw error;
    }
  }

  /** Stores the message as queued: it has to wait for its place. */
  async #inLine(request: Counted, session: Session, message: Message, effects: Effect[]): Promise<Opened> {
    const late = this.#tooLate(session, message.route);
    if (late) return late;
    this.#opening.add(message.route, 1);
    try {
      const holder = holderForRoute(message.route, this.#self, (name) => this.#context.channels.canSend(name));
      return await this.#stored(request, session, effects, holder);
    } finally {
      this.#opening.add(message.route, -1);
    }
  }

  async #stored(
    { kept, limits, operation }: Counted,
    session: Session,
    effects: Effect[],
    holder: string,
  ): Promise<Opened> {
    const { store, answers, events } = this.#context;
    const answered = kept && { ...kept, answer: answers.sent(session) };
    const result = await store.open(toOpenItem(session, holder, answered, limits)).catch(async (error: unknown) => {
      // The call was done by another process: it opened a session with this id, which is over by now, or went on with one.
      if (operation === undefined || isRepeatedKey(error) || !isRepeated(error)) throw error;
      return { kind: 'taken', sessionId: operation } as const;
    });
    if (result.kind === 'taken') return { kind: 'taken', sessionId: result.sessionId || null };
    if (result.kind === 'spent') return this.#numberLimited(result.by, limits);
    this.#rooms.sessions.adopt(session, holder);
    const { transaction } = result;
    events.emit('committed', {
      before: null,
      session,
      transaction,
      effects,
      held: holder === this.#self,
      webhooks: null,
    });
    return { kind: 'sent', session };
  }

  /** The session that another process has opened, or gone on with, for this very call; null where there is none. */
  async #done({ accountId, operation }: Counted): Promise<Started | null> {
    if (operation === undefined) return null;
    const { store } = this.#context;
    const opened = (await store.load({ accountId, id: operation }))?.session;
    if (opened) return { kind: 'sent', session: opened };
    const id = await store.resentIn(operation);
    const session = id === null ? null : (await store.load({ accountId, id }))?.session;
    return session ? { kind: 'sent', session } : null;
  }

  /** Null = no session is pending any more, or it can't go on: open a new one. */
  async #resend(request: Counted, taken: string | null): Promise<Started | null> {
    const { accountId, mode, to, purpose, channel, asked, code, kept, limits, operation } = request;
    const id = taken ?? (await this.#context.store.pending({ accountId, mode, number: to, purpose }));
    if (!id) return null;
    const event = (session: Session): Event => {
      // A code that was made here is not compared: the answer would be that of a guess that costs no try.
      const isSame = session.sealedCode !== null && code !== null && isCodeOf(session, code, this.#context.ring);
      const otherCode = code !== null && !isSame;
      return { kind: 'resend', channel, asked, otherCode, ...by(operation) };
    };
    const options = kept ? { idempotency: kept } : {};
    const applied = await this.#rooms.sessions.apply({ accountId, id }, event, options).catch((error: unknown) => {
      if (isRepeatedOperation(error)) return null;
      throw error;
    });
    if (!applied) return this.#done(request);
    if (applied.kind === 'number_spent') return this.#numberLimited(applied.by, limits);
    if (applied.kind !== 'applied') return null;
    return this.#resendResult(applied.outcome, applied.session, limits);
  }

  async #resendResult(outcome: Outcome, session: Session, limits: NumberLimits | null): Promise<Started | null> {
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
        // Checked first, so that no session is canceled whose successor would be refused.
        const number = { accountId: session.accountId, mode: session.mode, number: session.to };
        const spent = limits && (await this.#context.store.spentTokens(number, limits));
        if (spent) return this.#numberLimited(spent, limits);
        const reason = outcome.kind === 'open_new' ? outcome.reason : 'replaced';
        const cancel: Event = { kind: 'cancel', reason };
        await this.#rooms.sessions.apply(session, cancel);
        return null;
      }
    }
  }

  /** A message that would wait longer than its own leg lasts is not worth taking. */
  #tooLate(session: Session, route: string): Started | null {
    const backlogMs = this.#rooms.backlog.ms(route, this.#opening.of(route));
    if (backlogMs === null || session.legEndsAt === null) return null;
    const legMs = session.legEndsAt - session.createdAt;
    return backlogMs > legMs ? { kind: 'overloaded', retryAfterMs: backlogMs - legMs } : null;
  }

  #accountBucket({ accountId, mode }: SettledSend, account: AccountView): Bucket {
    const { accountPerSecond, accountBurst } = this.#context.settings.sendLimits;
    const perSecond = account.sendsPerSecond ?? accountPerSecond;
    return {
      key: `account:${accountId}:${mode}`,
      capacity: Math.max(accountBurst, perSecond),
      refillPerSecond: perSecond,
    };
  }

  #numberLimited(by: Spent, limits: NumberLimits | null): Started {
    if (!limits) throw new Error('a send that is not counted was refused');
    return { kind: 'number_limited', retryAfterMs: retryAfterMs(by, limits, this.#context.randomBytes) };
  }
}
