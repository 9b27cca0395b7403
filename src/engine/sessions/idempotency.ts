// What is stored of an Idempotency-Key: the answer goes in with the statement that stores its effect, so that there is never one
// without the other.

/** Scoped to account, mode and route; kept 24 h. */
export interface Idempotency {
  route: string;
  key: string;
  /** Keyed hash of the request: see verify/idempotent.ts. */
  hash: Buffer;
}

/** True for the error of a statement that would have stored a key a second time. */
export const isRepeatedKey = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'idempotency_pkey';
};
