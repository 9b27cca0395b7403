"""The fake client. The service it talks to is _service.py."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Optional, Union

import httpx

from .._client import AsyncRamz, Ramz
from .._message import Message
from ._service import Service
from ._sessions import SentCode

_KEY = "ramz_test_fake"
_ADDRESS = "http://ramz.invalid"


class FakeRamz(Ramz):
    """A `Ramz` whose service is in memory, with the rules of sending and checking.

    Every code is zeros (`000000`). Time stands still until `advance`. Calls beside `verify` and
    `accounts.get` need an answer of yours: see `answer`.
    """

    def __init__(self) -> None:
        self._service = Service()
        super().__init__(
            api_key=_KEY,
            base_url=_ADDRESS,
            max_retries=0,
            http_client=httpx.Client(transport=httpx.MockTransport(self._service.handle)),
        )
        self._transport._pool.is_in_memory = True

    def async_client(self) -> AsyncRamz:
        """An `AsyncRamz` with the same memory."""
        client = AsyncRamz(
            api_key=_KEY,
            base_url=_ADDRESS,
            max_retries=0,
            http_client=httpx.AsyncClient(transport=httpx.MockTransport(self._service.handle)),
        )
        client._transport._pool.is_in_memory = True
        return client

    @property
    def sent(self) -> list[SentCode]:
        """Every code that was sent, oldest first."""
        return list(self._service.sessions.sent)

    @property
    def now(self) -> datetime:
        """The service's time."""
        return self._service.sessions.now

    def advance(self, seconds: float) -> None:
        """Lets time pass: sessions expire, and resends become possible."""
        self._service.sessions.advance(seconds)

    def refuse(self, number: str, code: str = "unsupported_destination") -> None:
        """From now on, sends to this number are refused with this error code."""
        self._service.refused[number] = code

    def fail(self, operation: str, code: str, *, times: int = 1, **details: Any) -> None:
        """The next calls of an operation (`"verify.send"`) fail with this error code.

        Args:
            details: Further members of the error, e.g. `field="to"`; `retry_after=5` is the header.
        """
        self._service.fail(operation, code, times, details)

    def answer(self, operation: str, body: Optional[Union[Message, Mapping[str, Any]]]) -> None:
        """From now on, an operation (`"api_keys.create"`) answers this; None: what it does by itself."""
        self._service.answer(operation, body)
