// Checking a code, and ending a session: the flows of POST /v1/verify/check and …/cancel behind the doors.

import { codesEqual, normaliseCode } from '../../core/verify/code.ts';
import type { CheckReason, Outcome } from '../../core/verify/event.ts';
import type { Mode, Session } from '../../core/verify/session.ts';
import type { SessionKey } from '../../db/verify/load.ts';
import type { EngineContext } from '../context.ts';
import { codeOf } from '../sessions/code.ts';
import { type Idempotency, isRepeatedKey, type Replay } from '../sessions/idempotency.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { replayOf } from './send.ts';

/** What is told of a check, beside the session it was for. */
export interface Checked {
  valid: boolean;
  reason: CheckReason | null;
  attemptsRemaining: number;
}

export interface CheckRequest {
  accountId: string;
  mode: Mode;
  /** The session, or the number and purpose of the pending one. */
  target: { id: string } | { to: string; purpose: string };
  code: string;
  idempotency: (Idempotency & { answer(checked: Checked, session: Session): unknown }) | null;
}

export type CheckResult =
  | { kind: 'checked'; checked: Checked; session: Session }
  | Replay
  | { kind: 'not_found' }
  /** Not digits of the session's length: costs no try. */
  | { kind: 'malformed_code'; length: number }
  /** Until then, Unix ms; null = until the operator unlocks the number. */
  | { kind: 'number_locked'; until: number | null };

export type CancelResult =
  | { kind: 'canceled'; session: Session }
  | { kind: 'not_found' }
  | { kind: 'over'; session: Session };

export class Checker {
  readonly #context: EngineContext;
  readonly #sessions: Sessions;

  constructor(context: EngineContext, sessions: Sessions) {
    this.#context = context;
    this.#sessions = sessions;
  }

  async check(request: CheckRequest): Promise<CheckResult> {
    const { accountId, mode, idempotency } = request;
    if (idempotency) {
      const replay = await replayOf(this.#context.store, accountId, mode, idempotency);
      if (replay) return replay;
    }
    const key = await this.#find(request);
    if (!key) return { kind: 'not_found' };
    try {
      return await this.#compare(key, request);
    } catch (error) {
      if (!idempotency || !isRepeatedKey(error)) throw error;
      const replay = await replayOf(this.#context.store, accountId, mode, idempotency);
      if (replay) return replay;
      throw error;
    }
  }

  async cancel(key: SessionKey, mode: Mode): Promise<CancelResult> {
    const session = await this.#sessions.peek(key);
    if (session?.mode !== mode) return { kind: 'not_found' };
    const applied = await this.#sessions.apply(key, { kind: 'cancel', reason: 'canceled_by_client' });
    if (applied.kind !== 'applied') return { kind: 'not_found' };
    return { kind: applied.outcome.kind === 'done' ? 'canceled' : 'over', session: applied.session };
  }

  async #find({ accountId, mode, target }: CheckRequest): Promise<SessionKey | null> {
    const id =
      'id' in target
        ? target.id
        : await this.#context.store.pending({ accountId, mode, number: target.to, purpose: target.purpose });
    return id ? { accountId, id } : null;
  }

  async #compare(key: SessionKey, { mode, code, idempotency }: CheckRequest): Promise<CheckResult> {
    const session = await this.#sessions.peek(key);
    if (session?.mode !== mode) return { kind: 'not_found' };
    const given = normaliseCode(code, session.codeLength);
    if (given.kind === 'malformed') return { kind: 'malformed_code', length: session.codeLength };
    const expected = codeOf(session, this.#context.ring);
    const correct = codesEqual(given.digits, expected);
    const applied = await this.#sessions.apply(
      key,
      () => ({ kind: 'check', correct }),
      idempotency
        ? { idempotency: { ...idempotency, answer: (outcome, next) => idempotency.answer(toChecked(outcome), next) } }
        : {},
    );
    if (applied.kind === 'number_spent') throw new Error('a check was refused as a send');
    if (applied.kind !== 'applied') return applied;
    return { kind: 'checked', checked: toChecked(applied.outcome), session: applied.session };
  }
}

function toChecked(outcome: Outcome): Checked {
  if (outcome.kind !== 'checked') throw new Error(`a check was answered with ${outcome.kind}`);
  const { valid, reason, attemptsRemaining } = outcome;
  return { valid, reason, attemptsRemaining };
}
