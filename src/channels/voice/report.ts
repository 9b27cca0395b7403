// The reports of a call to the engine: the answer, the first reading heard, the end. Each is kept and tried again until it is stored, one
// after the other, because the telephone network says each of them once.

import type { TrunkConfig } from '../../config.ts';
import type { Tariff } from '../../core/money/cost.ts';
import type { CallReport, CallState } from '../../core/verify/call.ts';
import { echoedReference, type IncomingReceipt, type ReceiptStatus } from '../../core/verify/session.ts';
import { untilStored } from '../../time/repeat.ts';
import type { Accepted, CarrierReceipt } from '../channel.ts';
import { tariffInForce } from '../tariff.ts';

/** Namespace of the references of calls. */
const operator = 'voice';

const statusOf = (state: CallState): ReceiptStatus =>
  state === 'heard' ? 'DELIVRD' : state === 'rejected' ? 'REJECTD' : 'UNDELIV';

/** How a call stands, in the words of a receipt. */
export const wordsOf = (
  call: CallReport,
): Pick<IncomingReceipt, 'status' | 'providerStatus' | 'detail' | 'errorCode'> => ({
  status: statusOf(call.state),
  providerStatus: call.state,
  detail: call.state === 'heard' ? 'answered' : null,
  errorCode: errorCodeOf(call),
});

/** A call charged by its time has no parts yet; by any other tariff a call is one. */
export const partsAtRinging = (tariff: Tariff | null): number => (tariff?.charged === 'answer' ? 0 : 1);

/** The text of a final answer that was none of success; null where there was none. */
export const errorCodeOf = ({ sipCode }: CallReport): string | null =>
  sipCode !== null && sipCode >= 300 ? String(sipCode) : null;

export interface ReportedCall {
  messageId: string;
  route: string;
  to: string;
  /** The answer that the dispatcher gets: a report may be faster than its commit. Null for a call that never rang. */
  accepted: Accepted | null;
}

/** A receipt of a call that was heard, or is over. */
export function receiptOf(call: ReportedCall, report: CallReport, receivedAt: number): CarrierReceipt {
  const { messageId, route, to, accepted } = call;
  const receipt: IncomingReceipt = {
    ...wordsOf(report),
    operatorTimestamp: null,
    receivedAt,
    providerMessageId: accepted?.providerMessageId ?? null,
    operatorAmount: null,
    raw: rawOf(report),
    call: report,
  };
  const references = [echoedReference(route, messageId)];
  return { operator, references, number: to, receipt, ...(accepted ? { accepted } : {}) };
}

/** A call has no report of its own: what was read from SIP, in one line. */
function rawOf({ state, trunk, sipCode, q850, talkSeconds, ended }: CallReport): string {
  const parts = [`trunk:${trunk}`, `state:${state}`];
  if (sipCode !== null) parts.push(`sip:${sipCode}`);
  if (q850 !== null) parts.push(`q850:${q850}`);
  if (ended) parts.push(`talk:${talkSeconds ?? 0}s`);
  return parts.join(' ');
}

/** The rate card in force at `at` (Unix ms). */
export const tariffOf = ({ tariff }: Pick<TrunkConfig, 'tariff'>, at: number): Tariff | null =>
  tariffInForce(tariff, at, ({ per, minimumSeconds }) => ({
    unitSeconds: per === 'minute' ? 60 : 1,
    minimumSeconds,
  }));

/** Stores the reports of one call in their order. */
export class ReportLine {
  readonly #onError: (error: unknown) => void;
  #last: Promise<void> = Promise.resolve();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  push(store: () => Promise<void>): void {
    this.#last = this.#last.then(() => untilStored(store, this.#onError));
  }

  /** Resolves once all that was pushed is stored. */
  get stored(): Promise<void> {
    return this.#last;
  }
}
