// One message on its way as a call: the trunks that are tried for it, one after the other, and the reports of the call that rang. Another
// trunk is tried only after an answer that says that no phone rang.

import type { CallReport, CallState } from '../../core/verify/call.ts';
import { echoedReference } from '../../core/verify/session.ts';
import { pause } from '../../time/repeat.ts';
import type { Accepted, OutgoingMessage, ReceiptIntake, SendOutcome } from '../channel.ts';
import { isOfTheTrunk, pauseAfter, requestTerminated } from './answer.ts';
import type { Caller, CallListener, CallScript, EndHow, NotPlaced, Placed } from './caller.ts';
import { errorCodeOf, partsAtRinging, ReportLine, receiptOf, tariffOf } from './report.ts';
import { type Reservation, reserveAny, type Trunk } from './trunk.ts';

export interface SendingOptions {
  caller: Caller;
  requireKey(): boolean;
  /** The language that an account's calls are spoken in where a message is in neither of ours. */
  spokenLanguage(accountId: string): Promise<'ar' | 'fr'>;
  intake: Pick<ReceiptIntake, 'take' | 'takeAnswered'>;
  now(): number;
  /** A try is over; `word`: the state of its call, `unknown` or `not_placed`, and then `why`, with what failed in words for a log. */
  onCall?(
    trunk: string,
    word: CallState | 'unknown' | 'not_placed',
    call: CallReport | null,
    why?: NotPlaced,
    failure?: string | null,
  ): void;
  onError(error: unknown, about: object, message: string): void;
}

/** The hold of an answered call's leg beyond the call's own limit, for its last report to come. */
const reportMarginMs = 5_000;

/** Pause after a call that could not be placed. */
const againMs = 250;

const notStored = 'the report of a call could not be stored: it is tried again, look at the database for the cause';
const languageUnknown = 'the language of an account could not be read: its call is spoken in Arabic';

export class Sending {
  readonly #message: OutgoingMessage;
  readonly #options: SendingOptions;
  readonly #about: object;
  readonly #reports: ReportLine;
  readonly #over = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  #isStopped = false;
  /** Nobody waits for the call any more; else it was stopped because this process ends. */
  #isUnwanted = false;

  constructor(message: OutgoingMessage, options: SendingOptions) {
    this.#message = message;
    this.#options = options;
    this.#about = { session_id: message.sessionId, message_id: message.id };
    this.#reports = new ReportLine((error) => options.onError(error, this.#about, notStored));
  }

  /** Resolves once nothing rings any more and nobody listens. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Resolves once every report so far is stored. */
  get reported(): Promise<void> {
    return this.#reports.stored;
  }

  /** Tries no further trunk, and ends the call. */
  stop(how: EndHow): void {
    this.#isStopped = true;
    this.#isUnwanted ||= how !== 'now';
    this.#stopping.abort();
    this.#options.caller.end(this.#message.id, how);
  }

  /** The reserved trunk first, then the others of the route in their order; those without a free channel are passed over. */
  async run(first: Reservation, route: readonly Trunk[]): Promise<SendOutcome> {
    try {
      return await this.#try(first, route);
    } catch (error) {
      // A fault of ours must not keep the process from ending.
      this.#over.resolve();
      throw error;
    }
  }

  async #try(first: Reservation, route: readonly Trunk[]): Promise<SendOutcome> {
    const script = await this.#script();
    let refused: SendOutcome | null = null;
    let left = route;
    let reservation: Reservation | null = first;
    for (let attempt = 1; reservation; attempt += 1) {
      const { trunk }: Reservation = reservation;
      if (this.#isStopped) {
        reservation.giveBack();
        break;
      }
      const { line } = trunk;
      const placed = await this.#place(reservation, script, attempt);
      if (placed.kind === 'ringing') return this.#accepted(trunk, placed.callId, placed.report);
      const outcome = this.#outcomeOf(trunk.line === line ? trunk : null, placed);
      refused = outcome ?? refused;
      if (!mayTryAnother(placed)) break;
      left = left.filter((each) => each !== trunk);
      reservation = await this.#placeOf(left);
    }
    this.#over.resolve();
    if (refused) return refused;
    // So that the message does not spin: it takes its next place at once.
    if (!this.#isStopped) await pause(againMs);
    return { kind: 'not_sent', reason: this.#isStopped ? 'leg_over' : 'no_trunk' };
  }

  /** A place of one of these trunks. Their rate is waited for, or the message would fail for want of a moment; a free channel is not. */
  #placeOf(trunks: readonly Trunk[]): Promise<Reservation | null> {
    const free = trunks.filter((trunk) => trunk.free > 0);
    return reserveAny(free, this.#stopping.signal);
  }

  async #script(): Promise<CallScript> {
    const { language, accountId, code } = this.#message;
    const { spokenLanguage, requireKey, onError } = this.#options;
    const failed = (error: unknown) => {
      onError(error, this.#about, languageUnknown);
      return 'ar' as const;
    };
    const spoken = language === 'en' ? await spokenLanguage(accountId).catch(failed) : language;
    return { language: spoken, code, requireKey: requireKey() };
  }

  async #place({ trunk, begin }: Reservation, script: CallScript, attempt: number): Promise<Placed> {
    const { caller, intake, onCall, now } = this.#options;
    const { id, accountId, sessionId, to, route } = this.#message;
    const end = begin();
    let accepted: Accepted | null = null;
    const take = (report: CallReport) => {
      const receipt = receiptOf({ messageId: id, route, to, accepted }, report, now());
      this.#reports.push(() => intake.take(receipt));
    };
    const listener: CallListener = {
      rang: (callId, report) => {
        accepted = this.#accepted(trunk, callId, report);
      },
      answered: (call, limitAt) => {
        const holdUntil = limitAt + reportMarginMs;
        const answered = { accountId, sessionId, messageId: id, call, holdUntil, ...(accepted ? { accepted } : {}) };
        this.#reports.push(() => intake.takeAnswered(answered));
      },
      heard: take,
      ended: (report) => {
        end();
        take(report);
        onCall?.(trunk.name, report.state, report);
        this.#over.resolve();
      },
    };
    let placed: Placed | null = null;
    try {
      placed = await caller.place({ id, attempt, trunk: trunk.name, to, script }, listener);
    } finally {
      // Nothing is under way; what was thrown goes on.
      if (placed?.kind !== 'ringing') end();
    }
    if (placed.kind === 'ringing') return placed;
    if (placed.kind === 'refused') onCall?.(trunk.name, placed.report.state, placed.report);
    else if (placed.kind === 'unknown') onCall?.(trunk.name, placed.kind, null);
    else onCall?.(trunk.name, placed.kind, null, placed.why, placed.failure);
    return placed;
  }

  /**
   * What a try that did not ring means for the trunk and for the message; null where it means nothing for the message.
   * @param trunk null where it has another connection by now.
   */
  #outcomeOf(trunk: Trunk | null, placed: Exclude<Placed, { kind: 'ringing' }>): SendOutcome | null {
    switch (placed.kind) {
      case 'not_placed':
        if (placed.why === 'trunk') trunk?.refused();
        return null;
      case 'unknown':
        return { kind: 'unknown', reason: 'timeout', call: placed.report };
      case 'refused': {
        const { report: call, status, retryAfterSeconds } = placed;
        // Nobody waited any more, and the trunk confirms that nothing rings: the message is withdrawn, and did not fail.
        if (this.#isUnwanted && status === requestTerminated) return null;
        trunk?.rest(pauseAfter(status, retryAfterSeconds));
        return { kind: 'rejected', reason: 'submit_refused', errorCode: errorCodeOf(call), call };
      }
    }
  }

  #accepted(trunk: Trunk, callId: string | null, call: CallReport): Accepted {
    const { id, route } = this.#message;
    const tariff = tariffOf(trunk.config, this.#options.now());
    const reference = echoedReference(route, id);
    return { kind: 'accepted', providerMessageId: callId, reference, parts: partsAtRinging(tariff), tariff, call };
  }
}

function mayTryAnother(placed: Exclude<Placed, { kind: 'ringing' }>): boolean {
  if (placed.kind === 'refused') return isOfTheTrunk(placed.status, placed.report.q850);
  return placed.kind === 'not_placed' && placed.why === 'trunk';
}
