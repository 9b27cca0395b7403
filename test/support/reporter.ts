// Vitest reporter that writes a suite's counts for scripts/test.ts, to the file RAMZ_TEST_RESULT names.
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

export interface SuiteResult {
  passed: number;
  failed: number;
  skipped: { name: string; reason: string }[];
}

export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const result: SuiteResult = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) count(module, result);
    const file = process.env.RAMZ_TEST_RESULT;
    if (file) writeFileSync(file, JSON.stringify(result));
  }
}

function count(module: TestModule, result: SuiteResult): void {
  const before = result.failed;
  for (const test of module.children.allTests()) {
    const outcome = test.result();
    if (outcome.state === 'passed') result.passed += 1;
    else if (outcome.state === 'failed') result.failed += 1;
    else {
      const name = `${module.relativeModuleId} > ${test.fullName}`;
      const reason = outcome.state === 'skipped' ? (outcome.note ?? 'marked as skipped') : 'never ran';
      result.skipped.push({ name, reason });
    }
  }
  // A file that can't be loaded, or whose afterAll found a leak, failed though none of its tests did.
  if (module.state() === 'failed' && result.failed === before) result.failed += 1;
}
