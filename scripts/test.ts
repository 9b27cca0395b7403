// `npm test`: prepares the tools, runs the suites one after another, and ends with one line "N passed, N failed".
//
//   npm test                                   every suite
//   npm test -- unit                           one suite (or several)
//   npm test -- test/unit/core/phone.test.ts   one file (or any part of its path)
//
// A suite is a program that writes its counts as JSON (SuiteResult) to the file RAMZ_TEST_RESULT names; one that writes
// none has crashed, which is a failure. So is a suite without tests, and with CI=true every skip. What failed is told
// again before the last line: the log of a long run is often kept cut, and its end is what remains.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { Remark, SuiteResult } from '../test/support/reporter.ts';
import { root, run, running } from './run.ts';
import { prepareAptPackages } from './tools/apt.ts';
import { prepareGoTools } from './tools/go.ts';
import { preparePythonTools } from './tools/python.ts';

/** Ends what hangs; RAMZ_SUITE_MINUTES where more is normal, as for a machine that stands still half of the time. */
const SUITE_TIMEOUT_MS = Number(process.env.RAMZ_SUITE_MINUTES ?? 15) * 60_000;
/** Of a failure's reason, told again at the end: enough to see what was expected and where. */
const REASON_LINES = 12;

/** In the order they run. */
const SDKS: readonly string[] = ['python', 'node', 'php', 'laravel', 'go'];
/** What the documentation shows: test/sdks/<name>.ts, too. */
const PAGES: readonly string[] = ['docs', 'snippets', 'examples'];

/** Name → command line; what the caller filters by is appended. */
const SUITES: Record<string, readonly string[]> = {
  unit: vitest('unit'),
  integration: vitest('integration'),
  e2e: vitest('e2e'),
  peers: vitest('peers'),
};

for (const name of SDKS) SUITES[`sdk-${name}`] = [process.execPath, 'test/sdks/run.ts', name];
for (const name of PAGES) SUITES[name] = [process.execPath, 'test/sdks/run.ts', name];

const fromTerminal = isatty(0);
const inCI = process.env.CI === 'true';
const say = (line: string) => console.log(line);
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interrupted = true;
    if (signal === 'SIGINT' && fromTerminal) return; // Ctrl-C reached the suites too; twice would be "at once".
    for (const child of running) child.kill(signal);
  });

const asked = process.argv.slice(2);
const filters = asked.filter((arg) => !Object.hasOwn(SUITES, arg));
const suites = chooseSuites();

// Below another run, as its test has it, the tools are there as far as they are wanted.
const isBelow = process.env.RAMZ_TEST_RESULT !== undefined;
for (const prepare of isBelow ? [] : [prepareAptPackages, prepareGoTools, preparePythonTools]) {
  const problem = interrupted ? undefined : await prepare(say);
  if (problem !== undefined) say(`tools: ${problem}`);
}

const total: SuiteResult = { passed: 0, failed: [], skipped: [] };
for (const name of suites) {
  if (interrupted) break;
  const startedAt = performance.now();
  const result = await runSuite(name);
  total.passed += result.passed;
  total.failed.push(...result.failed.map((one) => ({ ...one, name: `${name}: ${one.name}` })));
  total.skipped.push(...result.skipped);
  say(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}
finish();

function vitest(project: string): string[] {
  const reporters = ['--reporter=default', '--reporter=./test/support/reporter.ts'];
  return [
    process.execPath,
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    project,
    ...reporters,
    '--passWithNoTests',
  ];
}

/** The named ones; else those the given paths lie in; else all. */
function chooseSuites(): string[] {
  const all = Object.keys(SUITES);
  const named = all.filter((name) => asked.includes(name));
  if (named.length > 0) return named;
  const byPath = all.filter((name) => filters.some((filter) => filter.includes(`test/${name}/`)));
  return byPath.length > 0 ? byPath : all;
}

async function runSuite(name: string): Promise<SuiteResult> {
  const [program = '', ...args] = SUITES[name] ?? [];
  mkdirSync(join(root, '.tools'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tools', 'result-'));
  const file = join(folder, `${name}.json`);
  const { code } = await run(program, [...args, ...filters], {
    stdio: 'inherit',
    timeoutMs: SUITE_TIMEOUT_MS,
    env: { ...process.env, RAMZ_TEST_RESULT: file },
  });
  const result = readResult(file);
  rmSync(folder, { recursive: true, force: true });
  if (result === undefined) return problem(`crashed (exit code ${code})`);
  if (code !== 0 && result.failed.length === 0) return { ...result, failed: problem(`exit code ${code}`).failed };
  const ran = result.passed + result.failed.length + result.skipped.length;
  if (ran === 0 && filters.length === 0) return problem('no tests');
  return result;
}

function readResult(file: string): SuiteResult | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SuiteResult;
  } catch {
    return undefined;
  }
}

function problem(reason: string): SuiteResult {
  return { passed: 0, failed: [{ name: 'the suite itself', reason }], skipped: [] };
}

function tell(label: string, { name, reason }: Remark): void {
  const lines = reason.split('\n');
  const rest = lines.length > REASON_LINES ? [`(${lines.length - REASON_LINES} lines more above)`] : [];
  say([`${label}: ${name}`, ...lines.slice(0, REASON_LINES), ...rest].join('\n    '));
}

function finish(): void {
  const ran = total.passed + total.failed.length + total.skipped.length;
  if (interrupted) total.failed.push({ name: 'npm test', reason: 'interrupted' });
  else if (ran === 0) total.failed.push({ name: 'npm test', reason: 'no tests match' });
  for (const one of total.skipped) tell(inCI ? 'FAILED, skipped in CI' : 'skipped', one);
  for (const one of total.failed) tell('FAILED', one);
  const skipped = inCI ? 0 : total.skipped.length;
  const failed = total.failed.length + (inCI ? total.skipped.length : 0);
  say(`${total.passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed > 0 ? 1 : 0;
}
