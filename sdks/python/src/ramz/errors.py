"""Everything that the SDK raises. A wrong code is none of it: see `CheckResponse.valid`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from ._headers import Headers

__all__ = [
    "ApiError",
    "AuthenticationError",
    "ConfigurationError",
    "ConflictError",
    "InvalidRequestError",
    "NetworkError",
    "NotFoundError",
    "PermissionDeniedError",
    "RamzError",
    "RateLimitError",
    "RequestTimeoutError",
    "ServerError",
    "SignatureError",
]


#: What `repr` shows of an error of the service.
_SHOWN = ("code", "field", "request_id", "status")


class RamzError(Exception):
    """Base of all errors of this SDK."""


class ConfigurationError(RamzError, ValueError):
    """No key, no address, or something malformed: nothing was sent."""


class ApiError(RamzError):
    """The service answered, and it refused or failed.

    Attributes:
        message: What is wrong, in words for developers.
        code: A constant of `constants.ErrorCode`, or one that this SDK does not know yet; empty
            where the answer is not one of Ramz (of a proxy, say).
        field: The field at fault, by its path: `cascade[0].channel`.
        request_id: Tells this call to whoever runs the service; empty where it is unknown.
        status: HTTP status.
        retry_after: Seconds after which it makes sense to try again, where the service said so.
        details: What else the error says, such as `session_id` and `resend_after`.
        headers: Those of the answer, found whatever their case; the API key is not among them, even
            where something sent it back. Empty over gRPC and in a stream.
        body: The first 1,024 characters of an answer that is not one of Ramz; else empty.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        field: Optional[str] = None,
        request_id: str = "",
        status: int = 0,
        retry_after: Optional[float] = None,
        details: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        body: str = "",
    ) -> None:
        # Only positional arguments: errors are pickled on their way between processes.
        super().__init__(message)
        self.message = message
        self.code = code
        self.field = field
        self.request_id = request_id
        self.status = status
        self.retry_after = retry_after
        self.details: Mapping[str, Any] = dict(details or {})
        self.headers: Mapping[str, str] = Headers(headers or {})
        self.body = body

    def __str__(self) -> str:
        about = [self.code, f"field {self.field}" if self.field else "", self.request_id]
        known = ", ".join(part for part in about if part)
        return f"{self.message} ({known})" if known else self.message

    def __repr__(self) -> str:
        about = [f"{name}={value!r}" for name in _SHOWN if (value := getattr(self, name))]
        return f"{type(self).__name__}({', '.join([repr(self.message), *about])})"


class InvalidRequestError(ApiError):
    """The request is not as it must be: 400 and other 4xx."""


class AuthenticationError(ApiError):
    """No key, or none that is valid: 401."""


class PermissionDeniedError(ApiError):
    """The key may not do this: 403."""


class NotFoundError(ApiError):
    """There is no such thing in this account and mode: 404."""


class ConflictError(ApiError):
    """Something else is in the way: 409."""


class RateLimitError(ApiError):
    """Too much, or too soon: 429."""


class ServerError(ApiError):
    """The service failed (5xx), or what came is not an answer of Ramz, whatever its status: a proxy's page,
    a redirect. `code` is empty then; see `headers` and `body`."""


class NetworkError(RamzError):
    """No answer came. Whether the service acted on the call is unknown."""


class RequestTimeoutError(NetworkError):
    """No answer came in time."""


class SignatureError(RamzError):
    """A webhook is not genuine.

    Attributes:
        reason: `malformed`, `too_old`, `too_new` or `no_match`.
    """

    def __init__(self, message: str, reason: str = "malformed") -> None:
        super().__init__(message, reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[0])


def class_for(status: int, code: str) -> type[ApiError]:
    """The class of an error with this HTTP status; without a code it is nobody's but the server's."""
    if code and 400 <= status < 500:
        return _BY_STATUS.get(status, InvalidRequestError)
    return ServerError


_BY_STATUS: dict[int, type[ApiError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}
