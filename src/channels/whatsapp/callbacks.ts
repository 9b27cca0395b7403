// The platform's callback (object `whatsapp_business_account`): statuses of messages as receipts in our words, and changes of
// accounts (`account_update`, `message_template_status_update`). Inbound messages and other fields are counted and not kept.

import { z } from 'zod';
import type { Tariff } from '../../core/money/cost.ts';
import { echoedReference, type IncomingReceipt } from '../../core/verify/session.ts';
import type { CarrierReceipt } from '../channel.ts';
import { errorMeaning, wamidSchema } from './answer.ts';

/** Namespace of references: ids are unique over all numbers of the platform. */
export const appCarrier = 'whatsapp';

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
});

/** The statuses in a callback, number by number. */
export interface StatusChange {
  phoneNumberId: string;
  statuses: readonly unknown[];
  inboundMessages: number;
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
        const { metadata, statuses = [], messages = [] } = read.data;
        changes.push({ phoneNumberId: metadata.phone_number_id, statuses, inboundMessages: messages.length });
      }
    }
  }
  return { kind: 'callback', changes, accounts, otherFields };
}

export type ReadStatus =
  | { kind: 'receipt'; carrier: CarrierReceipt; errorCode: number | null }
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
  return { kind: 'receipt', carrier, errorCode };
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
