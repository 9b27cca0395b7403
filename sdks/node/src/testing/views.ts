// A session of the fake, and how the service's JSON tells it.

import { type Json, printTime } from '../codec.ts';

export interface FakeSession {
  id: string;
  status: string;
  statusReason: string;
  to: string;
  channel: string;
  cascade: Json[];
  purpose: string;
  language: string;
  senderId: string;
  clientReference: string;
  metadata: Json;
  code: string;
  /** The code if the caller has brought it, else empty. */
  ownCode: string;
  codeLength: number;
  createdAtMs: number;
  expiresAtMs: number;
  verifiedAtMs: number | undefined;
  sends: number;
  lastSendAtMs: number;
  attemptsRemaining: number;
  timeline: Json[];
}

/** When the next send may come. */
export const resendAfterMs = ({ lastSendAtMs }: FakeSession): number => lastSendAtMs + 30_000;

export const timeText = (ms: number): string => printTime(new Date(ms));

/** As `send` answers it. */
export const sentView = (session: FakeSession): Json => sharedView(session);

/** As `get`, `cancel` and `watch` tell it. */
export const sessionView = (session: FakeSession): Json => ({
  ...summaryView(session),
  timeline: [...session.timeline],
});

/** As `list` tells it. */
export function summaryView(session: FakeSession): Json {
  const { verifiedAtMs } = session;
  return {
    ...sharedView(session),
    status_reason: session.statusReason,
    language: session.language,
    sender_id: session.senderId,
    client_reference: session.clientReference,
    metadata: session.metadata,
    code_length: session.codeLength,
    run: session.sends,
    sends: session.sends,
    attempts_remaining: session.attemptsRemaining,
    ...(verifiedAtMs === undefined ? {} : { verified_at: timeText(verifiedAtMs) }),
  };
}

function sharedView(session: FakeSession): Json {
  const { id, status, to, channel, cascade, purpose, createdAtMs, expiresAtMs } = session;
  return {
    id,
    status,
    delivery: 'delivered',
    to,
    channel,
    purpose,
    created_at: timeText(createdAtMs),
    expires_at: timeText(expiresAtMs),
    cascade,
    ...(status === 'pending' ? { resend_after: timeText(resendAfterMs(session)) } : {}),
    test: true,
  };
}
