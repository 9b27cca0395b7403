// The end of a connection by which no question is lost. The end that leaves says so; the other one asks nothing from there on, and says that.
// What it had asked before is answered first. Without that a question on its way to a process that ends would have no answer, and a message that
// was handed over in it would be in doubt.

import { isDoneWithin } from '../time/alarm.ts';

/** How long a process that ends waits for its last answers to be on their way, ms. */
const leaveMs = 500;

interface Left {
  readonly isAwake: boolean;
  leave(): Promise<void>;
}

/**
 * Leaves each connection whose peer is heard. Resolves when all of those have ended, or have taken too long: the caller closes what remains.
 */
export async function leaveAll(connections: Iterable<Left>): Promise<void> {
  const leaving = [...connections].filter(({ isAwake }) => isAwake).map((connection) => connection.leave());
  if (leaving.length > 0) await isDoneWithin(Promise.all(leaving), leaveMs);
}

export class Leaving {
  /** Questions of the other end that are being worked on here. */
  #working = 0;
  #isLeaving = false;
  #hasPeerStopped = false;
  readonly #isAnswered: () => boolean;
  readonly #last: () => void;

  /**
   * @param isAnswered whether this end waits for no answer.
   * @param last called once this end leaves, nothing more will be asked of it, and all questions of both ends are answered.
   */
  constructor(isAnswered: () => boolean, last: () => void) {
    this.#isAnswered = isAnswered;
    this.#last = last;
  }

  /** Whether this end leaves, and asks nothing more. */
  get isBegun(): boolean {
    return this.#isLeaving;
  }

  /** This end leaves: the other one has been asked to stop. */
  begin(): void {
    this.#isLeaving = true;
  }

  /** The other end asks nothing more. */
  peerStopped(): void {
    this.#hasPeerStopped = true;
    this.look();
  }

  /** The other end has asked something, which is answered later. */
  asked(): void {
    this.#working += 1;
  }

  /** Such a question is answered. */
  answered(): void {
    this.#working -= 1;
    this.look();
  }

  /** To be called when an answer has come. */
  look(): void {
    if (this.#isLeaving && this.#hasPeerStopped && this.#working === 0 && this.#isAnswered()) this.#last();
  }
}
