// Memory of a fresh server process after so many verifications: what it remembers of them is bounded, so it must level off.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Sample } from '../report/figures.ts';
import { startRig } from '../rig/rig.ts';

const inFlight = 64;
/** What is left when nothing happens any more. */
const restMs = 2_000;

export async function memory(verifications: number): Promise<Sample[]> {
  const rig = await startRig();
  try {
    const atStart = rig.serverMib();
    let left = verifications;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        await rig.load.play();
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    await sleep(restMs);
    return [
      { key: 'memory_at_start', unit: 'MiB resident', value: atStart },
      { key: `memory_after_${verifications}`, unit: 'MiB resident', value: rig.serverMib() },
    ];
  } finally {
    await rig.close();
  }
}
