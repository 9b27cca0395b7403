"""What both transports do while they follow something: pure but for what they are told.

A connection that is lost, or is quiet for long, is made anew. The service then begins from the start;
what was told already is left out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Callable, Generic, Optional, TypeVar

from ._answer import check_ids
from ._attempts import LEAST_SECONDS, check_made, reporter_of
from ._connect import CONTENT_TYPE, StreamReader, envelope
from ._generated.types import WatchSessionResponse
from ._request import Request
from ._retry import pause_before_repeat
from .errors import NetworkError, RamzError, RequestTimeoutError, ServerError

T = TypeVar("T")

#: Seconds without a word after which a connection may be dead, and a new one is cheaper than to wonder.
QUIET_SECONDS = 60.0


def stream_request(request: Request) -> Request:
    """The request in the words of the Connect protocol."""
    headers = {**request.headers, "content-type": CONTENT_TYPE, "connect-protocol-version": "1"}
    del headers["accept"]
    return dataclasses.replace(request, headers=headers, content=envelope(request.content or b"{}"))


class Watch(Generic[T]):
    """One watch, over all its connections."""

    def __init__(
        self,
        request: Request,
        parse: Callable[[Mapping[str, Any]], T],
        clock: Callable[[], float],
        random: Callable[[], float],
    ) -> None:
        self.request = stream_request(request)
        self._parse = parse
        self._clock = clock
        self._random = random
        #: Seconds without a word after the first message: the connection may be dead.
        self.quiet = max(QUIET_SECONDS, request.course.timeout)
        self._ends = 0.0
        self._reporter = reporter_of(request, clock)
        self._is_reported = False
        self._repeats = 0
        self._failure: Optional[RamzError] = None
        self._last: Optional[T] = None
        self._reader = StreamReader()
        self._is_first = True

    def begin(self) -> None:
        """A new connection is being made."""
        self._reader = StreamReader()
        self._is_first = True
        self._is_reported = False
        self._ends = self._reporter.begin() + self.request.course.timeout

    def patience(self) -> Optional[float]:
        """Seconds that the first message may still take, more than 0. None: it has come, and others take their time."""
        return max(LEAST_SECONDS, self._ends - self._clock()) if self._is_first else None

    def is_late(self) -> bool:
        """The first message has not come in time."""
        return self._is_first and self._clock() > self._ends

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        """The connection got a response; its messages follow."""
        self._is_reported = True
        self._reporter.end(status, headers)

    def failed(self) -> None:
        """The connection broke, maybe before there was a response."""
        if not self._is_reported:
            self._reporter.end(0, {})

    def is_ended_by(self, error: BaseException) -> bool:
        """Whether a hook raised it."""
        return error is self._reporter.raised

    def feed(self, chunk: bytes) -> list[T]:
        """The news in what came in."""
        news: list[T] = []
        for document in self._reader.feed(chunk):
            try:
                answer: Optional[T] = self._parse(document)
                if getattr(answer, "session", None) is not None:
                    check_ids(self.request, getattr(answer, "session", None))
            except ValueError as error:
                raise ServerError(f"not an answer of Ramz ({error})", status=200) from None
            if self._is_first and self._last is not None and answer is not None:
                answer = since(self._last, answer)
            self._is_first = False
            # Whatever it says: a proxy that ends a connection after a minute without news is no failure.
            self._repeats = 0
            if answer is not None:
                self._last = answer
                news.append(answer)
        return news

    def check_ended(self) -> None:
        """The connection ended: raises unless the stream did, and well."""
        if self._reader.error is not None:
            raise self._reader.error
        if not self._reader.is_over:
            raise NetworkError("the connection was lost")

    def pause_after(self, error: RamzError) -> Optional[float]:
        """Seconds to wait before the next connection; None: there is none, the error is the caller's. See `Attempts`."""
        if self._reporter.raised is not None:
            return None
        check_made(self._failure, error)
        self._failure = error
        if isinstance(error, RequestTimeoutError) and not self._is_first:
            return 0.0  # just quiet
        pause = pause_before_repeat(
            error,
            self.request.operation,
            self._repeats,
            self.request.course.max_retries,
            self._random,
        )
        self._repeats += 1
        return pause


def since(last: T, answer: T) -> Optional[T]:
    """The first answer of a new connection without what was told before; None if nothing is left."""
    if isinstance(last, WatchSessionResponse) and isinstance(answer, WatchSessionResponse):
        if answer.session == last.session:
            return None
        told = len(last.session.timeline) if last.session else 0
        timeline = answer.session.timeline if answer.session else ()
        return dataclasses.replace(answer, new_entries=timeline[told:])
    return None if answer == last else answer
