// The framer: a byte stream cut into PDUs by command_length (SMPP v3.4 section 3.2). It does not look into PDUs, so that a PDU that
// cannot be decoded never costs the place in the stream.

import { HEADER_OCTETS } from './pdu.ts';

/** Far beyond any real PDU; a longer length means that the stream is not SMPP any more. */
export const DEFAULT_LIMIT_OCTETS = 65_536;

export type FramingFault = { reason: 'length_too_small' | 'length_too_large'; length: number };

export interface Framed {
  /** Whole PDUs, in order; those before a fault are good. */
  frames: Buffer[];
  /** The PDU boundary is lost and cannot be found again: close and reconnect, never search. */
  fault: FramingFault | null;
}

export class Framer {
  readonly #limit: number;
  /** Received and not handed out, kept apart until enough is there: joining at each chunk would be quadratic. */
  #chunks: Buffer[] = [];
  #length = 0;
  /** Octets that must be there before the next look: 4 for a length, then that length. */
  #needed = 4;
  #fault: FramingFault | null = null;

  constructor(limitOctets = DEFAULT_LIMIT_OCTETS) {
    this.#limit = limitOctets;
  }

  push(chunk: Buffer): Framed {
    const frames: Buffer[] = [];
    if (this.#fault !== null) return { frames, fault: this.#fault };
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length >= this.#needed) this.#cut(frames);
    return { frames, fault: this.#fault };
  }

  #cut(frames: Buffer[]): void {
    const buffer = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
    let offset = 0;
    this.#needed = 4;
    while (buffer.length - offset >= 4) {
      const length = buffer.readUInt32BE(offset);
      if (length < HEADER_OCTETS || length > this.#limit) {
        this.#fault = { reason: length < HEADER_OCTETS ? 'length_too_small' : 'length_too_large', length };
        this.#keep(buffer.subarray(0, 0));
        return;
      }
      if (buffer.length - offset < length) {
        this.#needed = length;
        break;
      }
      frames.push(buffer.subarray(offset, offset + length));
      offset += length;
    }
    this.#keep(buffer.subarray(offset));
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
  }
}
