// The traffic with one operator. Each message is written once, on the bind that it has a place on, and its answer becomes an outcome, also where
// it comes late. What the operator sends on its own are reports on our messages.

import { BoundedMap } from '../../collections/small-maps.ts';
import type { OperatorConfig } from '../../config.ts';
import {
  type Bind,
  commandStatus,
  type Incoming,
  maskFrame,
  type StatusMeaning,
  statusMeaning,
} from '../../smpp/index.ts';
import { pause } from '../../time/repeat.ts';
import type { OutgoingMessage, ReceiptIntake, SendOutcome } from '../channel.ts';
import { type Report, readReport } from './report.ts';
import { type Answered, compose, lateOutcome, meaningOf } from './wire.ts';

export interface Incomings {
  intake: ReceiptIntake;
  now(): number;
  /** Called for every deliver_sm and data_sm. */
  onReport(operator: string, report: Pick<Report, 'kind' | 'problems'>): void;
  onError(error: unknown, about: object, message: string): void;
}

export interface SubmissionsOptions extends Pick<Incomings, 'intake' | 'now' | 'onError'> {
  config(): OperatorConfig;
  brand(): string;
  /** Sender name where neither client nor account has one. */
  defaultSender(): string;
  /** The bind counts the message from here on. */
  onWritten(bind: Bind): void;
  /** The operator has answered in time. */
  onAnswer(meaning: StatusMeaning, to: string): void;
}

/** Pause after a bind that was lost, so that the message does not spin. */
const lostMs = 100;

export class Submissions {
  readonly #options: SubmissionsOptions;
  readonly #onTheWire = new WeakMap<object, { message: OutgoingMessage; parts: number }>();
  /** Messages whose validity_period was not understood (0x62), and that go out in the fallback form when it is their turn again. */
  readonly #otherValidity = new BoundedMap<string, true>(10_000);

  constructor(options: SubmissionsOptions) {
    this.#options = options;
  }

  /**
   * Writes the message once. Where the operator says "not now", or wants another form, the message is certainly not taken: it waits for its next
   * turn as a queued message, not as one that may have been sent, so that another process may send it should this one die.
   */
  async send(message: OutgoingMessage, bind: Bind, signal: AbortSignal): Promise<SendOutcome> {
    const { format, fallback } = this.#options.config().validity;
    const outcome = await this.#submit(message, bind, this.#otherValidity.has(message.id) ? fallback : format);
    if (outcome.kind === 'other_validity') {
      this.#otherValidity.set(message.id, true);
      return { kind: 'not_sent', reason: 'other_validity' };
    }
    if (outcome.kind !== 'again') return outcome;
    if (outcome.status !== undefined) return { kind: 'not_sent', reason: 'not_now', busy: outcome.status };
    await pause(lostMs, signal);
    return { kind: 'not_sent', reason: signal.aborted ? 'leg_over' : 'not_now' };
  }

  async #submit(
    message: OutgoingMessage,
    bind: Bind,
    validity: 'relative' | 'absolute' | 'none',
  ): Promise<SendOutcome | { kind: 'again'; status?: string } | { kind: 'other_validity' }> {
    const { now } = this.#options;
    const operator = this.#options.config();
    const { pdu, parts } = compose(message, { operator, brand: this.#options.brand(), now: now(), validity });
    this.#onTheWire.set(pdu, { message, parts });
    const submitting = bind.submit(pdu);
    this.#options.onWritten(bind); // The window counts the message from here on.
    const result = await submitting;
    if (result.kind === 'unknown') return { kind: 'unknown', reason: result.reason };
    if (result.kind === 'not_sent') {
      const hopeless = result.reason === 'unencodable';
      return hopeless ? { kind: 'rejected', reason: 'unencodable', errorCode: result.detail } : { kind: 'again' };
    }
    this.#options.onAnswer(statusMeaning(result.status), message.to);
    const about = { parts, fallbackSender: this.#options.defaultSender(), now: now(), validity };
    const meaning = meaningOf(result, operator, about);
    return meaning.kind === 'final' ? meaning.outcome : meaning;
  }

  late(request: object, answer: Answered): void {
    const sent = this.#onTheWire.get(request);
    if (!sent) return;
    const { intake, onError, now, config } = this.#options;
    const { message, parts } = sent;
    const outcome = lateOutcome(answer, config(), { parts, now: now() });
    if (outcome === null) return;
    const { accountId, sessionId, id: messageId } = message;
    const late = { accountId, sessionId, messageId, operator: config().id, outcome };
    const about = { operator: config().id, session_id: sessionId, message_id: messageId };
    intake
      .takeLateAnswer(late)
      .catch((error) => onError(error, about, 'late answer of an operator not stored: its message stays unknown'));
  }
}

/**
 * Takes in a report. It is acknowledged only once it is committed; when it cannot be, the SMSC is asked to send it again (SMPP v3.4 section 4.6.2).
 * Returns the command_status of the answer.
 */
export async function takeIn(
  incoming: Incoming,
  config: OperatorConfig,
  { intake, now, onReport, onError }: Incomings,
): Promise<{ status: number }> {
  const { id: operator } = config;
  try {
    const report = read(incoming, config, now());
    onReport(operator, report);
    if (report.kind === 'receipt') await intake.take(report.carrier);
    if (report.kind === 'unreadable') await intake.takeUnreadable(report.report);
    return { status: commandStatus.ROK };
  } catch (error) {
    onError(error, { operator }, 'report not stored: the operator is asked to send it again');
    return { status: commandStatus.RSYSERR };
  }
}

function read(incoming: Incoming, config: OperatorConfig, now: number): Report {
  let reason: string;
  if (incoming.kind === 'message') {
    const report = readReport(incoming.pdu, config, now);
    if (incoming.damage === undefined || report.kind === 'receipt') return report;
    reason = incoming.damage; // What makes it a receipt may be in the part that is damaged.
  } else reason = incoming.reason;
  const raw = maskFrame(incoming.frame).toString('hex');
  // No setting helps: the operator has to be asked.
  const problems = [{ kind: 'unreadable' as const, advice: null, detail: reason }];
  return { kind: 'unreadable', report: { operator: config.id, raw, reason, receivedAt: now }, problems };
}
