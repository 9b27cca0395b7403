"""The attempts of one call: how long each may take, and what follows a failure. Pure but for the clock and chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Callable, Optional

from ._request import Request
from ._response_info import Reporter
from ._retry import is_gone, may_be_done, pause_before_repeat
from .errors import ApiError, ConfigurationError, RamzError

#: A pause may have taken longer than it should have; no time at all would be no attempt.
LEAST_SECONDS = 0.001


class Attempts:
    """Counts the attempts of a call and keeps them within its time."""

    def __init__(
        self, request: Request, clock: Callable[[], float], random: Callable[[], float]
    ) -> None:
        self.request = request
        self._clock = clock
        self._random = random
        self._ends = clock() + request.course.total_timeout
        self._reporter = reporter_of(request, clock)
        #: An attempt may have been done, though it failed.
        self._is_in_doubt = False
        self._failure: Optional[RamzError] = None

    def begin(self) -> float:
        """An attempt begins. Returns the seconds that it may take."""
        left = self._ends - self._reporter.begin()
        return max(LEAST_SECONDS, min(self.request.course.timeout, left))

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        """The attempt got a response."""
        self._reporter.end(status, headers)

    def failed(self, error: RamzError) -> None:
        """The attempt got none, or one that was not read to its end."""
        if isinstance(error, ApiError):
            self._reporter.end(error.status, error.headers)
        else:
            self._reporter.end(0, {})

    def have_deleted(self, error: RamzError) -> bool:
        """Of a deletion: an earlier attempt, whose answer was lost, has done it. Asked before `pause_after`."""
        return (
            self.request.operation.is_deletion
            and self._is_in_doubt
            and self._reporter.raised is None
            and is_gone(error)
        )

    def pause_after(self, error: RamzError) -> Optional[float]:
        """Seconds to wait before the next attempt; None: there is none, the error is the caller's.

        Raises:
            RamzError: That of the attempt before, where this one was not made.
        """
        if self._reporter.raised is not None:
            return None
        check_made(self._failure, error)
        self._failure = error
        self._is_in_doubt = self._is_in_doubt or may_be_done(error)
        pause = pause_before_repeat(
            error,
            self.request.operation,
            self._reporter.attempts - 1,
            self.request.course.max_retries,
            self._random,
        )
        if pause is None or self._clock() + pause >= self._ends:
            return None
        return pause


def check_made(before: Optional[RamzError], error: RamzError) -> None:
    """Raises the failure before, where the client was closed in the pause: `error` would say that nothing was sent."""
    if before is not None and isinstance(error, ConfigurationError):
        raise before


def reporter_of(request: Request, clock: Callable[[], float]) -> Reporter:
    return Reporter(request.operation.name, request.api_key, request.course.hooks, clock)
