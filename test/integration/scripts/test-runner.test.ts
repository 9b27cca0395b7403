import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';

test('a suite that crashes is a failure with its name, and the last line still counts', () => {
  const env = { ...process.env, RAMZ_SUITE_MINUTES: '0.00002', RAMZ_TEST_RESULT: '/nowhere' }; // Ended before it can say anything.
  const { status, stdout } = spawnSync(
    process.execPath,
    ['scripts/test.ts', 'unit', 'test/unit/core/money/money.test.ts'],
    {
      cwd: root,
      env,
      encoding: 'utf8',
      timeout: 50_000,
    },
  );
  expect(stdout).toContain('FAILED: unit: the suite itself\n    crashed (exit code 128)');
  expect(stdout.trim().split('\n').at(-1)).toBe('0 passed, 1 failed');
  expect(status).toBe(1);
});
