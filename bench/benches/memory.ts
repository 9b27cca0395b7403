// Memory of a fresh server process after some verifications, and after many: what it remembers of them is bounded, so it must
// level off.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Sample } from '../report/figures.ts';
import { startRig } from '../rig/rig.ts';

const inFlight = 64;
/** What is left when nothing happens any more. */
const restMs = 2_000;

/** `looks`: after how many verifications memory is looked at, ascending. */
export async function memory(looks: readonly number[]): Promise<Sample[]> {
  const rig = await startRig();
  const look = (when: string): Sample => ({ key: `memory_${when}`, unit: 'MiB resident', value: rig.serverMib() });
  try {
    const samples = [look('at_start')];
    let played = 0;
    const playUntil = async (count: number) => {
      while (played < count) {
        played += 1;
        await rig.load.play();
      }
    };
    for (const count of looks) {
      await Promise.all(Array.from({ length: inFlight }, () => playUntil(count)));
      await sleep(restMs);
      samples.push(look(`after_${count}`));
    }
    return samples;
  } finally {
    await rig.close();
  }
}
