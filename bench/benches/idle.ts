// What a deployment costs that nobody calls: statements and wakeups a second and CPU of servers and Postgres, with one process and with four, which
// have peer ports. Binds are up, and an account with a webhook endpoint exists.

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Sample } from '../report/figures.ts';
import { startRig } from '../rig/rig.ts';

/** Until the start is over, and slots have been shared out among all processes. */
const settleMs = 10_000;

/** For each of `processes`, over `seconds`: figures a process, so that those of one and of four can be compared. */
export async function idle(seconds: number, processes: readonly number[] = [1, 4]): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const count of processes) samples.push(...(await idleWith(count, seconds)));
  return samples;
}

async function idleWith(count: number, seconds: number): Promise<Sample[]> {
  const rig = await startRig({ servers: count, binds: Math.max(2, count) });
  const client = new pg.Client({ connectionString: rig.database.url });
  try {
    await client.connect();
    await sleep(settleMs);
    const look = async () => ({
      at: performance.now(),
      statements: await statements(client),
      wakeups: rig.wakeups(),
      ...rig.cpu(),
    });
    const before = await look();
    await sleep(seconds * 1000);
    const after = await look();
    const each = (key: 'statements' | 'wakeups' | 'serverUs' | 'postgresUs') =>
      ((after[key] - before[key]) / (after.at - before.at) / count) * 1000;
    const sample = (key: string, unit: string, value: number): Sample => ({ key: `idle_${count}_${key}`, unit, value });
    return [
      sample('statements', 'a second and process', each('statements')),
      sample('wakeups', 'a second and process', each('wakeups')),
      sample('server', '% of a core a process', each('serverUs') / 1e4),
      sample('postgres', '% of a core a process', each('postgresUs') / 1e4),
    ];
  } finally {
    await client.end().catch(() => {});
    await rig.close();
  }
}

/**
 * So far, by everybody but this look: an idle process begins no transaction of several statements, so each is one. Postgres counts a
 * connection's once it has been idle for a second, which the length of a run makes up for.
 */
async function statements(client: pg.Client): Promise<number> {
  const text = 'select sum(xact_commit + xact_rollback)::integer as n from pg_stat_database where datname is not null';
  const { rows } = await client.query<{ n: number }>(text);
  return rows[0]?.n ?? 0;
}
