import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alone } from '../../../scripts/tools/lock.ts';

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ramz-lock-'));
  lock = join(folder, 'deep', 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('one at a time, and the lock is given back, also after a failure', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
    throw new Error('work failed');
  };
  const outcomes = await Promise.allSettled([alone(lock, work), alone(lock, work), alone(lock, work)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(most).toBe(1);
  expect(existsSync(lock)).toBe(false);
});

test('a lock of a process that is dead is taken over, one that lives is waited for', async () => {
  await alone(lock, async () => undefined);
  symlinkSync('2147483646', lock);
  expect(await alone(lock, async () => 'mine', 2_000)).toBe('mine');
  symlinkSync(String(process.pid), lock);
  await expect(alone(lock, async () => 'mine', 1)).rejects.toThrow(`held by process ${process.pid}`);
});
