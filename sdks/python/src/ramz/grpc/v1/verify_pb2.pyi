from google.protobuf import timestamp_pb2 as _timestamp_pb2
from ramz.grpc.v1 import session_pb2 as _session_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SendRequest(_message.Message):
    __slots__ = ("to", "channel", "sender_id", "language", "code_length", "ttl_seconds", "cascade", "purpose", "client_reference", "autofill", "code", "client", "metadata")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TO_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    CODE_LENGTH_FIELD_NUMBER: _ClassVar[int]
    TTL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    AUTOFILL_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    to: str
    channel: str
    sender_id: str
    language: str
    code_length: int
    ttl_seconds: int
    cascade: _containers.RepeatedCompositeFieldContainer[_session_pb2.CascadeLeg]
    purpose: str
    client_reference: str
    autofill: _session_pb2.Autofill
    code: str
    client: ClientInfo
    metadata: _containers.ScalarMap[str, str]
    def __init__(self, to: _Optional[str] = ..., channel: _Optional[str] = ..., sender_id: _Optional[str] = ..., language: _Optional[str] = ..., code_length: _Optional[int] = ..., ttl_seconds: _Optional[int] = ..., cascade: _Optional[_Iterable[_Union[_session_pb2.CascadeLeg, _Mapping]]] = ..., purpose: _Optional[str] = ..., client_reference: _Optional[str] = ..., autofill: _Optional[_Union[_session_pb2.Autofill, _Mapping]] = ..., code: _Optional[str] = ..., client: _Optional[_Union[ClientInfo, _Mapping]] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class ClientInfo(_message.Message):
    __slots__ = ("ip", "user_agent", "device_id")
    IP_FIELD_NUMBER: _ClassVar[int]
    USER_AGENT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    ip: str
    user_agent: str
    device_id: str
    def __init__(self, ip: _Optional[str] = ..., user_agent: _Optional[str] = ..., device_id: _Optional[str] = ...) -> None: ...

class SendResponse(_message.Message):
    __slots__ = ("id", "status", "delivery", "to", "channel", "purpose", "created_at", "expires_at", "cascade", "resend_after", "test")
    ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    RESEND_AFTER_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    status: str
    delivery: str
    to: str
    channel: str
    purpose: str
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    cascade: _containers.RepeatedCompositeFieldContainer[_session_pb2.CascadeLeg]
    resend_after: _timestamp_pb2.Timestamp
    test: bool
    def __init__(self, id: _Optional[str] = ..., status: _Optional[str] = ..., delivery: _Optional[str] = ..., to: _Optional[str] = ..., channel: _Optional[str] = ..., purpose: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., cascade: _Optional[_Iterable[_Union[_session_pb2.CascadeLeg, _Mapping]]] = ..., resend_after: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., test: bool = ...) -> None: ...

class CheckRequest(_message.Message):
    __slots__ = ("id", "to", "purpose", "code")
    ID_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    to: str
    purpose: str
    code: str
    def __init__(self, id: _Optional[str] = ..., to: _Optional[str] = ..., purpose: _Optional[str] = ..., code: _Optional[str] = ...) -> None: ...

class CheckResponse(_message.Message):
    __slots__ = ("valid", "id", "status", "reason", "attempts_remaining", "verified_at", "test")
    VALID_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_REMAINING_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_AT_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    valid: bool
    id: str
    status: str
    reason: str
    attempts_remaining: int
    verified_at: _timestamp_pb2.Timestamp
    test: bool
    def __init__(self, valid: bool = ..., id: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., attempts_remaining: _Optional[int] = ..., verified_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., test: bool = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "to", "status", "client_reference", "created_after", "created_before", "purpose", "delivery")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AFTER_FIELD_NUMBER: _ClassVar[int]
    CREATED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    to: str
    status: str
    client_reference: str
    created_after: _timestamp_pb2.Timestamp
    created_before: _timestamp_pb2.Timestamp
    purpose: str
    delivery: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., to: _Optional[str] = ..., status: _Optional[str] = ..., client_reference: _Optional[str] = ..., created_after: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., created_before: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., purpose: _Optional[str] = ..., delivery: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[_session_pb2.SessionSummary]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[_session_pb2.SessionSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CancelSessionRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class CancelSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class ReportSessionRequest(_message.Message):
    __slots__ = ("id", "outcome")
    ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    id: str
    outcome: str
    def __init__(self, id: _Optional[str] = ..., outcome: _Optional[str] = ...) -> None: ...

class ReportSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ...) -> None: ...

class WatchSessionRequest(_message.Message):
    __slots__ = ("id", "last_event_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    LAST_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    last_event_id: str
    def __init__(self, id: _Optional[str] = ..., last_event_id: _Optional[str] = ...) -> None: ...

class WatchSessionResponse(_message.Message):
    __slots__ = ("session", "new_entries", "event_id")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    NEW_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    session: _session_pb2.Session
    new_entries: _containers.RepeatedCompositeFieldContainer[_session_pb2.TimelineEntry]
    event_id: str
    def __init__(self, session: _Optional[_Union[_session_pb2.Session, _Mapping]] = ..., new_entries: _Optional[_Iterable[_Union[_session_pb2.TimelineEntry, _Mapping]]] = ..., event_id: _Optional[str] = ...) -> None: ...

class GetSummaryRequest(_message.Message):
    __slots__ = ("since", "until", "group_by")
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    GROUP_BY_FIELD_NUMBER: _ClassVar[int]
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    group_by: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., group_by: _Optional[_Iterable[str]] = ...) -> None: ...

class GetSummaryResponse(_message.Message):
    __slots__ = ("since", "until", "counted_until", "rows")
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    COUNTED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    counted_until: _timestamp_pb2.Timestamp
    rows: _containers.RepeatedCompositeFieldContainer[SummaryRow]
    def __init__(self, since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., counted_until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., rows: _Optional[_Iterable[_Union[SummaryRow, _Mapping]]] = ...) -> None: ...

class SummaryRow(_message.Message):
    __slots__ = ("starts_at", "operator", "channel", "sessions", "verified", "expired", "failed", "canceled", "sent", "delivered", "parts", "costs")
    STARTS_AT_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_FIELD_NUMBER: _ClassVar[int]
    EXPIRED_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    CANCELED_FIELD_NUMBER: _ClassVar[int]
    SENT_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    COSTS_FIELD_NUMBER: _ClassVar[int]
    starts_at: _timestamp_pb2.Timestamp
    operator: str
    channel: str
    sessions: int
    verified: int
    expired: int
    failed: int
    canceled: int
    sent: int
    delivered: int
    parts: int
    costs: _containers.RepeatedCompositeFieldContainer[SummaryCost]
    def __init__(self, starts_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., operator: _Optional[str] = ..., channel: _Optional[str] = ..., sessions: _Optional[int] = ..., verified: _Optional[int] = ..., expired: _Optional[int] = ..., failed: _Optional[int] = ..., canceled: _Optional[int] = ..., sent: _Optional[int] = ..., delivered: _Optional[int] = ..., parts: _Optional[int] = ..., costs: _Optional[_Iterable[_Union[SummaryCost, _Mapping]]] = ...) -> None: ...

class SummaryCost(_message.Message):
    __slots__ = ("currency", "amount", "platform_amount")
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_AMOUNT_FIELD_NUMBER: _ClassVar[int]
    currency: str
    amount: str
    platform_amount: str
    def __init__(self, currency: _Optional[str] = ..., amount: _Optional[str] = ..., platform_amount: _Optional[str] = ...) -> None: ...
