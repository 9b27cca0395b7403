from google.protobuf import timestamp_pb2 as _timestamp_pb2
from ramz.grpc.v1 import receipt_pb2 as _receipt_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CascadeLeg(_message.Message):
    __slots__ = ("channel", "timeout_seconds")
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    channel: str
    timeout_seconds: int
    def __init__(self, channel: _Optional[str] = ..., timeout_seconds: _Optional[int] = ...) -> None: ...

class Autofill(_message.Message):
    __slots__ = ("android_app_hash", "web_origin")
    ANDROID_APP_HASH_FIELD_NUMBER: _ClassVar[int]
    WEB_ORIGIN_FIELD_NUMBER: _ClassVar[int]
    android_app_hash: str
    web_origin: str
    def __init__(self, android_app_hash: _Optional[str] = ..., web_origin: _Optional[str] = ...) -> None: ...

class Session(_message.Message):
    __slots__ = ("id", "status", "status_reason", "delivery", "to", "channel", "purpose", "language", "code_length", "sender_id", "client_reference", "metadata", "autofill", "created_at", "expires_at", "verified_at", "first_send_at", "run", "sends", "attempts_remaining", "resend_after", "cascade", "messages", "timeline", "total_cost", "test")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    STATUS_REASON_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    CODE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    AUTOFILL_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_AT_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEND_AT_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    SENDS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_REMAINING_FIELD_NUMBER: _ClassVar[int]
    RESEND_AFTER_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TIMELINE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COST_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    status: str
    status_reason: str
    delivery: str
    to: str
    channel: str
    purpose: str
    language: str
    code_length: int
    sender_id: str
    client_reference: str
    metadata: _containers.ScalarMap[str, str]
    autofill: Autofill
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    verified_at: _timestamp_pb2.Timestamp
    first_send_at: _timestamp_pb2.Timestamp
    run: int
    sends: int
    attempts_remaining: int
    resend_after: _timestamp_pb2.Timestamp
    cascade: _containers.RepeatedCompositeFieldContainer[CascadeLeg]
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    timeline: _containers.RepeatedCompositeFieldContainer[TimelineEntry]
    total_cost: _containers.RepeatedCompositeFieldContainer[_receipt_pb2.TotalCost]
    test: bool
    def __init__(self, id: _Optional[str] = ..., status: _Optional[str] = ..., status_reason: _Optional[str] = ..., delivery: _Optional[str] = ..., to: _Optional[str] = ..., channel: _Optional[str] = ..., purpose: _Optional[str] = ..., language: _Optional[str] = ..., code_length: _Optional[int] = ..., sender_id: _Optional[str] = ..., client_reference: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ..., autofill: _Optional[_Union[Autofill, _Mapping]] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., verified_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., first_send_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., run: _Optional[int] = ..., sends: _Optional[int] = ..., attempts_remaining: _Optional[int] = ..., resend_after: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., cascade: _Optional[_Iterable[_Union[CascadeLeg, _Mapping]]] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ..., timeline: _Optional[_Iterable[_Union[TimelineEntry, _Mapping]]] = ..., total_cost: _Optional[_Iterable[_Union[_receipt_pb2.TotalCost, _Mapping]]] = ..., test: bool = ...) -> None: ...

class SessionSummary(_message.Message):
    __slots__ = ("id", "status", "status_reason", "delivery", "to", "channel", "purpose", "language", "code_length", "sender_id", "client_reference", "metadata", "autofill", "created_at", "expires_at", "verified_at", "first_send_at", "run", "sends", "attempts_remaining", "resend_after", "cascade", "total_cost", "test")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    STATUS_REASON_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    CODE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    AUTOFILL_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_AT_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEND_AT_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    SENDS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_REMAINING_FIELD_NUMBER: _ClassVar[int]
    RESEND_AFTER_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COST_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    status: str
    status_reason: str
    delivery: str
    to: str
    channel: str
    purpose: str
    language: str
    code_length: int
    sender_id: str
    client_reference: str
    metadata: _containers.ScalarMap[str, str]
    autofill: Autofill
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    verified_at: _timestamp_pb2.Timestamp
    first_send_at: _timestamp_pb2.Timestamp
    run: int
    sends: int
    attempts_remaining: int
    resend_after: _timestamp_pb2.Timestamp
    cascade: _containers.RepeatedCompositeFieldContainer[CascadeLeg]
    total_cost: _containers.RepeatedCompositeFieldContainer[_receipt_pb2.TotalCost]
    test: bool
    def __init__(self, id: _Optional[str] = ..., status: _Optional[str] = ..., status_reason: _Optional[str] = ..., delivery: _Optional[str] = ..., to: _Optional[str] = ..., channel: _Optional[str] = ..., purpose: _Optional[str] = ..., language: _Optional[str] = ..., code_length: _Optional[int] = ..., sender_id: _Optional[str] = ..., client_reference: _Optional[str] = ..., metadata: _Optional[_Mapping[str, str]] = ..., autofill: _Optional[_Union[Autofill, _Mapping]] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., verified_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., first_send_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., run: _Optional[int] = ..., sends: _Optional[int] = ..., attempts_remaining: _Optional[int] = ..., resend_after: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., cascade: _Optional[_Iterable[_Union[CascadeLeg, _Mapping]]] = ..., total_cost: _Optional[_Iterable[_Union[_receipt_pb2.TotalCost, _Mapping]]] = ..., test: bool = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("id", "run", "position", "channel", "operator", "carrier", "status", "reason", "error_code", "provider_message_id", "sender_id", "parts", "created_at", "submitted_at", "final_at", "cost", "receipts", "call", "attempt")
    ID_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    CARRIER_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINAL_AT_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    RECEIPTS_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    id: str
    run: int
    position: int
    channel: str
    operator: str
    carrier: str
    status: str
    reason: str
    error_code: str
    provider_message_id: str
    sender_id: str
    parts: int
    created_at: _timestamp_pb2.Timestamp
    submitted_at: _timestamp_pb2.Timestamp
    final_at: _timestamp_pb2.Timestamp
    cost: _receipt_pb2.Cost
    receipts: _containers.RepeatedCompositeFieldContainer[_receipt_pb2.Receipt]
    call: _receipt_pb2.Call
    attempt: int
    def __init__(self, id: _Optional[str] = ..., run: _Optional[int] = ..., position: _Optional[int] = ..., channel: _Optional[str] = ..., operator: _Optional[str] = ..., carrier: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., error_code: _Optional[str] = ..., provider_message_id: _Optional[str] = ..., sender_id: _Optional[str] = ..., parts: _Optional[int] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., submitted_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., final_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., cost: _Optional[_Union[_receipt_pb2.Cost, _Mapping]] = ..., receipts: _Optional[_Iterable[_Union[_receipt_pb2.Receipt, _Mapping]]] = ..., call: _Optional[_Union[_receipt_pb2.Call, _Mapping]] = ..., attempt: _Optional[int] = ...) -> None: ...

class TimelineEntry(_message.Message):
    __slots__ = ("at", "kind", "run", "position", "channel", "message_id", "reason", "detail", "call", "rule")
    AT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    kind: str
    run: int
    position: int
    channel: str
    message_id: str
    reason: str
    detail: str
    call: _receipt_pb2.Call
    rule: str
    def __init__(self, at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., kind: _Optional[str] = ..., run: _Optional[int] = ..., position: _Optional[int] = ..., channel: _Optional[str] = ..., message_id: _Optional[str] = ..., reason: _Optional[str] = ..., detail: _Optional[str] = ..., call: _Optional[_Union[_receipt_pb2.Call, _Mapping]] = ..., rule: _Optional[str] = ...) -> None: ...
