"""The options of one call, checked and completed with those of the client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional, TypedDict

from ._response_info import Hook
from ._settings import Settings, check_headers, check_hook, check_max_retries, check_seconds

_DEFAULT_TOTAL = 20.0


class WatchOptions(TypedDict, total=False):
    """Options of a watch, in place of the client's or beside them. `None` is as if not given."""

    timeout: Optional[float]
    """Seconds that each attempt may take; in a watch, until the first message."""

    max_retries: Optional[int]
    """How often the call is repeated at most; 0: never."""

    headers: Optional[Mapping[str, str]]
    """Sent beside the client's headers; those of the call win."""

    on_response: Optional[Hook]
    """Called after each attempt, after the client's own."""


class CallOptions(WatchOptions, total=False):
    """Options of one call, in place of the client's or beside them. `None` is as if not given."""

    total_timeout: Optional[float]
    """Seconds that the call may take, with all its attempts and pauses."""


@dataclass(frozen=True)
class Course:
    """How a call goes: its limits, the headers that the caller adds, and who hears of its attempts."""

    timeout: float
    total_timeout: float
    max_retries: int
    headers: Mapping[str, str] = field(repr=False)
    hooks: tuple[Hook, ...] = ()


def course_of(settings: Settings, operation: str, given: Mapping[str, Any], known: type) -> Course:
    """Completes what was given with the client's options.

    Args:
        known: The `TypedDict` of the options that there are.

    Raises:
        TypeError: There is no such option.
        ConfigurationError: One is malformed.
    """
    for name in given:
        if name not in known.__annotations__:
            raise TypeError(f"{operation}() got an unexpected keyword argument {name!r}")
    options = {name: value for name, value in given.items() if value is not None}
    timeout = check_seconds("timeout", options.get("timeout", settings.timeout))
    # Who gives a longer timeout does not want it cut by a default.
    total = options.get("total_timeout", settings.total_timeout or max(_DEFAULT_TOTAL, timeout))
    hooks = (settings.on_response, check_hook(options.get("on_response")))
    return Course(
        timeout=timeout,
        total_timeout=check_seconds("total_timeout", total),
        max_retries=check_max_retries(options.get("max_retries", settings.max_retries)),
        headers={**settings.headers, **check_headers(options.get("headers"))},
        hooks=tuple(hook for hook in hooks if hook is not None),
    )
