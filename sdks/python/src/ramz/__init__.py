"""Client of Ramz, the self-hosted service that verifies phone numbers with one-time codes.

from ramz import Ramz

with Ramz() as client:  # RAMZ_API_KEY and RAMZ_BASE_URL
    session = client.verify.send(to="+213550000001")
    answer = client.verify.check(id=session.id, code=input("Code: "))
    print("verified" if answer.valid else answer.reason)
"""

from . import constants, errors, types, webhooks
from ._call_options import CallOptions, WatchOptions
from ._client import AsyncRamz, Ramz
from ._pages import AsyncListing, Listing, Page
from ._response_info import ResponseInfo
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
    "AsyncListing",
    "AsyncRamz",
    "AuthenticationError",
    "CallOptions",
    "ConfigurationError",
    "ConflictError",
    "InvalidRequestError",
    "Listing",
    "NetworkError",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "Ramz",
    "RamzError",
    "RateLimitError",
    "RequestTimeoutError",
    "ResponseInfo",
    "ServerError",
    "SignatureError",
    "WatchOptions",
    "__version__",
    "constants",
    "errors",
    "types",
    "webhooks",
]
