// A process that stands still: the answer to its request arrives in time, and is read when its time is long up.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll } from 'vitest';

/**
 * `standStill`, once the request is sent, waits until it has arrived, then stops this thread until the answer is there, and
 * `ms` longer.
 */
export async function lateReader(answer: Buffer): Promise<{ port: number; standStill(ms: number): Promise<void> }> {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const peer = new Worker(new URL('./late-reader-peer.ts', import.meta.url), { workerData: { state, answer } });
  afterAll(() => peer.terminate());
  const [{ port }] = (await once(peer, 'message')) as [AddressInfo];
  const asked = once(peer, 'message');
  const standStill = async (ms: number) => {
    await asked;
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
    Atomics.wait(state, 0, 1);
    Atomics.wait(state, 0, 2, ms);
  };
  return { port, standStill };
}
