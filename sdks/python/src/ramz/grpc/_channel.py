"""Channels that carry the API key."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Callable, Optional

import grpc
import grpc.aio

from .._settings import is_printable_ascii
from ..errors import ConfigurationError

Options = Sequence[tuple[str, Any]]


def channel(
    target: str,
    api_key: Optional[str] = None,
    *,
    credentials: Optional[grpc.ChannelCredentials] = None,
    options: Options = (),
) -> grpc.Channel:
    """Opens a channel whose calls carry the key.

    Args:
        target: Where the service listens, e.g. `localhost:50051`.
        api_key: Default: `RAMZ_API_KEY` of the environment.
        credentials: `grpc.ssl_channel_credentials()` for TLS. Default: none, as the service listens
            by default: only for a network that nobody else listens on.
        options: gRPC's own.

    Raises:
        ConfigurationError: The key is missing or malformed.
    """
    added = _header(api_key)
    plain = (
        grpc.insecure_channel(target, options)
        if credentials is None
        else grpc.secure_channel(target, credentials, options)
    )
    return grpc.intercept_channel(plain, _WithKey(added))


def aio_channel(
    target: str,
    api_key: Optional[str] = None,
    *,
    credentials: Optional[grpc.ChannelCredentials] = None,
    options: Options = (),
) -> grpc.aio.Channel:
    """The same for `grpc.aio`."""
    added = _header(api_key)
    interceptors = [_WithKeyUnary(added), _WithKeyStream(added)]
    if credentials is None:
        return grpc.aio.insecure_channel(target, options, interceptors=interceptors)
    return grpc.aio.secure_channel(target, credentials, options, interceptors=interceptors)


def _header(api_key: Optional[str]) -> tuple[str, str]:
    key = os.environ.get("RAMZ_API_KEY") if api_key is None else api_key
    if not key:
        raise ConfigurationError("no API key: give api_key, or set RAMZ_API_KEY")
    if not is_printable_ascii(key) or " " in key:
        raise ConfigurationError("api_key holds a character that no key has")
    return "authorization", f"Bearer {key}"


class _Details(grpc.ClientCallDetails):
    """Those of a call, with other metadata. gRPC has no way to copy them."""

    def __init__(self, details: Any, added: tuple[str, str]) -> None:
        self.method = details.method
        self.timeout = details.timeout
        self.metadata = (*(details.metadata or ()), added)
        self.credentials = details.credentials
        self.wait_for_ready = details.wait_for_ready
        self.compression = getattr(details, "compression", None)


class _WithKey(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    def __init__(self, added: tuple[str, str]) -> None:
        self._added = added

    def intercept_unary_unary(
        self, continuation: Callable[..., Any], details: Any, request: Any
    ) -> Any:
        return continuation(_Details(details, self._added), request)

    def intercept_unary_stream(
        self, continuation: Callable[..., Any], details: Any, request: Any
    ) -> Any:
        return continuation(_Details(details, self._added), request)


# grpc.aio sorts an interceptor in by its first class, so one of each is needed.
class _WithKeyUnary(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, added: tuple[str, str]) -> None:
        self._added = added

    async def intercept_unary_unary(
        self, continuation: Callable[..., Any], details: Any, request: Any
    ) -> Any:
        return await continuation(_aio_details(details, self._added), request)


class _WithKeyStream(grpc.aio.UnaryStreamClientInterceptor):
    def __init__(self, added: tuple[str, str]) -> None:
        self._added = added

    async def intercept_unary_stream(
        self, continuation: Callable[..., Any], details: Any, request: Any
    ) -> Any:
        return await continuation(_aio_details(details, self._added), request)


def _aio_details(details: Any, added: tuple[str, str]) -> Any:
    metadata = grpc.aio.Metadata(*(details.metadata or ()), added)
    return details._replace(metadata=metadata)
