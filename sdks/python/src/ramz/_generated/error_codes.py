# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
"""What the SDK knows of each error code."""

from __future__ import annotations

#: Code → HTTP status.
STATUS_OF: dict[str, int] = {
    "invalid_argument": 400,
    "malformed_request": 400,
    "unknown_field": 400,
    "invalid_phone_number": 400,
    "unsupported_destination": 400,
    "scenario_number": 400,
    "sender_id_not_approved": 400,
    "no_route": 400,
    "invalid_code": 400,
    "invalid_page_token": 400,
    "invalid_webhook_url": 400,
    "invalid_idempotency_key": 400,
    "invalid_signup_state": 400,
    "missing_api_key": 401,
    "invalid_api_key": 401,
    "revoked_api_key": 401,
    "expired_api_key": 401,
    "invalid_admin_token": 401,
    "missing_scope": 403,
    "live_key_required": 403,
    "registration_closed": 403,
    "not_found": 404,
    "session_not_found": 404,
    "api_key_not_found": 404,
    "webhook_endpoint_not_found": 404,
    "webhook_delivery_not_found": 404,
    "sender_id_not_found": 404,
    "operator_not_found": 404,
    "waba_not_found": 404,
    "method_not_allowed": 405,
    "session_differs": 409,
    "session_not_pending": 409,
    "idempotency_key_reused": 409,
    "idempotency_key_in_use": 409,
    "last_manage_key": 409,
    "sender_id_exists": 409,
    "waba_already_connected": 409,
    "phone_number_taken": 409,
    "already_decided": 409,
    "too_many_resources": 409,
    "endpoint_disabled": 409,
    "request_too_large": 413,
    "unsupported_media_type": 415,
    "rate_limited": 429,
    "resend_too_soon": 429,
    "too_many_sends": 429,
    "number_locked": 429,
    "number_rate_limited": 429,
    "canceled": 499,
    "internal": 500,
    "unimplemented": 501,
    "overloaded": 503,
    "unavailable": 503,
    "deadline_exceeded": 504,
}

#: Codes after which the same call may succeed if it is made again a little later.
RETRIED = frozenset(
    [
        "idempotency_key_in_use",
        "rate_limited",
        "internal",
        "overloaded",
        "unavailable",
        "deadline_exceeded",
    ]
)
