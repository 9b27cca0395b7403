// Webhook signatures after the Standard Webhooks specification (version v1): HMAC-SHA-256 over `id.timestamp.body`. The id and the
// time are signed too, so that an old delivery cannot be replayed as a new one.

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

const secretPrefix = 'whsec_';

export interface SignedContent {
  /** `webhook-id`: the same on every retry; without a dot. */
  id: string;
  /** `webhook-timestamp`: Unix seconds of the attempt. */
  timestampSeconds: number;
  /** The very bytes that are sent: never parsed and printed again. */
  body: string | Uint8Array;
}

/** A signing secret as it is held in memory: it prints and serialises as nothing, and no heap snapshot shows it. */
export type SigningKey = KeyObject;

/** Of the text that its receiver has. Throws RangeError for one that is not `whsec_` and base64. */
export function signingKey(secret: string): SigningKey {
  const encoded = secret.slice(secretPrefix.length);
  if (!secret.startsWith(secretPrefix) || !/^[A-Za-z0-9+/]{32,88}={0,2}$/.test(encoded)) {
    throw new RangeError('not a webhook secret'); // never with the secret in the message
  }
  const bytes = Buffer.from(encoded, 'base64');
  const key = createSecretKey(bytes);
  bytes.fill(0); // they lie in memory that is used again without being cleared
  return key;
}

/** The value of `webhook-signature`: one `v1,<base64>` for each key, separated by spaces; two while a secret rotates. */
export function sign({ keys, ...content }: SignedContent & { keys: readonly SigningKey[] }): string {
  return keys.map((key) => `v1,${digest(content, key).toString('base64')}`).join(' ');
}

export type Verification =
  | { kind: 'valid' }
  | { kind: 'invalid'; reason: 'malformed' | 'too_old' | 'too_new' | 'no_match' };

export interface ReceivedWebhook {
  id: string;
  /** The header as it came. */
  timestamp: string;
  signature: string;
  body: string | Uint8Array;
  secrets: readonly string[];
  nowSeconds: number;
  /** How far the timestamp may be off, either way: finite, from 0 on. Default 300. */
  toleranceSeconds?: number;
}

/**
 * Any of the signatures may match any of the secrets. Signatures of other versions are passed over. Throws a RangeError for a
 * tolerance or a clock that is not a number: nothing is greater than NaN, so that a webhook of any age would be valid.
 */
export function verify(webhook: ReceivedWebhook): Verification {
  const { id, timestamp, body, nowSeconds, toleranceSeconds = 300 } = webhook;
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0 || !Number.isFinite(nowSeconds))
    throw new RangeError('the tolerance and the clock of a verification are finite numbers of seconds');
  if (id === '' || !/^[0-9]{1,12}$/.test(timestamp)) return { kind: 'invalid', reason: 'malformed' };
  const timestampSeconds = Number(timestamp);
  if (timestampSeconds < nowSeconds - toleranceSeconds) return { kind: 'invalid', reason: 'too_old' };
  if (timestampSeconds > nowSeconds + toleranceSeconds) return { kind: 'invalid', reason: 'too_new' };

  const expected = webhook.secrets.map((secret) => digest({ id, timestampSeconds, body }, signingKey(secret)));
  const matches = signatures(webhook.signature).some((given) => expected.some((own) => equal(own, given)));
  return matches ? { kind: 'valid' } : { kind: 'invalid', reason: 'no_match' };
}

/** A new signing secret of 24 random bytes. */
export function newWebhookSecret(random: Uint8Array): string {
  if (random.length !== 24) throw new RangeError('a webhook secret is 24 random bytes');
  return secretPrefix + Buffer.from(random).toString('base64');
}

function digest({ id, timestampSeconds, body }: SignedContent, key: SigningKey): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest();
}

/** The signatures of a header, ten at most: a long header must not cost much work. */
function signatures(header: string): Buffer[] {
  return header
    .split(' ', 10)
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'));
}

const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
