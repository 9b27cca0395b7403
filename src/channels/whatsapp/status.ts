// A status of a message in the platform's callbacks, read as a receipt. It is found by the ids it brings, never by its recipient, whom the
// platform may name in a way of its own.

import { z } from 'zod';
import { isId, timeOf } from '../../core/ids.ts';
import type { Tariff } from '../../core/money/cost.ts';
import { echoedReference, type IncomingReceipt } from '../../core/verify/session.ts';
import type { CarrierReceipt } from '../channel.ts';
import { wamidSchema } from './answer.ts';
import { errorMeaning, refusesSender } from './errors.ts';

/** Namespace of references: ids are unique over all numbers of the platform. */
export const appCarrier = 'whatsapp';

const statusSchema = z.object({
  id: wamidSchema,
  status: z.enum(['sent', 'delivered', 'read', 'failed']),
  /** Unix seconds. */
  timestamp: z.string().regex(/^\d{9,11}$/),
  // A price or data of a new form is no reason to lose a delivery.
  biz_opaque_callback_data: z.string().optional().catch(undefined),
  pricing: z
    .object({
      billable: z.boolean().optional().catch(undefined),
      type: z.string().optional().catch(undefined),
      category: z.string().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  errors: z.array(z.object({ code: z.int() })).optional(),
});

type Status = z.output<typeof statusSchema>;

/** Statuses without a use here: a played voice message, and words added later. */
const otherStatusSchema = z.object({ id: z.string(), status: z.string() });

export type ReadStatus =
  | {
      kind: 'receipt';
      carrier: CarrierReceipt;
      errorCode: number | null;
      /** Unix ms, by our own id, which statuses of our messages bring back; null where it brings none. */
      madeAt: number | null;
      /** What the message is charged as, where that is not what the tariff is for; null otherwise. */
      otherCategory: string | null;
    }
  | { kind: 'other' }
  | { kind: 'unreadable'; raw: string; reason: string };

/** What `messaging.tariff` has the price of. A code may cost many times as much in another, such as `authentication_international`. */
const tariffCategory = 'authentication';

/** A status is kept whole, up to here. */
const maxRaw = 4_000;

export interface StatusContext {
  /** The route of the number's messages. Our own message id counts for messages of this route alone. */
  route: string;
  /** The price of a message whose answer was lost: the status takes the answer's place. */
  tariff: Tariff | null;
  /** Where messages of a business's own number go when the platform refuses the number; null: nowhere. */
  elsewhere?: IncomingReceipt['elsewhere'] | null;
  now: number;
}

/** One status as a receipt, which is matched by ids and never by the recipient. */
export function readStatus(input: unknown, { route, tariff, elsewhere, now }: StatusContext): ReadStatus {
  // The cut may go through a character, and the database takes no half of one in JSON, as which a receipt that waits for its message is kept.
  const raw = JSON.stringify(input).slice(0, maxRaw).toWellFormed();
  const read = statusSchema.safeParse(input);
  if (!read.success) {
    const other = otherStatusSchema.safeParse(input);
    const known = other.success && Object.hasOwn(words, other.data.status);
    if (other.success && !known) return { kind: 'other' };
    return { kind: 'unreadable', raw, reason: 'not a status as documented' };
  }
  const status = read.data;
  const errorCode = status.errors?.[0]?.code ?? null;
  const { id, biz_opaque_callback_data: echoed } = status;
  // Another system that sends from the number writes there what it likes.
  const ownId = isId('msg_', echoed) ? echoed : null;
  const carrier: CarrierReceipt = {
    operator: appCarrier,
    references: [id, ...(ownId === null ? [] : [echoedReference(route, ownId)])],
    number: null,
    // Any status means that the platform had taken the message.
    accepted: { kind: 'accepted', providerMessageId: id, reference: id, parts: 1, tariff },
    receipt: receiptOf(status, { errorCode, elsewhere: elsewhere ?? null, raw, now }),
  };
  const madeAt = ownId === null ? null : timeOf(ownId);
  return { kind: 'receipt', carrier, errorCode, madeAt, otherCategory: otherCategory(status.pricing) };
}

/** The status in SMPP's words (contract, "Receipts and cost"); `failed` depends on the error. */
const words = { sent: 'ACCEPTD', delivered: 'DELIVRD', read: 'DELIVRD', failed: 'UNDELIV' } as const;

interface ReceiptContext extends Pick<StatusContext, 'now'> {
  errorCode: number | null;
  elsewhere: NonNullable<IncomingReceipt['elsewhere']> | null;
  raw: string;
}

function receiptOf(status: Status, { errorCode, elsewhere, raw, now }: ReceiptContext): IncomingReceipt {
  const billable = billableOf(status.pricing);
  const failedBy = status.status === 'failed' ? errorCode : null;
  const other = failedBy !== null && refusesSender(failedBy) ? elsewhere : null;
  return {
    status: other || (failedBy !== null && isRefusal(failedBy)) ? 'REJECTD' : words[status.status],
    providerStatus: status.status,
    detail: status.status === 'read' ? 'read' : null,
    errorCode: errorCode === null ? null : String(errorCode),
    operatorTimestamp: Number(status.timestamp) * 1000,
    receivedAt: now,
    providerMessageId: status.id,
    operatorAmount: null,
    ...(billable === undefined ? {} : { billable }),
    ...(other ? { elsewhere: other } : {}),
    raw,
  };
}

/** True where the sender or the message was refused, false where the phone could not be reached. */
function isRefusal(code: number): boolean {
  return ['channel_down', 'configuration', 'slow_down'].includes(errorMeaning(code));
}

/** The category by which the platform charges, unless it is the plain one of a code, or the message is free. */
function otherCategory(pricing: Status['pricing']): string | null {
  const category = pricing?.category?.toLowerCase() ?? tariffCategory;
  return category === tariffCategory || billableOf(pricing) === false ? null : category;
}

/** `type` is the newer word (`regular`, `free_customer_service`, `free_entry_point`), `billable` the older. */
function billableOf(pricing: Status['pricing']): boolean | undefined {
  if (pricing?.type !== undefined) return !pricing.type.startsWith('free');
  return pricing?.billable;
}
