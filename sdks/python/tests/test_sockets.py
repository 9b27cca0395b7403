"""Both clients over real connections that break: what httpx makes of them is not what mocks say."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from network import KEY

from ramz import AsyncRamz, NetworkError, Ramz, RequestTimeoutError

pytestmark = pytest.mark.anyio
BODY = b'{"id": "acct_1"}'
# The head of a watch, and of its first message, of 64 KiB.
STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/connect+json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n5\r\n\0\0\1\0\0\r\n"
)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n"


# Seconds: the drip takes a minute, and silence has no end.
SOON = 30


class Server:
    """Treats connections one after another as `script` says: close, half, silent, ok, stream, drip."""

    def __init__(self, script: list[str]) -> None:
        self._script = script
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._held: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def stop(self) -> None:
        self._thread.join(5)
        for each in (*self._held, self._listener):
            each.close()
        assert not self._thread.is_alive(), f"not every connection was made: {self._script}"

    def _serve(self) -> None:
        while self._script:
            connection, _ = self._listener.accept()
            what = self._script.pop(0)
            connection.recv(65536)
            if what in ("silent", "stream", "drip"):
                self._held.append(connection)
                connection.sendall(b"" if what == "silent" else STREAM)
                if what == "drip":
                    self._drip(connection)
                continue
            if what == "half":
                connection.sendall(HEAD + b"\r\n" + BODY[:5])
            elif what == "ok":
                connection.sendall(HEAD + b"Connection: close\r\n\r\n" + BODY)
            connection.close()

    @staticmethod
    def _drip(connection: socket.socket) -> None:
        """Pieces of a message that has no end, each soon after the one before, for a minute."""
        try:
            for _ in range(6_000):
                connection.sendall(b"1\r\na\r\n")
                threading.Event().wait(0.01)
        except OSError:
            pass  # Nobody reads any more.


@pytest.fixture
def serve() -> Iterator[Any]:
    servers: list[Server] = []

    def start(*script: str) -> str:
        servers.append(Server(list(script)))
        return servers[-1].address

    yield start
    for server in servers:
        server.stop()


async def get_account(flavor: str, base_url: str, **options: Any) -> str:
    async def no_sleep(_: float) -> None:
        pass

    if flavor == "async":
        async with AsyncRamz(api_key=KEY, base_url=base_url, **options) as async_client:
            async_client._transport._sleep = no_sleep
            async_client._transport._pool.client()  # See `watch`.
            return (await async_client.accounts.get()).id
    with Ramz(api_key=KEY, base_url=base_url, **options) as client:
        client._transport._sleep = lambda _: None
        return client.accounts.get().id


async def watch(flavor: str, base_url: str, **options: Any) -> list[Any]:
    """The pool is made before the time counts: it reads certificates, which may take a busy
    machine longer than the timeout."""
    if flavor == "async":
        async with AsyncRamz(api_key=KEY, base_url=base_url, **options) as async_client:
            async_client._transport._pool_of_streams().client()
            return [each async for each in async_client.verify.watch("vrf_1")]
    with Ramz(api_key=KEY, base_url=base_url, **options) as client:
        client._transport._pool_of_streams().client()
        return list(client.verify.watch("vrf_1"))


both = pytest.mark.parametrize("flavor", ["sync", "async"])


@both
async def test_broken_connections_are_made_again(flavor: str, serve: Any) -> None:
    assert await get_account(flavor, serve("close", "half", "ok")) == "acct_1"


@both
async def test_silence_is_a_timeout(flavor: str, serve: Any) -> None:
    with pytest.raises(RequestTimeoutError, match=r"within 0\.2 s"):
        await get_account(flavor, serve("silent"), timeout=0.2, max_retries=0)


# httpx has generators of its own, which nobody can close; trio minds.
@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
@both
@pytest.mark.parametrize("what", ["silent", "stream", "drip"])
async def test_the_first_message_of_a_watch_comes_in_time(
    flavor: str, what: str, serve: Any
) -> None:
    begun = time.monotonic()
    with pytest.raises(RequestTimeoutError, match=r"within 0\.3 s"):
        await watch(flavor, serve(what), timeout=0.3, max_retries=0)
    assert time.monotonic() - begun < SOON


@pytest.mark.parametrize("what", ["silent", "drip"])
def test_the_same_with_an_http_client_of_the_callers(what: str, serve: Any) -> None:
    with httpx.Client() as http_client:
        options: dict[str, Any] = {"api_key": KEY, "http_client": http_client, "max_retries": 0}
        client = Ramz(base_url=serve(what), timeout=0.3, **options)
        begun = time.monotonic()
        with pytest.raises(RequestTimeoutError, match=r"within 0\.3 s"):
            list(client.verify.watch("vrf_1"))
        assert time.monotonic() - begun < SOON


@both
async def test_nobody_listens(flavor: str) -> None:
    # Held for as long as the call takes, without listening: nobody else can get the port and answer.
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}"
        with pytest.raises(NetworkError, match=r"accounts\.get: no answer"):
            await get_account(flavor, address)
