// The parts of a process in the order they start. They stop in the reverse of it, whether the process ends or one of them
// could not start: one list for both, so that no part is forgotten in one of them.

import { Refused } from '../core/refused.ts';

/** A reason not to start. */
export class StartRefused extends Refused {
  override name = 'StartRefused';
}

export interface Part {
  name: string;
  start?(): Promise<unknown>;
  stop?(): Promise<unknown>;
}

export interface LifecycleOptions {
  /** A part that fails to stop keeps no other from stopping. */
  onError(error: unknown, about: { part: string }): void;
}

export class Lifecycle {
  readonly #parts: readonly Part[];
  readonly #options: LifecycleOptions;
  #started: Part[] = [];
  #stopping: Promise<void> | undefined;

  constructor(parts: readonly Part[], options: LifecycleOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Starts one part after another. @throws what a part throws; the parts before it have been stopped then. */
  async start(): Promise<void> {
    for (const part of this.#parts) {
      try {
        await part.start?.();
      } catch (error) {
        await this.stop();
        throw error;
      }
      this.#started.push(part);
    }
  }

  /** Stops what was started, the last part first. A second call waits for the same end. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    for (const part of this.#started.splice(0).reverse()) {
      try {
        await part.stop?.();
      } catch (error) {
        this.#options.onError(error, { part: part.name });
      }
    }
  }
}
