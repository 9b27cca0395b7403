"""Hosts whose name has several addresses, or is not resolved in time: the time of an attempt holds over all of it."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from network import KEY

from ramz import NetworkError, Ramz, RequestTimeoutError

# Elsewhere this machine has one loopback address, and a full queue refuses.
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs 127.0.0.2")
NAME = "several.example"
ANSWER = b'HTTP/1.1 200 OK\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{"id": "acct_1"}'


@contextmanager
def deaf(address: str) -> Iterator[int]:
    """A port whose queue is full: who connects gets no answer."""
    with socket.socket() as listener:
        listener.bind((address, 0))
        listener.listen(0)
        port: int = listener.getsockname()[1]
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
        try:
            yield port
        finally:
            for each in waiting:
                each.close()


def resolving(monkeypatch: pytest.MonkeyPatch, resolve: Any) -> None:
    """`resolve` is asked for the addresses of NAME."""
    real = socket.getaddrinfo

    def look_up(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host != NAME:
            return real(host, port, *args, **options)
        if options.get("flags") == socket.AI_NUMERICHOST:
            raise socket.gaierror("not an address")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in resolve()]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def get(port: int, timeout: float) -> str:
    options: dict[str, Any] = {"timeout": timeout, "max_retries": 0}
    with Ramz(api_key=KEY, base_url=f"http://{NAME}:{port}", **options) as client:
        return client.accounts.get().id


def test_addresses_share_the_time_of_an_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, lambda: [f"127.0.0.{number}" for number in range(1, 9)])
    with deaf("0.0.0.0") as port:  # noqa: S104
        begun = time.monotonic()
        with pytest.raises(RequestTimeoutError, match=r"within 4 s"):
            get(port, 4)
        assert time.monotonic() - begun < 20  # and not eight times 4 s


def test_a_deaf_address_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, lambda: ["127.0.0.1", "127.0.0.2"])
    with deaf("127.0.0.1") as port, socket.create_server(("127.0.0.2", port)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(ANSWER)

        thread = threading.Thread(target=answer)
        thread.start()
        assert get(port, 4) == "acct_1"
        thread.join(5)


def test_a_slow_resolver_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()

    def resolve() -> list[str]:
        is_over.wait(60)
        return ["127.0.0.1"]

    resolving(monkeypatch, resolve)
    begun = time.monotonic()
    try:
        with pytest.raises(RequestTimeoutError, match=r"within 0\.2 s"):
            get(9, 0.2)
        assert time.monotonic() - begun < 30  # and not a minute
    finally:
        is_over.set()


def test_a_name_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve() -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    resolving(monkeypatch, resolve)
    with pytest.raises(NetworkError, match="Name or service not known"):
        get(9, 5)
