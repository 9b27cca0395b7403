"""A time by which a synchronous attempt ends, whatever comes meanwhile.

httpx bounds the time to the next byte. A server that sends a byte of a header now and then, one interim response
after another, or gzip without output, is never late by that. So the connections of the SDK's own client wait for
nothing beyond the deadline of the attempt.
"""

from __future__ import annotations

import math
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Optional

import httpcore
import httpx

from ._addresses import addresses_of

#: Those of httpx, of which this is not a public name.
DEFAULT_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20)
#: The deadline of this thread's attempt, on the monotonic clock. None: the thread makes none, or a watch has begun to answer.
_deadline: ContextVar[Optional[float]] = ContextVar("ramz.deadline", default=None)


@contextmanager
def ending_within(seconds: Optional[float]) -> Iterator[None]:
    """Clients of `client_with_deadlines` take no longer than that for what this block asks of them. None: any time."""
    token = _deadline.set(None if seconds is None else time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def client_with_deadlines(limits: httpx.Limits = DEFAULT_LIMITS) -> httpx.Client:
    client = httpx.Client(limits=limits)
    # httpx has no option for what httpcore takes (0.28). A pool that is another one keeps the bounds of httpx.
    for transport in (client._transport, *client._mounts.values()):
        pool = getattr(transport, "_pool", None)
        if isinstance(pool, httpcore.ConnectionPool):
            pool._network_backend = _Backend()
    return client


def _within(timeout: Optional[float], error: type[httpcore.TimeoutException]) -> Optional[float]:
    """Seconds that one step may take; raises `error` where no time is left."""
    deadline = _deadline.get()
    if deadline is None:
        return timeout
    left = deadline - time.monotonic()
    if left <= 0:
        raise error("the attempt did not end in time")
    return left if timeout is None else min(timeout, left)


class _Backend(httpcore.NetworkBackend):
    def __init__(self) -> None:
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: Optional[float] = None,
        local_address: Optional[str] = None,
        socket_options: Optional[Iterable[Any]] = None,
    ) -> httpcore.NetworkStream:
        ends = time.monotonic() + (_within(timeout, httpcore.ConnectTimeout) or math.inf)
        addresses = addresses_of(host, port, ends - time.monotonic())
        # The inner backend would give each address of the name the whole time.
        for tried, address in enumerate(addresses):
            left = ends - time.monotonic()
            if left <= 0:
                break
            share = None if left == math.inf else left / (len(addresses) - tried)
            try:
                return _Stream(
                    self._inner.connect_tcp(address, port, share, local_address, socket_options)
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if tried == len(addresses) - 1:
                    raise
        raise httpcore.ConnectTimeout("the attempt did not end in time")


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: Optional[float] = None) -> bytes:
        return self._inner.read(max_bytes, _within(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: Optional[float] = None) -> None:
        self._inner.write(buffer, _within(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> httpcore.NetworkStream:
        timeout = _within(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
