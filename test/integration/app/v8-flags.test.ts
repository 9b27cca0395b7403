// A flag that V8 gave up would be passed over in silence, and the tail of the latencies would grow back.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { collectorFlags } from '../../../src/app/v8-flags.ts';

const started = (flag: string) => spawnSync(process.execPath, [flag, '-e', ''], { encoding: 'utf8' });

test.each(collectorFlags)('this version of V8 knows %s', (flag) => {
  expect(started(flag)).toMatchObject({ status: 0, stderr: '' });
});

test('one that it does not know would be noticed', () => {
  expect(started('--heap-growing-promille=2000').status).not.toBe(0);
});
