// Calls a second of one account, and what strangers may do within an hour, counted in this process: a guard for the process, not a quota.
// Sends are counted over all processes, in the database (engine/limits/rate-limits.ts).

import type { Principal } from '../api/waist/context.ts';
import { methodRules } from '../api/waist/method-options.ts';
import type { Allowance, RateLimiter } from '../api/waist/ports.ts';
import { BoundedMap } from '../collections/small-maps.ts';
import { callerOf } from '../core/limits/addresses.ts';
import { elapsedMs } from '../time/wall-clock.ts';

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
  const buckets = new Buckets(now);
  return {
    take({ principal, peer }) {
      if (principal.kind === 'administrator') return { kind: 'ok' };
      const rate = callsPerSecond();
      const key = principal.kind === 'key' ? `${principal.accountId} ${principal.mode}` : `peer ${callerOf(peer)}`;
      return buckets.take(key, Math.max(1, rate), rate);
    },
  };
}

/** What is allowed where anyone may register, beside the rate of calls of any kind. */
export interface StrangerLimits {
  /** Accounts that one address registers. */
  registrationsPerAddressPerHour: number;
  /** Calls of an account that waits for approval: its test key stores sessions and settings, and nobody knows whose it is. */
  waitingAccountCallsPerHour: number;
}

/**
 * Adds the limits for strangers: as many calls at once as within an hour. A call is counted before it is read further, so it counts even where
 * it is then refused.
 */
export function strangerLimiter(
  calls: CallLimiter,
  limits: () => StrangerLimits,
  now: () => number,
): { take(call: Parameters<RateLimiter['take']>[0]): Allowance } {
  const buckets = new Buckets(now);
  return {
    take(call) {
      const allowance = calls.take(call);
      const counted = allowance.kind === 'ok' ? countedCall(call, limits()) : null;
      if (!counted) return allowance;
      const stranger = buckets.take(counted.key, counted.perHour, counted.perHour / 3_600);
      if (stranger.kind === 'ok') return allowance;
      // What is left of its calls is shown as ever.
      return { ...allowance, kind: 'limited', retryAfterSeconds: stranger.retryAfterSeconds };
    },
  };
}

function countedCall(
  { principal, method, peer }: Parameters<RateLimiter['take']>[0],
  { registrationsPerAddressPerHour, waitingAccountCallsPerHour }: StrangerLimits,
): { key: string; perHour: number } | null {
  if (principal.kind === 'key' && principal.waits)
    return { key: `account ${principal.accountId}`, perHour: waitingAccountCallsPerHour };
  if (principal.kind === 'none' && methodRules(method).access === 'registration')
    return { key: `peer ${callerOf(peer)}`, perHour: registrationsPerAddressPerHour };
  return null;
}

class Buckets {
  readonly #buckets = new BoundedMap<string, Bucket>(mostCallers);
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  take(key: string, capacity: number, perSecond: number) {
    const at = this.#now();
    const held = this.#buckets.get(key) ?? { tokens: capacity, at, movedAt: Number.NEGATIVE_INFINITY };
    // A clock that was set back takes nothing away.
    const tokens = Math.min(capacity, held.tokens + (Math.max(0, at - held.at) / 1000) * perSecond);
    const granted = tokens >= 1;
    held.tokens = granted ? tokens - 1 : tokens;
    held.at = at;
    if (elapsedMs(held.movedAt, at) >= moveEveryMs) {
      held.movedAt = at;
      this.#buckets.set(key, held);
    }
    const quota = { name: 'calls', capacity, refillPerSecond: perSecond, tokens: held.tokens } as const;
    if (granted) return { kind: 'ok', quota } as const;
    return { kind: 'limited', retryAfterSeconds: (1 - tokens) / perSecond, quota } as const;
  }
}
