// Vitest reporter that writes what a suite came to for scripts/test.ts, to the file RAMZ_TEST_RESULT names.
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

export interface Remark {
  name: string;
  reason: string;
}

export interface SuiteResult {
  passed: number;
  failed: Remark[];
  skipped: Remark[];
  /** Where the order was shuffled: what gives the same order again. */
  seed?: number;
}

export default class CountingReporter implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const unhandled = unhandledErrors.map((error) => ({ name: 'unhandled error', reason: messageOf(error) }));
    const result: SuiteResult = { passed: 0, failed: unhandled, skipped: [] };
    for (const module of modules) count(module, result);
    const seed = this.vitest?.getSeed();
    if (seed != null) result.seed = Number(seed);
    const file = process.env.RAMZ_TEST_RESULT;
    if (file) writeFileSync(file, JSON.stringify(result));
  }
}

function count(module: TestModule, result: SuiteResult): void {
  const before = result.failed.length;
  for (const test of module.children.allTests()) {
    const outcome = test.result();
    const name = `${module.relativeModuleId} > ${test.fullName}`;
    if (outcome.state === 'passed') result.passed += 1;
    else if (outcome.state === 'failed') result.failed.push({ name, reason: reasonOf(outcome.errors) });
    else {
      const reason = outcome.state === 'skipped' ? (outcome.note ?? 'marked as skipped') : 'never ran';
      result.skipped.push({ name, reason });
    }
  }
  // A file that can't be loaded, or whose afterAll found a leak, failed though none of its tests did.
  if (module.state() === 'failed' && result.failed.length === before)
    result.failed.push({ name: module.relativeModuleId, reason: reasonOf(module.errors()) });
}

/** Each error once: a test that fails in a loop repeats itself. */
const reasonOf = (errors: readonly unknown[]): string => [...new Set(errors.map(messageOf))].join('\n');

/** What was wrong and where: the message, the first line of ours that the stack names, and how the values differ. */
function messageOf(error: unknown): string {
  const { message, stack, diff } = error as { message?: string; stack?: string; diff?: string };
  const place = stack?.split('\n').find((line) => /^\s+at /.test(line) && !line.includes('node_modules'));
  const parts = [message ?? String(error), place?.trim(), diff];
  return stripVTControlCharacters(parts.filter((part) => part !== undefined).join('\n'));
}
