"""`AsyncRamz` in event loops that end, and in tasks that are cancelled, over connections that are kept."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import anyio
import httpcore
import httpx
import pytest
from network import BASE, KEY

from ramz import AsyncRamz, RequestTimeoutError

BODY = b'{"id":"acct_1"}'


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        head = f"Content-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + BODY)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.do_GET()

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


# asyncio and anyio may lose a socket at such a step; the garbage collector closes it.
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("what", ["call", "watch"])
def test_a_cancelled_call_leaves_room_for_others(what: str, address: str) -> None:
    """Frameworks cancel the task of a client that went away; that can come at any step of a call."""

    async def ask(client: AsyncRamz) -> None:
        if what == "call":
            await client.accounts.get()
        else:
            [change async for change in client.verify.watch("vrf_1")]

    async def main() -> None:
        async with AsyncRamz(api_key=KEY, base_url=address, max_retries=0) as client:
            for steps in range(150):
                call = asyncio.ensure_future(ask(client))
                for _ in range(steps % 50):
                    await asyncio.sleep(0)
                call.cancel()
                await asyncio.gather(call, return_exceptions=True)
            pool: Any = client._transport._pool.client()._transport
            lost = [each.info() for each in pool._pool.connections if not each.is_idle()]
            assert lost == []

    asyncio.run(main())
    gc.collect()  # Here, where what it says is expected.


class _OtherPool(httpcore.AsyncConnectionPool):
    """One of a version of httpcore that calls its private things something else, with a service that is silent."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("_connections", "_requests"):
            raise AttributeError(name)
        return super().__getattribute__(name)

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        await anyio.sleep_forever()
        raise AssertionError

    async def aclose(self) -> None:
        pass


@pytest.mark.anyio
async def test_a_timeout_is_one_whatever_the_pool_calls_its_connections() -> None:
    transport = httpx.AsyncHTTPTransport()
    transport._pool = _OtherPool()
    async with httpx.AsyncClient(transport=transport) as http_client:
        client = AsyncRamz(
            api_key=KEY, base_url=BASE, timeout=0.05, max_retries=0, http_client=http_client
        )
        with pytest.raises(RequestTimeoutError):
            await client.accounts.get()
