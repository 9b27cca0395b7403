// The framer: a stream of TCP or TLS cut into SIP messages by Content-Length (RFC 3261 section 18.3). CRLFs between messages are
// keep-alives (RFC 5626 section 3.5.1). Once a boundary is lost it cannot be found again: close and reconnect, never search.

import { contentLengthOf, MAX_MESSAGE_OCTETS, parseHead } from './message.ts';

const [CR, LF] = [0x0d, 0x0a];

/** Whether it could be one, of any version: what it says is for the reader. */
const START_LINE = /^SIP\/|[ \t]SIP\/\d+\.\d+[ \t]*$/i;

/** `not_sip`: a head that is none, or has more than 256 headers. `content_length`: no length, or two of them. */
export type FramingFault = 'too_large' | 'content_length' | 'not_sip';

export class Framer {
  readonly #limit: number;
  /** Received octets; those from #start to #end are not handed out yet, and the others are never written over. */
  #buffer = Buffer.allocUnsafe(4_096);
  #start = 0;
  #end = 0;
  /** Up to here no empty line was found: looking at an octet twice would be quadratic on a stream of single octets. */
  #looked = 0;
  /** Octets of the message whose head is complete; 0 before that. */
  #wanted = 0;
  #broken: FramingFault | null = null;
  #keepAlives = 0;

  constructor(limitOctets = MAX_MESSAGE_OCTETS) {
    this.#limit = limitOctets;
  }

  /** Why no more messages come out; null while all is well. */
  get broken(): FramingFault | null {
    return this.#broken;
  }

  /** CRLFs seen between messages: a connection that sends them is alive. */
  get keepAlives(): number {
    return this.#keepAlives;
  }

  /** Whole messages, in order. Those before a fault are good; after it nothing comes any more. */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    if (this.#broken !== null) return messages;
    this.#append(chunk);
    for (let message = this.#next(); message !== null; message = this.#next()) messages.push(message);
    if (this.#broken !== null) this.#buffer = Buffer.alloc(0);
    return messages;
  }

  #append(chunk: Buffer): void {
    const waiting = this.#end - this.#start;
    if (this.#end + chunk.length > this.#buffer.length) {
      const roomier = Buffer.allocUnsafe(Math.max(4_096, 2 * (waiting + chunk.length)));
      this.#buffer.copy(roomier, 0, this.#start, this.#end);
      this.#buffer = roomier;
      this.#looked -= this.#start;
      this.#start = 0;
      this.#end = waiting;
    }
    chunk.copy(this.#buffer, this.#end);
    this.#end += chunk.length;
  }

  #next(): Buffer | null {
    if (this.#wanted === 0 && !this.#readHead()) return null;
    if (this.#end - this.#start < this.#wanted) return null;
    const message = this.#buffer.subarray(this.#start, this.#start + this.#wanted);
    this.#start += this.#wanted;
    this.#looked = this.#start;
    this.#wanted = 0;
    return message;
  }

  /** Sets #wanted once the head is complete; false while it is not, or where the stream is broken. */
  #readHead(): boolean {
    this.#skipKeepAlives();
    const headEnd = this.#findEmptyLine();
    if ((headEnd < 0 ? this.#end : headEnd) - this.#start > this.#limit) this.#broken = 'too_large';
    if (headEnd < 0 || this.#broken !== null) return false;
    const head = parseHead(this.#buffer.toString('latin1', this.#start, headEnd));
    // RFC 3261 asks for Content-Length on a stream; without one there is no body, and a body would not pass for a start line.
    const length = (head && contentLengthOf(head.headers)) ?? 0;
    if (head === null || !START_LINE.test(head.startLine)) this.#broken = 'not_sip';
    else if (length < 0) this.#broken = 'content_length';
    else if (headEnd - this.#start + length > this.#limit) this.#broken = 'too_large';
    else this.#wanted = headEnd - this.#start + length;
    return this.#wanted > 0;
  }

  #skipKeepAlives(): void {
    for (; this.#start < this.#end; this.#start += 1) {
      const octet = this.#buffer[this.#start];
      if (octet === LF) this.#keepAlives += 1;
      else if (octet !== CR) break;
    }
    this.#looked = Math.max(this.#looked, this.#start);
  }

  /** The place behind the empty line that ends the head, or -1. */
  #findEmptyLine(): number {
    const received = this.#buffer.subarray(0, this.#end);
    for (;;) {
      const line = received.indexOf(LF, this.#looked);
      if (line < 0) {
        this.#looked = this.#end;
        return -1;
      }
      const after = received[line + 1] === CR ? line + 2 : line + 1;
      if (after >= this.#end) {
        this.#looked = line;
        return -1;
      }
      if (received[after] === LF) return after + 1;
      this.#looked = line + 1;
    }
  }
}
