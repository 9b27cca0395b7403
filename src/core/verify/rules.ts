// The numbers that steer a session. Defaults are the contract's (docs/decisions.md); configuration may change them.

export interface Rules {
  /** Wrong codes a session survives, the last included. */
  maxAttempts: number;
  /** Sends and resends of one session; cascade steps do not count. */
  maxSends: number;
  /** Between two sends of one session. */
  resendIntervalMs: number;
  /** With less than this left, a second send opens a new session. */
  minimumRemainingMs: number;
  /** A leg that nobody gave a time gets its channel's, moved into this range. */
  legMs: { min: number; max: number };
}

export const defaultRules: Rules = {
  maxAttempts: 5,
  maxSends: 5,
  resendIntervalMs: 30_000,
  minimumRemainingMs: 60_000,
  legMs: { min: 5_000, max: 900_000 },
};
