from google.protobuf import timestamp_pb2 as _timestamp_pb2
from ramz.grpc.v1 import limits_pb2 as _limits_pb2
from ramz.grpc.v1 import receipt_pb2 as _receipt_pb2
from ramz.grpc.v1 import session_pb2 as _session_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WebhookEvent(_message.Message):
    __slots__ = ("id", "type", "api_version", "account_id", "test", "session_sequence", "timestamp", "receipt", "message", "session", "number", "sender_id", "waba", "endpoint", "budget", "anomaly")
    ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    API_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    SESSION_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    WABA_FIELD_NUMBER: _ClassVar[int]
    ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    ANOMALY_FIELD_NUMBER: _ClassVar[int]
    id: str
    type: str
    api_version: str
    account_id: str
    test: bool
    session_sequence: int
    timestamp: _timestamp_pb2.Timestamp
    receipt: _receipt_pb2.Receipt
    message: MessageEvent
    session: SessionEvent
    number: NumberEvent
    sender_id: SenderIdEvent
    waba: WabaEvent
    endpoint: EndpointEvent
    budget: BudgetEvent
    anomaly: AnomalyEvent
    def __init__(self, id: _Optional[str] = ..., type: _Optional[str] = ..., api_version: _Optional[str] = ..., account_id: _Optional[str] = ..., test: bool = ..., session_sequence: _Optional[int] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., receipt: _Optional[_Union[_receipt_pb2.Receipt, _Mapping]] = ..., message: _Optional[_Union[MessageEvent, _Mapping]] = ..., session: _Optional[_Union[SessionEvent, _Mapping]] = ..., number: _Optional[_Union[NumberEvent, _Mapping]] = ..., sender_id: _Optional[_Union[SenderIdEvent, _Mapping]] = ..., waba: _Optional[_Union[WabaEvent, _Mapping]] = ..., endpoint: _Optional[_Union[EndpointEvent, _Mapping]] = ..., budget: _Optional[_Union[BudgetEvent, _Mapping]] = ..., anomaly: _Optional[_Union[AnomalyEvent, _Mapping]] = ...) -> None: ...

class MessageEvent(_message.Message):
    __slots__ = ("session_id", "to", "client_reference", "metadata", "message")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    to: str
    client_reference: str
    metadata: _containers.ScalarMap[str, str]
    message: _session_pb2.Message
    def __init__(self, session_id: _Optional[str] = ..., to: _Optional[str] = ..., client_reference: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ..., message: _Optional[_Union[_session_pb2.Message, _Mapping]] = ...) -> None: ...

class SessionEvent(_message.Message):
    __slots__ = ("session_id", "session")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    session: _session_pb2.SessionSummary
    def __init__(self, session_id: _Optional[str] = ..., session: _Optional[_Union[_session_pb2.SessionSummary, _Mapping]] = ...) -> None: ...

class NumberEvent(_message.Message):
    __slots__ = ("to", "session_id", "failures", "failures_in_row", "locked_until", "needs_unlock")
    TO_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    FAILURES_IN_ROW_FIELD_NUMBER: _ClassVar[int]
    LOCKED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    NEEDS_UNLOCK_FIELD_NUMBER: _ClassVar[int]
    to: str
    session_id: str
    failures: int
    failures_in_row: int
    locked_until: _timestamp_pb2.Timestamp
    needs_unlock: bool
    def __init__(self, to: _Optional[str] = ..., session_id: _Optional[str] = ..., failures: _Optional[int] = ..., failures_in_row: _Optional[int] = ..., locked_until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., needs_unlock: bool = ...) -> None: ...

class SenderIdEvent(_message.Message):
    __slots__ = ("id", "name", "operator", "status", "reason", "decided_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DECIDED_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    operator: str
    status: str
    reason: str
    decided_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., operator: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., decided_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class WabaEvent(_message.Message):
    __slots__ = ("waba_id", "phone_number_id", "reason")
    WABA_ID_FIELD_NUMBER: _ClassVar[int]
    PHONE_NUMBER_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    waba_id: str
    phone_number_id: str
    reason: str
    def __init__(self, waba_id: _Optional[str] = ..., phone_number_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class AnomalyEvent(_message.Message):
    __slots__ = ("rule", "reason", "stop")
    RULE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    rule: str
    reason: str
    stop: _limits_pb2.Stop
    def __init__(self, rule: _Optional[str] = ..., reason: _Optional[str] = ..., stop: _Optional[_Union[_limits_pb2.Stop, _Mapping]] = ...) -> None: ...

class EndpointEvent(_message.Message):
    __slots__ = ("endpoint_id", "url", "reason", "disabled_at")
    ENDPOINT_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DISABLED_AT_FIELD_NUMBER: _ClassVar[int]
    endpoint_id: str
    url: str
    reason: str
    disabled_at: _timestamp_pb2.Timestamp
    def __init__(self, endpoint_id: _Optional[str] = ..., url: _Optional[str] = ..., reason: _Optional[str] = ..., disabled_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class BudgetEvent(_message.Message):
    __slots__ = ("budget", "currency", "api_key_id", "percent", "limit", "used", "window_ends_at")
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    API_KEY_ID_FIELD_NUMBER: _ClassVar[int]
    PERCENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    WINDOW_ENDS_AT_FIELD_NUMBER: _ClassVar[int]
    budget: str
    currency: str
    api_key_id: str
    percent: int
    limit: str
    used: str
    window_ends_at: _timestamp_pb2.Timestamp
    def __init__(self, budget: _Optional[str] = ..., currency: _Optional[str] = ..., api_key_id: _Optional[str] = ..., percent: _Optional[int] = ..., limit: _Optional[str] = ..., used: _Optional[str] = ..., window_ends_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
