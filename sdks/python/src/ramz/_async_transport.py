"""Calls over httpx, asynchronously, on asyncio or trio. The synchronous twin is _transport.py."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncGenerator, Awaitable, Mapping
from typing import Any, Callable, Optional, TypeVar

import anyio
import httpx

from ._answer import Body, read_answer
from ._attempts import Attempts
from ._call_options import CallOptions, WatchOptions, course_of
from ._cancellation import EachInChildTask, drop_lost_connections, in_child_task
from ._connect import is_stream, refused_stream
from ._operation import Operation
from ._pages import AsyncListing, Page
from ._pool import WITHOUT_END, AsyncPool, this_process
from ._request import Request, build_request
from ._settings import Settings
from ._transport import BROKEN, cause_of, for_httpx, network_error, watch_error
from ._watch import Watch
from .errors import NetworkError, RamzError

T = TypeVar("T")


class AsyncTransport:
    """Makes calls, and makes them again where that may help."""

    def __init__(self, settings: Settings, http_client: Optional[httpx.AsyncClient] = None) -> None:
        self.settings = settings
        self._pool = AsyncPool(http_client)
        #: Of watches. Made when there is the first one, since it takes a while.
        self._streams: dict[str, AsyncPool] = {} if http_client is None else {"": self._pool}
        # Tests put their own in their place.
        self._sleep: Callable[[float], Awaitable[None]] = anyio.sleep
        self._random: Callable[[], float] = random.random
        self._clock: Callable[[], float] = time.monotonic

    async def call(
        self,
        operation: Operation,
        parse: Callable[[Mapping[str, Any]], T],
        fields: Mapping[str, Any],
        *,
        options: Mapping[str, Any],
        idempotency_key: Optional[str] = None,
    ) -> T:
        """Makes a call and returns what `parse` makes of the response."""
        course = course_of(self.settings, operation.name, options, CallOptions)
        request = build_request(
            self.settings, operation, fields, course, idempotency_key=idempotency_key
        )
        attempts = Attempts(request, self._clock, self._random)
        while True:
            try:
                return read_answer(request, *await self._attempt(attempts), parse)
            except RamzError as error:
                if attempts.have_deleted(error):
                    return parse({})
                pause = attempts.pause_after(error)
                if pause is None:
                    raise
            await self._sleep(pause)

    def pages(
        self,
        operation: Operation,
        parse: Callable[[Mapping[str, Any]], Page[T]],
        fields: Mapping[str, Any],
        *,
        options: Mapping[str, Any],
    ) -> AsyncListing[T]:
        """Lists; nothing is fetched before the first item is asked for."""

        async def fetch(token: str) -> Page[T]:
            asked = {**fields, "page_token": token or None}
            return await self.call(operation, parse, asked, options=options)

        return AsyncListing(fetch, fields.get("page_token") or "")

    def watch(
        self,
        operation: Operation,
        parse: Callable[[Mapping[str, Any]], T],
        fields: Mapping[str, Any],
        *,
        options: Mapping[str, Any],
    ) -> AsyncGenerator[T, None]:
        """Follows a stream to its end, over as many connections as it takes."""
        course = course_of(self.settings, operation.name, options, WatchOptions)
        request = build_request(self.settings, operation, fields, course)
        return self._follow(Watch(request, parse, self._clock, self._random))

    async def aclose(self) -> None:
        for pool in (*self._streams.values(), self._pool):
            await pool.aclose()

    def _pool_of_streams(self) -> AsyncPool:
        self._pool.check_open()
        return self._streams.get("") or self._streams.setdefault("", AsyncPool(None, WITHOUT_END))

    async def _follow(self, watch: Watch[T]) -> AsyncGenerator[T, None]:
        while True:
            connection = self._connection(watch)
            try:
                async for answer in connection:
                    yield answer
                return
            except RamzError as error:
                pause = watch.pause_after(error)
                if pause is None:
                    raise
            finally:
                # Unlike `yield from`, `async for` leaves it open where the caller stops in the middle.
                await connection.aclose()
            await self._sleep(pause)

    async def _connection(self, watch: Watch[T]) -> AsyncGenerator[T, None]:
        watch.begin()
        process = this_process()
        timeout = httpx.Timeout(watch.quiet)
        # The task may be cancelled when the response has just come: there it is found, and closed.
        responses: list[httpx.Response] = []

        async def send() -> None:
            with anyio.fail_after(watch.patience()):
                client = self._pool_of_streams().client()
                responses.append(await _send(client, watch.request, timeout))

        try:
            try:
                await in_child_task(send)
                response = responses[0]
                watch.answered(response.status_code, response.headers)
                chunks = EachInChildTask(response.aiter_bytes(), watch.patience)
                if not is_stream(response.status_code, response.headers):
                    body = Body(response.status_code)
                    async for chunk in chunks:
                        body.add(chunk)
                    raise refused_stream(
                        watch.request, response.status_code, response.headers, body.read()
                    )
                async for chunk in chunks:
                    for answer in watch.feed(chunk):
                        yield answer
                    if this_process() != process:
                        raise NetworkError("the connection is that of the parent process")
                watch.check_ended()
            finally:
                for each in responses:
                    if this_process() == process:
                        await in_child_task(each.aclose)
        except BROKEN as error:
            if watch.is_ended_by(error):
                raise
            failure = watch_error(watch, error)
            watch.failed()
            raise failure from cause_of(error)
        except TimeoutError as error:
            if watch.is_ended_by(error):
                raise
            failure = watch_error(watch, httpx.ReadTimeout(""))
            watch.failed()
            raise failure from error

    async def _attempt(self, attempts: Attempts) -> tuple[int, httpx.Headers, bytes]:
        timeout = attempts.begin()
        try:
            status, headers, body = await in_child_task(
                lambda: self._exchange(attempts.request, timeout)
            )
        except RamzError as error:
            attempts.failed(error)
            raise
        attempts.answered(status, headers)
        return status, headers, body

    async def _exchange(self, request: Request, timeout: float) -> tuple[int, httpx.Headers, bytes]:
        try:
            # httpx bounds the time to the next byte; this bounds that of the whole answer.
            with anyio.fail_after(timeout):
                response = await _send(self._pool.client(), request, httpx.Timeout(timeout))
                try:
                    body = Body(response.status_code)
                    async for chunk in response.aiter_bytes():
                        body.add(chunk)
                finally:
                    await response.aclose()
        except BROKEN as error:
            raise network_error(request, error, timeout) from cause_of(error)
        except TimeoutError as error:
            raise network_error(request, httpx.ReadTimeout(""), timeout) from error
        return response.status_code, response.headers, body.read()


async def _send(
    client: httpx.AsyncClient, request: Request, timeout: httpx.Timeout
) -> httpx.Response:
    sent = for_httpx(client, request, timeout)
    # Whatever an httpx client of the caller's own is set to: a key must not wander.
    try:
        return await client.send(sent, stream=True, auth=None, follow_redirects=False)
    except BaseException:
        await drop_lost_connections(client)
        raise
