// `npm run shake`: npm test on a machine that stands still now and then, as busy, shared and virtual ones do. Every process below the tests,
// Postgres and the servers included, is stopped for up to half a second, about once a second. A test that waits on a condition passes;
// one that counts on being in time fails here before it fails for others.
//
//   npm run shake -- integration                     what npm test takes
//   npm run shake -- --longest=200 unit e2e          milliseconds; default 500
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root } from './run.ts';

const betweenMs = { least: 200, most: 1_500 };
const leastMs = 50;

const { values, positionals } = parseArgs({
  options: { longest: { type: 'string', default: '500' } },
  allowPositionals: true,
});
const longestMs = Number(values.longest);
if (!(longestMs >= leastMs)) throw new Error(`--longest: ${values.longest} is not a number from ${leastMs} on`);
if (process.platform !== 'linux') throw new Error('processes are found in /proc: shaking needs Linux');

const tests = spawn(process.execPath, ['scripts/test.ts', ...positionals], { cwd: root, stdio: 'inherit' });
const ended = once(tests, 'exit') as Promise<[number | null]>;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal));

let stalls = 0;
while (tests.exitCode === null && tests.signalCode === null) {
  await sleep(betweenMs.least + Math.random() * (betweenMs.most - betweenMs.least));
  const stopped = stopBelow(tests.pid ?? 0);
  await sleep(leastMs + Math.random() * (longestMs - leastMs));
  for (const pid of stopped) signalled(pid, 'SIGCONT');
  stalls += 1;
}
const [code] = await ended;
console.error(`(the machine stood still ${stalls} times)`);
process.exitCode = code ?? 1;

/** Parents first, so that none starts another unseen. What a test has stopped itself is left to it. */
function stopBelow(top: number): number[] {
  const stopped: number[] = [];
  for (const pid of [top, ...below(top)]) if (stateOf(pid) !== 'T' && signalled(pid, 'SIGSTOP')) stopped.push(pid);
  return stopped;
}

function below(top: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = parentOf(Number(name));
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [...(children.get(top) ?? [])];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** False where it is gone already. */
function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function stateOf(pid: number): string | null {
  return statOf(pid)?.[0] ?? null;
}

function parentOf(pid: number): number | null {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? null : Number(parent);
}

/** What follows the name in /proc/<pid>/stat (proc(5)): state, parent, and more. */
function statOf(pid: number): string[] | null {
  if (Number.isNaN(pid)) return null;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
