// Whether an operator is there to be sent to: its binds here and in other processes, and what its settings say. A leg for an operator
// that is not is skipped, so that nobody waits for what can't come. Times are arguments, in Unix ms.

import type { OperatorConfig } from '../../config.ts';

type Settings = Pick<OperatorConfig, 'enabled' | 'maintenance' | 'downAfterSeconds'>;

/** The binds of this process that the operator's messages could go by. */
export interface Binds {
  /** One of them takes messages now. */
  up: boolean;
  /** There are some, and all of them are refused for good. */
  refused: boolean;
}

export type SkipReason = 'operator_down' | 'operator_maintenance';

export class Standing {
  /** When it was last seen up; at first, when this process began to look. */
  #upAt: number;
  #upHere = false;
  #upElsewhere = false;
  #refused = false;

  constructor(now: number) {
    this.#upAt = now;
  }

  /** To be called whenever a bind of this process changes. */
  seeBinds({ up, refused }: Binds, now: number): void {
    this.#keepTime(now);
    this.#upHere = up;
    this.#refused = refused;
    this.#keepTime(now);
  }

  /** What the pulse has found: whether another process has a bind that is up. */
  seeElsewhere(up: boolean, now: number): void {
    this.#keepTime(now);
    this.#upElsewhere = up;
    this.#keepTime(now);
  }

  get isUpElsewhere(): boolean {
    return this.#upElsewhere;
  }

  isDown({ downAfterSeconds }: Settings, now: number): boolean {
    if (this.#isUp) return false;
    // A clock that was set back must not keep a dead operator alive.
    this.#upAt = Math.min(this.#upAt, now);
    return this.#refused || now - this.#upAt >= downAfterSeconds * 1000;
  }

  /** Why no message is to wait for the operator; null where it is there, or may be back in a moment. */
  skips(settings: Settings, now: number): SkipReason | null {
    const { enabled, maintenance } = settings;
    if (!enabled || maintenance.some(({ from, to }) => now >= Date.parse(from) && now < Date.parse(to)))
      return 'operator_maintenance';
    return this.isDown(settings, now) ? 'operator_down' : null;
  }

  get #isUp(): boolean {
    return this.#upHere || this.#upElsewhere;
  }

  #keepTime(now: number): void {
    if (this.#isUp) this.#upAt = now;
  }
}
