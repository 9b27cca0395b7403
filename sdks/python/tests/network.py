"""A network that is a list of answers, and clients on it. They wait without waiting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional

import httpx

from ramz import AsyncRamz, Ramz

KEY = "ramz_test_key_0123456789"
BASE = "https://ramz.example"


class Network:
    """Answers calls one after another. An answer is a case of the vectors: status, headers, body or fault.

    Its clock stands still, but for `takes_ms` of an answer, for timeouts and for pauses.
    """

    def __init__(self, answers: Iterable[dict[str, Any]]) -> None:
        self._answers = iter(list(answers))
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self.now = 0.0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        answer = next(self._answers)
        self.now += answer.get("takes_ms", 0) / 1000
        fault: Optional[str] = answer.get("fault")
        if fault == "timeout":
            self.now += request.extensions["timeout"]["read"]
            raise httpx.ReadTimeout("too late", request=request)
        if fault is not None:
            raise httpx.ConnectError("connection refused", request=request)
        headers = answer.get("headers", {})
        if "body" in answer:
            return httpx.Response(answer.get("status", 200), headers=headers, json=answer["body"])
        # As bytes: with a text, httpx would make up a content type.
        content = answer.get("body_text", "").encode()
        return httpx.Response(answer.get("status", 200), headers=headers, content=content)

    async def answer_async(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        return self(request)

    def client(self, **options: Any) -> Ramz:
        http_client = httpx.Client(transport=httpx.MockTransport(self))
        client = Ramz(**{"api_key": KEY, "base_url": BASE, "http_client": http_client, **options})
        client._transport._sleep = self._wait
        client._transport._clock = lambda: self.now
        return client

    def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def async_client(self, **options: Any) -> AsyncRamz:
        async def sleep(seconds: float) -> None:
            self._wait(seconds)

        http_client = httpx.AsyncClient(transport=httpx.MockTransport(self.answer_async))
        client = AsyncRamz(
            **{"api_key": KEY, "base_url": BASE, "http_client": http_client, **options}
        )
        client._transport._sleep = sleep
        client._transport._clock = lambda: self.now
        return client


class Caller:
    """Calls operations by their name, with either client: `await caller("verify.send", to=…)`."""

    def __init__(self, network: Network, flavor: str, **options: Any) -> None:
        is_async = flavor == "async"
        self.client: Any = (
            network.async_client(**options) if is_async else network.client(**options)
        )
        self._is_async = is_async

    async def __call__(self, operation: str, **arguments: Any) -> Any:
        resource, _, name = operation.partition(".")
        result = getattr(getattr(self.client, resource), name)(**arguments)
        if hasattr(result, "__aiter__"):
            return [each async for each in result]
        if hasattr(result, "__iter__"):
            return list(result)
        return await result if self._is_async else result
