// A bind with an operator's SMSC that keeps itself alive: one connection both ways (transceiver), or a transmitter and a receiver.
// It never sends a message twice: only the caller knows whether an unsent message may go out elsewhere.

import type { Connection, Outcome } from './connection.ts';
import type { DeliverHandler } from './deliveries.ts';
import { DEFAULT_LIMIT_OCTETS } from './framing.ts';
import { Health, type Trust } from './health.ts';
import { Link, type LinkOptions } from './link.ts';
import type { BindObserver, BindState } from './observer.ts';
import { FieldError, type PduInput } from './pdu.ts';
import { commandStatus, statusMeaning } from './status.ts';
import { type BackoffOptions, type Clock, defaultBackoff, systemClock } from './timers.ts';
import { type Opener, openTransport, type TlsOptions } from './transport.ts';

export interface BindOptions {
  host: string;
  port: number;
  /** Default null: plain TCP. `{}` is TLS with the certificate verified. */
  tls?: TlsOptions | null;
  /** At most 15 octets. */
  systemId: string;
  password: string;
  /** Default empty. */
  systemType?: string;
  /** Default empty: all receipts of this account. */
  addressRange?: string;
  type: 'transceiver' | 'transmitter_receiver';
  /** submit_sm without an answer, at most. Default 10. */
  window?: number;
  /** Default 10 000; holds for binding and enquire_link too. */
  responseTimeoutMs?: number;
  /** Default 10 000. */
  connectTimeoutMs?: number;
  /** Silence after which enquire_link asks. Default 25 000. */
  enquireLinkIdleMs?: number;
  /** Unanswered enquire_link in a row after which the connection is dropped. Default 2. */
  enquireLinkMisses?: number;
  /**
   * Unanswered submit_sm in a row after which the connection is made again, and the bind is `sick`; a connection that is lost with some
   * under way counts as one. Default 3.
   */
  submitMisses?: number;
  /** Close after so long without work. Default null: never. */
  inactivityMs?: number | null;
  /** Default 65 536. */
  maxPduOctets?: number;
  /** Incoming messages in `onDeliver` at once. Default 200; beyond it nothing is read, and the SMSC waits. */
  maxDeliveries?: number;
  /** A handler that takes longer counts as failed. Default 60 000. */
  deliverTimeoutMs?: number;
  backoff?: Partial<BackoffOptions>;
  /** Answered only when this resolves: commit first. A rejection is answered with "system error" (0x08). */
  onDeliver: DeliverHandler;
  /** The answer to a submit_sm that was reported as `unknown`; `pdu` is the very object given to `submit`. */
  onLateAnswer?(pdu: PduInput<'submit_sm'>, answer: SubmitAnswer): void;
  observer?: BindObserver;
  /** For tests. */
  clock?: Clock;
  random?(): number;
  open?: Opener;
}

export interface SubmitAnswer {
  /** command_status; see `statusMeaning`. */
  status: number;
  /** Empty when refused, and with some SMSCs even when accepted. */
  messageId: string;
}

export type SubmitResult =
  | ({ kind: 'answered' } & SubmitAnswer)
  /** The message left, and its outcome is not known: it must never be sent again. A receipt may still come. */
  | { kind: 'unknown'; reason: 'timeout' | 'connection_lost' }
  /** The message never left: it may go out on another bind. With `unencodable` no bind can send it; `detail` names the field. */
  | { kind: 'not_sent'; reason: 'not_bound' | 'window_full' | 'closing' | 'unencodable'; detail: string };

type NotSent = Extract<SubmitResult, { kind: 'not_sent' }>;

/** How long a sick bind gets only what no other bind can take, the first time. */
const SICK_REST_MS = 60_000;

/** States from the worst to the best, and `closed` last: a pair is in the worse state of its halves, and closed when both are. */
const worstFirst: readonly BindState[] = ['closing', 'alarm', 'backing_off', 'connecting', 'sick', 'bound', 'closed'];

export class Bind {
  readonly #links: readonly Link[];
  readonly #transmitter: Link;
  readonly #window: number;
  readonly #observer: BindObserver;
  readonly #health: Health;
  readonly #clock: Clock;
  #outstanding = 0;
  /** The last connection that was lost with messages under way. */
  #lostOn: Connection | null = null;
  #state: BindState = 'closed';
  #closing: Promise<void> | null = null;

  /** Nothing happens before `start`. @throws FieldError for credentials that cannot be written. */
  constructor(options: BindOptions) {
    this.#window = options.window ?? 10;
    this.#observer = options.observer ?? {};
    this.#clock = options.clock ?? systemClock;
    this.#health = new Health({ misses: options.submitMisses ?? 3, restMs: SICK_REST_MS });
    const roles: LinkOptions['role'][] = options.type === 'transceiver' ? ['transceiver'] : ['transmitter', 'receiver'];
    this.#links = roles.map((role) => new Link(this.#linkOptions(role, options)));
    this.#transmitter = this.#links[0]!;
  }

  get state(): BindState {
    return this.#state;
  }

  /** Bound, and able to send. A pair is open only while both halves are: without receipts no outcome would be known. */
  get open(): boolean {
    return this.#state === 'bound' || this.#state === 'sick';
  }

  /** What it is good for, by the messages that it has left without an answer. */
  get trust(): Trust {
    return this.#health.trust(this.#clock.now());
  }

  /** submit_sm without an answer yet. */
  get outstanding(): number {
    return this.#outstanding;
  }

  /** submit_sm that would be written now. */
  get free(): number {
    const writable = this.open && this.#transmitter.connection?.writable === true;
    const window = this.#health.sick ? 1 : this.#window;
    return writable ? Math.max(0, window - this.#outstanding) : 0;
  }

  /** Starts the bind; to be called once. A closed bind cannot be started again. */
  start(): void {
    for (const link of this.#links) link.start();
  }

  /** Ends a pause before the next try to connect. */
  retry(): void {
    for (const link of this.#links) link.retry();
  }

  /** Unbinds and connects once more, without a pause; messages without an answer become `unknown`. */
  async rebind(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.rebind()));
  }

  /** Sends a message, now or not at all; never rejects. The caller keeps to the operator's rate. */
  submit(pdu: PduInput<'submit_sm'>): Promise<SubmitResult> {
    const connection = this.open ? this.#transmitter.connection : null;
    if (this.#closing !== null) return Promise.resolve(notSent('closing', 'the bind is closing'));
    if (connection === null) return Promise.resolve(notSent('not_bound', `the bind is ${this.#state}`));
    if (this.free === 0) return Promise.resolve(notSent('window_full', `${this.#outstanding} wait`));

    this.#count(1);
    const { round } = this.#health;
    return connection.request(pdu).then(
      (outcome) => {
        const result = this.#resultOf(outcome, round, connection);
        this.#count(-1);
        return result;
      },
      (error) => {
        this.#count(-1);
        if (!(error instanceof FieldError)) throw error;
        return notSent('unencodable', error.message);
      },
    );
  }

  /** Takes no more messages, waits for what is under way, unbinds, closes; at most `graceMs` (default 5 000). Called again it may be sooner. */
  close(graceMs = 5_000): Promise<void> {
    if (this.#closing) for (const link of this.#links) link.hurry(graceMs);
    this.#closing ??= Promise.all(this.#links.map((link) => link.close(graceMs))).then(() => {});
    return this.#closing;
  }

  #resultOf(outcome: Outcome, round: number, connection: Connection): SubmitResult {
    if (outcome.kind === 'not_sent') return notSent('not_bound', 'the connection was lost');
    if (outcome.kind === 'unknown') {
      if (outcome.reason === 'timeout') this.#missed(round);
      else this.#lost(round, connection);
      return outcome;
    }
    const { answer, status, rttMs } = outcome;
    this.#answered(status);
    this.#observer.onSubmitRtt?.(rttMs);
    if (statusMeaning(status) === 'throttled') this.#observer.onThrottle?.(status);
    return { kind: 'answered', status, messageId: messageIdOf(answer) };
  }

  /** The SMSC may have lost what it knew of the bind: it is told to forget it, and is left alone as after a lost connection. */
  #missed(round: number): void {
    if (!this.#health.missed(this.#clock.now(), round)) return;
    this.#noteState('messages are left without an answer');
    void this.#transmitter.connection?.unbind(0, 'messages were left without an answer');
  }

  /** However many messages were under way, a lost connection is one failure: an SMSC that restarts takes a whole window with it. */
  #lost(round: number, connection: Connection): void {
    if (connection === this.#lostOn) return;
    this.#lostOn = connection;
    this.#health.missed(this.#clock.now(), round);
  }

  /** That the bind is not known any more (0x04) is no sign of health. */
  #answered(status: number): void {
    if (status === commandStatus.RINVBNDSTS) return;
    this.#health.answered();
    this.#noteState('a message was answered');
  }

  #count(change: 1 | 0 | -1): void {
    this.#outstanding += change;
    this.#observer.onWindow?.(this.#outstanding);
  }

  #noteState(detail: string): void {
    const states = this.#links.map((link) => link.state);
    const worst = worstFirst.find((each) => states.includes(each))!;
    const state = worst === 'bound' && this.#health.sick ? 'sick' : worst;
    if (state === this.#state) return;
    this.#state = state;
    this.#observer.onState?.(state, detail);
  }

  #linkOptions(role: LinkOptions['role'], options: BindOptions): LinkOptions {
    const { host, port, tls = null, connectTimeoutMs = 10_000, clock = systemClock, onLateAnswer } = options;
    return {
      role,
      target: { host, port, tls, connectTimeoutMs },
      credentials: {
        system_id: options.systemId,
        password: options.password,
        system_type: options.systemType ?? '',
        address_range: options.addressRange ?? '',
      },
      backoff: { ...defaultBackoff, ...options.backoff },
      clock,
      random: options.random ?? Math.random,
      open: options.open ?? openTransport,
      onState: (_, detail) => this.#noteState(detail),
      connection: {
        clock,
        responseTimeoutMs: options.responseTimeoutMs ?? 10_000,
        enquireLinkIdleMs: options.enquireLinkIdleMs ?? 25_000,
        enquireLinkMisses: options.enquireLinkMisses ?? 2,
        inactivityMs: options.inactivityMs ?? null,
        maxPduOctets: options.maxPduOctets ?? DEFAULT_LIMIT_OCTETS,
        maxDeliveries: options.maxDeliveries ?? 200,
        deliverTimeoutMs: options.deliverTimeoutMs ?? 60_000,
        onDeliver: options.onDeliver,
        observer: this.#observer,
        onWritable: () => this.#count(0),
        onLateAnswer: (request, answer, status) => {
          if (request.command !== 'submit_sm') return;
          this.#answered(status);
          onLateAnswer?.(request, { status, messageId: messageIdOf(answer) });
        },
      },
    };
  }
}

const messageIdOf = (answer: { command: string; message_id?: string }): string => answer.message_id ?? '';

const notSent = (reason: NotSent['reason'], detail: string): NotSent => ({ kind: 'not_sent', reason, detail });
