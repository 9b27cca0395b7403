"""What a user would do wrong, and what a client never does."""

from __future__ import annotations

import enum
import json
import pickle
import ssl
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import anyio
import httpx
import pytest
from network import BASE, KEY, Caller, Network

import ramz
from ramz import (
    ApiError,
    AsyncRamz,
    ConfigurationError,
    NetworkError,
    Ramz,
    RateLimitError,
    RequestTimeoutError,
    ResponseInfo,
    ServerError,
    SignatureError,
)

pytestmark = pytest.mark.anyio
both = pytest.mark.parametrize("flavor", ["sync", "async"])


@pytest.mark.parametrize("make", [Ramz, AsyncRamz])
@pytest.mark.parametrize(
    ("options", "about"),
    [
        ({"api_key": None}, "RAMZ_API_KEY"),
        ({"api_key": ""}, "RAMZ_API_KEY"),
        ({"api_key": f"{KEY}\n"}, "newline"),
        ({"api_key": f"{KEY} "}, "space"),
        ({"api_key": "ключ"}, "character"),
        ({"base_url": None}, "RAMZ_BASE_URL"),
        ({"base_url": "ramz.example"}, "https://"),
        ({"base_url": "ftp://ramz.example"}, "https://"),
        ({"base_url": "https://"}, "https://"),
        ({"base_url": "https://ramz.example:no"}, "https://"),
        ({"base_url": "https://ramz.example:99999"}, "https://"),
        ({"base_url": "https://[::1"}, "https://"),
        ({"base_url": "https://ramz.example/?a=1"}, "query"),
        ({"base_url": "https://user:pass@ramz.example"}, "password"),
        ({"base_url": "https://ramz.example\n"}, "https://"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"timeout": None}, "timeout"),
        ({"max_retries": -1}, "max_retries"),
        ({"max_retries": 1.5}, "max_retries"),
    ],
)
def test_malformed_option(make: Any, options: dict[str, Any], about: str) -> None:
    with pytest.raises(ConfigurationError, match=about) as raised:
        make(**{"api_key": KEY, "base_url": BASE, **options})
    assert KEY not in str(raised.value)


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAMZ_API_KEY", KEY)
    monkeypatch.setenv("RAMZ_BASE_URL", f"{BASE}/ramz/")
    network = Network([{"body": {"id": "vrf_1"}}])
    network.client(api_key=None, base_url=None).accounts.get()
    [request] = network.requests
    assert str(request.url) == f"{BASE}/ramz/v1/account"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["user-agent"].startswith(f"ramz-python/{ramz.__version__} ")


@both
async def test_key_is_never_shown(flavor: str) -> None:
    caller = Caller(Network([{"fault": "connection"}]), flavor, max_retries=0)
    assert repr(caller.client).endswith("Ramz(base_url='https://ramz.example')")
    assert KEY not in repr(vars(caller.client))
    with pytest.raises(NetworkError) as raised:
        await caller("verify.list", to="+213550000001")
    assert KEY not in str(raised.value)
    assert "0000001" not in str(raised.value)


@both
async def test_closed(flavor: str) -> None:
    network = Network([])
    caller = Caller(network, flavor)
    if flavor == "async":
        await caller.client.aclose()
    else:
        caller.client.close()
    with pytest.raises(ConfigurationError, match="closed"):
        await caller("accounts.get")
    with pytest.raises(ConfigurationError, match="closed"):
        await caller("verify.watch", id="vrf_1")
    assert network.waits == []


@both
@pytest.mark.parametrize("operation", ["verify.get", "verify.watch"])
async def test_closed_between_attempts(flavor: str, operation: str) -> None:
    """The call was sent, so its error must not say that nothing was."""
    network = Network([{"fault": "connection"}])
    caller = Caller(network, flavor)

    async def aclose(_: float) -> None:
        await caller.client.aclose()

    is_async = flavor == "async"
    caller.client._transport._sleep = aclose if is_async else lambda _: caller.client.close()
    with pytest.raises(NetworkError, match="connection refused"):
        await caller(operation, id="vrf_1")
    assert len(network.requests) == 1


@both
async def test_a_hook_may_raise_a_configuration_error_at_a_repeat(flavor: str) -> None:
    mine = ConfigurationError("mine")

    def hook(info: ResponseInfo) -> None:
        if info.attempt == 2:
            raise mine

    network = Network([{"fault": "connection"}] * 2)
    with pytest.raises(ConfigurationError) as raised:
        await Caller(network, flavor, on_response=hook)("verify.get", id="vrf_1")
    assert raised.value is mine


@both
@pytest.mark.parametrize("operation", ["verify.get", "verify.watch"])
async def test_tls_that_breaks_after_the_handshake(flavor: str, operation: str) -> None:
    """A refused certificate of the client, say, which TLS 1.3 tells in place of the answer."""

    def refuse(_: httpx.Request) -> httpx.Response:
        raise ssl.SSLError(1, "tlsv13 alert certificate required")

    heard: list[ResponseInfo] = []
    transport = httpx.MockTransport(refuse)
    is_async = flavor == "async"
    http_client = (httpx.AsyncClient if is_async else httpx.Client)(transport=transport)
    caller = Caller(
        Network([]), flavor, http_client=http_client, max_retries=0, on_response=heard.append
    )
    with pytest.raises(NetworkError, match="certificate required") as raised:
        await caller(operation, id="vrf_1")
    assert isinstance(raised.value.__cause__, ssl.SSLError)
    assert [info.status for info in heard] == [0]


async def test_context_manager_closes_its_own_http_client_only() -> None:
    with Ramz(api_key=KEY, base_url=BASE) as client:
        own = client._transport._pool.client()
    assert own.is_closed
    async with AsyncRamz(api_key=KEY, base_url=BASE) as async_client:
        async_own = async_client._transport._pool.client()
    assert async_own.is_closed
    network = Network([])
    with network.client() as client:
        given = client._transport._pool.client()
    assert not given.is_closed


def test_redirects_are_not_followed_whatever_the_http_client_does() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return httpx.Response(302, headers={"location": "https://elsewhere.example/"})

    http_client = httpx.Client(
        transport=httpx.MockTransport(answer), follow_redirects=True, auth=("user", "password")
    )
    client = Ramz(api_key=KEY, base_url=BASE, http_client=http_client)
    with pytest.raises(ServerError):
        client.accounts.get()
    assert seen == [f"{BASE}/v1/account"]


@pytest.mark.parametrize("id", ["", ".", ".."])
@both
async def test_ids_that_name_another_place(flavor: str, id: str) -> None:
    with pytest.raises(ConfigurationError, match="id"):
        await Caller(Network([]), flavor)("verify.get", id=id)


@both
async def test_arguments_that_can_not_be_sent(flavor: str) -> None:
    caller = Caller(Network([]), flavor)
    with pytest.raises(ConfigurationError, match="time zone"):
        await caller("verify.list", created_after=datetime(2026, 3, 1))
    for key in ("", "a" * 257, "schlüssel", "a\nb"):
        with pytest.raises(ConfigurationError, match="idempotency_key"):
            await caller("verify.send", to="+213550000001", idempotency_key=key)
    with pytest.raises(ConfigurationError, match="timeout"):
        await caller("verify.send", to="+213550000001", timeout=-1)
    with pytest.raises(TypeError, match="unknown"):
        await caller("verify.send", to="+213550000001", unknown=1)


@both
async def test_idempotency_key_of_the_caller(flavor: str) -> None:
    network = Network([{"status": 503}, {"body": {"id": "vrf_1"}}])
    await Caller(network, flavor)("verify.send", to="+213550000001", idempotency_key="order-1")
    assert [each.headers["idempotency-key"] for each in network.requests] == ["order-1"] * 2


@both
async def test_message_objects_and_what_is_not_given(flavor: str) -> None:
    network = Network([{"body": {"id": "vrf_1"}}, {"body": {"id": "vrf_1"}}])
    caller = Caller(network, flavor)
    leg = ramz.types.CascadeLeg(channel="voice")
    await caller("verify.send", to="+213550000001", cascade=[leg])
    await caller("accounts.update", default_sender_id="", in_country_only=False)
    bodies = [request.content for request in network.requests]
    assert bodies == [
        b'{"to":"+213550000001","cascade":[{"channel":"voice"}]}',
        b'{"default_sender_id":"","in_country_only":false}',
    ]


@both
async def test_answer_of_something_else(flavor: str) -> None:
    bodies: list[dict[str, Any]] = [
        {"id": 7},
        {"id": "vrf_1", "created_at": "yesterday"},
        {"id": "vrf_1", "cascade": {}},
        {"id": "vrf_1", "messages": [1]},
    ]
    for body in bodies:
        with pytest.raises(ServerError, match=r"not an answer of Ramz: HTTP 200 \(\w+: ") as raised:
            await Caller(Network([{"body": body}]), flavor)("verify.get", id="vrf_1")
        assert raised.value.status == 200


@both
async def test_values_may_be_enums_of_the_callers(flavor: str) -> None:
    class Status(str, enum.Enum):
        WAITING = "pending"

    class Size(int, enum.Enum):
        SMALL = 5

    class Way(enum.Enum):
        CALL = "voice"

    network = Network([{"body": {"sessions": []}}, {"body": {"id": "vrf_1"}}])
    caller = Caller(network, flavor)
    await caller("verify.list", status=Status.WAITING, page_size=Size.SMALL)
    assert dict(network.requests[0].url.params) == {"status": "pending", "page_size": "5"}
    await caller(
        "verify.send", to="+213550000001", channel=Way.CALL, cascade=[{"channel": Way.CALL}]
    )
    assert json.loads(network.requests[1].content) == {
        "to": "+213550000001",
        "channel": "voice",
        "cascade": [{"channel": "voice"}],
    }


@both
async def test_page_that_names_itself(flavor: str) -> None:
    network = Network([{"body": {"sessions": [], "next_page_token": "a"}}] * 3)
    with pytest.raises(ServerError, match="came before"):
        await Caller(network, flavor)("verify.list")


def test_pages() -> None:
    network = Network(
        [
            {"body": {"sessions": [{"id": "vrf_2"}], "next_page_token": "a"}},
            {"body": {"sessions": [{"id": "vrf_1"}], "next_page_token": ""}},
        ]
    )
    pages = list(network.client().verify.list(page_size=1).pages())
    assert [page.next_page_token for page in pages] == ["a", ""]
    assert [page.items[0].id for page in pages] == ["vrf_2", "vrf_1"]
    network = Network([{"body": {"sessions": [{"id": "vrf_1"}]}}])
    assert [each.id for each in network.client().verify.list(page_token="a")] == ["vrf_1"]
    assert network.requests[0].url.params["page_token"] == "a"


def test_answer_that_drips() -> None:
    """Each byte comes in time, the whole does not."""
    clock = iter(range(0, 1000, 4))

    def drip() -> Iterator[bytes]:
        while True:
            yield b" "

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=drip())

    client = Ramz(
        api_key=KEY,
        base_url=BASE,
        max_retries=0,
        http_client=httpx.Client(transport=httpx.MockTransport(answer)),
    )
    client._transport._clock = lambda: float(next(clock))
    with pytest.raises(RequestTimeoutError, match="10 s"):
        client.accounts.get()


async def test_answer_that_does_not_come() -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        await anyio.sleep_forever()
        raise AssertionError

    http_client = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    client = AsyncRamz(api_key=KEY, base_url=BASE, max_retries=0, http_client=http_client)
    with pytest.raises(RequestTimeoutError):
        await client.verify.get("vrf_1", timeout=0.01)


def test_errors_survive_pickling() -> None:
    error = ApiError("no", code="x", field="to", status=400, details={"a": 1}, retry_after=2.0)
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (vars(copy), str(copy)) == (vars(error), "no (x, field to)")
    signature = pickle.loads(pickle.dumps(SignatureError("old", "too_old")))  # noqa: S301
    assert (signature.reason, str(signature)) == ("too_old", "old")


def test_errors_show_in_a_debugger_what_they_are_about() -> None:
    error = RateLimitError("wait", code="resend_too_soon", request_id="req_1", status=429)
    assert (
        repr(error)
        == "RateLimitError('wait', code='resend_too_soon', request_id='req_1', status=429)"
    )
    assert (
        repr(ServerError("not an answer", status=502)) == "ServerError('not an answer', status=502)"
    )
