// What the channel tells those who watch it: metrics, the log, an alarm.

import type { Refusal } from './answer.ts';

export interface AppObserver {
  /** Every exchange with the platform: what it meant, and how long it took. */
  exchange?(about: { phoneNumberId: string; meaning: string; code: string | null; ms: number }): void;
  /**
   * The platform refuses us, whoever the message is for: the number is not used until `until` (Unix ms). `owner`: the
   * business whose own number it is, and who must look; null = ours to look at.
   */
  down?(phoneNumberId: string, refusal: Refusal, until: number, owner: string | null): void;
  /** It takes messages again. */
  up?(phoneNumberId: string): void;
  /** It can't use what is configured: template, parameters, number. Somebody must look. */
  misconfigured?(phoneNumberId: string, refusal: Refusal, owner: string | null): void;
  /** Parts of a callback that were passed over, e.g. statuses of a number that is not ours. */
  ignored?(what: 'unknown_number' | 'inbound_message' | 'other_status' | 'other_field', count: number): void;
}
