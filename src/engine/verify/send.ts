// The flow of POST /v1/verify/send: it opens a session, or resends the code of the pending one. Core decides both; this file settles the request,
// asks what limits it, and starts over where another process was faster.

import { shardForNumber } from '../../core/ids.ts';
import { by } from '../../core/verify/draft.ts';
import { type Refusal, refused } from '../../core/verify/event.ts';
import { type AskedSend, type SettledSend, settle } from '../../core/verify/request.ts';
import type { Bucket } from '../../db/limits/buckets.ts';
import { isOutage } from '../../db/outage.ts';
import type { AccountView } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';
import type { Count, Guard } from '../limits/guard.ts';
import type { Limits } from '../limits/limits.ts';
import { numberLimitsOf } from '../limits/number-limits.ts';
import type { Idempotency } from '../sessions/store.ts';
import type { Idempotent, KeyedCall, Replay } from './idempotent.ts';
import { type CountedSend, Opening, type OpeningRooms, type Operation, type Outcomes } from './opening.ts';
import { type Done, Resending } from './resending.ts';

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

type Started = (Outcomes | { kind: 'account_limited'; retryAfterMs: number }) & { quota?: SendQuota };

/** The rooms that a send goes through. */
export interface Sending extends OpeningRooms {
  idempotent: Idempotent;
  limits: Limits;
  guard: Guard;
}

/** Rounds of opening or resending: a round fails only where another session came or went in between. */
const maxRounds = 5;

export class Starter {
  readonly #context: EngineContext;
  readonly #rooms: Sending;
  readonly #opening: Opening;
  readonly #resending: Resending;

  constructor(context: EngineContext, rooms: Sending) {
    this.#context = context;
    this.#rooms = rooms;
    this.#opening = new Opening(context, rooms);
    this.#resending = new Resending(context, rooms.sessions);
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
    const { guard, limits } = this.#rooms;
    const platform = await this.#context.accounts.platformLists();
    const { refusal, monitored } = guard.judge(send, account, platform);
    if (refusal) return { kind: 'guarded', finding: refusal };
    // The account's own rate comes first. What one of them refuses is counted in none.
    const { key, ...bucket } = this.#accountBucket(send, account);
    const counts = guard.counts(send, account, platform);
    const beside = counts.map((count) => count.bucket);
    const taken = await limits.take({ key, ...bucket }, beside);
    const quota = { ...bucket, tokens: taken.tokens };
    if (taken.kind === 'refused') {
      const { empty, retryAfterMs } = taken;
      const count = counts.find((each) => each.bucket.key === empty.key);
      return { ...(count ? guarded(count, retryAfterMs) : { kind: 'account_limited', retryAfterMs }), quota };
    }
    const found = counts.filter((each) => taken.empty.some((empty) => empty.key === each.bucket.key));
    const findings = [...monitored, ...found.map(({ finding }) => finding)];
    const outcome = await this.#openOrResend({
      ...send,
      account,
      kept,
      limits: numberLimitsOf(account, send.mode, this.#context.settings.sendLimits),
      findings,
    }).catch((error: unknown) => {
      // Where it is not known whether anything was stored, it counts as sent.
      if (!isOutage(error)) limits.giveBack(taken.from);
      throw error;
    });
    // Nothing was sent by this call: nobody's count goes up for it.
    if (outcome.kind !== 'sent') limits.giveBack(taken.from);
    if (outcome.kind === 'done') return { kind: 'sent', session: outcome.session, quota };
    return { ...outcome, quota };
  }

  async #openOrResend(request: CountedSend): Promise<Outcomes | Done> {
    for (let round = 0; round < maxRounds; round += 1) {
      const opened = await this.#opening.open(request);
      if (opened.kind !== 'taken') return opened;
      const done = opened.sessionId === request.operation ? await this.#resending.done(request) : null;
      if (done) return done;
      const resent = await this.#resending.resend(request, opened.sessionId);
      if (resent) return resent;
    }
    return { kind: 'overloaded', retryAfterMs: 1000 };
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
}

const guarded = ({ finding }: Count, retryAfterMs: number) =>
  ({ kind: 'guarded', finding: { ...finding, retryAfterMs } }) as const;
