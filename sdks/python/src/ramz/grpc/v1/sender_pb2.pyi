from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SenderId(_message.Message):
    __slots__ = ("id", "name", "created_at", "due_at", "decisions")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    DUE_AT_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    created_at: _timestamp_pb2.Timestamp
    due_at: _timestamp_pb2.Timestamp
    decisions: _containers.RepeatedCompositeFieldContainer[SenderDecision]
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., due_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., decisions: _Optional[_Iterable[_Union[SenderDecision, _Mapping]]] = ...) -> None: ...

class SenderDecision(_message.Message):
    __slots__ = ("operator", "status", "reason", "submitted_at", "decided_at")
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_AT_FIELD_NUMBER: _ClassVar[int]
    DECIDED_AT_FIELD_NUMBER: _ClassVar[int]
    operator: str
    status: str
    reason: str
    submitted_at: _timestamp_pb2.Timestamp
    decided_at: _timestamp_pb2.Timestamp
    def __init__(self, operator: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., submitted_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., decided_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateSenderIdRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class CreateSenderIdResponse(_message.Message):
    __slots__ = ("sender_id",)
    SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    sender_id: SenderId
    def __init__(self, sender_id: _Optional[_Union[SenderId, _Mapping]] = ...) -> None: ...

class GetSenderIdRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class GetSenderIdResponse(_message.Message):
    __slots__ = ("sender_id",)
    SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    sender_id: SenderId
    def __init__(self, sender_id: _Optional[_Union[SenderId, _Mapping]] = ...) -> None: ...

class ListSenderIdsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSenderIdsResponse(_message.Message):
    __slots__ = ("sender_ids", "next_page_token")
    SENDER_IDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sender_ids: _containers.RepeatedCompositeFieldContainer[SenderId]
    next_page_token: str
    def __init__(self, sender_ids: _Optional[_Iterable[_Union[SenderId, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DecideSenderIdRequest(_message.Message):
    __slots__ = ("id", "operator", "status", "reason")
    ID_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    id: str
    operator: str
    status: str
    reason: str
    def __init__(self, id: _Optional[str] = ..., operator: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class DecideSenderIdResponse(_message.Message):
    __slots__ = ("sender_id",)
    SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    sender_id: SenderId
    def __init__(self, sender_id: _Optional[_Union[SenderId, _Mapping]] = ...) -> None: ...
