<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Why a call was refused.
 *
 * Answers may hold words that are newer than this list.
 */
final class ErrorCode
{
    /** A field does not hold what it must; `field` names it. */
    public const INVALID_ARGUMENT = 'invalid_argument';

    /** The request could not be read, e.g. its body is not JSON. */
    public const MALFORMED_REQUEST = 'malformed_request';

    /** REST only: the body or the query has a field that the operation does not know; `field` names it. */
    public const UNKNOWN_FIELD = 'unknown_field';

    /** `to` is not an assigned mobile number in international format. */
    public const INVALID_PHONE_NUMBER = 'invalid_phone_number';

    /** The number is valid, but no configured operator serves it. */
    public const UNSUPPORTED_DESTINATION = 'unsupported_destination';

    /** A scenario number was used with a live key outside the sandbox. */
    public const SCENARIO_NUMBER = 'scenario_number';

    /** The sender name is not approved at the number's operator. */
    public const SENDER_ID_NOT_APPROVED = 'sender_id_not_approved';

    /**
     * The site or app in `autofill` is not registered on the account, or not approved yet; `field` names which. See
     * `autofill` of the account.
     */
    public const AUTOFILL_NOT_REGISTERED = 'autofill_not_registered';

    /** No leg of the cascade can be used for this number; no session was made. */
    public const NO_ROUTE = 'no_route';

    /** What was given is not digits of the right length; it costs no try. */
    public const INVALID_CODE = 'invalid_code';

    /** The page token is not one of this list with these filters. */
    public const INVALID_PAGE_TOKEN = 'invalid_page_token';

    /** The address of a webhook endpoint is not allowed, e.g. a private one. */
    public const INVALID_WEBHOOK_URL = 'invalid_webhook_url';

    /** `Idempotency-Key` is empty, longer than 256 characters, or not printable ASCII. */
    public const INVALID_IDEMPOTENCY_KEY = 'invalid_idempotency_key';

    /**
     * The state of the signup is not one of this account, was used already, or is older than ten minutes. Start the
     * signup again.
     */
    public const INVALID_SIGNUP_STATE = 'invalid_signup_state';

    /** There is no `Authorization: Bearer <key>`. */
    public const MISSING_API_KEY = 'missing_api_key';

    /** The key is malformed or not known. */
    public const INVALID_API_KEY = 'invalid_api_key';

    /** The key was revoked. */
    public const REVOKED_API_KEY = 'revoked_api_key';

    /** The key's time ran out. */
    public const EXPIRED_API_KEY = 'expired_api_key';

    /** The operation needs the admin token of the deployment. */
    public const INVALID_ADMIN_TOKEN = 'invalid_admin_token';

    /** The key lacks the scope that the operation needs, or one it tries to grant. */
    public const MISSING_SCOPE = 'missing_scope';

    /** A test key can't manage live resources. */
    public const LIVE_KEY_REQUIRED = 'live_key_required';

    /** The new key would outlive the key that creates it. */
    public const EXPIRES_TOO_LATE = 'expires_too_late';

    /**
     * The operator of the service has suspended the account: none of its keys works, and its webhooks are held until
     * it is resumed.
     */
    public const ACCOUNT_SUSPENDED = 'account_suspended';

    /** Accounts are made by the operator of this deployment. */
    public const REGISTRATION_CLOSED = 'registration_closed';

    /** REST only: there is no such route. */
    public const NOT_FOUND = 'not_found';

    /** No such session in this account and mode. */
    public const SESSION_NOT_FOUND = 'session_not_found';

    /** No such key in this account and mode. */
    public const API_KEY_NOT_FOUND = 'api_key_not_found';

    /** No such webhook endpoint in this account and mode. */
    public const WEBHOOK_ENDPOINT_NOT_FOUND = 'webhook_endpoint_not_found';

    /** The event was not sent to this endpoint, or too long ago. */
    public const WEBHOOK_DELIVERY_NOT_FOUND = 'webhook_delivery_not_found';

    /** No such sender name in this account. */
    public const SENDER_ID_NOT_FOUND = 'sender_id_not_found';

    /** No operator of that id is configured. */
    public const OPERATOR_NOT_FOUND = 'operator_not_found';

    /** The account has never linked a messaging-app account; in test mode there is none. */
    public const WABA_NOT_FOUND = 'waba_not_found';

    /** REST only: the route has no such method; `Allow` lists those it has. */
    public const METHOD_NOT_ALLOWED = 'method_not_allowed';

    /**
     * A session for this number and purpose is pending and was opened with something else; `field` names what
     * differs.
     */
    public const SESSION_DIFFERS = 'session_differs';

    /** The session is over. */
    public const SESSION_NOT_PENDING = 'session_not_pending';

    /** The idempotency key was used before with another request. */
    public const IDEMPOTENCY_KEY_REUSED = 'idempotency_key_reused';

    /** The first request with this idempotency key is still under way; try again. */
    public const IDEMPOTENCY_KEY_IN_USE = 'idempotency_key_in_use';

    /** The last live key with the scope `manage` can't be revoked. */
    public const LAST_MANAGE_KEY = 'last_manage_key';

    /** The account has this sender name already. */
    public const SENDER_ID_EXISTS = 'sender_id_exists';

    /** The account has linked a messaging-app account; unlink it first. */
    public const WABA_ALREADY_CONNECTED = 'waba_already_connected';

    /** The phone number id belongs to another account of this service. */
    public const PHONE_NUMBER_TAKEN = 'phone_number_taken';

    /** What stands about the sender name does not allow this decision. */
    public const ALREADY_DECIDED = 'already_decided';

    /** The account has as many of these as it may have. */
    public const TOO_MANY_RESOURCES = 'too_many_resources';

    /** The webhook endpoint is switched off; switch it on first. */
    public const ENDPOINT_DISABLED = 'endpoint_disabled';

    /** The request is larger than 64 KiB. */
    public const REQUEST_TOO_LARGE = 'request_too_large';

    /** REST only: a body must be `Content-Type: application/json`. */
    public const UNSUPPORTED_MEDIA_TYPE = 'unsupported_media_type';

    /** The account makes too many calls; `Retry-After` says when to try again. */
    public const RATE_LIMITED = 'rate_limited';

    /**
     * Too many keys or admin tokens from this address were refused within a minute. Until `Retry-After` has passed,
     * only keys that have worked before are checked.
     */
    public const TOO_MANY_FAILURES = 'too_many_failures';

    /** The account already watches as many sessions as it may watch at once. End a watch first. */
    public const TOO_MANY_WATCHES = 'too_many_watches';

    /** The last send of this session was too short a time ago; `resend_after` says when the next may come. */
    public const RESEND_TOO_SOON = 'resend_too_soon';

    /** The session has as many sends as it may have; `Retry-After` says when it is over. */
    public const TOO_MANY_SENDS = 'too_many_sends';

    /** Too many wrong codes for this number, within the hour or in a row. */
    public const NUMBER_LOCKED = 'number_locked';

    /** Too many codes were sent to this number. */
    public const NUMBER_RATE_LIMITED = 'number_rate_limited';

    /** The caller gave up before the answer. */
    public const CANCELED = 'canceled';

    /** A fault of the service; `request_id` finds it in the logs. */
    public const INTERNAL = 'internal';

    /** This deployment does not offer the operation. */
    public const UNIMPLEMENTED = 'unimplemented';

    /** More is queued than can be sent in time: nothing was stored; try again after `Retry-After`. */
    public const OVERLOADED = 'overloaded';

    /** The service can't answer right now, e.g. it is being stopped or its database is away. */
    public const UNAVAILABLE = 'unavailable';

    /**
     * The call took longer than its deadline; it may have had its effect: repeat it with the same `Idempotency-Key`.
     */
    public const DEADLINE_EXCEEDED = 'deadline_exceeded';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::INVALID_ARGUMENT,
        self::MALFORMED_REQUEST,
        self::UNKNOWN_FIELD,
        self::INVALID_PHONE_NUMBER,
        self::UNSUPPORTED_DESTINATION,
        self::SCENARIO_NUMBER,
        self::SENDER_ID_NOT_APPROVED,
        self::AUTOFILL_NOT_REGISTERED,
        self::NO_ROUTE,
        self::INVALID_CODE,
        self::INVALID_PAGE_TOKEN,
        self::INVALID_WEBHOOK_URL,
        self::INVALID_IDEMPOTENCY_KEY,
        self::INVALID_SIGNUP_STATE,
        self::MISSING_API_KEY,
        self::INVALID_API_KEY,
        self::REVOKED_API_KEY,
        self::EXPIRED_API_KEY,
        self::INVALID_ADMIN_TOKEN,
        self::MISSING_SCOPE,
        self::LIVE_KEY_REQUIRED,
        self::EXPIRES_TOO_LATE,
        self::ACCOUNT_SUSPENDED,
        self::REGISTRATION_CLOSED,
        self::NOT_FOUND,
        self::SESSION_NOT_FOUND,
        self::API_KEY_NOT_FOUND,
        self::WEBHOOK_ENDPOINT_NOT_FOUND,
        self::WEBHOOK_DELIVERY_NOT_FOUND,
        self::SENDER_ID_NOT_FOUND,
        self::OPERATOR_NOT_FOUND,
        self::WABA_NOT_FOUND,
        self::METHOD_NOT_ALLOWED,
        self::SESSION_DIFFERS,
        self::SESSION_NOT_PENDING,
        self::IDEMPOTENCY_KEY_REUSED,
        self::IDEMPOTENCY_KEY_IN_USE,
        self::LAST_MANAGE_KEY,
        self::SENDER_ID_EXISTS,
        self::WABA_ALREADY_CONNECTED,
        self::PHONE_NUMBER_TAKEN,
        self::ALREADY_DECIDED,
        self::TOO_MANY_RESOURCES,
        self::ENDPOINT_DISABLED,
        self::REQUEST_TOO_LARGE,
        self::UNSUPPORTED_MEDIA_TYPE,
        self::RATE_LIMITED,
        self::TOO_MANY_FAILURES,
        self::TOO_MANY_WATCHES,
        self::RESEND_TOO_SOON,
        self::TOO_MANY_SENDS,
        self::NUMBER_LOCKED,
        self::NUMBER_RATE_LIMITED,
        self::CANCELED,
        self::INTERNAL,
        self::UNIMPLEMENTED,
        self::OVERLOADED,
        self::UNAVAILABLE,
        self::DEADLINE_EXCEEDED,
    ];

    /** The same call may succeed after a short wait: the client repeats it by itself. */
    public const RETRIED = [
        self::IDEMPOTENCY_KEY_IN_USE,
        self::RATE_LIMITED,
        self::INTERNAL,
        self::OVERLOADED,
        self::UNAVAILABLE,
        self::DEADLINE_EXCEEDED,
    ];

    /** HTTP status of each. */
    public const STATUSES = [
        self::INVALID_ARGUMENT => 400,
        self::MALFORMED_REQUEST => 400,
        self::UNKNOWN_FIELD => 400,
        self::INVALID_PHONE_NUMBER => 400,
        self::UNSUPPORTED_DESTINATION => 400,
        self::SCENARIO_NUMBER => 400,
        self::SENDER_ID_NOT_APPROVED => 400,
        self::AUTOFILL_NOT_REGISTERED => 400,
        self::NO_ROUTE => 400,
        self::INVALID_CODE => 400,
        self::INVALID_PAGE_TOKEN => 400,
        self::INVALID_WEBHOOK_URL => 400,
        self::INVALID_IDEMPOTENCY_KEY => 400,
        self::INVALID_SIGNUP_STATE => 400,
        self::MISSING_API_KEY => 401,
        self::INVALID_API_KEY => 401,
        self::REVOKED_API_KEY => 401,
        self::EXPIRED_API_KEY => 401,
        self::INVALID_ADMIN_TOKEN => 401,
        self::MISSING_SCOPE => 403,
        self::LIVE_KEY_REQUIRED => 403,
        self::EXPIRES_TOO_LATE => 403,
        self::ACCOUNT_SUSPENDED => 403,
        self::REGISTRATION_CLOSED => 403,
        self::NOT_FOUND => 404,
        self::SESSION_NOT_FOUND => 404,
        self::API_KEY_NOT_FOUND => 404,
        self::WEBHOOK_ENDPOINT_NOT_FOUND => 404,
        self::WEBHOOK_DELIVERY_NOT_FOUND => 404,
        self::SENDER_ID_NOT_FOUND => 404,
        self::OPERATOR_NOT_FOUND => 404,
        self::WABA_NOT_FOUND => 404,
        self::METHOD_NOT_ALLOWED => 405,
        self::SESSION_DIFFERS => 409,
        self::SESSION_NOT_PENDING => 409,
        self::IDEMPOTENCY_KEY_REUSED => 409,
        self::IDEMPOTENCY_KEY_IN_USE => 409,
        self::LAST_MANAGE_KEY => 409,
        self::SENDER_ID_EXISTS => 409,
        self::WABA_ALREADY_CONNECTED => 409,
        self::PHONE_NUMBER_TAKEN => 409,
        self::ALREADY_DECIDED => 409,
        self::TOO_MANY_RESOURCES => 409,
        self::ENDPOINT_DISABLED => 409,
        self::REQUEST_TOO_LARGE => 413,
        self::UNSUPPORTED_MEDIA_TYPE => 415,
        self::RATE_LIMITED => 429,
        self::TOO_MANY_FAILURES => 429,
        self::TOO_MANY_WATCHES => 429,
        self::RESEND_TOO_SOON => 429,
        self::TOO_MANY_SENDS => 429,
        self::NUMBER_LOCKED => 429,
        self::NUMBER_RATE_LIMITED => 429,
        self::CANCELED => 499,
        self::INTERNAL => 500,
        self::UNIMPLEMENTED => 501,
        self::OVERLOADED => 503,
        self::UNAVAILABLE => 503,
        self::DEADLINE_EXCEEDED => 504,
    ];
}
