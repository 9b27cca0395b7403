"""Webhooks as the service sends them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, Union

from .._message import Message, encode
from .._request import write_json
from .._timestamps import format_timestamp
from ..webhooks import sign


def webhook(
    type: str,
    data: Union[Message, Mapping[str, Any]],
    secret: str,
    *,
    account_id: str = "acct_00000000000000000000000000",
    test: bool = False,
    session_sequence: int = 0,
) -> tuple[bytes, dict[str, str]]:
    """The raw body and the headers of a genuine webhook, to hand to your own handler.

    Args:
        type: e.g. `constants.EventType.SESSION_VERIFIED`.
        data: What fits the type, e.g. a `SessionEvent`.
        secret: The one your handler has: `whsec_` and base64.
    """
    event_id = f"evt_{uuid.uuid4().hex[:26]}"
    body = write_json(
        {
            "id": event_id,
            "type": type,
            "api_version": "v1",
            "account_id": account_id,
            "test": test,
            "session_sequence": session_sequence,
            "timestamp": format_timestamp(datetime.now(timezone.utc)),
            "data": encode(data),
        }
    )
    headers = {"content-type": "application/json", **sign(body, secret, id=event_id)}
    return body, headers
