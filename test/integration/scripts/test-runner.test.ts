import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { testFolder } from '../../support/folder.ts';

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

test('with CI=true a skip that test/may-skip.txt allows is counted as one, and is no failure', () => {
  const folder = testFolder('no-jdk');
  writeFileSync(join(folder, 'javac'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const PATH = [folder, process.env.PATH].join(delimiter);
  const env = { ...process.env, CI: 'true', PATH, RAMZ_TEST_RESULT: '/nowhere' };
  const args = ['scripts/test.ts', 'test/ss7/timelines.test.ts'];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8', timeout: 110_000 });
  expect(stdout).toContain('there is no JDK here');
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^0 passed, 0 failed, [1-9]\d* skipped$/);
  expect(status).toBe(0);
});
