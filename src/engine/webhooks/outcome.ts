// The judgement of an answer: what follows for its delivery and for its endpoint. Pure.

import {
  disablingAttempt,
  isScheduled,
  isWebhookSuccess,
  maxFailingMs,
  nextAttempt,
  parseRetryAfter,
} from '../../core/webhooks/retry.ts';
import { minuteMs } from '../../time/wall-clock.ts';
import type { Answer, NoAnswer } from './poster.ts';

/** An answer that counts for or against the endpoint. */
export type JudgedAnswer = Exclude<Answer, { kind: 'broken_off' }>;

/** As the value set `webhook_delivery_status` has them; `failed` covers exhausted, parked and switched off: see `lastError`. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface Verdict {
  status: DeliveryStatus;
  /** Unix ms of the next attempt; null when there is none. */
  nextAt: number | null;
  /** HTTP status; null when none came. */
  lastStatus: number | null;
  /** For people: why it failed; null when it did not. */
  lastError: string | null;
}

export interface AttemptContext {
  /** Attempts before this one. */
  attempts: number;
  /** When the answer came, Unix ms. */
  now: number;
  /** Random, 0 to 1. */
  jitter: number;
  timeoutMs: number;
}

export function judge(answer: JudgedAnswer, { attempts, now, jitter, timeoutMs }: AttemptContext): Verdict {
  if (answer.kind === 'answered' && isWebhookSuccess(answer.status)) {
    return { status: 'delivered', nextAt: null, lastStatus: answer.status, lastError: null };
  }
  const retryAfterMs = answer.kind === 'answered' ? parseRetryAfter(answer.retryAfter, now) : undefined;
  const next = nextAttempt({
    attempt: attempts + 1,
    now,
    jitter,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  const failure = {
    lastStatus: answer.kind === 'answered' ? answer.status : null,
    lastError: answer.kind === 'answered' ? statusText(answer.status) : noAnswerText(answer.reason, timeoutMs),
  };
  return next.kind === 'retry'
    ? { status: 'pending', nextAt: next.at, ...failure }
    : { status: 'failed', nextAt: null, ...failure };
}

/**
 * Whether a failed attempt switches its endpoint off (value set `disabled_reason`); null = not yet.
 * The deployment's setting stands in for the schedule's own five days.
 */
export function disableReason(failure: {
  status: number | null;
  /** Unix ms of the first failure since the last success, this one included. */
  failingSince: number | null;
  /** Attempts of this delivery, the failed one included. */
  attempt: number;
  /** When what it tells happened, Unix ms. */
  eventAt: number;
  now: number;
  maxFailingMs?: number;
}): 'gone' | 'failing' | null {
  if (failure.status === 410) return 'gone';
  const { failingSince, attempt, eventAt, now } = failure;
  if (failingSince === null || attempt < disablingAttempt || !isScheduled(attempt, now - eventAt)) return null;
  return now - failingSince >= (failure.maxFailingMs ?? maxFailingMs) ? 'failing' : null;
}

/**
 * How long a delivery waits whose endpoint's secret can not be opened: a tenth of its age, half a minute at least and an hour at most. Its account may
 * need days for a new secret, and meanwhile all that happens waits.
 */
export const unsignedRestMs = (ageMs: number): number =>
  Math.round(Math.min(60 * minuteMs, Math.max(minuteMs / 2, ageMs / 10)));

function statusText(status: number): string {
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return `the endpoint answered ${status}${redirect}`;
}

/** Never with an address: it would describe the service's network to outsiders. */
export function noAnswerText(reason: NoAnswer, timeoutMs: number): string {
  switch (reason) {
    case 'timeout':
      return `no complete answer within ${timeoutMs / 1000} s`;
    case 'target_refused':
      return 'its address is not one that webhooks may go to (https, public, port 443 or from 1024 on)';
    case 'dns_failed':
      return 'its name could not be resolved';
    case 'tls_failed':
      return 'its certificate or TLS could not be verified';
    case 'malformed_answer':
      return 'its answer was not HTTP';
    case 'connection_failed':
      return 'the connection failed';
    case 'secret_unreadable':
      return 'its signing secret can not be opened by this service: rotate it';
  }
}

/** Why what was still pending is not sent any more; `reason` is of the value set `disabled_reason`. */
export function offText(reason: string | null): string {
  if (reason === 'gone') return 'the endpoint was switched off: it answered 410';
  if (reason === 'failing') return 'the endpoint was switched off: nothing but failures for days';
  return 'the endpoint was switched off';
}
