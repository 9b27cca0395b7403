// Sounds and files for the tests of prompts: something like speech, WAV files of every format, and ZIP archives.
import { crc32, deflateRawSync } from 'node:zlib';
import { clipNames } from '../../../../../src/channels/voice/clip.ts';

/** `seconds` of a voiced sound with four syllables a second, at `rate` samples a second above `hz`; its peak is `peak`. */
export function speech(seconds: number, rate = 8_000, peak = 0.3, hz = 180): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * rate) }, (_, n) => {
    const t = n / rate;
    const voice = [1, 2, 3, 5].reduce((sum, k) => sum + Math.sin(2 * Math.PI * hz * k * t) / k, 0) / 2;
    return peak * voice * (0.6 + 0.4 * Math.cos(2 * Math.PI * 4 * t));
  });
}

export const silence = (seconds: number, rate = 8_000) => new Float32Array(Math.round(seconds * rate));

export function join(...parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export interface WavFormat {
  tag: 'pcm' | 'float' | 'alaw' | 'adpcm';
  bits: number;
  rate: number;
  extensible?: boolean;
}

/** A WAV file of `channels`; samples beyond full scale are clipped, as microphones do. */
export function wavOf(channels: readonly Float32Array[], { tag, bits, rate, extensible = false }: WavFormat): Buffer {
  const frames = channels[0]?.length ?? 0;
  const step = bits / 8;
  const data = Buffer.alloc(frames * channels.length * step);
  const code = { pcm: 1, float: 3, alaw: 6, adpcm: 2 }[tag];
  const write = (value: number, at: number) => {
    if (tag === 'float') return bits === 32 ? data.writeFloatLE(value, at) : data.writeDoubleLE(value, at);
    const top = 2 ** (bits - 1);
    const whole = Math.max(-top, Math.min(top - 1, Math.round(value * top)));
    return bits === 8 ? data.writeUInt8(whole + 128, at) : data.writeIntLE(whole, at, step);
  };
  for (const [c, samples] of channels.entries())
    for (let i = 0; i < frames; i += 1) write(samples[i]!, (i * channels.length + c) * step);

  const format = Buffer.alloc(extensible ? 40 : 16);
  format.writeUInt16LE(extensible ? 0xfffe : code, 0);
  format.writeUInt16LE(channels.length, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE(rate * step * channels.length, 8);
  format.writeUInt16LE(step * channels.length, 12);
  format.writeUInt16LE(bits, 14);
  if (extensible) format.writeUInt16LE(code, 24);
  // A chunk of odd length, before the format: editors write such.
  const chunks = Buffer.concat([chunk('LIST', Buffer.from('odd')), chunk('fmt ', format), chunk('data', data)]);
  return Buffer.concat([Buffer.from('RIFF'), uint32(chunks.length + 4), Buffer.from('WAVE'), chunks]);
}

const uint32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const chunk = (name: string, data: Buffer) =>
  Buffer.concat([Buffer.from(name), uint32(data.length), data, Buffer.alloc(data.length % 2)]);

/** A recording of a clip, as a microphone gives it: silence, the words, silence. */
export const recording = (seconds: number, { rate = 48_000, peak = 0.2 } = {}) =>
  wavOf([join(silence(0.4, rate), speech(seconds, rate, peak), silence(0.5, rate))], { tag: 'pcm', bits: 16, rate });

/** One good recording for every clip. */
export const recordings = (): Map<string, Uint8Array> =>
  new Map(clipNames.map((name) => [`${name}.wav`, recording(name.length === 1 ? 0.5 : 2, { rate: 16_000 })]));

export interface Packed {
  name: string;
  data: Uint8Array;
  stored?: boolean;
  /** What the headers say, where it is not the truth. */
  says?: { length?: number; crc?: number; method?: number; flags?: number };
}

/** A ZIP archive. */
export function zipOf(files: readonly Packed[], comment = ''): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, stored = false, says = {} } of files) {
    const packed = stored ? Buffer.from(data) : deflateRawSync(data);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(says.flags ?? 0, 2);
    fields.writeUInt16LE(says.method ?? (stored ? 0 : 8), 4);
    fields.writeUInt32LE(says.crc ?? crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(says.length ?? data.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, rest, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, central, end, Buffer.from(comment)]);
}
