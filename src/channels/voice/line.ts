// The signalling of one trunk: its endpoint, opened again until it opens, and the OPTIONS that find out whether the trunk is there. A trunk
// whose connection settings change gets a new line; the old one stays until its last call is over.

import { setTimeout as pauseFor } from 'node:timers/promises';
import type { TrunkConfig } from '../../config.ts';
import { type DropReason, Endpoint, type EndpointOptions, parseTrunkAddress } from '../../sip/index.ts';

export interface LineObserver {
  /** The trunk is there again, or is not, with the reason. Only changes are reported; it counts as there until it was found not to be. */
  onTrunk?(trunk: string, isUp: boolean, why: string): void;
  /** A datagram or message at a trunk's port was passed over. */
  onDropped?(trunk: string, why: DropReason): void;
}

/** How long an answer to OPTIONS is waited for: some repetitions over UDP. */
const pingTimeoutMs = 5_000;
/** Between two looks at a trunk that is down, where the configuration does not ask more often. */
const downEveryMs = 5_000;
/** Between two tries to open the local port, which an old line may still have. */
const reopenMs = 1_000;
/** How long a closing line waits for the answers to its last requests. */
const closeGraceMs = 2_000;

export class Line {
  #config: TrunkConfig;
  readonly #endpoint: Endpoint;
  readonly #observer: LineObserver;
  readonly #closing = new AbortController();
  #woken = new AbortController();
  #isOpen = false;
  #isUp = true;
  #calls = 0;
  #isRetired = false;
  #closed: Promise<void> | null = null;
  readonly #tried = Promise.withResolvers<void>();
  readonly #watching: Promise<void>;

  constructor(config: TrunkConfig, observer: LineObserver, extra: Partial<EndpointOptions> = {}) {
    this.#config = config;
    this.#observer = observer;
    const onDropped = (why: DropReason) => observer.onDropped?.(config.name, why);
    this.#endpoint = new Endpoint({ ...endpointOptions(config), onDropped, ...extra });
    this.#watching = this.#watch();
  }

  get config(): TrunkConfig {
    return this.#config;
  }

  get endpoint(): Endpoint {
    return this.#endpoint;
  }

  /** Whether the local port is ours; waits for the first try to open it. */
  async isOpen(): Promise<boolean> {
    await this.#tried.promise;
    return this.#isOpen && !this.#closing.signal.aborted;
  }

  /** Settings that need no other connection. */
  configure(config: TrunkConfig): void {
    this.#config = config;
    this.#woken.abort();
  }

  began(): void {
    this.#calls += 1;
  }

  over(): void {
    this.#calls -= 1;
    if (this.#isRetired && this.#calls === 0) void this.close();
  }

  /** Takes no further calls; closes once the last one is over. */
  retire(): void {
    this.#isRetired = true;
    this.#closing.abort();
    if (this.#calls === 0) void this.close();
  }

  /** Ends every call and closes the port. */
  close(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= this.#endpoint.close(closeGraceMs).then(() => this.#watching);
    return this.#closed;
  }

  get isClosing(): boolean {
    return this.#closed !== null;
  }

  async #watch(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      this.#woken = new AbortController();
      await this.#pause(await this.#look().catch((error: unknown) => this.#failed(error)));
    }
  }

  /** A fault of ours must not leave the trunk unwatched. */
  #failed(error: unknown): number {
    this.#tried.resolve();
    this.#found(false, String(error));
    return downEveryMs;
  }

  /** Opens the port, or asks whether the trunk is there. Returns how long to wait before the next look; null = until the settings change. */
  async #look(): Promise<number | null> {
    if (!this.#isOpen) {
      const opened = await this.#endpoint.open();
      this.#isOpen = opened.kind === 'open';
      this.#tried.resolve();
      if (opened.kind === 'failed') {
        this.#found(false, `our own port can't be opened: ${opened.why}`);
        return reopenMs;
      }
    }
    const { optionsSeconds } = this.#config;
    if (optionsSeconds === 0) {
      this.#found(true, 'it is not asked by OPTIONS');
      return null;
    }
    const answer = await this.#endpoint.ping(pingTimeoutMs);
    if (this.#closing.signal.aborted) return 0;
    this.#found(answer.kind === 'up', answer.kind === 'up' ? `OPTIONS was answered ${answer.status}` : answer.why);
    return answer.kind === 'up' ? optionsSeconds * 1000 : Math.min(optionsSeconds * 1000, downEveryMs);
  }

  #found(isUp: boolean, why: string): void {
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    this.#observer.onTrunk?.(this.#config.name, isUp, why);
  }

  async #pause(ms: number | null): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, this.#woken.signal]);
    // The longest that a timer takes; rejects when the line closes or is configured.
    await pauseFor(ms ?? 2 ** 31 - 1, undefined, { signal, ref: false }).catch(() => {});
  }
}

function endpointOptions(config: TrunkConfig): EndpointOptions {
  const { address, alsoFrom, transport, tls, local, advertise, domain } = config;
  // The configuration lets no other form of it through.
  const trunk = parseTrunkAddress(address) ?? { host: address, port: null };
  return {
    trunk,
    alsoFrom,
    transport,
    local: { host: local.host === '0.0.0.0' ? '' : local.host, port: local.port },
    advertise: advertise === null ? null : { host: advertise, port: null },
    domain,
    tls: {
      ca: tls?.ca ?? undefined,
      servername: tls?.servername ?? undefined,
      rejectUnauthorized: tls?.rejectUnauthorized ?? true,
    },
  };
}
