// What one end of a connection writes: frames leave at the end of the turn, in one piece, and with them what says which questions were read.

import type { Duplex } from 'node:stream';
import { encodeFrames, type Frame, type FrameKind } from './frame.ts';

/**
 * What was read is said to be taken after this part of `takenMs`, or sooner with whatever else leaves: mostly that is its answer. A frame of its
 * own for each question would wake its reader a second time.
 */
const takenSoon = 10;

export class Outbox {
  readonly #socket: Duplex;
  readonly #now: () => number;
  readonly #takenMs: number;
  #frames: Frame[] = [];
  #isLeaving = false;
  #isClosed = false;
  /** Highest number read and not yet said to be taken. */
  #toTake: number | null = null;
  /** Rings when that is said at the latest. */
  #taking: NodeJS.Timeout | undefined;

  constructor(socket: Duplex, { now, takenMs }: { now(): number; takenMs: number }) {
    this.#socket = socket;
    this.#now = now;
    this.#takenMs = takenMs;
  }

  send(kind: FrameKind, number: number, body = ''): void {
    if (this.#isClosed) return;
    this.#frames.push({ kind, number, at: Math.floor(this.#now()), body });
    this.#leaveSoon();
  }

  /** The question was read. */
  take(number: number): void {
    if (this.#toTake === null) this.#taking = setTimeout(() => this.#leaveSoon(), this.#takenMs / takenSoon);
    this.#toTake = number;
  }

  /** Writes nothing more behind what leaves at the end of this turn, and says so. */
  end(): void {
    setImmediate(() => {
      if (!this.#isClosed) this.#socket.end();
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#taking);
  }

  #leaveSoon(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    setImmediate(() => {
      this.#isLeaving = false;
      if (this.#isClosed) return;
      const at = Math.floor(this.#now());
      if (this.#toTake !== null) this.#frames.push({ kind: 'taken', number: this.#toTake, at, body: '' });
      this.#toTake = null;
      clearTimeout(this.#taking);
      const frames = this.#frames.splice(0);
      // Behind the end nothing is written, not even that a ping was read.
      if (frames.length > 0 && this.#socket.writable) this.#socket.write(encodeFrames(frames));
    });
  }
}
