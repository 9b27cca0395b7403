// Keys as telephone events (RFC 4733): one key is some ten packets, of which any may be lost, repeated or late. A key counts with the
// first packet that arrives of it, so that a lost start costs nothing.

const digits = '0123456789*#ABCD';

/**
 * Two presses of one key lie at least 40 ms apart (ITU-T Q.24), in samples less a fourth. What begins earlier after an event's last known
 * end belongs to the event: a key held for more than 8 s goes on under a new timestamp (RFC 4733 section 2.5.1.3), and there are
 * gateways that raise the timestamp with each packet.
 */
const sameEventSamples = 240;

/** Events that late packets can still belong to. */
const remembered = 8;

interface Event {
  code: number;
  /** RTP timestamp of its beginning. */
  timestamp: number;
  /** Longest one that was heard, in samples. */
  duration: number;
}

export class KeyReader {
  readonly #events: Event[] = [];

  /**
   * The payload of one packet → the key, `0`-`9`, `*`, `#`, `A`-`D`, where the packet is the first of it; else null. Only the first event of
   * a packet is read: behind it, some senders pad with zeros, which would be the key 0.
   */
  take(payload: Uint8Array, timestamp: number): string | null {
    const [code = digits.length, , high = 0, low = 0] = payload;
    const digit = digits[code];
    if (payload.length < 4 || digit === undefined) return null;
    const duration = (high << 8) | low;
    const known = this.#events.find((event) => event.code === code && isPartOf(event, timestamp, duration));
    if (known) {
      known.duration = Math.max(known.duration, distance(known.timestamp, timestamp) + duration);
      return null;
    }
    this.#events.push({ code, timestamp, duration });
    if (this.#events.length > remembered) this.#events.shift();
    return digit;
  }
}

/** Whether what is said to begin at `timestamp` overlaps the event, or all but touches it. */
function isPartOf(event: Event, timestamp: number, duration: number): boolean {
  const after = distance(event.timestamp, timestamp);
  return after <= event.duration + sameEventSamples && after + duration >= -sameEventSamples;
}

/** From one timestamp to another, in samples; they wrap around at 2³². */
const distance = (from: number, to: number): number => (to - from) | 0;
