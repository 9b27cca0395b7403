// Port pairs of the configured range: an even port for RTP and the odd one above it for RTCP (RFC 3550 section 11), one pair for each
// call.

export interface PortRange {
  /** First and last UDP port, both included. */
  from: number;
  to: number;
}

/** An even port; its RTCP has the port above it. */
type RtpPort = number;

export class PortPairs {
  readonly size: number;
  /** The pair that was given back longest ago comes first, so that late packets of a call that is over meet a closed port. */
  readonly #free: RtpPort[] = [];
  readonly #taken = new Set<RtpPort>();

  constructor({ from, to }: PortRange) {
    for (let port = from + (from % 2); port + 1 <= to; port += 2) this.#free.push(port);
    this.size = this.#free.length;
  }

  /** Null: every pair is taken. */
  take(): RtpPort | null {
    const port = this.#free.shift();
    if (port === undefined) return null;
    this.#taken.add(port);
    return port;
  }

  /** A port that is not taken is none of ours, or was given back before. */
  giveBack(port: RtpPort): void {
    if (this.#taken.delete(port)) this.#free.push(port);
  }

  get free(): number {
    return this.#free.length;
  }
}
