"""Answers of the service, and what is none: pure, for both transports."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Callable, Optional, TypeVar

from .errors import ApiError, ServerError, class_for_status

T = TypeVar("T")
_MEMBERS = ("code", "message", "field", "request_id")
#: Bytes of a body, decompressed. No answer of the service comes near it; what does is somebody else's.
LARGEST = 16 * 1024 * 1024


class Body:
    """Takes a body as it comes in, and no more of it than an answer may have."""

    def __init__(self, status: int) -> None:
        self._status = status
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> None:
        """Raises: ApiError: It is larger than any answer."""
        self._bytes += chunk
        if len(self._bytes) > LARGEST:
            raise class_for_status(self._status)(
                "larger than any answer of Ramz", status=self._status
            )

    def read(self) -> bytes:
        return bytes(self._bytes)


def read_answer(
    status: int, headers: Mapping[str, str], body: bytes, parse: Callable[[Mapping[str, Any]], T]
) -> T:
    """What the caller gets.

    Args:
        headers: With names in lower case, or whatever their case.

    Raises:
        ApiError: The service refused, or what came is no answer of it.
    """
    document = read_object(body)
    if not 200 <= status < 300:
        raise error_of(status, headers, document)
    if document is None:
        raise error_of(status, headers, None)
    try:
        return parse(document)
    except (ValueError, RecursionError) as error:
        request_id = headers.get("x-request-id", "")
        raise ServerError(
            f"HTTP {status}, but not as the contract has it: {error}",
            status=status,
            request_id=request_id,
        ) from None


def read_object(body: bytes) -> Optional[Mapping[str, Any]]:
    """The JSON object in `body`; None if it is something else."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def error_of(
    status: int, headers: Mapping[str, str], document: Optional[Mapping[str, Any]]
) -> ApiError:
    """The error that an answer is."""
    found = document.get("error") if document else None
    error: Mapping[str, Any] = found if isinstance(found, dict) else {}
    field = error.get("field")
    return class_for_status(status)(
        _text(error, "message") or f"HTTP {status}",
        code=_text(error, "code"),
        field=field if isinstance(field, str) else None,
        request_id=_text(error, "request_id") or headers.get("x-request-id", ""),
        status=status,
        retry_after=retry_after_of(headers),
        details={name: value for name, value in error.items() if name not in _MEMBERS},
    )


def retry_after_of(headers: Mapping[str, str]) -> Optional[float]:
    """Seconds of `Retry-After`; its other form, a date, is not one that Ramz uses."""
    text = headers.get("retry-after", "").strip()
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else None


def _text(error: Mapping[str, Any], name: str) -> str:
    value = error.get(name)
    return value if isinstance(value, str) else ""
