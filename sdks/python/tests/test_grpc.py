"""The official stubs, against the running service."""

from __future__ import annotations

import os
from concurrent import futures
from typing import Any

import pytest
from live import SANDBOX_FILE, fresh_number

from ramz import (
    ApiError,
    ConfigurationError,
    NetworkError,
    NotFoundError,
    RequestTimeoutError,
    ServerError,
)
from ramz.constants import ErrorCode, SessionStatus

grpc = pytest.importorskip("grpc")

from ramz.grpc import aio_channel, channel, to_error  # noqa: E402
from ramz.grpc.v1 import verify_pb2, verify_pb2_grpc  # noqa: E402

live = pytest.mark.skipif(not SANDBOX_FILE, reason="no running service (RAMZ_SANDBOX_FILE)")
TARGET = os.environ.get("RAMZ_GRPC_TARGET", "")
UNKNOWN = "vrf_00000000000000000000000000"


@live
@pytest.mark.live
def test_calls_and_stream() -> None:
    with channel(TARGET) as connection:
        stub = verify_pb2_grpc.VerifyServiceStub(connection)
        session = stub.Send(verify_pb2.SendRequest(to=fresh_number()), timeout=10)
        assert session.status == SessionStatus.PENDING
        told = []
        for answer in stub.WatchSession(verify_pb2.WatchSessionRequest(id=session.id), timeout=20):
            told.append(answer.session.status)
            if len(told) == 1:
                stub.CancelSession(verify_pb2.CancelSessionRequest(id=session.id), timeout=10)
        assert told[-1] == SessionStatus.CANCELED


@live
@pytest.mark.live
def test_errors_are_those_of_the_other_client() -> None:
    with channel(TARGET) as connection:
        stub = verify_pb2_grpc.VerifyServiceStub(connection)
        with pytest.raises(grpc.RpcError) as raised:
            stub.GetSession(verify_pb2.GetSessionRequest(id=UNKNOWN), timeout=10)
        error = to_error(raised.value)
        assert isinstance(error, NotFoundError)
        assert error.code == ErrorCode.SESSION_NOT_FOUND
        assert error.request_id.startswith("req_")
        assert error.status == 404
        with pytest.raises(grpc.RpcError) as bad:
            stub.Send(verify_pb2.SendRequest(to="+2135"), timeout=10)
        assert getattr(to_error(bad.value), "field", None) == "to"


@live
@pytest.mark.live
def test_aio() -> None:
    import asyncio

    async def run() -> None:
        async with aio_channel(TARGET, os.environ["RAMZ_TEST_KEY"]) as connection:
            stub = verify_pb2_grpc.VerifyServiceStub(connection)
            session = await stub.Send(verify_pb2.SendRequest(to=fresh_number()), timeout=10)
            assert session.test
            watch = stub.WatchSession(verify_pb2.WatchSessionRequest(id=session.id), timeout=10)
            async for answer in watch:
                assert answer.session.id == session.id
                break
            watch.cancel()
            with pytest.raises(grpc.RpcError) as raised:
                await stub.GetSession(verify_pb2.GetSessionRequest(id=UNKNOWN), timeout=10)
            assert isinstance(to_error(raised.value), NotFoundError)

    asyncio.run(run())


def test_nobody_there() -> None:
    with channel("127.0.0.1:1", "ramz_test_key") as connection:
        stub = verify_pb2_grpc.VerifyServiceStub(connection)
        with pytest.raises(grpc.RpcError) as raised:
            stub.GetSession(verify_pb2.GetSessionRequest(id=UNKNOWN), timeout=5)
        assert isinstance(to_error(raised.value), (NetworkError, RequestTimeoutError))


def test_a_call_that_the_caller_ended_is_no_failure_of_the_service() -> None:
    for end in (lambda call, _: call.cancel(), lambda _, connection: connection.close()):
        with channel("127.0.0.1:1", "ramz_test_key") as connection:
            stub = verify_pb2_grpc.VerifyServiceStub(connection)
            request = verify_pb2.WatchSessionRequest(id=UNKNOWN)
            call = stub.WatchSession(request, timeout=20, wait_for_ready=True)
            end(call, connection)
            with pytest.raises(grpc.RpcError) as raised:
                next(call)
        error = to_error(raised.value)
        assert isinstance(error, ApiError)
        assert not isinstance(error, ServerError)
        assert (error.status, error.code) == (499, "")


def test_a_status_canceled_that_came_has_the_http_status_of_connect() -> None:
    def refuse(_: bytes, context: Any) -> None:
        # Of a google.rpc.Status: its code.
        context.set_trailing_metadata((("grpc-status-details-bin", b"\x08\x01"),))
        context.abort(grpc.StatusCode.CANCELLED, "by a proxy")

    handlers = {"GetSession": grpc.unary_unary_rpc_method_handler(refuse)}
    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("ramz.v1.VerifyService", handlers),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with channel(f"127.0.0.1:{port}", "ramz_test_key") as connection:
            stub = verify_pb2_grpc.VerifyServiceStub(connection)
            with pytest.raises(grpc.RpcError) as raised:
                stub.GetSession(verify_pb2.GetSessionRequest(id=UNKNOWN), timeout=20)
    finally:
        server.stop(None)
    error = to_error(raised.value)
    assert isinstance(error, ServerError)
    assert (error.status, str(error)) == (499, "by a proxy")


@pytest.mark.parametrize("key", [None, "", "ramz_test_key\n"])
def test_no_key(key: str | None) -> None:
    with pytest.raises(ConfigurationError):
        channel("localhost:1", key)
