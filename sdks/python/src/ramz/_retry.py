"""Whether a call is made again, and after how long: pure. See "Retries" in sdks/README.md."""

from __future__ import annotations

from typing import Callable, Optional

from ._generated.error_codes import RETRIED, STATUS_OF
from ._operation import Operation
from .errors import ApiError, NetworkError, RamzError

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
_LONGEST_RETRY_AFTER = 60.0
_RETRIED_STATUSES = frozenset([500, 502, 503, 504])


def pause_before_repeat(
    error: RamzError,
    operation: Operation,
    repeats: int,
    max_retries: int,
    random: Callable[[], float],
) -> Optional[float]:
    """Seconds to wait before the call is repeated; None: it is not, the error is the caller's.

    Args:
        repeats: How often the call was repeated already.
        random: Answers a number from 0 to 1.
    """
    if repeats >= max_retries or not _may_repeat(error, operation):
        return None
    retry_after = error.retry_after if isinstance(error, ApiError) else None
    if retry_after is not None:
        return None if retry_after > _LONGEST_RETRY_AFTER else retry_after * (1 + random() / 10)
    # The exponent is bounded too: 2.0 ** 1100 is an error.
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(repeats, 10))
    return float(longest * (1 + random()) / 2)


def may_be_done(error: RamzError) -> bool:
    """The service may have done what the attempt asked for: it did not answer, or failed on the way (docs/errors.md)."""
    if isinstance(error, ApiError):
        return error.status >= 500 and error.code != "overloaded"
    return isinstance(error, NetworkError)


def is_gone(error: RamzError) -> bool:
    """What the call names is not there. Not `not_found` alone, which is an address that the service does not have."""
    return isinstance(error, ApiError) and error.status == 404 and error.code.endswith("_not_found")


def _may_repeat(error: RamzError, operation: Operation) -> bool:
    if isinstance(error, NetworkError):
        return operation.repeatable
    if not isinstance(error, ApiError):
        return False  # nothing was sent
    if error.code == "rate_limited":
        return True  # refused at the door: nothing was done
    if not operation.repeatable:
        return False
    if error.status == 408:
        return True  # the request did not arrive, whoever says so
    if error.code in STATUS_OF:
        return error.code in RETRIED
    return error.status in _RETRIED_STATUSES or (not error.code and _is_of_a_proxy(error))


def _is_of_a_proxy(error: ApiError) -> bool:
    """The call did not reach the service. A limit without a time to wait would only be met again."""
    return error.status == 425 or (error.status == 429 and error.retry_after is not None)
