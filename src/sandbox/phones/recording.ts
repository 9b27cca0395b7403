// What a phone heard: G.711 octets placed by their RTP timestamps, so that a lost packet is a silence of its own length. The newest
// recordings are kept in memory and given out as WAV.

import { BoundedMap } from '../../collections/small-maps.ts';
import type { Codec } from './sdp.ts';

export const samplesPerSecond = 8_000;
const mostSamples = 150 * samplesPerSecond;
const mostRecordings = 100;

/** A timestamp that is farther away than this belongs to another stream. Samples. */
const farthestJump = 30 * samplesPerSecond;

/** The octet of silence (ITU-T G.711). */
export const silenceOf = (codec: Codec): number => (codec === 'PCMA' ? 0xd5 : 0xff);

/** True for silence of either sign. */
export const isSilent = (codec: Codec, octet: number): boolean => (octet | 0x80) === silenceOf(codec);

/** The part of an RTP packet that matters here. */
export interface Heard {
  ssrc: number;
  timestamp: number;
  payload: Buffer;
}

export class Recording {
  readonly codec: Codec;
  #octets: Buffer;
  #length = 0;
  #ssrc: number | null = null;
  /** Timestamp of the first sample. */
  #base = 0;
  readonly #listeners = new Set<() => void>();
  #isOver = false;
  /** Stretches that packets came for, in order, none touching the next. */
  #stretches: Stretch[] = [];

  constructor(codec: Codec) {
    this.codec = codec;
    this.#octets = Buffer.alloc(8 * samplesPerSecond, silenceOf(codec));
  }

  /** Samples from the first one heard to the last. */
  get length(): number {
    return this.#length;
  }

  /** A view of what has been recorded so far. */
  get octets(): Buffer {
    return this.#octets.subarray(0, this.#length);
  }

  /** The same without what no packet came for: a caller that was late leaves out time, not sound. A copy where there is such a gap. */
  get received(): Buffer {
    const parts = this.#stretches.map(({ start, end }) => this.#octets.subarray(start, end));
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** True once nothing more is recorded. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Calls `listener` whenever there is more, and at the end. The returned function ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(): void {
    this.#isOver = true;
    this.#announce();
    this.#listeners.clear();
  }

  /** Another SSRC, or a timestamp far away, goes on where the recording stands. Samples before the first one are left out. */
  take({ ssrc, timestamp, payload }: Heard): void {
    let start = (timestamp - this.#base) | 0;
    if (ssrc !== this.#ssrc || Math.abs(start - this.#length) > farthestJump) {
      this.#ssrc = ssrc;
      this.#base = (timestamp - this.#length) >>> 0;
      start = this.#length;
    }
    const end = Math.min(start + payload.length, mostSamples);
    if (start < 0 || end <= start) return;
    this.#makeRoom(end);
    payload.copy(this.#octets, start, 0, end - start);
    this.#length = Math.max(this.#length, end);
    const last = this.#stretches.at(-1);
    if (last && start === last.end) last.end = end;
    else this.#stretches = joined([...this.#stretches, { start, end }]);
    this.#announce();
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }

  #makeRoom(length: number): void {
    if (length <= this.#octets.length) return;
    const bigger = Buffer.alloc(
      Math.min(Math.max(length, this.#octets.length * 2), mostSamples),
      silenceOf(this.codec),
    );
    this.#octets.copy(bigger, 0, 0, this.#length);
    this.#octets = bigger;
  }
}

interface Stretch {
  start: number;
  end: number;
}

/** The same stretches in order, and one where two touch or overlap. */
function joined(stretches: Stretch[]): Stretch[] {
  const result: Stretch[] = [];
  for (const { start, end } of stretches.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** The newest recordings by id; a recording may still be growing. */
export class Recordings {
  readonly #kept = new BoundedMap<string, Recording>(mostRecordings);
  #made = 0;

  add(recording: Recording): string {
    this.#made += 1;
    const id = String(this.#made);
    this.#kept.set(id, recording);
    return id;
  }

  get(id: string): Recording | undefined {
    return this.#kept.get(id);
  }

  /** Null for one that was never made, or made too long ago. */
  wav(id: string): Buffer | null {
    const recording = this.#kept.get(id);
    return recording ? wavOf(recording) : null;
  }
}

/** 16-bit PCM, which every player and browser takes; nothing of G.711 is lost by it. */
export function wavOf({ codec, octets }: Recording): Buffer {
  const samples = Buffer.alloc(octets.length * 2);
  const linear = linearOf(codec);
  for (const [index, octet] of octets.entries()) samples.writeInt16LE(linear[octet] ?? 0, index * 2);
  return Buffer.concat([wavHeader(samples.length, samplesPerSecond), samples]);
}

/** Of 16-bit PCM in one channel. */
export function wavHeader(dataSize: number, samplesPerSecond: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(Math.min(36 + dataSize, 0xffff_ffff), 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22); // One channel.
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(samplesPerSecond * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataSize, 40);
  return header;
}

/** Octet → linear sample. */
export const linearOf = (codec: Codec): Int16Array => (codec === 'PCMA' ? alawSamples : ulawSamples);

export const alawSamples: Int16Array = Int16Array.from({ length: 256 }, (_, octet) => {
  const bits = octet ^ 0x55;
  const segment = (bits & 0x70) >> 4;
  const step = (bits & 0x0f) << 4;
  const magnitude = segment === 0 ? step + 8 : (step + 0x108) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
});

export const ulawSamples: Int16Array = Int16Array.from({ length: 256 }, (_, octet) => {
  const bits = ~octet;
  const magnitude = (((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4);
  return bits & 0x80 ? 0x84 - magnitude : magnitude - 0x84;
});

/** A-law octet → the µ-law octet whose interval its sample lies in, as a trunk that transcodes writes it. */
export const alawToUlaw: Uint8Array = Uint8Array.from({ length: 256 }, (_, octet) => {
  const sample = alawSamples[octet] ?? 0;
  const biased = Math.min(Math.abs(sample), 32_635) + 0x84;
  const segment = 24 - Math.clz32(biased);
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | ((biased >> (segment + 3)) & 0x0f)) & 0xff;
});
