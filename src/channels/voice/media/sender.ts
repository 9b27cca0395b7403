// The RTP stream that goes out (RFC 3550 section 5.1, RFC 3551): phrases cut into frames of 20 ms, and silence wherever nothing is being
// spoken, so that firewalls stay open and the phone never takes the call for dead.

import { alawSilence, alawToUlaw } from '../alaw.ts';
import { type Bank, type Clip, octetsOf, samplesPerMs } from '../clip.ts';
import { frameMs } from './clock.ts';

/** Samples, and octets of payload, of one frame. */
export const frameSamples = frameMs * samplesPerMs;
const rtpHeaderOctets = 12;

interface Phrase {
  /** What is left of it; the first part is being spoken. */
  parts: Uint8Array[];
  token: number;
}

export interface SenderOptions {
  bank: Bank;
  random(octets: number): Buffer;
}

/** What the peer's SDP says of the stream to it. */
export interface StreamFormat {
  codec: 'PCMA' | 'PCMU';
  /** The number that the peer gave to the codec. */
  payloadType: number;
}

export class Sender {
  readonly ssrc: number;
  readonly #bank: Bank;
  #sequence: number;
  #timestamp: number;
  /** Nothing was sent right before the next packet. */
  #afterGap = true;
  #phrase: Phrase | null = null;
  #packets = 0;

  constructor({ bank, random }: SenderOptions) {
    this.#bank = bank;
    // Random first values: RFC 3550 section 5.1, against known-plaintext attacks and mixing with an earlier stream.
    const seed = random(10);
    this.ssrc = seed.readUInt32BE(0);
    this.#timestamp = seed.readUInt32BE(4);
    this.#sequence = seed.readUInt16BE(8);
  }

  /** The timestamp of the next frame. */
  get timestamp(): number {
    return this.#timestamp;
  }

  /** Sent so far. */
  get packets(): number {
    return this.#packets;
  }

  /** Replaces what is being spoken, from the next frame on; what is replaced is never reported as played. */
  say(clips: readonly Clip[], token: number): void {
    // An empty part behind a full packet would take a packet of silence.
    const parts = clips.map((clip) => octetsOf(clip, this.#bank)).filter(({ length }) => length > 0);
    this.#phrase = { parts, token };
  }

  /** Drops what is queued behind the clip that is being spoken. */
  finishPhrase(): void {
    this.#phrase?.parts.splice(1);
  }

  /**
   * The packet of the next frame. A paused phrase goes on later: silence is sent meanwhile. `played`: the token of the phrase whose
   * last sample is in this packet.
   */
  next({ codec, payloadType }: StreamFormat, paused: boolean): { packet: Buffer; played: number | null } {
    const packet = Buffer.allocUnsafe(rtpHeaderOctets + frameSamples);
    // Marker: the first packet after a time without packets. An application that sends its silence has no other talkspurts
    // (RFC 3551 section 4.1).
    packet[0] = 0x80;
    packet[1] = (this.#afterGap ? 0x80 : 0) | payloadType;
    packet.writeUInt16BE(this.#sequence, 2);
    packet.writeUInt32BE(this.#timestamp, 4);
    packet.writeUInt32BE(this.ssrc, 8);
    const played = paused ? silent(packet, rtpHeaderOctets) : this.#fill(packet);
    if (codec === 'PCMU') toUlaw(packet);
    this.#afterGap = false;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#timestamp = (this.#timestamp + frameSamples) >>> 0;
    this.#packets += 1;
    return { packet, played };
  }

  /** So many frames are never sent. The time of the stream goes on (RFC 3550 section 5.1), the phrase does not. */
  skip(frames: number): void {
    this.#timestamp = (this.#timestamp + frames * frameSamples) >>> 0;
    this.#afterGap = true;
  }

  #fill(packet: Buffer): number | null {
    const phrase = this.#phrase;
    let at = rtpHeaderOctets;
    for (let part = phrase?.parts[0]; phrase && part && at < packet.length; part = phrase.parts[0]) {
      const left = packet.length - at;
      packet.set(part.length > left ? part.subarray(0, left) : part, at);
      at += Math.min(part.length, left);
      if (part.length > left) phrase.parts[0] = part.subarray(left);
      else phrase.parts.shift();
    }
    silent(packet, at);
    if (phrase === null || phrase.parts.length > 0) return null;
    this.#phrase = null;
    return phrase.token;
  }
}

/** Silence from there to the packet's end. */
function silent(packet: Buffer, from: number): null {
  packet.fill(alawSilence, from);
  return null;
}

function toUlaw(packet: Buffer): void {
  for (let at = rtpHeaderOctets; at < packet.length; at += 1)
    packet[at] = alawToUlaw[packet[at] ?? alawSilence] ?? 0xff;
}
