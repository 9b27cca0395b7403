"""Server streams by the Connect protocol: its envelopes, and how a stream ends. Pure.

https://connectrpc.com/docs/protocol#streaming-rpcs
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Optional

from ._answer import LARGEST, error_of, read_object, retry_after_of, without_key
from ._foreign import masked_headers
from ._request import Request
from ._rpc_status import error_of_status
from .errors import ApiError, ServerError

CONTENT_TYPE = "application/connect+json"
_COMPRESSED = 0x01
_END_OF_STREAM = 0x02
_PREFIX = 5  # one byte of flags, four of length


def envelope(message: bytes, flags: int = 0) -> bytes:
    return bytes([flags]) + len(message).to_bytes(4, "big") + message


class StreamReader:
    """Takes what comes in as it comes in, and gives messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        #: The stream came to its end, and not just to that of the connection.
        self.is_over = False
        #: What it ended with, where that was an error.
        self.error: Optional[ApiError] = None

    def feed(self, chunk: bytes) -> list[Mapping[str, Any]]:
        """The messages that `chunk` completes.

        Raises:
            ServerError: This is no stream of Ramz.
        """
        self._buffer += chunk
        messages: list[Mapping[str, Any]] = []
        while not self.is_over and len(self._buffer) >= _PREFIX:
            flags = self._buffer[0]
            length = int.from_bytes(self._buffer[1:_PREFIX], "big")
            if flags & _COMPRESSED or length > LARGEST:
                raise ServerError("a stream that can not be read", status=200)
            if len(self._buffer) < _PREFIX + length:
                break
            document = read_object(bytes(self._buffer[_PREFIX : _PREFIX + length]))
            del self._buffer[: _PREFIX + length]
            if document is None:
                raise ServerError("a stream that can not be read", status=200)
            if not flags & _END_OF_STREAM:
                messages.append(document)
                continue
            self.is_over = True
            error = document.get("error")
            if isinstance(error, dict):
                self.error = _error_of(error)
        return messages


def refused_stream(
    request: Request, status: int, headers: Mapping[str, str], body: bytes
) -> ApiError:
    """The error that the answer to a request for a stream is, where it is no stream."""
    document = read_object(without_key(request, body))
    if document and isinstance(document.get("code"), str):
        shown = masked_headers(headers, request.api_key)
        return _error_of(
            document,
            http_status=status,
            request_id=shown.get("x-request-id", ""),
            retry_after=retry_after_of(headers),
        )
    return error_of(request, status, headers, body)


def is_stream(status: int, headers: Mapping[str, str]) -> bool:
    return status == 200 and headers.get("content-type", "").startswith(CONTENT_TYPE)


def _error_of(error: Mapping[str, Any], **response: Any) -> ApiError:
    """Of Connect. `response` is what else is known where it came in place of a stream, see `error_of_status`."""
    details = error.get("details")
    read = [_detail(each) for each in details] if isinstance(details, list) else []
    return error_of_status(
        str(error.get("code", "")),
        str(error.get("message", "")),
        [each for each in read if each is not None],
        **response,
    )


def _detail(detail: object) -> Optional[tuple[str, bytes]]:
    if not isinstance(detail, dict):
        return None
    try:
        # Written without padding; too much of it does no harm.
        return str(detail.get("type", "")), base64.b64decode(str(detail.get("value", "")) + "==")
    except (binascii.Error, ValueError):
        return None
