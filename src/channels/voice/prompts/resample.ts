// Sampling rates: a recording of any rate becomes one of 8000 samples a second. A low-pass filter comes with it, because what lies above
// 4 kHz would be folded down into the speech: /s/ is mostly there.

/** Edges of the filter, Hz: below the first everything passes, from the second on nothing does. A telephone ends at 3.4 kHz, too. */
const PASS_HZ = 3_400;
const STOP_HZ = 4_000;
/** By how much is stopped what is stopped, dB. */
const STOPPED_DB = 80;

/** Kaiser's window for that attenuation (Kaiser 1974: its shape, and the filter's length for a transition of so many hertz). */
const BETA = 0.1102 * (STOPPED_DB - 8.7);
const LENGTH_FACTOR = (STOPPED_DB - 7.95) / 14.36;

/** Modified Bessel function of the first kind, order 0. */
function bessel0(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-12; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/**
 * `samples` at `rate` a second → the same sound at 8000 a second. `rate` is at least 8000; at 8000 the samples come back as they are.
 * The rates have a ratio of whole numbers, so the filter is needed in finitely many phases, and each is computed once.
 */
export function resampleTo8k(samples: Float32Array, rate: number): Float32Array {
  if (rate === 8_000) return samples;
  const divisor = greatestDivisor(rate, 8_000);
  const [up, down] = [8_000 / divisor, rate / divisor];
  const half = Math.ceil((LENGTH_FACTOR * rate) / (STOP_HZ - PASS_HZ) / 2);
  const phases = new Map<number, Float64Array>();
  const out = new Float32Array(Math.floor((samples.length * up) / down));
  for (let n = 0; n < out.length; n += 1) {
    // The moment of output sample n lies `phase / up` after input sample `before`.
    const before = Math.floor((n * down) / up);
    const phase = (n * down) % up;
    let taps = phases.get(phase);
    if (taps === undefined) {
      taps = filterTaps(phase / up, half, (PASS_HZ + STOP_HZ) / 2 / rate);
      phases.set(phase, taps);
    }
    let sum = 0;
    const first = before - half;
    const from = Math.max(0, -first);
    const to = Math.min(taps.length, samples.length - first);
    for (let k = from; k < to; k += 1) sum += taps[k]! * samples[first + k]!;
    out[n] = sum;
  }
  return out;
}

/** Weights of the input samples from `half` before to `half` after the one that the output lies `offset` (0 to 1) behind. */
function filterTaps(offset: number, half: number, cutoff: number): Float64Array {
  const taps = new Float64Array(2 * half + 1);
  let sum = 0;
  for (let k = 0; k < taps.length; k += 1) {
    const x = k - half - offset;
    const inside = 1 - (x / (half + 1)) ** 2;
    const sinc = x === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * x) / (Math.PI * x);
    taps[k] = sinc * (inside > 0 ? bessel0(BETA * Math.sqrt(inside)) / bessel0(BETA) : 0);
    sum += taps[k]!;
  }
  // What is constant stays as loud as it is, in every phase.
  return taps.map((tap) => tap / sum);
}
