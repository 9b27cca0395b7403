// Idempotency-Key: the answer is stored in the statement that stores its effect, so there is never one without the other.

import { createHash } from 'node:crypto';

/** Scoped to account, mode and route; kept 24 h. */
export interface Idempotency {
  route: string;
  key: string;
  /** SHA-256 of the request. */
  hash: Buffer;
}

/** Same key and body: the stored answer. Other body: a conflict. */
export type Replay = { kind: 'replayed'; answer: unknown } | { kind: 'idempotency_conflict' };

export const requestHash = (canonicalRequest: string): Buffer => createHash('sha256').update(canonicalRequest).digest();

/** True for the error of a statement that would have stored a key a second time. */
export const isRepeatedKey = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'idempotency_pkey';
};
