// The RTP stream that comes in: whose it is, the keys in it, and what its sender is to be told of it. The sound itself is not listened to.

import { KeyReader } from './dtmf.ts';
import type { ReportBlock } from './rtcp.ts';
import { type Address, PeerAddress } from './source.ts';

/** Static payload types of RFC 3551 that a phone may send whatever was agreed: PCMU, PCMA, comfort noise. */
const staticTypes = [0, 8, 13];
/** The number of our own offer: a phone may send events under it or under the number of its answer (RFC 3264 section 5.1). */
const offeredEventType = 101;
/** RFC 3550 appendix A.1: a sequence number further ahead begins the count again; one less far behind is late or repeated. */
const mostDropout = 3_000;
const mostMisorder = 100;
const samplesPerMs = 8;
/** Streams of one peer whose keys are remembered: gateways send keys beside the sound, with an SSRC of their own. */
const mostKeyReaders = 4;

export interface RtpPacket {
  payloadType: number;
  sequence: number;
  timestamp: number;
  ssrc: number;
  payload: Buffer;
}

/** RFC 3550 section 5.1 and appendix A.1. Null: no RTP. Never throws. */
export function parseRtp(octets: Buffer): RtpPacket | null {
  const [first = 0, second = 0] = octets;
  if (octets.length < 12 || first >> 6 !== 2) return null;
  let begin = 12 + (first & 0x0f) * 4;
  let end = octets.length;
  if (first & 0x10) {
    if (begin + 4 > end) return null;
    begin += 4 + octets.readUInt16BE(begin + 2) * 4;
  }
  if (first & 0x20) end -= octets[end - 1] || octets.length;
  if (begin > end) return null;
  return {
    payloadType: second & 0x7f,
    sequence: octets.readUInt16BE(2),
    timestamp: octets.readUInt32BE(4),
    ssrc: octets.readUInt32BE(8),
    payload: octets.subarray(begin, end),
  };
}

/** What of the peer's SDP concerns its packets. */
export interface ExpectedTypes {
  payloadType: number;
  /** Null: no telephone events were agreed. */
  eventType: number | null;
}

export type Received =
  | { kind: 'audio' }
  | { kind: 'key'; digit: string }
  | { kind: 'stranger' }
  | { kind: 'malformed' };

export class Receiver {
  readonly peer = new PeerAddress();
  #audioTypes: readonly number[] = staticTypes;
  #eventTypes: readonly number[] = [];
  /** By SSRC. */
  readonly #keys = new Map<number, KeyReader>();
  #stream: StreamCount | null = null;

  expect({ payloadType, eventType }: ExpectedTypes): void {
    this.#audioTypes = [...staticTypes, payloadType];
    // Sound under the number of our offer would be read as keys.
    this.#eventTypes = (eventType === null ? [] : [eventType, offeredEventType]).filter((type) => type !== payloadType);
  }

  /** `now` in ms. */
  take(octets: Buffer, from: Address, now: number): Received {
    const packet = parseRtp(octets);
    if (packet === null) return { kind: 'malformed' };
    const isEvent = this.#eventTypes.includes(packet.payloadType);
    if (!isEvent && !this.#audioTypes.includes(packet.payloadType)) return { kind: 'stranger' };
    if (!this.peer.accepts(from, packet, now)) return { kind: 'stranger' };
    if (this.#stream?.ssrc !== packet.ssrc) this.#stream = new StreamCount(packet);
    // Packets of one event share a timestamp, so their arrival says nothing of the jitter.
    this.#stream.count(packet.sequence, isEvent ? null : now * samplesPerMs - packet.timestamp);
    const digit = isEvent ? this.#keysOf(packet.ssrc).take(packet.payload, packet.timestamp) : null;
    return digit === null ? { kind: 'audio' } : { kind: 'key', digit };
  }

  #keysOf(ssrc: number): KeyReader {
    const known = this.#keys.get(ssrc);
    if (known) return known;
    const [oldest] = this.#keys.keys();
    if (oldest !== undefined && this.#keys.size >= mostKeyReaders) this.#keys.delete(oldest);
    const reader = new KeyReader();
    this.#keys.set(ssrc, reader);
    return reader;
  }

  /** Of the stream that comes in; null while nothing was received. */
  get ssrc(): number | null {
    return this.#stream?.ssrc ?? null;
  }

  /** For our next report, which tells what was lost since the one before: to be asked once a report. Null while nothing was received. */
  block(): Omit<ReportBlock, 'lastReport' | 'sinceLastReport'> | null {
    return this.#stream?.block() ?? null;
  }
}

/** Packets of one SSRC: RFC 3550 appendices A.1, A.3 and A.8. */
class StreamCount {
  readonly ssrc: number;
  #base: number;
  /** With the number of wraps above its 16 bits. */
  #highest: number;
  #received = 0;
  #before = { expected: 0, received: 0 };
  #transit: number | null = null;
  #jitter = 0;

  constructor({ ssrc, sequence }: RtpPacket) {
    this.ssrc = ssrc;
    this.#base = sequence;
    this.#highest = sequence;
  }

  /** @param transit arrival less timestamp, in samples; null where it says nothing */
  count(sequence: number, transit: number | null): void {
    const ahead = (sequence - this.#highest) & 0xffff;
    if (ahead < mostDropout) this.#highest += ahead;
    else if (ahead <= 0xffff - mostMisorder) this.#begin(sequence);
    this.#received += 1;
    if (transit === null) return;
    const change = this.#transit === null ? 0 : Math.abs(transit - this.#transit);
    this.#transit = transit;
    // A timestamp that wraps, or begins again, is no delay.
    if (change < 0x10000) this.#jitter += (change - this.#jitter) / 16;
  }

  #begin(sequence: number): void {
    this.#base = sequence;
    this.#highest = sequence;
    this.#received = 0;
    this.#before = { expected: 0, received: 0 };
  }

  block(): Omit<ReportBlock, 'lastReport' | 'sinceLastReport'> {
    const expected = this.#highest - this.#base + 1;
    const due = expected - this.#before.expected;
    const missing = due - (this.#received - this.#before.received);
    this.#before = { expected, received: this.#received };
    return {
      ssrc: this.ssrc,
      fractionLost: due > 0 && missing > 0 ? Math.floor((missing * 256) / due) : 0,
      lost: expected - this.#received,
      highestSequence: this.#highest,
      jitter: this.#jitter,
    };
  }
}
