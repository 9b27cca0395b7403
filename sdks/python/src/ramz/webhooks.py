"""Webhooks: whether one is genuine (Standard Webhooks), and what it tells."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import math
import re
import time
import uuid
from collections.abc import Iterable, Sequence
from typing import Optional, Protocol, Union, cast

from ._answer import read_object
from ._generated.types import Event, EventData, WebhookEvent
from .errors import ConfigurationError, SignatureError

__all__ = ["TOLERANCE_SECONDS", "Event", "EventData", "Headers", "WebhookEvent", "sign", "verify"]

#: How old, or how far ahead, a webhook may be.
TOLERANCE_SECONDS = 300
# A header as long as it may be should not make work.
_MOST_SIGNATURES = 10


class Headers(Protocol):
    """Headers of any framework: what a `dict` has."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify(
    body: Union[bytes, str],
    headers: Headers,
    secrets: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> Event:
    """Checks the signature of a webhook and reads it.

    Args:
        body: The **raw** body as it came: JSON that was read and written again is another text.
        headers: Those of the request; their names match whatever their case.
        secrets: The endpoint's secret, or several while one rotates.
        tolerance_seconds: How old, or how far ahead, it may be: a number from 0 on.
        now: Unix time. Default: that of this machine.

    Returns:
        The event, in the class of its type: `if event.type == "receipt.updated"` says that `event.data` is
        a `Receipt`. Where the type is not known yet, it is an `UnknownWebhookEvent` with plain JSON.

    Raises:
        SignatureError: It is not genuine: answer 400 and do nothing.
        ConfigurationError: There is no secret, or one is malformed; so is the tolerance or the time.
    """
    keys = _keys(secrets)
    # Nothing is greater than NaN: with it, no webhook would ever be too old.
    if not _is_finite(tolerance_seconds) or tolerance_seconds < 0:
        raise ConfigurationError("tolerance_seconds must be a number of seconds, 0 or more")
    if now is not None and not _is_finite(now):
        raise ConfigurationError("now must be a Unix time")
    raw = _bytes(body)
    event_id, timestamp = _header(headers, "webhook-id"), _header(headers, "webhook-timestamp")
    if not event_id or not re.fullmatch(r"\d{1,12}", timestamp, re.ASCII):
        raise SignatureError("webhook-id or webhook-timestamp is missing or malformed", "malformed")
    age = (time.time() if now is None else now) - int(timestamp)
    if age > tolerance_seconds:
        raise SignatureError("the webhook is too old", "too_old")
    if age < -tolerance_seconds:
        raise SignatureError("the webhook is from the future", "too_new")
    signed = _signed(event_id, timestamp, raw)
    given = [
        _encoded(part[3:])
        for part in _header(headers, "webhook-signature").split(" ")[:_MOST_SIGNATURES]
        if part.startswith("v1,")
    ]
    # Every pair is compared, so that the time taken tells nothing about which one is right.
    matches = [hmac.compare_digest(_mac(key, signed), each) for key in keys for each in given]
    if not any(matches):
        raise SignatureError("no signature matches", "no_match")
    document = read_object(raw)
    try:
        if document is None:
            raise ValueError("not a JSON object")
        return cast(Event, WebhookEvent.from_dict(document))
    except ValueError as error:
        raise SignatureError(f"signed, but no event: {error}", "malformed") from None


def sign(
    body: Union[bytes, str],
    secrets: Union[str, Sequence[str]],
    *,
    id: Optional[str] = None,
    timestamp: Optional[int] = None,
) -> dict[str, str]:
    """Headers that make `body` a genuine webhook, for your tests.

    Args:
        secrets: One signature is made with each.
        id: Default: a new one.
        timestamp: Unix time, whole seconds. Default: now.

    Raises:
        ConfigurationError: There is no secret, or one is malformed.
    """
    event_id = f"evt_{uuid.uuid4().hex}" if id is None else id
    seconds = str(int(time.time()) if timestamp is None else timestamp)
    signed = _signed(event_id, seconds, _bytes(body))
    return {
        "webhook-id": event_id,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(f"v1,{_mac(key, signed).decode()}" for key in _keys(secrets)),
    }


def _is_finite(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < math.inf


def _header(headers: Headers, name: str) -> str:
    """Whatever the case of its name; empty where there is none, more than one, or what is no text."""
    found = [value for key, value in headers.items() if key.lower() == name]
    return found[0] if len(found) == 1 and isinstance(found[0], str) else ""


def _keys(secrets: Union[str, Sequence[str]]) -> list[bytes]:
    # None is what an environment variable is that is not set.
    given = [secrets] if isinstance(secrets, str) else list(secrets or ())
    keys = [_key(secret) for secret in given]
    if not keys:
        raise ConfigurationError("no webhook secret: whoever has none can trust no webhook")
    return keys


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[len("whsec_") :], validate=True)
    except (binascii.Error, ValueError, TypeError):
        key = b""
    # As Standard Webhooks has it.
    if not isinstance(secret, str) or not secret.startswith("whsec_") or not 24 <= len(key) <= 64:
        raise ConfigurationError("a webhook secret is whsec_ and base64 of 24 to 64 bytes")
    return key


def _bytes(body: Union[bytes, str]) -> bytes:
    if isinstance(body, str):
        return _encoded(body)
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise TypeError("the raw body is needed: bytes or str, not what a framework read out of it")


def _signed(event_id: str, timestamp: str, body: bytes) -> bytes:
    return _encoded(f"{event_id}.{timestamp}.") + body


def _encoded(text: str) -> bytes:
    # aiohttp and others keep a byte that is not UTF-8 as a lone surrogate. This gives the byte that was sent.
    return text.encode("utf-8", "surrogateescape")


def _mac(key: bytes, signed: bytes) -> bytes:
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
