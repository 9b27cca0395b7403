"""Both clients over real connections that break: what httpx makes of them is not what mocks say."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from network import KEY

from ramz import AsyncRamz, NetworkError, Ramz, RequestTimeoutError

pytestmark = pytest.mark.anyio
BODY = b'{"id": "acct_1"}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n"


class Server:
    """Treats connections one after another as `script` says: close, half, silent, ok."""

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
            if what == "silent":
                self._held.append(connection)
                continue
            if what == "half":
                connection.sendall(HEAD + b"\r\n" + BODY[:5])
            elif what == "ok":
                connection.sendall(HEAD + b"Connection: close\r\n\r\n" + BODY)
            connection.close()


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
            return (await async_client.accounts.get()).id
    with Ramz(api_key=KEY, base_url=base_url, **options) as client:
        client._transport._sleep = lambda _: None
        return client.accounts.get().id


both = pytest.mark.parametrize("flavor", ["sync", "async"])


@both
async def test_broken_connections_are_made_again(flavor: str, serve: Any) -> None:
    assert await get_account(flavor, serve("close", "half", "ok")) == "acct_1"


@both
async def test_silence_is_a_timeout(flavor: str, serve: Any) -> None:
    with pytest.raises(RequestTimeoutError, match=r"within 0\.2 s"):
        await get_account(flavor, serve("silent"), timeout=0.2, max_retries=0)


@both
async def test_nobody_listens(flavor: str) -> None:
    # Held for as long as the call takes, without listening: nobody else can get the port and answer.
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}"
        with pytest.raises(NetworkError, match=r"accounts\.get: no answer"):
            await get_account(flavor, address)
