// The loop: take an input, change it, run the target, keep what reaches something new, report what breaks.
import { performance } from 'node:perf_hooks';
import { readCorpus } from './corpus.ts';
import type { Coverage } from './coverage.ts';
import { mutate } from './mutate.ts';
import { type Random, randomOf } from './random.ts';
import type { Target } from './target.ts';

export interface FuzzOptions {
  /** Inputs at most. */
  count: number;
  /** Stops earlier when so much time has passed. Ms; default: none. */
  forMs?: number;
  seed: number;
  /** Keeps the inputs that reach something new. It must have begun before any code of the target first ran. */
  coverage?: Coverage;
  /** Kept by an earlier run. */
  more?: readonly Buffer[];
  /** Told each input before it runs, for a watchdog. */
  before?(target: Target, input: Buffer): void;
}

export interface Finding {
  target: string;
  input: Buffer;
  error: unknown;
}

export interface FuzzResult {
  inputs: number;
  /** What reached something new, beyond seeds and corpus. */
  kept: Buffer[];
  /** Blocks of src/ that ran, where coverage was taken. */
  blocks: number;
  finding: Finding | null;
}

/** An input that takes longer than this, in CPU time, hangs: none needs a thousandth of it. */
const mostCpuMs = 2_000;
const batchSize = 200;

export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzResult> {
  const { count, seed, coverage, more = [], forMs = Number.POSITIVE_INFINITY } = options;
  const random = randomOf(seed);
  const pool = [...target.seeds, ...readCorpus(target.name), ...more];
  const result: FuzzResult = { inputs: 0, kept: [], blocks: 0, finding: null };
  const until = performance.now() + forMs;
  const seen = new Set<string>();

  const runAll = async (inputs: readonly Buffer[]): Promise<void> => {
    const cpu = process.cpuUsage();
    for (const input of inputs) {
      options.before?.(target, input);
      result.inputs += 1;
      try {
        await target.run(input);
      } catch (error) {
        result.finding ??= { target: target.name, input, error };
        return;
      }
    }
    const { user, system } = process.cpuUsage(cpu);
    if ((user + system) / 1000 < mostCpuMs) return;
    if (inputs.length > 1) {
      for (const input of inputs) await runAll([input]);
    } else result.finding ??= { target: target.name, input: inputs[0]!, error: new Error('it takes too long') };
  };

  /** Finds the inputs of a batch that reach `wanted`, by halves. */
  const locate = async (inputs: readonly Buffer[], wanted: Set<string>): Promise<void> => {
    await runAll(inputs);
    const reached = [...(coverage as Coverage).take()].filter((block) => wanted.has(block));
    if (reached.length === 0 || result.finding) return;
    if (inputs.length === 1) {
      for (const block of reached) wanted.delete(block);
      pool.push(inputs[0]!);
      result.kept.push(inputs[0]!);
      return;
    }
    const middle = inputs.length >> 1;
    await locate(inputs.slice(0, middle), wanted);
    if (wanted.size > 0) await locate(inputs.slice(middle), wanted);
  };

  await runAll(pool);
  for (const block of coverage?.take() ?? []) seen.add(block);
  while (!result.finding && result.inputs < count && performance.now() < until) {
    const batch = Array.from({ length: batchSize }, () => nextInput(target, pool, random));
    await runAll(batch);
    if (!coverage || result.finding) continue;
    const fresh = new Set([...coverage.take()].filter((block) => !seen.has(block)));
    for (const block of fresh) seen.add(block);
    if (fresh.size > 0) await locate(batch, fresh);
  }
  result.blocks = seen.size;
  return result;
}

function nextInput(target: Target, pool: readonly Buffer[], random: Random): Buffer {
  if (target.generate && random.chance(0.25)) {
    const made = target.generate(random);
    return random.chance(0.5) ? made : mutate(made, random, { dictionary: target.dictionary, others: pool });
  }
  const input = random.pick(pool);
  if (target.mutate && random.chance(0.5)) return target.mutate(input, random);
  return mutate(input, random, { dictionary: target.dictionary, others: pool });
}

/** The finding's input without all that is not needed for it. Bounded: a few thousand runs. */
export async function shrink(target: Target, { input }: Finding): Promise<Buffer> {
  let smallest = input;
  const breaks = async (candidate: Buffer): Promise<boolean> => {
    try {
      await target.run(candidate);
      return false;
    } catch {
      return true;
    }
  };
  if (!(await breaks(input))) return input; // It takes too long, and so would its pieces.
  for (let size = smallest.length >> 1; size > 0; size >>= 1) {
    for (let from = 0; from < smallest.length; ) {
      const candidate = Buffer.concat([smallest.subarray(0, from), smallest.subarray(from + size)]);
      if (await breaks(candidate)) smallest = candidate;
      else from += size;
    }
  }
  return smallest;
}
