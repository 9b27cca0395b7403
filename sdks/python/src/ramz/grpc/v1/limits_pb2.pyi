from google.protobuf import timestamp_pb2 as _timestamp_pb2
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

class RuleState(_message.Message):
    __slots__ = ("rule", "mode")
    RULE_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    rule: str
    mode: str
    def __init__(self, rule: _Optional[str] = ..., mode: _Optional[str] = ...) -> None: ...
