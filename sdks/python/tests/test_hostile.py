"""What a hostile or broken other side may do: bodies without an end, lists in circles, deep JSON."""

from __future__ import annotations

import gzip
import http.server
import pickle
import threading
import traceback
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from network import KEY, Caller, Network
from test_vectors import KINDS

from ramz import (
    ApiError,
    AsyncRamz,
    ConfigurationError,
    NetworkError,
    Ramz,
    RequestTimeoutError,
    ServerError,
)
from ramz._rpc_status import error_of_status

pytestmark = pytest.mark.anyio
both = pytest.mark.parametrize("flavor", ["sync", "async"])
MEBIBYTE = b" " * 1024 * 1024
BOMB = gzip.compress(MEBIBYTE * 256)
# What comes first, and what comes then, piece after piece: each in time, and nothing that says how it ends.
DRIPS = {
    "vrf_drip": (b"HTTP/1.1 200 OK\r\n\r\n", b" "),
    "vrf_drip_headers": (b"HTTP/1.1 200 OK\r\nx-a: ", b"a"),
    "vrf_drip_interim": (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    # A name in its header that has no end.
    "vrf_drip_gzip": (
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\x03",
        b"a",
    ),
}
# Where the length of the answer before was wrong, say: its rest is taken for a head.
SHIFTED = {
    "vrf_no_head": b'{"id":"vrf_1","to":"+213550000001"}\r\n\r\n',
    "vrf_in_the_head": b'HTTP/1.1 200 OK\r\n{"id" "vrf_1","to" "+213550000001"}\r\n\r\n',
}


class Handler(http.server.BaseHTTPRequestHandler):
    sent = 0

    def do_GET(self) -> None:
        what = self.path.rsplit("/", 1)[-1]
        if what in ("vrf_gzip", "vrf_echo"):
            return self.answer_briefly(what)
        if what in SHIFTED:
            self.wfile.write(SHIFTED[what])
            self.close_connection = True
            return None
        if what in DRIPS:
            return self.drip(*DRIPS[what])
        self.send_response(403 if what == "vrf_forbidden" else 200)
        if what == "vrf_bomb":
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        parts = [BOMB] if what == "vrf_bomb" else [MEBIBYTE] * 1024
        try:
            for part in parts:
                self.wfile.write(part)
                Handler.sent += 1
        except OSError:
            pass  # Nobody reads any more.

    def drip(self, head: bytes, part: bytes) -> None:
        try:
            self.wfile.write(head)
            for _ in range(500):
                self.wfile.write(part)
                threading.Event().wait(0.01)
        except OSError:
            pass

    def answer_briefly(self, what: str) -> None:
        if what == "vrf_gzip":
            self.send_response(200)
            self.send_header("content-encoding", "gzip")
            self.end_headers()
            self.wfile.write(gzip.compress(b'{"id":"vrf_gzip"}'))
            return
        # As debugging proxies do: what was sent, in the page and in headers.
        sent = self.headers["authorization"]
        self.send_response(308)
        self.send_header("location", f"https://{KEY}:{KEY}@elsewhere.example/?{KEY}")
        self.send_header("x-echo", sent)
        self.end_headers()
        self.wfile.write(b" " * 1010 + sent.encode())

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(5)


async def get(flavor: str, address: str, id: str, **options: Any) -> Any:
    options = {"api_key": KEY, "base_url": address, "max_retries": 0, **options}
    if flavor == "async":
        async with AsyncRamz(**options) as async_client:
            if id == "watch":
                return [each async for each in async_client.verify.watch("vrf_1")]
            return await async_client.verify.get(id)
    with Ramz(**options) as client:
        return list(client.verify.watch("vrf_1")) if id == "watch" else client.verify.get(id)


# httpx has generators within generators, which nobody can close when an answer is left in the middle; trio says so.
@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
@both
@pytest.mark.parametrize("id", ["vrf_big", "vrf_forbidden", "vrf_bomb", "watch"])
async def test_a_body_without_an_end(address: str, flavor: str, id: str) -> None:
    Handler.sent = 0
    with pytest.raises(ServerError, match="larger than any answer"):
        await get(flavor, address, id)
    assert Handler.sent < 100


@both
async def test_a_body_packed_by_gzip(address: str, flavor: str) -> None:
    assert (await get(flavor, address, "vrf_gzip")).id == "vrf_gzip"


@both
async def test_the_key_that_comes_back_is_in_no_error(address: str, flavor: str) -> None:
    with pytest.raises(ServerError, match=r"HTTP 308 to https://elsewhere\.example/…") as raised:
        await get(flavor, address, "vrf_echo")
    error = raised.value
    assert error.headers["X-Echo"] == "Bearer ***"
    assert error.headers["Location"] == "https://***@elsewhere.example/?***"
    assert error.body.endswith("Bearer ***")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (copy.headers["x-echo"], copy.body) == (error.headers["x-echo"], error.body)
    assert KEY not in f"{error!r} {error} {vars(error)!r} {dict(error.headers)}"


@both
@pytest.mark.parametrize("id", SHIFTED)
async def test_what_could_not_be_read_is_in_no_error(address: str, flavor: str, id: str) -> None:
    with pytest.raises(NetworkError, match="illegal") as raised:
        await get(flavor, address, id)
    error = raised.value
    shown = traceback.format_exception(type(error), error, error.__traceback__)
    assert "213550000001" not in "".join(shown)


@both
@pytest.mark.parametrize("operation", ["verify.get", "verify.watch"])
@pytest.mark.parametrize("is_wrapped", [True, False])
async def test_the_key_in_the_refusal_of_a_gateway_is_in_no_error(
    flavor: str, operation: str, is_wrapped: bool
) -> None:
    refusal = {"code": "bad_token", "message": f"no such token: {KEY}", "token": KEY}
    body = {"error": refusal} if is_wrapped else refusal
    network = Network([{"status": 401, "body": body, "headers": {"x-request-id": KEY}}])
    with pytest.raises(ApiError, match=r"no such token: \*\*\*") as raised:
        await Caller(network, flavor)(operation, id="vrf_1")
    error = raised.value
    assert (error.status, error.request_id, len(network.requests)) == (401, "***", 1)
    assert KEY not in f"{error!r} {error} {vars(error)!r} {dict(error.headers)}"


@both
@pytest.mark.parametrize("id", DRIPS)
async def test_an_answer_that_drips(address: str, flavor: str, id: str) -> None:
    with pytest.raises(RequestTimeoutError):
        await get(flavor, address, id, timeout=0.1)


def test_a_body_that_drips_into_a_client_of_the_callers_own(address: str) -> None:
    with httpx.Client() as http_client:
        client = Ramz(api_key=KEY, base_url=address, max_retries=0, http_client=http_client)
        with pytest.raises(RequestTimeoutError):
            client.verify.get("vrf_drip", timeout=0.1)


@both
async def test_an_answer_that_drips_through_a_proxy(
    address: str, flavor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", address)
    with pytest.raises(RequestTimeoutError):
        await get(flavor, "http://ramz.example", "vrf_drip_headers", timeout=0.1)


@pytest.mark.parametrize("text", ['{"id":"vrf_1","more":%s}', '{"error":{"code":"x","more":%s}}'])
@pytest.mark.parametrize("status", [200, 500])
def test_json_of_100_000_levels(text: str, status: int) -> None:
    body = text % ("[" * 100_000 + "]" * 100_000)
    client = Network([{"status": status, "body_text": body}]).client(max_retries=0)
    with pytest.raises(ServerError):
        client.verify.get("vrf_1")


@both
@pytest.mark.vectors("lists")
async def test_a_list_page_after_page(case: dict[str, Any], flavor: str) -> None:
    network = Network([{"body": page} for page in case["pages"]])
    ids = []

    async def go_through() -> None:
        if flavor == "sync":
            for session in network.client().verify.list():
                ids.append(session.id)
        else:
            async for session in network.async_client().verify.list():
                ids.append(session.id)

    if case["expect"]["error"] is None:
        await go_through()
    else:
        with pytest.raises(ApiError) as raised:
            await go_through()
        assert type(raised.value) is KINDS[case["expect"]["error"]]
    assert ids == case["expect"]["ids"]
    tokens = [request.url.params.get("page_token", "") for request in network.requests]
    assert tokens == case["expect"]["page_tokens"]


@pytest.mark.parametrize(
    ("type", "value"),
    [
        ("ErrorInfo", b"\x0a\x0crate_limited\x12\x0agoogleapis"),  # of something on the way
        ("ErrorInfo", b"\x12\x04ramz\x1a\x01\xff"),  # broken inside, as the next ones
        ("BadRequest", b"\x0a\x01\xff"),
        ("RetryInfo", b"\x0a\x02\x08\xff"),
    ],
)
def test_details_that_are_not_ours_or_broken(type: str, value: bytes) -> None:
    error = error_of_status("unavailable", "full", [(f"google.rpc.{type}", value)])
    assert (error.code, error.field, error.retry_after) == ("", None, None)
    assert isinstance(error, ServerError)


@pytest.mark.parametrize("key", ["a\r\nx-evil: 1", "a\n", " a", "a ", "", "é", "a" * 257])
def test_an_idempotency_key_brings_no_headers(key: str) -> None:
    with pytest.raises(ConfigurationError):
        Network([]).client().verify.send(to="+213550000001", idempotency_key=key)


@both
async def test_the_key_is_in_no_traceback(flavor: str) -> None:
    """Not even in one that shows local variables, as error trackers do."""
    call = Caller(Network([{"status": 500}]), flavor, max_retries=0)
    with pytest.raises(ServerError) as raised:
        await call("verify.get", id="vrf_1")
    shown = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
    assert "vrf_1" in "".join(shown.format())
    assert KEY not in "".join(shown.format())
