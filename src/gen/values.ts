// Made from the contract by sdks/codegen/src/values.ts: run `npm run generate`, do not edit.

/** How a code travels. */
export const channelValues = [
  /** A text message over SMPP. */
  'sms',
  /** A message of the messaging app. */
  'whatsapp',
  /** A call that reads the code out. */
  'voice',
] as const;
/** How a code travels. */
export type Channel = (typeof channelValues)[number];

/** Language of the text or of the call. */
export const languageValues = [
  /** Arabic; a call speaks the local dialect. */
  'ar',
  /** French. */
  'fr',
  /** English, for text only: a call then uses the account's `ar` or `fr`. */
  'en',
] as const;
/** Language of the text or of the call. */
export type Language = (typeof languageValues)[number];

/** What a key is for; nothing of one mode is visible from the other. */
export const modeValues = [
  /** Messages are sent and cost money. */
  'live',
  /** Nothing is sent, nothing costs anything; the code is all zeros. */
  'test',
] as const;
/** What a key is for; nothing of one mode is visible from the other. */
export type Mode = (typeof modeValues)[number];

/** What a key may do. */
export const scopeValues = [
  /** Send and check codes, cancel sessions. */
  'verify',
  /** Read sessions, settings, sender names and webhook deliveries. */
  'read',
  /** Change settings, keys, webhook endpoints and sender names. */
  'manage',
] as const;
/** What a key may do. */
export type Scope = (typeof scopeValues)[number];

/** Who may call a method. */
export const accessValues = [
  /** An API key of an account. */
  'key',
  /** The admin token of the deployment. */
  'admin',
  /** The admin token; anyone where registration is open. */
  'registration',
  /** Anyone. */
  'public',
] as const;
/** Who may call a method. */
export type Access = (typeof accessValues)[number];

/** How a verification stands. */
export const sessionStatusValues = [
  /** A code can still be checked. */
  'pending',
  /** The right code was given in time. */
  'verified',
  /** Its time ran out. */
  'expired',
  /** It was canceled; see `status_reason`. */
  'canceled',
  /** Too many wrong codes. */
  'failed',
] as const;
/** How a verification stands. */
export type SessionStatus = (typeof sessionStatusValues)[number];

/** Why a session is failed or canceled. */
export const statusReasonValues = [
  /** Every try at the code is used up. */
  'too_many_attempts',
  /** The cancel operation was called. */
  'canceled_by_client',
  /** A new send came with too little life left, and opened a new session in its place. */
  'replaced',
] as const;
/** Why a session is failed or canceled. */
export type StatusReason = (typeof statusReasonValues)[number];

/** Whether a code has reached the phone, beside the session's status. */
export const deliveryStatusValues = [
  /** The cascade is under way. */
  'sending',
  /** A channel reported delivery; no further leg is started. */
  'delivered',
  /** Every leg of the run ended without a delivered receipt. A late message can still verify. */
  'exhausted',
] as const;
/** Whether a code has reached the phone, beside the session's status. */
export type DeliveryStatus = (typeof deliveryStatusValues)[number];

/** How one message stands. */
export const messageStatusValues = [
  /** Waiting for a place on the wire. */
  'queued',
  /** On its way to the carrier. */
  'submitting',
  /** The carrier took it. */
  'submitted',
  /** It reached the phone. */
  'delivered',
  /** The carrier could not deliver it. */
  'undelivered',
  /** The carrier refused it. */
  'rejected',
  /** Its validity ended at the carrier. */
  'expired',
  /** It may or may not have been sent; it is never sent again on this channel. */
  'unknown',
  /** Taken back before it was sent. */
  'withdrawn',
  /** Delivered, and read. */
  'read',
  /** Delivered: the call was answered and the code heard. */
  'answered',
] as const;
/** How one message stands. */
export type MessageStatus = (typeof messageStatusValues)[number];

/** Why a message's status is what it is, where the status does not say it. */
export const messageReasonValues = [
  /** The sender was refused (a name, or the business's own number), and the default one too or there is none. */
  'sender_id_refused',
  /** The carrier refused the message for good; its own code is in `error_code`. */
  'submit_refused',
  /** The carrier did not answer the submission in time. */
  'timeout',
  /** The connection broke before the carrier answered. */
  'connection_lost',
  /** The process that was submitting it died before the answer was stored. */
  'process_lost',
  /** The carrier answered in no form it documents, so whether it took the message is not known. */
  'unreadable_answer',
  /** The text has no form that the operator takes. */
  'unencodable',
  /** The number can not be reached on the messaging app. */
  'not_on_app',
  /** The carrier asked to slow down, or had trouble of its own, until there was no point in asking again. */
  'throttled',
  /** The channel refuses to serve this deployment for the time being; its operator was told. */
  'channel_down',
  /** The carrier can not use what this deployment is set up to send; its operator was told. */
  'misconfigured',
  /** A fault of this service while it was being submitted. */
  'internal_error',
  /** The operator of the service suspended the account before the message was sent. */
  'account_suspended',
] as const;
/** Why a message's status is what it is, where the status does not say it. */
export type MessageReason = (typeof messageReasonValues)[number];

/** Why a leg of the cascade was not taken. */
export const skipReasonValues = [
  /** This deployment has no such channel. */
  'channel_not_configured',
  /** No operator serves the number on this channel. */
  'no_operator',
  /** The sender name is not approved at the number's operator. */
  'sender_id_not_approved',
  /** The channel refuses to serve this deployment for the time being; its operator was told. */
  'channel_down',
  /** The account allows only channels that stay in the country. */
  'in_country_only',
  /** The operator of the service has suspended the account. */
  'account_suspended',
] as const;
/** Why a leg of the cascade was not taken. */
export type SkipReason = (typeof skipReasonValues)[number];

/** Why a code is not valid. */
export const checkReasonValues = [
  /** It is not the session's code. */
  'incorrect_code',
  /** The session's time ran out. */
  'expired',
  /** Every try is used up. */
  'too_many_attempts',
  /** A right code was given before; it counts once. */
  'already_verified',
  /** The session was canceled. */
  'canceled',
] as const;
/** Why a code is not valid. */
export type CheckReason = (typeof checkReasonValues)[number];

/** Delivery states in the words of SMPP v3.4 section 5.2.28; every channel maps onto them. */
export const receiptStatusValues = [
  /** On its way; not final. */
  'ENROUTE',
  /** Delivered to the phone. */
  'DELIVRD',
  /** Its validity period ended. */
  'EXPIRED',
  /** Deleted at the operator. */
  'DELETED',
  /** It can not be delivered. */
  'UNDELIV',
  /** Taken over on the subscriber's behalf; not final. */
  'ACCEPTD',
  /** The operator does not know. */
  'UNKNOWN',
  /** The operator rejected it. */
  'REJECTD',
] as const;
/** Delivery states in the words of SMPP v3.4 section 5.2.28; every channel maps onto them. */
export type ReceiptStatus = (typeof receiptStatusValues)[number];

/** Who says what a message cost. */
export const costSourceValues = [
  /** The carrier, in its receipt; wins over the tariff. */
  'operator',
  /** The configured rate card. */
  'tariff',
] as const;
/** Who says what a message cost. */
export type CostSource = (typeof costSourceValues)[number];

/** Who sends the bill for a message. */
export const billedByValues = [
  /** This service. */
  'service',
  /** The messaging platform, to the business's own account. */
  'platform',
] as const;
/** Who sends the bill for a message. */
export type BilledBy = (typeof billedByValues)[number];

/** What an entry of the timeline tells. */
export const timelineKindValues = [
  /** The first send. */
  'session_opened',
  /** A further send: a new run starts. */
  'resend_requested',
  /** A leg of the cascade began, and its clock with it. */
  'leg_started',
  /** A leg was not taken (value set `skip_reason`). */
  'leg_skipped',
  /** No delivered receipt came in time. */
  'leg_timed_out',
  /** The carrier took the message. */
  'message_submitted',
  /** Whether the carrier took the message is not known. */
  'message_unknown',
  /** The message was refused, or could not be sent. */
  'message_failed',
  /** The message was taken back before it was sent. */
  'message_withdrawn',
  /** The sender was refused, a name by the operator or the business's own number by the platform; the message goes out once more under the default one. */
  'sender_fallback',
  /** A carrier's receipt came; its status is the reason. */
  'receipt_received',
  /** The code reached the phone: no further leg is started. */
  'delivery_delivered',
  /** No leg of the run is left. */
  'delivery_exhausted',
  /** A code was checked; whether it was right is the reason. */
  'code_checked',
  /** The right code was given. */
  'session_verified',
  /** Its time ran out. */
  'session_expired',
  /** It was canceled (value set `status_reason`). */
  'session_canceled',
  /** It failed (value set `status_reason`). */
  'session_failed',
] as const;
/** What an entry of the timeline tells. */
export type TimelineKind = (typeof timelineKindValues)[number];

/** How a sender name stands at one operator. */
export const senderStatusValues = [
  /** The operator has not decided yet. */
  'submitted',
  /** The name can be used for numbers of that operator. */
  'approved',
  /** The operator refused it. */
  'rejected',
  /** The operator took its approval back. */
  'revoked',
] as const;
/** How a sender name stands at one operator. */
export type SenderStatus = (typeof senderStatusValues)[number];

/** What can be decided about a sender name at one operator. */
export const senderDecisionValues = [
  /** The name can be used for numbers of that operator. */
  'approved',
  /** The operator refused it. */
  'rejected',
  /** The operator took its approval back. */
  'revoked',
] as const;
/** What can be decided about a sender name at one operator. */
export type SenderDecision = (typeof senderDecisionValues)[number];

/** How the delivery of one event to one endpoint stands. */
export const webhookDeliveryStatusValues = [
  /** It will be tried (again). */
  'pending',
  /** The endpoint answered 2xx. */
  'delivered',
  /** Every try failed; it can be redelivered for 30 days. */
  'failed',
] as const;
/** How the delivery of one event to one endpoint stands. */
export type WebhookDeliveryStatus = (typeof webhookDeliveryStatusValues)[number];

/** Why a webhook endpoint is switched off. */
export const disabledReasonValues = [
  /** Nothing but failure for days. */
  'failing',
  /** It answered 410. */
  'gone',
  /** It was switched off by an update. */
  'by_client',
] as const;
/** Why a webhook endpoint is switched off. */
export type DisabledReason = (typeof disabledReasonValues)[number];

/** State of a site or app that is registered for autofill. */
export const autofillStatusValues = [
  /** The operator of the service has not approved it: live sends cannot name it. */
  'pending',
  /** Sends can name it. */
  'approved',
] as const;
/** State of a site or app that is registered for autofill. */
export type AutofillStatus = (typeof autofillStatusValues)[number];

/** How the link to a business's own messaging-app account stands. */
export const wabaStatusValues = [
  /** The steps at the platform are being taken. */
  'connecting',
  /** Messages go out from the business's own number. */
  'connected',
  /** It could not be linked, or stopped working; see `reason`. Messages go out from the platform's number. */
  'broken',
  /** It was unlinked; see `reason`. */
  'disconnected',
] as const;
/** How the link to a business's own messaging-app account stands. */
export type WabaStatus = (typeof wabaStatusValues)[number];

/** A step of linking, in their order. */
export const wabaStepValues = [
  /** The code of the signup is exchanged for a token. */
  'exchange_code',
  /** The account must list the phone number. */
  'check_number',
  /** The platform is told to report about the account to this service. */
  'subscribe',
  /** The number is registered with the Cloud API, with its PIN. */
  'register',
  /** The authentication templates are created. */
  'create_templates',
  /** The platform reviews the templates. */
  'await_approval',
] as const;
/** A step of linking, in their order. */
export type WabaStep = (typeof wabaStepValues)[number];

/** Why a link is broken, disconnected, or tried again. */
export const wabaReasonValues = [
  /** The code of the signup was not exchanged within its 30 seconds. Start the signup again. */
  'code_expired',
  /** The platform does not take the code of the signup, or not any more. Start the signup again. */
  'code_refused',
  /** The platform does not take the token. */
  'token_refused',
  /** The token of a linked account stopped working. Link it again. */
  'token_revoked',
  /** The token lacks a permission, or was made for another account. */
  'permission_missing',
  /** The token was made for another app than this deployment's: what becomes of messages would be told there. */
  'token_of_other_app',
  /** The account does not list that phone number. */
  'number_not_found',
  /** The phone number belongs to another account of this service. */
  'phone_number_taken',
  /** The number has a two-step verification PIN, and another one. Connect by hand with that PIN, or switch it off at the platform. */
  'pin_refused',
  /** The platform does not register the number; see `error_code`. */
  'registration_refused',
  /** The platform does not take the authentication template; see `error_code`. */
  'template_refused',
  /** The platform's review rejected the templates. */
  'templates_rejected',
  /** The platform's review did not end within three days. */
  'approval_timeout',
  /** The platform refused the step; see `error_code`. */
  'refused',
  /** The platform can not be reached or has trouble of its own. Tried again for a day. */
  'platform_unavailable',
  /** The business took its account back at the platform. */
  'uninstalled',
  /** It was unlinked by a call. */
  'requested',
  /** The key that the link's secrets were sealed with is gone. Link it again. */
  'secret_lost',
] as const;
/** Why a link is broken, disconnected, or tried again. */
export type WabaReason = (typeof wabaReasonValues)[number];

/** How a template stands at the platform. */
export const wabaTemplateStatusValues = [
  /** Under review. */
  'pending',
  /** It can be used. */
  'approved',
  /** The review rejected it. */
  'rejected',
  /** Switched off for a while, because of complaints. */
  'paused',
  /** Switched off. */
  'disabled',
] as const;
/** How a template stands at the platform. */
export type WabaTemplateStatus = (typeof wabaTemplateStatusValues)[number];

/** What a webhook tells. */
export const eventTypeValues = [
  /** A carrier's receipt came, or the cost of a message was corrected. */
  'receipt.updated',
  /** A carrier took a message. */
  'message.submitted',
  /** A message failed without an operator's receipt saying so. */
  'message.failed',
  /** The right code was given. */
  'session.verified',
  /** A session's time ran out. */
  'session.expired',
  /** A session was canceled, or replaced by a new one. */
  'session.canceled',
  /** Every try at the code was used up. */
  'session.failed',
  /** Every leg of a run ended without a delivered receipt; once per run. */
  'session.delivery_exhausted',
  /** A number was locked after too many wrong codes: its checks are refused. Sent once per lock. */
  'number.locked',
  /** An operator decided about a sender name. */
  'sender_id.decided',
  /** The business's own messaging-app account was linked. */
  'waba.connected',
  /** The business's own messaging-app account was unlinked, stopped working, or could not be linked. */
  'waba.disconnected',
  /** One of the account's webhook endpoints was switched off; told to the others. */
  'endpoint.disabled',
] as const;
/** What a webhook tells. */
export type EventType = (typeof eventTypeValues)[number];

/** Why a call was refused. */
export const errorCodeValues = [
  /** A field does not hold what it must; `field` names it. */
  'invalid_argument',
  /** The request could not be read, e.g. its body is not JSON. */
  'malformed_request',
  /** REST only: the body or the query has a field that the operation does not know; `field` names it. */
  'unknown_field',
  /** `to` is not an assigned mobile number in international format. */
  'invalid_phone_number',
  /** The number is valid, but no configured operator serves it. */
  'unsupported_destination',
  /** A scenario number was used with a live key outside the sandbox. */
  'scenario_number',
  /** The sender name is not approved at the number's operator. */
  'sender_id_not_approved',
  /** The site or app in `autofill` is not registered on the account, or not approved yet; `field` names which. See `autofill` of the account. */
  'autofill_not_registered',
  /** No leg of the cascade can be used for this number; no session was made. */
  'no_route',
  /** What was given is not digits of the right length; it costs no try. */
  'invalid_code',
  /** The page token is not one of this list with these filters. */
  'invalid_page_token',
  /** The address of a webhook endpoint is not allowed, e.g. a private one. */
  'invalid_webhook_url',
  /** `Idempotency-Key` is empty, longer than 256 characters, or not printable ASCII. */
  'invalid_idempotency_key',
  /** The state of the signup is not one of this account, was used already, or is older than ten minutes. Start the signup again. */
  'invalid_signup_state',
  /** There is no `Authorization: Bearer <key>`. */
  'missing_api_key',
  /** The key is malformed or not known. */
  'invalid_api_key',
  /** The key was revoked. */
  'revoked_api_key',
  /** The key's time ran out. */
  'expired_api_key',
  /** The operation needs the admin token of the deployment. */
  'invalid_admin_token',
  /** The key lacks the scope that the operation needs, or one it tries to grant. */
  'missing_scope',
  /** A test key can't manage live resources. */
  'live_key_required',
  /** The new key would outlive the key that creates it. */
  'expires_too_late',
  /** The operator of the service has suspended the account: none of its keys works, and its webhooks are held until it is resumed. */
  'account_suspended',
  /** Accounts are made by the operator of this deployment. */
  'registration_closed',
  /** REST only: there is no such route. */
  'not_found',
  /** No such session in this account and mode. */
  'session_not_found',
  /** No such key in this account and mode. */
  'api_key_not_found',
  /** No such webhook endpoint in this account and mode. */
  'webhook_endpoint_not_found',
  /** The event was not sent to this endpoint, or too long ago. */
  'webhook_delivery_not_found',
  /** No such sender name in this account. */
  'sender_id_not_found',
  /** No operator of that id is configured. */
  'operator_not_found',
  /** The account has never linked a messaging-app account; in test mode there is none. */
  'waba_not_found',
  /** REST only: the route has no such method; `Allow` lists those it has. */
  'method_not_allowed',
  /** A session for this number and purpose is pending and was opened with something else; `field` names what differs. */
  'session_differs',
  /** The session is over. */
  'session_not_pending',
  /** The idempotency key was used before with another request. */
  'idempotency_key_reused',
  /** The first request with this idempotency key is still under way; try again. */
  'idempotency_key_in_use',
  /** The last live key with the scope `manage` can't be revoked. */
  'last_manage_key',
  /** The account has this sender name already. */
  'sender_id_exists',
  /** The account has linked a messaging-app account; unlink it first. */
  'waba_already_connected',
  /** The phone number id belongs to another account of this service. */
  'phone_number_taken',
  /** What stands about the sender name does not allow this decision. */
  'already_decided',
  /** The account has as many of these as it may have. */
  'too_many_resources',
  /** The webhook endpoint is switched off; switch it on first. */
  'endpoint_disabled',
  /** The request is larger than 64 KiB. */
  'request_too_large',
  /** REST only: a body must be `Content-Type: application/json`. */
  'unsupported_media_type',
  /** The account makes too many calls; `Retry-After` says when to try again. */
  'rate_limited',
  /** Too many keys or admin tokens from this address were refused within a minute. Until `Retry-After` has passed, only keys that have worked before are checked. */
  'too_many_failures',
  /** The account already watches as many sessions as it may watch at once. End a watch first. */
  'too_many_watches',
  /** The last send of this session was too short a time ago; `resend_after` says when the next may come. */
  'resend_too_soon',
  /** The session has as many sends as it may have; `Retry-After` says when it is over. */
  'too_many_sends',
  /** Too many wrong codes for this number, within the hour or in a row. */
  'number_locked',
  /** Too many codes were sent to this number. */
  'number_rate_limited',
  /** The caller gave up before the answer. */
  'canceled',
  /** A fault of the service; `request_id` finds it in the logs. */
  'internal',
  /** This deployment does not offer the operation. */
  'unimplemented',
  /** More is queued than can be sent in time: nothing was stored; try again after `Retry-After`. */
  'overloaded',
  /** The service can't answer right now, e.g. it is being stopped or its database is away. */
  'unavailable',
  /** The call took longer than its deadline; it may have had its effect: repeat it with the same `Idempotency-Key`. */
  'deadline_exceeded',
] as const;
/** Why a call was refused. */
export type ErrorCode = (typeof errorCodeValues)[number];

/** Every error code with its statuses. */
export const errorCodes = {
  invalid_argument: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  malformed_request: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  unknown_field: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  invalid_phone_number: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  unsupported_destination: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  scenario_number: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  sender_id_not_approved: { httpStatus: 400, grpcCode: 'FAILED_PRECONDITION' },
  autofill_not_registered: { httpStatus: 400, grpcCode: 'FAILED_PRECONDITION' },
  no_route: { httpStatus: 400, grpcCode: 'FAILED_PRECONDITION' },
  invalid_code: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  invalid_page_token: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  invalid_webhook_url: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  invalid_idempotency_key: { httpStatus: 400, grpcCode: 'INVALID_ARGUMENT' },
  invalid_signup_state: { httpStatus: 400, grpcCode: 'FAILED_PRECONDITION' },
  missing_api_key: { httpStatus: 401, grpcCode: 'UNAUTHENTICATED' },
  invalid_api_key: { httpStatus: 401, grpcCode: 'UNAUTHENTICATED' },
  revoked_api_key: { httpStatus: 401, grpcCode: 'UNAUTHENTICATED' },
  expired_api_key: { httpStatus: 401, grpcCode: 'UNAUTHENTICATED' },
  invalid_admin_token: { httpStatus: 401, grpcCode: 'UNAUTHENTICATED' },
  missing_scope: { httpStatus: 403, grpcCode: 'PERMISSION_DENIED' },
  live_key_required: { httpStatus: 403, grpcCode: 'PERMISSION_DENIED' },
  expires_too_late: { httpStatus: 403, grpcCode: 'PERMISSION_DENIED' },
  account_suspended: { httpStatus: 403, grpcCode: 'PERMISSION_DENIED' },
  registration_closed: { httpStatus: 403, grpcCode: 'PERMISSION_DENIED' },
  not_found: { httpStatus: 404, grpcCode: 'NOT_FOUND' },
  session_not_found: { httpStatus: 404, grpcCode: 'NOT_FOUND' },
  api_key_not_found: { httpStatus: 404, grpcCode: 'NOT_FOUND' },
  webhook_endpoint_not_found: { httpStatus: 404, grpcCode: 'NOT_FOUND' },
  webhook_delivery_not_found: { httpStatus: 404, grpcCode: 'NOT_FOUND' },
  sender_id_not_found: { httpStatus: 404, grpcCode: 'NOT_FOUND' },
  operator_not_found: { httpStatus: 404, grpcCode: 'NOT_FOUND' },
  waba_not_found: { httpStatus: 404, grpcCode: 'NOT_FOUND' },
  method_not_allowed: { httpStatus: 405, grpcCode: 'UNIMPLEMENTED' },
  session_differs: { httpStatus: 409, grpcCode: 'ALREADY_EXISTS' },
  session_not_pending: { httpStatus: 409, grpcCode: 'FAILED_PRECONDITION' },
  idempotency_key_reused: { httpStatus: 409, grpcCode: 'ALREADY_EXISTS' },
  idempotency_key_in_use: { httpStatus: 409, grpcCode: 'ABORTED' },
  last_manage_key: { httpStatus: 409, grpcCode: 'FAILED_PRECONDITION' },
  sender_id_exists: { httpStatus: 409, grpcCode: 'ALREADY_EXISTS' },
  waba_already_connected: { httpStatus: 409, grpcCode: 'FAILED_PRECONDITION' },
  phone_number_taken: { httpStatus: 409, grpcCode: 'ALREADY_EXISTS' },
  already_decided: { httpStatus: 409, grpcCode: 'FAILED_PRECONDITION' },
  too_many_resources: { httpStatus: 409, grpcCode: 'FAILED_PRECONDITION' },
  endpoint_disabled: { httpStatus: 409, grpcCode: 'FAILED_PRECONDITION' },
  request_too_large: { httpStatus: 413, grpcCode: 'RESOURCE_EXHAUSTED' },
  unsupported_media_type: { httpStatus: 415, grpcCode: 'INVALID_ARGUMENT' },
  rate_limited: { httpStatus: 429, grpcCode: 'RESOURCE_EXHAUSTED' },
  too_many_failures: { httpStatus: 429, grpcCode: 'RESOURCE_EXHAUSTED' },
  too_many_watches: { httpStatus: 429, grpcCode: 'RESOURCE_EXHAUSTED' },
  resend_too_soon: { httpStatus: 429, grpcCode: 'RESOURCE_EXHAUSTED' },
  too_many_sends: { httpStatus: 429, grpcCode: 'RESOURCE_EXHAUSTED' },
  number_locked: { httpStatus: 429, grpcCode: 'RESOURCE_EXHAUSTED' },
  number_rate_limited: { httpStatus: 429, grpcCode: 'RESOURCE_EXHAUSTED' },
  canceled: { httpStatus: 499, grpcCode: 'CANCELLED' },
  internal: { httpStatus: 500, grpcCode: 'INTERNAL' },
  unimplemented: { httpStatus: 501, grpcCode: 'UNIMPLEMENTED' },
  overloaded: { httpStatus: 503, grpcCode: 'UNAVAILABLE' },
  unavailable: { httpStatus: 503, grpcCode: 'UNAVAILABLE' },
  deadline_exceeded: { httpStatus: 504, grpcCode: 'DEADLINE_EXCEEDED' },
} as const satisfies Record<ErrorCode, { httpStatus: number; grpcCode: string }>;

/** Every value set by the name that field rules call it. */
export const valueSets = {
  channel: channelValues,
  language: languageValues,
  mode: modeValues,
  scope: scopeValues,
  access: accessValues,
  session_status: sessionStatusValues,
  status_reason: statusReasonValues,
  delivery_status: deliveryStatusValues,
  message_status: messageStatusValues,
  message_reason: messageReasonValues,
  skip_reason: skipReasonValues,
  check_reason: checkReasonValues,
  receipt_status: receiptStatusValues,
  cost_source: costSourceValues,
  billed_by: billedByValues,
  timeline_kind: timelineKindValues,
  sender_status: senderStatusValues,
  sender_decision: senderDecisionValues,
  webhook_delivery_status: webhookDeliveryStatusValues,
  disabled_reason: disabledReasonValues,
  autofill_status: autofillStatusValues,
  waba_status: wabaStatusValues,
  waba_step: wabaStepValues,
  waba_reason: wabaReasonValues,
  waba_template_status: wabaTemplateStatusValues,
  event_type: eventTypeValues,
  error_code: errorCodeValues,
} as const;
