// One process at a time: for tools that several test runs may want to install at once.
import { mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive } from '../../src/db/embedded/place.ts';

/**
 * Runs `work` while no other process does. The lock is a link whose target is the owner's pid: made in one step with its
 * content, so never read half-written. One whose owner is dead is taken away. @throws after `timeoutMs` (default 10 minutes).
 */
export async function alone<T>(lock: string, work: () => Promise<T>, timeoutMs = 600_000): Promise<T> {
  mkdirSync(dirname(lock), { recursive: true });
  const deadline = performance.now() + timeoutMs;
  while (!take(lock)) {
    if (performance.now() > deadline) throw new Error(`${lock} is held by process ${ownerOf(lock)}`);
    await wait(200);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    symlinkSync(String(process.pid), lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const owner = ownerOf(lock);
  if (owner !== undefined && !isAlive(owner)) rmSync(lock, { force: true });
  return false;
}

function ownerOf(lock: string): number | undefined {
  try {
    return Number(readlinkSync(lock));
  } catch {
    return undefined; // Released meanwhile.
  }
}
