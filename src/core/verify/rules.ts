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
  /** How long a phone rings. A call begins only while so much of its leg is left, or in a short leg the greater part of it (`legOverAt`). */
  ringMs: number;
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
  ringMs: 28_000,
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

/** How long a channel's carrier goes on by itself. */
export interface CarrierTimes {
  /** The messaging platform tries to deliver for so long. */
  appDeliverySeconds: number;
  /** A phone rings for so long, by the trunk that lets it ring longest. */
  ringSeconds: number;
}

export const rulesOf = (verify: VerifySettings, { appDeliverySeconds, ringSeconds }: CarrierTimes): Rules => ({
  maxAttempts: verify.maxAttempts,
  maxSends: verify.maxSends,
  resendIntervalMs: verify.resendIntervalSeconds * 1000,
  minimumRemainingMs: verify.minimumRemainingSeconds * 1000,
  legMs: legMs(verify),
  inDoubtMs: verify.inDoubtSeconds * 1000,
  inDoubtResend: verify.inDoubtResend,
  appDeliveryMs: appDeliverySeconds * 1000 + statusesLateMs,
  ringMs: ringSeconds * 1000,
});
