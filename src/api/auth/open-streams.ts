// Streams that are open, by the key they were opened with: a key that is revoked, has expired or belongs to a suspended account
// ends them, as it would refuse a new call.

import type { ConnectError } from '@connectrpc/connect';

export interface OpenStream {
  /** The key, as in the header; never log it. */
  token: string;
  /** Unix ms; null = the key does not expire. */
  expiresAt: number | null;
  end(reason: ConnectError): void;
}

export interface OpenStreamsOptions {
  /** Null while the key is good; otherwise makes the error that says why it is not. Rejects where neither is known. */
  refusalOf(token: string): Promise<(() => ConnectError) | null>;
}

export class OpenStreams {
  readonly #options: OpenStreamsOptions;
  readonly #open = new Set<OpenStream>();
  #pass = 0;
  /** A look was asked for, and some stream has not been judged yet. */
  #pending = false;
  #running = false;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Rises whenever keys may have changed: a key that was authenticated before must be looked at again. */
  get pass(): number {
    return this.#pass;
  }

  /** `pass`: as it was before the key was authenticated. Returns a function that removes the stream. */
  add(stream: OpenStream, pass: number): () => void {
    this.#open.add(stream);
    if (pass !== this.#pass) this.#look();
    return () => this.#open.delete(stream);
  }

  /** Called after each look at the keys. */
  looked({ changed, now }: { changed: boolean; now: number }): void {
    if (changed) this.#pass += 1;
    const due = changed || [...this.#open].some(({ expiresAt }) => expiresAt !== null && expiresAt <= now);
    if (due || this.#pending) this.#look();
  }

  #look(): void {
    this.#pending = true;
    if (!this.#running) void this.#run();
  }

  /** Keys that can't be judged now are asked for again after the next look. */
  async #run(): Promise<void> {
    this.#running = true;
    while (this.#pending) {
      this.#pending = false;
      const tokens = new Set([...this.#open].map(({ token }) => token));
      const judged = await Promise.all([...tokens].map((token) => this.#judge(token)));
      if (!judged.every(Boolean)) {
        this.#pending = true;
        break;
      }
    }
    this.#running = false;
  }

  async #judge(token: string): Promise<boolean> {
    try {
      const refusal = await this.#options.refusalOf(token);
      if (refusal) for (const stream of this.#open) if (stream.token === token) stream.end(refusal());
      return true;
    } catch {
      return false;
    }
  }
}
