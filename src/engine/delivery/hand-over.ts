// The plain values of hand-overs, checked where they arrive: places that are asked for and lent, the message for one of them, and what its
// carrier answered.

import { z } from 'zod';
import type { OutgoingMessage, SendOutcome } from '../../channels/channel.ts';

const text = z.string();
const count = z.int();

export const placesWanted = z.strictObject({ route: text, count });
/** Numbers of the lender's; null where it has no bind for the route. */
export const lentPlaces = z.array(count).nullable();

/** A message for a place that was lent. `carrier`: the name space of its references. */
export interface HandedOver {
  place: number;
  carrier: string;
  message: OutgoingMessage;
}

export const handedOver = z.strictObject({
  place: count,
  carrier: text,
  message: z.strictObject({
    id: text,
    sessionId: text,
    accountId: text,
    mode: z.enum(['live', 'test']),
    channel: z.enum(['sms', 'whatsapp', 'voice']),
    route: text,
    to: text,
    senderId: text.nullable(),
    language: z.enum(['ar', 'fr', 'en']),
    code: text,
    autofill: z.strictObject({ androidAppHash: text.exactOptional(), webOrigin: text.exactOptional() }),
    wording: z.strictObject({ brand: text.exactOptional(), text: text.exactOptional() }).nullable(),
    expiresAt: z.number(),
  }),
}) satisfies z.ZodType<HandedOver>;

const outcomes = ['accepted', 'rejected', 'sender_refused', 'unknown', 'not_sent'];

export const sendOutcome = z.custom<SendOutcome>((value) => {
  const { kind, parts, reason } = Object(value) as Record<string, unknown>;
  if (!outcomes.includes(String(kind))) return false;
  if (kind === 'accepted') return Number.isInteger(parts);
  return kind === 'sender_refused' || typeof reason === 'string';
});
