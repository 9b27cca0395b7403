// The retry schedule of webhooks and the limit for a failing endpoint. Time and jitter are arguments, so that a test of hours takes
// none.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits before the 2nd, 3rd, … attempt (contract, "Webhooks"): ten attempts over 75 hours and a half. */
export const webhookDelaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

export const webhookAttempts = webhookDelaysMs.length + 1;

/** Jitter only adds, up to this share: endpoints that failed together don't come back together, and no wait is cut short. */
const jitterShare = 0.1;
/** The longest Retry-After that is followed: the longest wait of the schedule. */
const maxRetryAfterMs = 24 * hour;

export interface FailedAttempt {
  /** Attempts made so far, the failed one included: 1 after the first. */
  attempt: number;
  /** Unix ms. */
  now: number;
  /** Random, 0 to 1. */
  jitter: number;
  /** The endpoint's Retry-After; it can lengthen a wait, never shorten it. */
  retryAfterMs?: number;
}

export function nextAttempt(failed: FailedAttempt): { kind: 'retry'; at: number } | { kind: 'exhausted' } {
  const delayMs = webhookDelaysMs[failed.attempt - 1];
  if (delayMs === undefined) return { kind: 'exhausted' };
  const askedMs = Math.min(failed.retryAfterMs ?? 0, maxRetryAfterMs);
  const waitMs = Math.max(delayMs, askedMs) * (1 + jitterShare * clampShare(failed.jitter));
  return { kind: 'retry', at: failed.now + Math.round(waitMs) };
}

/** Only 2xx is success; a redirect is not followed, so it is a failure. */
export const isWebhookSuccess = (status: number): boolean => status >= 200 && status < 300;

/** An endpoint that failed for this long without one success is disabled. */
export const maxFailingMs = 5 * 24 * hour;
/**
 * No attempt of an event before this one disables its endpoint: it comes two hours and a half after the first. There may be weeks between two events,
 * and nobody knows whether the endpoint failed in them.
 */
export const disablingAttempt = 5;

/**
 * Whether it is an attempt that the schedule has, at an age of its event that the schedule can lead to. A redelivery or a replay may come weeks later,
 * and is one attempt, whatever the number.
 */
export const isScheduled = (attempt: number, ageMs: number): boolean =>
  attempt <= webhookAttempts && ageMs <= (attempt - 1) * maxRetryAfterMs * (1 + jitterShare);

/** Retry-After (RFC 9110 section 10.2.3), seconds or an HTTP date, as ms from `now`; undefined when it is neither. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * second;
  // Date.parse would also read "12" or "June": an HTTP date begins with the day's name and ends in GMT.
  if (!/^[A-Z][a-z]{2}, .{1,30} GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

const clampShare = (share: number): number => Math.min(1, Math.max(0, share));
