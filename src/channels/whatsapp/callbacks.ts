// The platform's callbacks (object `whatsapp_business_account`), read and taken in: statuses of messages become receipts for the intake,
// changes of accounts go to `onAccountChange`. Inbound messages and other fields are counted and dropped, because one app's callbacks
// also report on messages that are not ours.

import { z } from 'zod';
import { isId, timeOf } from '../../core/ids.ts';
import type { Tariff } from '../../core/money/cost.ts';
import { echoedReference, type IncomingReceipt } from '../../core/verify/session.ts';
import type { CarrierReceipt, KnownIntake } from '../channel.ts';
import { type AppBilling, tariffOf } from './account.ts';
import { type AppObserver, wamidSchema } from './answer.ts';
import { errorMeaning, type Refusal } from './errors.ts';

/** Namespace of references: ids are unique over all numbers of the platform. */
const appCarrier = 'whatsapp';

const statusSchema = z.object({
  id: wamidSchema,
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  /** Unix seconds. */
  timestamp: z.string().regex(/^\d{9,11}$/),
  biz_opaque_callback_data: z.string().optional(),
  pricing: z.object({ billable: z.boolean().optional(), type: z.string().optional() }).optional(),
  errors: z.array(z.object({ code: z.int() })).optional(),
});

type Status = z.output<typeof statusSchema>;

/** Statuses without a use here: a played voice message, and words added later. */
const otherStatusSchema = z.object({ id: z.string(), status: z.string() });

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

export type ReadStatus =
  | {
      kind: 'receipt';
      carrier: CarrierReceipt;
      errorCode: number | null;
      /** Unix ms, by our own id that it brings back; null where it brings none. */
      madeAt: number | null;
    }
  | { kind: 'other' }
  | { kind: 'unreadable'; raw: string; reason: string };

/** A status is kept whole, up to here. */
const maxRaw = 4_000;

export interface StatusContext {
  /** The route of the number's messages. Our own message id counts for messages of this route alone. */
  route: string;
  /** The price of a message whose answer was lost: the status takes the answer's place. */
  tariff: Tariff | null;
  now: number;
}

/** One status as a receipt, which is matched by ids and never by the recipient. */
export function readStatus(input: unknown, { route, tariff, now }: StatusContext): ReadStatus {
  const raw = JSON.stringify(input).slice(0, maxRaw);
  const read = statusSchema.safeParse(input);
  if (!read.success) {
    const other = otherStatusSchema.safeParse(input);
    const known = other.success && Object.hasOwn(words, other.data.status);
    if (other.success && !known) return { kind: 'other' };
    return { kind: 'unreadable', raw, reason: 'not a status as documented' };
  }
  const status = read.data;
  const errorCode = status.errors?.[0]?.code ?? null;
  const { id, biz_opaque_callback_data: ownId } = status;
  const carrier: CarrierReceipt = {
    operator: appCarrier,
    references: [id, ...(ownId ? [echoedReference(route, ownId)] : [])],
    number: null,
    // Any status means that the platform had taken the message.
    accepted: { kind: 'accepted', providerMessageId: id, reference: id, parts: 1, tariff },
    receipt: receiptOf(status, errorCode, raw, now),
  };
  return { kind: 'receipt', carrier, errorCode, madeAt: isId('msg_', ownId) ? timeOf(ownId) : null };
}

/** The status in SMPP's words (contract, "Receipts and cost"); `failed` depends on the error. */
const words = { sent: 'ACCEPTD', delivered: 'DELIVRD', read: 'DELIVRD', failed: 'UNDELIV' } as const;

function receiptOf(status: Status, errorCode: number | null, raw: string, now: number): IncomingReceipt {
  const billable = billableOf(status.pricing);
  return {
    status: status.status === 'failed' && isRefusal(errorCode) ? 'REJECTD' : words[status.status],
    providerStatus: status.status,
    detail: status.status === 'read' ? 'read' : null,
    errorCode: errorCode === null ? null : String(errorCode),
    operatorTimestamp: Number(status.timestamp) * 1000,
    receivedAt: now,
    providerMessageId: status.id,
    operatorAmount: null,
    ...(billable === undefined ? {} : { billable }),
    raw,
  };
}

/** True where the sender or the message was refused, false where the phone could not be reached. */
function isRefusal(code: number | null): boolean {
  const meaning = code === null ? 'other' : errorMeaning(code);
  return meaning === 'channel_down' || meaning === 'configuration' || meaning === 'slow_down';
}

/** `type` is the newer word (`regular`, `free_customer_service`, `free_entry_point`), `billable` the older. */
function billableOf(pricing: Status['pricing']): boolean | undefined {
  if (pricing?.type !== undefined) return !pricing.type.startsWith('free');
  return pricing?.billable;
}

export type AccountChange =
  /** `reportedAt`: Unix ms, in whole seconds; callbacks are repeated for days. */
  | { kind: 'uninstalled'; wabaId: string; reportedAt: number }
  /** A template's status has changed. Callbacks overtake each other, so the new status is read from the platform, not from here. */
  | { kind: 'templates'; wabaId: string };

/** Events after which the account is no longer ours to use. */
const endings = ['PARTNER_APP_UNINSTALLED', 'PARTNER_REMOVED', 'ACCOUNT_DELETED'] as const;

const idSchema = z.string().regex(/^\d{1,32}$/);
const endingSchema = z.object({ event: z.enum(endings), waba_info: z.object({ waba_id: idSchema }) });
const entrySchema = z.object({ id: idSchema });
const timeSchema = z.int().min(0).max(99_999_999_999);

/** The change of an account in one entry; null where it holds none. */
function readAccountChange(
  field: string,
  value: unknown,
  entry: { id?: string | undefined; time?: number | undefined },
): AccountChange | null {
  if (field === 'message_template_status_update') {
    const { data } = entrySchema.safeParse(entry);
    return data ? { kind: 'templates', wabaId: data.id } : null;
  }
  if (field !== 'account_update') return null;
  const ending = endingSchema.safeParse(value);
  const time = timeSchema.safeParse(entry.time);
  if (!ending.success || !time.success) return null;
  return { kind: 'uninstalled', wabaId: ending.data.waba_info.waba_id, reportedAt: time.data * 1000 };
}

export interface CallbackOptions {
  /** How messages of a number are billed, while it is ours or a business's, even where it cannot be sent from. */
  billingOf(phoneNumberId: string): AppBilling | null;
  /** Name of the route of the messages that a number sends. */
  routeOf(phoneNumberId: string): string;
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
/** Characters kept of a callback that cannot be read. */
const maxUnreadable = 4_000;

/** Takes in one callback, whose signature is right; resolves once everything in it is committed. */
export async function takeCallback(text: string, options: CallbackOptions): Promise<void> {
  const { intake, now, observer, onAccountChange } = options;
  const callback = readCallback(text);
  if (callback.kind === 'unreadable') {
    const raw = text.slice(0, maxUnreadable).replaceAll('\0', '');
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
  const { billingOf, now, observer, onRefused, routeOf } = options;
  for (const code of errorCodes) {
    const refusal = { meaning: errorMeaning(code), code: String(code) };
    observer.reported?.(phoneNumberId, refusal);
    onRefused(phoneNumberId, refusal);
  }
  if (inboundMessages > 0) observer.ignored?.('inbound_message', inboundMessages);
  const billing = billingOf(phoneNumberId);
  const context = { route: routeOf(phoneNumberId), tariff: billing && tariffOf(billing, now()), now: now() };
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
  const { errorCode, carrier, madeAt } = status;
  if (carrier.receipt.status === 'DELIVRD' && madeAt !== null) onDelivered(phoneNumberId, madeAt);
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
