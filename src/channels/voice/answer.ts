// The meaning of the final answers to an INVITE (RFC 3261 section 21): how the call stands, and whether it may go out by another trunk.
// A phone that may have rung is never rung by a second trunk.

import type { CallState } from '../../core/verify/call.ts';
import { isOfThePhone } from '../../sip/index.ts';

/** 486 Busy Here, 600 Busy Everywhere. */
const busy: ReadonlySet<number> = new Set([486, 600]);
/** The answer to an INVITE that was canceled (section 21.4.25). */
export const requestTerminated = 487;
/** 408 Request Timeout, 480 Temporarily Unavailable, 487 Request Terminated. */
const noAnswer: ReadonlySet<number> = new Set([408, 480, requestTerminated]);
/** 603 Decline, 607 Unwanted (RFC 8197), 608 Rejected (RFC 8688). */
const declined: ReadonlySet<number> = new Set([603, 607, 608]);
/**
 * The trunk refuses us and not the phone: no or wrong credentials, an account without money (402, which RFC 3261 leaves open and providers
 * use), calls not allowed, a description that it can't read, no codec in common.
 */
const ofTheTrunk: ReadonlySet<number> = new Set([401, 402, 403, 407, 415, 488]);

/** How a call stands that was refused. `rang`: a provisional answer other than 100 had come. */
export function stateOfRefusal(status: number, rang: boolean): CallState {
  if (busy.has(status)) return 'busy';
  if (noAnswer.has(status)) return 'no_answer';
  if (declined.has(status)) return 'rejected';
  // 404, 410, 484, 604 and what is left: before it rang no phone was reached, afterwards the network refused it.
  return rang ? 'rejected' : 'unreachable';
}

/**
 * Whether an answer that came before anything rang has its reason in the trunk itself, so that another one may do better. Gateways that do
 * not pass the ringing on, and answer 5xx to a phone that nobody took, say so in the cause.
 */
export function isOfTheTrunk(status: number, q850: number | null): boolean {
  if (isOfThePhone(q850)) return false;
  return ofTheTrunk.has(status) || (status >= 500 && status < 600);
}

/** Longest time that a trunk is left alone at its own wish. */
export const longestPauseMs = 600_000;

/** How long no further call goes out by the trunk after this answer, ms: a 503 with Retry-After asks for it (section 21.5.4). */
export function pauseAfter(status: number, retryAfterSeconds: number | null): number {
  if (status !== 503 || retryAfterSeconds === null) return 0;
  return Math.min(Math.max(0, retryAfterSeconds) * 1000, longestPauseMs);
}
