"""More watches at once than httpx makes connections by itself: they are all told, and leave some for calls."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from network import KEY

from ramz import AsyncRamz, ConfigurationError, Ramz
from ramz._connect import envelope

pytestmark = pytest.mark.anyio
WATCHES = 101
TOLD = envelope(json.dumps({"session": {"id": "vrf_1", "status": "pending"}}).encode())
STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/connect+json\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"%x\r\n%s\r\n" % (len(TOLD), TOLD)
)
ACCOUNT = b'HTTP/1.1 200 OK\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{"id": "acct_1"}'


@pytest.fixture
def base_url() -> Iterator[str]:
    """Whoever watches is told once, and then waits."""
    held: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return  # The test is over.
            is_watch = b"WatchSession" in connection.recv(65536)
            connection.sendall(STREAM if is_watch else ACCOUNT)
            if is_watch:
                held.append(connection)
            else:
                connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)
    for each in held:
        each.close()


OPTIONS: dict[str, Any] = {"api_key": KEY, "timeout": 5, "max_retries": 0}


def test_sync(base_url: str) -> None:
    with Ramz(base_url=base_url, **OPTIONS) as client:
        watches = [client.verify.watch("vrf_1") for _ in range(WATCHES)]
        assert {next(each).session.status for each in watches} == {"pending"}  # type: ignore[union-attr]
        assert client.accounts.get().id == "acct_1"
        for each in watches:
            each.close()
    with pytest.raises(ConfigurationError, match="closed"):
        next(client.verify.watch("vrf_1"))


# httpx has generators of its own, which nobody can close; trio minds.
@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
async def test_async(base_url: str) -> None:
    async with AsyncRamz(base_url=base_url, **OPTIONS) as client:
        watches = [client.verify.watch("vrf_1") for _ in range(WATCHES)]
        assert {(await each.__anext__()).session.status for each in watches} == {"pending"}  # type: ignore[union-attr]
        assert (await client.accounts.get()).id == "acct_1"
        for each in watches:
            await each.aclose()
    with pytest.raises(ConfigurationError, match="closed"):
        await client.verify.watch("vrf_1").__anext__()
