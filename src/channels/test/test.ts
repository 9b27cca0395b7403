// Test mode: the channel behind every channel of test keys. It sends nothing and costs nothing, and plays the scenario of the number.
// Its reports are timers of this process: after a crash they do not come any more, as if the carrier had lost them, and the cascade
// goes on by its deadline. That costs a tester a wait and nothing else, so they are not made durable.

import type { CallReport, StopReason } from '../../core/verify/call.ts';
import type { Plan } from '../../core/verify/event.ts';
import { defaultScenario, type Scenario, scenarioOf } from '../../core/verify/scenarios.ts';
import type { Channel as ChannelName, IncomingReceipt } from '../../core/verify/session.ts';
import type {
  CarrierReceipt,
  Channel,
  OutgoingMessage,
  Place,
  PlanRequest,
  ReceiptIntake,
  SendOutcome,
} from '../channel.ts';
import { wordsOf } from '../voice/report.ts';
import { TestCalls } from './calls.ts';
import { type TestReport, type TestScript, testScript } from './script.ts';

export interface TestChannelOptions {
  /** Prefixes of the configured operators, e.g. `+21355`: each has every scenario's number. Evaluated for each message. */
  prefixes(): readonly string[];
  intake: ReceiptIntake;
  now(): number;
  /** A report that could not be taken in after several tries, which is then dropped. */
  onError(error: unknown, about: { session_id: string; message_id: string }, message: string): void;
  /** Runs something once, later; returns what undoes it. Default: a timer that keeps no process alive. */
  after?(delayMs: number, run: () => void): () => void;
  /** Factor on every delay of the table. Default 1; below 1 a late receipt may come before its leg is over. */
  timeScale?: number;
}

/** Operator of every test SMS. */
const testOperator = 'test';

const names: readonly ChannelName[] = ['sms', 'whatsapp', 'voice'];
const routes = names.map((name) => `test/${name}`);

/** While the database is away a report is repeated, as a carrier would do it: this often, this far apart. */
const maxTries = 5;
const retryMs = 1_000;

export class TestChannel implements Channel {
  readonly #options: TestChannelOptions;
  readonly #after: (delayMs: number, run: () => void) => () => void;
  /** Cancels of the timers still running. */
  readonly #pending = new Set<() => void>();
  /** Its calls end with the process, and another one settles them. */
  readonly staysHere = true;
  readonly #calls: TestCalls;
  #stopped = false;

  constructor(options: TestChannelOptions) {
    this.#options = options;
    const { timeScale = 1, after = afterTimeout } = options;
    this.#after = (delayMs, run) => after(delayMs * timeScale, run);
    this.#calls = new TestCalls({
      now: () => options.now(),
      later: (delayMs, run) => this.#later(delayMs, run),
      answered: (message, call, holdUntil) => void this.#answered(message, call, holdUntil),
      report: (message, call) => void this.#deliver(message, wordsOf(call), call),
    });
  }

  /** Takes any sender name: no message arrives that could show it. */
  plan({ channel, senderId, account }: PlanRequest): Plan {
    const shown = channel === 'sms' ? (senderId ?? account.defaultSenderId) : null;
    const operator = channel === 'sms' ? testOperator : null;
    return { kind: 'usable', route: `test/${channel}`, operator, senderId: shown };
  }

  canSend(route: string): boolean {
    return !this.#stopped && routes.includes(route);
  }

  routes(): string[] {
    return this.#stopped ? [] : routes;
  }

  ratePerSecond(): null {
    return null;
  }

  async reserve(route: string, signal: AbortSignal): Promise<Place | null> {
    return this.reserveNow(route, signal);
  }

  reserveNow(route: string, signal: AbortSignal): Place | null {
    if (signal.aborted || !this.canSend(route)) return null;
    return { send: (message) => this.#send(message), release: () => {} };
  }

  /** Stops calls alone: other messages have left. */
  cancel(messageId: string, why: StopReason): void {
    this.#calls.stop(messageId, why);
  }

  /** Drops the reports still to come, and takes no more messages. */
  stop(): void {
    this.#stopped = true;
    for (const undo of [...this.#pending]) undo();
    this.#pending.clear();
    this.#calls.clear();
  }

  async #send(message: OutgoingMessage): Promise<SendOutcome> {
    const script = testScript(message.channel, this.#scenarioOf(message.to));
    if (script.answer === 'reject') {
      const { reason, errorCode, call } = script;
      return { kind: 'rejected', reason, errorCode, ...(call ? { call } : {}) };
    }
    const providerMessageId = idOf(message);
    const accepted = { kind: 'accepted', providerMessageId, reference: providerMessageId, tariff: null } as const;
    if (script.answer === 'ring') return { ...accepted, parts: 0, call: this.#calls.ring(message, script.call) };
    const taken = script.answerAfterMs === 0 || (await this.#pause(script.answerAfterMs));
    if (!taken || this.#stopped) return { kind: 'not_sent', reason: 'stopped' };
    await this.#report(message, script);
    return { ...accepted, parts: 1 };
  }

  #scenarioOf(to: string): Scenario {
    for (const prefix of this.#options.prefixes()) {
      const scenario = scenarioOf(to, prefix);
      if (scenario) return scenario;
    }
    return defaultScenario;
  }

  /** Resolves when an early report is taken in; any other one is only set going. */
  async #report(message: OutgoingMessage, { report }: Extract<TestScript, { answer: 'accept' }>): Promise<void> {
    if (!report) return;
    if (report.early) return this.#deliver(message, report);
    this.#later(report.delayMs, () => void this.#deliver(message, report));
  }

  async #answered(message: OutgoingMessage, call: CallReport, holdUntil: number): Promise<void> {
    const { id: messageId, sessionId, accountId } = message;
    try {
      await this.#options.intake.takeAnswered({ accountId, sessionId, messageId, call, holdUntil });
    } catch (error) {
      const about = { session_id: sessionId, message_id: messageId };
      this.#options.onError(error, about, 'the answer of a test call dropped: it could not be stored');
    }
  }

  /** Never rejects: the first try is waited for, later ones are not. */
  async #deliver(message: OutgoingMessage, report: Reported, call?: CallReport): Promise<void> {
    const carrier = carrierReceipt(message, report, this.#options.now(), call);
    const about = { session_id: message.sessionId, message_id: message.id };
    const attempt = async (tries: number): Promise<void> => {
      try {
        await this.#options.intake.take(carrier);
      } catch (error) {
        if (tries >= maxTries)
          this.#options.onError(error, about, 'report of a test message dropped: it could not be stored');
        else this.#later(retryMs, () => void attempt(tries + 1));
      }
    };
    await attempt(1);
  }

  /** False when the channel was stopped meanwhile. */
  #pause(delayMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.#later(
        delayMs,
        () => resolve(true),
        () => resolve(false),
      );
    });
  }

  #later(delayMs: number, run: () => void, onUndone: () => void = () => {}): () => void {
    if (this.#stopped) return onUndone;
    const cancel = this.#after(delayMs, () => {
      this.#pending.delete(undo);
      run();
    });
    const undo = () => {
      this.#pending.delete(undo);
      cancel();
      onUndone();
    };
    this.#pending.add(undo);
    return undo;
  }
}

/** Unique, since a message's own id is, and visibly not a real carrier's. */
const idOf = (message: OutgoingMessage): string => `test-${message.id}`;

type Reported = Pick<TestReport, 'status' | 'providerStatus' | 'detail' | 'errorCode'>;

function carrierReceipt(message: OutgoingMessage, report: Reported, now: number, call?: CallReport): CarrierReceipt {
  const id = idOf(message);
  const { status, providerStatus, detail, errorCode } = report;
  // Whole seconds, as most operators' clocks have. SIP brings no time.
  const at = Math.floor(now / 1000) * 1000;
  const receipt: IncomingReceipt = {
    status,
    providerStatus,
    detail,
    errorCode,
    operatorTimestamp: message.channel === 'voice' ? null : at,
    receivedAt: now,
    providerMessageId: id,
    operatorAmount: null,
    ...(call ? { call } : {}),
    raw: rawReport(message.channel, id, report, at),
  };
  const operator = message.channel === 'sms' ? testOperator : message.channel;
  return { operator, references: [id], number: message.to, receipt };
}

/** A report as a carrier might have written it: for SMS in the words of SMPP v3.4 appendix B, the message's text masked. */
function rawReport(channel: ChannelName, id: string, report: Reported, at: number): string {
  if (channel !== 'sms') return JSON.stringify({ id, status: report.providerStatus, code: report.errorCode });
  const date = new Date(at).toISOString().replace(/\D/g, '').slice(2, 14);
  const delivered = report.status === 'DELIVRD' ? '001' : '000';
  return (
    `id:${id} sub:001 dlvrd:${delivered} submit date:${date} done date:${date} ` +
    `stat:${report.status} err:${report.errorCode ?? '000'} text:********************`
  );
}

function afterTimeout(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}
