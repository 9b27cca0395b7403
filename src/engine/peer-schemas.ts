// Schemas of the plain values that processes send each other: the requests and answers of the face's verbs, and receipts. Each is checked
// where it arrives. A value that does not fit its schema is not used: the process that asked then does the work itself.

import { z } from 'zod';
import type { CarrierReceipt } from '../channels/channel.ts';
import { type Finding, guardRules } from '../core/limits/verdict.ts';
import type { Refusal } from '../core/verify/event.ts';
import type { Session, StoredReceipt } from '../core/verify/session.ts';
import type { Found } from '../db/receipts/receipts.ts';
import { message, receipt as receiptRecord, session as sessionRecord } from '../db/verify/records.ts';
import type { CancelRequest, CancelResult, CheckRequest, CheckResult } from './verify/check.ts';
import type { SendRequest, SendResult } from './verify/send.ts';

const text = z.string();
const count = z.int();
const mode = z.enum(['live', 'test']);
const channel = z.enum(['sms', 'whatsapp', 'voice']);

const keyed = {
  accountId: text,
  mode,
  idempotency: z.strictObject({ route: text, key: text, request: text }).nullable(),
};

const budget = z.strictObject({
  sendsPerHour: count.exactOptional(),
  sendsPerDay: count.exactOptional(),
  spendPerHour: z.record(text, text).exactOptional(),
  spendPerDay: z.record(text, text).exactOptional(),
});

export const sendRequest = z.strictObject({
  ...keyed,
  apiKeyId: text.exactOptional(),
  to: text,
  purpose: text,
  channel: channel.nullable(),
  cascade: z.array(z.strictObject({ channel, timeoutSeconds: count.nullable() })),
  language: z.enum(['ar', 'fr', 'en']).nullable(),
  codeLength: count.nullable(),
  code: text.nullable(),
  ttlSeconds: count.nullable(),
  senderId: text.nullable(),
  clientReference: text,
  metadata: z.record(text, text).nullable(),
  autofill: z.strictObject({ androidAppHash: text.exactOptional(), webOrigin: text.exactOptional() }),
  client: z.strictObject({ ip: text, userAgent: text, deviceId: text }).exactOptional(),
  restrictions: z
    .strictObject({
      addresses: z.array(text),
      prefixes: z.array(text),
      sendsPerDay: count.nullable(),
      budget: budget.exactOptional(),
      within: z
        .array(
          z.strictObject({
            keyId: text,
            sendsPerDay: count.nullable().exactOptional(),
            budget: budget.exactOptional(),
          }),
        )
        .exactOptional(),
    })
    .exactOptional(),
  elsewhere: z.literal(true).exactOptional(),
  operation: text,
}) satisfies z.ZodType<SendRequest>;

export const checkRequest = z.strictObject({
  ...keyed,
  target: z.union([z.strictObject({ id: text }), z.strictObject({ to: text, purpose: text })]),
  code: text,
  operation: text,
}) satisfies z.ZodType<CheckRequest>;

export const cancelRequest = z.strictObject({
  accountId: text,
  mode,
  id: text,
  reported: z.enum(['verified', 'fraud']).exactOptional(),
}) satisfies z.ZodType<CancelRequest>;

const session = z.custom<Session>((value) => {
  const { messages } = Object(value) as { messages?: unknown };
  return sessionRecord.fits(value) && Array.isArray(messages) && messages.every((each) => message.fits(each));
});
const receipts = z.array(z.custom<StoredReceipt>((value) => receiptRecord.fits(value)));

const refused = z.custom<Refusal>((value) => {
  const { kind, code, field, message } = Object(value) as Record<string, unknown>;
  return kind === 'refused' && [code, field, message].every((each) => typeof each === 'string');
});
const replay = [
  z.strictObject({ kind: z.literal('replayed'), answer: z.unknown() }),
  z.strictObject({ kind: z.literal('idempotency_conflict') }),
] as const;

const quota = z.strictObject({ capacity: z.number(), refillPerSecond: z.number(), tokens: z.number() }).exactOptional();

const finding = z.strictObject({
  rule: z.enum(guardRules),
  reason: text,
  field: text.exactOptional(),
  retryAfterMs: z.number().exactOptional(),
  stopId: text.exactOptional(),
} satisfies Record<keyof Finding, z.ZodType>);

export const sendResult = z.union([
  z.strictObject({ kind: z.literal('sent'), session, quota }),
  z.strictObject({ kind: z.literal('no_route'), reasons: z.array(text), quota }),
  z.strictObject({ kind: z.literal('number_limited'), retryAfterMs: z.number(), quota }),
  z.strictObject({ kind: z.literal('account_limited'), retryAfterMs: z.number(), quota }),
  z.strictObject({ kind: z.literal('guarded'), finding, quota }),
  z.strictObject({ kind: z.literal('overloaded'), retryAfterMs: z.number(), quota }),
  z.strictObject({ kind: z.literal('resend_too_soon'), session, resendAfter: z.number(), quota }),
  z.strictObject({ kind: z.literal('too_many_sends'), session, quota }),
  z.strictObject({ kind: z.literal('resend_differs'), session, field: text, quota }),
  ...replay,
  refused,
]) satisfies z.ZodType<SendResult>;

const reason = z.enum(['incorrect_code', 'expired', 'too_many_attempts', 'already_verified', 'canceled']).nullable();

export const checkResult = z.union([
  z.strictObject({
    kind: z.literal('checked'),
    checked: z.strictObject({ valid: z.boolean(), reason, attemptsRemaining: count }),
    session,
  }),
  z.strictObject({ kind: z.literal('not_found') }),
  z.strictObject({ kind: z.literal('malformed_code'), length: count }),
  z.strictObject({ kind: z.literal('number_locked'), until: z.number().nullable() }),
  ...replay,
  refused,
]) satisfies z.ZodType<CheckResult>;

export const cancelResult = z.union([
  z.strictObject({ kind: z.literal('ended'), session, receipts }),
  z.strictObject({ kind: z.literal('not_found') }),
  z.strictObject({ kind: z.literal('over'), session }),
]) satisfies z.ZodType<CancelResult>;

/** A receipt, and its message where the process that asks knows it. */
export interface AskedReceipt {
  carrier: CarrierReceipt;
  found: Found | null;
}

const carrier = z.custom<CarrierReceipt>((value) => {
  const { operator, references, number, receipt } = Object(value) as Record<string, unknown>;
  const isText = (each: unknown) => typeof each === 'string';
  if (!isText(operator) || !Array.isArray(references) || !references.every(isText)) return false;
  const { status, receivedAt, raw } = Object(receipt) as Record<string, unknown>;
  return (number === null || isText(number)) && isText(status) && isText(raw) && typeof receivedAt === 'number';
});

export const askedReceipt = z.strictObject({
  carrier,
  found: z.strictObject({ accountId: text, id: text, messageId: text }).nullable(),
}) satisfies z.ZodType<AskedReceipt>;

/** Whether the receipt is committed; false = the message is not known there, and nothing was done. */
export const receiptResult = z.boolean();
