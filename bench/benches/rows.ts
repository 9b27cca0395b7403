// What a verification writes: bytes of Postgres' log from a checkpoint on, and how many updates of the busiest tables no index hears of.

import { setTimeout as sleep } from 'node:timers/promises';
import { Counters, hotShare } from '../measure/database.ts';
import type { Sample } from '../report/figures.ts';
import { startRig } from '../rig/rig.ts';
import { saturate } from './verifications.ts';

const inFlight = 64;
/** Postgres counts a backend's rows at most a second after they were written. */
const countedMs = 1_500;
const tables = ['verify_session', 'webhook_delivery'] as const;

/** `count`: verifications from the checkpoint on; the shares of HOT updates are of the same. */
export async function rows(count: number): Promise<Sample[]> {
  const rig = await startRig();
  const counters = await Counters.open(rig.database.url);
  try {
    await saturate(rig, { seconds: 5, inFlight });
    await sleep(countedMs);
    await counters.checkpoint();
    const before = await Promise.all(tables.map((table) => counters.updates(table)));
    const walBefore = await counters.walBytes();
    const diskBefore = await counters.databaseBytes();
    let begun = 0;
    const worker = async () => {
      while (begun < count) {
        begun += 1;
        await rig.load.play();
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    await sleep(countedMs);
    const walAfter = await counters.walBytes();
    const diskAfter = await counters.databaseBytes();
    const shares: Sample[] = [];
    for (const [index, table] of tables.entries()) {
      const { updated, hot } = await counters.updates(table);
      const from = before[index] ?? { updated: 0, hot: 0 };
      const value = hotShare({ updated: updated - from.updated, hot: hot - from.hot });
      shares.push({ key: `hot_${table}`, unit: '% of updates', value });
    }
    const each = (key: string, from: number, to: number) => ({
      key,
      unit: 'KB/verification',
      value: (to - from) / count / 1000,
    });
    return [each('wal', walBefore, walAfter), each('disk', diskBefore, diskAfter), ...shares];
  } finally {
    await counters.close();
    await rig.close();
  }
}
