"""Calls as HTTP requests: pure, for both transports."""

from __future__ import annotations

import json
import platform
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional
from urllib.parse import quote

from ._call_options import Course
from ._message import encode
from ._operation import Operation
from ._settings import Settings, is_printable_ascii
from ._version import __version__
from .errors import ConfigurationError

_USER_AGENT = f"ramz-python/{__version__} python/{platform.python_version()}"


@dataclass(frozen=True)
class Request:
    """One call, the same for each of its attempts."""

    operation: Operation
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: Optional[bytes]
    course: Course
    #: What the request says of the ids that the answer must have.
    asked: Mapping[str, Any] = field(repr=False)
    #: What no error may hold.
    api_key: str = field(repr=False)


def build_request(
    settings: Settings,
    operation: Operation,
    fields: Mapping[str, Any],
    course: Course,
    *,
    idempotency_key: Optional[str] = None,
) -> Request:
    """Makes the request of a call. `None` among the fields means that it was not given.

    Raises:
        ConfigurationError: Something can not be written down.
    """
    rest = {name: _given(encode(value)) for name, value in fields.items() if value is not None}
    path = operation.path
    for name in fields:
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", _segment(name, rest.pop(name, "")))
    headers = {
        **course.headers,
        "accept": "application/json",
        "authorization": f"Bearer {settings.api_key}",
        "user-agent": f"{_USER_AGENT} {settings.user_agent}".rstrip(),
    }
    if operation.idempotency_key:
        headers["idempotency-key"] = _idempotency_key(idempotency_key)
    content = None
    query = ""
    if operation.has_body:
        headers["content-type"] = "application/json"
        content = write_json(rest)
    elif rest:
        query = "?" + _query(rest)
    return Request(
        operation=operation,
        url=settings.base_url + path + query,
        headers=headers,
        content=content,
        course=course,
        asked={name: fields.get(name) for name in operation.ids},
        api_key=settings.api_key,
    )


def _given(value: Any) -> Any:
    """Without what is `None` further in: the service refuses `null`."""
    if isinstance(value, dict):
        return {name: _given(each) for name, each in value.items() if each is not None}
    return [_given(each) for each in value] if isinstance(value, list) else value


def write_json(value: object) -> bytes:
    """UTF-8: an escape would take twice as much and more, and the service takes 64 KiB.

    Raises:
        ConfigurationError: A number or a text has no JSON, such as half of a surrogate pair.
    """
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return text.encode()
    except ValueError as error:
        problem = str(error)
    # Not while that error is handled: it holds the whole text.
    raise ConfigurationError(f"the request can't be written as JSON: {problem}")


def _segment(name: str, value: object) -> str:
    # Empty, `.` and `..` would name another place, however they are encoded.
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise ConfigurationError(f"{name} must be an id, not {value!r}")
    return _quoted(name, value)


def _query(fields: Mapping[str, Any]) -> str:
    pairs = [
        (name, each)
        for name, value in fields.items()
        for each in (value if isinstance(value, list) else [value])
    ]
    return "&".join(
        f"{quote(name, safe='')}={_quoted(name, _plain(value))}" for name, value in pairs
    )


def _quoted(name: str, text: str) -> str:
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        pass  # Not handled here: the error holds the text.
    raise ConfigurationError(f"{name} is not text: it holds half of a surrogate pair")


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _idempotency_key(given: Optional[str]) -> str:
    if given is None:
        return str(uuid.uuid4())
    # HTTP cuts spaces off the ends of a header: it would be another key.
    if not 1 <= len(given) <= 256 or not is_printable_ascii(given) or given != given.strip(" "):
        raise ConfigurationError(
            "idempotency_key must be 1 to 256 printable ASCII characters, no space at either end"
        )
    return given
