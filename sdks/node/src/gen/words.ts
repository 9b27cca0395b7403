// Made from the contract by sdks/codegen/src/node.ts: run `npm run generate`, do not edit.

/** A word of the contract, or one that this version of the SDK does not know yet. */
export type Open<Known extends string> = Known | (string & {});

/** How a code travels. */
export const Channel = {
  /** A text message over SMPP. */
  sms: 'sms',
  /** A message of the messaging app. */
  whatsapp: 'whatsapp',
  /** A call that reads the code out. */
  voice: 'voice',
} as const;
/** How a code travels. */
export type Channel = Open<(typeof Channel)[keyof typeof Channel]>;

/** Language of the text or of the call. */
export const Language = {
  /** Arabic; a call speaks the local dialect. */
  ar: 'ar',
  /** French. */
  fr: 'fr',
  /** English, for text only: a call then uses the account's `ar` or `fr`. */
  en: 'en',
} as const;
/** Language of the text or of the call. */
export type Language = Open<(typeof Language)[keyof typeof Language]>;

/** What a key is for; nothing of one mode is visible from the other. */
export const Mode = {
  /** Messages are sent and cost money. */
  live: 'live',
  /** Nothing is sent, nothing costs anything; the code is all zeros. */
  test: 'test',
} as const;
/** What a key is for; nothing of one mode is visible from the other. */
export type Mode = Open<(typeof Mode)[keyof typeof Mode]>;

/** What a key may do. */
export const Scope = {
  /** Send and check codes, cancel sessions. */
  verify: 'verify',
  /** Read sessions, settings, sender names and webhook deliveries. */
  read: 'read',
  /** Change settings, keys, webhook endpoints and sender names. */
  manage: 'manage',
} as const;
/** What a key may do. */
export type Scope = Open<(typeof Scope)[keyof typeof Scope]>;

/** Who may call a method. */
export const Access = {
  /** An API key of an account. */
  key: 'key',
  /** The admin token of the deployment. */
  admin: 'admin',
  /** The admin token; anyone where registration is open. */
  registration: 'registration',
  /** Anyone. */
  public: 'public',
} as const;
/** Who may call a method. */
export type Access = Open<(typeof Access)[keyof typeof Access]>;

/** How a verification stands. */
export const SessionStatus = {
  /** A code can still be checked. */
  pending: 'pending',
  /** The right code was given in time. */
  verified: 'verified',
  /** Its time ran out. */
  expired: 'expired',
  /** It was canceled; see `status_reason`. */
  canceled: 'canceled',
  /** Too many wrong codes. */
  failed: 'failed',
} as const;
/** How a verification stands. */
export type SessionStatus = Open<(typeof SessionStatus)[keyof typeof SessionStatus]>;

/** Why a session is failed or canceled. */
export const StatusReason = {
  /** Every try at the code is used up. */
  tooManyAttempts: 'too_many_attempts',
  /** The cancel operation was called. */
  canceledByClient: 'canceled_by_client',
  /** A new send came with too little life left, and opened a new session in its place. */
  replaced: 'replaced',
} as const;
/** Why a session is failed or canceled. */
export type StatusReason = Open<(typeof StatusReason)[keyof typeof StatusReason]>;

/** Whether a code has reached the phone, beside the session's status. */
export const DeliveryStatus = {
  /** The cascade is under way. */
  sending: 'sending',
  /** A channel reported delivery; no further leg is started. */
  delivered: 'delivered',
  /** Every leg of the run ended without a delivered receipt. A late message can still verify. */
  exhausted: 'exhausted',
} as const;
/** Whether a code has reached the phone, beside the session's status. */
export type DeliveryStatus = Open<(typeof DeliveryStatus)[keyof typeof DeliveryStatus]>;

/** How one message stands. */
export const MessageStatus = {
  /** Waiting for a place on the wire. */
  queued: 'queued',
  /** On its way to the carrier. */
  submitting: 'submitting',
  /** The carrier took it. */
  submitted: 'submitted',
  /** It reached the phone. */
  delivered: 'delivered',
  /** The carrier could not deliver it. */
  undelivered: 'undelivered',
  /** The carrier refused it. */
  rejected: 'rejected',
  /** Its validity ended at the carrier. */
  expired: 'expired',
  /** It may or may not have been sent; it is never sent again on this channel. */
  unknown: 'unknown',
  /** Taken back before it was sent. */
  withdrawn: 'withdrawn',
  /** Delivered, and read. */
  read: 'read',
  /** Delivered: the call was answered and the code heard. */
  answered: 'answered',
} as const;
/** How one message stands. */
export type MessageStatus = Open<(typeof MessageStatus)[keyof typeof MessageStatus]>;

/** Why a message's status is what it is, where the status does not say it. */
export const MessageReason = {
  /** The sender was refused (a name, or the business's own number), and the default one too or there is none. */
  senderIdRefused: 'sender_id_refused',
  /** The carrier refused the message for good; its own code is in `error_code`. */
  submitRefused: 'submit_refused',
  /** The carrier did not answer the submission in time. */
  timeout: 'timeout',
  /** The connection broke before the carrier answered. */
  connectionLost: 'connection_lost',
  /** The process that was submitting it died before the answer was stored. */
  processLost: 'process_lost',
  /** The carrier answered in no form it documents, so whether it took the message is not known. */
  unreadableAnswer: 'unreadable_answer',
  /** The text has no form that the operator takes. */
  unencodable: 'unencodable',
  /** The number can not be reached on the messaging app. */
  notOnApp: 'not_on_app',
  /** The carrier asked to slow down, or had trouble of its own, until there was no point in asking again. */
  throttled: 'throttled',
  /** The channel refuses to serve this deployment for the time being; its operator was told. */
  channelDown: 'channel_down',
  /** The carrier can not use what this deployment is set up to send; its operator was told. */
  misconfigured: 'misconfigured',
  /** A fault of this service while it was being submitted. */
  internalError: 'internal_error',
  /** The operator of the service suspended the account before the message was sent. */
  accountSuspended: 'account_suspended',
} as const;
/** Why a message's status is what it is, where the status does not say it. */
export type MessageReason = Open<(typeof MessageReason)[keyof typeof MessageReason]>;

/** Why a leg of the cascade was not taken. */
export const SkipReason = {
  /** This deployment has no such channel. */
  channelNotConfigured: 'channel_not_configured',
  /** No operator serves the number on this channel. */
  noOperator: 'no_operator',
  /** The sender name is not approved at the number's operator. */
  senderIdNotApproved: 'sender_id_not_approved',
  /** The channel refuses to serve this deployment for the time being; its operator was told. */
  channelDown: 'channel_down',
  /** The account allows only channels that stay in the country. */
  inCountryOnly: 'in_country_only',
  /** The operator of the service has suspended the account. */
  accountSuspended: 'account_suspended',
} as const;
/** Why a leg of the cascade was not taken. */
export type SkipReason = Open<(typeof SkipReason)[keyof typeof SkipReason]>;

/** Why a code is not valid. */
export const CheckReason = {
  /** It is not the session's code. */
  incorrectCode: 'incorrect_code',
  /** The session's time ran out. */
  expired: 'expired',
  /** Every try is used up. */
  tooManyAttempts: 'too_many_attempts',
  /** A right code was given before; it counts once. */
  alreadyVerified: 'already_verified',
  /** The session was canceled. */
  canceled: 'canceled',
} as const;
/** Why a code is not valid. */
export type CheckReason = Open<(typeof CheckReason)[keyof typeof CheckReason]>;

/** Delivery states in the words of SMPP v3.4 section 5.2.28; every channel maps onto them. */
export const ReceiptStatus = {
  /** On its way; not final. */
  ENROUTE: 'ENROUTE',
  /** Delivered to the phone. */
  DELIVRD: 'DELIVRD',
  /** Its validity period ended. */
  EXPIRED: 'EXPIRED',
  /** Deleted at the operator. */
  DELETED: 'DELETED',
  /** It can not be delivered. */
  UNDELIV: 'UNDELIV',
  /** Taken over on the subscriber's behalf; not final. */
  ACCEPTD: 'ACCEPTD',
  /** The operator does not know. */
  UNKNOWN: 'UNKNOWN',
  /** The operator rejected it. */
  REJECTD: 'REJECTD',
} as const;
/** Delivery states in the words of SMPP v3.4 section 5.2.28; every channel maps onto them. */
export type ReceiptStatus = Open<(typeof ReceiptStatus)[keyof typeof ReceiptStatus]>;

/** Who says what a message cost. */
export const CostSource = {
  /** The carrier, in its receipt; wins over the tariff. */
  operator: 'operator',
  /** The configured rate card. */
  tariff: 'tariff',
} as const;
/** Who says what a message cost. */
export type CostSource = Open<(typeof CostSource)[keyof typeof CostSource]>;

/** Who sends the bill for a message. */
export const BilledBy = {
  /** This service. */
  service: 'service',
  /** The messaging platform, to the business's own account. */
  platform: 'platform',
} as const;
/** Who sends the bill for a message. */
export type BilledBy = Open<(typeof BilledBy)[keyof typeof BilledBy]>;

/** What an entry of the timeline tells. */
export const TimelineKind = {
  /** The first send. */
  sessionOpened: 'session_opened',
  /** A further send: a new run starts. */
  resendRequested: 'resend_requested',
  /** A leg of the cascade began, and its clock with it. */
  legStarted: 'leg_started',
  /** A leg was not taken (value set `skip_reason`). */
  legSkipped: 'leg_skipped',
  /** No delivered receipt came in time. */
  legTimedOut: 'leg_timed_out',
  /** The carrier took the message. */
  messageSubmitted: 'message_submitted',
  /** Whether the carrier took the message is not known. */
  messageUnknown: 'message_unknown',
  /** The message was refused, or could not be sent. */
  messageFailed: 'message_failed',
  /** The message was taken back before it was sent. */
  messageWithdrawn: 'message_withdrawn',
  /**
   * The sender was refused, a name by the operator or the business's own number by the platform; the message goes out
   * once more under the default one.
   */
  senderFallback: 'sender_fallback',
  /** A carrier's receipt came; its status is the reason. */
  receiptReceived: 'receipt_received',
  /** The code reached the phone: no further leg is started. */
  deliveryDelivered: 'delivery_delivered',
  /** No leg of the run is left. */
  deliveryExhausted: 'delivery_exhausted',
  /** A code was checked; whether it was right is the reason. */
  codeChecked: 'code_checked',
  /** The right code was given. */
  sessionVerified: 'session_verified',
  /** Its time ran out. */
  sessionExpired: 'session_expired',
  /** It was canceled (value set `status_reason`). */
  sessionCanceled: 'session_canceled',
  /** It failed (value set `status_reason`). */
  sessionFailed: 'session_failed',
} as const;
/** What an entry of the timeline tells. */
export type TimelineKind = Open<(typeof TimelineKind)[keyof typeof TimelineKind]>;

/** How a sender name stands at one operator. */
export const SenderStatus = {
  /** The operator has not decided yet. */
  submitted: 'submitted',
  /** The name can be used for numbers of that operator. */
  approved: 'approved',
  /** The operator refused it. */
  rejected: 'rejected',
  /** The operator took its approval back. */
  revoked: 'revoked',
} as const;
/** How a sender name stands at one operator. */
export type SenderStatus = Open<(typeof SenderStatus)[keyof typeof SenderStatus]>;

/** What can be decided about a sender name at one operator. */
export const SenderDecisionValue = {
  /** The name can be used for numbers of that operator. */
  approved: 'approved',
  /** The operator refused it. */
  rejected: 'rejected',
  /** The operator took its approval back. */
  revoked: 'revoked',
} as const;
/** What can be decided about a sender name at one operator. */
export type SenderDecisionValue = Open<(typeof SenderDecisionValue)[keyof typeof SenderDecisionValue]>;

/** How the delivery of one event to one endpoint stands. */
export const WebhookDeliveryStatus = {
  /** It will be tried (again). */
  pending: 'pending',
  /** The endpoint answered 2xx. */
  delivered: 'delivered',
  /** Every try failed; it can be redelivered for 30 days. */
  failed: 'failed',
} as const;
/** How the delivery of one event to one endpoint stands. */
export type WebhookDeliveryStatus = Open<(typeof WebhookDeliveryStatus)[keyof typeof WebhookDeliveryStatus]>;

/** Why a webhook endpoint is switched off. */
export const DisabledReason = {
  /** Nothing but failure for days. */
  failing: 'failing',
  /** It answered 410. */
  gone: 'gone',
  /** It was switched off by an update. */
  byClient: 'by_client',
} as const;
/** Why a webhook endpoint is switched off. */
export type DisabledReason = Open<(typeof DisabledReason)[keyof typeof DisabledReason]>;

/** State of a site or app that is registered for autofill. */
export const AutofillStatus = {
  /** The operator of the service has not approved it: live sends cannot name it. */
  pending: 'pending',
  /** Sends can name it. */
  approved: 'approved',
} as const;
/** State of a site or app that is registered for autofill. */
export type AutofillStatus = Open<(typeof AutofillStatus)[keyof typeof AutofillStatus]>;

/** How the link to a business's own messaging-app account stands. */
export const WabaStatus = {
  /** The steps at the platform are being taken. */
  connecting: 'connecting',
  /** Messages go out from the business's own number. */
  connected: 'connected',
  /** It could not be linked, or stopped working; see `reason`. Messages go out from the platform's number. */
  broken: 'broken',
  /** It was unlinked; see `reason`. */
  disconnected: 'disconnected',
} as const;
/** How the link to a business's own messaging-app account stands. */
export type WabaStatus = Open<(typeof WabaStatus)[keyof typeof WabaStatus]>;

/** A step of linking, in their order. */
export const WabaStep = {
  /** The code of the signup is exchanged for a token. */
  exchangeCode: 'exchange_code',
  /** The account must list the phone number. */
  checkNumber: 'check_number',
  /** The platform is told to report about the account to this service. */
  subscribe: 'subscribe',
  /** The number is registered with the Cloud API, with its PIN. */
  register: 'register',
  /** The authentication templates are created. */
  createTemplates: 'create_templates',
  /** The platform reviews the templates. */
  awaitApproval: 'await_approval',
} as const;
/** A step of linking, in their order. */
export type WabaStep = Open<(typeof WabaStep)[keyof typeof WabaStep]>;

/** Why a link is broken, disconnected, or tried again. */
export const WabaReason = {
  /** The code of the signup was not exchanged within its 30 seconds. Start the signup again. */
  codeExpired: 'code_expired',
  /** The platform does not take the code of the signup, or not any more. Start the signup again. */
  codeRefused: 'code_refused',
  /** The platform does not take the token. */
  tokenRefused: 'token_refused',
  /** The token of a linked account stopped working. Link it again. */
  tokenRevoked: 'token_revoked',
  /** The token lacks a permission, or was made for another account. */
  permissionMissing: 'permission_missing',
  /** The token was made for another app than this deployment's: what becomes of messages would be told there. */
  tokenOfOtherApp: 'token_of_other_app',
  /** The account does not list that phone number. */
  numberNotFound: 'number_not_found',
  /** The phone number belongs to another account of this service. */
  phoneNumberTaken: 'phone_number_taken',
  /**
   * The number has a two-step verification PIN, and another one. Connect by hand with that PIN, or switch it off at the
   * platform.
   */
  pinRefused: 'pin_refused',
  /** The platform does not register the number; see `error_code`. */
  registrationRefused: 'registration_refused',
  /** The platform does not take the authentication template; see `error_code`. */
  templateRefused: 'template_refused',
  /** The platform's review rejected the templates. */
  templatesRejected: 'templates_rejected',
  /** The platform's review did not end within three days. */
  approvalTimeout: 'approval_timeout',
  /** The platform refused the step; see `error_code`. */
  refused: 'refused',
  /** The platform can not be reached or has trouble of its own. Tried again for a day. */
  platformUnavailable: 'platform_unavailable',
  /** The business took its account back at the platform. */
  uninstalled: 'uninstalled',
  /** It was unlinked by a call. */
  requested: 'requested',
  /** The key that the link's secrets were sealed with is gone. Link it again. */
  secretLost: 'secret_lost',
} as const;
/** Why a link is broken, disconnected, or tried again. */
export type WabaReason = Open<(typeof WabaReason)[keyof typeof WabaReason]>;

/** How a template stands at the platform. */
export const WabaTemplateStatus = {
  /** Under review. */
  pending: 'pending',
  /** It can be used. */
  approved: 'approved',
  /** The review rejected it. */
  rejected: 'rejected',
  /** Switched off for a while, because of complaints. */
  paused: 'paused',
  /** Switched off. */
  disabled: 'disabled',
} as const;
/** How a template stands at the platform. */
export type WabaTemplateStatus = Open<(typeof WabaTemplateStatus)[keyof typeof WabaTemplateStatus]>;

/** What a webhook tells. */
export const EventType = {
  /** A carrier's receipt came, or the cost of a message was corrected. */
  receiptUpdated: 'receipt.updated',
  /** A carrier took a message. */
  messageSubmitted: 'message.submitted',
  /** A message failed without an operator's receipt saying so. */
  messageFailed: 'message.failed',
  /** The right code was given. */
  sessionVerified: 'session.verified',
  /** A session's time ran out. */
  sessionExpired: 'session.expired',
  /** A session was canceled, or replaced by a new one. */
  sessionCanceled: 'session.canceled',
  /** Every try at the code was used up. */
  sessionFailed: 'session.failed',
  /** Every leg of a run ended without a delivered receipt; once per run. */
  sessionDeliveryExhausted: 'session.delivery_exhausted',
  /** A number was locked after too many wrong codes: its checks are refused. Sent once per lock. */
  numberLocked: 'number.locked',
  /** An operator decided about a sender name. */
  senderIdDecided: 'sender_id.decided',
  /** The business's own messaging-app account was linked. */
  wabaConnected: 'waba.connected',
  /** The business's own messaging-app account was unlinked, stopped working, or could not be linked. */
  wabaDisconnected: 'waba.disconnected',
  /** One of the account's webhook endpoints was switched off; told to the others. */
  endpointDisabled: 'endpoint.disabled',
} as const;
/** What a webhook tells. */
export type EventType = Open<(typeof EventType)[keyof typeof EventType]>;

/** Why a call was refused. */
export const ErrorCode = {
  /** A field does not hold what it must; `field` names it. */
  invalidArgument: 'invalid_argument',
  /** The request could not be read, e.g. its body is not JSON. */
  malformedRequest: 'malformed_request',
  /** REST only: the body or the query has a field that the operation does not know; `field` names it. */
  unknownField: 'unknown_field',
  /** `to` is not an assigned mobile number in international format. */
  invalidPhoneNumber: 'invalid_phone_number',
  /** The number is valid, but no configured operator serves it. */
  unsupportedDestination: 'unsupported_destination',
  /** A scenario number was used with a live key outside the sandbox. */
  scenarioNumber: 'scenario_number',
  /** The sender name is not approved at the number's operator. */
  senderIdNotApproved: 'sender_id_not_approved',
  /**
   * The site or app in `autofill` is not registered on the account, or not approved yet; `field` names which. See
   * `autofill` of the account.
   */
  autofillNotRegistered: 'autofill_not_registered',
  /** No leg of the cascade can be used for this number; no session was made. */
  noRoute: 'no_route',
  /** What was given is not digits of the right length; it costs no try. */
  invalidCode: 'invalid_code',
  /** The page token is not one of this list with these filters. */
  invalidPageToken: 'invalid_page_token',
  /** The address of a webhook endpoint is not allowed, e.g. a private one. */
  invalidWebhookUrl: 'invalid_webhook_url',
  /** `Idempotency-Key` is empty, longer than 256 characters, or not printable ASCII. */
  invalidIdempotencyKey: 'invalid_idempotency_key',
  /**
   * The state of the signup is not one of this account, was used already, or is older than ten minutes. Start the
   * signup again.
   */
  invalidSignupState: 'invalid_signup_state',
  /** There is no `Authorization: Bearer <key>`. */
  missingApiKey: 'missing_api_key',
  /** The key is malformed or not known. */
  invalidApiKey: 'invalid_api_key',
  /** The key was revoked. */
  revokedApiKey: 'revoked_api_key',
  /** The key's time ran out. */
  expiredApiKey: 'expired_api_key',
  /** The operation needs the admin token of the deployment. */
  invalidAdminToken: 'invalid_admin_token',
  /** The key lacks the scope that the operation needs, or one it tries to grant. */
  missingScope: 'missing_scope',
  /** A test key can't manage live resources. */
  liveKeyRequired: 'live_key_required',
  /** The new key would outlive the key that creates it. */
  expiresTooLate: 'expires_too_late',
  /**
   * The operator of the service has suspended the account: none of its keys works, and its webhooks are held until it
   * is resumed.
   */
  accountSuspended: 'account_suspended',
  /** Accounts are made by the operator of this deployment. */
  registrationClosed: 'registration_closed',
  /** REST only: there is no such route. */
  notFound: 'not_found',
  /** No such session in this account and mode. */
  sessionNotFound: 'session_not_found',
  /** No such key in this account and mode. */
  apiKeyNotFound: 'api_key_not_found',
  /** No such webhook endpoint in this account and mode. */
  webhookEndpointNotFound: 'webhook_endpoint_not_found',
  /** The event was not sent to this endpoint, or too long ago. */
  webhookDeliveryNotFound: 'webhook_delivery_not_found',
  /** No such sender name in this account. */
  senderIdNotFound: 'sender_id_not_found',
  /** No operator of that id is configured. */
  operatorNotFound: 'operator_not_found',
  /** The account has never linked a messaging-app account; in test mode there is none. */
  wabaNotFound: 'waba_not_found',
  /** REST only: the route has no such method; `Allow` lists those it has. */
  methodNotAllowed: 'method_not_allowed',
  /**
   * A session for this number and purpose is pending and was opened with something else; `field` names what differs.
   */
  sessionDiffers: 'session_differs',
  /** The session is over. */
  sessionNotPending: 'session_not_pending',
  /** The idempotency key was used before with another request. */
  idempotencyKeyReused: 'idempotency_key_reused',
  /** The first request with this idempotency key is still under way; try again. */
  idempotencyKeyInUse: 'idempotency_key_in_use',
  /** The last live key with the scope `manage` can't be revoked. */
  lastManageKey: 'last_manage_key',
  /** The account has this sender name already. */
  senderIdExists: 'sender_id_exists',
  /** The account has linked a messaging-app account; unlink it first. */
  wabaAlreadyConnected: 'waba_already_connected',
  /** The phone number id belongs to another account of this service. */
  phoneNumberTaken: 'phone_number_taken',
  /** What stands about the sender name does not allow this decision. */
  alreadyDecided: 'already_decided',
  /** The account has as many of these as it may have. */
  tooManyResources: 'too_many_resources',
  /** The webhook endpoint is switched off; switch it on first. */
  endpointDisabled: 'endpoint_disabled',
  /** The request is larger than 64 KiB. */
  requestTooLarge: 'request_too_large',
  /** REST only: a body must be `Content-Type: application/json`. */
  unsupportedMediaType: 'unsupported_media_type',
  /** The account makes too many calls; `Retry-After` says when to try again. */
  rateLimited: 'rate_limited',
  /**
   * Too many keys or admin tokens from this address were refused within a minute. Until `Retry-After` has passed, only
   * keys that have worked before are checked.
   */
  tooManyFailures: 'too_many_failures',
  /** The account already watches as many sessions as it may watch at once. End a watch first. */
  tooManyWatches: 'too_many_watches',
  /** The last send of this session was too short a time ago; `resend_after` says when the next may come. */
  resendTooSoon: 'resend_too_soon',
  /** The session has as many sends as it may have; `Retry-After` says when it is over. */
  tooManySends: 'too_many_sends',
  /** Too many wrong codes for this number, within the hour or in a row. */
  numberLocked: 'number_locked',
  /** Too many codes were sent to this number. */
  numberRateLimited: 'number_rate_limited',
  /** The caller gave up before the answer. */
  canceled: 'canceled',
  /** A fault of the service; `request_id` finds it in the logs. */
  internal: 'internal',
  /** This deployment does not offer the operation. */
  unimplemented: 'unimplemented',
  /** More is queued than can be sent in time: nothing was stored; try again after `Retry-After`. */
  overloaded: 'overloaded',
  /** The service can't answer right now, e.g. it is being stopped or its database is away. */
  unavailable: 'unavailable',
  /** The call took longer than its deadline; it may have had its effect: repeat it with the same `Idempotency-Key`. */
  deadlineExceeded: 'deadline_exceeded',
} as const;
/** Why a call was refused. */
export type ErrorCode = Open<(typeof ErrorCode)[keyof typeof ErrorCode]>;

/** HTTP status of every error code, and whether the same call may succeed after a short wait. */
export const errorCodes: Readonly<Record<string, { status: number; retry: boolean }>> = {
  invalid_argument: { status: 400, retry: false },
  malformed_request: { status: 400, retry: false },
  unknown_field: { status: 400, retry: false },
  invalid_phone_number: { status: 400, retry: false },
  unsupported_destination: { status: 400, retry: false },
  scenario_number: { status: 400, retry: false },
  sender_id_not_approved: { status: 400, retry: false },
  autofill_not_registered: { status: 400, retry: false },
  no_route: { status: 400, retry: false },
  invalid_code: { status: 400, retry: false },
  invalid_page_token: { status: 400, retry: false },
  invalid_webhook_url: { status: 400, retry: false },
  invalid_idempotency_key: { status: 400, retry: false },
  invalid_signup_state: { status: 400, retry: false },
  missing_api_key: { status: 401, retry: false },
  invalid_api_key: { status: 401, retry: false },
  revoked_api_key: { status: 401, retry: false },
  expired_api_key: { status: 401, retry: false },
  invalid_admin_token: { status: 401, retry: false },
  missing_scope: { status: 403, retry: false },
  live_key_required: { status: 403, retry: false },
  expires_too_late: { status: 403, retry: false },
  account_suspended: { status: 403, retry: false },
  registration_closed: { status: 403, retry: false },
  not_found: { status: 404, retry: false },
  session_not_found: { status: 404, retry: false },
  api_key_not_found: { status: 404, retry: false },
  webhook_endpoint_not_found: { status: 404, retry: false },
  webhook_delivery_not_found: { status: 404, retry: false },
  sender_id_not_found: { status: 404, retry: false },
  operator_not_found: { status: 404, retry: false },
  waba_not_found: { status: 404, retry: false },
  method_not_allowed: { status: 405, retry: false },
  session_differs: { status: 409, retry: false },
  session_not_pending: { status: 409, retry: false },
  idempotency_key_reused: { status: 409, retry: false },
  idempotency_key_in_use: { status: 409, retry: true },
  last_manage_key: { status: 409, retry: false },
  sender_id_exists: { status: 409, retry: false },
  waba_already_connected: { status: 409, retry: false },
  phone_number_taken: { status: 409, retry: false },
  already_decided: { status: 409, retry: false },
  too_many_resources: { status: 409, retry: false },
  endpoint_disabled: { status: 409, retry: false },
  request_too_large: { status: 413, retry: false },
  unsupported_media_type: { status: 415, retry: false },
  rate_limited: { status: 429, retry: true },
  too_many_failures: { status: 429, retry: false },
  too_many_watches: { status: 429, retry: false },
  resend_too_soon: { status: 429, retry: false },
  too_many_sends: { status: 429, retry: false },
  number_locked: { status: 429, retry: false },
  number_rate_limited: { status: 429, retry: false },
  canceled: { status: 499, retry: false },
  internal: { status: 500, retry: true },
  unimplemented: { status: 501, retry: false },
  overloaded: { status: 503, retry: true },
  unavailable: { status: 503, retry: true },
  deadline_exceeded: { status: 504, retry: true },
};
