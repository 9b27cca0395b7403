// The rules of a session: the numbers that bound its tries, sends and times. Defaults are the contract's (docs/decisions.md), and
// configuration may change them, so they are an argument of every decision.

export interface Rules {
  /** Wrong codes a session survives, the last included. */
  maxAttempts: number;
  /** Sends and resends of one session; cascade steps do not count. */
  maxSends: number;
  /** Between two sends of one session. */
  resendIntervalMs: number;
  /** With less than this left, a second send opens a new session. */
  minimumRemainingMs: number;
  /** A leg without a timeout of its own gets its channel's, moved into this range. */
  legMs: { min: number; max: number };
  /** How long a receipt of a message in doubt is waited for. */
  inDoubtMs: number;
  /** Whether a message in doubt goes out once more where no leg is left. */
  inDoubtResend: boolean;
  /** How long a delivery by WhatsApp is waited for, from its platform's answer on; then the message is over. */
  appDeliveryMs: number;
}

/**
 * The clocks of two hosts may be apart by so much, ms. A time that another host has set and that is further ahead than that was set before the
 * clock was set back.
 */
export const clocksDifferMs = 10_000;

export const defaultRules: Rules = {
  maxAttempts: 5,
  maxSends: 5,
  resendIntervalMs: 30_000,
  minimumRemainingMs: 60_000,
  legMs: { min: 5_000, max: 900_000 },
  inDoubtMs: 3_000,
  inDoubtResend: true,
  appDeliveryMs: 90_000,
};

/** The rules as a deployment configures them, in whole seconds. */
export interface VerifySettings {
  maxAttempts: number;
  maxSends: number;
  resendIntervalSeconds: number;
  minimumRemainingSeconds: number;
  timeoutSeconds: { min: number; max: number };
  inDoubtSeconds: number;
  inDoubtResend: boolean;
}

/** Times a leg may have. */
export const legMs = ({ timeoutSeconds: { min, max } }: Pick<VerifySettings, 'timeoutSeconds'>): Rules['legMs'] => ({
  min: min * 1000,
  max: max * 1000,
});

/** Statuses are seconds late at times: so long after the platform has dropped a message it is taken for dropped. */
const statusesLateMs = 60_000;

/** @param appDeliverySeconds how long the messaging platform tries to deliver. */
export const rulesOf = (verify: VerifySettings, appDeliverySeconds: number): Rules => ({
  maxAttempts: verify.maxAttempts,
  maxSends: verify.maxSends,
  resendIntervalMs: verify.resendIntervalSeconds * 1000,
  minimumRemainingMs: verify.minimumRemainingSeconds * 1000,
  legMs: legMs(verify),
  inDoubtMs: verify.inDoubtSeconds * 1000,
  inDoubtResend: verify.inDoubtResend,
  appDeliveryMs: appDeliverySeconds * 1000 + statusesLateMs,
});
