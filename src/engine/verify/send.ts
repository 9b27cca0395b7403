// The flow of POST /v1/verify/send: it opens a session, or resends the code of the pending one. Core decides both; this file settles the request,
// asks what limits it, and starts over where another process was faster.

import { shardForNumber } from '../../core/ids.ts';
import { type Finding, inOrder } from '../../core/limits/verdict.ts';
import { by } from '../../core/verify/draft.ts';
import { type Refusal, refused } from '../../core/verify/event.ts';
import { type AskedSend, type SettledSend, settle } from '../../core/verify/request.ts';
import type { Bucket } from '../../db/limits/buckets.ts';
import { beforeStoring, mayBeStored } from '../../db/outage.ts';
import type { AccountView } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';
import type { Count, Guard } from '../limits/guard.ts';
import { numberLimitsOf, sendsBurst } from '../limits/number-limits.ts';
import type { EmptyBucket, RateLimits } from '../limits/rate-limits.ts';
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

type Quoted = { quota?: SendQuota };
type Started = (Outcomes | { kind: 'account_limited'; retryAfterMs: number }) & Quoted;

/** The rooms that a send goes through. */
export interface Sending extends OpeningRooms {
  idempotent: Idempotent;
  limits: RateLimits;
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
    this.#resending = new Resending(context, rooms);
  }

  async send({ idempotency, operation, isAskedBefore = false, ...asked }: SendRequest): Promise<SendResult> {
    const { accounts } = this.#context;
    const account = await accounts.view(asked.accountId, asked.mode);
    const settled = this.#settled(asked, account);
    const about = { idempotency, isAskedBefore, ...by(operation) };
    if (settled.kind === 'ok') return this.#run({ ...settled.request, ...about }, account);
    // A call that was answered or done before gets the same answer again, even where the deployment would refuse it by now.
    const { accountId } = asked;
    const earlier = await this.#rooms.idempotent.earlier({ ...asked, idempotency });
    const done = !earlier && isAskedBefore ? await this.#resending.done({ accountId, ...by(operation) }) : null;
    return earlier ?? (done ? { ...done, kind: 'sent' } : settled);
  }

  #settled(asked: AskedSend, account: AccountView): ReturnType<typeof settle> {
    const { settings, ring } = this.#context;
    if (asked.code === null || ring.has('custom_code')) return settle(asked, account, settings.config);
    const problem = 'can not be stored: the key ring of this deployment has no custom_code key';
    return refused('custom_code_not_allowed', 'code', problem);
  }

  async sendSettled(request: SettledRequest): Promise<SendResult> {
    return this.#run(request, await this.#context.accounts.view(request.accountId, request.mode));
  }

  async #run({ idempotency, ...send }: SettledRequest, account: AccountView): Promise<SendResult> {
    const call = { accountId: send.accountId, mode: send.mode, idempotency };
    const result = await this.#rooms.idempotent.run<Started | (Done & Quoted)>(
      call,
      // Only an answer that was made here is stored. For a call that another process has done, that process has stored one, and the session
      // may have gone on since.
      ({ kind }) => kind === 'sent',
      (kept) => this.#once(send, account, kept),
      shardForNumber(send.to),
    );
    return result.kind === 'done' ? { ...result, kind: 'sent' } : result;
  }

  /** A call may be refused for a limit that it has itself used up at another process. So before a refusal it is looked up whether the call was done. */
  async #once(send: SettledSend & Operation, account: AccountView, kept: Idempotency | null) {
    const outcome = await this.#counted(send, account, kept);
    if (outcome.kind === 'sent' || outcome.kind === 'done' || !send.isAskedBefore) return outcome;
    return (await this.#resending.done(send)) ?? outcome;
  }

  async #counted(
    send: SettledSend,
    account: AccountView,
    kept: Idempotency | null,
  ): Promise<Started | (Done & Quoted)> {
    const { guard, limits } = this.#rooms;
    const platform = await this.#context.accounts.platformLists();
    const { refusal, monitored } = guard.judge(send, account, platform);
    // A refusal by the account's own rules is answered at once. The refusal by a block list is answered only where nothing else refuses the send,
    // because the list may be the platform's: a caller that tries numbers to find out what is on it pays with a send for each one that is not.
    if (refusal && refusal.rule !== 'block_list') return { kind: 'guarded', finding: refusal };
    // The account's own rate comes first. What one of them refuses is counted in none.
    const own = this.#accountBucket(send, account);
    const { key: _, ...bucket } = own;
    const counts = guard.counts(send, account, platform);
    const extra = counts.map((count) => count.bucket);
    const taken = await limits.take(own, extra);
    const quota = { ...bucket, tokens: taken.tokens };
    if (taken.kind === 'refused') return { ...refusalBy(taken.empty, counts), quota };
    const found = counts.filter((each) => taken.empty.some((empty) => empty.key === each.bucket.key));
    const findings = [...monitored, ...found.map(({ finding }) => finding)];
    const outcome = await this.#openOrResend({
      ...send,
      account,
      kept,
      limits: numberLimitsOf(account, send.mode, this.#context.settings.sendLimits),
      findings,
      blocked: refusal,
    }).catch((error: unknown) => {
      // Where it is not known whether the session was stored, the send counts.
      if (!mayBeStored(error)) limits.giveBack([own, ...taken.from]);
      throw error;
    });
    // Nothing was sent by this call: nobody's count goes up for it. What a block list refuses still counts for the account's rate.
    const isBlocked = outcome.kind === 'guarded' && outcome.finding.rule === 'block_list';
    if (outcome.kind !== 'sent') limits.giveBack([...(isBlocked ? [] : [own]), ...taken.from]);
    return { ...outcome, quota };
  }

  async #openOrResend(asked: CountedSend): Promise<Outcomes | Done> {
    let request = asked;
    for (let round = 0; round < maxRounds; round += 1) {
      const opened = await this.#opening.open(request);
      if (opened.kind !== 'taken') return (await this.#resentInstead(request, opened)) ?? opened;
      const done = opened.sessionId === request.operation ? await beforeStoring(this.#resending.done(request)) : null;
      if (done) return done;
      const resent = await this.#resending.resend(asked, opened.sessionId);
      if (resent && resent.kind !== 'replaced') return resent;
      request = resent ? { ...asked, ...resent.carried, replace: resent.cancel } : asked;
    }
    return { kind: 'overloaded', retryAfterMs: 1000 };
  }

  /** Where a new session can't be sent to, the pending one may have a leg that can: its next one, or one of a cascade of its own. */
  async #resentInstead(request: CountedSend, { kind }: Outcomes): Promise<Outcomes | Done | null> {
    if (kind !== 'no_route' && kind !== 'overloaded') return null;
    const resent = await this.#resending.resend(request, null);
    return resent?.kind === 'sent' || resent?.kind === 'done' ? resent : null;
  }

  #accountBucket({ accountId, mode }: SettledSend, account: AccountView): Bucket {
    const { sendLimits } = this.#context.settings;
    const perSecond = account.sendsPerSecond ?? sendLimits.accountPerSecond;
    return {
      key: `account:${accountId}:${mode}`,
      capacity: sendsBurst(sendLimits, perSecond),
      refillPerSecond: perSecond,
    };
  }
}

/** By the account's own rate, which comes first and counts for no rule; else by the first rule, as it says when the last of its buckets has a token. */
function refusalBy(empty: readonly EmptyBucket[], counts: readonly Count[]): Started {
  const findings: Finding[] = [];
  for (const { key, retryAfterMs } of empty) {
    const count = counts.find(({ bucket }) => bucket.key === key);
    if (!count) return { kind: 'account_limited', retryAfterMs };
    findings.push({ ...count.finding, retryAfterMs });
  }
  const [finding] = inOrder(findings);
  if (!finding) throw new Error('a send was refused by no bucket');
  return { kind: 'guarded', finding };
}
