// A stop of an account, brought about as an attacker would. The rules of the sandbox's own are only monitored, so there it refuses nothing.

import { setTimeout as wait } from 'node:timers/promises';
import { type Answered, call, done, env } from './client.ts';
import type { JsonObject } from './document.ts';

const file = JSON.parse((await import('node:fs')).readFileSync(env('RAMZ_SANDBOX_FILE'), 'utf8')) as {
  prefixes: string[];
};

/** The stop that numbers in a row have led to, as `liftStop` wants it in its path. @param key default: the sandbox's own. */
export async function stopped(key?: string): Promise<Answered> {
  const as = key === undefined ? {} : { key };
  const from = 1_000_000 + 1_000 * Math.floor(Math.random() * 8_000);
  for (let nth = 0; nth < 40; nth += 1) await call('send', { ...as, body: { to: `${file.prefixes[1]}${from + nth}` } });
  const deadline = performance.now() + 60_000;
  for (;;) {
    const listed = await done('listStops', { ...as, query: { active: 'true' } });
    const [stop] = listed.json.stops as unknown as JsonObject[];
    if (stop) return { ...listed, json: stop };
    if (performance.now() > deadline) throw new Error('nothing was stopped');
    await call('send', { ...as, body: { to: `${file.prefixes[1]}${from + 40 + Math.floor(Math.random() * 900)}` } });
    await wait(50);
  }
}
