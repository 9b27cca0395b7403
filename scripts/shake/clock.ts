// Another time for a run, by Debian's libfaketime: the processes below see the wall clock moved, and their timers run as ever. The embedded
// Postgres takes no environment from anybody, and programs made with Go read the clock without the C library: both see the real time.
import { globSync } from 'node:fs';

/** Where `apt-get install libfaketime` puts it; RAMZ_FAKETIME names another file. */
const places = '/usr/lib/*/faketime/libfaketimeMT.so.1';

/** `at`: ISO 8601; the run begins then. */
export function environmentAt(at: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const begins = Date.parse(at);
  if (Number.isNaN(begins)) throw new Error(`--at: ${at} is not a time such as 2027-12-31T23:59:30Z`);
  const library = env.RAMZ_FAKETIME ?? globSync(places)[0];
  if (library === undefined)
    throw new Error('--at needs libfaketime (Debian: apt-get install libfaketime), or RAMZ_FAKETIME');
  const seconds = Math.round((begins - Date.now()) / 1000);
  // No timer may move with it, and every child counts from the same moment: an offset, not a time.
  const moved = { FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  return { ...env, ...moved, LD_PRELOAD: [library, env.LD_PRELOAD].filter(Boolean).join(':') };
}
