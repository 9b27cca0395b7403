// A telephone of the tests, with real sockets: it keeps what it hears, and sends what it is asked to.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll } from 'vitest';
import { alawSilence } from '../../src/channels/voice/alaw.ts';
import { type Bank, type ClipName, clipNames } from '../../src/channels/voice/clip.ts';
import { parseRtp, type RtpPacket } from '../../src/channels/voice/media/receiver.ts';
import type { MediaTarget } from '../../src/sip/index.ts';
import { until } from './wait.ts';

/** Recordings that any part tells apart: no clip holds a run of another, and none holds silence. Lengths are no multiple of a frame. */
export function syntheticBank(): Bank {
  return new Map(clipNames.map((name, index) => [name, tone(name, 900 + index * 37)] as const));
}

function tone(name: ClipName, length: number): Uint8Array {
  const octets = new Uint8Array(new SharedArrayBuffer(length));
  const seed = clipNames.indexOf(name) * 17 + 3;
  for (let at = 0; at < length; at += 1) {
    const value = (at * seed + (at >> 3) * 29 + seed * 7) & 0xff;
    octets[at] = value === alawSilence ? 0x2a : value;
  }
  return octets;
}

export interface Heard extends RtpPacket {
  marker: boolean;
  from: { address: string; port: number };
  octets: Buffer;
}

/** Phones have ports of their own: one among those of a call would be in its way. All lie below those of free-port.ts. */
const lowest = { phones: 12_000, calls: 16_000 };
const pairsOfEach = 2_000;

function portsOf(whose: keyof typeof lowest, pairs: number): { from: number; to: number } {
  const from = lowest[whose] + 2 * Math.floor(Math.random() * (pairsOfEach - pairs));
  return { from, to: from + pairs * 2 - 1 };
}

/** A range of ports for calls in which most are free; those that are not are passed over. */
export const somePorts = (pairs: number) => portsOf('calls', pairs);

const left = new Set<Socket>();
afterAll(() => {
  for (const socket of left) socket.close();
});

export class Phone {
  readonly heard: Heard[] = [];
  readonly reports: Buffer[] = [];
  readonly #rtp: Socket;
  readonly #rtcp: Socket;
  readonly ssrc: number;
  sequence = 1_000;
  timestamp = 50_000;

  static async start(address = '127.0.0.1', ssrc = 0x1234_5678): Promise<Phone> {
    for (;;) {
      const { from } = portsOf('phones', 1);
      const sockets = [from, from + 1].map((port) => createSocket('udp4').bind(port, address));
      const bound = await Promise.all(
        sockets.map((socket) =>
          once(socket, 'listening').then(
            () => true,
            () => false,
          ),
        ),
      );
      if (bound.every(Boolean)) return new Phone(sockets[0]!, sockets[1]!, ssrc);
      for (const [index, socket] of sockets.entries()) if (bound[index]) socket.close();
    }
  }

  private constructor(rtp: Socket, rtcp: Socket, ssrc: number) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
    this.ssrc = ssrc;
    left.add(rtp).add(rtcp);
    rtp.on('message', (octets, { address, port }) => {
      const packet = parseRtp(octets);
      if (packet === null) throw new Error(`no RTP: ${octets.toString('hex')}`);
      this.heard.push({ ...packet, marker: octets[1]! > 127, from: { address, port }, octets });
    });
    rtcp.on('message', (octets) => this.reports.push(octets));
  }

  get address(): { address: string; port: number } {
    return this.#rtp.address();
  }

  target(change: Partial<MediaTarget> = {}): MediaTarget {
    const { address, port } = this.address;
    return { address, port, codec: 'PCMA', payloadType: 8, eventType: 101, held: false, mute: false, ...change };
  }

  /** The sound heard so far, without the silence before it and behind it. */
  sound(): Buffer {
    const all = Buffer.concat(this.heard.map(({ payload }) => payload));
    let [from, to] = [0, all.length];
    while (from < to && all[from] === alawSilence) from += 1;
    while (to > from && all[to - 1] === alawSilence) to -= 1;
    return all.subarray(from, to);
  }

  /** One packet of sound, or of another payload. */
  send(port: number, { type = 8, payload = Buffer.alloc(160, alawSilence), timestamp = this.timestamp } = {}): void {
    const head = Buffer.alloc(12);
    head[0] = 0x80;
    head[1] = type;
    head.writeUInt16BE(this.sequence & 0xffff, 2);
    head.writeUInt32BE(timestamp >>> 0, 4);
    head.writeUInt32BE(this.ssrc, 8);
    this.sequence += 1;
    this.timestamp += 160;
    this.#rtp.send(Buffer.concat([head, payload]), port, '127.0.0.1');
  }

  /** A key as a phone sends it: five packets that grow, and the end three times. */
  press(digit: string, port: number, type = 101): void {
    const code = '0123456789*#'.indexOf(digit);
    const { timestamp } = this;
    for (const [end, duration] of [
      [0, 160],
      [0, 320],
      [0, 480],
      [0, 640],
      [1, 800],
      [1, 800],
      [1, 800],
    ] as const)
      this.send(port, { type, payload: Buffer.of(code, (end << 7) | 10, duration >> 8, duration & 0xff), timestamp });
  }

  sendRaw(octets: Buffer, port: number, from: 'rtp' | 'rtcp' = 'rtp'): void {
    (from === 'rtp' ? this.#rtp : this.#rtcp).send(octets, port, '127.0.0.1');
  }

  /** Waits for so many more packets. */
  async hears(count: number): Promise<void> {
    const before = this.heard.length;
    await until(() => this.heard.length >= before + count, { what: `${count} packets` });
  }

  close(): void {
    for (const socket of [this.#rtp, this.#rtcp]) if (left.delete(socket)) socket.close();
  }
}
