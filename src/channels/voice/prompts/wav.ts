// WAV files: reads what microphones and editors write (PCM of 8 to 32 bits, float, A-law), and writes 16-bit PCM for people to play.
// Files come from anywhere, so every length in them is checked against what is there.

import { alawToLinear } from '../alaw.ts';

export interface Sound {
  /** Samples a second. */
  rate: number;
  /** One Float32Array a channel, full scale = 1. */
  channels: readonly Float32Array[];
}

export type WavRead = { kind: 'ok'; sound: Sound } | { kind: 'refused'; reason: string };

const refused = (reason: string): WavRead => ({ kind: 'refused', reason });

const PCM = 1;
const FLOAT = 3;
const ALAW = 6;
const EXTENSIBLE = 0xfffe;

interface Format {
  tag: number;
  channels: number;
  rate: number;
  bits: number;
}

/** Reads a RIFF/WAVE file. Never throws. A data chunk longer than the file (a stream that never knew its length) ends with the file. */
export function readWav(bytes: Uint8Array): WavRead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE') return refused('is no WAV file');
  let format: Format | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at + 4, true);
    const start = at + 8;
    const end = Math.min(start + length, bytes.length);
    if (name(at) === 'fmt ') format = readFormat(view, start, end);
    if (name(at) === 'data') {
      if (format === null) return refused('has no format before its sound');
      return readSamples(bytes.subarray(start, end), format);
    }
    at = start + length + (length % 2);
  }
  return refused('has no sound in it');
}

function readFormat(view: DataView, start: number, end: number): Format | null {
  if (end - start < 16) return null;
  const tag = view.getUint16(start, true);
  return {
    // The real tag of the extensible format is the beginning of its GUID.
    tag: tag === EXTENSIBLE && end - start >= 26 ? view.getUint16(start + 24, true) : tag,
    channels: view.getUint16(start + 2, true),
    rate: view.getUint32(start + 4, true),
    bits: view.getUint16(start + 14, true),
  };
}

type ReadSample = (view: DataView, at: number) => number;

/** `tag/bits` → how one sample is read. 8-bit PCM alone is unsigned. */
const readers: Readonly<Record<string, ReadSample>> = {
  [`${PCM}/8`]: (view, at) => (view.getUint8(at) - 128) / 128,
  [`${PCM}/16`]: (view, at) => view.getInt16(at, true) / 2 ** 15,
  [`${PCM}/24`]: (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 2 ** 23,
  [`${PCM}/32`]: (view, at) => view.getInt32(at, true) / 2 ** 31,
  [`${FLOAT}/32`]: (view, at) => view.getFloat32(at, true),
  [`${FLOAT}/64`]: (view, at) => view.getFloat64(at, true),
  [`${ALAW}/8`]: (view, at) => alawToLinear(view.getUint8(at)) / 2 ** 15,
};

function readSamples(data: Uint8Array, { tag, channels: count, rate, bits }: Format): WavRead {
  const read = readers[`${tag}/${bits}`];
  if (read === undefined)
    return refused(`has samples of a kind that is not read (format ${tag}, ${bits} bits): save it as PCM`);
  if (count < 1 || count > 8) return refused(`has ${count} channels`);
  if (rate < 8_000 || rate > 192_000) return refused(`has ${rate} samples a second: 8000 to 192000 are read`);
  const step = bits / 8;
  const frames = Math.floor(data.length / (step * count));
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const channels = Array.from({ length: count }, (_, channel) => {
    const samples = new Float32Array(frames);
    for (let i = 0; i < frames; i += 1) samples[i] = read(view, (i * count + channel) * step);
    return samples;
  });
  if (channels.some((samples) => !samples.every(Number.isFinite))) return refused('has samples that are no numbers');
  return { kind: 'ok', sound: { rate, channels } };
}

/** A mono WAV file of 16-bit PCM. `samples` are linear, -32768 to 32767. */
export function writeWav(samples: Int16Array, rate: number): Uint8Array {
  const bytes = new Uint8Array(44 + samples.length * 2);
  const view = new DataView(bytes.buffer);
  const text = (at: number, word: string) => bytes.set(Buffer.from(word, 'latin1'), at);
  text(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, samples.length * 2, true);
  for (const [i, sample] of samples.entries()) view.setInt16(44 + i * 2, sample, true);
  return bytes;
}
