"""What is not an answer of Ramz: a proxy's page, a redirect, JSON of somebody else. Always a `ServerError`, because
whoever uses the application has no part in it. The rules of its text are in sdks/README.md. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Optional

from .errors import ServerError

_PREFIX = "not an answer of Ramz"
#: Characters of the body that the error keeps, and those in its message.
_KEPT = 1024
_SHOWN = 80
#: Space, and the mark of UTF-8.
_BEFORE_JSON = b" \t\r\n\xef\xbb\xbf"
_UNPRINTABLE = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029]+")
_ADDRESS = re.compile(
    r"(https?://)(?:[^/?#\s]*@)?([\w.:\[\]-]+)(?:[/?#]|\Z)", re.IGNORECASE | re.ASCII
)
_MEDIA_TYPE = re.compile(r"\s*([\w.+-]+/[\w.+-]+)\s*(?:;|\Z)", re.ASCII)


def foreign_answer(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    api_key: str,
    *,
    mismatch: str = "",
    retry_after: Optional[float] = None,
) -> ServerError:
    """The error that the answer is.

    Args:
        api_key: Something on the way may print what it was sent: the key is cut out of everything.
        mismatch: What is wrong with an object of success. Its text is not kept: it may hold numbers
            and secrets.
    """
    shown = masked_headers(headers, api_key)
    if 200 <= status < 300 and body.lstrip(_BEFORE_JSON).startswith(b"{"):
        # It begins as an object of success, though it is none to its end.
        mismatch = mismatch or "not the JSON of an answer"
    text = ""
    if mismatch:
        about = f" ({_masked(mismatch, api_key)})"
    else:
        text = _masked(body.decode("utf-8", "replace"), api_key)[:_KEPT]
        address = _ADDRESS.match(shown.get("location", "")) if 300 <= status < 400 else None
        about = (
            f" to {address[1]}{address[2]}/… (set base_url to that)"
            if address
            else _media_type(shown) + _excerpt(text)
        )
    return ServerError(
        f"{_PREFIX}: HTTP {status}{about}",
        request_id=shown.get("x-request-id", ""),
        status=status,
        retry_after=retry_after,
        headers=shown,
        body=text,
    )


def masked_headers(headers: Mapping[str, str], api_key: str) -> dict[str, str]:
    """Headers without the key, and without the user and password of a redirect."""
    masked = {name: _masked(value, api_key) for name, value in headers.items()}
    if "location" in masked:
        masked["location"] = re.sub(r"//[^/?#\s]*@", "//***@", masked["location"], count=1)
    return masked


def _masked(text: str, api_key: str) -> str:
    return text.replace(api_key, "***")


def _media_type(headers: Mapping[str, str]) -> str:
    found = _MEDIA_TYPE.match(headers.get("content-type", ""))
    return f" {found[1].lower()}" if found else ""


def _excerpt(text: str) -> str:
    line = _UNPRINTABLE.sub(" ", text).strip(" ")
    if not line:
        return ""
    return f': "{line[:_SHOWN]}…"' if len(line) > _SHOWN else f': "{line}"'
