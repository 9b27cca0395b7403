// The digits in a recording, found as the prompt banks' clips sample by sample: what was sent intact is read back, and nothing else. An
// index by four samples of each clip makes one pass over a recording enough for all clips.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alawToUlaw, isSilent } from './recording.ts';
import type { Codec } from './sdp.ts';

/** The recorded digits of one voice. */
export interface Bank {
  name: string;
  /** By digit; 8 kHz A-law. */
  digits: ReadonlyMap<string, Buffer>;
}

export interface FoundDigit {
  digit: string;
  bank: string;
  /** Samples from the beginning of what was searched. */
  start: number;
  end: number;
}

const samplesPerMs = 8;
/** How long after a digit its reading counts as over, ms: two digits of one reading are 450 ms apart, and before the first one lie 700 ms. */
const readingEndsAfterMs = 575;
const keyLength = 4;
/** Shorter than any spoken word: such a clip would be found by accident. */
const leastSamples = 50 * samplesPerMs;

/** The banks of the repository. */
export const ownBanks = (): Bank[] => loadBanks(join(import.meta.dirname, '../../../prompts'));

/** The folders `<folder>/<language>` that hold all ten digits as `<digit>.al`. A folder that is missing holds none. */
function loadBanks(folder: string): Bank[] {
  let names: string[];
  try {
    names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names.sort().flatMap((name) => loadBank(name, join(folder, name)) ?? []);
}

function loadBank(name: string, folder: string): Bank | null {
  const files = new Set(readdirSync(folder));
  const digits = [...'0123456789'];
  if (!digits.every((digit) => files.has(`${digit}.al`))) return null;
  return { name, digits: new Map(digits.map((digit) => [digit, readFileSync(join(folder, `${digit}.al`))])) };
}

interface Needle {
  digit: string;
  bank: string;
  /** Without the silence at the clip's ends, which runs into the silence around the clip. */
  octets: Buffer;
  /** Samples of silence that were left out. */
  before: number;
  after: number;
  /** Where in `octets` the key of the index stands. */
  keyAt: number;
}

/** What a phone's ear knows by heart. */
export class DigitFinder {
  /** Samples of the longest clip. */
  readonly longest: number;
  readonly #indexes: Readonly<Record<Codec, Index>>;

  constructor(banks: readonly Bank[]) {
    const needles = (codec: Codec) => banks.flatMap((bank) => needlesOf(bank, codec));
    this.#indexes = { PCMA: new Index(needles('PCMA')), PCMU: new Index(needles('PCMU')) };
    this.longest = this.#indexes.PCMA.longest;
  }

  /** The digits that lie wholly in `octets` from `from` on, in order. Of two that overlap the earlier one counts, then the longer one. */
  find(octets: Buffer, codec: Codec, from = 0): FoundDigit[] {
    const all = this.#indexes[codec].find(octets, from);
    all.sort((a, b) => a.start - b.start || b.end - a.end);
    const found: FoundDigit[] = [];
    for (const digit of all) if (digit.start >= (found.at(-1)?.end ?? -this.longest)) found.push(digit);
    return found;
  }
}

class Index {
  readonly longest: number;
  readonly #needles = new Map<number, Needle[]>();
  /** One bit of knowledge for the low half of a key: most samples of a recording stop here. */
  readonly #known = new Uint8Array(0x1_0000);

  constructor(needles: readonly Needle[]) {
    this.longest = Math.max(0, ...needles.map(({ octets, before, after }) => before + octets.length + after));
    for (const needle of needles) {
      const key = needle.octets.readUInt32BE(needle.keyAt);
      this.#needles.set(key, [...(this.#needles.get(key) ?? []), needle]);
      this.#known[key & 0xffff] = 1;
    }
  }

  find(octets: Buffer, from: number): FoundDigit[] {
    const found: FoundDigit[] = [];
    let key = 0;
    for (let index = from; index < octets.length; index += 1) {
      key = ((key << 8) | (octets[index] ?? 0)) >>> 0;
      if (this.#known[key & 0xffff] === 0 || index - from < keyLength - 1) continue;
      for (const { digit, bank, octets: clip, before, after, keyAt } of this.#needles.get(key) ?? []) {
        const start = index - (keyLength - 1) - keyAt;
        const end = start + clip.length;
        if (start < from || end > octets.length || !octets.subarray(start, end).equals(clip)) continue;
        found.push({ digit, bank, start: start - before, end: end + after });
      }
    }
    return found;
  }
}

function needlesOf({ name, digits }: Bank, codec: Codec): Needle[] {
  return [...digits].flatMap(([digit, alaw]) => {
    const trimmed = trim(codec === 'PCMA' ? alaw : Uint8Array.from(alaw, (octet) => alawToUlaw[octet] ?? 0), codec);
    const { octets } = trimmed;
    return octets.length < leastSamples ? [] : [{ digit, bank: name, ...trimmed, keyAt: rarest(octets) }];
  });
}

function trim(octets: Uint8Array, codec: Codec): Pick<Needle, 'octets' | 'before' | 'after'> {
  let start = 0;
  let end = octets.length;
  while (start < end && isSilent(codec, octets[start] ?? 0)) start += 1;
  while (end > start && isSilent(codec, octets[end - 1] ?? 0)) end -= 1;
  return { octets: Buffer.from(octets.subarray(start, end)), before: start, after: octets.length - end };
}

/** Where four samples stand that are least like the rest of the clip: each of their octets is seldom in it. */
function rarest(octets: Buffer): number {
  const counts = new Uint32Array(256);
  for (const octet of octets) counts[octet] = (counts[octet] ?? 0) + 1;
  let best = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (let at = 0; at + keyLength <= octets.length; at += 1) {
    let count = 0;
    for (let index = at; index < at + keyLength; index += 1) count += counts[octets[index] ?? 0] ?? 0;
    if (count >= fewest) continue;
    fewest = count;
    best = at;
  }
  return best;
}

export interface Readings {
  /** Digits that were spoken one after another, without a longer pause. */
  readings: string[];
  /** False while the last of them may still go on: a word of it may be half spoken. */
  isLastComplete: boolean;
}

/** `octets`: those the digits were found in. */
export function readingsOf(found: readonly FoundDigit[], octets: Buffer, codec: Codec): Readings {
  const pause = readingEndsAfterMs * samplesPerMs;
  const readings: string[] = [];
  let last: FoundDigit | undefined;
  for (const next of found) {
    if (last === undefined || next.start - last.end >= pause) readings.push(next.digit);
    else readings.push(`${readings.pop() ?? ''}${next.digit}`);
    last = next;
  }
  const after = octets.subarray(last?.end ?? octets.length).subarray(0, pause);
  return { readings, isLastComplete: after.length === pause && after.every((octet) => isSilent(codec, octet)) };
}
