from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Receipt(_message.Message):
    __slots__ = ("session_id", "message_id", "run", "channel", "operator", "carrier", "sender_id", "to", "status", "provider_status", "error_code", "operator_timestamp", "received_at", "cost", "provider_message_id", "client_reference", "metadata", "raw", "call")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    CARRIER_FIELD_NUMBER: _ClassVar[int]
    SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_STATUS_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_AT_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    message_id: str
    run: int
    channel: str
    operator: str
    carrier: str
    sender_id: str
    to: str
    status: str
    provider_status: str
    error_code: str
    operator_timestamp: _timestamp_pb2.Timestamp
    received_at: _timestamp_pb2.Timestamp
    cost: Cost
    provider_message_id: str
    client_reference: str
    metadata: _containers.ScalarMap[str, str]
    raw: str
    call: Call
    def __init__(self, session_id: _Optional[str] = ..., message_id: _Optional[str] = ..., run: _Optional[int] = ..., channel: _Optional[str] = ..., operator: _Optional[str] = ..., carrier: _Optional[str] = ..., sender_id: _Optional[str] = ..., to: _Optional[str] = ..., status: _Optional[str] = ..., provider_status: _Optional[str] = ..., error_code: _Optional[str] = ..., operator_timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., received_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., cost: _Optional[_Union[Cost, _Mapping]] = ..., provider_message_id: _Optional[str] = ..., client_reference: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ..., raw: _Optional[str] = ..., call: _Optional[_Union[Call, _Mapping]] = ...) -> None: ...

class Call(_message.Message):
    __slots__ = ("state", "ring_ms", "answered_at", "talk_seconds", "sip_code", "q850", "keys", "readings", "trunk", "ended")
    STATE_FIELD_NUMBER: _ClassVar[int]
    RING_MS_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_AT_FIELD_NUMBER: _ClassVar[int]
    TALK_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SIP_CODE_FIELD_NUMBER: _ClassVar[int]
    Q850_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    READINGS_FIELD_NUMBER: _ClassVar[int]
    TRUNK_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    state: str
    ring_ms: int
    answered_at: _timestamp_pb2.Timestamp
    talk_seconds: int
    sip_code: int
    q850: int
    keys: int
    readings: int
    trunk: str
    ended: bool
    def __init__(self, state: _Optional[str] = ..., ring_ms: _Optional[int] = ..., answered_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., talk_seconds: _Optional[int] = ..., sip_code: _Optional[int] = ..., q850: _Optional[int] = ..., keys: _Optional[int] = ..., readings: _Optional[int] = ..., trunk: _Optional[str] = ..., ended: bool = ...) -> None: ...

class Cost(_message.Message):
    __slots__ = ("amount", "currency", "parts", "source", "final", "revision", "billed_by")
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    BILLED_BY_FIELD_NUMBER: _ClassVar[int]
    amount: str
    currency: str
    parts: int
    source: str
    final: bool
    revision: int
    billed_by: str
    def __init__(self, amount: _Optional[str] = ..., currency: _Optional[str] = ..., parts: _Optional[int] = ..., source: _Optional[str] = ..., final: bool = ..., revision: _Optional[int] = ..., billed_by: _Optional[str] = ...) -> None: ...

class TotalCost(_message.Message):
    __slots__ = ("amount", "currency", "final")
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    amount: str
    currency: str
    final: bool
    def __init__(self, amount: _Optional[str] = ..., currency: _Optional[str] = ..., final: bool = ...) -> None: ...
