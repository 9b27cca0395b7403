// A story about one session, told in a test's own words: opens it, lets things happen to it, remembers what followed.

import type { Tariff } from '../../src/core/money/cost.ts';
import { advance } from '../../src/core/verify/advance.ts';
import type { CallReport } from '../../src/core/verify/call.ts';
import type { Advance, Effect, Event, Outcome, Plan, World } from '../../src/core/verify/event.ts';
import { type OpenRequest, open } from '../../src/core/verify/open.ts';
import { defaultRules, type Rules } from '../../src/core/verify/rules.ts';
import type {
  Channel,
  IncomingReceipt,
  Leg,
  Message,
  ReceiptStatus,
  Session,
  SkipReason,
} from '../../src/core/verify/session.ts';
import type { SessionFilter } from '../../src/db/verify/list.ts';

export const wholeCascade: Leg[] = [
  { channel: 'sms', timeoutMs: 15_000 },
  { channel: 'whatsapp', timeoutMs: 15_000 },
  { channel: 'voice', timeoutMs: 45_000 },
];

export const tariff: Tariff = {
  currency: 'DZD',
  amountPerPart: '2.50',
  charged: 'delivery',
  version: '1',
  validFrom: 0,
};

/** By the started second, ten at least. */
export const callTariff: Tariff = { ...tariff, amountPerPart: '0.50', charged: 'answer', minimumSeconds: 10 };

/** A call that rings, or as `change` says. */
export const callReport = (change: Partial<CallReport> = {}): CallReport => ({
  state: 'ringing',
  ringMs: null,
  answeredAt: null,
  talkSeconds: null,
  sipCode: null,
  q850: null,
  keys: 0,
  readings: 0,
  trunk: 'atlas',
  ended: false,
  ...change,
});

export const request: OpenRequest = {
  id: 'vrf_1',
  accountId: 'acct_1',
  mode: 'live',
  to: '+213550000001',
  purpose: '',
  language: 'ar',
  codeLength: 6,
  keyId: 'k1',
  salt: '00'.repeat(16),
  sealedCode: null,
  ttlMs: 600_000,
  senderId: null,
  clientReference: '',
  metadata: null,
  autofill: {},
  wording: null,
  cascade: wholeCascade,
};

export interface StoryOptions {
  request?: Partial<OpenRequest>;
  rules?: Partial<Rules>;
  /** Channels that can't be used, each with the reason it is skipped for. */
  skip?: Partial<Record<Channel, SkipReason>>;
  /** Called for every step, to look at both sides of it. */
  onStep?(before: Session, event: Event, after: Advance, now: number): void;
}

export class Story {
  /** Ms since the session was opened; add to it to let time pass. */
  clock = 0;
  session: Session;
  /** Effects of the last step, and of all steps. */
  effects: Effect[];
  all: Effect[];
  skip: Partial<Record<Channel, SkipReason>>;
  /** The account is suspended. */
  suspended = false;
  readonly #options: StoryOptions;
  #ids = 0;

  constructor(options: StoryOptions = {}) {
    this.#options = options;
    this.skip = options.skip ?? {};
    const opened = open({ ...request, ...options.request }, this.world());
    if (!('next' in opened)) throw new Error(`no session: ${opened.reasons.join(', ')}`);
    this.session = opened.next;
    this.effects = opened.effects;
    this.all = [...opened.effects];
  }

  world(): World {
    return {
      now: this.clock,
      rules: { ...defaultRules, ...this.#options.rules },
      newMessageId: () => {
        this.#ids += 1;
        return `msg_${this.#ids}`;
      },
      plan: (_, { channel }): Plan => {
        const reason = this.suspended ? 'account_suspended' : this.skip[channel];
        if (reason?.startsWith('operator_')) return { kind: 'skip', reason, operator: 'atlas' };
        if (reason !== undefined) return { kind: 'skip', reason };
        return { kind: 'usable', route: `${channel}/atlas`, operator: 'atlas', senderId: 'RAMZ' };
      },
    };
  }

  do(event: Event): Outcome {
    const before = this.session;
    const after = advance(before, event, this.world());
    this.session = after.next;
    this.effects = after.effects;
    this.all.push(...after.effects);
    this.#options.onStep?.(before, event, after, this.clock);
    return after.outcome;
  }

  /** The message last begun. */
  get last(): Message {
    return this.session.messages.at(-1) as Message;
  }

  message(id: string): Message {
    const found = this.session.messages.find((message) => message.id === id);
    if (!found) throw new Error(`no message ${id}`);
    return found;
  }

  /** The carrier takes the message: `submitting`, then `accepted`. */
  accept(messageId = this.last.id): this {
    this.do({ kind: 'submitting', messageId, holder: 'prc_1' });
    this.do({ kind: 'accepted', messageId, providerMessageId: `p-${messageId}`, parts: 1, tariff });
    return this;
  }

  /** The phone rings: `submitting` by the process `prc_1`, which keeps the call, then `accepted`. */
  ring(messageId = this.last.id, of: Tariff | null = callTariff): this {
    this.do({ kind: 'submitting', messageId, holder: 'prc_1' });
    const answer = { providerMessageId: null, parts: 0, tariff: of, call: callReport() };
    this.do({ kind: 'accepted', messageId, ...answer });
    return this;
  }

  /** The callee takes up the phone. */
  answer(messageId = this.last.id, holdForMs = 120_000): Outcome {
    const call = callReport({ state: 'answered', ringMs: 5_000, answeredAt: this.clock, sipCode: 200 });
    return this.do({ kind: 'answered', messageId, call, holdUntil: this.clock + holdForMs });
  }

  receipt(status: ReceiptStatus, messageId = this.last.id, change: Partial<IncomingReceipt> = {}): Outcome {
    const receipt = { ...receiptOf(status, this.clock), ...change };
    return this.do({ kind: 'receipt', messageId, receipt, receiptId: `rcp_${this.clock}` });
  }

  /** Lets time pass to `at` and the deadline with it. */
  deadlineAt(at: number): Outcome {
    this.clock = at;
    return this.do({ kind: 'deadline' });
  }

  resend(channel: Channel | null = null): Outcome {
    return this.do({ kind: 'resend', channel, asked: {} });
  }

  /** Ends the leg under way by a refusal of its message. */
  reject(messageId = this.last.id): Outcome {
    this.do({ kind: 'submitting', messageId, holder: 'prc_1' });
    return this.do({ kind: 'rejected', messageId, reason: 'submit_refused', errorCode: '11' });
  }

  get kinds(): string[] {
    return this.session.timeline.map((entry) => entry.kind);
  }

  /** Types of the events told to the client so far. */
  get told(): string[] {
    return this.all.flatMap((effect) => (effect.kind === 'emit' ? [effect.type] : []));
  }

  get statuses(): string[] {
    return this.session.messages.map(({ channel, status }) => `${channel} ${status}`);
  }
}

export function receiptOf(status: ReceiptStatus, at: number): IncomingReceipt {
  return {
    status,
    providerStatus: null,
    detail: null,
    errorCode: status === 'DELIVRD' ? '000' : '001',
    operatorTimestamp: at,
    receivedAt: at,
    providerMessageId: null,
    operatorAmount: null,
    raw: `stat:${status}`,
  };
}

/** The filter of a list of all live sessions of an account. */
export const everySession = (accountId: string): SessionFilter => ({
  accountId,
  mode: 'live',
  number: null,
  status: null,
  clientReference: null,
  purpose: null,
  delivery: null,
  createdFrom: null,
  createdUntil: null,
});
