"""Options of clients and calls, and what the hook hears: vectors/calls.json and what is Python's own."""

from __future__ import annotations

import gc
import logging
import warnings
from typing import Any

import pytest
from network import BASE, KEY, Caller, Network
from test_vectors import KINDS

from ramz import (
    AsyncRamz,
    CallOptions,
    ConfigurationError,
    NetworkError,
    Ramz,
    RamzError,
    RateLimitError,
    ResponseInfo,
    WatchOptions,
)

pytestmark = pytest.mark.anyio
both = pytest.mark.parametrize("flavor", ["sync", "async"])
ARGUMENTS: dict[str, dict[str, Any]] = {
    "verify.send": {"to": "+213550000001"},
    "verify.get": {"id": "vrf_1"},
}


def option(name: str, value: Any) -> tuple[str, Any]:
    """`timeout_ms` of the vectors is `timeout` in seconds here."""
    return (name[:-3], value / 1000) if name.endswith("_ms") else (name, value)


def options(given: dict[str, Any]) -> dict[str, Any]:
    return dict(option(name, value) for name, value in given.items())


@both
@pytest.mark.vectors("calls")
async def test_call(case: dict[str, Any], flavor: str) -> None:
    network = Network(case["responses"])
    of_client: list[ResponseInfo] = []
    of_call: list[ResponseInfo] = []
    operation, expected = case["operation"], case["expect"]

    async def call() -> Any:
        client = options(case.get("client", {}))
        caller = Caller(network, flavor, on_response=of_client.append, **client)
        given = options(case.get("options", {}))
        return await caller(operation, **ARGUMENTS[operation], on_response=of_call.append, **given)

    if "ok" in expected:
        assert (await call()).id == expected["ok"]
    else:
        kind = {**KINDS, "configuration": ConfigurationError}[expected["error"]]
        with pytest.raises(RamzError) as raised:
            await call()
        assert type(raised.value) is kind
        assert getattr(raised.value, "code", None) == expected.get("code")

    assert len(network.requests) == expected["calls"]
    within([wait * 1000 for wait in network.waits], expected["waits_ms"])
    if "timeouts_ms" in expected:
        times = [request.extensions["timeout"]["read"] * 1000 for request in network.requests]
        within(times, expected["timeouts_ms"])
    for request in network.requests:
        for name, value in expected.get("headers", {}).items():
            assert request.headers.get_list(name) == [value]
        assert request.headers["user-agent"].endswith(expected.get("user_agent_ends", ""))
    assert of_client == of_call
    if "told" in expected:
        assert [heard(info, operation) for info in of_call] == expected["told"]


def within(found: list[float], bounds: list[list[float]]) -> None:
    assert len(found) == len(bounds)
    for value, (least, most) in zip(found, bounds):
        assert least - 1e-6 <= value <= most + 1e-6


def heard(info: ResponseInfo, operation: str) -> dict[str, Any]:
    assert info.operation == operation
    return {
        "attempt": info.attempt,
        "status": info.status,
        "request_id": info.request_id,
        "duration_ms": round(info.duration * 1000),
    }


@both
async def test_headers_of_a_response_are_heard_without_the_key(flavor: str) -> None:
    answer = {"headers": {"X-RateLimit": "7", "X-Echo": f"Bearer {KEY}"}, "body": {"id": "vrf_1"}}
    heard: list[ResponseInfo] = []
    await Caller(Network([answer]), flavor)("verify.get", id="vrf_1", on_response=heard.append)
    assert heard[0].headers["x-ratelimit"] == "7"
    assert heard[0].headers["X-ECHO"] == "Bearer ***"
    assert KEY not in repr(heard)


@both
async def test_what_a_hook_raises_ends_the_call(flavor: str) -> None:
    def hook(_: ResponseInfo) -> None:
        raise KeyError("of the hook")

    network = Network([{"status": 503}, {"body": {"id": "vrf_1"}}])
    with pytest.raises(KeyError, match="of the hook"):
        await Caller(network, flavor, on_response=hook)("verify.get", id="vrf_1")
    assert len(network.requests) == 1


@both
@pytest.mark.parametrize("status", [200, 503])
@pytest.mark.parametrize(
    "error",
    [NetworkError("mine"), RateLimitError("mine", code="rate_limited", status=429, retry_after=0)],
)
async def test_what_a_hook_raises_ends_the_call_whatever_it_is(
    flavor: str, error: Exception, status: int
) -> None:
    """A hook that calls Ramz itself, for example."""

    def hook(_: ResponseInfo) -> None:
        raise error

    network = Network([{"status": status, "body": {"id": "vrf_1"}}] * 3)
    with pytest.raises(type(error)) as raised:
        await Caller(network, flavor, on_response=hook)("verify.send", to="+213550000001")
    assert raised.value is error
    assert len(network.requests) == 1


@both
async def test_log(flavor: str, caplog: pytest.LogCaptureFixture) -> None:
    answers: list[dict[str, Any]] = [
        {"fault": "timeout"},
        {"takes_ms": 131, "headers": {"x-request-id": "req_1"}, "body": {"id": "vrf_1"}},
    ]
    with caplog.at_level(logging.DEBUG, "ramz"):
        await Caller(Network(answers), flavor, timeout=2)("verify.send", to="+213550000001")
    assert [record.getMessage() for record in caplog.records] == [
        "verify.send, attempt 1: no response in 2.000 s",
        "verify.send, attempt 2: HTTP 200 in 0.131 s (req_1)",
    ]
    assert all(record.levelno == logging.DEBUG for record in caplog.records)


@both
async def test_unknown_option(flavor: str) -> None:
    caller = Caller(Network([]), flavor)
    with pytest.raises(TypeError, match=r"verify\.send\(\) got .* 'maxretries'"):
        await caller("verify.send", to="+213550000001", maxretries=1)
    with pytest.raises(TypeError, match="total_timeout"):
        await caller("verify.watch", id="vrf_1", total_timeout=1)


@both
async def test_none_is_as_if_not_given(flavor: str) -> None:
    network = Network([{"status": 503}, {"body": {"id": "vrf_1"}}])
    nothing = dict.fromkeys(CallOptions.__annotations__)
    assert set(nothing) > set(WatchOptions.__annotations__)
    await Caller(network, flavor)("verify.get", id="vrf_1", **nothing)
    assert len(network.requests) == 2


@both
async def test_half_a_character_in_a_path_or_a_query_is_a_mistake(flavor: str) -> None:
    """What a visitor typed may come as JSON with a half of a surrogate pair."""
    network = Network([])
    call = Caller(network, flavor)
    with pytest.raises(ConfigurationError, match="id is not text"):
        await call("verify.get", id="vrf_\ud800")
    with pytest.raises(ConfigurationError, match="to is not text") as raised:
        await call("verify.list", to="+213\ud800")
    assert raised.value.__context__ is None
    assert network.requests == []


@both
async def test_what_is_no_json_is_not_sent(flavor: str) -> None:
    network = Network([])
    call = Caller(network, flavor)
    for reference in ("order \ud800", float("nan")):
        with pytest.raises(ConfigurationError, match="JSON") as raised:
            await call("verify.send", to="+213550000001", client_reference=reference)
        assert "order" not in str(raised.value)
        assert raised.value.__context__ is None
    assert network.requests == []


@pytest.mark.parametrize("make", [Ramz, AsyncRamz])
@pytest.mark.parametrize(
    "given",
    [
        {"headers": ["X-A"]},
        {"headers": {"X-A": 1}},
        {"headers": {"X-A": " 1"}},
        {"user_agent": ""},
        {"user_agent": 7},
        {"on_response": "print"},
    ],
)
def test_malformed_option_of_a_client(make: Any, given: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(given))):
        make(api_key=KEY, base_url=BASE, **given)


def test_a_secret_header_is_not_shown() -> None:
    client = Ramz(api_key=KEY, base_url=BASE, headers={"X-Gateway": "s3cret"})
    assert "s3cret" not in repr(client) + repr(vars(client._transport))
    with pytest.raises(ConfigurationError) as raised:
        Ramz(api_key=KEY, base_url=BASE, headers={"X-Gateway": "s3cret\n"})
    assert "s3cret" not in str(raised.value)


def test_a_listing_starts_again() -> None:
    pages = [
        {"body": {"sessions": [{"id": "vrf_2"}], "next_page_token": "a"}},
        {"body": {"sessions": [{"id": "vrf_1"}], "next_page_token": ""}},
    ]
    sessions = Network(pages * 2).client().verify.list()
    assert [each.id for each in sessions] == ["vrf_2", "vrf_1"]
    assert [each.id for each in sessions] == ["vrf_2", "vrf_1"]


async def test_an_asynchronous_listing_starts_again() -> None:
    sessions = Network([{"body": {"sessions": [{"id": "vrf_1"}]}}] * 2).async_client().verify.list()
    assert [each.id async for each in sessions] == ["vrf_1"]
    assert [each.id async for each in sessions] == ["vrf_1"]


@pytest.mark.parametrize("make", [Ramz, AsyncRamz])
@pytest.mark.parametrize("is_used", [True, False])
async def test_a_client_that_was_not_closed(make: Any, is_used: bool) -> None:
    client = make(api_key=KEY, base_url=BASE)
    if is_used:
        client._transport._pool.client()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del client
        gc.collect()
    said = [str(each.message) for each in caught if each.category is ResourceWarning]
    assert [make.__name__ in each for each in said] == ([True] if is_used else [])
