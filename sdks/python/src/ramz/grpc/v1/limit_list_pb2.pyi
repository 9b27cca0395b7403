from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListEntry(_message.Message):
    __slots__ = ("id", "list", "value", "note", "created_at", "created_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    list: str
    value: str
    note: str
    created_at: _timestamp_pb2.Timestamp
    created_by: str
    def __init__(self, id: _Optional[str] = ..., list: _Optional[str] = ..., value: _Optional[str] = ..., note: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., created_by: _Optional[str] = ...) -> None: ...

class CreateListEntryRequest(_message.Message):
    __slots__ = ("list", "value", "note")
    LIST_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    list: str
    value: str
    note: str
    def __init__(self, list: _Optional[str] = ..., value: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class CreateListEntryResponse(_message.Message):
    __slots__ = ("entry",)
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: ListEntry
    def __init__(self, entry: _Optional[_Union[ListEntry, _Mapping]] = ...) -> None: ...

class ListListEntriesRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "list")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    list: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., list: _Optional[str] = ...) -> None: ...

class ListListEntriesResponse(_message.Message):
    __slots__ = ("entries", "next_page_token")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[ListEntry]
    next_page_token: str
    def __init__(self, entries: _Optional[_Iterable[_Union[ListEntry, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeleteListEntryRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class DeleteListEntryResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
