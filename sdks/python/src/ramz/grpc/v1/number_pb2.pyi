from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class EraseNumberRequest(_message.Message):
    __slots__ = ("to",)
    TO_FIELD_NUMBER: _ClassVar[int]
    to: str
    def __init__(self, to: _Optional[str] = ...) -> None: ...

class EraseNumberResponse(_message.Message):
    __slots__ = ("sessions", "receipts", "webhook_deliveries", "stored_responses", "complete")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    RECEIPTS_FIELD_NUMBER: _ClassVar[int]
    WEBHOOK_DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    STORED_RESPONSES_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    sessions: int
    receipts: int
    webhook_deliveries: int
    stored_responses: int
    complete: bool
    def __init__(self, sessions: _Optional[int] = ..., receipts: _Optional[int] = ..., webhook_deliveries: _Optional[int] = ..., stored_responses: _Optional[int] = ..., complete: bool = ...) -> None: ...
