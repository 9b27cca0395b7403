from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from ramz.grpc.v1 import api_key_pb2 as _api_key_pb2
from ramz.grpc.v1 import audit_pb2 as _audit_pb2
from ramz.grpc.v1 import limit_list_pb2 as _limit_list_pb2
from ramz.grpc.v1 import limits_pb2 as _limits_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Administrator(_message.Message):
    __slots__ = ("id", "token", "hint", "name", "scopes", "created_at", "created_by", "expires_at", "last_used_at", "revoked_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_USED_AT_FIELD_NUMBER: _ClassVar[int]
    REVOKED_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    token: str
    hint: str
    name: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    created_at: _timestamp_pb2.Timestamp
    created_by: str
    expires_at: _timestamp_pb2.Timestamp
    last_used_at: _timestamp_pb2.Timestamp
    revoked_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., token: _Optional[str] = ..., hint: _Optional[str] = ..., name: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., created_by: _Optional[str] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_used_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., revoked_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateAdministratorRequest(_message.Message):
    __slots__ = ("name", "scopes", "expires_at")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    name: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateAdministratorResponse(_message.Message):
    __slots__ = ("administrator",)
    ADMINISTRATOR_FIELD_NUMBER: _ClassVar[int]
    administrator: Administrator
    def __init__(self, administrator: _Optional[_Union[Administrator, _Mapping]] = ...) -> None: ...

class ListAdministratorsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "include_revoked")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_REVOKED_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    include_revoked: bool
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_revoked: bool = ...) -> None: ...

class ListAdministratorsResponse(_message.Message):
    __slots__ = ("administrators", "next_page_token")
    ADMINISTRATORS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    administrators: _containers.RepeatedCompositeFieldContainer[Administrator]
    next_page_token: str
    def __init__(self, administrators: _Optional[_Iterable[_Union[Administrator, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RevokeAdministratorRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class RevokeAdministratorResponse(_message.Message):
    __slots__ = ("administrator",)
    ADMINISTRATOR_FIELD_NUMBER: _ClassVar[int]
    administrator: Administrator
    def __init__(self, administrator: _Optional[_Union[Administrator, _Mapping]] = ...) -> None: ...

class EraseNumberEverywhereRequest(_message.Message):
    __slots__ = ("to", "account_id")
    TO_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    to: str
    account_id: str
    def __init__(self, to: _Optional[str] = ..., account_id: _Optional[str] = ...) -> None: ...

class EraseNumberEverywhereResponse(_message.Message):
    __slots__ = ("tables", "complete")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[ErasedTable]
    complete: bool
    def __init__(self, tables: _Optional[_Iterable[_Union[ErasedTable, _Mapping]]] = ..., complete: bool = ...) -> None: ...

class ErasedTable(_message.Message):
    __slots__ = ("table", "count")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    table: str
    count: int
    def __init__(self, table: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class ManagedAccount(_message.Message):
    __slots__ = ("id", "name", "status", "created_at", "approved_at", "suspended_at", "suspended_reason", "sms_first_send_at", "limits", "closed_at", "closed_reason", "purge_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    APPROVED_AT_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_AT_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_REASON_FIELD_NUMBER: _ClassVar[int]
    SMS_FIRST_SEND_AT_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    CLOSED_AT_FIELD_NUMBER: _ClassVar[int]
    CLOSED_REASON_FIELD_NUMBER: _ClassVar[int]
    PURGE_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    status: str
    created_at: _timestamp_pb2.Timestamp
    approved_at: _timestamp_pb2.Timestamp
    suspended_at: _timestamp_pb2.Timestamp
    suspended_reason: str
    sms_first_send_at: _timestamp_pb2.Timestamp
    limits: ManagedLimits
    closed_at: _timestamp_pb2.Timestamp
    closed_reason: str
    purge_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., status: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., approved_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., suspended_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., suspended_reason: _Optional[str] = ..., sms_first_send_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., limits: _Optional[_Union[ManagedLimits, _Mapping]] = ..., closed_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., closed_reason: _Optional[str] = ..., purge_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ManagedLimits(_message.Message):
    __slots__ = ("sends_per_second", "sends_per_number_per_hour", "sends_per_number_per_day", "unlimited_numbers", "client_ip_sends_per_hour", "client_ip_sends_per_day", "client_device_sends_per_hour", "client_device_sends_per_day", "client_user_agent_sends_per_hour", "client_user_agent_sends_per_day", "rule_modes", "budget")
    class RuleModesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SENDS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    SENDS_PER_NUMBER_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    SENDS_PER_NUMBER_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    UNLIMITED_NUMBERS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_IP_SENDS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    CLIENT_IP_SENDS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    CLIENT_DEVICE_SENDS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    CLIENT_DEVICE_SENDS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    CLIENT_USER_AGENT_SENDS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    CLIENT_USER_AGENT_SENDS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    RULE_MODES_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    sends_per_second: int
    sends_per_number_per_hour: int
    sends_per_number_per_day: int
    unlimited_numbers: bool
    client_ip_sends_per_hour: int
    client_ip_sends_per_day: int
    client_device_sends_per_hour: int
    client_device_sends_per_day: int
    client_user_agent_sends_per_hour: int
    client_user_agent_sends_per_day: int
    rule_modes: _containers.ScalarMap[str, str]
    budget: AccountBudget
    def __init__(self, sends_per_second: _Optional[int] = ..., sends_per_number_per_hour: _Optional[int] = ..., sends_per_number_per_day: _Optional[int] = ..., unlimited_numbers: bool = ..., client_ip_sends_per_hour: _Optional[int] = ..., client_ip_sends_per_day: _Optional[int] = ..., client_device_sends_per_hour: _Optional[int] = ..., client_device_sends_per_day: _Optional[int] = ..., client_user_agent_sends_per_hour: _Optional[int] = ..., client_user_agent_sends_per_day: _Optional[int] = ..., rule_modes: _Optional[_Mapping[str, str]] = ..., budget: _Optional[_Union[AccountBudget, _Mapping]] = ...) -> None: ...

class AccountBudget(_message.Message):
    __slots__ = ("sends_per_hour", "sends_per_day", "spend_per_hour", "spend_per_day", "unlimited")
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
    UNLIMITED_FIELD_NUMBER: _ClassVar[int]
    sends_per_hour: int
    sends_per_day: int
    spend_per_hour: _containers.ScalarMap[str, str]
    spend_per_day: _containers.ScalarMap[str, str]
    unlimited: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, sends_per_hour: _Optional[int] = ..., sends_per_day: _Optional[int] = ..., spend_per_hour: _Optional[_Mapping[str, str]] = ..., spend_per_day: _Optional[_Mapping[str, str]] = ..., unlimited: _Optional[_Iterable[str]] = ...) -> None: ...

class ListAccountsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "search", "status")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    search: str
    status: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., search: _Optional[str] = ..., status: _Optional[str] = ...) -> None: ...

class ListAccountsResponse(_message.Message):
    __slots__ = ("accounts", "next_page_token")
    ACCOUNTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    accounts: _containers.RepeatedCompositeFieldContainer[ManagedAccount]
    next_page_token: str
    def __init__(self, accounts: _Optional[_Iterable[_Union[ManagedAccount, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class FindAccountRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class FindAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: ManagedAccount
    def __init__(self, account: _Optional[_Union[ManagedAccount, _Mapping]] = ...) -> None: ...

class ApproveAccountRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class ApproveAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: ManagedAccount
    def __init__(self, account: _Optional[_Union[ManagedAccount, _Mapping]] = ...) -> None: ...

class SuspendAccountRequest(_message.Message):
    __slots__ = ("id", "reason")
    ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    id: str
    reason: str
    def __init__(self, id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class SuspendAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: ManagedAccount
    def __init__(self, account: _Optional[_Union[ManagedAccount, _Mapping]] = ...) -> None: ...

class ResumeAccountRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class ResumeAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: ManagedAccount
    def __init__(self, account: _Optional[_Union[ManagedAccount, _Mapping]] = ...) -> None: ...

class CloseAccountRequest(_message.Message):
    __slots__ = ("id", "reason")
    ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    id: str
    reason: str
    def __init__(self, id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class CloseAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: ManagedAccount
    def __init__(self, account: _Optional[_Union[ManagedAccount, _Mapping]] = ...) -> None: ...

class ReopenAccountRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class ReopenAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: ManagedAccount
    def __init__(self, account: _Optional[_Union[ManagedAccount, _Mapping]] = ...) -> None: ...

class ExportAccountRequest(_message.Message):
    __slots__ = ("id", "page_size", "page_token")
    ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    id: str
    page_size: int
    page_token: str
    def __init__(self, id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ExportAccountResponse(_message.Message):
    __slots__ = ("records", "next_page_token")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[ExportedRecord]
    next_page_token: str
    def __init__(self, records: _Optional[_Iterable[_Union[ExportedRecord, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ExportedRecord(_message.Message):
    __slots__ = ("kind", "line")
    KIND_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    kind: str
    line: str
    def __init__(self, kind: _Optional[str] = ..., line: _Optional[str] = ...) -> None: ...

class UpdateAccountLimitsRequest(_message.Message):
    __slots__ = ("id", "sends_per_second", "sends_per_number_per_hour", "sends_per_number_per_day", "unlimited_numbers", "client_ip_sends_per_hour", "client_ip_sends_per_day", "client_device_sends_per_hour", "client_device_sends_per_day", "client_user_agent_sends_per_hour", "client_user_agent_sends_per_day", "rule_modes", "budget", "update_mask")
    class RuleModesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    SENDS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    SENDS_PER_NUMBER_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    SENDS_PER_NUMBER_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    UNLIMITED_NUMBERS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_IP_SENDS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    CLIENT_IP_SENDS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    CLIENT_DEVICE_SENDS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    CLIENT_DEVICE_SENDS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    CLIENT_USER_AGENT_SENDS_PER_HOUR_FIELD_NUMBER: _ClassVar[int]
    CLIENT_USER_AGENT_SENDS_PER_DAY_FIELD_NUMBER: _ClassVar[int]
    RULE_MODES_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    id: str
    sends_per_second: int
    sends_per_number_per_hour: int
    sends_per_number_per_day: int
    unlimited_numbers: bool
    client_ip_sends_per_hour: int
    client_ip_sends_per_day: int
    client_device_sends_per_hour: int
    client_device_sends_per_day: int
    client_user_agent_sends_per_hour: int
    client_user_agent_sends_per_day: int
    rule_modes: _containers.ScalarMap[str, str]
    budget: AccountBudget
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, id: _Optional[str] = ..., sends_per_second: _Optional[int] = ..., sends_per_number_per_hour: _Optional[int] = ..., sends_per_number_per_day: _Optional[int] = ..., unlimited_numbers: bool = ..., client_ip_sends_per_hour: _Optional[int] = ..., client_ip_sends_per_day: _Optional[int] = ..., client_device_sends_per_hour: _Optional[int] = ..., client_device_sends_per_day: _Optional[int] = ..., client_user_agent_sends_per_hour: _Optional[int] = ..., client_user_agent_sends_per_day: _Optional[int] = ..., rule_modes: _Optional[_Mapping[str, str]] = ..., budget: _Optional[_Union[AccountBudget, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ...) -> None: ...

class UpdateAccountLimitsResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: ManagedAccount
    def __init__(self, account: _Optional[_Union[ManagedAccount, _Mapping]] = ...) -> None: ...

class ListAccountStopsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "account_id", "active")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    account_id: str
    active: bool
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., account_id: _Optional[str] = ..., active: bool = ...) -> None: ...

class ListAccountStopsResponse(_message.Message):
    __slots__ = ("stops", "next_page_token")
    STOPS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    stops: _containers.RepeatedCompositeFieldContainer[AccountStop]
    next_page_token: str
    def __init__(self, stops: _Optional[_Iterable[_Union[AccountStop, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class AccountStop(_message.Message):
    __slots__ = ("account_id", "stop")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    stop: _limits_pb2.Stop
    def __init__(self, account_id: _Optional[str] = ..., stop: _Optional[_Union[_limits_pb2.Stop, _Mapping]] = ...) -> None: ...

class LiftAccountStopRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class LiftAccountStopResponse(_message.Message):
    __slots__ = ("stop",)
    STOP_FIELD_NUMBER: _ClassVar[int]
    stop: AccountStop
    def __init__(self, stop: _Optional[_Union[AccountStop, _Mapping]] = ...) -> None: ...

class CreatePlatformEntryRequest(_message.Message):
    __slots__ = ("list", "value", "note")
    LIST_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    list: str
    value: str
    note: str
    def __init__(self, list: _Optional[str] = ..., value: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class CreatePlatformEntryResponse(_message.Message):
    __slots__ = ("entry",)
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: _limit_list_pb2.ListEntry
    def __init__(self, entry: _Optional[_Union[_limit_list_pb2.ListEntry, _Mapping]] = ...) -> None: ...

class ListPlatformEntriesRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "list")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    list: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., list: _Optional[str] = ...) -> None: ...

class ListPlatformEntriesResponse(_message.Message):
    __slots__ = ("entries", "next_page_token")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[_limit_list_pb2.ListEntry]
    next_page_token: str
    def __init__(self, entries: _Optional[_Iterable[_Union[_limit_list_pb2.ListEntry, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeletePlatformEntryRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class DeletePlatformEntryResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UnlockNumberRequest(_message.Message):
    __slots__ = ("id", "to", "test")
    ID_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    to: str
    test: bool
    def __init__(self, id: _Optional[str] = ..., to: _Optional[str] = ..., test: bool = ...) -> None: ...

class UnlockNumberResponse(_message.Message):
    __slots__ = ("unlocked",)
    UNLOCKED_FIELD_NUMBER: _ClassVar[int]
    unlocked: _containers.RepeatedCompositeFieldContainer[UnlockedNumber]
    def __init__(self, unlocked: _Optional[_Iterable[_Union[UnlockedNumber, _Mapping]]] = ...) -> None: ...

class UnlockedNumber(_message.Message):
    __slots__ = ("test", "failures_in_row")
    TEST_FIELD_NUMBER: _ClassVar[int]
    FAILURES_IN_ROW_FIELD_NUMBER: _ClassVar[int]
    test: bool
    failures_in_row: int
    def __init__(self, test: bool = ..., failures_in_row: _Optional[int] = ...) -> None: ...

class ListAccountKeysRequest(_message.Message):
    __slots__ = ("id", "page_size", "page_token", "include_revoked")
    ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_REVOKED_FIELD_NUMBER: _ClassVar[int]
    id: str
    page_size: int
    page_token: str
    include_revoked: bool
    def __init__(self, id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_revoked: bool = ...) -> None: ...

class ListAccountKeysResponse(_message.Message):
    __slots__ = ("api_keys", "next_page_token")
    API_KEYS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    api_keys: _containers.RepeatedCompositeFieldContainer[_api_key_pb2.ApiKey]
    next_page_token: str
    def __init__(self, api_keys: _Optional[_Iterable[_Union[_api_key_pb2.ApiKey, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RevokeAccountKeyRequest(_message.Message):
    __slots__ = ("id", "force")
    ID_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    force: bool
    def __init__(self, id: _Optional[str] = ..., force: bool = ...) -> None: ...

class RevokeAccountKeyResponse(_message.Message):
    __slots__ = ("api_key",)
    API_KEY_FIELD_NUMBER: _ClassVar[int]
    api_key: _api_key_pb2.ApiKey
    def __init__(self, api_key: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class RevokeAllAccountKeysRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class RevokeAllAccountKeysResponse(_message.Message):
    __slots__ = ("api_keys",)
    API_KEYS_FIELD_NUMBER: _ClassVar[int]
    api_keys: _containers.RepeatedCompositeFieldContainer[_api_key_pb2.ApiKey]
    def __init__(self, api_keys: _Optional[_Iterable[_Union[_api_key_pb2.ApiKey, _Mapping]]] = ...) -> None: ...

class DecideAutofillRequest(_message.Message):
    __slots__ = ("id", "value", "approved")
    ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    APPROVED_FIELD_NUMBER: _ClassVar[int]
    id: str
    value: str
    approved: bool
    def __init__(self, id: _Optional[str] = ..., value: _Optional[str] = ..., approved: bool = ...) -> None: ...

class DecideAutofillResponse(_message.Message):
    __slots__ = ("autofill",)
    AUTOFILL_FIELD_NUMBER: _ClassVar[int]
    autofill: _containers.RepeatedCompositeFieldContainer[ManagedAutofill]
    def __init__(self, autofill: _Optional[_Iterable[_Union[ManagedAutofill, _Mapping]]] = ...) -> None: ...

class ManagedAutofill(_message.Message):
    __slots__ = ("value", "package_name", "status", "created_at")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    PACKAGE_NAME_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    value: str
    package_name: str
    status: str
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, value: _Optional[str] = ..., package_name: _Optional[str] = ..., status: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListAdminAuditEventsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "actor_id", "action", "target", "created_after", "created_before", "account_id")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    CREATED_AFTER_FIELD_NUMBER: _ClassVar[int]
    CREATED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    actor_id: str
    action: str
    target: str
    created_after: _timestamp_pb2.Timestamp
    created_before: _timestamp_pb2.Timestamp
    account_id: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., actor_id: _Optional[str] = ..., action: _Optional[str] = ..., target: _Optional[str] = ..., created_after: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., created_before: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., account_id: _Optional[str] = ...) -> None: ...

class ListAdminAuditEventsResponse(_message.Message):
    __slots__ = ("audit_events", "next_page_token")
    AUDIT_EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    audit_events: _containers.RepeatedCompositeFieldContainer[_audit_pb2.AuditEvent]
    next_page_token: str
    def __init__(self, audit_events: _Optional[_Iterable[_Union[_audit_pb2.AuditEvent, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...
