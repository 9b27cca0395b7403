"""What all generated messages share: writing them as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any

from ._timestamps import format_timestamp


@dataclasses.dataclass(frozen=True)
class Message:
    """Base of what the service is told and answers: frozen dataclasses."""

    def to_dict(self) -> dict[str, Any]:
        """The message as JSON values, as the service writes it.

        What is false, 0 or empty is there; what is `None` is absent, and left out. Times are text (RFC 3339).
        """
        return {
            field.name: encode(value)
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) is not None
        }


def encode(value: Any) -> Any:
    """`value` in the types that `json` writes: messages, timestamps and whatever holds them too."""
    if isinstance(value, Message):
        return value.to_dict()
    if isinstance(value, Enum):
        # The caller's own, for which `str()` is its name: in JSON it would be its value, and in a query the name.
        return encode(value.value)
    if isinstance(value, datetime):
        return format_timestamp(value)
    if isinstance(value, Mapping):
        return {key: encode(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [encode(each) for each in value]
    return value
