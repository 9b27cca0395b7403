// Frames between two processes, and the framer that cuts a byte stream into them. A frame is a length, a kind, a number that ties
// an answer to its question, the sender's clock, and a body of text. The length is bounded, because what lies behind a wrong one is lost.

/** Octets: length of what follows 4, kind 1, number 4, clock 4. */
const headerOctets = 13;
const lengthOctets = 4;
/** Many times the largest session with its history. */
export const maxBodyOctets = 262_144;
/** The longest greeting. It is short, because until the greeting the other end is a stranger. */
export const maxGreetingOctets = 1_024;

/** The numbers are the protocol's: one that was used is never given to another kind. */
const kinds = {
  greeting: 1,
  ask: 2,
  taken: 3,
  answer: 4,
  late: 5,
  failed: 6,
  ping: 7,
  leaving: 8,
  stopped: 9,
} as const;
export type FrameKind = keyof typeof kinds;
const kindOf = new Map<number, FrameKind>(Object.entries(kinds).map(([name, number]) => [number, name as FrameKind]));

export interface Frame {
  kind: FrameKind;
  /** Of the question; in `taken` the highest one that was read. From 0 to 2³² − 1. */
  number: number;
  /** The sender's clock as the frame was written: ms modulo 2³², from any beginning. */
  at: number;
  body: string;
}

export type FrameFault = 'too_small' | 'too_large' | 'unknown_kind';

/** Frames one behind the other, as they are written in one piece. */
export function encodeFrames(frames: readonly Frame[]): Buffer {
  const sizes = frames.map(({ body }) => headerOctets + Buffer.byteLength(body));
  const out = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [index, frame] of frames.entries()) {
    const size = sizes[index] as number;
    out.writeUInt32BE(size - lengthOctets, at);
    out.writeUInt8(kinds[frame.kind], at + 4);
    out.writeUInt32BE(frame.number, at + 5);
    out.writeUInt32BE(frame.at >>> 0, at + 9);
    out.write(frame.body, at + headerOctets);
    at += size;
  }
  return out;
}

export class Framer {
  /** Longest body from now on, octets. */
  mostOctets = maxGreetingOctets;
  /** Received and not cut yet, kept apart until a whole frame is there: joining at each chunk would be quadratic. */
  #chunks: Buffer[] = [];
  #held = 0;
  #needed = headerOctets;
  #fault: FrameFault | null = null;

  /** The fault after which nothing is read any more. */
  get fault(): FrameFault | null {
    return this.#fault;
  }

  /** Hands over each whole frame in its order, until there is none or a fault; the frames before a fault are good. */
  push(chunk: Buffer, take: (frame: Frame) => void): void {
    if (this.#fault) return;
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held < this.#needed) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#held);
    let at = 0;
    for (;;) {
      const octets = this.#frameAt(bytes, at, take);
      if (octets === 0) break;
      at += octets;
    }
    const rest = this.#fault ? bytes.subarray(0, 0) : bytes.subarray(at);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#held = rest.length;
  }

  /** The octets of the frame that was handed over; 0 where the rest is less than a frame, or a fault. */
  #frameAt(bytes: Buffer, at: number, take: (frame: Frame) => void): number {
    const left = bytes.length - at;
    this.#needed = headerOctets;
    if (left < lengthOctets) return 0;
    const size = lengthOctets + bytes.readUInt32BE(at);
    // Before the rest is there: nobody makes this process hold more than one frame.
    if (size < headerOctets) this.#fault = 'too_small';
    else if (size - headerOctets > this.mostOctets) this.#fault = 'too_large';
    if (this.#fault) return 0;
    if (left < size) {
      this.#needed = size;
      return 0;
    }
    const kind = kindOf.get(bytes.readUInt8(at + 4));
    if (kind === undefined) {
      this.#fault = 'unknown_kind';
      return 0;
    }
    const body = bytes.toString('utf8', at + headerOctets, at + size);
    take({ kind, number: bytes.readUInt32BE(at + 5), at: bytes.readUInt32BE(at + 9), body });
    return size;
  }
}
