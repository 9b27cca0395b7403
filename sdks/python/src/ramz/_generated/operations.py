# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
"""Operations as data: what stands on the wire, and what may be repeated."""

from __future__ import annotations

from .._operation import Operation

VERIFY_SEND = Operation(
    name="verify.send",
    verb="POST",
    path="/v1/verify/send",
    has_body=True,
    idempotency_key=True,
    repeatable=True,
    ids=("id",),
)
VERIFY_CHECK = Operation(
    name="verify.check",
    verb="POST",
    path="/v1/verify/check",
    has_body=True,
    idempotency_key=True,
    repeatable=True,
    ids=("id",),
)
VERIFY_GET = Operation(
    name="verify.get",
    verb="GET",
    path="/v1/verify/sessions/{id}",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
    ids=("id",),
)
VERIFY_LIST = Operation(
    name="verify.list",
    verb="GET",
    path="/v1/verify/sessions",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
)
VERIFY_CANCEL = Operation(
    name="verify.cancel",
    verb="POST",
    path="/v1/verify/sessions/{id}/cancel",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
    ids=("id",),
)
VERIFY_WATCH = Operation(
    name="verify.watch",
    verb="POST",
    path="/ramz.v1.VerifyService/WatchSession",
    has_body=True,
    idempotency_key=False,
    repeatable=True,
    ids=("id",),
)
ACCOUNTS_CREATE = Operation(
    name="accounts.create",
    verb="POST",
    path="/v1/accounts",
    has_body=True,
    idempotency_key=False,
    repeatable=False,
)
ACCOUNTS_GET = Operation(
    name="accounts.get",
    verb="GET",
    path="/v1/account",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
    ids=("id",),
)
ACCOUNTS_UPDATE = Operation(
    name="accounts.update",
    verb="PATCH",
    path="/v1/account",
    has_body=True,
    idempotency_key=False,
    repeatable=True,
    ids=("id",),
)
ACCOUNTS_GET_MEASURES = Operation(
    name="accounts.get_measures",
    verb="GET",
    path="/v1/account/measures",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
)
API_KEYS_CREATE = Operation(
    name="api_keys.create",
    verb="POST",
    path="/v1/api_keys",
    has_body=True,
    idempotency_key=False,
    repeatable=False,
    ids=("id",),
)
API_KEYS_LIST = Operation(
    name="api_keys.list",
    verb="GET",
    path="/v1/api_keys",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
)
API_KEYS_REVOKE = Operation(
    name="api_keys.revoke",
    verb="POST",
    path="/v1/api_keys/{id}/revoke",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
    ids=("id",),
)
SENDER_IDS_CREATE = Operation(
    name="sender_ids.create",
    verb="POST",
    path="/v1/sender_ids",
    has_body=True,
    idempotency_key=False,
    repeatable=False,
    ids=("id",),
)
SENDER_IDS_GET = Operation(
    name="sender_ids.get",
    verb="GET",
    path="/v1/sender_ids/{id}",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
    ids=("id",),
)
SENDER_IDS_LIST = Operation(
    name="sender_ids.list",
    verb="GET",
    path="/v1/sender_ids",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
)
SENDER_IDS_DECIDE = Operation(
    name="sender_ids.decide",
    verb="POST",
    path="/v1/sender_ids/{id}/decisions",
    has_body=True,
    idempotency_key=False,
    repeatable=False,
    ids=("id",),
)
WABA_CREATE_SIGNUP = Operation(
    name="waba.create_signup",
    verb="POST",
    path="/v1/waba/signups",
    has_body=True,
    idempotency_key=False,
    repeatable=False,
)
WABA_CONNECT = Operation(
    name="waba.connect",
    verb="POST",
    path="/v1/waba",
    has_body=True,
    idempotency_key=False,
    repeatable=False,
)
WABA_GET = Operation(
    name="waba.get",
    verb="GET",
    path="/v1/waba",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
)
WABA_DISCONNECT = Operation(
    name="waba.disconnect",
    verb="DELETE",
    path="/v1/waba",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
)
WEBHOOK_ENDPOINTS_CREATE = Operation(
    name="webhook_endpoints.create",
    verb="POST",
    path="/v1/webhook_endpoints",
    has_body=True,
    idempotency_key=False,
    repeatable=False,
    ids=("id",),
)
WEBHOOK_ENDPOINTS_GET = Operation(
    name="webhook_endpoints.get",
    verb="GET",
    path="/v1/webhook_endpoints/{id}",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
    ids=("id",),
)
WEBHOOK_ENDPOINTS_LIST = Operation(
    name="webhook_endpoints.list",
    verb="GET",
    path="/v1/webhook_endpoints",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
)
WEBHOOK_ENDPOINTS_UPDATE = Operation(
    name="webhook_endpoints.update",
    verb="PATCH",
    path="/v1/webhook_endpoints/{id}",
    has_body=True,
    idempotency_key=False,
    repeatable=True,
    ids=("id",),
)
WEBHOOK_ENDPOINTS_DELETE = Operation(
    name="webhook_endpoints.delete",
    verb="DELETE",
    path="/v1/webhook_endpoints/{id}",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
)
WEBHOOK_ENDPOINTS_ROTATE_SECRET = Operation(
    name="webhook_endpoints.rotate_secret",
    verb="POST",
    path="/v1/webhook_endpoints/{id}/rotate_secret",
    has_body=True,
    idempotency_key=False,
    repeatable=False,
    ids=("id",),
)
WEBHOOK_ENDPOINTS_LIST_DELIVERIES = Operation(
    name="webhook_endpoints.list_deliveries",
    verb="GET",
    path="/v1/webhook_endpoints/{id}/deliveries",
    has_body=False,
    idempotency_key=False,
    repeatable=True,
)
WEBHOOK_ENDPOINTS_REDELIVER = Operation(
    name="webhook_endpoints.redeliver",
    verb="POST",
    path="/v1/webhook_endpoints/{id}/deliveries/{event_id}/redeliver",
    has_body=False,
    idempotency_key=False,
    repeatable=False,
    ids=("event_id",),
)
WEBHOOK_ENDPOINTS_TEST = Operation(
    name="webhook_endpoints.test",
    verb="POST",
    path="/v1/webhook_endpoints/{id}/test",
    has_body=True,
    idempotency_key=False,
    repeatable=False,
)
