// Calls a second of one account, counted in this process: a guard for the process, not a quota. Sends are counted over all
// processes, in the database (engine/limits/limits.ts).

import type { Principal } from '../api/waist/context.ts';
import type { Allowance } from '../api/waist/ports.ts';
import { BoundedMap } from '../collections/small-maps.ts';
import { callerOf } from '../core/limits/addresses.ts';

interface Bucket {
  tokens: number;
  at: number;
  /** When it was last put behind the others. */
  movedAt: number;
}

/** Callers remembered; the one not seen for longest is forgotten first, and has a full bucket again. */
const mostCallers = 10_000;

/** The order of callers is exact to a second only: moving a bucket at every call would feed the garbage collector. */
const moveEveryMs = 1_000;

export interface CallLimiter {
  take(call: { principal: Principal; peer: string }): Allowance;
}

/**
 * A second's worth of calls may come at once, and one in any case: a rate may be less than one a second. Callers without a key share a bucket per
 * address (of IPv6: per /64).
 */
export function callLimiter(callsPerSecond: () => number, now: () => number): CallLimiter {
  const buckets = new BoundedMap<string, Bucket>(mostCallers);
  return {
    take({ principal, peer }) {
      if (principal.kind === 'administrator') return { kind: 'ok' };
      const rate = callsPerSecond();
      const capacity = Math.max(1, rate);
      const key = principal.kind === 'key' ? `${principal.accountId} ${principal.mode}` : `peer ${callerOf(peer)}`;
      const at = now();
      const held = buckets.get(key) ?? { tokens: capacity, at, movedAt: Number.NEGATIVE_INFINITY };
      const tokens = Math.min(capacity, held.tokens + ((at - held.at) / 1000) * rate);
      const granted = tokens >= 1;
      held.tokens = granted ? tokens - 1 : tokens;
      held.at = at;
      if (at - held.movedAt >= moveEveryMs) {
        held.movedAt = at;
        buckets.set(key, held);
      }
      const quota = { name: 'calls', capacity, refillPerSecond: rate, tokens: held.tokens } as const;
      return granted ? { kind: 'ok', quota } : { kind: 'limited', retryAfterSeconds: (1 - tokens) / rate, quota };
    },
  };
}
