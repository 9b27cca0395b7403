"""The options of a client, checked before anything is sent."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Optional
from urllib.parse import urlsplit

import httpx

from .errors import ConfigurationError

DEFAULT_TIMEOUT = 10.0
DEFAULT_MAX_RETRIES = 2


@dataclass(frozen=True)
class Settings:
    #: Never shown.
    api_key: str = field(repr=False)
    #: Without a slash at its end; a path is kept.
    base_url: str
    timeout: float
    max_retries: int


def read_settings(
    api_key: Optional[str], base_url: Optional[str], timeout: float, max_retries: int
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
    if isinstance(max_retries, bool) or not isinstance(max_retries, int) or max_retries < 0:
        raise ConfigurationError("max_retries must be a whole number, 0 or more")
    return Settings(key, _read_base_url(address), check_timeout(timeout), max_retries)


def check_timeout(timeout: float) -> float:
    """Seconds, more than 0."""
    is_number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if not is_number or not math.isfinite(timeout) or timeout <= 0:
        raise ConfigurationError("timeout must be a number of seconds, more than 0")
    return float(timeout)


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
