"""Timestamps on the wire (RFC 3339) and in Python (aware, UTC)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from .errors import ConfigurationError

_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)


def parse_timestamp(text: str) -> datetime:
    """Reads an RFC 3339 timestamp, cutting what is finer than a microsecond off.

    `datetime.fromisoformat` of Python 3.9 and 3.10 reads neither `Z` nor fractions of any length.

    Raises:
        ValueError: It is none.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError("not a timestamp")
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, offset_hours, offset_minutes = match.groups()[6:]
    microsecond = int((fraction or "")[:6].ljust(6, "0"))
    # A leap second is the one after it, as far as Python can tell.
    leap = timedelta(seconds=1) if second == 60 else timedelta()
    local = datetime(
        year, month, day, hour, minute, min(second, 59), microsecond, tzinfo=timezone.utc
    )
    offset = timedelta(hours=int(offset_hours or 0), minutes=int(offset_minutes or 0))
    return local + leap + (offset if sign == "-" else -offset)


def format_timestamp(value: datetime) -> str:
    """Writes an instant in UTC, with milliseconds where there are any.

    Raises:
        ConfigurationError: It has no time zone, so that nobody knows which instant it is.
    """
    if value.tzinfo is None or value.utcoffset() is None:
        raise ConfigurationError(f"a datetime without a time zone: {value!r}")
    utc = value.astimezone(timezone.utc)
    milliseconds = utc.microsecond // 1000
    fraction = f".{milliseconds:03d}" if milliseconds else ""
    return (
        f"{utc.year:04d}-{utc.month:02d}-{utc.day:02d}"
        f"T{utc.hour:02d}:{utc.minute:02d}:{utc.second:02d}{fraction}Z"
    )
