// Between the session of core and its rows: times are milliseconds there and timestamptz here.

import type { Message, Session } from '../../core/verify/session.ts';

/** A row as `to_jsonb` writes it: times are ISO text. */
export interface SessionRow {
  session: Record<string, unknown> & { id: string };
  messages: Record<string, unknown>[] | null;
}

const ms = (value: unknown): number => Date.parse(value as string);
/** As `to_jsonb` writes a bytea: `\\x` and hexadecimal digits. Lists read none. */
const hexOrNull = (value: unknown): string | null => (typeof value === 'string' ? value.slice(2) : null);
const msOrNull = (value: unknown): number | null => (value === null ? null : ms(value));

export function toSession({ session: row, messages }: SessionRow): Session {
  const as = row as never as Record<string, never>;
  return {
    id: as.id!,
    accountId: as.account_id!,
    version: as.version!,
    mode: as.mode!,
    to: as.number!,
    purpose: as.purpose!,
    channel: as.channel!,
    language: as.language!,
    codeLength: as.code_length!,
    keyId: as.key_id!,
    salt: hexOrNull(row.salt),
    senderId: as.sender_id!,
    clientReference: as.client_reference!,
    autofill: as.autofill!,
    cascade: as.cascade!,
    status: as.status!,
    statusReason: as.status_reason!,
    delivery: as.delivery!,
    legs: as.legs!,
    run: as.run!,
    position: as.position!,
    sends: as.sends!,
    attempts: as.attempts!,
    createdAt: ms(row.created_at),
    expiresAt: ms(row.expires_at),
    lastSendAt: ms(row.last_send_at),
    firstSendAt: msOrNull(row.first_send_at),
    verifiedAt: msOrNull(row.verified_at),
    legEndsAt: msOrNull(row.leg_ends_at),
    nextAt: msOrNull(row.next_at),
    eventSequence: as.event_sequence!,
    timeline: as.timeline!,
    messages: (messages ?? []).map(toMessage),
  };
}

function toMessage(row: Record<string, unknown>): Message {
  const as = row as never as Record<string, never>;
  return {
    id: as.id!,
    run: as.run!,
    position: as.position!,
    channel: as.channel!,
    route: as.route!,
    operator: as.operator!,
    status: as.status!,
    reason: as.reason!,
    errorCode: as.error_code!,
    senderId: as.sender_id!,
    senderFallback: as.sender_fallback!,
    providerMessageId: as.provider_message_id!,
    parts: as.parts!,
    createdAt: ms(row.created_at),
    submittedAt: msOrNull(row.submitted_at),
    finalAt: msOrNull(row.final_at),
    firstSendAt: msOrNull(row.first_send_at),
    tariff: as.tariff!,
    cost: as.cost!,
    receipts: as.receipts!,
  };
}
