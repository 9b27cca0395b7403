// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import type {
  EndpointEvent,
  MessageEvent,
  NumberEvent,
  Receipt,
  SenderIdEvent,
  SessionEvent,
  WabaEvent,
} from './types.ts';

/** What every webhook event has. */
export interface WebhookEventBase {
  /** Identifies the event; the same on every retry, and in the header `webhook-id`. */
  id: string;
  /** Version of the contract the body is made by. */
  apiVersion: string;
  /** Account it happened in. */
  accountId: string;
  /** It happened in test mode. */
  test: boolean;
  /**
   * Position of the event among those of its session, from 1; 0 if it is not about one session. Deliveries may overtake
   * each other.
   */
  sessionSequence: number;
  /** When it happened. */
  timestamp?: Date;
}

/** A carrier's receipt came, or the cost of a message was corrected. */
export interface ReceiptUpdatedEvent extends WebhookEventBase {
  type: 'receipt.updated';
  data: Receipt;
}

/** A carrier took a message. */
export interface MessageSubmittedEvent extends WebhookEventBase {
  type: 'message.submitted';
  data: MessageEvent;
}

/** A message failed without an operator's receipt saying so. */
export interface MessageFailedEvent extends WebhookEventBase {
  type: 'message.failed';
  data: MessageEvent;
}

/** The right code was given. */
export interface SessionVerifiedEvent extends WebhookEventBase {
  type: 'session.verified';
  data: SessionEvent;
}

/** A session's time ran out. */
export interface SessionExpiredEvent extends WebhookEventBase {
  type: 'session.expired';
  data: SessionEvent;
}

/** A session was canceled, or replaced by a new one. */
export interface SessionCanceledEvent extends WebhookEventBase {
  type: 'session.canceled';
  data: SessionEvent;
}

/** Every try at the code was used up. */
export interface SessionFailedEvent extends WebhookEventBase {
  type: 'session.failed';
  data: SessionEvent;
}

/** Every leg of a run ended without a delivered receipt; once per run. */
export interface SessionDeliveryExhaustedEvent extends WebhookEventBase {
  type: 'session.delivery_exhausted';
  data: SessionEvent;
}

/** A number was locked after too many wrong codes: its checks are refused. Sent once per lock. */
export interface NumberLockedEvent extends WebhookEventBase {
  type: 'number.locked';
  data: NumberEvent;
}

/** An operator decided about a sender name. */
export interface SenderIdDecidedEvent extends WebhookEventBase {
  type: 'sender_id.decided';
  data: SenderIdEvent;
}

/** The business's own messaging-app account was linked. */
export interface WabaConnectedEvent extends WebhookEventBase {
  type: 'waba.connected';
  data: WabaEvent;
}

/** The business's own messaging-app account was unlinked, stopped working, or could not be linked. */
export interface WabaDisconnectedEvent extends WebhookEventBase {
  type: 'waba.disconnected';
  data: WabaEvent;
}

/** One of the account's webhook endpoints was switched off; told to the others. */
export interface EndpointDisabledEvent extends WebhookEventBase {
  type: 'endpoint.disabled';
  data: EndpointEvent;
}

/**
 * Any type that this version of the SDK does not know. It is plain text; what is written here only keeps TypeScript
 * from taking a known type for it.
 */
export type UnknownEventType = `unknown ${string}`;

/** An event of a type that this version of the SDK does not know yet: `data` as it came. */
export interface UnknownWebhookEvent extends WebhookEventBase {
  type: UnknownEventType;
  data: Record<string, unknown>;
}

/** A webhook event; its `type` tells what `data` is. */
export type WebhookEvent =
  | ReceiptUpdatedEvent
  | MessageSubmittedEvent
  | MessageFailedEvent
  | SessionVerifiedEvent
  | SessionExpiredEvent
  | SessionCanceledEvent
  | SessionFailedEvent
  | SessionDeliveryExhaustedEvent
  | NumberLockedEvent
  | SenderIdDecidedEvent
  | WabaConnectedEvent
  | WabaDisconnectedEvent
  | EndpointDisabledEvent
  | UnknownWebhookEvent;

/** The shape of `data`, by type of event. */
export const eventData: Readonly<Record<string, string>> = {
  'receipt.updated': 'Receipt',
  'message.submitted': 'MessageEvent',
  'message.failed': 'MessageEvent',
  'session.verified': 'SessionEvent',
  'session.expired': 'SessionEvent',
  'session.canceled': 'SessionEvent',
  'session.failed': 'SessionEvent',
  'session.delivery_exhausted': 'SessionEvent',
  'number.locked': 'NumberEvent',
  'sender_id.decided': 'SenderIdEvent',
  'waba.connected': 'WabaEvent',
  'waba.disconnected': 'WabaEvent',
  'endpoint.disabled': 'EndpointEvent',
};
