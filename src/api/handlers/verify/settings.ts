// The part of the configuration that decides what a send may ask for.

import type { Config, VerifyConfig } from '../../../config.ts';
import type { Rules } from '../../../core/verify/rules.ts';

/** Numbers of `verify` that steer a session once it is open are `Rules`; these are the ones a request is held against. */
export interface SendSettings extends Pick<Config, 'sandbox' | 'scenarioPrefix'> {
  verify: Pick<VerifyConfig, 'codeLength' | 'ttlSeconds' | 'cascade' | 'timeoutSeconds'>;
  service: Pick<Config['service'], 'homeCountry'>;
  operators: readonly { id: string; prefixes: readonly string[] }[];
}

/** Times a leg may have. */
export const legMs = ({ timeoutSeconds: { min, max } }: Pick<VerifyConfig, 'timeoutSeconds'>): Rules['legMs'] => ({
  min: min * 1000,
  max: max * 1000,
});

/** The engine's rules as the configuration says them: seconds there, milliseconds here. */
export const rulesOf = (verify: VerifyConfig): Rules => ({
  maxAttempts: verify.maxAttempts,
  maxSends: verify.maxSends,
  resendIntervalMs: verify.resendIntervalSeconds * 1000,
  minimumRemainingMs: verify.minimumRemainingSeconds * 1000,
  legMs: legMs(verify),
});
