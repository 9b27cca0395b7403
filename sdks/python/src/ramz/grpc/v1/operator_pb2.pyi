from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Operator(_message.Message):
    __slots__ = ("id", "name", "prefixes", "paused_at", "pause_reason", "binds", "parked_unmatched", "parked_unreadable")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PREFIXES_FIELD_NUMBER: _ClassVar[int]
    PAUSED_AT_FIELD_NUMBER: _ClassVar[int]
    PAUSE_REASON_FIELD_NUMBER: _ClassVar[int]
    BINDS_FIELD_NUMBER: _ClassVar[int]
    PARKED_UNMATCHED_FIELD_NUMBER: _ClassVar[int]
    PARKED_UNREADABLE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    prefixes: _containers.RepeatedScalarFieldContainer[str]
    paused_at: _timestamp_pb2.Timestamp
    pause_reason: str
    binds: _containers.RepeatedCompositeFieldContainer[OperatorBind]
    parked_unmatched: int
    parked_unreadable: int
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., prefixes: _Optional[_Iterable[str]] = ..., paused_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., pause_reason: _Optional[str] = ..., binds: _Optional[_Iterable[_Union[OperatorBind, _Mapping]]] = ..., parked_unmatched: _Optional[int] = ..., parked_unreadable: _Optional[int] = ...) -> None: ...

class OperatorBind(_message.Message):
    __slots__ = ("slot", "bound", "process")
    SLOT_FIELD_NUMBER: _ClassVar[int]
    BOUND_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    slot: int
    bound: bool
    process: str
    def __init__(self, slot: _Optional[int] = ..., bound: bool = ..., process: _Optional[str] = ...) -> None: ...

class ParkedReceipt(_message.Message):
    __slots__ = ("id", "operator", "reason", "provider_message_id", "to", "status", "received_at", "raw")
    ID_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_AT_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    id: str
    operator: str
    reason: str
    provider_message_id: str
    to: str
    status: str
    received_at: _timestamp_pb2.Timestamp
    raw: str
    def __init__(self, id: _Optional[str] = ..., operator: _Optional[str] = ..., reason: _Optional[str] = ..., provider_message_id: _Optional[str] = ..., to: _Optional[str] = ..., status: _Optional[str] = ..., received_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., raw: _Optional[str] = ...) -> None: ...

class ListOperatorsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListOperatorsResponse(_message.Message):
    __slots__ = ("operators",)
    OPERATORS_FIELD_NUMBER: _ClassVar[int]
    operators: _containers.RepeatedCompositeFieldContainer[Operator]
    def __init__(self, operators: _Optional[_Iterable[_Union[Operator, _Mapping]]] = ...) -> None: ...

class PauseOperatorRequest(_message.Message):
    __slots__ = ("id", "reason")
    ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    id: str
    reason: str
    def __init__(self, id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class PauseOperatorResponse(_message.Message):
    __slots__ = ("operator",)
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    operator: Operator
    def __init__(self, operator: _Optional[_Union[Operator, _Mapping]] = ...) -> None: ...

class ResumeOperatorRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class ResumeOperatorResponse(_message.Message):
    __slots__ = ("operator",)
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    operator: Operator
    def __init__(self, operator: _Optional[_Union[Operator, _Mapping]] = ...) -> None: ...

class RebindOperatorRequest(_message.Message):
    __slots__ = ("id", "slot")
    ID_FIELD_NUMBER: _ClassVar[int]
    SLOT_FIELD_NUMBER: _ClassVar[int]
    id: str
    slot: int
    def __init__(self, id: _Optional[str] = ..., slot: _Optional[int] = ...) -> None: ...

class RebindOperatorResponse(_message.Message):
    __slots__ = ("operator",)
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    operator: Operator
    def __init__(self, operator: _Optional[_Union[Operator, _Mapping]] = ...) -> None: ...

class ListParkedReceiptsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "operator")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    operator: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., operator: _Optional[str] = ...) -> None: ...

class ListParkedReceiptsResponse(_message.Message):
    __slots__ = ("parked_receipts", "next_page_token")
    PARKED_RECEIPTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    parked_receipts: _containers.RepeatedCompositeFieldContainer[ParkedReceipt]
    next_page_token: str
    def __init__(self, parked_receipts: _Optional[_Iterable[_Union[ParkedReceipt, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...
