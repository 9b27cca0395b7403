// The link to a business's own WhatsApp account (WABA): its states, the steps that lead to "connected", when a step is tried again,
// and when it is given up. It is pure: the platform's answers come in as outcomes (platform.ts), the time as an argument.

/** `suspended`: the platform itself has stopped a connected account for a while; its token is kept. */
export type WabaStatus = 'connecting' | 'connected' | 'suspended' | 'broken' | 'disconnected';

/** Steps in their order. */
export const wabaSteps = [
  ...(['exchange_code', 'check_number', 'subscribe', 'verify_number', 'register'] as const),
  ...(['create_templates', 'await_approval'] as const),
] as const;
export type WabaStep = (typeof wabaSteps)[number];

export type WabaReason =
  | 'code_expired'
  | 'code_refused'
  | 'token_refused'
  | 'token_revoked'
  | 'permission_missing'
  | 'token_of_other_app'
  | 'number_not_found'
  | 'number_ambiguous'
  | 'phone_number_taken'
  | 'pin_refused'
  | 'registration_refused'
  | 'template_refused'
  | 'templates_rejected'
  | 'approval_timeout'
  | 'refused'
  | 'platform_unavailable'
  | 'number_unverified'
  | 'account_restricted'
  | 'account_disabled'
  | 'account_offboarded'
  | 'account_deleted'
  | 'uninstalled'
  | 'requested'
  | 'secret_lost';

export type WabaTemplateStatus = 'pending' | 'approved' | 'rejected' | 'paused' | 'disabled';
/** Statuses by language, as the platform writes it. */
export type WabaTemplates = Readonly<Record<string, WabaTemplateStatus>>;

/** The part of a link that outcomes change. Times in Unix ms. */
export interface WabaLink {
  status: WabaStatus;
  /** The one that is taken, or that failed where the link is broken; null once connected, and where it broke after that. */
  step: WabaStep | null;
  reason: WabaReason | null;
  /** The platform's error code. */
  errorCode: string | null;
  /** Tries of this step that led nowhere. */
  attempts: number;
  /** When the next step is due; null = no step is. */
  nextAt: number | null;
  /** When it came to its step, or was suspended; null in what an older release stored. */
  stepSince: number | null;
  /** Since when the platform gives no answer; it counts while the reason is `platform_unavailable`. */
  failingSince: number | null;
  /** When this link was begun. */
  createdAt: number;
  connectedAt: number | null;
  /** Until when the signup's code is good; null where there is none. */
  codeExpiresAt: number | null;
  /** When the platform's restriction ends, by which it is suspended; null where the platform has said no end. Stored with its health. */
  restrictedUntil: number | null;
  templates: WabaTemplates;
}

/** The outcome of a step, or of the daily look at a connected account. */
export type WabaOutcome =
  /** `templates`: as they stand, where the step has asked. */
  | { kind: 'done'; templates?: WabaTemplates }
  /** Part of the step is done, the rest can go on at once. */
  | { kind: 'more'; templates?: WabaTemplates }
  /** No answer, or an answer that asks for another try. */
  | { kind: 'again'; code: string }
  /** The business or the platform has to do something first. */
  | { kind: 'waiting'; reason: WabaReason }
  | { kind: 'refused'; reason: WabaReason; code: string | null };

const secondMs = 1_000;
const dayMs = 24 * 60 * 60 * secondMs;

/** Documented life of the code that a signup ends with. */
export const codeLifeMs = 30 * secondMs;
/** A link is given up when the platform cannot be reached for this long, without an answer in between. */
const unavailableAfterMs = dayMs;
const approvalAfterMs = 3 * dayMs;
const longestPauseMs = 5 * 60 * secondMs;
/** The first pause between looks at a review. The webhook about a template is faster; this is for webhooks that never come. */
const firstReviewPauseMs = 2 * secondMs;
const longestReviewPauseMs = 15 * 60 * secondMs;
/** A number must be verified within this, and templates be reviewed within the time above, each from the beginning of its own step. */
const verifyAfterMs = 3 * dayMs;
const longestVerifyPauseMs = 60 * secondMs;
/** The first pause between looks at a suspended account, for the callback about its return that never comes. */
const firstSuspendedPauseMs = 15 * 60 * secondMs;
/** A connected account is looked at once a day, to find tokens that died and templates that were paused. */
export const followEveryMs = dayMs;

/** The link after an outcome of its step. A step due at once has `nextAt` = now. */
export function afterStep(link: WabaLink, outcome: WabaOutcome, now: number): WabaLink {
  if (link.status === 'connected' || link.status === 'suspended') return afterFollow(link, outcome, now);
  const { step } = link;
  if (link.status !== 'connecting' || step === null) return link;
  switch (outcome.kind) {
    case 'again':
      return again(link, step, outcome.code, now);
    case 'waiting':
      return waiting(link, outcome.reason, now);
    case 'refused':
      return broken(link, outcome.reason, outcome.code);
    case 'more':
      return { ...fresh(link, now), templates: outcome.templates ?? link.templates };
    case 'done': {
      const templates = outcome.templates ?? link.templates;
      if (step === 'await_approval') return reviewed({ ...link, templates }, now);
      return {
        ...fresh(link, now),
        templates,
        stepSince: now,
        step: wabaSteps[wabaSteps.indexOf(step) + 1] as WabaStep,
      };
    }
  }
}

/** Languages whose template can be used. */
export const approvedLanguages = (templates: WabaTemplates): string[] =>
  Object.keys(templates).filter((language) => templates[language] === 'approved');

const broken = (link: WabaLink, reason: WabaReason, code: string | null): WabaLink => ({
  ...link,
  status: 'broken',
  reason,
  errorCode: code,
  attempts: 0,
  nextAt: null,
});

const fresh = (link: WabaLink, now: number): WabaLink => ({
  ...link,
  attempts: 0,
  reason: null,
  errorCode: null,
  nextAt: now,
});

function again(link: WabaLink, step: WabaStep, code: string, now: number): WabaLink {
  const attempts = link.attempts + 1;
  // 1, 2, 4 … s; a code that dies in half a minute has no time for more than a second.
  const pauseMs = step === 'exchange_code' ? secondMs : Math.min(2 ** (attempts - 1) * secondMs, longestPauseMs);
  const nextAt = now + pauseMs;
  if (link.codeExpiresAt !== null && step === 'exchange_code' && nextAt >= link.codeExpiresAt) {
    return broken(link, 'code_expired', code);
  }
  const failingSince = failingAt(link) ?? now;
  if (now - failingSince >= unavailableAfterMs) return broken(link, 'platform_unavailable', code);
  return { ...link, attempts, nextAt, failingSince, reason: 'platform_unavailable', errorCode: code };
}

/** Since when the platform has been away; null where its last answer was one. What an earlier link left behind does not count. */
function failingAt({ reason, failingSince, createdAt }: WabaLink): number | null {
  const isOwn = reason === 'platform_unavailable' && failingSince !== null && failingSince >= createdAt;
  return isOwn ? failingSince : null;
}

/** When the link came to its step. What an earlier link left behind does not count. */
const atStepSince = ({ stepSince, createdAt }: WabaLink): number => Math.max(stepSince ?? createdAt, createdAt);

/** The business is waited for: looked at again after 2, 4, 8 … s, at most once a minute. */
function waiting(link: WabaLink, reason: WabaReason, now: number): WabaLink {
  if (now - atStepSince(link) >= verifyAfterMs) return broken(link, reason, null);
  const attempts = link.attempts + 1;
  const nextAt = now + Math.min(2 ** attempts * secondMs, longestVerifyPauseMs);
  return { ...link, attempts, nextAt, reason, errorCode: null };
}

/** The link after the platform has stopped its account. `until`: Unix ms; null = until it says otherwise. */
export function suspend(link: WabaLink, reason: WabaReason, until: number | null, now: number): WabaLink {
  if (link.status !== 'connected' && link.status !== 'suspended') return link;
  const nextAt = Math.max(now, until ?? now + firstSuspendedPauseMs);
  const status = 'suspended';
  return { ...link, status, reason, errorCode: null, attempts: 0, stepSince: now, restrictedUntil: until, nextAt };
}

/** Every template is there: connected once none is under review and one can be used. */
function reviewed(link: WabaLink, now: number): WabaLink {
  const states = Object.values(link.templates);
  const usable = states.includes('approved');
  const late = now - atStepSince(link) >= approvalAfterMs;
  if (states.includes('pending') && !late) {
    const nextAt = now + Math.min(2 ** link.attempts * firstReviewPauseMs, longestReviewPauseMs);
    return { ...link, attempts: link.attempts + 1, nextAt, reason: null, errorCode: null };
  }
  if (!usable) return broken(link, states.includes('pending') ? 'approval_timeout' : 'templates_rejected', null);
  return { ...fresh(link, now), status: 'connected', step: null, connectedAt: now, nextAt: now + followEveryMs };
}

/** The link after a look at a connected or suspended account. Only a token that died or was lost, or a number that is gone, breaks the link. */
function afterFollow(link: WabaLink, outcome: WabaOutcome, now: number): WabaLink {
  if (outcome.kind === 'again') {
    const attempts = link.attempts + 1;
    return { ...link, attempts, nextAt: now + Math.min(2 ** attempts * secondMs, longestReviewPauseMs) };
  }
  if (outcome.kind === 'refused') {
    const { reason, code } = outcome;
    if (reason === 'token_refused') return broken(link, 'token_revoked', code);
    if (breaking.has(reason)) return broken(link, reason, code);
    if (suspending.has(reason)) return stopped(link, reason, code, now);
    if (link.status === 'suspended') return stillSuspended(link, now);
    return { ...link, attempts: 0, nextAt: now + followEveryMs };
  }
  if (outcome.kind === 'waiting') return stillSuspended(link, now);
  const templates = outcome.templates ?? link.templates;
  const pending = Object.values(templates).includes('pending');
  const nextAt = now + (pending ? longestPauseMs : followEveryMs);
  return { ...link, status: 'connected', reason: null, errorCode: null, templates, attempts: 0, nextAt };
}

/** Refusals of a look that another link alone can end; a token's has a reason of its own then. */
const breaking: ReadonlySet<WabaReason> = new Set(['number_not_found', 'secret_lost']);
/**
 * Refusals of a look that may end while the token stays good. A permission that the app has lost comes back to all its accounts; where a
 * business takes the app off its account a callback reports it, or the token is refused.
 */
const suspending: ReadonlySet<WabaReason> = new Set(['account_disabled', 'permission_missing']);

/** The platform refuses the calls of its account. Why and since when it is suspended already stays. */
function stopped(link: WabaLink, reason: WabaReason, code: string | null, now: number): WabaLink {
  if (link.status === 'suspended') return stillSuspended(link, now);
  return { ...suspend(link, reason, null, now), errorCode: code };
}

/**
 * Looked at again after as long as it has been suspended, so after 15 minutes, 30, 60, … : how often it was looked at between, or in vain
 * while the platform was away, makes no pause longer. The end of a restriction is looked at in any case, and the pauses begin again there.
 */
function stillSuspended(link: WabaLink, now: number): WabaLink {
  // An older release left the time of a step before the link was connected.
  const known = link.stepSince ?? 0;
  const stepSince = known > (link.connectedAt ?? link.createdAt) ? known : now;
  const end = link.restrictedUntil ?? 0;
  const pausedSince = end > now ? stepSince : Math.max(stepSince, end);
  const nextAt = now + Math.min(Math.max(now - pausedSince, firstSuspendedPauseMs), followEveryMs);
  return { ...link, attempts: 0, stepSince, nextAt: end > now ? Math.min(nextAt, end) : nextAt };
}

/** Whether messages of the number, its account or its business can be sent, and within which limits; words are the platform's. */
export interface WabaHealth {
  /** `AVAILABLE`, `LIMITED` or `BLOCKED`; of all parts the worst. */
  canSend: string;
  /** What limits or blocks them. */
  problems: readonly { part: string; code: string; text: string; solution: string }[];
  /** `GREEN`, `YELLOW`, `RED`, `UNKNOWN`. */
  quality: string;
  /** Status of the display name: `APPROVED`, `DECLINED`, … */
  nameStatus: string;
  /** People that may be written to in 24 hours, of the whole business: `TIER_250`, `TIER_2K`, …, `TIER_UNLIMITED`. */
  messagingLimit: string;
  /** `STANDARD`: 80 messages a second; `HIGH`: 1,000. */
  throughput: string;
  /**
   * The business uses the number in its app as well ("coexistence"): 20 messages a second, whatever `throughput` says. Absent in what an
   * older release stored.
   */
  isOnBusinessApp?: boolean;
  /** When the token dies, Unix ms; null = never, or not known. */
  tokenExpiresAt: number | null;
  /** When a restriction ends that the platform has reported, Unix ms; kept while the link is suspended by it. */
  restrictedUntil?: number | null;
}

/**
 * The people that the platform's word for a messaging limit allows in 24 hours: `TIER_250` is 250, `TIER_2K` 2,000. Null where there is no
 * limit (`TIER_UNLIMITED`), or the word says no number.
 */
export function peopleOf(messagingLimit: string): number | null {
  const [, digits, thousands] = /^TIER_(\d{1,6})(K?)$/.exec(messagingLimit) ?? [];
  return digits === undefined ? null : Number(digits) * (thousands ? 1_000 : 1);
}
