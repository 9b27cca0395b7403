// One SDK's suite: `node test/sdks/run.ts <name>`. Starts the service with its sandbox, runs the steps of ./<name>.ts one
// after another, and writes the counts to the file RAMZ_TEST_RESULT names, as scripts/test.ts wants them.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run, running } from '../../scripts/run.ts';
import { leftovers } from '../../src/db/embedded.ts';
import type { SuiteResult } from '../support/reporter.ts';
import { readJunit } from './junit.ts';
import { type Live, startLive } from './live.ts';
import type { Step, Suite, SuiteContext } from './suite.ts';

const stepMs = 5 * 60_000;
const name = process.argv[2] ?? '';
process.env.RAMZ_SUITE_FILE = `test/sdks/${name}.ts`;
const total: SuiteResult = { passed: 0, failed: [], skipped: [] };
const folder = mkdtempSync(join(tmpdir(), `ramz-${name}-`));
let live: Live | undefined;
let stopping: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stopping = signal;
    for (const child of running) child.kill(signal);
  });

try {
  const { suite } = (await import(`./${name}.ts`)) as { suite: Suite };
  live = await startLive(folder);
  const context: SuiteContext = { root, folder, env: live.env };
  const missing = await suite.missing?.(context);
  if (missing !== undefined) total.skipped.push({ name, reason: missing });
  else for (const step of await suite.steps(context)) if (!(await runStep(step, context))) break;
} catch (error) {
  console.error(error);
  total.failed.push({ name, reason: String(error) });
} finally {
  await live?.stop();
  rmSync(folder, { recursive: true, force: true });
  for (const { place, dataDir } of leftovers())
    if (dataDir.startsWith(folder)) total.failed.push({ name, reason: `its database is left in ${place}` });
}
if (stopping) total.failed.push({ name, reason: `ended by ${stopping}` });
const file = process.env.RAMZ_TEST_RESULT;
if (file) writeFileSync(file, JSON.stringify(total));
console.log(`${name}: ${total.passed} passed, ${total.failed.length} failed, ${total.skipped.length} skipped`);
process.exitCode = total.failed.length > 0 ? 1 : 0;

/** Returns whether the next step makes sense. */
async function runStep(step: Step, { env }: SuiteContext): Promise<boolean> {
  if (stopping) return false;
  const startedAt = performance.now();
  const { code, output } = await run(step.program, step.args, {
    cwd: join(root, step.cwd ?? '.'),
    env: { ...process.env, ...env, ...step.env },
    timeoutMs: step.timeoutMs ?? stepMs,
  });
  const counts = step.junit === undefined ? undefined : reportOf(step.junit);
  const result: SuiteResult = counts ?? { passed: code === 0 ? 1 : 0, failed: [], skipped: [] };
  if (code !== 0 && result.failed.length === 0) result.failed.push({ name: step.name, reason: `exit code ${code}` });
  total.passed += result.passed;
  total.failed.push(...result.failed.map((one) => ({ ...one, name: `${name}: ${one.name}` })));
  total.skipped.push(...result.skipped);
  const isGood = code === 0 && result.failed.length === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(` ${isGood ? '✓' : '✗'} ${step.name} (${counts ? `${counts.passed} passed, ` : ''}${seconds} s)`);
  if (step.notes !== undefined && existsSync(step.notes)) console.log(readFileSync(step.notes, 'utf8').trimEnd());
  if (!isGood) console.log(`${step.program} ${step.args.join(' ')}\n${output}`);
  return isGood;
}

/** A runner that crashed writes none: that is a failure. */
function reportOf(path: string): SuiteResult {
  try {
    return readJunit(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: [{ name: path, reason: 'no report was written' }], skipped: [] };
  }
}
