// `npm run bench`: starts what it measures, measures it, prints one table. What the figures mean is told in docs/performance.md.

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Arguments, type BenchName, parseArguments } from './arguments.ts';
import { besideCalls } from './benches/beside-calls.ts';
import { calls } from './benches/calls.ts';
import { grpc, rest } from './benches/doors.ts';
import { idle } from './benches/idle.ts';
import { latency } from './benches/latency.ts';
import { memory } from './benches/memory.ts';
import { peers } from './benches/peers.ts';
import { processes } from './benches/processes.ts';
import { rows } from './benches/rows.ts';
import { smpp } from './benches/smpp.ts';
import { somebodyElses } from './benches/somebody-elses.ts';
import { ss7 } from './benches/ss7.ts';
import { stored } from './benches/stored.ts';
import { submit } from './benches/submit.ts';
import { referenceName, saturate, verifications } from './benches/verifications.ts';
import { profile } from './profile/run.ts';
import { writeIntoDocument } from './report/document.ts';
import { type Figure, figuresOf, type Sample } from './report/figures.ts';
import { sizingOf } from './report/sizing.ts';
import { tableOf } from './report/table.ts';
import { closeRigs, type Rig, startRig } from './rig/rig.ts';

/** Until then Node compiles more than it runs. */
const warmupSeconds = 10;
/** Verifications before memory is looked at for the first time. */
const firstLook = 10_000;

/** Jobs of an idle process come as seldom as once in ten seconds. */
const leastIdleSeconds = 20;

const say = (line: string) => process.stdout.write(`${line}\n`);

const onRig: Partial<Record<BenchName, (rig: Rig, args: Arguments) => Promise<Sample[]>>> = {
  verifications: (rig, { seconds, inFlight }) => verifications(rig, { seconds, inFlight }),
  latency: (rig, { seconds }) => latency(rig, seconds),
  rest: (rig, { seconds }) => rest(rig, seconds / 2),
  grpc: (rig, { seconds }) => grpc(rig, seconds / 2),
};

const alone: Partial<Record<BenchName, (args: Arguments) => Promise<Sample[]>>> = {
  smpp: ({ seconds }) => smpp(seconds / 2),
  calls: async ({ callSeconds, seconds }) => [...(await calls(callSeconds)), ...(await besideCalls(2 * seconds))],
  memory: ({ memory: count }) => memory([...new Set([Math.min(firstLook, count), count])]),
  processes: ({ seconds, rate }) => processes({ seconds, ratePerSecond: rate }),
  idle: ({ seconds }) => idle(Math.max(leastIdleSeconds, seconds)),
  rows: ({ rows: count }) => rows(count),
  postgres: ({ seconds }) => somebodyElses(seconds),
  peers: ({ seconds }) => peers(seconds),
  submit: ({ seconds, submitRate }) => submit(seconds, submitRate),
  stored: ({ stored: sessions }) => stored(sessions),
  ss7: ({ seconds, runs }) => ss7(seconds / 2, runs),
};

/** Started once, whatever `--runs` says: filling a database takes minutes, and a JVM is slow until it is warm. */
const once: readonly BenchName[] = ['stored', 'ss7'];

/** The tables in docs/performance.md: `--docs` writes those of which anything was measured. */
const blocks: Readonly<Record<string, readonly BenchName[]>> = {
  figures: ['verifications', 'latency', 'rest', 'grpc', 'smpp', 'calls', 'memory'],
  scale: ['processes', 'idle', 'rows'],
  strangers: ['postgres', 'submit', 'stored', 'peers'],
  ss7: ['ss7'],
};

async function measure(args: Arguments): Promise<Sample[]> {
  const samples: Sample[] = [];
  const runs = Array.from({ length: args.runs }, (_, index) => index + 1);
  const each = async (name: BenchName, run: number, bench: () => Promise<Sample[]>) => {
    say(`${name}, run ${run} of ${args.runs} …`);
    samples.push(...(await bench()));
  };
  const together = args.benches.filter((name) => onRig[name]);
  if (together.length > 0) {
    const rig = await startRig();
    try {
      say('warming up …');
      await saturate(rig, { seconds: warmupSeconds, inFlight: args.inFlight });
      for (const run of runs) {
        for (const name of together) await each(name, run, async () => (await onRig[name]?.(rig, args)) ?? []);
      }
    } finally {
      await rig.close();
    }
  }
  for (const name of args.benches) {
    for (const run of !alone[name] ? [] : once.includes(name) ? [1] : runs)
      await each(name, run, async () => (await alone[name]?.(args)) ?? []);
  }
  return samples;
}

async function main(): Promise<number> {
  const parsed = parseArguments(process.argv.slice(2));
  if (parsed.kind === 'help') {
    say(parsed.text);
    return 2;
  }
  const args = parsed.value;
  if (process.platform !== 'linux') throw new Error('CPU time is read from /proc: the bench needs Linux');
  if (args.profile) {
    await profile(args, say);
    return 0;
  }
  const measured: Record<string, Record<string, Figure>> = {};
  for (const [block, names] of Object.entries(blocks)) {
    const benches = args.benches.filter((name) => names.includes(name));
    if (benches.length > 0) measured[block] = figuresOf(await measure({ ...args, benches }));
  }
  const figures: Record<string, Figure> = Object.assign({}, ...Object.values(measured));
  const out = fileURLToPath(new URL('out/', import.meta.url));
  mkdirSync(out, { recursive: true });
  writeFileSync(`${out}latest.json`, `${JSON.stringify(figures, null, 2)}\n`);
  for (const [block, own] of Object.entries(measured)) {
    if (Object.keys(own).length === 0) continue; // It was left out, and has said why.
    const told = `${tableOf(own)}\n\n${circumstances(args, block)}`;
    say(`\n${told}`);
    if (args.docs) writeIntoDocument(block, told);
  }
  const sizing = sizingOf(figures);
  if (sizing !== null) {
    const told = `${sizing}\n\nDerived, not run at these rates, from a verification's cost on ${machine()}`;
    say(`\n${told}`);
    if (args.docs) writeIntoDocument('sizing', told, 'scale.md');
  }
  return 0;
}

const machine = () => `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.versions.node}`;

/** What one has to know of a run to compare it with another. */
function circumstances({ runs, seconds, inFlight, ...args }: Arguments, block: string): string {
  const [minute = 0] = loadavg();
  const where = `${machine()}; load average at the end ${minute.toFixed(1)}.`;
  const medians = `Medians of ${runs} runs of ${seconds} s`;
  const said: Record<string, string[]> = {
    figures: [
      `${medians}; ${inFlight} verifications under way at saturation.`,
      `References: verifications and cpu_postgres ${referenceName()}; rest Fastify; grpc grpc-js; smpp npm smpp; calls a timer for each call in the main thread.`,
    ],
    scale: [
      `${medians}, ${2 * seconds} s at ${args.rate} a second; 64 verifications under way at saturation; wal and hot over ${args.rows} verifications.`,
      'References: processes_2 and processes_4 one process.',
    ],
    strangers: [
      `${medians}; stored (one run) ${args.stored} sessions.`,
      'References: postgres_default the embedded Postgres; latency a call of a server that does nothing; stored a tenth of the sessions; message Kannel.',
    ],
    ss7: [
      `Medians of ${runs} runs of ${seconds / 2} s in one gateway that is warm.`,
      "References: the sandbox's SMSC, which is npm smpp in one process.",
    ],
  };
  return [where, ...(said[block] ?? [])].join('\n');
}

let ending = false;
let finished = false;
/** Taking down what was started takes seconds; what takes longer is left. */
const closingMs = 30_000;

const warn = (line: string) => process.stderr.write(`bench: ${line}\n`);

/** What fails because everything is being taken down is not told; that it ends, always. */
function breakOff(code: number, why: unknown): void {
  if (ending) return;
  ending = true;
  warn(`broken off: ${why instanceof Error ? why.stack : String(why)}`);
  setTimeout(() => {
    warn(`what was started did not end within ${closingMs / 1000} s`);
    process.exit(code);
  }, closingMs);
  closeRigs()
    .catch((error) => warn(`what was started could not be ended: ${error}`))
    .finally(() => process.exit(code));
}

process.on('SIGINT', () => breakOff(130, 'SIGINT'));
process.on('SIGTERM', () => breakOff(143, 'SIGTERM'));
process.on('SIGHUP', () => breakOff(129, 'SIGHUP'));
process.on('uncaughtException', (error) => breakOff(1, error));
process.on('exit', () => {
  if (finished || ending) return;
  warn('ended before it was done: nothing was left to wait for');
  process.exitCode = 1;
});

process.exitCode = await main();
finished = true;
