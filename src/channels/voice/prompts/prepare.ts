// A recording becomes a clip: any WAV file in, A-law at 8000 samples a second out, without its silence and at the level of all prompts.

import { linearToAlaw } from '../alaw.ts';
import type { ClipName } from '../clip.ts';
import { type ClipFacts, clipFacts, clipProblems } from './check.ts';
import { levelled, trim, withoutHum } from './level.ts';
import { resampleTo8k } from './resample.ts';
import { readWav, type Sound } from './wav.ts';

/** A longer recording is no clip, and would only cost time. */
const MOST_SECONDS = 60;

export type Prepared =
  | { kind: 'ok'; clip: Uint8Array; facts: ClipFacts }
  /** `reason` is a sentence without its subject, which is the file's name. */
  | { kind: 'refused'; reason: string };

/** `wav` is the file of the clip `name`. */
export function prepareClip(name: ClipName, wav: Uint8Array): Prepared {
  const read = readWav(wav);
  if (read.kind === 'refused') return read;
  const { rate } = read.sound;
  const samples = loudest(read.sound);
  if (samples.length > MOST_SECONDS * rate) return { kind: 'refused', reason: `lasts more than ${MOST_SECONDS} s` };
  // What the microphone cut off can't be seen later: levelling rounds off every peak.
  if (isOverdriven(samples))
    return { kind: 'refused', reason: 'is clipped: speak more softly, or turn the microphone down' };
  const speech = trim(withoutHum(resampleTo8k(samples, rate)));
  if (speech === null) return { kind: 'refused', reason: 'has no speech in it' };
  const clip = Uint8Array.from(levelled(speech), (sample) => linearToAlaw(Math.round(sample * 32_767)));
  const facts = clipFacts(clip);
  const [problem] = clipProblems(name, facts);
  if (problem !== undefined) return { kind: 'refused', reason: `${problem} (its silence is cut off already)` };
  return { kind: 'ok', clip, facts };
}

/** One channel: the mean of two would take away what they have in opposite phase. */
function loudest({ channels }: Sound): Float32Array {
  const energy = (samples: Float32Array) => samples.reduce((sum, sample) => sum + sample * sample, 0);
  return channels.reduce((best, samples) => (energy(samples) > energy(best) ? samples : best));
}

/** More than 1 % of the samples that are not silent are at full scale. */
function isOverdriven(samples: Float32Array): boolean {
  let [full, loud] = [0, 0];
  for (const sample of samples) {
    const size = Math.abs(sample);
    if (size > 0.01) loud += 1;
    if (size >= 0.999) full += 1;
  }
  return full > loud * 0.01;
}
