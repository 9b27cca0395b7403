"""Watching, over a network that loses connections."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Union

import httpx
import pytest
from network import BASE, KEY

from ramz import (
    AsyncRamz,
    NetworkError,
    NotFoundError,
    Ramz,
    RequestTimeoutError,
    ResponseInfo,
    ServerError,
)
from ramz._connect import CONTENT_TYPE, StreamReader, envelope
from ramz._rpc_status import read_fields

pytestmark = pytest.mark.anyio
both = pytest.mark.parametrize("flavor", ["sync", "async"])
Part = Union[bytes, Exception]
END = envelope(b"{}", 2)


def told(status: str, *kinds: str) -> bytes:
    timeline = [{"kind": kind, "run": 1} for kind in kinds]
    session = {"id": "vrf_1", "status": status, "timeline": timeline}
    return envelope(json.dumps({"session": session, "new_entries": timeline}).encode())


class Stream(httpx.SyncByteStream, httpx.AsyncByteStream):
    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[bytes]:
        for part in self._parts:
            if isinstance(part, Exception):
                raise part
            yield part

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            if isinstance(part, Exception):
                raise part
            yield part


async def watch(
    flavor: str, connections: list[Any], max_retries: int = 2, **given: Any
) -> tuple[list[Any], list[float], list[httpx.Request]]:
    """Watches over these connections, one after another: what was told, the pauses, the requests."""
    waits: list[float] = []
    requests: list[httpx.Request] = []
    answers: list[Any] = []
    left = iter(connections)

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        parts = next(left)
        if isinstance(parts, Exception):
            raise parts
        if isinstance(parts, dict):
            return httpx.Response(**parts)
        return httpx.Response(200, headers={"content-type": CONTENT_TYPE}, stream=Stream(parts))

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    transport = httpx.MockTransport(answer)
    options: dict[str, Any] = {"api_key": KEY, "base_url": BASE, "max_retries": max_retries}
    if flavor == "sync":
        client = Ramz(http_client=httpx.Client(transport=transport), **options)
        client._transport._sleep = waits.append
        answers.extend(client.verify.watch("vrf_1", **given))
    else:
        http_client = httpx.AsyncClient(transport=transport)
        async_client = AsyncRamz(http_client=http_client, **options)
        async_client._transport._sleep = sleep
        answers.extend([each async for each in async_client.verify.watch("vrf_1", **given)])
    return answers, waits, requests


def kinds(answer: Any) -> list[str]:
    return [entry.kind for entry in answer.new_entries]


@both
async def test_to_the_end(flavor: str) -> None:
    whole = told("pending", "a") + told("verified", "a", "b") + END
    # However the bytes are cut.
    parts = [whole[index : index + 7] for index in range(0, len(whole), 7)]
    answers, waits, [request] = await watch(flavor, [parts])
    assert [each.session.status for each in answers] == ["pending", "verified"]
    assert waits == []
    assert request.url.path == "/ramz.v1.VerifyService/WatchSession"
    assert request.headers["content-type"] == CONTENT_TYPE
    assert request.headers["connect-protocol-version"] == "1"
    assert request.content == envelope(b'{"id":"vrf_1"}')


@both
async def test_lost_connection_is_made_anew_and_tells_only_news(flavor: str) -> None:
    lost = httpx.ReadError("reset")
    answers, waits, _ = await watch(
        flavor,
        [
            [told("pending", "a"), lost],
            [told("pending", "a"), lost],  # nothing new: nothing is told
            [told("pending", "a", "b"), told("canceled", "c"), END],
        ],
    )
    assert [each.session.status for each in answers] == ["pending", "pending", "canceled"]
    assert [kinds(each) for each in answers] == [["a"], ["b"], ["c"]]
    assert len(waits) == 2
    assert all(0.25 <= wait <= 0.5 for wait in waits)


@both
async def test_end_without_an_end_is_a_lost_connection(flavor: str) -> None:
    answers, waits, _ = await watch(flavor, [[told("pending")], [told("verified", "a"), END]])
    assert [each.session.status for each in answers] == ["pending", "verified"]
    assert len(waits) == 1


@both
async def test_quiet_is_no_fault(flavor: str) -> None:
    quiet = [told("pending"), httpx.ReadTimeout("quiet")]
    answers, waits, _ = await watch(flavor, [quiet] * 5 + [[told("expired", "a"), END]])
    assert [each.session.status for each in answers] == ["pending", "expired"]
    assert waits == [0] * 5


@both
async def test_connections_that_a_proxy_ends_without_news_are_no_failures(flavor: str) -> None:
    ended = [told("pending"), httpx.ReadError("reset")]
    answers, waits, _ = await watch(flavor, [ended] * 5 + [[told("expired", "a"), END]])
    assert [each.session.status for each in answers] == ["pending", "expired"]
    assert len(waits) == 5


@both
async def test_gives_up(flavor: str) -> None:
    with pytest.raises(NetworkError):
        await watch(flavor, [httpx.ConnectError("no")] * 3)
    with pytest.raises(RequestTimeoutError):
        await watch(flavor, [httpx.ConnectTimeout("no")], max_retries=0)


@both
async def test_error_at_the_end(flavor: str) -> None:
    def detail(type: str, value: bytes) -> dict[str, str]:
        encoded = base64.b64encode(value).decode().rstrip("=")
        return {"type": type, "value": encoded}

    info = b"\x0a\x11session_not_found\x12\x04ramz\x1a\x09\x0a\x03why\x12\x02no"
    error = {
        "code": "not_found",
        "message": "no such session",
        "details": [
            detail("google.rpc.ErrorInfo", info),
            detail("google.rpc.RequestInfo", b"\x0a\x05req_1"),
            detail("google.rpc.BadRequest", b"\x0a\x04\x0a\x02id"),
            detail("google.rpc.RetryInfo", b"\x0a\x02\x08\x07"),
            detail("google.rpc.Help", b"\xff"),
            {"type": "no base64", "value": "a"},
        ],
    }
    end = envelope(json.dumps({"error": error}).encode(), 2)
    with pytest.raises(NotFoundError) as raised:
        await watch(flavor, [[end]])
    expected = {
        "code": "session_not_found",
        "message": "no such session",
        "request_id": "req_1",
        "field": "id",
        "retry_after": 7,
        "status": 404,
        "details": {"why": "no"},
    }
    assert {name: getattr(raised.value, name) for name in expected} == expected


@both
async def test_service_that_goes_away_is_asked_again(flavor: str) -> None:
    error = {"error": {"code": "unavailable", "message": "stopping"}}
    end = envelope(json.dumps(error).encode(), 2)
    answers, waits, _ = await watch(flavor, [[told("pending"), end], [told("verified", "a"), END]])
    assert [each.session.status for each in answers] == ["pending", "verified"]
    assert len(waits) == 1


# httpx has generators of its own, which nobody can close; trio minds.
@pytest.mark.filterwarnings("ignore:Async generator 'httpx:ResourceWarning")
@both
@pytest.mark.parametrize(
    "connection",
    [
        {"status_code": 200, "headers": {"content-type": "text/html"}, "text": "<html>"},
        [b"<html><body>this is not a stream of anything"],
        [envelope(b"not JSON")],
        [envelope(b"{}", 1)],
        [envelope(b'{"session": 7}')],
    ],
)
async def test_no_stream_of_ramz(flavor: str, connection: Any) -> None:
    with pytest.raises(ServerError):
        await watch(flavor, [connection], max_retries=0)


# httpx has generators within generators, which nobody can close when an answer is left in the middle; trio says so.
@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
@both
async def test_the_session_of_somebody_else(flavor: str) -> None:
    other = told("verified", "verified").replace(b"vrf_1", b"vrf_2")
    with pytest.raises(ServerError, match="another id than asked for"):
        await watch(flavor, [[told("pending", "opened"), other, END]])


@both
async def test_refused_before_the_stream(flavor: str) -> None:
    refused = {"status_code": 404, "json": {"code": "not_found", "message": "no such method"}}
    with pytest.raises(ServerError, match="no such method"):  # the service always has a code
        await watch(flavor, [refused])
    page = {"status_code": 403, "headers": {"content-type": "text/html"}, "content": b"<html>"}
    with pytest.raises(ServerError, match='not an answer of Ramz: HTTP 403 text/html: "<html>"'):
        await watch(flavor, [page])


def test_closing_a_watch_closes_its_connection() -> None:
    closed: list[bool] = []

    class Closing(Stream):
        def close(self) -> None:
            closed.append(True)

    def answer(_: httpx.Request) -> httpx.Response:
        stream = Closing([told("pending"), told("verified", "a")])
        return httpx.Response(200, headers={"content-type": CONTENT_TYPE}, stream=stream)

    http_client = httpx.Client(transport=httpx.MockTransport(answer))
    for _ in Ramz(api_key=KEY, base_url=BASE, http_client=http_client).verify.watch("vrf_1"):
        break
    assert closed == [True]


def test_nothing_after_the_end_is_read() -> None:
    reader = StreamReader()
    assert reader.feed(END + told("verified")) == []
    assert reader.is_over


@pytest.mark.parametrize("data", [b"\x0a", b"\x0a\x05ab", b"\xff" * 11, b"\x0b", b"\x09\x00"])
def test_bytes_that_are_no_message(data: bytes) -> None:
    with pytest.raises(ValueError):
        list(read_fields(data))


def test_fields_of_all_kinds() -> None:
    data = b"\x08\x96\x01\x11" + bytes(8) + b"\x1d" + bytes(4) + b"\x22\x01a"
    assert list(read_fields(data)) == [(1, 150), (4, b"a")]


@both
async def test_each_connection_is_heard_of(flavor: str) -> None:
    heard: list[ResponseInfo] = []
    lost = httpx.ConnectError("refused")
    refused = {"status_code": 503, "headers": {"x-request-id": "req_1"}}
    whole = [told("verified", "a"), END]
    _, _, requests = await watch(
        flavor, [lost, refused, whole], headers={"X-Tenant": "7"}, on_response=heard.append
    )
    assert [(info.attempt, info.status, info.request_id) for info in heard] == [
        (1, 0, ""),
        (2, 503, "req_1"),
        (3, 200, ""),
    ]
    assert {info.operation for info in heard} == {"verify.watch"}
    assert {request.headers["x-tenant"] for request in requests} == {"7"}


@both
async def test_a_watch_that_breaks_is_heard_of_once(flavor: str) -> None:
    heard: list[ResponseInfo] = []
    await watch(flavor, [[told("pending")], [told("verified", "a"), END]], on_response=heard.append)
    assert [(info.attempt, info.status) for info in heard] == [(1, 200), (2, 200)]


@both
@pytest.mark.parametrize("error", [NetworkError("mine"), httpx.ConnectError("mine")])
@pytest.mark.parametrize("connection", [[told("verified", "a"), END], httpx.ConnectError("lost")])
async def test_what_a_hook_raises_ends_the_watch(
    flavor: str, error: Exception, connection: Any
) -> None:
    """A hook that calls something by httpx, for example."""
    heard: list[ResponseInfo] = []

    def hook(info: ResponseInfo) -> None:
        heard.append(info)
        raise error

    with pytest.raises(type(error)) as raised:
        await watch(flavor, [connection] * 3, on_response=hook)
    assert raised.value is error
    assert len(heard) == 1
