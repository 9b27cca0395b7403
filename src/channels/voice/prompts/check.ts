// What a clip must be like, whatever made it: long enough to be a word, short enough for a call of two minutes, as loud as its neighbours,
// and not overdriven. Banks are checked when they are loaded and when they are imported.

import { alawToLinear } from '../alaw.ts';
import type { ClipName } from '../clip.ts';
import { speechLevelDb, TARGET_DB } from './level.ts';
import { isDigit } from './texts.ts';

/** Levels that are taken: TARGET_DB, this many dB up or down. */
const LEVEL_MARGIN_DB = 3;
/** Part of the samples that may be at full scale. */
const MOST_CLIPPED = 0.01;

/** Lengths that are taken. */
const lengthsMs = (name: ClipName): { least: number; most: number } =>
  isDigit(name) ? { least: 150, most: 1_500 } : { least: 400, most: 12_000 };

export interface ClipFacts {
  lengthMs: number;
  /** dBFS, RMS of the speech without its pauses; null where there is no speech. */
  levelDb: number | null;
  /** Part of the samples that are at full scale, 0 to 1. */
  clipped: number;
}

/** A-law octets → samples, full scale = 1. */
export const alawSamples = (clip: Uint8Array): Float32Array =>
  Float32Array.from(clip, (octet) => alawToLinear(octet) / 2 ** 15);

export function clipFacts(clip: Uint8Array): ClipFacts {
  // Every second bit of an octet is inverted; without its sign, the loudest one is 0x7f.
  const clipped = clip.reduce((count, octet) => count + (((octet ^ 0x55) & 0x7f) === 0x7f ? 1 : 0), 0);
  return {
    lengthMs: Math.round(clip.length / 8),
    levelDb: speechLevelDb(alawSamples(clip)),
    clipped: clip.length === 0 ? 0 : clipped / clip.length,
  };
}

/** What is wrong with a clip, each a sentence without its subject; empty where nothing is. */
export function clipProblems(name: ClipName, { lengthMs, levelDb, clipped }: ClipFacts): string[] {
  const problems: string[] = [];
  const { least, most } = lengthsMs(name);
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  if (lengthMs < least) problems.push(`lasts ${seconds(lengthMs)}, and must last at least ${seconds(least)}`);
  if (lengthMs > most) problems.push(`lasts ${seconds(lengthMs)}, and may last at most ${seconds(most)}`);
  if (levelDb === null) problems.push('has no speech in it');
  else if (Math.abs(levelDb - TARGET_DB) > LEVEL_MARGIN_DB)
    problems.push(`has a level of ${levelDb.toFixed(1)} dBFS, and must have ${TARGET_DB} ± ${LEVEL_MARGIN_DB} dBFS`);
  if (clipped > MOST_CLIPPED) problems.push(`is clipped in ${(clipped * 100).toFixed(1)} % of its samples`);
  return problems;
}
