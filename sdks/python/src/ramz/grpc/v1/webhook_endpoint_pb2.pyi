from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WebhookEndpoint(_message.Message):
    __slots__ = ("id", "url", "description", "event_types", "enabled", "disabled_reason", "secret", "previous_secret_expires_at", "created_at", "updated_at", "failing_since")
    ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPES_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    DISABLED_REASON_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_SECRET_EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    FAILING_SINCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    url: str
    description: str
    event_types: _containers.RepeatedScalarFieldContainer[str]
    enabled: bool
    disabled_reason: str
    secret: str
    previous_secret_expires_at: _timestamp_pb2.Timestamp
    created_at: _timestamp_pb2.Timestamp
    updated_at: _timestamp_pb2.Timestamp
    failing_since: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., url: _Optional[str] = ..., description: _Optional[str] = ..., event_types: _Optional[_Iterable[str]] = ..., enabled: bool = ..., disabled_reason: _Optional[str] = ..., secret: _Optional[str] = ..., previous_secret_expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., updated_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., failing_since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class WebhookDelivery(_message.Message):
    __slots__ = ("event_id", "type", "session_id", "status", "attempts", "next_attempt_at", "last_response_status", "last_error", "created_at", "delivered_at")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_ATTEMPT_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_RESPONSE_STATUS_FIELD_NUMBER: _ClassVar[int]
    LAST_ERROR_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_AT_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    type: str
    session_id: str
    status: str
    attempts: int
    next_attempt_at: _timestamp_pb2.Timestamp
    last_response_status: int
    last_error: str
    created_at: _timestamp_pb2.Timestamp
    delivered_at: _timestamp_pb2.Timestamp
    def __init__(self, event_id: _Optional[str] = ..., type: _Optional[str] = ..., session_id: _Optional[str] = ..., status: _Optional[str] = ..., attempts: _Optional[int] = ..., next_attempt_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_response_status: _Optional[int] = ..., last_error: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., delivered_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateWebhookEndpointRequest(_message.Message):
    __slots__ = ("url", "description", "event_types")
    URL_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPES_FIELD_NUMBER: _ClassVar[int]
    url: str
    description: str
    event_types: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, url: _Optional[str] = ..., description: _Optional[str] = ..., event_types: _Optional[_Iterable[str]] = ...) -> None: ...

class CreateWebhookEndpointResponse(_message.Message):
    __slots__ = ("webhook_endpoint",)
    WEBHOOK_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    webhook_endpoint: WebhookEndpoint
    def __init__(self, webhook_endpoint: _Optional[_Union[WebhookEndpoint, _Mapping]] = ...) -> None: ...

class GetWebhookEndpointRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class GetWebhookEndpointResponse(_message.Message):
    __slots__ = ("webhook_endpoint",)
    WEBHOOK_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    webhook_endpoint: WebhookEndpoint
    def __init__(self, webhook_endpoint: _Optional[_Union[WebhookEndpoint, _Mapping]] = ...) -> None: ...

class ListWebhookEndpointsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListWebhookEndpointsResponse(_message.Message):
    __slots__ = ("webhook_endpoints", "next_page_token")
    WEBHOOK_ENDPOINTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    webhook_endpoints: _containers.RepeatedCompositeFieldContainer[WebhookEndpoint]
    next_page_token: str
    def __init__(self, webhook_endpoints: _Optional[_Iterable[_Union[WebhookEndpoint, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateWebhookEndpointRequest(_message.Message):
    __slots__ = ("id", "url", "description", "event_types", "update_mask", "enabled")
    ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPES_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    id: str
    url: str
    description: str
    event_types: _containers.RepeatedScalarFieldContainer[str]
    update_mask: _field_mask_pb2.FieldMask
    enabled: bool
    def __init__(self, id: _Optional[str] = ..., url: _Optional[str] = ..., description: _Optional[str] = ..., event_types: _Optional[_Iterable[str]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., enabled: bool = ...) -> None: ...

class UpdateWebhookEndpointResponse(_message.Message):
    __slots__ = ("webhook_endpoint",)
    WEBHOOK_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    webhook_endpoint: WebhookEndpoint
    def __init__(self, webhook_endpoint: _Optional[_Union[WebhookEndpoint, _Mapping]] = ...) -> None: ...

class DeleteWebhookEndpointRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class DeleteWebhookEndpointResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RotateWebhookSecretRequest(_message.Message):
    __slots__ = ("id", "keep_previous_seconds")
    ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_PREVIOUS_SECONDS_FIELD_NUMBER: _ClassVar[int]
    id: str
    keep_previous_seconds: int
    def __init__(self, id: _Optional[str] = ..., keep_previous_seconds: _Optional[int] = ...) -> None: ...

class RotateWebhookSecretResponse(_message.Message):
    __slots__ = ("webhook_endpoint",)
    WEBHOOK_ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    webhook_endpoint: WebhookEndpoint
    def __init__(self, webhook_endpoint: _Optional[_Union[WebhookEndpoint, _Mapping]] = ...) -> None: ...

class ListWebhookDeliveriesRequest(_message.Message):
    __slots__ = ("id", "page_size", "page_token", "status")
    ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    id: str
    page_size: int
    page_token: str
    status: str
    def __init__(self, id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., status: _Optional[str] = ...) -> None: ...

class ListWebhookDeliveriesResponse(_message.Message):
    __slots__ = ("deliveries", "next_page_token")
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[WebhookDelivery]
    next_page_token: str
    def __init__(self, deliveries: _Optional[_Iterable[_Union[WebhookDelivery, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RedeliverWebhookRequest(_message.Message):
    __slots__ = ("id", "event_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    event_id: str
    def __init__(self, id: _Optional[str] = ..., event_id: _Optional[str] = ...) -> None: ...

class RedeliverWebhookResponse(_message.Message):
    __slots__ = ("delivery",)
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    delivery: WebhookDelivery
    def __init__(self, delivery: _Optional[_Union[WebhookDelivery, _Mapping]] = ...) -> None: ...

class TestWebhookEndpointRequest(_message.Message):
    __slots__ = ("id", "event_type")
    ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    id: str
    event_type: str
    def __init__(self, id: _Optional[str] = ..., event_type: _Optional[str] = ...) -> None: ...

class TestWebhookEndpointResponse(_message.Message):
    __slots__ = ("delivered", "response_status", "duration_ms", "error")
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_STATUS_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    delivered: bool
    response_status: int
    duration_ms: int
    error: str
    def __init__(self, delivered: bool = ..., response_status: _Optional[int] = ..., duration_ms: _Optional[int] = ..., error: _Optional[str] = ...) -> None: ...

class ReplayWebhooksRequest(_message.Message):
    __slots__ = ("id", "since", "until", "event_types", "status", "replay_token")
    ID_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPES_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REPLAY_TOKEN_FIELD_NUMBER: _ClassVar[int]
    id: str
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    event_types: _containers.RepeatedScalarFieldContainer[str]
    status: str
    replay_token: str
    def __init__(self, id: _Optional[str] = ..., since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., event_types: _Optional[_Iterable[str]] = ..., status: _Optional[str] = ..., replay_token: _Optional[str] = ...) -> None: ...

class ReplayWebhooksResponse(_message.Message):
    __slots__ = ("queued", "replay_token")
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    REPLAY_TOKEN_FIELD_NUMBER: _ClassVar[int]
    queued: int
    replay_token: str
    def __init__(self, queued: _Optional[int] = ..., replay_token: _Optional[str] = ...) -> None: ...
