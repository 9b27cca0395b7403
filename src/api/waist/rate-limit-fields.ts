// `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11): what a call was counted against, and what is left there. Only
// of buckets that the call looked at anyway, and only of the caller's own: what others use is not shown.

/** A token bucket after the call. */
export interface Quota {
  /** `calls` or `sends`: a name of the policy, for clients. */
  name: 'calls' | 'sends';
  /** Tokens of a full bucket. */
  capacity: number;
  refillPerSecond: number;
  /** What is left; may be a fraction. */
  tokens: number;
}

/** Both fields as structured fields (RFC 9651): lists of strings with parameters. `quotas` is not empty. */
export function rateLimitFields(quotas: readonly Quota[]): { 'ratelimit-policy': string; ratelimit: string } {
  return {
    'ratelimit-policy': quotas.map(policyOf).join(', '),
    ratelimit: quotas.map(limitOf).join(', '),
  };
}

/** The window is the time in which an empty bucket fills up. */
const policyOf = ({ name, capacity, refillPerSecond }: Quota): string =>
  `"${name}";q=${Math.floor(capacity)};w=${seconds(capacity / refillPerSecond)}`;

/** Until one more is there: a bucket is filled without steps. So `Retry-After` of a refusal is never earlier. */
function limitOf({ name, capacity, refillPerSecond, tokens }: Quota): string {
  const left = Math.max(0, Math.floor(Math.min(tokens, capacity)));
  return `"${name}";r=${left};t=${seconds((left + 1 - tokens) / refillPerSecond)}`;
}

/** Whole and at least one; of the 15 digits that an integer of a structured field has. */
const seconds = (value: number): number => Math.min(999_999_999_999_999, Math.max(1, Math.ceil(value)));
