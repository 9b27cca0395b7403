# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
from typing import Any, Callable, Union

import grpc
import grpc.aio

class WebhookEndpointServiceStub:
    def __init__(self, channel: Union[grpc.Channel, grpc.aio.Channel]) -> None: ...
    CreateWebhookEndpoint: Callable[..., Any]
    GetWebhookEndpoint: Callable[..., Any]
    ListWebhookEndpoints: Callable[..., Any]
    UpdateWebhookEndpoint: Callable[..., Any]
    DeleteWebhookEndpoint: Callable[..., Any]
    RotateWebhookSecret: Callable[..., Any]
    ListWebhookDeliveries: Callable[..., Any]
    RedeliverWebhook: Callable[..., Any]
    TestWebhookEndpoint: Callable[..., Any]

def __getattr__(name: str) -> Any: ...
