// `npm run fuzz`: a million inputs for everything that reads what strangers write. See docs/fuzzing.md.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { flag, text, texts } from '../src/cli/command.ts';
import { keep } from '../test/fuzz/corpus.ts';
import { startCoverage } from '../test/fuzz/coverage.ts';
import { type FuzzResult, fuzz, shrink } from '../test/fuzz/fuzz.ts';
import type { Target } from '../test/fuzz/target.ts';
import { readOptions } from './options.ts';

const usage = `usage: npm run fuzz -- [options]
  --count 5000000   inputs, over all targets (default 1,000,000)
  --seconds 600     at most (default 900)
  --seed 42         the same inputs again
  --target receipt  this one alone; may be repeated
  --save            keeps the inputs that reached new code`;

const { values, whole, refuse } = readOptions(usage, {
  count: text,
  seconds: text,
  seed: text,
  target: texts,
  save: flag,
});
const count = whole('count', { least: 1 }, 1_000_000);
const mostSeconds = whole('seconds', { least: 1 }, 900);
const seed = whole('seed', { least: 0 }, Date.now() % 2 ** 31);
/** The part of all inputs that is guided by coverage: what is easily reached is reached by then, and the rest runs at full speed. */
const guidedPart = 0.1;
/** What is kept after a garbage collection may grow by this much over a whole target: no leak of 100 octets an input fits. */
const mostGrowthMb = 24;

/** An input that never ends can't be stopped from its own thread: another one watches, and tells which it was. */
const watched = new SharedArrayBuffer(8 + 65_536);
const watch = { beat: new Int32Array(watched, 0, 2), input: Buffer.from(watched, 8) };
new Worker(new URL('../test/fuzz/watchdog.ts', import.meta.url), { workerData: watched }).unref();
const before = (_: Target, input: Buffer) => {
  watch.input.set(input.subarray(0, watch.input.length));
  watch.beat[1] = input.length;
  watch.beat[0] = (watch.beat[0]! + 1) & 0x7fffffff;
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** What a WeakRef names lives to the end of its turn, and what a signal remembers of others goes in a turn of its own: inputs share one. */
const heapMb = async (): Promise<number> => {
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    collect();
  }
  return process.memoryUsage().heapUsed / 2 ** 20;
};

// V8 counts blocks only in what it compiles from now on: the targets come after.
const coverage = startCoverage();
const { targets } = await import('../test/fuzz/targets.ts');
const chosen = targets.filter(({ name }) => values.target?.includes(name) ?? true);
const strange = values.target?.find((name) => !targets.some((target) => target.name === name));
if (strange !== undefined) refuse(`--target ${strange}: it is one of ${targets.map(({ name }) => name).join(', ')}`);
const weights = chosen.reduce((sum, { weight }) => sum + weight, 0);
const shareOf = ({ weight }: Target, part: number) => ({
  count: Math.ceil((count * part * weight) / weights),
  // The slow targets are the light ones: none has less than a tenth of the time.
  forMs: mostSeconds * 1000 * part * Math.max(0.1, weight / weights),
});

console.log(`seed ${seed}, ${count} inputs, at most ${mostSeconds} s`);
const guided = new Map<Target, FuzzResult>();
for (const target of chosen) {
  guided.set(target, await fuzz(target, { ...shareOf(target, guidedPart), seed: seed ^ 1, coverage, before }));
}
coverage.stop();

console.log('target          inputs   per s  blocks  kept  heap MB');
let found = 0;
let total = 0;
for (const [target, first] of guided) found += (await runAtFullSpeed(target, first)) ? 0 : 1;
console.log(`${total} inputs, ${found === 0 ? 'nothing' : found} found`);
process.exitCode = found > 0 ? 1 : 0;

async function runAtFullSpeed(target: Target, first: FuzzResult): Promise<boolean> {
  const startHeap = await heapMb();
  const startedAt = performance.now();
  const second = first.finding
    ? first
    : await fuzz(target, { ...shareOf(target, 1 - guidedPart), seed, more: first.kept, before });
  watch.beat[0] = -1;
  const seconds = (performance.now() - startedAt) / 1000;
  const grownMb = (await heapMb()) - startHeap;
  const inputs = first.inputs + (second === first ? 0 : second.inputs);
  total += inputs;
  const row = [inputs, Math.round(second.inputs / seconds), first.blocks, first.kept.length, grownMb.toFixed(1)];
  console.log(target.name.padEnd(12), ...row.map((cell, at) => String(cell).padStart(at === 0 ? 9 : 7)));
  if (values.save) for (const input of first.kept) keep(target.name, input);
  if (second.finding) await report(target, second.finding);
  if (grownMb > mostGrowthMb) console.log(`FOUND in ${target.name}: memory grew by ${grownMb.toFixed(1)} MB`);
  return !second.finding && grownMb <= mostGrowthMb;
}

async function report(target: Target, finding: NonNullable<FuzzResult['finding']>): Promise<void> {
  const input = await shrink(target, finding);
  const path = keep(target.name, input);
  console.log(`FOUND in ${target.name}, seed ${seed}, kept as ${path}`);
  console.log(`  hex  ${input.toString('hex')}`);
  console.log(`  text ${JSON.stringify(input.toString('latin1'))}`);
  console.log(finding.error);
}
