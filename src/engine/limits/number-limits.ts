// Limits of sends to one number: how many are allowed, of an account and of all together, and when a refused send may be tried again. They are
// counted in the statement that stores the send (db/limits/number-tokens.ts).

import type { Mode } from '../../core/verify/session.ts';
import type { NumberLimits, Spent } from '../../db/limits/number-tokens.ts';
import { dayMs, hourMs } from '../../time/wall-clock.ts';
import type { AccountView } from '../accounts/views.ts';

/** The deployment's limits of sends. */
export interface SendLimits {
  /** Sends of one account to one number, where the account has no limits of its own. */
  perNumberPerHour: number;
  perNumberPerDay: number;
  /** Sends of all accounts together to one number. */
  platformPerNumberPerHour: number;
  platformPerNumberPerDay: number;
  accountPerSecond: number;
  accountBurst: number;
}

/** Accounts that may each send to a number as often as one may, where the configuration does not say. */
const platformAccounts = 3;
export const platformLimit = (given: number | null, perAccount: number): number =>
  given ?? platformAccounts * perAccount;

/** Sends of an account that may come at once: a second's worth at least. A bucket holds whole tokens, whatever fraction its rate has. */
export const sendsBurst = ({ accountBurst }: SendLimits, perSecond: number): number =>
  Math.max(accountBurst, Math.ceil(perSecond));

type AccountLimits = Pick<AccountView, 'sendsPerNumberPerHour' | 'sendsPerNumberPerDay' | 'unlimitedNumbers'>;

/** null where nothing is counted: a test key sends nothing, and an account with wide limits is trusted with numbers too. */
export function numberLimitsOf(account: AccountLimits, mode: Mode, limits: SendLimits): NumberLimits | null {
  if (mode === 'test' || account.unlimitedNumbers) return null;
  return {
    perHour: account.sendsPerNumberPerHour ?? limits.perNumberPerHour,
    perDay: account.sendsPerNumberPerDay ?? limits.perNumberPerDay,
    platformPerHour: limits.platformPerNumberPerHour,
    platformPerDay: limits.platformPerNumberPerDay,
  };
}

/** Sends of one account to one number that both buckets let out: an account's own limit may be above the one that all accounts share. */
export const mostPerNumber = (limits: NumberLimits): { perHour: number; perDay: number } => ({
  perHour: Math.min(limits.perHour, limits.platformPerHour),
  perDay: Math.min(limits.perDay, limits.platformPerDay),
});

/**
 * Ms until the next try: the time that the slower of the two buckets needs for one token, and up to half as much again at random. So
 * it comes from the same range whether the account's bucket is empty or the platform's: the difference would reveal the sends of other accounts.
 */
export function retryAfterMs(by: Spent, limits: NumberLimits, randomBytes: (size: number) => Uint8Array): number {
  const { perHour, perDay } = mostPerNumber(limits);
  const [periodMs, slower] = by === 'hour' ? [hourMs, perHour] : [dayMs, perDay];
  const random = Buffer.from(randomBytes(4)).readUInt32BE(0) / 2 ** 32;
  return Math.ceil((periodMs / slower) * (1 + random / 2));
}
