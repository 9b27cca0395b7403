// Somebody else's Postgres: what a verification costs Debian's, configured as it comes, beside the embedded one.

import { openLoop } from '../load/shapes.ts';
import type { Sample } from '../report/figures.ts';
import { hasDebianPostgres, type PostgresKind } from '../rig/postgres.ts';
import { perItem, startRig } from '../rig/rig.ts';
import { saturate } from './verifications.ts';

const ratePerSecond = 100;

/** Nothing where Debian's Postgres is not installed. */
export async function somebodyElses(seconds: number): Promise<Sample[]> {
  if (!hasDebianPostgres()) {
    process.stderr.write('bench: postgres_default is left out: Debian has no Postgres 15 here (bench/apt.txt)\n');
    return [];
  }
  const reference = await postgresUs('embedded', seconds);
  return [
    { key: 'postgres_default', unit: 'µs CPU/verification', value: await postgresUs('debian', seconds), reference },
  ];
}

async function postgresUs(postgres: PostgresKind, seconds: number): Promise<number> {
  const rig = await startRig({ postgres });
  try {
    await saturate(rig, { seconds: Math.min(8, 2 * seconds), inFlight: 64 });
    const play = (dueAt: number) => rig.load.play(dueAt);
    await openLoop(play, { ratePerSecond, measureMs: 1_000 });
    const before = rig.cpu();
    const { results } = await openLoop(play, { ratePerSecond, measureMs: 2 * seconds * 1000 });
    return perItem(before, rig.cpu(), results.length).postgresUs;
  } finally {
    await rig.close();
  }
}
