# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
from typing import Any, Callable, Union

import grpc
import grpc.aio

class VerifyServiceStub:
    def __init__(self, channel: Union[grpc.Channel, grpc.aio.Channel]) -> None: ...
    Send: Callable[..., Any]
    Check: Callable[..., Any]
    GetSession: Callable[..., Any]
    ListSessions: Callable[..., Any]
    CancelSession: Callable[..., Any]
    WatchSession: Callable[..., Any]

def __getattr__(name: str) -> Any: ...
