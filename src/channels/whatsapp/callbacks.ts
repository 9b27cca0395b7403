// The handling of a callback whose signature is right: statuses go to the intake, changes of accounts to `onAccountChange`. Other
// contents are counted and dropped, because one app's callbacks also report on messages that are not ours.

import type { KnownIntake } from '../channel.ts';
import { type AppBilling, tariffOf } from './account.ts';
import { type AppObserver, errorMeaning, type Refusal } from './answer.ts';
import {
  type AccountChange,
  appCarrier,
  type ReadStatus,
  readCallback,
  readStatus,
  type StatusChange,
} from './status.ts';

export interface CallbackOptions {
  /** How messages of a number are billed, while it is ours or a business's, even where it cannot be sent from. */
  billingOf(phoneNumberId: string): AppBilling | null;
  /** Name of the route of the messages that a number sends. */
  routeOf(phoneNumberId: string): string;
  /** A status reports that the platform refuses messages of this number. */
  onRefused(phoneNumberId: string, refusal: Refusal): void;
  /** Something happened to an account at the platform. Resolves once it is committed. */
  onAccountChange(change: AccountChange): Promise<void>;
  intake: KnownIntake;
  now(): number;
  observer: AppObserver;
}

/** Callbacks are repeated for days: an old refusal says nothing about today. */
const freshMs = 5 * 60_000;
/** Characters kept of a callback that cannot be read. */
const maxRaw = 4_000;

/** Takes in one callback; resolves once everything in it is committed. */
export async function takeCallback(text: string, options: CallbackOptions): Promise<void> {
  const { intake, now, observer, onAccountChange } = options;
  const callback = readCallback(text);
  if (callback.kind === 'unreadable') {
    const raw = text.slice(0, maxRaw).replaceAll('\0', '');
    return intake.takeUnreadable({ operator: appCarrier, raw, reason: callback.reason, receivedAt: now() });
  }
  if (callback.otherFields > 0) observer.ignored?.('other_field', callback.otherFields);
  await Promise.all([
    ...callback.changes.map((change) => takeChange(change, options)),
    ...callback.accounts.map((change) => onAccountChange(change)),
  ]);
}

async function takeChange(change: StatusChange, options: CallbackOptions): Promise<void> {
  const { phoneNumberId, statuses, inboundMessages } = change;
  const { billingOf, now, observer, routeOf } = options;
  if (inboundMessages > 0) observer.ignored?.('inbound_message', inboundMessages);
  const billing = billingOf(phoneNumberId);
  const context = { route: routeOf(phoneNumberId), tariff: billing && tariffOf(billing, now()), now: now() };
  const read = statuses.map((status) => readStatus(status, context));
  if (billing) await Promise.all(read.map((status) => takeStatus(status, phoneNumberId, options)));
  else await takeKnown(read, options);
}

async function takeStatus(status: ReadStatus, phoneNumberId: string, options: CallbackOptions): Promise<void> {
  const { intake, now, observer, onRefused } = options;
  if (status.kind === 'other') return observer.ignored?.('other_status', 1);
  if (status.kind === 'unreadable') {
    const { raw, reason } = status;
    return intake.takeUnreadable({ operator: appCarrier, raw, reason, receivedAt: now() });
  }
  const { errorCode, carrier } = status;
  if (errorCode !== null && now() - (carrier.receipt.operatorTimestamp ?? 0) < freshMs) {
    onRefused(phoneNumberId, { meaning: errorMeaning(errorCode), code: String(errorCode) });
  }
  return intake.take(carrier);
}

/** Takes statuses of an unknown number: it may have been ours until a moment ago, or a business's that has linked another since. */
async function takeKnown(statuses: readonly ReadStatus[], { intake, observer }: CallbackOptions): Promise<void> {
  const known = await Promise.all(
    statuses.map((status) => status.kind === 'receipt' && intake.takeKnown(status.carrier)),
  );
  const unknown = known.filter((isKnown) => !isKnown).length;
  if (unknown > 0) observer.ignored?.('unknown_number', unknown);
}
