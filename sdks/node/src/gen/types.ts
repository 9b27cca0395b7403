// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

import type {
  AutofillStatus,
  BilledBy,
  Channel,
  CheckReason,
  CostSource,
  DeliveryStatus,
  DisabledReason,
  EventType,
  Language,
  MessageReason,
  MessageStatus,
  Mode,
  ReceiptStatus,
  Scope,
  SenderDecisionValue,
  SenderStatus,
  SessionStatus,
  StatusReason,
  TimelineKind,
  WabaReason,
  WabaStatus,
  WabaStep,
  WabaTemplateStatus,
  WebhookDeliveryStatus,
} from './words.ts';

/** What to send, and to whom. Only `to` is required. */
export interface SendRequest {
  /** Phone number in international format: plus sign, country code, subscriber number. */
  to: string;
  /** Channel of the first leg. Default `sms`. */
  channel?: Channel;
  /**
   * Sender name shown to the recipient, approved at the number's operator. Default: the account's, then the platform's.
   */
  senderId?: string;
  /** Language of the message. Default: the account's. */
  language?: Language;
  /** Digits of the code, 6 to 10. Default 6; 4 and 5 only where the deployment allows them. */
  codeLength?: number;
  /** Life of the session, 60 to 600 seconds. Default 600; longer only where the deployment allows it. */
  ttlSeconds?: number;
  /** Legs to try, in order; each channel once. Default: the account's, from `channel` on. One leg = no cascade. */
  cascade?: readonly CascadeLegInput[];
  /** What the challenge is for: two purposes are two challenges to one number. */
  purpose?: string;
  /** The client's own reference, echoed in webhooks. */
  clientReference?: string;
  /** What lets the phone fill the code in by itself. */
  autofill?: AutofillInput;
}

/** A code, and the session it is for: named by `id`, or by `to` and `purpose`. */
export interface CheckRequest {
  /** Session the code is for. */
  id?: string;
  /** Number the code was sent to, in place of the session's id. */
  to?: string;
  /** Purpose of the session, with `to`. */
  purpose?: string;
  /** What the user typed. Spaces and dashes do not matter; Arabic-Indic and Persian digits are understood. */
  code: string;
}

/** Which sessions. Filters add up. */
export interface ListSessionsRequest {
  /** Sessions on one page, 1 to 100. Default 20. */
  pageSize?: number;
  /** `next_page_token` of the page before, with the same filters. */
  pageToken?: string;
  /** Only sessions with this number. */
  to?: string;
  /** Only sessions with this status. */
  status?: SessionStatus;
  /** Only sessions with this reference. */
  clientReference?: string;
  /** Only sessions opened at or after this time. */
  createdAfter?: Date | string;
  /** Only sessions opened before this time. */
  createdBefore?: Date | string;
}

/** The account to create. */
export interface CreateAccountRequest {
  /** Name of the business. */
  name: string;
  /** Language where a send gives none. Default `ar`. */
  language?: Language;
}

/** Settings to change; what is not given stays. */
export interface UpdateAccountRequest {
  /** Name of the business. */
  name?: string;
  /** Language where a send gives none. */
  language?: Language;
  /** Sender name where a send gives none; empty = the platform's. */
  defaultSenderId?: string;
  /** Legs where a send gives none, in order; each channel once. An empty list changes nothing: see `reset_cascade`. */
  cascade?: readonly CascadeLegInput[];
  /** Goes back to the deployment's legs. */
  resetCascade?: boolean;
  /** Channels whose messages leave the country are not used. Holds for both modes, so only a live key can change it. */
  inCountryOnly?: boolean;
  /**
   * Sites and apps that sends may name in `autofill`. Both lists are replaced as a whole; values that stay keep their
   * approval. A new value in live mode is `pending` until the operator of the service approves it.
   */
  autofill?: RegisterAutofillInput;
}

/** The key to create. */
export interface CreateApiKeyRequest {
  /** Name that tells it apart from others. */
  name: string;
  /** Live or test. Default: that of the key that is used for the call. */
  mode?: Mode;
  /** What it may do. Default: all that the key used for the call may. */
  scopes?: readonly Scope[];
  /**
   * When the key stops working: no later than the key that makes the call. Default: with that key, or never if that
   * never expires.
   */
  expiresAt?: Date | string;
}

/** Which keys. */
export interface ListApiKeysRequest {
  /** Keys on one page, 1 to 100. Default 20. */
  pageSize?: number;
  /** `next_page_token` of the page before, with the same filters. */
  pageToken?: string;
  /** Revoked keys too. */
  includeRevoked?: boolean;
}

/** The name to ask for. */
export interface CreateSenderIdRequest {
  /** 1 to 11 characters of the GSM alphabet. */
  name: string;
}

/** Which sender names. */
export interface ListSenderIdsRequest {
  /** Names on one page, 1 to 100. Default 20. */
  pageSize?: number;
  /** `next_page_token` of the page before. */
  pageToken?: string;
}

/** What an operator decided. */
export interface DecideSenderIdRequest {
  /** The operator's id. */
  operator: string;
  /** What it decided. */
  status: SenderDecisionValue;
  /** What the operator gave as its reason. */
  reason?: string;
}

/** How the page of the signup is to be shown. */
export interface CreateWabaSignupRequest {
  /** Language of the page. Default: the account's. */
  language?: Language;
}

/** What to link. */
export interface ConnectWabaRequest {
  /** The platform's id of the business's account. */
  wabaId: string;
  /** The platform's id of the phone number, which is not the number. */
  phoneNumberId: string;
  /** Embedded signup: the code it ended with. It lives 30 seconds. */
  code?: string;
  /** Embedded signup: the state of this account's CreateWabaSignup, unused and not ten minutes old. */
  state?: string;
  /** By hand: a system user's token for that account, one that does not expire. */
  accessToken?: string;
  /**
   * The number's two-step verification PIN. Needed where the number has one already and is not registered with the
   * Cloud API; else one is made.
   */
  pin?: string;
}

/** The endpoint to create. */
export interface CreateWebhookEndpointRequest {
  /** Address that callbacks are posted to. Private, loopback and link-local ones are refused. */
  url: string;
  /** The client's own words about it. */
  description?: string;
  /** Types of event it gets. Default: every type, and those to come. */
  eventTypes?: readonly EventType[];
}

/** Which endpoints. */
export interface ListWebhookEndpointsRequest {
  /** Endpoints on one page, 1 to 100. Default 20. */
  pageSize?: number;
  /** `next_page_token` of the page before. */
  pageToken?: string;
}

/** What to change about an endpoint; what is not given stays. */
export interface UpdateWebhookEndpointRequest {
  /** Address that callbacks are posted to. */
  url?: string;
  /** The client's own words about it. */
  description?: string;
  /** Types of event it gets. An empty list changes nothing: see `all_event_types`. */
  eventTypes?: readonly EventType[];
  /** Sends every type of event to it, and those to come. */
  allEventTypes?: boolean;
  /** Switches it on or off. Switching on forgets past failures. */
  enabled?: boolean;
}

/** Which endpoint. */
export interface RotateWebhookSecretRequest {
  /** How long callbacks are signed with the old secret too, in seconds. Default 86400; 0 = not any more. */
  keepPreviousSeconds?: number;
}

/** Which deliveries. */
export interface ListWebhookDeliveriesRequest {
  /** Deliveries on one page, 1 to 100. Default 20. */
  pageSize?: number;
  /** `next_page_token` of the page before, with the same filters. */
  pageToken?: string;
  /** Only deliveries that stand so. */
  status?: WebhookDeliveryStatus;
}

/** What to send to which endpoint. */
export interface TestWebhookEndpointRequest {
  /** Type of the example event. Default `receipt.updated`. */
  eventType?: EventType;
}

/** One step of the cascade. */
export interface CascadeLegInput {
  /** Channel of the leg. */
  channel: Channel;
  /**
   * How long a delivered receipt is waited for before the next leg starts. Default 15 for sms and whatsapp, 45 for
   * voice. The deployment may narrow the range; 5 to 900 unless it says otherwise.
   */
  timeoutSeconds?: number;
}

/**
 * Lets a phone fill in the code by itself. At most one of the two: each must be the last line of the message. With a
 * live key it must be registered on the account and approved (see `autofill` of the account); test keys accept any.
 */
export interface AutofillInput {
  /** Hash of the Android app, for the SMS Retriever: 11 characters of base64. */
  androidAppHash?: string;
  /** Site the code is for, for WebOTP: `https://shop.example`, or just its host. */
  webOrigin?: string;
}

/** An Android app that reads codes with the SMS Retriever. */
export interface AndroidAppInput {
  /** Application id of the app. */
  packageName: string;
  /** SMS Retriever hash of the app: 11 characters of base64. It depends on the certificate that signs the app. */
  appHash: string;
}

/** Sites and Android apps to register. They replace the registered ones. */
export interface RegisterAutofillInput {
  /** Web origins: `https://shop.example`, or just the host. */
  webOrigins?: readonly string[];
  /** Android apps. An app that is signed with several certificates is listed once per hash. */
  androidApps?: readonly AndroidAppInput[];
}

/** One step of the cascade. */
export interface CascadeLeg {
  /** Channel of the leg. */
  channel: Channel;
  /**
   * How long a delivered receipt is waited for before the next leg starts. Default 15 for sms and whatsapp, 45 for
   * voice. The deployment may narrow the range; 5 to 900 unless it says otherwise.
   */
  timeoutSeconds?: number;
}

/**
 * Lets a phone fill in the code by itself. At most one of the two: each must be the last line of the message. With a
 * live key it must be registered on the account and approved (see `autofill` of the account); test keys accept any.
 */
export interface Autofill {
  /** Hash of the Android app, for the SMS Retriever: 11 characters of base64. */
  androidAppHash: string;
  /** Site the code is for, for WebOTP: `https://shop.example`, or just its host. */
  webOrigin: string;
}

/** The session that was opened or resent. */
export interface SendResponse {
  /** Identifies the session. */
  id: string;
  /** How the verification stands. */
  status: SessionStatus;
  /** Whether a code has reached the phone. */
  delivery: DeliveryStatus;
  /** Number to verify, E.164. */
  to: string;
  /** Channel of the first leg of this run. */
  channel: Channel;
  /** What the challenge is for. */
  purpose: string;
  /** When the session was opened. */
  createdAt?: Date;
  /** When the code stops being valid. */
  expiresAt?: Date;
  /** The legs, in order. */
  cascade: CascadeLeg[];
  /** Earliest time of the next resend; absent when none is possible any more. */
  resendAfter?: Date;
  /** Opened with a test key. */
  test: boolean;
}

/** Whether the code was right. Only `valid: true` verifies; the HTTP status does not. */
export interface CheckResponse {
  /** The code was right, in time, and had not been used before. */
  valid: boolean;
  /** Session the code was checked for. */
  id: string;
  /** How the verification stands now. */
  status: SessionStatus;
  /** Why the code was not valid; else empty. */
  reason: CheckReason;
  /** Tries left at the code. */
  attemptsRemaining: number;
  /** When the session was verified; absent where it is not. */
  verifiedAt?: Date;
  /** Session of a test key. */
  test: boolean;
}

/** What a message costs. */
export interface Cost {
  /** Decimal number as a string: money is never a float. */
  amount: string;
  /** ISO 4217. */
  currency: string;
  /** What was counted: SMS segments, messaging-app messages, or seconds of a call. */
  parts: number;
  /** Who says so. */
  source: CostSource;
  /** Nothing but a correction by the operator changes it any more. */
  final: boolean;
  /** From 1; raised by every change. */
  revision: number;
  /** Who sends the bill. */
  billedBy: BilledBy;
}

/** A carrier's delivery report, normalised. */
export interface Receipt {
  /** Session the message belongs to. */
  sessionId: string;
  /** Message the receipt is about. */
  messageId: string;
  /** Number of the send within the session, from 1. */
  run: number;
  /** Channel of the message. */
  channel: Channel;
  /** Operator that delivered it; empty for other channels. */
  operator: string;
  /** Sender name it was sent under; on the messaging app the business's, where it went out from its own number. */
  senderId: string;
  /** Number it was sent to, E.164. */
  to: string;
  /** State of delivery, in SMPP's words. */
  status: ReceiptStatus;
  /** The channel's own word for the state, where it is not SMPP's. */
  providerStatus: string;
  /** The carrier's own error code, as it came. */
  errorCode: string;
  /** The carrier's time of that state; absent where it gave none. */
  operatorTimestamp?: Date;
  /** When the receipt came in. */
  receivedAt?: Date;
  /** What the message costs, as far as is known; absent while nothing is. */
  cost?: Cost;
  /** The carrier's id of the message. */
  providerMessageId: string;
  /** What the client gave as its own reference. */
  clientReference: string;
  /** The report as it came, digits of the code masked. */
  raw: string;
}

/** One try on one channel. */
export interface Message {
  /** Identifies the message. */
  id: string;
  /** Run it belongs to, from 1. */
  run: number;
  /** Place of its leg in the run, from 0. */
  position: number;
  /** How it travels. */
  channel: Channel;
  /** Operator it goes through; empty for other channels. */
  operator: string;
  /** How it stands. */
  status: MessageStatus;
  /** Why, where the status does not say it. */
  reason: MessageReason;
  /** The carrier's own error code, as it came. */
  errorCode: string;
  /** The carrier's id of the message. */
  providerMessageId: string;
  /**
   * Sender name it went out under; on the messaging app the business's, where it went out from the business's own
   * number.
   */
  senderId: string;
  /** SMS segments, or seconds of a call; 0 while not known. */
  parts: number;
  /** When its leg started. */
  createdAt?: Date;
  /** When the carrier took it; absent before. */
  submittedAt?: Date;
  /** When its status became final; absent before. */
  finalAt?: Date;
  /** What it costs; absent while nothing is known. */
  cost?: Cost;
  /** Every receipt that came for it, oldest first. */
  receipts: Receipt[];
}

/** Something that happened, and why. Never a code. */
export interface TimelineEntry {
  /** When. */
  at?: Date;
  /** What. */
  kind: TimelineKind;
  /** Run it happened in, from 1. */
  run: number;
  /** Leg of the run it is about, from 0; absent where it is about none. */
  position?: number;
  /** Channel it is about; empty where it is about none. */
  channel: Channel;
  /** Message it is about; empty where it is about none. */
  messageId: string;
  /** Why; which words, `kind` decides. */
  reason: string;
  /** More for the reader, e.g. a carrier's error code or the sender name that was used instead. */
  detail: string;
}

/** Costs of a session in one currency, added up. */
export interface TotalCost {
  /** Decimal number as a string. */
  amount: string;
  /** ISO 4217. */
  currency: string;
  /** Every cost in it is final. */
  final: boolean;
}

/** One verification challenge, with the whole story of it. */
export interface Session {
  /** Identifies the session. */
  id: string;
  /** How the verification stands. */
  status: SessionStatus;
  /** Why it is failed or canceled; else empty. */
  statusReason: StatusReason;
  /** Whether a code has reached the phone. */
  delivery: DeliveryStatus;
  /** Number to verify, E.164. */
  to: string;
  /** Channel of the first leg. */
  channel: Channel;
  /** What the challenge is for; empty by default. */
  purpose: string;
  /** Language of the messages. */
  language: Language;
  /** Digits of the code. */
  codeLength: number;
  /** Sender name the client asked for; empty = the account's, then the platform's. */
  senderId: string;
  /** The client's own reference. */
  clientReference: string;
  /** What was asked for so that the phone fills the code in. */
  autofill?: Autofill;
  /** When the session was opened. */
  createdAt?: Date;
  /** When the code stops being valid. */
  expiresAt?: Date;
  /** When the right code was given; absent before. */
  verifiedAt?: Date;
  /** When a carrier took the session's first message; absent before. */
  firstSendAt?: Date;
  /** Number of the run under way: each send or resend starts one. */
  run: number;
  /** Sends and resends so far; steps of the cascade do not count. */
  sends: number;
  /** Tries left at the code. */
  attemptsRemaining: number;
  /** Earliest time of the next resend; absent when none is possible any more. */
  resendAfter?: Date;
  /** The legs, in order. */
  cascade: CascadeLeg[];
  /** Every message, oldest first. Left out of lists. */
  messages: Message[];
  /** What happened and why, oldest first. Left out of lists. */
  timeline: TimelineEntry[];
  /** What the session has cost so far: one entry per currency. */
  totalCost: TotalCost[];
  /** Opened with a test key. */
  test: boolean;
}

/** The session as it is now. */
export interface WatchSessionResponse {
  /** The session, with messages and timeline. */
  session?: Session;
  /** What is new in the timeline since the answer before; in the first answer all of it. */
  newEntries: TimelineEntry[];
}

/** An Android app that reads codes with the SMS Retriever. */
export interface AndroidApp {
  /** Application id of the app. */
  packageName: string;
  /** SMS Retriever hash of the app: 11 characters of base64. It depends on the certificate that signs the app. */
  appHash: string;
}

/** Status of one site or app. */
export interface AutofillState {
  /** The web origin, or the app's hash. */
  value: string;
  /** Status of the value. */
  status: AutofillStatus;
}

/**
 * Sites and Android apps of the account. A live send may name only these in its `autofill`: the text goes out under a
 * trusted sender name, and phones turn an address in it into a link.
 */
export interface AccountAutofill {
  /**
   * Web origins, in the form in which they are compared: `https://` and the host in lower case, international names in
   * punycode.
   */
  webOrigins: string[];
  /** Android apps. */
  androidApps: AndroidApp[];
  /** Status of each of them, in the same order: the origins first, then the apps. */
  states: AutofillState[];
}

/** A business. */
export interface Account {
  /** Identifies the account. */
  id: string;
  /** Name of the business. */
  name: string;
  /** When the account was created; start of the SMS time-to-market. */
  createdAt?: Date;
  /** When the business linked its own messaging-app account; absent before. Linking again does not change it. */
  customWabaConnectedAt?: Date;
  /** Language where a send gives none. */
  language: Language;
  /** Sender name where a send gives none; empty = the platform's. */
  defaultSenderId: string;
  /** Legs where a send gives none, in order. */
  cascade: CascadeLeg[];
  /** Channels whose messages leave the country are not used. */
  inCountryOnly: boolean;
  /** When an operator took the account's first live SMS; absent before. */
  smsFirstSendAt?: Date;
  /** Sites and apps that a live send may name in its `autofill`, once they are approved. */
  autofill?: AccountAutofill;
}

/** A key; all of it but the secret itself. */
export interface ApiKey {
  /** Identifies the key; part of the key's text. */
  id: string;
  /** The key itself: in the answer that created it, and never again. */
  key: string;
  /** What tells the key apart in a list: its prefix and a few characters. */
  hint: string;
  /** Live or test. */
  mode: Mode;
  /** Name given at creation. */
  name: string;
  /** What it may do. */
  scopes: Scope[];
  /** When it was created. */
  createdAt?: Date;
  /** When it stops working; absent = never. */
  expiresAt?: Date;
  /** When it was last used, within a minute; absent = never. */
  lastUsedAt?: Date;
  /** When it was revoked; absent = it was not. */
  revokedAt?: Date;
  /**
   * Id of the key that created this one; `operator` if the operator of the service did, as for the first keys of an
   * account. Empty for keys that are older than this field.
   */
  createdBy: string;
}

/** The account and its first keys. */
export interface CreateAccountResponse {
  /** The account. */
  account?: Account;
  /** Its live key, with every scope; `key` is shown this once. */
  liveKey?: ApiKey;
  /** Its test key, with every scope; `key` is shown this once. */
  testKey?: ApiKey;
}

/** How long it took from an account to its first messages. */
export interface GetMeasuresResponse {
  /** `sms_first_send_at` minus `account_created_at`, in seconds; absent before the first live SMS. */
  smsTimeToMarketSeconds?: number;
  /** `messaging_app_first_send_at` minus `custom_waba_connected_at`, in seconds; absent before both. */
  messagingAppTimeToMarketSeconds?: number;
  /** When the account was created. */
  accountCreatedAt?: Date;
  /** When an operator took the account's first live SMS. */
  smsFirstSendAt?: Date;
  /** When the business linked its own messaging-app account. */
  customWabaConnectedAt?: Date;
  /** First send of the first session sent from that account after the link. */
  messagingAppFirstSendAt?: Date;
}

/** How a sender name stands at one operator. */
export interface SenderDecision {
  /** The operator's id. */
  operator: string;
  /** How it stands. */
  status: SenderStatus;
  /** What the operator gave as its reason. */
  reason: string;
  /** When the operator was asked. */
  submittedAt?: Date;
  /** When it decided; absent before. */
  decidedAt?: Date;
}

/** A custom sender name. */
export interface SenderId {
  /** Identifies the request for the name. */
  id: string;
  /** The name as the recipient sees it. */
  name: string;
  /** When it was asked for. */
  createdAt?: Date;
  /** When every operator should have decided: 72 hours later. */
  dueAt?: Date;
  /** How it stands at each operator. */
  decisions: SenderDecision[];
}

/** The signup. */
export interface CreateWabaSignupResponse {
  /**
   * The page to open in the business's browser. Whoever has the address can link an account: hand it to nobody else.
   */
  url: string;
  /** The state in it, for a page of one's own: see ConnectWaba. */
  state: string;
  /** When it ends. */
  expiresAt?: Date;
}

/** A template of the business's account. */
export interface WabaTemplate {
  /** Its language, as the platform writes it. */
  language: string;
  /** How it stands. */
  status: WabaTemplateStatus;
}

/** A business's own account at the messaging platform, and how its link stands. */
export interface Waba {
  /** The platform's id of the account. */
  wabaId: string;
  /** The platform's id of the phone number messages go out from. */
  phoneNumberId: string;
  /** That number, as the platform writes it; empty until it was asked for. */
  phoneNumber: string;
  /** Name that the number's messages show; empty until it was asked for. */
  displayName: string;
  /** How the link stands. */
  status: WabaStatus;
  /** The step under way while `connecting`, the one that failed where it is `broken`; else empty. */
  step: WabaStep;
  /** Why it is broken or disconnected, or why the step under way is tried again; else empty. */
  reason: WabaReason;
  /** The platform's own error code, where there is one. */
  errorCode: string;
  /**
   * The authentication template in each language. Messages in a language whose template is not approved go out from the
   * platform's number.
   */
  templates: WabaTemplate[];
  /** When this link was begun. */
  createdAt?: Date;
  /** When this link was complete; absent before. The account's `custom_waba_connected_at` is that of its first link. */
  connectedAt?: Date;
  /** When any of this was last changed. */
  updatedAt?: Date;
}

/** Where callbacks go. */
export interface WebhookEndpoint {
  /** Identifies the endpoint. */
  id: string;
  /** Address that callbacks are posted to. */
  url: string;
  /** The client's own words about it. */
  description: string;
  /** Types of event it gets; empty = every type. */
  eventTypes: EventType[];
  /** Callbacks are sent to it. */
  enabled: boolean;
  /** Why it is switched off; else empty. */
  disabledReason: DisabledReason;
  /** Secret that callbacks are signed with: in the answers that made it, and never again. */
  secret: string;
  /** Until when the secret before this one is signed with too; absent where there is none. */
  previousSecretExpiresAt?: Date;
  /** When it was created. */
  createdAt?: Date;
  /** When it was last changed. */
  updatedAt?: Date;
  /** Since when nothing but failure came back; absent while it works. */
  failingSince?: Date;
}

/** One event for one endpoint. */
export interface WebhookDelivery {
  /** Identifies the event. */
  eventId: string;
  /** What happened. */
  type: EventType;
  /** Session it is about; empty where it is about none. */
  sessionId: string;
  /** How the delivery stands. */
  status: WebhookDeliveryStatus;
  /** Tries so far. */
  attempts: number;
  /** When the next try is made; absent where there is none. */
  nextAttemptAt?: Date;
  /** HTTP status of the last answer; absent where none came. */
  lastResponseStatus?: number;
  /** Why the last try failed; else empty. */
  lastError: string;
  /** When the event happened. */
  createdAt?: Date;
  /** When it was delivered; absent before. */
  deliveredAt?: Date;
}

/** What came back. */
export interface TestWebhookEndpointResponse {
  /** The endpoint answered 2xx. */
  delivered: boolean;
  /** HTTP status of its answer; absent where none came. */
  responseStatus?: number;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** Why it failed; else empty. */
  error: string;
}

/** A message, as `message.submitted` and `message.failed` tell it. */
export interface MessageEvent {
  /** Session the message belongs to. */
  sessionId: string;
  /** Identifies the message. */
  messageId: string;
  /** Number of the send within the session, from 1. */
  run: number;
  /** How it travels. */
  channel: Channel;
  /** Operator it goes through; empty for other channels. */
  operator: string;
  /**
   * Sender name it went out under; on the messaging app the business's, where it went out from the business's own
   * number.
   */
  senderId: string;
  /** Number it goes to, E.164. */
  to: string;
  /** How it stands. */
  status: MessageStatus;
  /** Why, where the status does not say it. */
  reason: MessageReason;
  /** The carrier's own error code, as it came. */
  errorCode: string;
  /** The carrier's id of the message. */
  providerMessageId: string;
  /** What it costs; absent while nothing is known. */
  cost?: Cost;
  /** The client's own reference. */
  clientReference: string;
}

/** A session, as the `session.*` events tell it. */
export interface SessionEvent {
  /** Identifies the session. */
  sessionId: string;
  /** Number to verify, E.164. */
  to: string;
  /** What the challenge is for. */
  purpose: string;
  /** How the verification stands. */
  status: SessionStatus;
  /** Why it is failed or canceled; else empty. */
  statusReason: StatusReason;
  /** Whether a code has reached the phone. */
  delivery: DeliveryStatus;
  /** Number of the run under way, from 1. */
  run: number;
  /** When the session was opened. */
  createdAt?: Date;
  /** When the right code was given; absent before. */
  verifiedAt?: Date;
  /** The client's own reference. */
  clientReference: string;
}

/** A number that was locked after too many wrong codes: its checks are refused. */
export interface NumberEvent {
  /** Number the codes were for, E.164. */
  to: string;
  /** Session of the wrong code that locked the number. */
  sessionId: string;
  /** Wrong codes for the number within the hour, over all its sessions. */
  failures: number;
  /** Wrong codes for the number since its last right one. */
  failuresInRow: number;
  /** End of the lock; absent if only the operator of the service can unlock the number. */
  lockedUntil?: Date;
  /** True if only the operator of the service can unlock the number. */
  needsUnlock: boolean;
}

/** An operator's decision about a sender name. */
export interface SenderIdEvent {
  /** Identifies the sender name. */
  senderId: string;
  /** The name. */
  name: string;
  /** The operator's id. */
  operator: string;
  /** How it stands there now. */
  status: SenderStatus;
  /** What the operator gave as its reason. */
  reason: string;
  /** When it decided. */
  decidedAt?: Date;
}

/** The business's own messaging-app account was linked or unlinked. */
export interface WabaEvent {
  /** The platform's id of that account. */
  wabaId: string;
  /** The platform's id of the phone number it sends from. */
  phoneNumberId: string;
  /** Why it was unlinked; else empty. */
  reason: WabaReason;
}

/** A webhook endpoint was switched off. */
export interface EndpointEvent {
  /** Identifies the endpoint. */
  endpointId: string;
  /** Its address. */
  url: string;
  /** Why. */
  reason: DisabledReason;
  /** When. */
  disabledAt?: Date;
}
