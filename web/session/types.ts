// What the pane takes: the JSON of a session as the contract says it, and webhooks as the sandbox's endpoint received them.

import type { ReceivedWebhook } from '../../src/sandbox/views.ts';
import type { StoryCall, StoryEntry, StoryMessage, StoryReceipt, StorySession } from '../../src/story/shapes.ts';

export type { ReceivedWebhook };

/** Shown: this session, or the newest one to a number. */
export type Selected = { sessionId: string } | { to: string } | null;

interface Money {
  amount: string;
  currency: string;
  final: boolean;
}

export interface CostJson extends Money {
  parts: number;
  source: string;
  billed_by: string;
}

interface CallJson extends StoryCall {
  sip_code?: number;
  keys: number;
  trunk: string;
}

export interface ReceiptJson extends StoryReceipt {
  call?: CallJson;
  provider_status: string;
  error_code: string;
  operator_timestamp?: string;
  received_at: string;
  raw: string;
}

export interface MessageJson extends StoryMessage {
  sender_id: string;
  reason: string;
  provider_message_id: string;
  cost?: CostJson;
  receipts: readonly ReceiptJson[];
}

/** `toJson` of a Session with the field names of the contract. */
export interface SessionJson extends StorySession {
  id: string;
  status_reason: string;
  to: string;
  purpose: string;
  created_at: string;
  expires_at: string;
  resend_after?: string;
  attempts_remaining: number;
  messages: readonly MessageJson[];
  timeline: readonly StoryEntry[];
  total_cost: readonly Money[];
  test: boolean;
}

/** What of an event's body the pane reads; absent where it is of another type. */
interface EventBody {
  type: string | undefined;
  session_sequence: number | undefined;
  session_id: string | undefined;
  /** The number that it is about. */
  to: string | undefined;
}

/** Nothing is taken for granted of a body that anything may have posted: what can not be drawn would take the page down. */
export function eventOf({ event }: ReceivedWebhook): EventBody {
  const { type, session_sequence, data } = objectOf(event);
  const { session_id, to, session } = objectOf(data);
  return {
    type: textOf(type),
    session_sequence: typeof session_sequence === 'number' ? session_sequence : undefined,
    session_id: textOf(session_id),
    to: textOf(to) ?? textOf(objectOf(session).to),
  };
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The number an event is about; empty where it is about none. */
export const numberOf = (webhook: ReceivedWebhook): string => eventOf(webhook).to ?? '';

/** The webhooks of one session, newest first. */
export const webhooksOf = (webhooks: readonly ReceivedWebhook[], sessionId: string): ReceivedWebhook[] =>
  webhooks
    .filter((webhook) => eventOf(webhook).session_id === sessionId)
    .sort((a, b) => Date.parse(b.received_at) - Date.parse(a.received_at) || (b.id > a.id ? 1 : -1));
