# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
"""The words that the service says and understands. They are plain strings, and more may come."""

from __future__ import annotations

from typing import Final

__all__ = [
    "Access",
    "AutofillStatus",
    "BilledBy",
    "Channel",
    "CheckReason",
    "CostSource",
    "DeliveryStatus",
    "DisabledReason",
    "ErrorCode",
    "EventType",
    "Language",
    "MessageReason",
    "MessageStatus",
    "Mode",
    "ReceiptStatus",
    "Scope",
    "SenderDecision",
    "SenderStatus",
    "SessionStatus",
    "SkipReason",
    "StatusReason",
    "TimelineKind",
    "WabaReason",
    "WabaStatus",
    "WabaStep",
    "WabaTemplateStatus",
    "WebhookDeliveryStatus",
]


class Channel:
    """How a code travels."""

    SMS: Final = "sms"
    """A text message over SMPP."""
    WHATSAPP: Final = "whatsapp"
    """A message of the messaging app."""
    VOICE: Final = "voice"
    """A call that reads the code out."""


class Language:
    """Language of the text or of the call."""

    AR: Final = "ar"
    """Arabic; a call speaks the local dialect."""
    FR: Final = "fr"
    """French."""
    EN: Final = "en"
    """English, for text only: a call then uses the account's `ar` or `fr`."""


class Mode:
    """What a key is for; nothing of one mode is visible from the other."""

    LIVE: Final = "live"
    """Messages are sent and cost money."""
    TEST: Final = "test"
    """Nothing is sent, nothing costs anything; the code is all zeros."""


class Scope:
    """What a key may do."""

    VERIFY: Final = "verify"
    """Send and check codes, cancel sessions."""
    READ: Final = "read"
    """Read sessions, settings, sender names and webhook deliveries."""
    MANAGE: Final = "manage"
    """Change settings, keys, webhook endpoints and sender names."""


class Access:
    """Who may call a method."""

    KEY: Final = "key"
    """An API key of an account."""
    ADMIN: Final = "admin"
    """The admin token of the deployment."""
    REGISTRATION: Final = "registration"
    """The admin token; anyone where registration is open."""
    PUBLIC: Final = "public"
    """Anyone."""


class SessionStatus:
    """How a verification stands."""

    PENDING: Final = "pending"
    """A code can still be checked."""
    VERIFIED: Final = "verified"
    """The right code was given in time."""
    EXPIRED: Final = "expired"
    """Its time ran out."""
    CANCELED: Final = "canceled"
    """It was canceled; see `status_reason`."""
    FAILED: Final = "failed"
    """Too many wrong codes."""


class StatusReason:
    """Why a session is failed or canceled."""

    TOO_MANY_ATTEMPTS: Final = "too_many_attempts"
    """Every try at the code is used up."""
    CANCELED_BY_CLIENT: Final = "canceled_by_client"
    """The cancel operation was called."""
    REPLACED: Final = "replaced"
    """A new send came with too little life left, and opened a new session in its place."""


class DeliveryStatus:
    """Whether a code has reached the phone, beside the session's status."""

    SENDING: Final = "sending"
    """The cascade is under way."""
    DELIVERED: Final = "delivered"
    """A channel reported delivery; no further leg is started."""
    EXHAUSTED: Final = "exhausted"
    """Every leg of the run ended without a delivered receipt. A late message can still verify."""


class MessageStatus:
    """How one message stands."""

    QUEUED: Final = "queued"
    """Waiting for a place on the wire."""
    SUBMITTING: Final = "submitting"
    """On its way to the carrier."""
    SUBMITTED: Final = "submitted"
    """The carrier took it."""
    DELIVERED: Final = "delivered"
    """It reached the phone."""
    UNDELIVERED: Final = "undelivered"
    """The carrier could not deliver it."""
    REJECTED: Final = "rejected"
    """The carrier refused it."""
    EXPIRED: Final = "expired"
    """Its validity ended at the carrier."""
    UNKNOWN: Final = "unknown"
    """It may or may not have been sent; it is never sent again on this channel."""
    WITHDRAWN: Final = "withdrawn"
    """Taken back before it was sent."""
    READ: Final = "read"
    """Delivered, and read."""
    ANSWERED: Final = "answered"
    """Delivered: the call was answered and the code heard."""


class MessageReason:
    """Why a message's status is what it is, where the status does not say it."""

    SENDER_ID_REFUSED: Final = "sender_id_refused"
    """The sender was refused (a name, or the business's own number), and the default one too or
    there is none.
    """
    SUBMIT_REFUSED: Final = "submit_refused"
    """The carrier refused the message for good; its own code is in `error_code`."""
    TIMEOUT: Final = "timeout"
    """The carrier did not answer the submission in time."""
    CONNECTION_LOST: Final = "connection_lost"
    """The connection broke before the carrier answered."""
    PROCESS_LOST: Final = "process_lost"
    """The process that was submitting it died before the answer was stored."""
    UNREADABLE_ANSWER: Final = "unreadable_answer"
    """The carrier answered in no form it documents, so whether it took the message is not known."""
    UNENCODABLE: Final = "unencodable"
    """The text has no form that the operator takes."""
    NOT_ON_APP: Final = "not_on_app"
    """The number can not be reached on the messaging app."""
    THROTTLED: Final = "throttled"
    """The carrier asked to slow down, or had trouble of its own, until there was no point in asking
    again.
    """
    CHANNEL_DOWN: Final = "channel_down"
    """The channel refuses to serve this deployment for the time being; its operator was told."""
    MISCONFIGURED: Final = "misconfigured"
    """The carrier can not use what this deployment is set up to send; its operator was told."""
    INTERNAL_ERROR: Final = "internal_error"
    """A fault of this service while it was being submitted."""
    ACCOUNT_SUSPENDED: Final = "account_suspended"
    """The operator of the service suspended the account before the message was sent."""


class SkipReason:
    """Why a leg of the cascade was not taken."""

    CHANNEL_NOT_CONFIGURED: Final = "channel_not_configured"
    """This deployment has no such channel."""
    NO_OPERATOR: Final = "no_operator"
    """No operator serves the number on this channel."""
    SENDER_ID_NOT_APPROVED: Final = "sender_id_not_approved"
    """The sender name is not approved at the number's operator."""
    CHANNEL_DOWN: Final = "channel_down"
    """The channel refuses to serve this deployment for the time being; its operator was told."""
    IN_COUNTRY_ONLY: Final = "in_country_only"
    """The account allows only channels that stay in the country."""
    ACCOUNT_SUSPENDED: Final = "account_suspended"
    """The operator of the service has suspended the account."""


class CheckReason:
    """Why a code is not valid."""

    INCORRECT_CODE: Final = "incorrect_code"
    """It is not the session's code."""
    EXPIRED: Final = "expired"
    """The session's time ran out."""
    TOO_MANY_ATTEMPTS: Final = "too_many_attempts"
    """Every try is used up."""
    ALREADY_VERIFIED: Final = "already_verified"
    """A right code was given before; it counts once."""
    CANCELED: Final = "canceled"
    """The session was canceled."""


class ReceiptStatus:
    """Delivery states in the words of SMPP v3.4 section 5.2.28; every channel maps onto them."""

    ENROUTE: Final = "ENROUTE"
    """On its way; not final."""
    DELIVRD: Final = "DELIVRD"
    """Delivered to the phone."""
    EXPIRED: Final = "EXPIRED"
    """Its validity period ended."""
    DELETED: Final = "DELETED"
    """Deleted at the operator."""
    UNDELIV: Final = "UNDELIV"
    """It can not be delivered."""
    ACCEPTD: Final = "ACCEPTD"
    """Taken over on the subscriber's behalf; not final."""
    UNKNOWN: Final = "UNKNOWN"
    """The operator does not know."""
    REJECTD: Final = "REJECTD"
    """The operator rejected it."""


class CostSource:
    """Who says what a message cost."""

    OPERATOR: Final = "operator"
    """The carrier, in its receipt; wins over the tariff."""
    TARIFF: Final = "tariff"
    """The configured rate card."""


class BilledBy:
    """Who sends the bill for a message."""

    SERVICE: Final = "service"
    """This service."""
    PLATFORM: Final = "platform"
    """The messaging platform, to the business's own account."""


class TimelineKind:
    """What an entry of the timeline tells."""

    SESSION_OPENED: Final = "session_opened"
    """The first send."""
    RESEND_REQUESTED: Final = "resend_requested"
    """A further send: a new run starts."""
    LEG_STARTED: Final = "leg_started"
    """A leg of the cascade began, and its clock with it."""
    LEG_SKIPPED: Final = "leg_skipped"
    """A leg was not taken (value set `skip_reason`)."""
    LEG_TIMED_OUT: Final = "leg_timed_out"
    """No delivered receipt came in time."""
    MESSAGE_SUBMITTED: Final = "message_submitted"
    """The carrier took the message."""
    MESSAGE_UNKNOWN: Final = "message_unknown"
    """Whether the carrier took the message is not known."""
    MESSAGE_FAILED: Final = "message_failed"
    """The message was refused, or could not be sent."""
    MESSAGE_WITHDRAWN: Final = "message_withdrawn"
    """The message was taken back before it was sent."""
    SENDER_FALLBACK: Final = "sender_fallback"
    """The sender was refused, a name by the operator or the business's own number by the platform;
    the message goes out once more under the default one.
    """
    RECEIPT_RECEIVED: Final = "receipt_received"
    """A carrier's receipt came; its status is the reason."""
    DELIVERY_DELIVERED: Final = "delivery_delivered"
    """The code reached the phone: no further leg is started."""
    DELIVERY_EXHAUSTED: Final = "delivery_exhausted"
    """No leg of the run is left."""
    CODE_CHECKED: Final = "code_checked"
    """A code was checked; whether it was right is the reason."""
    SESSION_VERIFIED: Final = "session_verified"
    """The right code was given."""
    SESSION_EXPIRED: Final = "session_expired"
    """Its time ran out."""
    SESSION_CANCELED: Final = "session_canceled"
    """It was canceled (value set `status_reason`)."""
    SESSION_FAILED: Final = "session_failed"
    """It failed (value set `status_reason`)."""


class SenderStatus:
    """How a sender name stands at one operator."""

    SUBMITTED: Final = "submitted"
    """The operator has not decided yet."""
    APPROVED: Final = "approved"
    """The name can be used for numbers of that operator."""
    REJECTED: Final = "rejected"
    """The operator refused it."""
    REVOKED: Final = "revoked"
    """The operator took its approval back."""


class SenderDecision:
    """What can be decided about a sender name at one operator."""

    APPROVED: Final = "approved"
    """The name can be used for numbers of that operator."""
    REJECTED: Final = "rejected"
    """The operator refused it."""
    REVOKED: Final = "revoked"
    """The operator took its approval back."""


class WebhookDeliveryStatus:
    """How the delivery of one event to one endpoint stands."""

    PENDING: Final = "pending"
    """It will be tried (again)."""
    DELIVERED: Final = "delivered"
    """The endpoint answered 2xx."""
    FAILED: Final = "failed"
    """Every try failed; it can be redelivered for 30 days."""


class DisabledReason:
    """Why a webhook endpoint is switched off."""

    FAILING: Final = "failing"
    """Nothing but failure for days."""
    GONE: Final = "gone"
    """It answered 410."""
    BY_CLIENT: Final = "by_client"
    """It was switched off by an update."""


class AutofillStatus:
    """State of a site or app that is registered for autofill."""

    PENDING: Final = "pending"
    """The operator of the service has not approved it: live sends cannot name it."""
    APPROVED: Final = "approved"
    """Sends can name it."""


class WabaStatus:
    """How the link to a business's own messaging-app account stands."""

    CONNECTING: Final = "connecting"
    """The steps at the platform are being taken."""
    CONNECTED: Final = "connected"
    """Messages go out from the business's own number."""
    BROKEN: Final = "broken"
    """It could not be linked, or stopped working; see `reason`. Messages go out from the platform's
    number.
    """
    DISCONNECTED: Final = "disconnected"
    """It was unlinked; see `reason`."""


class WabaStep:
    """A step of linking, in their order."""

    EXCHANGE_CODE: Final = "exchange_code"
    """The code of the signup is exchanged for a token."""
    CHECK_NUMBER: Final = "check_number"
    """The account must list the phone number."""
    SUBSCRIBE: Final = "subscribe"
    """The platform is told to report about the account to this service."""
    REGISTER: Final = "register"
    """The number is registered with the Cloud API, with its PIN."""
    CREATE_TEMPLATES: Final = "create_templates"
    """The authentication templates are created."""
    AWAIT_APPROVAL: Final = "await_approval"
    """The platform reviews the templates."""


class WabaReason:
    """Why a link is broken, disconnected, or tried again."""

    CODE_EXPIRED: Final = "code_expired"
    """The code of the signup was not exchanged within its 30 seconds. Start the signup again."""
    CODE_REFUSED: Final = "code_refused"
    """The platform does not take the code of the signup, or not any more. Start the signup again.
    """
    TOKEN_REFUSED: Final = "token_refused"
    """The platform does not take the token."""
    TOKEN_REVOKED: Final = "token_revoked"
    """The token of a linked account stopped working. Link it again."""
    PERMISSION_MISSING: Final = "permission_missing"
    """The token lacks a permission, or was made for another account."""
    TOKEN_OF_OTHER_APP: Final = "token_of_other_app"
    """The token was made for another app than this deployment's: what becomes of messages would be
    told there.
    """
    NUMBER_NOT_FOUND: Final = "number_not_found"
    """The account does not list that phone number."""
    PHONE_NUMBER_TAKEN: Final = "phone_number_taken"
    """The phone number belongs to another account of this service."""
    PIN_REFUSED: Final = "pin_refused"
    """The number has a two-step verification PIN, and another one. Connect by hand with that PIN,
    or switch it off at the platform.
    """
    REGISTRATION_REFUSED: Final = "registration_refused"
    """The platform does not register the number; see `error_code`."""
    TEMPLATE_REFUSED: Final = "template_refused"
    """The platform does not take the authentication template; see `error_code`."""
    TEMPLATES_REJECTED: Final = "templates_rejected"
    """The platform's review rejected the templates."""
    APPROVAL_TIMEOUT: Final = "approval_timeout"
    """The platform's review did not end within three days."""
    REFUSED: Final = "refused"
    """The platform refused the step; see `error_code`."""
    PLATFORM_UNAVAILABLE: Final = "platform_unavailable"
    """The platform can not be reached or has trouble of its own. Tried again for a day."""
    UNINSTALLED: Final = "uninstalled"
    """The business took its account back at the platform."""
    REQUESTED: Final = "requested"
    """It was unlinked by a call."""
    SECRET_LOST: Final = "secret_lost"
    """The key that the link's secrets were sealed with is gone. Link it again."""


class WabaTemplateStatus:
    """How a template stands at the platform."""

    PENDING: Final = "pending"
    """Under review."""
    APPROVED: Final = "approved"
    """It can be used."""
    REJECTED: Final = "rejected"
    """The review rejected it."""
    PAUSED: Final = "paused"
    """Switched off for a while, because of complaints."""
    DISABLED: Final = "disabled"
    """Switched off."""


class EventType:
    """What a webhook tells."""

    RECEIPT_UPDATED: Final = "receipt.updated"
    """A carrier's receipt came, or the cost of a message was corrected."""
    MESSAGE_SUBMITTED: Final = "message.submitted"
    """A carrier took a message."""
    MESSAGE_FAILED: Final = "message.failed"
    """A message failed without an operator's receipt saying so."""
    SESSION_VERIFIED: Final = "session.verified"
    """The right code was given."""
    SESSION_EXPIRED: Final = "session.expired"
    """A session's time ran out."""
    SESSION_CANCELED: Final = "session.canceled"
    """A session was canceled, or replaced by a new one."""
    SESSION_FAILED: Final = "session.failed"
    """Every try at the code was used up."""
    SESSION_DELIVERY_EXHAUSTED: Final = "session.delivery_exhausted"
    """Every leg of a run ended without a delivered receipt; once per run."""
    NUMBER_LOCKED: Final = "number.locked"
    """A number was locked after too many wrong codes: its checks are refused. Sent once per lock.
    """
    SENDER_ID_DECIDED: Final = "sender_id.decided"
    """An operator decided about a sender name."""
    WABA_CONNECTED: Final = "waba.connected"
    """The business's own messaging-app account was linked."""
    WABA_DISCONNECTED: Final = "waba.disconnected"
    """The business's own messaging-app account was unlinked, stopped working, or could not be
    linked.
    """
    ENDPOINT_DISABLED: Final = "endpoint.disabled"
    """One of the account's webhook endpoints was switched off; told to the others."""


class ErrorCode:
    """Why a call was refused."""

    INVALID_ARGUMENT: Final = "invalid_argument"
    """A field does not hold what it must; `field` names it."""
    MALFORMED_REQUEST: Final = "malformed_request"
    """The request could not be read, e.g. its body is not JSON."""
    UNKNOWN_FIELD: Final = "unknown_field"
    """REST only: the body or the query has a field that the operation does not know; `field` names
    it.
    """
    INVALID_PHONE_NUMBER: Final = "invalid_phone_number"
    """`to` is not an assigned mobile number in international format."""
    UNSUPPORTED_DESTINATION: Final = "unsupported_destination"
    """The number is valid, but no configured operator serves it."""
    SCENARIO_NUMBER: Final = "scenario_number"
    """A scenario number was used with a live key outside the sandbox."""
    SENDER_ID_NOT_APPROVED: Final = "sender_id_not_approved"
    """The sender name is not approved at the number's operator."""
    AUTOFILL_NOT_REGISTERED: Final = "autofill_not_registered"
    """The site or app in `autofill` is not registered on the account, or not approved yet; `field`
    names which. See `autofill` of the account.
    """
    NO_ROUTE: Final = "no_route"
    """No leg of the cascade can be used for this number; no session was made."""
    INVALID_CODE: Final = "invalid_code"
    """What was given is not digits of the right length; it costs no try."""
    INVALID_PAGE_TOKEN: Final = "invalid_page_token"
    """The page token is not one of this list with these filters."""
    INVALID_WEBHOOK_URL: Final = "invalid_webhook_url"
    """The address of a webhook endpoint is not allowed, e.g. a private one."""
    INVALID_IDEMPOTENCY_KEY: Final = "invalid_idempotency_key"
    """`Idempotency-Key` is empty, longer than 256 characters, or not printable ASCII."""
    INVALID_SIGNUP_STATE: Final = "invalid_signup_state"
    """The state of the signup is not one of this account, was used already, or is older than ten
    minutes. Start the signup again.
    """
    MISSING_API_KEY: Final = "missing_api_key"
    """There is no `Authorization: Bearer <key>`."""
    INVALID_API_KEY: Final = "invalid_api_key"
    """The key is malformed or not known."""
    REVOKED_API_KEY: Final = "revoked_api_key"
    """The key was revoked."""
    EXPIRED_API_KEY: Final = "expired_api_key"
    """The key's time ran out."""
    INVALID_ADMIN_TOKEN: Final = "invalid_admin_token"
    """The operation needs the admin token of the deployment."""
    MISSING_SCOPE: Final = "missing_scope"
    """The key lacks the scope that the operation needs, or one it tries to grant."""
    LIVE_KEY_REQUIRED: Final = "live_key_required"
    """A test key can't manage live resources."""
    EXPIRES_TOO_LATE: Final = "expires_too_late"
    """The new key would outlive the key that creates it."""
    ACCOUNT_SUSPENDED: Final = "account_suspended"
    """The operator of the service has suspended the account: none of its keys works, and its
    webhooks are held until it is resumed.
    """
    REGISTRATION_CLOSED: Final = "registration_closed"
    """Accounts are made by the operator of this deployment."""
    NOT_FOUND: Final = "not_found"
    """REST only: there is no such route."""
    SESSION_NOT_FOUND: Final = "session_not_found"
    """No such session in this account and mode."""
    API_KEY_NOT_FOUND: Final = "api_key_not_found"
    """No such key in this account and mode."""
    WEBHOOK_ENDPOINT_NOT_FOUND: Final = "webhook_endpoint_not_found"
    """No such webhook endpoint in this account and mode."""
    WEBHOOK_DELIVERY_NOT_FOUND: Final = "webhook_delivery_not_found"
    """The event was not sent to this endpoint, or too long ago."""
    SENDER_ID_NOT_FOUND: Final = "sender_id_not_found"
    """No such sender name in this account."""
    OPERATOR_NOT_FOUND: Final = "operator_not_found"
    """No operator of that id is configured."""
    WABA_NOT_FOUND: Final = "waba_not_found"
    """The account has never linked a messaging-app account; in test mode there is none."""
    METHOD_NOT_ALLOWED: Final = "method_not_allowed"
    """REST only: the route has no such method; `Allow` lists those it has."""
    SESSION_DIFFERS: Final = "session_differs"
    """A session for this number and purpose is pending and was opened with something else; `field`
    names what differs.
    """
    SESSION_NOT_PENDING: Final = "session_not_pending"
    """The session is over."""
    IDEMPOTENCY_KEY_REUSED: Final = "idempotency_key_reused"
    """The idempotency key was used before with another request."""
    IDEMPOTENCY_KEY_IN_USE: Final = "idempotency_key_in_use"
    """The first request with this idempotency key is still under way; try again."""
    LAST_MANAGE_KEY: Final = "last_manage_key"
    """The last live key with the scope `manage` can't be revoked."""
    SENDER_ID_EXISTS: Final = "sender_id_exists"
    """The account has this sender name already."""
    WABA_ALREADY_CONNECTED: Final = "waba_already_connected"
    """The account has linked a messaging-app account; unlink it first."""
    PHONE_NUMBER_TAKEN: Final = "phone_number_taken"
    """The phone number id belongs to another account of this service."""
    ALREADY_DECIDED: Final = "already_decided"
    """What stands about the sender name does not allow this decision."""
    TOO_MANY_RESOURCES: Final = "too_many_resources"
    """The account has as many of these as it may have."""
    ENDPOINT_DISABLED: Final = "endpoint_disabled"
    """The webhook endpoint is switched off; switch it on first."""
    REQUEST_TOO_LARGE: Final = "request_too_large"
    """The request is larger than 64 KiB."""
    UNSUPPORTED_MEDIA_TYPE: Final = "unsupported_media_type"
    """REST only: a body must be `Content-Type: application/json`."""
    RATE_LIMITED: Final = "rate_limited"
    """The account makes too many calls; `Retry-After` says when to try again."""
    TOO_MANY_FAILURES: Final = "too_many_failures"
    """Too many keys or admin tokens from this address were refused within a minute. Until
    `Retry-After` has passed, only keys that have worked before are checked.
    """
    TOO_MANY_WATCHES: Final = "too_many_watches"
    """The account already watches as many sessions as it may watch at once. End a watch first."""
    RESEND_TOO_SOON: Final = "resend_too_soon"
    """The last send of this session was too short a time ago; `resend_after` says when the next may
    come.
    """
    TOO_MANY_SENDS: Final = "too_many_sends"
    """The session has as many sends as it may have; `Retry-After` says when it is over."""
    NUMBER_LOCKED: Final = "number_locked"
    """Too many wrong codes for this number, within the hour or in a row."""
    NUMBER_RATE_LIMITED: Final = "number_rate_limited"
    """Too many codes were sent to this number."""
    CANCELED: Final = "canceled"
    """The caller gave up before the answer."""
    INTERNAL: Final = "internal"
    """A fault of the service; `request_id` finds it in the logs."""
    UNIMPLEMENTED: Final = "unimplemented"
    """This deployment does not offer the operation."""
    OVERLOADED: Final = "overloaded"
    """More is queued than can be sent in time: nothing was stored; try again after `Retry-After`.
    """
    UNAVAILABLE: Final = "unavailable"
    """The service can't answer right now, e.g. it is being stopped or its database is away."""
    DEADLINE_EXCEEDED: Final = "deadline_exceeded"
    """The call took longer than its deadline; it may have had its effect: repeat it with the same
    `Idempotency-Key`.
    """
