from google.protobuf import timestamp_pb2 as _timestamp_pb2
from ramz.grpc.v1 import session_pb2 as _session_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SendRequest(_message.Message):
    __slots__ = ("to", "channel", "sender_id", "language", "code_length", "ttl_seconds", "cascade", "purpose", "client_reference", "autofill", "code")
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
    def __init__(self, to: _Optional[str] = ..., channel: _Optional[str] = ..., sender_id: _Optional[str] = ..., language: _Optional[str] = ..., code_length: _Optional[int] = ..., ttl_seconds: _Optional[int] = ..., cascade: _Optional[_Iterable[_Union[_session_pb2.CascadeLeg, _Mapping]]] = ..., purpose: _Optional[str] = ..., client_reference: _Optional[str] = ..., autofill: _Optional[_Union[_session_pb2.Autofill, _Mapping]] = ..., code: _Optional[str] = ...) -> None: ...

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
