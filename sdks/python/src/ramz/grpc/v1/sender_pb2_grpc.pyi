# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
from typing import Any, Callable, Union

import grpc
import grpc.aio

class SenderIdServiceStub:
    def __init__(self, channel: Union[grpc.Channel, grpc.aio.Channel]) -> None: ...
    CreateSenderId: Callable[..., Any]
    GetSenderId: Callable[..., Any]
    ListSenderIds: Callable[..., Any]
    DecideSenderId: Callable[..., Any]

def __getattr__(name: str) -> Any: ...
