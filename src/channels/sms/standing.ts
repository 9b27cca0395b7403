// Whether an operator is there to be sent to: its binds here and in other processes, what it answers on them, and what its settings say. A leg
// for an operator that is not is skipped, so that nobody waits for what can't come. Times are arguments, in Unix ms.

import type { OperatorConfig } from '../../config.ts';
import { elapsedMs, isAhead } from '../../time/wall-clock.ts';

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
  readonly #putOff = new PutOffs();

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

  /** It has accepted a message. */
  seeAccepted(): void {
    this.#putOff.end();
  }

  /** This process asks it no more: what it answered here last is of no more use. */
  forgetAnswers(): void {
    this.#putOff.end();
  }

  /** It has put a message to this destination off. */
  seePutOff(to: string, now: number): void {
    this.#putOff.add(to, now);
  }

  /** Whether it puts everything off, and is not to be tried now. */
  acceptsNothing(now: number): boolean {
    return this.#putOff.isResting(now);
  }

  /** Whether the last messages that it was offered were all put off, also while it is tried again. */
  get hasRested(): boolean {
    return this.#putOff.hasRested;
  }

  get isUpElsewhere(): boolean {
    return this.#upElsewhere;
  }

  isDown({ downAfterSeconds }: Settings, now: number): boolean {
    if (this.acceptsNothing(now)) return true;
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

/** How long an SMSC has to put off everything before nothing waits for it any more: less than an SMS leg usually lasts. */
const putOffMs = 10_000;
/** How many destinations that has to be said of: the queue of one phone may be full for hours. */
const destinations = 3;
/** How long the SMSC is then left alone, until messages are offered once more; after as long without a message the count begins again. */
const restMs = 30_000;

/** An SMSC with working binds that accepts nothing, because the system behind it is dead: what it has put off since it last accepted a message. */
class PutOffs {
  /** Since the SMSC last accepted a message, or last rested. */
  readonly #destinations = new Set<string>();
  #since = 0;
  #last = Number.NEGATIVE_INFINITY;
  #restUntil = Number.NEGATIVE_INFINITY;

  end(): void {
    this.#destinations.clear();
    this.#last = Number.NEGATIVE_INFINITY;
    this.#restUntil = Number.NEGATIVE_INFINITY;
  }

  /** After a rest the time has passed already: as many destinations are enough for the next. */
  add(to: string, now: number): void {
    if (this.isResting(now)) return;
    this.#restUntil = Math.min(this.#restUntil, now); // A clock that was set back.
    if (elapsedMs(Math.max(this.#last, this.#restUntil), now) > restMs) {
      this.#destinations.clear();
      this.#since = now;
    }
    this.#last = now;
    if (this.#destinations.size < destinations) this.#destinations.add(to);
    if (this.#destinations.size < destinations || elapsedMs(this.#since, now) < putOffMs) return;
    this.#destinations.clear();
    this.#restUntil = now + restMs;
  }

  /** Without a message accepted since. */
  get hasRested(): boolean {
    return this.#restUntil > Number.NEGATIVE_INFINITY;
  }

  isResting(now: number): boolean {
    return isAhead(this.#restUntil, now, restMs);
  }
}
