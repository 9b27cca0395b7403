"""Calls that are cancelled, and leave httpcore's pool of connections as they found it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from typing import Callable, Generic, Optional, TypeVar

import anyio
import httpcore
import httpx

T = TypeVar("T")


async def in_child_task(work: Callable[[], Awaitable[T]]) -> T:
    """Does the work in a task of its own, whose cancellation is always anyio's.

    httpcore shields what it does after a request from anyio's cancellation, and not from that of asyncio
    (`task.cancel()`, `asyncio.wait_for`, a framework whose client went away): it would never finish it.
    """
    child = _Child(work)
    async with anyio.create_task_group() as group:
        group.start_soon(child.run)
    return child.result()


class EachInChildTask(Generic[T]):
    """What an iterator brings, each waited for in a task of its own.

    Args:
        patience: Seconds that the next one may take, asked for each; None: any. It raises `TimeoutError`.
    """

    def __init__(self, iterator: AsyncIterator[T], patience: Callable[[], Optional[float]]) -> None:
        self._iterator = iterator
        self._patience = patience

    def __aiter__(self) -> EachInChildTask[T]:
        return self

    async def __anext__(self) -> T:
        return await in_child_task(self._next)

    async def _next(self) -> T:
        with anyio.fail_after(self._patience()):
            return await self._iterator.__anext__()


class _Child(Generic[T]):
    """Keeps what the work raises, which would come as an `ExceptionGroup` out of the task group."""

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._results: list[T] = []
        self._error: Optional[BaseException] = None

    async def run(self) -> None:
        try:
            self._results.append(await self._work())
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException as error:
            self._error = error

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        if not self._results:
            # asyncio alone lets others cancel this task: `for each in asyncio.all_tasks(): each.cancel()`.
            raise asyncio.CancelledError
        return self._results[0]


async def drop_lost_connections(client: httpx.AsyncClient) -> None:
    """Takes connections out of its pools that no request uses, and that are neither idle nor closed.

    A request that is cancelled after its connection was chosen or made, and before it begins there, leaves such
    a one behind in httpcore 1.0.9. After as many as the pool may have, no request gets one any more. There is
    no public way to find them. A pool that has other private names is left as it is: the caller shall hear of
    the timeout, and of no `AttributeError`.
    """
    for transport in (client._transport, *client._mounts.values()):
        pool = getattr(transport, "_pool", None)
        if not isinstance(pool, httpcore.AsyncConnectionPool):
            continue
        connections = getattr(pool, "_connections", None)
        requests = getattr(pool, "_requests", None)
        if connections is None or requests is None:
            continue
        used = [request.connection for request in requests]
        lost = [each for each in connections if each not in used and not each.is_idle()]
        for connection in lost:
            connections.remove(connection)
        with anyio.CancelScope(shield=True):
            for connection in lost:
                await connection.aclose()
