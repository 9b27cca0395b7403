"""`AsyncRamz` in event loops that end, over connections that are kept."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import anyio
import pytest
from network import KEY

from ramz import AsyncRamz

BODY = b'{"id":"acct_1"}'


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        head = f"Content-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + BODY)

    def log_message(self, *_: Any) -> None:
        pass


class Service(ThreadingHTTPServer):
    daemon_threads = True


@pytest.fixture
def address() -> Iterator[str]:
    with Service(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(5)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system has no /dev/fd")
# Connections of a run are left open at its end, as the client goes on.
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_connections_go_with_the_run_of_their_loop(anyio_backend: str, address: str) -> None:
    """Each task of Celery, and each `async_to_sync`, is a run of its own, with the client of the module."""
    client = AsyncRamz(api_key=KEY, base_url=address)

    async def call() -> None:
        assert (await client.accounts.get()).id == "acct_1"

    counts = []
    for _ in range(20):
        anyio.run(call, backend=anyio_backend)
        gc.collect()
        counts.append(len(os.listdir("/dev/fd")))
    anyio.run(client.aclose, backend=anyio_backend)
    gc.collect()
    # The run before may still have one, with its other end.
    assert counts[-1] <= counts[2] + 2, counts
