"""The two clients: their options, and how they are opened and closed."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Optional, TypeVar

import httpx

from ._async_transport import AsyncTransport
from ._generated.async_resources import AsyncResources
from ._generated.resources import Resources
from ._response_info import Hook
from ._settings import DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT, Settings, read_settings
from ._transport import Transport

R = TypeVar("R", bound="Ramz")
A = TypeVar("A", bound="AsyncRamz")


class Ramz(Resources):
    """The client. Threads may share one; it keeps its connections until it is closed.

    with Ramz() as client:
        session = client.verify.send(to="+213550000001")
    """

    def __init__(
        self,
        *,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        timeout: float = DEFAULT_TIMEOUT,
        total_timeout: Optional[float] = None,
        max_retries: int = DEFAULT_MAX_RETRIES,
        headers: Optional[Mapping[str, str]] = None,
        user_agent: Optional[str] = None,
        on_response: Optional[Hook] = None,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        """Makes a client. Nothing is sent yet.

        Args:
            api_key: Default: `RAMZ_API_KEY` of the environment.
            base_url: Address of the service, with its path if it has one. Default: `RAMZ_BASE_URL`
                of the environment.
            timeout: Seconds that each attempt of a call may take.
            total_timeout: Seconds that a call may take with all its attempts and pauses. Default: 20, or
                `timeout` where that is longer. A watch has none.
            max_retries: How often a call is repeated at most; 0: never.
            headers: Sent with every request, for a gateway in front of the service.
            user_agent: Added to the SDK's own, such as `my-shop/1.2`.
            on_response: Called after each attempt of a call. What it raises ends the call.
            http_client: Your own, with proxies and certificates as you need them. You close it. It
                serves the process that gives it, and none that is forked from it.

        Raises:
            ConfigurationError: An option is missing or malformed.
        """
        self._transport = Transport(
            read_settings(
                api_key,
                base_url,
                timeout,
                max_retries,
                total_timeout,
                headers,
                user_agent,
                on_response,
            ),
            http_client,
        )
        super().__init__(self._transport)

    def close(self) -> None:
        """Closes the client and its connections. Calls that follow raise `ConfigurationError`."""
        self._transport.close()

    def __enter__(self: R) -> R:
        return self

    def __exit__(
        self,
        exc_type: Optional[type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return _shown(self, self._transport.settings)


class AsyncRamz(AsyncResources):
    """The asynchronous client, for asyncio and trio. It keeps its connections until it is closed.

    async with AsyncRamz() as client:
        session = await client.verify.send(to="+213550000001")
    """

    def __init__(
        self,
        *,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        timeout: float = DEFAULT_TIMEOUT,
        total_timeout: Optional[float] = None,
        max_retries: int = DEFAULT_MAX_RETRIES,
        headers: Optional[Mapping[str, str]] = None,
        user_agent: Optional[str] = None,
        on_response: Optional[Hook] = None,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        """Makes a client. Nothing is sent yet. See `Ramz` for the options.

        Raises:
            ConfigurationError: An option is missing or malformed.
        """
        self._transport = AsyncTransport(
            read_settings(
                api_key,
                base_url,
                timeout,
                max_retries,
                total_timeout,
                headers,
                user_agent,
                on_response,
            ),
            http_client,
        )
        super().__init__(self._transport)

    async def aclose(self) -> None:
        """Closes the client and its connections. Calls that follow raise `ConfigurationError`."""
        await self._transport.aclose()

    async def __aenter__(self: A) -> A:
        return self

    async def __aexit__(
        self,
        exc_type: Optional[type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return _shown(self, self._transport.settings)


def _shown(client: object, settings: Settings) -> str:
    return f"{type(client).__name__}(base_url={settings.base_url!r})"
