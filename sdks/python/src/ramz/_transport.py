"""Calls over httpx, synchronously. The asynchronous twin is _async_transport.py."""

from __future__ import annotations

import random
import re
import ssl
import time
from collections.abc import Generator, Iterator, Mapping
from typing import Any, Callable, Optional, TypeVar, Union

import httpx

from ._answer import Body, read_answer
from ._attempts import Attempts
from ._call_options import CallOptions, WatchOptions, course_of
from ._connect import is_stream, refused_stream
from ._deadline import ending_within
from ._operation import Operation
from ._pages import Listing, Page
from ._pool import WITHOUT_END, Pool, this_process
from ._request import Request, build_request
from ._settings import Settings
from ._watch import Watch
from .errors import NetworkError, RamzError, RequestTimeoutError

T = TypeVar("T")
#: What h11 says of what it could not read. That stands behind, and may be part of an answer, with numbers and secrets.
_UNREADABLE = re.compile(r"(illegal [a-z]+ line): ")
#: A connection that broke. httpcore's asynchronous connections pass on what TLS raises after the handshake (1.0.9), such as an
#: alert about the client's certificate, which TLS 1.3 sends in place of the answer.
BROKEN = (httpx.RequestError, ssl.SSLError)


class Transport:
    """Makes calls, and makes them again where that may help."""

    def __init__(self, settings: Settings, http_client: Optional[httpx.Client] = None) -> None:
        self.settings = settings
        self._pool = Pool(http_client)
        #: Of watches. Made when there is the first one, since it takes a while.
        self._streams: dict[str, Pool] = {} if http_client is None else {"": self._pool}
        # Tests put their own in their place.
        self._sleep: Callable[[float], None] = time.sleep
        self._random: Callable[[], float] = random.random
        self._clock: Callable[[], float] = time.monotonic

    def call(
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
                return read_answer(request, *self._attempt(attempts), parse)
            except RamzError as error:
                if attempts.have_deleted(error):
                    return parse({})
                pause = attempts.pause_after(error)
                if pause is None:
                    raise
            self._sleep(pause)

    def pages(
        self,
        operation: Operation,
        parse: Callable[[Mapping[str, Any]], Page[T]],
        fields: Mapping[str, Any],
        *,
        options: Mapping[str, Any],
    ) -> Listing[T]:
        """Lists; nothing is fetched before the first item is asked for."""

        def fetch(token: str) -> Page[T]:
            asked = {**fields, "page_token": token or None}
            return self.call(operation, parse, asked, options=options)

        return Listing(fetch, fields.get("page_token") or "")

    def watch(
        self,
        operation: Operation,
        parse: Callable[[Mapping[str, Any]], T],
        fields: Mapping[str, Any],
        *,
        options: Mapping[str, Any],
    ) -> Generator[T, None, None]:
        """Follows a stream to its end, over as many connections as it takes."""
        course = course_of(self.settings, operation.name, options, WatchOptions)
        request = build_request(self.settings, operation, fields, course)
        return self._follow(Watch(request, parse, self._clock, self._random))

    def close(self) -> None:
        for pool in (*self._streams.values(), self._pool):
            pool.close()

    def _pool_of_streams(self) -> Pool:
        self._pool.check_open()
        # Of two threads, one makes a pool that is never used.
        return self._streams.get("") or self._streams.setdefault("", Pool(None, WITHOUT_END))

    def _follow(self, watch: Watch[T]) -> Generator[T, None, None]:
        while True:
            try:
                yield from self._connection(watch)
                return
            except RamzError as error:
                pause = watch.pause_after(error)
                if pause is None:
                    raise
            self._sleep(pause)

    def _connection(self, watch: Watch[T]) -> Generator[T, None, None]:
        watch.begin()
        process = this_process()
        try:
            with ending_within(watch.patience()):
                client = self._pool_of_streams().client()
                response = _send(client, watch.request, httpx.Timeout(watch.patience()))
            # httpx looks at it again when it begins with the body. A client of the caller's own has no other limit.
            response.request.extensions["timeout"]["read"] = watch.quiet
            try:
                watch.answered(response.status_code, response.headers)
                chunks = _chunks(watch, response)
                if not is_stream(response.status_code, response.headers):
                    body = Body(response.status_code)
                    for chunk in chunks:
                        body.add(chunk)
                    raise refused_stream(
                        watch.request, response.status_code, response.headers, body.read()
                    )
                for chunk in chunks:
                    yield from watch.feed(chunk)
                    if this_process() != process:
                        raise NetworkError("the connection is that of the parent process")
                watch.check_ended()
            finally:
                if this_process() == process:
                    response.close()
        except BROKEN as error:
            if watch.is_ended_by(error):
                raise
            failure = watch_error(watch, error)
            watch.failed()
            raise failure from cause_of(error)

    def _attempt(self, attempts: Attempts) -> tuple[int, httpx.Headers, bytes]:
        timeout = attempts.begin()
        try:
            status, headers, body = self._exchange(attempts.request, timeout)
        except RamzError as error:
            attempts.failed(error)
            raise
        attempts.answered(status, headers)
        return status, headers, body

    def _exchange(self, request: Request, timeout: float) -> tuple[int, httpx.Headers, bytes]:
        deadline = self._clock() + timeout
        try:
            with ending_within(timeout):
                response = _send(self._pool.client(), request, httpx.Timeout(timeout))
                try:
                    body = Body(response.status_code)
                    for chunk in response.iter_bytes():
                        body.add(chunk)
                        # A client of the caller's own bounds the time to the next byte alone.
                        if self._clock() > deadline:
                            raise httpx.ReadTimeout("the answer did not end in time")
                finally:
                    response.close()
        except BROKEN as error:
            raise network_error(request, error, timeout) from cause_of(error)
        return response.status_code, response.headers, body.read()


def for_httpx(
    client: Union[httpx.Client, httpx.AsyncClient], request: Request, timeout: httpx.Timeout
) -> httpx.Request:
    """The request as httpx sends it."""
    return client.build_request(
        request.operation.verb,
        request.url,
        headers=request.headers,
        content=request.content,
        timeout=timeout,
    )


def _send(client: httpx.Client, request: Request, timeout: httpx.Timeout) -> httpx.Response:
    sent = for_httpx(client, request, timeout)
    # Whatever an httpx client of the caller's own is set to: a key must not wander.
    return client.send(sent, stream=True, auth=None, follow_redirects=False)


def _chunks(watch: Watch[Any], response: httpx.Response) -> Iterator[bytes]:
    chunks = response.iter_bytes()
    while True:
        # Not around the `yield`: the deadline is the thread's, and the caller may make calls there.
        with ending_within(watch.patience()):
            chunk = next(chunks, None)
        if chunk is None:
            return
        yield chunk
        if watch.is_late():
            raise httpx.ReadTimeout("the first message did not come in time")


def watch_error(watch: Watch[Any], error: Exception) -> NetworkError:
    """A connection of a watch that broke, in our words."""
    is_quiet = isinstance(error, httpx.ReadTimeout) and watch.patience() is None
    seconds = watch.quiet if is_quiet else watch.request.course.timeout
    return network_error(watch.request, error, seconds)


def network_error(request: Request, error: Exception, timeout: float) -> NetworkError:
    """No response, in our words. The query is left out: it may hold a phone number."""
    name = request.operation.name
    if isinstance(error, httpx.TimeoutException):
        return RequestTimeoutError(f"{name}: no answer within {timeout:g} s")
    unreadable = _UNREADABLE.match(str(error))
    reason = unreadable[1] if unreadable else str(error) or type(error).__name__
    return NetworkError(f"{name}: no answer: {reason}")


def cause_of(error: Exception) -> Optional[Exception]:
    """The cause of the `network_error` of `error`; None where its text holds part of an answer."""
    return None if _UNREADABLE.match(str(error)) else error
