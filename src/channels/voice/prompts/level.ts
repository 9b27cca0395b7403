// Loudness: the level of speech without its pauses, where the speech of a recording begins and ends, and the gain that brings it to the
// level of all prompts. Samples are at 8000 a second, full scale = 1; levels are dB below full scale (dBFS), as RMS.

/** All prompts are this loud, give or take 3 dB: the digits of two banks may follow each other in one call. */
export const TARGET_DB = -16;

const RATE = 8_000;
/** Frames of 10 ms: shorter than any sound of speech. */
const FRAME = RATE / 100;

const db = (power: number): number => 10 * Math.log10(power + 1e-12);

/** The power of each whole frame. */
function framePowers(samples: Float32Array): number[] {
  return Array.from({ length: Math.floor(samples.length / FRAME) }, (_, i) => {
    let sum = 0;
    for (const sample of samples.subarray(i * FRAME, (i + 1) * FRAME)) sum += sample * sample;
    return sum / FRAME;
  });
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * RMS of the frames in which there is speech: those at most 15.9 dB (the margin of ITU-T P.56) below the mean of what is above -55 dBFS.
 * Null where there is no speech.
 */
export function speechLevelDb(samples: Float32Array): number | null {
  const loud = framePowers(samples).filter((power) => db(power) > -55);
  if (loud.length === 0) return null;
  const gate = mean(loud) * 10 ** -1.59;
  return db(mean(loud.filter((power) => power >= gate)));
}

/** Speech that is kept on both sides of what was found: soft beginnings and endings are below the threshold. Frames. */
const LEAD = 4;
const TAIL = 8;
/** Shorter sounds with a pause beside them are a click of the mouse or of the lips. Frames. */
const CLICK = 5;
const PAUSE = 15;

/**
 * The recording without the silence before and after the speech, faded in and out over 5 ms. Null where there is no speech.
 * What is speech is decided by the noise of this very recording.
 */
export function trim(samples: Float32Array): Float32Array | null {
  const levels = framePowers(samples).map(db);
  const sorted = levels.toSorted((a, b) => a - b);
  const peak = sorted.at(-1) ?? -Infinity;
  if (peak < -50) return null;
  const noise = sorted[Math.floor(sorted.length / 10)]!;
  const threshold = Math.min(Math.max(noise + 9, peak - 38), peak - 24);
  const runs = runsOf(levels.map((level) => level > threshold)).filter(({ from, to }, i, all) => {
    const alone = from - (all[i - 1]?.to ?? -Infinity) > PAUSE && (all[i + 1]?.from ?? Infinity) - to > PAUSE;
    return !alone || to - from >= CLICK;
  });
  if (runs.length === 0) return null;
  const from = Math.max(0, runs[0]!.from - LEAD) * FRAME;
  const to = Math.min(samples.length, (runs.at(-1)!.to + TAIL) * FRAME);
  return faded(samples.slice(from, to));
}

/** Runs of true: from the first frame to the one behind the last. */
function runsOf(flags: readonly boolean[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const [i, on] of flags.entries()) {
    if (!on) continue;
    const last = runs.at(-1);
    if (last?.to === i) last.to = i + 1;
    else runs.push({ from: i, to: i + 1 });
  }
  return runs;
}

function faded(samples: Float32Array): Float32Array {
  const length = Math.min(RATE / 200, samples.length / 2);
  for (let i = 0; i < length; i += 1) {
    samples[i]! *= i / length;
    samples[samples.length - 1 - i]! *= i / length;
  }
  return samples;
}

/**
 * Everything below 150 Hz goes: the hum of mains (50, 100 Hz), wind and blows, none of which a telephone carries. Two sections of
 * Butterworth's filter.
 */
export function withoutHum(samples: Float32Array): Float32Array {
  let out = samples;
  for (const q of [0.5412, 1.3066]) out = highPass(out, 150, q);
  return out;
}

/** One section of a high-pass filter (the bilinear transform of the analogue one). */
function highPass(samples: Float32Array, hz: number, q: number): Float32Array {
  const w = (2 * Math.PI * hz) / RATE;
  const [cos, alpha] = [Math.cos(w), Math.sin(w) / (2 * q)];
  const a0 = 1 + alpha;
  const [b0, b1, a1, a2] = [(1 + cos) / 2 / a0, -(1 + cos) / a0, (-2 * cos) / a0, (1 - alpha) / a0];
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  return samples.map((x) => {
    const y = b0 * x + b1 * x1 + b0 * x2 - a1 * y1 - a2 * y2;
    [x2, x1, y2, y1] = [x1, x, y1, y];
    return y;
  });
}

/** Peaks are rounded off from here, and stay below full scale, so that nothing is clipped. */
const KNEE = 0.6;
const CEILING = 0.95;

const rounded = (sample: number): number => {
  const over = Math.abs(sample) - KNEE;
  if (over <= 0) return sample;
  return Math.sign(sample) * (KNEE + (CEILING - KNEE) * Math.tanh(over / (CEILING - KNEE)));
};

/** The sound at the level of all prompts. What is no speech comes back as it is. */
export function levelled(samples: Float32Array): Float32Array {
  let gain = 1;
  let out = samples;
  // Rounding the peaks off takes away some of the level: a few rounds give it back.
  for (let round = 0; round < 4; round += 1) {
    const level = speechLevelDb(out);
    if (level === null) return samples;
    gain *= 10 ** ((TARGET_DB - level) / 20);
    out = samples.map((sample) => rounded(sample * gain));
  }
  return out;
}
