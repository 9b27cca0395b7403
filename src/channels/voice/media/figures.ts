// Counts of the media thread, in memory that both threads see: what was sent and received, and how late frames left. A message for each
// would cost more than the frame. The media thread alone counts, and the main thread reads; the one word that both write is the longest gap,
// which is 0 again once it was read.

const names = ['sent', 'received', 'strangers', 'malformed', 'refused', 'gapUs'] as const;
type Name = (typeof names)[number];
const gapAt = names.indexOf('gapUs');

/** Width of a class of lateness, ms. */
export const classMs = 0.1;
/** The last one holds all that was later than 100 ms. */
const classes = 1_001;

export interface MediaFigures {
  /** RTP packets. */
  sent: number;
  received: number;
  /** Of those received: from addresses that are not the peer's, and what was no RTP. */
  strangers: number;
  malformed: number;
  /** Packets that the system did not take. */
  refused: number;
  /** Longest time between two packets of one call since the figures were last read, ms. */
  gapMs: number;
  /** How many packets left so late: entry n counts those from n to n + 1 tenths of a millisecond, the last all later ones. */
  lateness: readonly number[];
}

export class Figures {
  readonly #counts: Uint32Array;
  readonly shared: SharedArrayBuffer;

  constructor(shared = new SharedArrayBuffer((names.length + classes) * 4)) {
    this.shared = shared;
    this.#counts = new Uint32Array(shared);
  }

  /** Only the media thread writes. */
  add(name: Exclude<Name, 'gapUs'>, count = 1): void {
    this.#counts[names.indexOf(name)]! += count;
  }

  sent(lateMs: number, gapMs: number): void {
    this.#counts[0]! += 1;
    this.#counts[names.length + Math.min(classes - 1, Math.floor(lateMs / classMs))]! += 1;
    const gapUs = Math.round(gapMs * 1000);
    // Where the main thread has read it in between, this gap is the first one since.
    if (gapUs > Atomics.load(this.#counts, gapAt)) Atomics.store(this.#counts, gapAt, gapUs);
  }

  read(): MediaFigures {
    const of = (name: Name): number => this.#counts[names.indexOf(name)] ?? 0;
    return {
      sent: of('sent'),
      received: of('received'),
      strangers: of('strangers'),
      malformed: of('malformed'),
      refused: of('refused'),
      // In one step: what the media thread writes after it is in the next figures.
      gapMs: Atomics.exchange(this.#counts, gapAt, 0) / 1000,
      lateness: [...this.#counts.subarray(names.length)],
    };
  }
}
