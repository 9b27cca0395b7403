// The flows of POST /v1/verify/check, …/cancel and …/report: the comparison of a code, and the end of a session by its client. How a check is stored is
// decided in core; this file finds the session and makes the event.

import { shardForNumber, shardOf } from '../../core/ids.ts';
import { isCodeOf, normaliseCode } from '../../core/verify/code.ts';
import { by } from '../../core/verify/draft.ts';
import type { Checked, Event, Outcome, Refusal } from '../../core/verify/event.ts';
import { readNumber } from '../../core/verify/request.ts';
import type { Session } from '../../core/verify/session.ts';
import type { FoundSession } from '../../db/verify/sessions.ts';
import type { EngineContext } from '../context.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Idempotency } from '../sessions/store.ts';
import type { Idempotent, KeyedCall, Replay } from './idempotent.ts';
import { isSessionId, type Lookup, type SessionName } from './lookup.ts';

export interface CheckRequest extends KeyedCall {
  /** The session by its id, or by number and purpose. */
  target: { id: string } | { to: string; purpose: string };
  code: string;
  /** Id of this call, where two processes may do it: it counts once. */
  operation?: string;
}

type Compared =
  | { kind: 'checked'; checked: Checked; session: Session }
  /** The number can't be read. */
  | Refusal
  | { kind: 'not_found' }
  /** Not digits of the session's length: costs no try. */
  | { kind: 'malformed_code'; length: number }
  /** Until then, Unix ms; null = until the operator unlocks the number. */
  | { kind: 'number_locked'; until: number | null };

export type CheckResult = Compared | Replay;

/** The end of a session by its client. */
export interface CancelRequest extends SessionName {
  /** What the client has found out by itself; absent where it only cancels. */
  reported?: Reported;
}

export type Reported = 'verified' | 'fraud';

export type CancelResult =
  /** Now or before: a client may repeat a call whose answer it lost. */
  ({ kind: 'ended' } & FoundSession) | { kind: 'not_found' } | { kind: 'over'; session: Session };

/** The rooms that a check goes through. */
export interface Checking {
  sessions: Sessions;
  lookup: Lookup;
  idempotent: Idempotent;
}

/** A session that was over already is left as it is: no try is counted, no answer stored. */
const isStored = (result: Compared): boolean =>
  result.kind === 'checked' && (result.checked.reason === null || result.checked.reason === 'incorrect_code');

export class Checker {
  readonly #context: EngineContext;
  readonly #rooms: Checking;

  constructor(context: EngineContext, rooms: Checking) {
    this.#context = context;
    this.#rooms = rooms;
  }

  /** From now on sessions whose number is erased end here and are forgotten, whichever process erases it. */
  listen(): void {
    const { peers, webhooks, log } = this.#context;
    const { sessions } = this.#rooms;
    const line =
      'a session whose number is erased could not be canceled: the erasure tries again or says that it is pending';
    peers.events.on('erase', ({ accountId, sessionIds }) => {
      webhooks.erased(sessionIds);
      for (const id of sessionIds.filter(isSessionId)) {
        sessions.forget(id);
        sessions
          .apply({ accountId, id }, { kind: 'cancel', reason: 'number_erased' })
          .catch((err: unknown) => log.error({ err, session_id: id }, line));
      }
    });
  }

  check(request: CheckRequest): Promise<CheckResult> {
    const work = async (kept: Idempotency | null): Promise<Compared> => {
      const target = await this.find(request);
      return target.kind === 'found' ? this.#compare(request, target.id, kept) : target;
    };
    return this.#rooms.idempotent.run<Compared>(request, isStored, work, shardOfTarget(request.target));
  }

  async cancel({ accountId, mode, id, reported }: CancelRequest): Promise<CancelResult> {
    const { sessions, lookup } = this.#rooms;
    if (!isSessionId(id)) return { kind: 'not_found' };
    const key = { accountId, id };
    const seen = await sessions.peek(key);
    if (seen?.mode !== mode) return { kind: 'not_found' };
    const applied = await sessions.apply(key, endBy(reported));
    if (applied.kind !== 'applied') return { kind: 'not_found' };
    const { session } = applied;
    if (!isEndedBy(session, reported)) return { kind: 'over', session };
    return { kind: 'ended', ...((await lookup.find({ accountId, mode, id })) ?? { session, receipts: [] }) };
  }

  /**
   * A number and purpose mean the pending session, else the last one: so a code that comes too late or twice is refused for that reason,
   * and not as unknown.
   */
  async find({
    accountId,
    mode,
    target,
  }: CheckRequest): Promise<{ kind: 'found'; id: string } | { kind: 'not_found' } | Refusal> {
    if ('id' in target) return isSessionId(target.id) ? { kind: 'found', id: target.id } : { kind: 'not_found' };
    const number = readNumber(target.to, this.#context.settings.config.service.homeCountry);
    if (number.kind === 'refused') return number;
    const key = { accountId, mode, number: number.e164, purpose: target.purpose };
    const id = (await this.#context.store.pending(key)) ?? (await this.#rooms.lookup.latestOf(key));
    return id === null ? { kind: 'not_found' } : { kind: 'found', id };
  }

  async #compare(
    { accountId, mode, code, operation }: CheckRequest,
    id: string,
    kept: Idempotency | null,
  ): Promise<Compared> {
    const { sessions } = this.#rooms;
    const key = { accountId, id };
    const session = await sessions.peek(key);
    if (session?.mode !== mode) return { kind: 'not_found' };
    const given = normaliseCode(code, session.codeLength);
    if (given.kind === 'malformed') return { kind: 'malformed_code', length: session.codeLength };
    // Of a session that is over no code is right, and its key may have left the ring.
    const correct = session.status === 'pending' && isCodeOf(session, given.digits, this.#context.ring);
    const event = { kind: 'check', correct, ...by(operation) } as const;
    const applied = await sessions.apply(key, () => event, kept ? { idempotency: kept } : {});
    if (applied.kind === 'number_spent' || applied.kind === 'blocked') throw new Error('a check was refused as a send');
    if (applied.kind !== 'applied') return applied;
    return { kind: 'checked', checked: toChecked(applied.outcome), session: applied.session };
  }
}

function endBy(reported: Reported | undefined): Event {
  if (reported === 'verified') return { kind: 'reported_verified' };
  return { kind: 'cancel', reason: reported === 'fraud' ? 'reported_fraud' : 'canceled_by_client' };
}

function isEndedBy({ status, statusReason }: Session, reported: Reported | undefined): boolean {
  if (reported === 'verified') return status === 'verified';
  return status === 'canceled' && (reported === undefined || statusReason === 'reported_fraud');
}

/** Of the number that a check is about; null where there can be none. */
export function shardOfTarget(target: CheckRequest['target']): number | null {
  if ('id' in target) return isSessionId(target.id) ? shardOf(target.id) : null;
  const number = readNumber(target.to);
  return number.kind === 'refused' ? null : shardForNumber(number.e164);
}

function toChecked(outcome: Outcome): Checked {
  if (outcome.kind !== 'checked') throw new Error(`a check was answered with ${outcome.kind}`);
  const { valid, reason, attemptsRemaining } = outcome;
  return { valid, reason, attemptsRemaining };
}
