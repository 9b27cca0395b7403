"""Errors as gRPC and Connect write them (google.rpc.Status and its details), read without any
protobuf library: the HTTP part of this SDK needs none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Optional, Union

from ._generated.error_codes import STATUS_OF
from .errors import ApiError, class_for

#: Of Connect's names of gRPC's status codes.
_HTTP_STATUS = {
    "invalid_argument": 400,
    "failed_precondition": 400,
    "out_of_range": 400,
    "unauthenticated": 401,
    "permission_denied": 403,
    "not_found": 404,
    "already_exists": 409,
    "aborted": 409,
    "resource_exhausted": 429,
    "canceled": 499,
    "unimplemented": 501,
    "unavailable": 503,
    "deadline_exceeded": 504,
}


#: Of the service's reasons.
_DOMAIN = "ramz"


def error_of_status(
    name: str,
    message: str,
    details: Iterable[tuple[str, bytes]],
    *,
    http_status: Optional[int] = None,
    request_id: str = "",
    retry_after: Optional[float] = None,
) -> ApiError:
    """The error that a status is.

    Args:
        name: The status code as Connect calls it: `not_found`.
        details: Full name of a message and its bytes, each.
        http_status: That of the response, where the error came with one. A code of the service goes before it.
        request_id: What the headers say, as the next one. The details go before them.
    """
    code = ""
    field: Optional[str] = None
    more: dict[str, Any] = {}
    for type_name, value in details:
        try:
            members = list(read_fields(value))
            # Something on the way may have reasons of its own.
            if type_name == "google.rpc.ErrorInfo" and _text(members, 2) == _DOMAIN:
                more = dict(_pair(each) for number, each in members if number == 3)
                code = _text(members, 1)
            elif type_name == "google.rpc.BadRequest":
                violations = [each for number, each in members if number == 1]
                if violations and isinstance(violations[0], bytes):
                    field = _text(list(read_fields(violations[0])), 1)
            elif type_name == "google.rpc.RequestInfo":
                request_id = _text(members, 1)
            elif type_name == "google.rpc.RetryInfo":
                delay = next((each for number, each in members if number == 1), b"")
                retry_after = _seconds(delay)
        except ValueError:
            continue  # the error matters more than what is said about it
    status = STATUS_OF.get(code) or http_status or _HTTP_STATUS.get(name, 500)
    return class_for(status, code)(
        message or name,
        code=code,
        field=field,
        request_id=request_id,
        status=status,
        retry_after=retry_after,
        details=more,
    )


def read_fields(data: bytes) -> Iterator[tuple[int, Union[int, bytes]]]:
    """The fields of an encoded message: number, and its varint or bytes. Others are passed over.

    Raises:
        ValueError: It is cut off, or no message.
    """
    position = 0
    while position < len(data):
        key, position = _varint(data, position)
        number, wire_type = key >> 3, key & 7
        if wire_type == 0:
            value, position = _varint(data, position)
            yield number, value
            continue
        if wire_type == 2:
            length, position = _varint(data, position)
        elif wire_type in (1, 5):
            length = 8 if wire_type == 1 else 4
        else:
            raise ValueError("not a protobuf message")
        if position + length > len(data):
            raise ValueError("cut off")
        if wire_type == 2:
            yield number, data[position : position + length]
        position += length


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for index, byte in enumerate(data[position : position + 10]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, position + index + 1
    raise ValueError("cut off")


def _text(members: list[tuple[int, Union[int, bytes]]], wanted: int) -> str:
    for number, value in members:
        if number == wanted and isinstance(value, bytes):
            return value.decode("utf-8", "replace")
    return ""


def _pair(entry: Union[int, bytes]) -> tuple[str, str]:
    members = list(read_fields(entry)) if isinstance(entry, bytes) else []
    return _text(members, 1), _text(members, 2)


def _seconds(delay: Union[int, bytes]) -> float:
    members = dict(read_fields(delay)) if isinstance(delay, bytes) else {}
    seconds, nanos = members.get(1, 0), members.get(2, 0)
    whole = seconds if isinstance(seconds, int) else 0
    return whole + nanos / 1e9 if isinstance(nanos, int) and nanos else whole
