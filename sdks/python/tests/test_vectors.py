"""The vectors that every SDK is held to, through both clients."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest
from network import Caller, Network

from ramz import (
    ApiError,
    AuthenticationError,
    ConflictError,
    InvalidRequestError,
    NetworkError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    RequestTimeoutError,
    ServerError,
    SignatureError,
    webhooks,
)
from ramz._timestamps import format_timestamp, parse_timestamp

pytestmark = pytest.mark.anyio
both = pytest.mark.parametrize("flavor", ["sync", "async"])

#: `kind` of the vectors → class. Exactly this one: a subclass would be another kind.
KINDS = {
    "invalid_request": InvalidRequestError,
    "authentication": AuthenticationError,
    "permission_denied": PermissionDeniedError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "rate_limit": RateLimitError,
    "server": ServerError,
    "network": NetworkError,
    "timeout": RequestTimeoutError,
}
#: What is required, where a case gives no arguments.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "verify.send": {"to": "+213550000001"},
    "verify.check": {"id": "vrf_1", "code": "000000"},
    "verify.get": {"id": "vrf_1"},
    "verify.list": {},
    "webhook_endpoints.create": {"url": "https://shop.example/hook"},
}


@both
@pytest.mark.vectors("requests")
async def test_request(case: dict[str, Any], flavor: str) -> None:
    given = case["arguments"]
    network = Network(
        [{"body": {"id": given.get("id", "vrf_1"), "event_id": given.get("event_id")}}]
    )
    caller = Caller(network, flavor)
    await caller(case["operation"], **typed(caller, case["operation"], case["arguments"]))
    [request] = network.requests
    expected = case["expect"]
    assert request.method == expected["method"]
    assert request.url.raw_path.decode() == expected["target"]
    assert ("body" in expected) == bool(request.content)
    if "body" in expected:
        assert json.loads(request.content) == expected["body"]
        assert len(request.content) == expected.get("bytes", len(request.content))
        assert request.headers["content-type"] == "application/json"
    assert bool(request.headers.get("idempotency-key")) == expected.get("idempotency_key", False)


def typed(caller: Any, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments as the language has them: a timestamp is a datetime."""
    resource, _, name = operation.partition(".")
    signature = inspect.signature(getattr(getattr(caller.client, resource), name))
    return {
        name: parse_timestamp(value)
        if "datetime" in str(signature.parameters[name].annotation)
        else value
        for name, value in arguments.items()
    }


@both
@pytest.mark.vectors("answers")
async def test_answer(case: dict[str, Any], flavor: str) -> None:
    pages = case.get("pages")
    network = Network([{"body": body} for body in pages or [case["body"]]])
    arguments = case.get("arguments") or ARGUMENTS[case["operation"]]
    expected = case["expect"]
    if "error" in expected:
        with pytest.raises(ApiError) as raised:
            await Caller(network, flavor)(case["operation"], **arguments)
        assert type(raised.value) is KINDS[expected["error"]]
        assert raised.value.message.startswith(expected["message"])
        assert raised.value.body == ""  # It may hold numbers and secrets.
        assert len(network.requests) == 1
        return
    answer = await Caller(network, flavor)(case["operation"], **arguments)
    if pages:
        assert [each.id for each in answer] == expected["ids"]
        tokens = [request.url.params.get("page_token", "") for request in network.requests]
        assert tokens == expected["page_tokens"]
        return
    for path, value in expected.items():
        found = at(answer, path)
        assert (list(found) if isinstance(value, list) else found) == value, path


@both
@pytest.mark.vectors("written")
async def test_written(case: dict[str, Any], flavor: str) -> None:
    operation = case["operation"]
    answer = await Caller(Network([{"body": case["body"]}]), flavor)(
        operation, **ARGUMENTS[operation]
    )
    assert json.loads(json.dumps(answer.to_dict())) == case["body"]
    assert type(answer).from_dict(answer.to_dict()) == answer


def at(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = value[int(part)] if part.isdigit() else getattr(value, part)
    return value


@both
@pytest.mark.vectors("errors")
async def test_error(case: dict[str, Any], flavor: str) -> None:
    caller = Caller(Network([case]), flavor, max_retries=0)
    with pytest.raises(ApiError) as raised:
        await caller("verify.get", id="vrf_1")
    expected = dict(case["expect"])
    error = raised.value
    assert type(error) is KINDS[expected.pop("kind")]
    assert error.retry_after == expected.pop("retry_after_seconds")
    assert error.status == case["status"]
    for name, value in expected.pop("headers", {}).items():
        assert error.headers[name] == value
    for name, value in expected.items():
        assert getattr(error, name) == value, name


@both
@pytest.mark.vectors("retries")
async def test_retry(case: dict[str, Any], flavor: str) -> None:
    network = Network(case["responses"])
    options = {name: case[name] for name in ("max_retries",) if name in case}
    if "total_timeout_ms" in case:
        options["total_timeout"] = case["total_timeout_ms"] / 1000
    caller = Caller(network, flavor, **options)
    operation, expected = case["operation"], case["expect"]
    arguments = case["arguments"] if "arguments" in case else ARGUMENTS[operation]
    if "done" in expected:
        assert (await caller(operation, **arguments)).to_dict() == {}
    elif "ok" in expected:
        answer = await caller(operation, **arguments)
        assert answer.id == expected["ok"]
    else:
        kind = KINDS[expected["error"]]
        with pytest.raises(kind) as raised:
            await caller(operation, **arguments)
        assert type(raised.value) is kind
        assert getattr(raised.value, "code", None) == expected.get("code")
    assert len(network.requests) == expected["calls"]
    assert len(network.waits) == len(expected["waits_ms"])
    for wait, (least, most) in zip(network.waits, expected["waits_ms"]):
        assert least <= wait * 1000 <= most
    keys = {request.headers.get("idempotency-key") for request in network.requests}
    assert len(keys) == 1
    assert (keys == {None}) == (operation != "verify.send")


@pytest.mark.vectors("timestamps")
def test_timestamp(case: dict[str, Any]) -> None:
    instant = parse_timestamp(case["text"])
    assert instant.utcoffset() is not None
    assert int(instant.timestamp() * 1_000_000) // 1000 == case["unix_ms"]
    assert format_timestamp(instant) == case["written"]


@pytest.mark.vectors("signatures", "verify")
def test_signature_verified(case: dict[str, Any]) -> None:
    headers = {
        "webhook-id": case["id"],
        "webhook-timestamp": case["timestamp"],
        "webhook-signature": case["signature"],
    }
    for body in (case["body"], case["body"].encode()):
        if case["expect"] == "valid":
            event = webhooks.verify(body, headers, case["secrets"], now=case["now"])
            assert event.type == json.loads(body)["type"]
            continue
        with pytest.raises(SignatureError) as raised:
            webhooks.verify(body, headers, case["secrets"], now=case["now"])
        assert raised.value.reason == case["expect"]


@pytest.mark.vectors("signatures", "sign")
def test_signed(case: dict[str, Any]) -> None:
    headers = webhooks.sign(
        case["body"], case["secrets"], id=case["id"], timestamp=case["timestamp"]
    )
    assert headers["webhook-signature"] == case["signature"]
    assert headers["webhook-id"] == case["id"]
    assert headers["webhook-timestamp"] == str(case["timestamp"])
