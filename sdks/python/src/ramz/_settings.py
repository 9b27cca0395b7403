"""The options of a client, checked before anything is sent."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional
from urllib.parse import urlsplit

import httpx

from ._response_info import Hook
from .errors import ConfigurationError

DEFAULT_TIMEOUT = 10.0
DEFAULT_MAX_RETRIES = 2
#: RFC 9110, section 5.6.2.
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
#: What the SDK sets itself, or its HTTP client.
_OWN_HEADERS = frozenset(
    [
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "connect-protocol-version",
        "content-length",
        "content-type",
        "host",
        "idempotency-key",
        "transfer-encoding",
        "user-agent",
    ]
)


@dataclass(frozen=True)
class Settings:
    #: Never shown.
    api_key: str = field(repr=False)
    #: Without a slash at its end; a path is kept.
    base_url: str
    timeout: float
    max_retries: int
    #: None: the default, which looks at the timeout.
    total_timeout: Optional[float] = None
    #: A gateway's may be secret.
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    user_agent: str = ""
    on_response: Optional[Hook] = None


def read_settings(
    api_key: Optional[str],
    base_url: Optional[str],
    timeout: float,
    max_retries: int,
    total_timeout: Optional[float],
    headers: Optional[Mapping[str, str]],
    user_agent: Optional[str],
    on_response: Optional[Hook],
) -> Settings:
    """Completes options from the environment.

    Raises:
        ConfigurationError: One is missing or malformed.
    """
    key = os.environ.get("RAMZ_API_KEY") if api_key is None else api_key
    if not key:
        raise ConfigurationError("no API key: give api_key, or set RAMZ_API_KEY")
    if not is_printable_ascii(key) or " " in key:
        # Without showing it.
        raise ConfigurationError(
            "api_key holds a character that no key has: is there a newline or a space at its end?"
        )
    address = os.environ.get("RAMZ_BASE_URL") if base_url is None else base_url
    if not address:
        raise ConfigurationError("no address of the service: give base_url, or set RAMZ_BASE_URL")
    return Settings(
        key,
        _read_base_url(address),
        check_seconds("timeout", timeout),
        check_max_retries(max_retries),
        None if total_timeout is None else check_seconds("total_timeout", total_timeout),
        check_headers(headers),
        _check_user_agent(user_agent),
        check_hook(on_response),
    )


def check_seconds(name: str, seconds: Any) -> float:
    """Seconds, more than 0."""
    is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not is_number or not math.isfinite(seconds) or seconds <= 0:
        raise ConfigurationError(f"{name} must be a number of seconds, more than 0")
    return float(seconds)


def check_max_retries(count: Any) -> int:
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count
    raise ConfigurationError("max_retries must be a whole number, 0 or more")


def check_headers(given: Any) -> dict[str, str]:
    """Headers that the caller adds, with names in lower case. No message shows a value: it may be secret."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ConfigurationError("headers must be a mapping of names to values")
    checked: dict[str, str] = {}
    for name, value in given.items():
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            raise ConfigurationError(f"headers: {name!r} is not the name of a header")
        if name.lower() in _OWN_HEADERS:
            raise ConfigurationError(f"headers: {name} is set by the SDK itself")
        if not isinstance(value, str) or not is_printable_ascii(value) or value != value.strip(" "):
            raise ConfigurationError(
                f"headers: {name} must be printable ASCII, no space at either end"
            )
        checked[name.lower()] = value
    return checked


def _check_user_agent(given: Optional[str]) -> str:
    if given is None:
        return ""
    if not isinstance(given, str) or not given.strip(" ") or not is_printable_ascii(given):
        raise ConfigurationError("user_agent must be printable ASCII, such as my-shop/1.2")
    return given.strip(" ")


def check_hook(given: Any) -> Optional[Hook]:
    if given is not None and not callable(given):
        raise ConfigurationError("on_response must be callable")
    return given  # type: ignore[no-any-return]


def is_printable_ascii(text: str) -> bool:
    return all(" " <= character <= "~" for character in text)


def _read_base_url(address: str) -> str:
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # raises where it is no port
        httpx.URL(address)
    except (ValueError, httpx.InvalidURL):
        is_usable = False
    if not is_usable or not is_printable_ascii(address) or " " in address:
        raise ConfigurationError("base_url must be an address such as https://ramz.example")
    if parts.query or parts.fragment:
        raise ConfigurationError("base_url must have neither a query nor a fragment")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError("base_url must have no user and password: calls carry the API key")
    return address.rstrip("/")
