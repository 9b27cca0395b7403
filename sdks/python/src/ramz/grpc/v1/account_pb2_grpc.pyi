# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
from typing import Any, Callable, Union

import grpc
import grpc.aio

class AccountServiceStub:
    def __init__(self, channel: Union[grpc.Channel, grpc.aio.Channel]) -> None: ...
    CreateAccount: Callable[..., Any]
    GetAccount: Callable[..., Any]
    UpdateAccount: Callable[..., Any]
    GetMeasures: Callable[..., Any]

def __getattr__(name: str) -> Any: ...
