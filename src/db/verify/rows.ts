// The batches the hot statements take: which columns travel, once for all of them.

import { columns } from '../columns.ts';
import { limitColumns } from '../limits/number-tokens.ts';

/** What never changes after a session was opened. */
export const openedSession = columns({
  account_id: 'text',
  id: 'text',
  mode: 'text',
  number: 'text',
  purpose: 'text',
  channel: 'text',
  language: 'text',
  code_length: 'integer',
  key_id: 'text',
  salt: 'bytea',
  sender_id: 'text',
  client_reference: 'text',
  autofill: 'json',
  cascade: 'json',
  delivery: 'text',
  legs: 'json',
  position: 'integer',
  created_at: 'ms',
  expires_at: 'ms',
  leg_ends_at: 'ms',
  next_at: 'ms',
  event_sequence: 'integer',
  timeline: 'json',
  holder: 'text',
  idempotency_route: 'text',
  idempotency_key: 'text',
  idempotency_hash: 'bytea',
  idempotency_answer: 'json',
  ...limitColumns,
});

/** What a save changes; `version` is the one it was computed from. */
export const savedSession = columns({
  account_id: 'text',
  id: 'text',
  version: 'integer',
  mode: 'text',
  number: 'text',
  purpose: 'text',
  status: 'text',
  status_reason: 'text',
  delivery: 'text',
  legs: 'json',
  run: 'integer',
  position: 'integer',
  sends: 'integer',
  attempts: 'integer',
  last_send_at: 'ms',
  first_send_at: 'ms',
  verified_at: 'ms',
  leg_ends_at: 'ms',
  next_at: 'ms',
  event_sequence: 'integer',
  timeline: 'json',
  holder: 'text',
  // For a check: refuse when the number is locked, and 1 for a wrong code. A save has one check at most.
  guarded: 'boolean',
  failures: 'integer',
  now: 'ms',
});

export const savedMessage = columns({
  account_id: 'text',
  id: 'text',
  session_id: 'text',
  run: 'integer',
  position: 'integer',
  channel: 'text',
  route: 'text',
  operator: 'text',
  status: 'text',
  reason: 'text',
  error_code: 'text',
  sender_id: 'text',
  sender_fallback: 'boolean',
  provider_message_id: 'text',
  parts: 'integer',
  created_at: 'ms',
  submitted_at: 'ms',
  final_at: 'ms',
  tariff: 'json',
  cost: 'json',
  receipts: 'json',
  // Set where this save may be the account's first live SMS that an operator accepted.
  maybe_first: 'boolean',
  // The same for its first session sent from the business's own messaging-app number.
  maybe_app_first: 'boolean',
});

export const savedReceipt = columns({
  account_id: 'text',
  id: 'text',
  session_id: 'text',
  message_id: 'text',
  run: 'integer',
  channel: 'text',
  operator: 'text',
  sender_id: 'text',
  status: 'text',
  provider_status: 'text',
  error_code: 'text',
  operator_timestamp: 'ms',
  received_at: 'ms',
  provider_message_id: 'text',
  cost: 'json',
  raw: 'text',
});

export const savedReference = columns({
  operator: 'text',
  reference: 'text',
  message_id: 'text',
  account_id: 'text',
  session_id: 'text',
  number: 'text',
  submitted_at: 'ms',
});

export const savedEvent = columns({
  account_id: 'text',
  session_id: 'text',
  mode: 'text',
  id: 'text',
  type: 'text',
  body: 'text',
  created_at: 'ms',
  next_at: 'ms',
  // Who posts it until then.
  delivery_holder: 'text',
  // Told only where this save locks the session's number.
  when_locked: 'boolean',
});

/** A send of a session that is there already: what takes a token of its number. */
export const savedSend = columns({ account_id: 'text', id: 'text', number: 'text', ...limitColumns });

/** The answer to a call with an Idempotency-Key. */
export const savedKey = columns({
  account_id: 'text',
  session_id: 'text',
  mode: 'text',
  route: 'text',
  key: 'text',
  request_hash: 'bytea',
  answer: 'json',
  created_at: 'ms',
});

type Row<C> = C extends { parameters(rows: readonly (infer R)[]): unknown } ? R : never;
export type OpenedSessionRow = Row<typeof openedSession>;
export type SavedSessionRow = Row<typeof savedSession>;
export type SavedMessageRow = Row<typeof savedMessage>;
export type SavedReceiptRow = Row<typeof savedReceipt>;
export type SavedReferenceRow = Row<typeof savedReference>;
export type SavedKeyRow = Row<typeof savedKey>;
export type SavedSendRow = Row<typeof savedSend>;
export type SavedEventRow = Row<typeof savedEvent>;
