// A stop of an account, brought about as an attacker would. The rules of the sandbox's own are only monitored, so there it refuses nothing.

import { setTimeout as wait } from 'node:timers/promises';
import { type Answered, call, done, env } from './client.ts';
import type { JsonObject } from './document.ts';

const file = JSON.parse((await import('node:fs')).readFileSync(env('RAMZ_SANDBOX_FILE'), 'utf8')) as {
  prefixes: string[];
};

let lastRange = Math.floor(Math.random() * 4_000);

/** The stop that numbers in a row have led to, as `liftStop` wants it in its path. @param key default: the sandbox's own. */
export async function stopped(key?: string): Promise<Answered> {
  const as = key === undefined ? {} : { key };
  lastRange += 1;
  const from = 1_000_000 + 1_000 * lastRange;
  let nth = 0;
  const sendNext = () => call('send', { ...as, body: { to: `${file.prefixes[1]}${from + nth++}` } });
  while (nth < 40) await sendNext();
  const deadline = performance.now() + 60_000;
  for (;;) {
    const listed = await done('listStops', { ...as, query: { active: 'true' } });
    const [stop] = listed.json.stops as unknown as JsonObject[];
    if (stop) return { ...listed, json: stop };
    if (performance.now() > deadline) throw new Error('nothing was stopped');
    if (nth < 1_000) await sendNext();
    await wait(50);
  }
}
