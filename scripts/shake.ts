// `npm run shake`: npm test on a machine that stands still now and then, as busy, shared and virtual ones do. Every process below the tests,
// Postgres and the servers included, is stopped for up to half a second, about once a second. A test that waits on a condition passes;
// one that counts on being in time fails here before it fails for others.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from '../src/cli/command.ts';
import { readOptions } from './options.ts';
import { root } from './run.ts';
import { environmentAt } from './shake/clock.ts';
import { environmentLate } from './shake/late.ts';
import { resume, stopBelow } from './shake/processes.ts';

const betweenMs = { least: 200, most: 1_500 };
const leastMs = 50;

const usage = `usage: npm run shake -- [options] [what npm test takes]
  integration             one suite
  --longest=200 unit e2e  milliseconds; default 500, and 0 never stops anything
  --repeat=10 e2e         run after run, until one fails; says which
  --load=4 unit           so many processes beside it that do nothing but compute
  --late=50 e2e           three of a hundred writes to a socket are up to so many milliseconds late
  --at=2027-12-31T23:59:30Z unit
                          that time at the beginning (Debian's libfaketime): a minute, a day, a year ends within`;

const { values, words, whole, refuse } = readOptions(
  usage,
  {
    longest: text,
    repeat: text,
    load: text,
    late: text,
    at: text,
  },
  ['[<what npm test takes>…]'],
);
const longestMs = whole('longest', { least: 0 }, 500);
if (longestMs > 0 && longestMs < leastMs) refuse(`--longest must be 0, or at least ${leastMs}`);
const repeat = whole('repeat', { least: 1 }, 1);
const load = whole('load', { least: 0 }, 0);
const lateMs = whole('late', { least: 0 }, 0);
if (process.platform !== 'linux') throw new Error('processes are found in /proc: shaking needs Linux');

let tests: ChildProcess | undefined;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interrupted = true;
    tests?.kill(signal);
  });

const busy = Array.from({ length: load }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
process.on('exit', () => {
  for (const child of busy) child.kill('SIGKILL');
});

for (let run = 1; run <= repeat && !interrupted; run += 1) {
  if (repeat > 1) console.error(`(run ${run} of ${repeat})`);
  const code = await shaken();
  if (code === 0) continue;
  if (repeat > 1) console.error(`(run ${run} of ${repeat} failed)`);
  process.exitCode = code;
  break;
}
for (const child of busy) child.kill('SIGKILL');

/** One run; resolves with its exit code. */
async function shaken(): Promise<number> {
  // In a run at another time the time goes on from there; each run begins anew.
  const patient = environmentLate(lateMs, { RAMZ_SUITE_MINUTES: '60', ...process.env });
  const env = values.at === undefined ? patient : environmentAt(values.at, patient);
  const child = spawn(process.execPath, ['scripts/test.ts', ...words], { cwd: root, stdio: 'inherit', env });
  tests = child;
  const ended = once(child, 'exit') as Promise<[number | null]>;
  let stalls = 0;
  while (longestMs > 0 && child.exitCode === null && child.signalCode === null) {
    await Promise.race([ended, sleep(betweenMs.least + Math.random() * (betweenMs.most - betweenMs.least))]);
    if (child.exitCode !== null || child.signalCode !== null) break;
    const stopped = stopBelow(child.pid ?? 0);
    await sleep(leastMs + Math.random() * (longestMs - leastMs));
    resume(stopped);
    stalls += 1;
  }
  const [code] = await ended;
  console.error(`(the machine stood still ${stalls} times)`);
  return code ?? 1;
}
