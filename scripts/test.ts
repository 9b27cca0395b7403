// `npm test`: prepares what the chosen tests need (scripts/test/needs.ts), runs the suites one after another (scripts/test/suites.ts), and
// ends with one line "N passed, N failed", and ", N skipped" where some were.
//
//   npm test                                   every suite
//   npm test -- unit                           one suite (or several); `ss7` and `far` run by their name alone
//   npm test -- test/unit/core/phone.test.ts   one file (or any part of its path)
//   npm test -- unit --sequence.seed=7         unit in the order of that run
//
// A suite is a program that writes its counts as JSON (SuiteResult) to the file RAMZ_TEST_RESULT names; one that writes
// none has crashed, which is a failure. So is a suite without tests, and with CI=true every skip that test/may-skip.txt does not
// allow. What failed is told again before the last line: the log of a long run is often kept cut, and its end is what remains.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { Remark, SuiteResult } from '../test/support/reporter.ts';
import { root, run, running } from './run.ts';
import { maySkip, readMaySkip } from './test/may-skip.ts';
import { choose, type Suite } from './test/suites.ts';
import { prepare } from './tools/prepare.ts';

/** Ends what hangs; RAMZ_SUITE_MINUTES where more is normal, as for a machine that stands still half of the time. */
const SUITE_TIMEOUT_MS = Number(process.env.RAMZ_SUITE_MINUTES ?? 30) * 60_000;
/** Of a failure's reason, told again at the end: enough to see what was expected and where. */
const REASON_LINES = 12;

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

const { suites, filters, needs } = choose(process.argv.slice(2));

// Below another run, as its test has it, the tools are there as far as they are wanted.
if (process.env.RAMZ_TEST_RESULT === undefined)
  for (const step of prepare(needs)) {
    const problem = interrupted ? undefined : await step(say);
    if (problem !== undefined) say(`tools: ${problem}`);
  }

/** What runs a suite that failed in the same order again. */
const seeds: string[] = [];
const total: SuiteResult = { passed: 0, failed: [], skipped: [] };
for (const suite of suites) {
  if (interrupted) break;
  const { name } = suite;
  const startedAt = performance.now();
  const result = await runSuite(suite);
  total.passed += result.passed;
  total.failed.push(...result.failed.map((one) => ({ ...one, name: `${name}: ${one.name}` })));
  if (result.failed.length > 0 && result.seed !== undefined) seeds.push(`${name} --sequence.seed=${result.seed}`);
  total.skipped.push(...result.skipped);
  say(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}
finish();

async function runSuite({ name, command }: Suite): Promise<SuiteResult> {
  const [program = '', ...args] = command;
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
  const allowed = inCI ? readMaySkip() : [];
  const skipped = total.skipped.filter((one) => !inCI || maySkip(one, allowed));
  const unallowed = total.skipped.filter((one) => !skipped.includes(one));
  for (const one of skipped) tell('skipped', one);
  for (const one of unallowed) tell('FAILED, skipped in CI', one);
  for (const one of total.failed) tell('FAILED', one);
  for (const seed of seeds) say(`the order was shuffled; the same one again: npm test -- ${seed}`);
  const failed = total.failed.length + unallowed.length;
  say(`${total.passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  process.exitCode = failed > 0 ? 1 : 0;
}
