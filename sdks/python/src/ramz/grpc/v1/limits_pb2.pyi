from google.protobuf import timestamp_pb2 as _timestamp_pb2
from ramz.grpc.v1 import session_pb2 as _session_pb2
from ramz.grpc.v1 import verify_pb2 as _verify_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetLimitsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetLimitsResponse(_message.Message):
    __slots__ = ("limits",)
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    limits: AccountLimits
    def __init__(self, limits: _Optional[_Union[AccountLimits, _Mapping]] = ...) -> None: ...

class AccountLimits(_message.Message):
    __slots__ = ("budgets", "rule_modes", "sends_per_second", "sends_burst", "sends_per_number_per_hour", "sends_per_number_per_day")
    BUDGETS_FIELD_NUMBER: _ClassVar[int]
    RULE_MODES_FIELD_NUMBER: _ClassVar[int]
    SENDS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    SENDS_BURST_FIELD_NUMBER: _ClassVar[int]
    SENDS_PER_NUMBER_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    SENDS_PER_NUMBER_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    budgets: _containers.RepeatedCompositeFieldContainer[BudgetState]
    rule_modes: _containers.RepeatedCompositeFieldContainer[RuleState]
    sends_per_second: float
    sends_burst: int
    sends_per_number_per_hour: int
    sends_per_number_per_day: int
    def __init__(self, budgets: _Optional[_Iterable[_Union[BudgetState, _Mapping]]] = ..., rule_modes: _Optional[_Iterable[_Union[RuleState, _Mapping]]] = ..., sends_per_second: _Optional[float] = ..., sends_burst: _Optional[int] = ..., sends_per_number_per_hour: _Optional[int] = ..., sends_per_number_per_day: _Optional[int] = ...) -> None: ...

class BudgetState(_message.Message):
    __slots__ = ("budget", "currency", "api_key_id", "limit", "used", "left", "window_ends_at")
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    API_KEY_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    WINDOW_ENDS_AT_FIELD_NUMBER: _ClassVar[int]
    budget: str
    currency: str
    api_key_id: str
    limit: str
    used: str
    left: str
    window_ends_at: _timestamp_pb2.Timestamp
    def __init__(self, budget: _Optional[str] = ..., currency: _Optional[str] = ..., api_key_id: _Optional[str] = ..., limit: _Optional[str] = ..., used: _Optional[str] = ..., left: _Optional[str] = ..., window_ends_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class BudgetLimits(_message.Message):
    __slots__ = ("sends_per_hour", "sends_per_day", "spend_per_hour", "spend_per_day")
    class SpendPerHourEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class SpendPerDayEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SENDS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    SENDS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    SPEND_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    SPEND_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    sends_per_hour: int
    sends_per_day: int
    spend_per_hour: _containers.ScalarMap[str, str]
    spend_per_day: _containers.ScalarMap[str, str]
    def __init__(self, sends_per_hour: _Optional[int] = ..., sends_per_day: _Optional[int] = ..., spend_per_hour: _Optional[_Mapping[str, str]] = ..., spend_per_day: _Optional[_Mapping[str, str]] = ...) -> None: ...

class RuleState(_message.Message):
    __slots__ = ("rule", "mode")
    RULE_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    rule: str
    mode: str
    def __init__(self, rule: _Optional[str] = ..., mode: _Optional[str] = ...) -> None: ...

class Stop(_message.Message):
    __slots__ = ("id", "prefix", "rule", "reason", "sent", "verified", "enforced", "started_at", "ends_at", "lifted_at", "lifted_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SENT_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_FIELD_NUMBER: _ClassVar[int]
    ENFORCED_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDS_AT_FIELD_NUMBER: _ClassVar[int]
    LIFTED_AT_FIELD_NUMBER: _ClassVar[int]
    LIFTED_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    prefix: str
    rule: str
    reason: str
    sent: int
    verified: int
    enforced: bool
    started_at: _timestamp_pb2.Timestamp
    ends_at: _timestamp_pb2.Timestamp
    lifted_at: _timestamp_pb2.Timestamp
    lifted_by: str
    def __init__(self, id: _Optional[str] = ..., prefix: _Optional[str] = ..., rule: _Optional[str] = ..., reason: _Optional[str] = ..., sent: _Optional[int] = ..., verified: _Optional[int] = ..., enforced: bool = ..., started_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., ends_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., lifted_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., lifted_by: _Optional[str] = ...) -> None: ...

class ListStopsRequest(_message.Message):
    __slots__ = ("active", "page_size", "page_token")
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    active: bool
    page_size: int
    page_token: str
    def __init__(self, active: bool = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListStopsResponse(_message.Message):
    __slots__ = ("stops", "next_page_token")
    STOPS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    stops: _containers.RepeatedCompositeFieldContainer[Stop]
    next_page_token: str
    def __init__(self, stops: _Optional[_Iterable[_Union[Stop, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class LiftStopRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class LiftStopResponse(_message.Message):
    __slots__ = ("stop",)
    STOP_FIELD_NUMBER: _ClassVar[int]
    stop: Stop
    def __init__(self, stop: _Optional[_Union[Stop, _Mapping]] = ...) -> None: ...

class DryRunRequest(_message.Message):
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
    client: _verify_pb2.ClientInfo
    metadata: _containers.ScalarMap[str, str]
    def __init__(self, to: _Optional[str] = ..., channel: _Optional[str] = ..., sender_id: _Optional[str] = ..., language: _Optional[str] = ..., code_length: _Optional[int] = ..., ttl_seconds: _Optional[int] = ..., cascade: _Optional[_Iterable[_Union[_session_pb2.CascadeLeg, _Mapping]]] = ..., purpose: _Optional[str] = ..., client_reference: _Optional[str] = ..., autofill: _Optional[_Union[_session_pb2.Autofill, _Mapping]] = ..., code: _Optional[str] = ..., client: _Optional[_Union[_verify_pb2.ClientInfo, _Mapping]] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class DryRunResponse(_message.Message):
    __slots__ = ("allowed", "results")
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    allowed: bool
    results: _containers.RepeatedCompositeFieldContainer[RuleResult]
    def __init__(self, allowed: bool = ..., results: _Optional[_Iterable[_Union[RuleResult, _Mapping]]] = ...) -> None: ...

class RuleResult(_message.Message):
    __slots__ = ("rule", "mode", "objects", "reason", "stop_id", "retry_at")
    RULE_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    OBJECTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STOP_ID_FIELD_NUMBER: _ClassVar[int]
    RETRY_AT_FIELD_NUMBER: _ClassVar[int]
    rule: str
    mode: str
    objects: bool
    reason: str
    stop_id: str
    retry_at: _timestamp_pb2.Timestamp
    def __init__(self, rule: _Optional[str] = ..., mode: _Optional[str] = ..., objects: bool = ..., reason: _Optional[str] = ..., stop_id: _Optional[str] = ..., retry_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
