"""Answers of the service, and what is none: pure, for both transports."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Optional, TypeVar

from ._foreign import foreign_answer, masked_headers
from ._request import Request
from .errors import ApiError, ServerError, class_for

T = TypeVar("T")
_MEMBERS = ("code", "message", "field", "request_id")
#: Of the contract's shape: others have codes, too.
_CODE = re.compile(r"[a-z][a-z0-9_]*")
_DATE = re.compile(r"[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT", re.ASCII)
#: Bytes of a body, decompressed. No answer of the service comes near it; what does is somebody else's.
LARGEST = 16 * 1024 * 1024


class Body:
    """Takes a body as it comes in, and no more of it than an answer may have."""

    def __init__(self, status: int) -> None:
        self._status = status
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> None:
        """Raises: ServerError: It is larger than any answer."""
        self._bytes += chunk
        if len(self._bytes) > LARGEST:
            raise ServerError("larger than any answer of Ramz", status=self._status)

    def read(self) -> bytes:
        return bytes(self._bytes)


def read_answer(
    request: Request,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    parse: Callable[[Mapping[str, Any]], T],
) -> T:
    """What the caller gets.

    Args:
        headers: With names in lower case, or whatever their case.

    Raises:
        ApiError: The service refused, or what came is no answer of it.
    """
    document = read_object(body)
    if document is None or not 200 <= status < 300:
        raise error_of(request, status, headers, body)
    try:
        answer = parse(document)
        check_ids(request, answer)
    except (ValueError, RecursionError) as error:
        raise foreign_answer(
            status, headers, body, request.api_key, mismatch=str(error) or type(error).__name__
        ) from None
    return answer


def check_ids(request: Request, answer: object) -> None:
    """Raises: ValueError: It is about something else: it may be somebody else's answer."""
    for name, asked in request.asked.items():
        found = getattr(answer, name, "")
        if not found:
            raise ValueError(f"{name} is missing")
        if asked and found != asked:
            raise ValueError(f"another {name} than asked for")


def read_object(body: bytes) -> Optional[Mapping[str, Any]]:
    """The JSON object in `body`; None if it is something else."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def error_of(request: Request, status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """The error that an answer is: the service's where it has a code, else one of somebody on the way."""
    shown = masked_headers(headers, request.api_key)
    document = None if 200 <= status < 300 else read_object(without_key(request, body))
    found = document.get("error") if document else None
    error: Mapping[str, Any] = found if isinstance(found, dict) else {}
    code, field = _text(error, "code"), error.get("field")
    retry_after = retry_after_of(headers)
    if not _CODE.fullmatch(code):
        return foreign_answer(status, headers, body, request.api_key, retry_after=retry_after)
    return class_for(status, code)(
        _text(error, "message") or f"HTTP {status}",
        code=code,
        field=field if isinstance(field, str) else None,
        request_id=_text(error, "request_id") or shown.get("x-request-id", ""),
        status=status,
        retry_after=retry_after,
        details={name: value for name, value in error.items() if name not in _MEMBERS},
        headers=shown,
    )


def without_key(request: Request, body: bytes) -> bytes:
    """A refusal of whoever is in the service's place, who may repeat what was sent."""
    return body.replace(request.api_key.encode(), b"***")


def retry_after_of(headers: Mapping[str, str]) -> Optional[float]:
    """Seconds of `retry-after-ms`, which only some proxies write, or of `Retry-After`. A date is measured by the clock
    of the answer: ours may be another. One that is over says nothing."""
    milliseconds = _whole(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    seconds = _whole(text)
    if seconds is not None:
        return seconds
    until, now = _date(text), _date(headers.get("date", ""))
    return until - now if until is not None and now is not None and until >= now else None


def _whole(text: str) -> Optional[int]:
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else None


def _date(text: str) -> Optional[float]:
    """Unix time of a date in RFC 9110's form; None for what is none."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None


def _text(error: Mapping[str, Any], name: str) -> str:
    value = error.get(name)
    return value if isinstance(value, str) else ""
