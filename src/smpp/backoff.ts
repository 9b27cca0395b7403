// How long to wait before the next try to connect and bind. Pure.

import { statusMeaning } from './status.ts';

export interface BackoffOptions {
  /** Ceiling after the first failure; doubles with each. Default 1 000. */
  minMs: number;
  /** Highest ceiling. Default 60 000. */
  maxMs: number;
  /** After "already bound" (0x05): the SMSC must first notice that the old connection is gone. Default 60 000. */
  alreadyBoundMs: number;
  /** After refused credentials (0x0D-0x0F): trying on may lock the account, a person must look. Default 300 000. */
  credentialsMs: number;
  /** A bind that lasted this long was a good one: the next failure is the first again. Default 10 000. */
  stableMs: number;
}

export const defaultBackoff: BackoffOptions = {
  minMs: 1_000,
  maxMs: 60_000,
  alreadyBoundMs: 60_000,
  credentialsMs: 300_000,
  stableMs: 10_000,
};

export interface Pause {
  ms: number;
  /** Waiting will not help. */
  alarm: boolean;
}

/**
 * Full jitter: anywhere below the ceiling, so that binds cut together don't return together.
 * @param status command_status of the refusal; null when there was none to read.
 * @param failures in a row, this one included.
 * @param random from 0 to 1.
 */
export function pauseAfter(status: number | null, failures: number, random: number, options: BackoffOptions): Pause {
  const meaning = status === null ? null : statusMeaning(status);
  if (meaning === 'credentials') return { ms: options.credentialsMs, alarm: true };
  if (meaning === 'already_bound') return { ms: options.alreadyBoundMs, alarm: false };
  const ceiling = Math.min(options.maxMs, options.minMs * 2 ** Math.min(failures - 1, 30));
  return { ms: random * ceiling, alarm: false };
}
