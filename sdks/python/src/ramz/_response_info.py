"""What hooks and the log get to know of an attempt, and nothing that is secret: no key, no number, no code."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Callable, Optional

from ._foreign import masked_headers
from ._headers import Headers

#: One line for each attempt, at level DEBUG.
_log = logging.getLogger("ramz")


@dataclass(frozen=True)
class ResponseInfo:
    """One attempt of a call, successful or not. `str()` of it is one line for a log."""

    operation: str
    """`verify.send`"""

    attempt: int
    """1 for the first attempt."""

    status: int
    """HTTP status; 0 where no response came."""

    request_id: str
    """Identifies the request in the logs of the service; empty where there is none."""

    duration: float
    """Seconds that the attempt took."""

    headers: Mapping[str, str] = field(repr=False)
    """Headers of the response; the case of their names does not matter. The API key is not among them, even where something
    sent it back. Empty where no response came."""

    def __str__(self) -> str:
        outcome = f"HTTP {self.status}" if self.status else "no response"
        id = f" ({self.request_id})" if self.request_id else ""
        return f"{self.operation}, attempt {self.attempt}: {outcome} in {self.duration:.3f} s{id}"


Hook = Callable[[ResponseInfo], None]


class Reporter:
    """Reports the attempts of one call to its hooks and to the log."""

    def __init__(
        self, operation: str, api_key: str, hooks: Sequence[Hook], clock: Callable[[], float]
    ) -> None:
        self._operation = operation
        self._api_key = api_key
        self._hooks = hooks
        self._clock = clock
        self._begun = 0.0
        #: Attempts so far.
        self.attempts = 0
        #: What a hook raised. It ends the call, whatever its class: no attempt follows.
        self.raised: Optional[BaseException] = None

    def begin(self) -> float:
        """An attempt begins. Returns the time."""
        self.attempts += 1
        self._begun = self._clock()
        return self._begun

    def end(self, status: int, headers: Mapping[str, str]) -> None:
        """The attempt ended. A hook may raise what it likes."""
        if not self._hooks and not _log.isEnabledFor(logging.DEBUG):
            return
        shown = Headers(masked_headers(headers, self._api_key))
        info = ResponseInfo(
            operation=self._operation,
            attempt=self.attempts,
            status=status,
            request_id=shown.get("x-request-id", ""),
            duration=self._clock() - self._begun,
            headers=shown,
        )
        _log.debug("%s", info)
        try:
            for hook in self._hooks:
                hook(info)
        except BaseException as error:
            self.raised = error
            raise
