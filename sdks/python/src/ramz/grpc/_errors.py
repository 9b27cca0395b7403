"""gRPC's errors as those of the HTTP client."""

from __future__ import annotations

from typing import Any, Union

import grpc

from .._rpc_status import error_of_status, read_fields
from ..errors import ApiError, NetworkError, RamzError, RequestTimeoutError

_DETAILS = "grpc-status-details-bin"


def to_error(error: grpc.RpcError) -> RamzError:
    """The error that `error` stands for: an `ApiError` with the service's code where it answered, else a
    `NetworkError`. A call that the caller cancelled, or whose channel it closed, is an `ApiError` with the
    status 499 and no `ServerError`: the service has not failed.

        try:
            stub.GetSession(verify_pb2.GetSessionRequest(id="vrf_1"))
        except grpc.RpcError as error:
            raise to_error(error) from error
    """
    code = error.code() if isinstance(error, (grpc.Call, grpc.aio.AioRpcError)) else None
    if code is None:
        return NetworkError(str(error))
    message = error.details() or ""
    # As Connect spells it.
    name = "canceled" if code is grpc.StatusCode.CANCELLED else code.name.lower()
    trailing: Any = error.trailing_metadata() or ()  # pairs, whatever their class
    for key, value in trailing:
        if key == _DETAILS and isinstance(value, bytes):
            return error_of_status(name, message, _details(value))
    # The service always says more: what does not, comes from gRPC itself.
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return RequestTimeoutError(message)
    if code is grpc.StatusCode.UNAVAILABLE:
        return NetworkError(message)
    if code is grpc.StatusCode.CANCELLED:
        return ApiError(message, status=499)
    return error_of_status(name, message, [])


def _details(status: bytes) -> list[tuple[str, bytes]]:
    """Those of a google.rpc.Status: full name of a message and its bytes, each."""
    found: list[tuple[str, bytes]] = []
    for number, value in _fields(status):
        if number != 3 or not isinstance(value, bytes):
            continue
        members = dict(_fields(value))
        url, content = members.get(1, b""), members.get(2, b"")
        if isinstance(url, bytes) and isinstance(content, bytes):
            found.append((url.decode("utf-8", "replace").rpartition("/")[2], content))
    return found


def _fields(data: bytes) -> list[tuple[int, Union[int, bytes]]]:
    try:
        return list(read_fields(data))
    except ValueError:
        return []
