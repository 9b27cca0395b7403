// One bound connection that keeps itself alive: it connects, binds, and reconnects when it is cut, with new objects each time, so
// that no state of a lost connection is left. A bind (bind.ts) has one link, or a pair.

import { encodePdu } from './codec.ts';
import { Connection } from './connection.ts';
import type { ConnectionOptions } from './connection-options.ts';
import type { BindState } from './observer.ts';
import { INTERFACE_VERSION, type PduInput, type Request } from './pdu.ts';
import { statusName } from './status.ts';
import { type BackoffOptions, type Clock, Failures, type Pause, pauseAfter } from './timers.ts';
import type { Opener, Target } from './transport.ts';

export interface LinkOptions {
  role: 'transceiver' | 'transmitter' | 'receiver';
  target: Target;
  credentials: { system_id: string; password: string; system_type: string; address_range: string };
  backoff: BackoffOptions;
  connection: ConnectionOptions;
  clock: Clock;
  /** From 0 to 1. */
  random(): number;
  open: Opener;
  onState(state: BindState, detail: string): void;
}

/** Why a try or a bound connection ended. */
interface Failure {
  /** command_status with which the SMSC refused the bind; null when it did not. */
  status: number | null;
  detail: string;
  /** How long it was bound. */
  boundMs: number;
}

export class Link {
  readonly #options: LinkOptions;
  readonly #stop = new AbortController();
  #state: BindState = 'closed';
  #connection: Connection | null = null;
  /** One whose bind the SMSC has not answered. */
  #binding: Connection | null = null;
  #running: Promise<void> = Promise.resolve();
  #endRest: () => void = () => {};
  /** When a close under way ends at the latest. */
  #closesBy = 0;
  /** No pause follows the connection that is about to end. */
  #skipsRest = false;

  /** @throws FieldError for credentials that cannot be written: it is better to fail now than at each try. */
  constructor(options: LinkOptions) {
    this.#options = options;
    encodePdu(bindRequest(options));
  }

  get state(): BindState {
    return this.#state;
  }

  /** The bound connection; null in every state but `bound`. */
  get connection(): Connection | null {
    return this.#state === 'bound' ? this.#connection : null;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends a pause: the next try is now. */
  retry(): void {
    this.#endRest();
  }

  /** Says unbind, without waiting for an answer, and connects once more at once. What is under way becomes `unknown`. */
  async rebind(): Promise<void> {
    const { connection } = this;
    if (connection === null) return this.retry();
    this.#skipsRest = true;
    await connection.unbind(0, 'it was asked for');
  }

  /**
   * Waits until nothing is under way, unbinds and closes; never longer than `graceMs`. Requests still unanswered then are
   * `unknown`. A bind without an answer is waited for, too: a slow SMSC would take it after its end, and count it beside the one that
   * another process then opens in its place.
   */
  async close(graceMs: number): Promise<void> {
    const { clock } = this.#options;
    const connection = this.connection ?? this.#binding;
    const until = clock.now() + graceMs;
    this.#closesBy = until;
    this.#setState('closing', 'close was called');
    if (connection !== null) {
      // Messages may come without a pause until unbind is said: half of the time is left for them. An answer is waited for as long as can be,
      // since a message without one is in doubt.
      await connection.idle(graceMs / 2);
      await connection.answered(until - clock.now());
      await connection.unbind(Math.max(0, until - clock.now()));
    }
    this.#stop.abort();
    await this.#running;
    this.#setState('closed', 'close was called');
  }

  /** A close under way ends after `graceMs`, where it would last longer. */
  hurry(graceMs: number): void {
    const { clock } = this.#options;
    const by = clock.now() + graceMs;
    if (by >= this.#closesBy) return;
    this.#closesBy = by;
    const connection = this.#connection ?? this.#binding;
    const timer = clock.setTimer(() => {
      void connection?.unbind(0, 'close was called');
      this.#stop.abort();
    }, graceMs);
    void this.#running.finally(timer.clear);
  }

  async #run(): Promise<void> {
    const failures = new Failures();
    while (!this.#stop.signal.aborted) {
      this.#setState('connecting', this.#options.role);
      const { status, detail, boundMs } = await this.#connectAndStay();
      if (this.#state === 'closing') return;

      const { backoff, random } = this.#options;
      failures.add(status, boundMs >= backoff.stableMs);
      const skipsRest = this.#skipsRest;
      this.#skipsRest = false;
      if (!skipsRest) await this.#rest(pauseAfter(status, failures, random(), backoff), detail);
    }
  }

  /** Resolves when the connection is over, whether it was bound or not. */
  async #connectAndStay(): Promise<Failure> {
    const { target, clock, open, connection: options } = this.#options;
    const opened = await open(target, clock, this.#stop.signal);
    if (opened.kind === 'failed') return { status: null, detail: opened.detail, boundMs: 0 };

    const connection = new Connection(opened.stream, options);
    const abort = (): void => connection.destroy({ kind: 'closed_by_us', detail: 'close was called' });
    this.#stop.signal.addEventListener('abort', abort);
    try {
      if (this.#stop.signal.aborted) abort();
      this.#binding = connection;
      const refusal = await this.#bind(connection);
      this.#binding = null;
      if (refusal !== null) {
        abort();
        return refusal;
      }
      this.#connection = connection;
      const boundAt = clock.now();
      this.#setState('bound', this.#options.role);
      const { kind, detail } = await connection.closed;
      return { status: null, detail: `${kind}: ${detail}`, boundMs: clock.now() - boundAt };
    } finally {
      this.#connection = null;
      this.#stop.signal.removeEventListener('abort', abort);
    }
  }

  /** Null when bound. */
  async #bind(connection: Connection): Promise<Failure | null> {
    const outcome = await connection.request(bindRequest(this.#options));
    if (outcome.kind !== 'answered') return { status: null, detail: 'the bind was not answered', boundMs: 0 };
    const { status } = outcome;
    return status === 0 ? null : { status, detail: statusName(status), boundMs: 0 };
  }

  #rest(pause: Pause, detail: string): Promise<void> {
    this.#setState(pause.alarm ? 'alarm' : 'backing_off', detail);
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const done = (): void => {
        timer.clear();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#options.clock.setTimer(done, pause.ms);
      signal.addEventListener('abort', done);
      this.#endRest = done;
    });
  }

  #setState(state: BindState, detail: string): void {
    // A closing link reports nothing more but `closed`.
    if (this.#state === 'closing' && state !== 'closed') return;
    this.#state = state;
    this.#options.onState(state, detail);
  }
}

const bindRequest = ({ role, credentials }: LinkOptions): PduInput<Request> => ({
  command: `bind_${role}`,
  ...credentials,
  interface_version: INTERFACE_VERSION,
});
