from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from ramz.grpc.v1 import api_key_pb2 as _api_key_pb2
from ramz.grpc.v1 import session_pb2 as _session_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Account(_message.Message):
    __slots__ = ("id", "name", "created_at", "custom_waba_connected_at", "language", "default_sender_id", "cascade", "in_country_only", "sms_first_send_at", "autofill", "brand", "brand_status", "brand_reason", "brand_in_use", "texts", "channels", "approved_at", "allowed_prefixes")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_WABA_CONNECTED_AT_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    IN_COUNTRY_ONLY_FIELD_NUMBER: _ClassVar[int]
    SMS_FIRST_SEND_AT_FIELD_NUMBER: _ClassVar[int]
    AUTOFILL_FIELD_NUMBER: _ClassVar[int]
    BRAND_FIELD_NUMBER: _ClassVar[int]
    BRAND_STATUS_FIELD_NUMBER: _ClassVar[int]
    BRAND_REASON_FIELD_NUMBER: _ClassVar[int]
    BRAND_IN_USE_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    APPROVED_AT_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_PREFIXES_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    created_at: _timestamp_pb2.Timestamp
    custom_waba_connected_at: _timestamp_pb2.Timestamp
    language: str
    default_sender_id: str
    cascade: _containers.RepeatedCompositeFieldContainer[_session_pb2.CascadeLeg]
    in_country_only: bool
    sms_first_send_at: _timestamp_pb2.Timestamp
    autofill: AccountAutofill
    brand: str
    brand_status: str
    brand_reason: str
    brand_in_use: str
    texts: _containers.RepeatedCompositeFieldContainer[AccountText]
    channels: _containers.RepeatedCompositeFieldContainer[ChannelState]
    approved_at: _timestamp_pb2.Timestamp
    allowed_prefixes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., custom_waba_connected_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., language: _Optional[str] = ..., default_sender_id: _Optional[str] = ..., cascade: _Optional[_Iterable[_Union[_session_pb2.CascadeLeg, _Mapping]]] = ..., in_country_only: bool = ..., sms_first_send_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., autofill: _Optional[_Union[AccountAutofill, _Mapping]] = ..., brand: _Optional[str] = ..., brand_status: _Optional[str] = ..., brand_reason: _Optional[str] = ..., brand_in_use: _Optional[str] = ..., texts: _Optional[_Iterable[_Union[AccountText, _Mapping]]] = ..., channels: _Optional[_Iterable[_Union[ChannelState, _Mapping]]] = ..., approved_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., allowed_prefixes: _Optional[_Iterable[str]] = ...) -> None: ...

class ChannelState(_message.Message):
    __slots__ = ("channel", "carrier", "usable", "reason")
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    CARRIER_FIELD_NUMBER: _ClassVar[int]
    USABLE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    channel: str
    carrier: str
    usable: bool
    reason: str
    def __init__(self, channel: _Optional[str] = ..., carrier: _Optional[str] = ..., usable: bool = ..., reason: _Optional[str] = ...) -> None: ...

class AccountText(_message.Message):
    __slots__ = ("language", "text", "status", "reason", "text_in_use")
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TEXT_IN_USE_FIELD_NUMBER: _ClassVar[int]
    language: str
    text: str
    status: str
    reason: str
    text_in_use: str
    def __init__(self, language: _Optional[str] = ..., text: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., text_in_use: _Optional[str] = ...) -> None: ...

class SmsText(_message.Message):
    __slots__ = ("language", "text")
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    language: str
    text: str
    def __init__(self, language: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class AccountAutofill(_message.Message):
    __slots__ = ("web_origins", "android_apps", "states")
    WEB_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    ANDROID_APPS_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    web_origins: _containers.RepeatedScalarFieldContainer[str]
    android_apps: _containers.RepeatedCompositeFieldContainer[AndroidApp]
    states: _containers.RepeatedCompositeFieldContainer[AutofillState]
    def __init__(self, web_origins: _Optional[_Iterable[str]] = ..., android_apps: _Optional[_Iterable[_Union[AndroidApp, _Mapping]]] = ..., states: _Optional[_Iterable[_Union[AutofillState, _Mapping]]] = ...) -> None: ...

class AndroidApp(_message.Message):
    __slots__ = ("package_name", "app_hash")
    PACKAGE_NAME_FIELD_NUMBER: _ClassVar[int]
    APP_HASH_FIELD_NUMBER: _ClassVar[int]
    package_name: str
    app_hash: str
    def __init__(self, package_name: _Optional[str] = ..., app_hash: _Optional[str] = ...) -> None: ...

class AutofillState(_message.Message):
    __slots__ = ("value", "status")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    value: str
    status: str
    def __init__(self, value: _Optional[str] = ..., status: _Optional[str] = ...) -> None: ...

class RegisterAutofill(_message.Message):
    __slots__ = ("web_origins", "android_apps")
    WEB_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    ANDROID_APPS_FIELD_NUMBER: _ClassVar[int]
    web_origins: _containers.RepeatedScalarFieldContainer[str]
    android_apps: _containers.RepeatedCompositeFieldContainer[AndroidApp]
    def __init__(self, web_origins: _Optional[_Iterable[str]] = ..., android_apps: _Optional[_Iterable[_Union[AndroidApp, _Mapping]]] = ...) -> None: ...

class CreateAccountRequest(_message.Message):
    __slots__ = ("name", "language")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    name: str
    language: str
    def __init__(self, name: _Optional[str] = ..., language: _Optional[str] = ...) -> None: ...

class CreateAccountResponse(_message.Message):
    __slots__ = ("account", "live_key", "test_key")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    LIVE_KEY_FIELD_NUMBER: _ClassVar[int]
    TEST_KEY_FIELD_NUMBER: _ClassVar[int]
    account: Account
    live_key: _api_key_pb2.ApiKey
    test_key: _api_key_pb2.ApiKey
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ..., live_key: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ..., test_key: _Optional[_Union[_api_key_pb2.ApiKey, _Mapping]] = ...) -> None: ...

class GetAccountRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class UpdateAccountRequest(_message.Message):
    __slots__ = ("name", "language", "default_sender_id", "cascade", "update_mask", "in_country_only", "autofill", "brand", "texts", "allowed_prefixes")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_SENDER_ID_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    IN_COUNTRY_ONLY_FIELD_NUMBER: _ClassVar[int]
    AUTOFILL_FIELD_NUMBER: _ClassVar[int]
    BRAND_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_PREFIXES_FIELD_NUMBER: _ClassVar[int]
    name: str
    language: str
    default_sender_id: str
    cascade: _containers.RepeatedCompositeFieldContainer[_session_pb2.CascadeLeg]
    update_mask: _field_mask_pb2.FieldMask
    in_country_only: bool
    autofill: RegisterAutofill
    brand: str
    texts: _containers.RepeatedCompositeFieldContainer[SmsText]
    allowed_prefixes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., language: _Optional[str] = ..., default_sender_id: _Optional[str] = ..., cascade: _Optional[_Iterable[_Union[_session_pb2.CascadeLeg, _Mapping]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., in_country_only: bool = ..., autofill: _Optional[_Union[RegisterAutofill, _Mapping]] = ..., brand: _Optional[str] = ..., texts: _Optional[_Iterable[_Union[SmsText, _Mapping]]] = ..., allowed_prefixes: _Optional[_Iterable[str]] = ...) -> None: ...

class DecideWordingRequest(_message.Message):
    __slots__ = ("account_id", "brand", "text", "status", "reason")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    BRAND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    brand: str
    text: SmsText
    status: str
    reason: str
    def __init__(self, account_id: _Optional[str] = ..., brand: _Optional[str] = ..., text: _Optional[_Union[SmsText, _Mapping]] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class DecideWordingResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class UpdateAccountResponse(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: Account
    def __init__(self, account: _Optional[_Union[Account, _Mapping]] = ...) -> None: ...

class GetMeasuresRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetMeasuresResponse(_message.Message):
    __slots__ = ("sms_time_to_market_seconds", "messaging_app_time_to_market_seconds", "account_created_at", "sms_first_send_at", "custom_waba_connected_at", "messaging_app_first_send_at")
    SMS_TIME_TO_MARKET_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MESSAGING_APP_TIME_TO_MARKET_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    SMS_FIRST_SEND_AT_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_WABA_CONNECTED_AT_FIELD_NUMBER: _ClassVar[int]
    MESSAGING_APP_FIRST_SEND_AT_FIELD_NUMBER: _ClassVar[int]
    sms_time_to_market_seconds: float
    messaging_app_time_to_market_seconds: float
    account_created_at: _timestamp_pb2.Timestamp
    sms_first_send_at: _timestamp_pb2.Timestamp
    custom_waba_connected_at: _timestamp_pb2.Timestamp
    messaging_app_first_send_at: _timestamp_pb2.Timestamp
    def __init__(self, sms_time_to_market_seconds: _Optional[float] = ..., messaging_app_time_to_market_seconds: _Optional[float] = ..., account_created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., sms_first_send_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., custom_waba_connected_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., messaging_app_first_send_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
