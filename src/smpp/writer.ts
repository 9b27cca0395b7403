// Outgoing PDUs: what is written in one turn of the event loop leaves in one system call, and nothing more is handed to a
// stream that can't take it. Knows which requests have not left yet: those may be sent elsewhere.

import type { Duplex } from 'node:stream';

export class Writer {
  readonly #stream: Duplex;
  readonly #onBlocked: (blocked: boolean) => void;
  #frames: Buffer[] = [];
  /** Of the requests among the frames. */
  #sequences: number[] = [];
  #scheduled = false;
  #blocked = false;
  #stopped = false;

  constructor(stream: Duplex, onBlocked: (blocked: boolean) => void) {
    this.#stream = stream;
    this.#onBlocked = onBlocked;
    stream.on('drain', () => {
      this.#block(false);
      this.flush();
    });
  }

  /** The stream's buffer is full: the other side is slow to read. */
  get blocked(): boolean {
    return this.#blocked;
  }

  /** `sequence`: of a request; 0 for an answer. */
  write(frame: Buffer, sequence = 0): void {
    if (this.#stopped) return;
    this.#frames.push(frame);
    if (sequence > 0) this.#sequences.push(sequence);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** Hands over at once what waits, unless the stream is full. */
  flush(): void {
    if (this.#blocked || this.#stopped || this.#frames.length === 0) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#sequences = [];
    if (!this.#stream.write(frames.length === 1 ? frames[0] : Buffer.concat(frames))) this.#block(true);
  }

  /** Nothing is written from now on. Returns the requests that never reached the stream. */
  stop(): Set<number> {
    this.#stopped = true;
    return new Set(this.#sequences);
  }

  #block(blocked: boolean): void {
    this.#blocked = blocked;
    this.#onBlocked(blocked);
  }
}
