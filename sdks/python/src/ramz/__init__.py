"""Client of Ramz, the self-hosted service that verifies phone numbers with one-time codes.

from ramz import Ramz

with Ramz() as client:  # RAMZ_API_KEY and RAMZ_BASE_URL
    session = client.verify.send(to="+213550000001")
    answer = client.verify.check(id=session.id, code=input("Code: "))
    print("verified" if answer.valid else answer.reason)
"""

from . import constants, errors, types, webhooks
from ._client import AsyncRamz, Ramz
from ._pages import AsyncPageIterator, Page, PageIterator
from ._version import __version__
from .errors import (
    ApiError,
    AuthenticationError,
    ConfigurationError,
    ConflictError,
    InvalidRequestError,
    NetworkError,
    NotFoundError,
    PermissionDeniedError,
    RamzError,
    RateLimitError,
    RequestTimeoutError,
    ServerError,
    SignatureError,
)

__all__ = [
    "ApiError",
    "AsyncPageIterator",
    "AsyncRamz",
    "AuthenticationError",
    "ConfigurationError",
    "ConflictError",
    "InvalidRequestError",
    "NetworkError",
    "NotFoundError",
    "Page",
    "PageIterator",
    "PermissionDeniedError",
    "Ramz",
    "RamzError",
    "RateLimitError",
    "RequestTimeoutError",
    "ServerError",
    "SignatureError",
    "__version__",
    "constants",
    "errors",
    "types",
    "webhooks",
]
