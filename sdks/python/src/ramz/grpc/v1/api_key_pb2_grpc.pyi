# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
from typing import Any, Callable, Union

import grpc
import grpc.aio

class ApiKeyServiceStub:
    def __init__(self, channel: Union[grpc.Channel, grpc.aio.Channel]) -> None: ...
    CreateApiKey: Callable[..., Any]
    ListApiKeys: Callable[..., Any]
    RevokeApiKey: Callable[..., Any]

def __getattr__(name: str) -> Any: ...
