// The platform's callbacks (object `whatsapp_business_account`), read and taken in: statuses of messages (status.ts) become receipts for
// the intake, changes of accounts (account-update.ts) go to `onAccountChange`. Inbound messages, other fields, and statuses of messages that
// others send from our numbers are counted and dropped: one app's callbacks report on all of them.

import { z } from 'zod';
import { dayMs } from '../../time/wall-clock.ts';
import type { KnownIntake } from '../channel.ts';
import { type AppBilling, tariffOf } from './account.ts';
import { type AccountChange, readAccountChange } from './account-update.ts';
import type { AppObserver } from './answer.ts';
import { type ErrorMeaning, errorMeaning, type Refusal } from './errors.ts';
import { appCarrier, type ReadStatus, readStatus, type StatusContext } from './status.ts';

const callbackSchema = z.object({
  object: z.string(),
  entry: z.array(
    z.object({
      id: z.string().optional(),
      /** Unix seconds. */
      time: z.number().optional(),
      changes: z.array(z.object({ field: z.string(), value: z.unknown() })),
    }),
  ),
});

const valueSchema = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  statuses: z.array(z.unknown()).optional(),
  messages: z.array(z.unknown()).optional(),
  /** "Errors messages webhook": a problem of the app or the account, about no message. */
  errors: z.array(z.unknown()).optional(),
});
const reportedSchema = z.object({ code: z.int() });

/** The statuses in a callback, number by number. */
export interface StatusChange {
  phoneNumberId: string;
  statuses: readonly unknown[];
  inboundMessages: number;
  /** Codes of errors that are about no message. */
  errorCodes: readonly number[];
}

export type Callback =
  | { kind: 'callback'; changes: StatusChange[]; accounts: AccountChange[]; otherFields: number }
  /** Not in the documented form. */
  | { kind: 'unreadable'; reason: string };

export function readCallback(text: string): Callback {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'unreadable', reason: 'not JSON' };
  }
  const callback = callbackSchema.safeParse(json);
  if (!callback.success) return { kind: 'unreadable', reason: 'not a callback as documented' };
  const changes: StatusChange[] = [];
  const accounts: AccountChange[] = [];
  let otherFields = 0;
  for (const entry of callback.data.entry) {
    for (const { field, value } of entry.changes) {
      const read = field === 'messages' ? valueSchema.safeParse(value) : undefined;
      const account = readAccountChange(field, value, entry);
      if (account) accounts.push(account);
      else if (!read?.success) otherFields += 1;
      else {
        const { metadata, statuses = [], messages = [], errors = [] } = read.data;
        const errorCodes = errors.flatMap((error) => reportedSchema.safeParse(error).data?.code ?? []);
        const phoneNumberId = metadata.phone_number_id;
        changes.push({ phoneNumberId, statuses, inboundMessages: messages.length, errorCodes });
      }
    }
  }
  return { kind: 'callback', changes, accounts, otherFields };
}

export interface CallbackOptions {
  /** How messages of a number are billed, while it is ours or a business's, even where it cannot be sent from. */
  billingOf(phoneNumberId: string): AppBilling | null;
  /** Name of the route of the messages that a number sends. */
  routeOf(phoneNumberId: string): string;
  /** Where messages of this number go when the platform refuses the number; null: nowhere. */
  elsewhereOf(phoneNumberId: string): StatusContext['elsewhere'];
  /** A status reports that the platform refuses messages of this number. */
  onRefused(phoneNumberId: string, refusal: Refusal): void;
  /** A message of this number, made at `madeAt` (Unix ms), reached its phone. */
  onDelivered(phoneNumberId: string, madeAt: number): void;
  /** Something happened to an account at the platform. Resolves once it is committed. */
  onAccountChange(change: AccountChange): Promise<void>;
  intake: KnownIntake;
  now(): number;
  observer: AppObserver;
}

/** Callbacks are repeated for days: an old refusal says nothing about today. */
const freshMs = 5 * 60_000;
/** Statuses find their message for this long. */
const matchableMs = 4 * dayMs;
/** Characters kept of a callback that cannot be read. */
const maxUnreadable = 4_000;

/** Takes in one callback, whose signature is right; resolves once everything in it is committed. */
export async function takeCallback(text: string, options: CallbackOptions): Promise<void> {
  const { intake, now, observer, onAccountChange } = options;
  const callback = readCallback(text);
  if (callback.kind === 'unreadable') {
    const raw = text.slice(0, maxUnreadable).replaceAll('\0', '').toWellFormed();
    return intake.takeUnreadable({ operator: appCarrier, raw, reason: callback.reason, receivedAt: now() });
  }
  if (callback.otherFields > 0) observer.ignored?.('other_field', callback.otherFields);
  await Promise.all([
    ...callback.changes.map((change) => takeChange(change, options)),
    ...callback.accounts.map((change) => onAccountChange(change)),
  ]);
}

async function takeChange(change: StatusChange, options: CallbackOptions): Promise<void> {
  const { phoneNumberId, statuses, inboundMessages, errorCodes } = change;
  const { billingOf, elsewhereOf, now, observer, onRefused, routeOf } = options;
  for (const code of errorCodes) {
    const refusal = { meaning: errorMeaning(code), code: String(code) };
    observer.reported?.(phoneNumberId, refusal);
    onRefused(phoneNumberId, refusal);
  }
  if (inboundMessages > 0) observer.ignored?.('inbound_message', inboundMessages);
  const billing = billingOf(phoneNumberId);
  const context = {
    route: routeOf(phoneNumberId),
    tariff: billing && tariffOf(billing, now()),
    elsewhere: elsewhereOf(phoneNumberId),
    now: now(),
  };
  const read = statuses.map((status) => readStatus(status, context));
  if (billing) await Promise.all(read.map((status) => takeStatus(status, phoneNumberId, options)));
  else await takeKnown(read, options);
}

async function takeStatus(status: ReadStatus, phoneNumberId: string, options: CallbackOptions): Promise<void> {
  const { intake, now, observer, onRefused, onDelivered } = options;
  if (status.kind === 'other') return observer.ignored?.('other_status', 1);
  if (status.kind === 'unreadable') {
    const { raw, reason } = status;
    return intake.takeUnreadable({ operator: appCarrier, raw, reason, receivedAt: now() });
  }
  const { errorCode, carrier, madeAt, otherCategory } = status;
  // What is not known now never will be: a message is filed under our own id before it is written. Others send from the same number, too, this
  // service with another database among them: what they send, and to whom, is not kept. Nor is it that an old code was read.
  const isOurs = await intake.takeKnown(carrier);
  const isOld = madeAt !== null && now() - madeAt >= matchableMs;
  if (!isOurs) observer.ignored?.(isOld ? 'old_message' : 'unknown_message', 1);
  if (isOurs && otherCategory !== null) observer.otherCategory?.(phoneNumberId, otherCategory);
  if (carrier.receipt.status === 'DELIVRD' && madeAt !== null) onDelivered(phoneNumberId, madeAt);
  if (errorCode !== null && now() - (carrier.receipt.operatorTimestamp ?? 0) < freshMs) {
    const meaning = errorMeaning(errorCode);
    if (isOurs || ofNumber.has(meaning)) onRefused(phoneNumberId, { meaning, code: String(errorCode) });
  }
}

/** What an error says of the number, also where the message is another system's; the others say something of the message. */
const ofNumber: ReadonlySet<ErrorMeaning> = new Set(['channel_down', 'slow_down']);

/** Takes statuses of an unknown number: it may have been ours until a moment ago, or a business's that has linked another since. */
async function takeKnown(statuses: readonly ReadStatus[], { intake, observer }: CallbackOptions): Promise<void> {
  const known = await Promise.all(
    statuses.map((status) => status.kind === 'receipt' && intake.takeKnown(status.carrier)),
  );
  const unknown = known.filter((isKnown) => !isKnown).length;
  if (unknown > 0) observer.ignored?.('unknown_number', unknown);
}
