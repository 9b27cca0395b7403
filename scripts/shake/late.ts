// Writes to sockets that are late now and then (late-writes.mjs), in the tests, the servers and the clients of the run that are Node's.

/** As a URL, it has no spaces, at which NODE_OPTIONS is divided. */
const preload = new URL('late-writes.mjs', import.meta.url).href;

/** @param mostMs how late a write is at most; 0 = none is. */
export function environmentLate(mostMs: number, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (mostMs === 0) return env;
  const options = [env.NODE_OPTIONS, `--import=${preload}`].filter(Boolean).join(' ');
  return { ...env, NODE_OPTIONS: options, RAMZ_SHAKE_LATE_MS: String(mostMs) };
}
