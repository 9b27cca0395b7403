// The sound of one phone: RTP (RFC 3550) on a UDP port of its own. A phone sends silence all the time, as a quiet room does, and keys as
// telephone events (RFC 4733). One clock paces all phones.

import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import type { Clock } from '../clock.ts';
import { silenceOf } from './recording.ts';
import type { Offer } from './sdp.ts';

export interface RtpPacket {
  payloadType: number;
  marker: boolean;
  sequence: number;
  timestamp: number;
  ssrc: number;
  payload: Buffer;
}

/** Samples in a packet of 20 ms. */
const packetSamples = 160;
const packetMs = 20;
/** Behind by more, as after a pause of the machine, the rest of the packets is left out. */
const mostPacketsAtOnce = 5;

/** Null for what is no RTP of version 2, RTCP on the same port among it. */
export function parseRtp(datagram: Buffer): RtpPacket | null {
  const [first = 0, second = 0] = datagram;
  if (datagram.length < 12 || first >> 6 !== 2) return null;
  // RFC 5761 section 4: RTCP's packet types lie here.
  if (second >= 192 && second <= 223) return null;
  let start = 12 + 4 * (first & 0x0f);
  if (first & 0x10) {
    if (datagram.length < start + 4) return null;
    start += 4 + 4 * datagram.readUInt16BE(start + 2);
  }
  const end = datagram.length - (first & 0x20 ? (datagram.at(-1) ?? 0) : 0);
  if (start > end) return null;
  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    ssrc: datagram.readUInt32BE(8),
    payload: datagram.subarray(start, end),
  };
}

export function writeRtp({ payloadType, marker, sequence, timestamp, ssrc, payload }: RtpPacket): Buffer {
  const header = Buffer.alloc(12);
  header[0] = 0x80;
  header[1] = (marker ? 0x80 : 0) | payloadType;
  header.writeUInt16BE(sequence & 0xffff, 2);
  header.writeUInt32BE(timestamp >>> 0, 4);
  header.writeUInt32BE(ssrc, 8);
  return Buffer.concat([header, payload]);
}

const keys = '0123456789*#ABCD';
/** A key is held for 100 ms; its last packet is sent three times (RFC 4733 section 2.5.1.4). */
const keySteps = 5;
const keyEnds = 3;

/** The payloads of one key press, in order. */
export function keyPayloads(key: string): Buffer[] {
  const event = keys.indexOf(key);
  const payload = (end: boolean, steps: number) =>
    Buffer.from([event, (end ? 0x80 : 0) | 10, (steps * packetSamples) >> 8, (steps * packetSamples) & 0xff]);
  const held = Array.from({ length: keySteps }, (_, step) => payload(false, step + 1));
  return [...held, ...Array.from({ length: keyEnds }, () => payload(true, keySteps))];
}

export class MediaPort {
  readonly #socket: Socket;
  readonly #ssrc = randomBytes(4).readUInt32BE();
  #sequence = randomBytes(2).readUInt16BE();
  #timestamp = randomBytes(4).readUInt32BE();
  #silence: Buffer = Buffer.alloc(0);
  #target: Offer | null = null;
  #isFirst = true;
  #key: Buffer[] = [];
  #keyAt: number | null = null;

  private constructor(socket: Socket, onPacket: (packet: RtpPacket) => void) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('message', (datagram) => {
      const packet = parseRtp(datagram);
      if (packet) onPacket(packet);
    });
  }

  static open(host: string, onPacket: (packet: RtpPacket) => void): Promise<MediaPort> {
    const socket = createSocket('udp4');
    return new Promise((resolve, reject) => {
      socket.once('error', (error) => {
        socket.close();
        reject(error);
      });
      socket.bind(0, host, () => {
        socket.removeAllListeners('error');
        resolve(new MediaPort(socket, onPacket));
      });
    });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  connect(offer: Offer): void {
    this.#target = offer;
    this.#silence = Buffer.alloc(packetSamples, silenceOf(offer.codec));
  }

  /** Presses a key: sent with the next packets. False where the caller takes no telephone events. */
  press(key: string): boolean {
    if (this.#target === null || this.#target.eventType === null || !keys.includes(key)) return false;
    this.#key.push(...keyPayloads(key));
    return true;
  }

  /** One packet: of the key being pressed, else of silence. While `muted` it is counted and not sent. */
  tick(muted: boolean): void {
    if (this.#target === null) return;
    const { address, port, payloadType, eventType } = this.#target;
    const key = this.#key.shift();
    const marker = key ? this.#keyAt === null : this.#isFirst;
    if (key) this.#keyAt ??= this.#timestamp;
    this.#isFirst = false;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const packet = {
      payloadType: key && eventType !== null ? eventType : payloadType,
      marker,
      sequence: this.#sequence,
      timestamp: this.#keyAt ?? this.#timestamp,
      ssrc: this.#ssrc,
      payload: key ?? this.#silence,
    };
    if (this.#key.length % (keySteps + keyEnds) === 0) this.#keyAt = null;
    this.#timestamp = (this.#timestamp + packetSamples) >>> 0;
    if (!muted) this.#socket.send(writeRtp(packet), port, address, () => {});
  }

  close(): void {
    this.#target = null;
    this.#socket.close();
  }
}

/** The one clock of all media ports: a timer for each would cost more than the packet. It reads whether they are muted. */
export class Pacer {
  readonly #clock: Clock;
  readonly #faults: { readonly muted: boolean };
  readonly #ports = new Set<MediaPort>();
  #stopTimer: (() => void) | null = null;
  #dueAt = 0;

  constructor(clock: Clock, faults: { readonly muted: boolean }) {
    this.#clock = clock;
    this.#faults = faults;
  }

  add(port: MediaPort): void {
    this.#ports.add(port);
    if (this.#stopTimer) return;
    this.#dueAt = this.#clock.now();
    this.#turn();
  }

  remove(port: MediaPort): void {
    this.#ports.delete(port);
    if (this.#ports.size > 0) return;
    this.#stopTimer?.();
    this.#stopTimer = null;
  }

  #turn(): void {
    const now = this.#clock.now();
    this.#dueAt = Math.max(this.#dueAt, now - (mostPacketsAtOnce - 1) * packetMs);
    for (; this.#dueAt <= now; this.#dueAt += packetMs) {
      for (const port of this.#ports) port.tick(this.#faults.muted);
    }
    this.#stopTimer = this.#clock.after(this.#dueAt - now, () => this.#turn());
  }
}
