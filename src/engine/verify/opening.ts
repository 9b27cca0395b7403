// The opening of a session for a send: core decides, and this file stores the session with its first message, on its way at once or in line.

import { Counter } from '../../collections/small-maps.ts';
import { shardForNumber } from '../../core/ids.ts';
import { keyBudgets } from '../../core/limits/key-restrictions.ts';
import type { Finding } from '../../core/limits/verdict.ts';
import { advance } from '../../core/verify/advance.ts';
import { saltBytes, sealBytes, sealedCode } from '../../core/verify/code.ts';
import { legOverAt } from '../../core/verify/draft.ts';
import type { Advance, Effect, World } from '../../core/verify/event.ts';
import { open } from '../../core/verify/open.ts';
import type { SettledSend } from '../../core/verify/request.ts';
import type { Rules } from '../../core/verify/rules.ts';
import type { Message, Session } from '../../core/verify/session.ts';
import { holderForRoute, processHolder } from '../../db/fleet/holder.ts';
import type { NumberLimits, Spent } from '../../db/limits/number-tokens.ts';
import { beforeStoring, mayBeStored } from '../../db/outage.ts';
import { isRepeated, isRepeatedKey } from '../../db/verify/open.ts';
import type { AccountView } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';
import type { Backlog } from '../delivery/backlog.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { retryAfterMs } from '../limits/number-limits.ts';
import type { Payments } from '../limits/payments.ts';
import { toOpenItem } from '../sessions/change.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Idempotency, PendingKey } from '../sessions/store.ts';
import { worldOf } from '../sessions/world.ts';

/** What two processes may both do, and what counts once. */
export interface Operation {
  /** The id of the session that the call opens, in the shard of its number. Absent = this process alone does the call, and makes one. */
  operation?: string;
  /** Another process was asked for it and has not answered: it may have done it. */
  isAskedBefore?: boolean;
}

/** A send that every limit of the account lets pass, with the account it is for, and what it is stored under. */
export interface CountedSend extends SettledSend, Operation {
  account: AccountView;
  kept: Idempotency | null;
  /** Limits that sends to its number are checked against. */
  limits: NumberLimits | null;
  /** What rules that are only watched have found. */
  findings: readonly Finding[];
  /** What a block list says of the number, which is the answer where nothing else refuses the send. */
  blocked: Finding | null;
  /** Cancels the session whose place the new one takes. Called when nothing refuses that one any more. */
  replace?: () => Promise<Room>;
}

/**
 * What the canceled session has left to the new one. `isCounted`: the token of the number is taken, in the statement that cancels, since
 * another send may take the last one at any moment. `spent`: it could not be had, and the session is still pending.
 */
export type Room = { kind: 'made'; isCounted: boolean } | { kind: 'spent'; by: Spent };

export type Outcomes =
  | { kind: 'sent'; session: Session }
  | { kind: 'no_route'; reasons: string[] }
  | { kind: 'number_limited'; retryAfterMs: number }
  /** A rule against abuse refuses it: nothing was stored, and nothing counted. */
  | { kind: 'guarded'; finding: Finding }
  /** Queues are longer than they can drain in time: nothing was stored. */
  | { kind: 'overloaded'; retryAfterMs: number }
  | { kind: 'resend_too_soon'; session: Session; resendAfter: number }
  | { kind: 'too_many_sends'; session: Session }
  | { kind: 'resend_differs'; session: Session; field: string };

/** `taken`: another session is pending for the number and purpose; its id where it is known. */
export type Opened = Outcomes | { kind: 'taken'; sessionId: string | null };

/** The rooms that an opening goes through. */
export interface OpeningRooms {
  payments: Payments;
  sessions: Sessions;
  dispatcher: Dispatcher;
  backlog: Backlog;
}

export class Opening {
  readonly #context: EngineContext;
  readonly #rooms: OpeningRooms;
  /** Value of `holder` in this process's rows. */
  readonly #self: string;
  /** Per route, sends being stored that will have to queue. Without this count a thousand at once would all see an empty queue. */
  readonly #queuing = new Counter();

  constructor(context: EngineContext, rooms: OpeningRooms) {
    this.#context = context;
    this.#rooms = rooms;
    this.#self = processHolder(context.fleet.processId);
  }

  async open(request: CountedSend): Promise<Opened> {
    const { ids, ring, randomBytes } = this.#context;
    const id = request.operation ?? ids('vrf_', shardForNumber(request.to));
    const salt = Buffer.from(randomBytes(saltBytes)).toString('hex');
    const { code } = request;
    const sealed = code === null ? null : sealedCode(ring, id, code, randomBytes(sealBytes));
    const opened = { ...request, id, keyId: ring.current('code').id, salt, sealedCode: sealed };
    const { account } = request;
    const keys = keyBudgets(request);
    const world = worldOf(this.#context, account, id);
    const paid = this.#rooms.payments.paidFor({ before: null, account, keys }, (within) => open(opened, within(world)));
    const { made, held, finding } = await beforeStoring(paid);
    if (!('next' in made)) return finding ? { kind: 'guarded', finding } : made;
    try {
      const result = await this.#send(request, made, world);
      if (result.kind !== 'sent') this.#rooms.payments.giveBack(held);
      return result;
    } catch (error) {
      // Where it is not known whether the session was stored, what it costs counts as spent.
      if (!mayBeStored(error)) this.#rooms.payments.giveBack(held);
      throw error;
    }
  }

  async #send(request: CountedSend, { next, effects }: Advance, world: World): Promise<Opened> {
    const queued = { ...next, version: 1 };
    const [message] = queued.messages;
    if (!message) throw new Error('a new session has nothing to send');
    // Where the operator has a place for the message now, the session is stored with the message as `submitting` already. What
    // `advance` adds to the effects of `open` is the hand-over to the dispatcher, which `departure` stands for.
    const { processId: holder } = this.#context.fleet;
    const marked = advance(queued, { kind: 'submitting', messageId: message.id, holder }, world);
    const departure = marked.outcome.kind === 'done' ? await this.#rooms.dispatcher.begin(queued, message) : null;
    if (!departure) return this.#inLine(request, queued, message, effects);
    try {
      const stored = await this.#stored(request, marked.next, effects, this.#self);
      if (stored.kind === 'sent') departure.go(stored.session);
      else departure.drop(false);
      return stored;
    } catch (error) {
      departure.drop(mayBeStored(error));
      throw error;
    }
  }

  /** Stores the message as queued: it has to wait for its place. */
  async #inLine(request: CountedSend, session: Session, message: Message, effects: Effect[]): Promise<Opened> {
    const { route } = message;
    const { rules } = this.#context.settings;
    const late = tooLate(this.#rooms.backlog, session, { route, rules, more: this.#queuing.of(route) });
    if (late) return late;
    this.#queuing.add(message.route, 1);
    try {
      const holder = holderForRoute(message.route, this.#self, this.#context.channels);
      return await this.#stored(request, session, effects, holder);
    } finally {
      this.#queuing.add(message.route, -1);
    }
  }

  async #stored(
    { kept, limits, operation, replace, blocked }: CountedSend,
    session: Session,
    effects: Effect[],
    holder: string,
  ): Promise<Opened> {
    const { store, answers, events } = this.#context;
    if (blocked) return beforeStoring(this.#blocked(session, limits, { finding: blocked, replaces: !!replace }));
    const room = replace ? await beforeStoring(replace()) : null;
    if (room?.kind === 'spent') return numberLimited(this.#context, room.by, limits);
    const answered = kept && { ...kept, answer: answers.sent(session) };
    const item = toOpenItem(session, holder, answered, room?.isCounted ? null : limits);
    const result = await store.open(item, { isOwed: room !== null }).catch(async (error: unknown) => {
      // The call was done by another process: it opened a session with this id, which is over by now, or went on with one.
      if (operation === undefined || isRepeatedKey(error) || !isRepeated(error)) throw error;
      return { kind: 'taken', sessionId: operation } as const;
    });
    if (result.kind === 'taken') return { kind: 'taken', sessionId: result.sessionId || null };
    if (result.kind === 'spent') return numberLimited(this.#context, result.by, limits);
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

  /** The answer of a block list, once nothing else refuses the send: neither a session in its way, nor what its number has had. */
  async #blocked(
    { accountId, mode, to: number, purpose }: Session,
    limits: NumberLimits | null,
    { finding, replaces }: { finding: Finding; replaces: boolean },
  ): Promise<Opened> {
    const pending = replaces ? null : await this.#context.store.pending({ accountId, mode, number, purpose });
    if (pending) return { kind: 'taken', sessionId: pending };
    return (await ifSpent(this.#context, { accountId, mode, number }, limits)) ?? { kind: 'guarded', finding };
  }
}

/** A message that would wait longer than its own leg lets it is not worth taking. `session`: at the first leg of a run; `more` wait before it. */
export function tooLate(
  backlog: Pick<Backlog, 'ms'>,
  session: Session,
  { route, rules, more = 0 }: { route: string; rules: Rules; more?: number },
): Extract<Outcomes, { kind: 'overloaded' }> | null {
  const backlogMs = backlog.ms(route, more);
  const overAt = legOverAt(session, rules);
  if (backlogMs === null || overAt === null) return null;
  const waitMs = overAt - session.lastSendAt;
  return backlogMs > waitMs ? { kind: 'overloaded', retryAfterMs: backlogMs - waitMs } : null;
}

/** The answer where the number has had its sends; null where it has not. */
export async function ifSpent(
  context: Pick<EngineContext, 'randomBytes' | 'store'>,
  number: Omit<PendingKey, 'purpose'>,
  limits: NumberLimits | null,
): Promise<Outcomes | null> {
  const spent = limits && (await context.store.spentTokens(number, limits));
  return spent && numberLimited(context, spent, limits);
}

export function numberLimited(
  { randomBytes }: Pick<EngineContext, 'randomBytes'>,
  by: Spent,
  limits: NumberLimits | null,
): Outcomes {
  if (!limits) throw new Error('a send that is not counted was refused');
  return { kind: 'number_limited', retryAfterMs: retryAfterMs(by, limits, randomBytes) };
}
