from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Waba(_message.Message):
    __slots__ = ("waba_id", "phone_number_id", "phone_number", "display_name", "status", "step", "reason", "error_code", "templates", "created_at", "connected_at", "updated_at", "health", "daily_recipients")
    WABA_ID_FIELD_NUMBER: _ClassVar[int]
    PHONE_NUMBER_ID_FIELD_NUMBER: _ClassVar[int]
    PHONE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    TEMPLATES_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    DAILY_RECIPIENTS_FIELD_NUMBER: _ClassVar[int]
    waba_id: str
    phone_number_id: str
    phone_number: str
    display_name: str
    status: str
    step: str
    reason: str
    error_code: str
    templates: _containers.RepeatedCompositeFieldContainer[WabaTemplate]
    created_at: _timestamp_pb2.Timestamp
    connected_at: _timestamp_pb2.Timestamp
    updated_at: _timestamp_pb2.Timestamp
    health: WabaHealth
    daily_recipients: int
    def __init__(self, waba_id: _Optional[str] = ..., phone_number_id: _Optional[str] = ..., phone_number: _Optional[str] = ..., display_name: _Optional[str] = ..., status: _Optional[str] = ..., step: _Optional[str] = ..., reason: _Optional[str] = ..., error_code: _Optional[str] = ..., templates: _Optional[_Iterable[_Union[WabaTemplate, _Mapping]]] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., connected_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., updated_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., health: _Optional[_Union[WabaHealth, _Mapping]] = ..., daily_recipients: _Optional[int] = ...) -> None: ...

class WabaHealth(_message.Message):
    __slots__ = ("can_send", "quality", "name_status", "messaging_limit", "throughput", "token_expires_at", "problems")
    CAN_SEND_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    NAME_STATUS_FIELD_NUMBER: _ClassVar[int]
    MESSAGING_LIMIT_FIELD_NUMBER: _ClassVar[int]
    THROUGHPUT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    can_send: str
    quality: str
    name_status: str
    messaging_limit: str
    throughput: str
    token_expires_at: _timestamp_pb2.Timestamp
    problems: _containers.RepeatedCompositeFieldContainer[WabaProblem]
    def __init__(self, can_send: _Optional[str] = ..., quality: _Optional[str] = ..., name_status: _Optional[str] = ..., messaging_limit: _Optional[str] = ..., throughput: _Optional[str] = ..., token_expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., problems: _Optional[_Iterable[_Union[WabaProblem, _Mapping]]] = ...) -> None: ...

class WabaProblem(_message.Message):
    __slots__ = ("part", "error_code", "description", "solution")
    PART_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SOLUTION_FIELD_NUMBER: _ClassVar[int]
    part: str
    error_code: str
    description: str
    solution: str
    def __init__(self, part: _Optional[str] = ..., error_code: _Optional[str] = ..., description: _Optional[str] = ..., solution: _Optional[str] = ...) -> None: ...

class WabaTemplate(_message.Message):
    __slots__ = ("language", "status")
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    language: str
    status: str
    def __init__(self, language: _Optional[str] = ..., status: _Optional[str] = ...) -> None: ...

class CreateWabaSignupRequest(_message.Message):
    __slots__ = ("language",)
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    language: str
    def __init__(self, language: _Optional[str] = ...) -> None: ...

class CreateWabaSignupResponse(_message.Message):
    __slots__ = ("url", "state", "expires_at")
    URL_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    url: str
    state: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, url: _Optional[str] = ..., state: _Optional[str] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ConnectWabaRequest(_message.Message):
    __slots__ = ("waba_id", "phone_number_id", "code", "access_token", "state", "pin")
    WABA_ID_FIELD_NUMBER: _ClassVar[int]
    PHONE_NUMBER_ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    ACCESS_TOKEN_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    waba_id: str
    phone_number_id: str
    code: str
    access_token: str
    state: str
    pin: str
    def __init__(self, waba_id: _Optional[str] = ..., phone_number_id: _Optional[str] = ..., code: _Optional[str] = ..., access_token: _Optional[str] = ..., state: _Optional[str] = ..., pin: _Optional[str] = ...) -> None: ...

class ConnectWabaResponse(_message.Message):
    __slots__ = ("waba",)
    WABA_FIELD_NUMBER: _ClassVar[int]
    waba: Waba
    def __init__(self, waba: _Optional[_Union[Waba, _Mapping]] = ...) -> None: ...

class GetWabaRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetWabaResponse(_message.Message):
    __slots__ = ("waba",)
    WABA_FIELD_NUMBER: _ClassVar[int]
    waba: Waba
    def __init__(self, waba: _Optional[_Union[Waba, _Mapping]] = ...) -> None: ...

class DisconnectWabaRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DisconnectWabaResponse(_message.Message):
    __slots__ = ("waba",)
    WABA_FIELD_NUMBER: _ClassVar[int]
    waba: Waba
    def __init__(self, waba: _Optional[_Union[Waba, _Mapping]] = ...) -> None: ...
