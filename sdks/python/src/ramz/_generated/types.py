# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
"""What the service is told and answers. What is absent there is empty here, or `None`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Callable, Optional, Union

from .. import _read
from .._message import Message as _Message

__all__ = [
    "EVENT_DATA",
    "Account",
    "AccountAutofill",
    "AndroidApp",
    "ApiKey",
    "Autofill",
    "AutofillState",
    "CancelSessionResponse",
    "CascadeLeg",
    "CheckResponse",
    "ConnectWabaResponse",
    "Cost",
    "CreateAccountResponse",
    "CreateApiKeyResponse",
    "CreateSenderIdResponse",
    "CreateWabaSignupResponse",
    "CreateWebhookEndpointResponse",
    "DecideSenderIdResponse",
    "DeleteWebhookEndpointResponse",
    "DisconnectWabaResponse",
    "EndpointEvent",
    "EventData",
    "GetAccountResponse",
    "GetMeasuresResponse",
    "GetSenderIdResponse",
    "GetSessionResponse",
    "GetWabaResponse",
    "GetWebhookEndpointResponse",
    "ListApiKeysResponse",
    "ListSenderIdsResponse",
    "ListSessionsResponse",
    "ListWebhookDeliveriesResponse",
    "ListWebhookEndpointsResponse",
    "Message",
    "MessageEvent",
    "NumberEvent",
    "Receipt",
    "RedeliverWebhookResponse",
    "RegisterAutofill",
    "RevokeApiKeyResponse",
    "RotateWebhookSecretResponse",
    "SendResponse",
    "SenderDecision",
    "SenderId",
    "SenderIdEvent",
    "Session",
    "SessionEvent",
    "TestWebhookEndpointResponse",
    "TimelineEntry",
    "TotalCost",
    "UpdateAccountResponse",
    "UpdateWebhookEndpointResponse",
    "Waba",
    "WabaEvent",
    "WabaTemplate",
    "WatchSessionResponse",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookEvent",
    "read_event_data",
]


@dataclass(frozen=True)
class CascadeLeg(_Message):
    """One step of the cascade."""

    channel: str = ""
    """Channel of the leg. Words: `constants.Channel`."""
    timeout_seconds: Optional[int] = None
    """How long a delivered receipt is waited for before the next leg starts. Default 15 for sms and
    whatsapp, 45 for voice. The deployment may narrow the range; 5 to 900 unless it says
    otherwise.
    """

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CascadeLeg:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            channel=_read.text(data, "channel"),
            timeout_seconds=_read.optional(data, "timeout_seconds", _read.to_integer),
        )


@dataclass(frozen=True)
class Autofill(_Message):
    """Lets a phone fill in the code by itself. At most one of the two: each must be the last line
    of the message. With a live key it must be registered on the account and approved (see
    `autofill` of the account); test keys accept any.
    """

    android_app_hash: str = ""
    """Hash of the Android app, for the SMS Retriever: 11 characters of base64."""
    web_origin: str = ""
    """Site the code is for, for WebOTP: `https://shop.example`, or just its host."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Autofill:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            android_app_hash=_read.text(data, "android_app_hash"),
            web_origin=_read.text(data, "web_origin"),
        )


@dataclass(frozen=True)
class SendResponse(_Message):
    """The session that was opened or resent."""

    id: str = ""
    """Identifies the session."""
    status: str = ""
    """How the verification stands. Words: `constants.SessionStatus`."""
    delivery: str = ""
    """Whether a code has reached the phone. Words: `constants.DeliveryStatus`."""
    to: str = ""
    """Number to verify, E.164."""
    channel: str = ""
    """Channel of the first leg of this run. Words: `constants.Channel`."""
    purpose: str = ""
    """What the challenge is for."""
    created_at: Optional[datetime] = None
    """When the session was opened."""
    expires_at: Optional[datetime] = None
    """When the code stops being valid."""
    cascade: tuple[CascadeLeg, ...] = ()
    """The legs, in order."""
    resend_after: Optional[datetime] = None
    """Earliest time of the next resend; absent when none is possible any more."""
    test: bool = False
    """Opened with a test key."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SendResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            id=_read.text(data, "id"),
            status=_read.text(data, "status"),
            delivery=_read.text(data, "delivery"),
            to=_read.text(data, "to"),
            channel=_read.text(data, "channel"),
            purpose=_read.text(data, "purpose"),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            expires_at=_read.optional(data, "expires_at", _read.to_timestamp),
            cascade=_read.items(data, "cascade", CascadeLeg.from_dict),
            resend_after=_read.optional(data, "resend_after", _read.to_timestamp),
            test=_read.flag(data, "test"),
        )


@dataclass(frozen=True)
class CheckResponse(_Message):
    """Whether the code was right. Only `valid: true` verifies; the HTTP status does not."""

    valid: bool = False
    """The code was right, in time, and had not been used before."""
    id: str = ""
    """Session the code was checked for."""
    status: str = ""
    """How the verification stands now. Words: `constants.SessionStatus`."""
    reason: str = ""
    """Why the code was not valid; else empty. Words: `constants.CheckReason`."""
    attempts_remaining: int = 0
    """Tries left at the code."""
    verified_at: Optional[datetime] = None
    """When the session was verified; absent where it is not."""
    test: bool = False
    """Session of a test key."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CheckResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            valid=_read.flag(data, "valid"),
            id=_read.text(data, "id"),
            status=_read.text(data, "status"),
            reason=_read.text(data, "reason"),
            attempts_remaining=_read.integer(data, "attempts_remaining"),
            verified_at=_read.optional(data, "verified_at", _read.to_timestamp),
            test=_read.flag(data, "test"),
        )


@dataclass(frozen=True)
class Cost(_Message):
    """What a message costs."""

    amount: str = ""
    """Decimal number as a string: money is never a float."""
    currency: str = ""
    """ISO 4217."""
    parts: int = 0
    """What was counted: SMS segments, messaging-app messages, or seconds of a call."""
    source: str = ""
    """Who says so. Words: `constants.CostSource`."""
    final: bool = False
    """Nothing but a correction by the operator changes it any more."""
    revision: int = 0
    """From 1; raised by every change."""
    billed_by: str = ""
    """Who sends the bill. Words: `constants.BilledBy`."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Cost:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            amount=_read.text(data, "amount"),
            currency=_read.text(data, "currency"),
            parts=_read.integer(data, "parts"),
            source=_read.text(data, "source"),
            final=_read.flag(data, "final"),
            revision=_read.integer(data, "revision"),
            billed_by=_read.text(data, "billed_by"),
        )


@dataclass(frozen=True)
class Receipt(_Message):
    """A carrier's delivery report, normalised."""

    session_id: str = ""
    """Session the message belongs to."""
    message_id: str = ""
    """Message the receipt is about."""
    run: int = 0
    """Number of the send within the session, from 1."""
    channel: str = ""
    """Channel of the message. Words: `constants.Channel`."""
    operator: str = ""
    """Operator that delivered it; empty for other channels."""
    sender_id: str = ""
    """Sender name it was sent under; on the messaging app the business's, where it went out from
    its own number.
    """
    to: str = ""
    """Number it was sent to, E.164."""
    status: str = ""
    """State of delivery, in SMPP's words. Words: `constants.ReceiptStatus`."""
    provider_status: str = ""
    """The channel's own word for the state, where it is not SMPP's."""
    error_code: str = ""
    """The carrier's own error code, as it came."""
    operator_timestamp: Optional[datetime] = None
    """The carrier's time of that state; absent where it gave none."""
    received_at: Optional[datetime] = None
    """When the receipt came in."""
    cost: Optional[Cost] = None
    """What the message costs, as far as is known; absent while nothing is."""
    provider_message_id: str = ""
    """The carrier's id of the message."""
    client_reference: str = ""
    """What the client gave as its own reference."""
    raw: str = ""
    """The report as it came, digits of the code masked."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Receipt:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            session_id=_read.text(data, "session_id"),
            message_id=_read.text(data, "message_id"),
            run=_read.integer(data, "run"),
            channel=_read.text(data, "channel"),
            operator=_read.text(data, "operator"),
            sender_id=_read.text(data, "sender_id"),
            to=_read.text(data, "to"),
            status=_read.text(data, "status"),
            provider_status=_read.text(data, "provider_status"),
            error_code=_read.text(data, "error_code"),
            operator_timestamp=_read.optional(data, "operator_timestamp", _read.to_timestamp),
            received_at=_read.optional(data, "received_at", _read.to_timestamp),
            cost=_read.optional(data, "cost", Cost.from_dict),
            provider_message_id=_read.text(data, "provider_message_id"),
            client_reference=_read.text(data, "client_reference"),
            raw=_read.text(data, "raw"),
        )


@dataclass(frozen=True)
class Message(_Message):
    """One try on one channel."""

    id: str = ""
    """Identifies the message."""
    run: int = 0
    """Run it belongs to, from 1."""
    position: int = 0
    """Place of its leg in the run, from 0."""
    channel: str = ""
    """How it travels. Words: `constants.Channel`."""
    operator: str = ""
    """Operator it goes through; empty for other channels."""
    status: str = ""
    """How it stands. Words: `constants.MessageStatus`."""
    reason: str = ""
    """Why, where the status does not say it. Words: `constants.MessageReason`."""
    error_code: str = ""
    """The carrier's own error code, as it came."""
    provider_message_id: str = ""
    """The carrier's id of the message."""
    sender_id: str = ""
    """Sender name it went out under; on the messaging app the business's, where it went out from
    the business's own number.
    """
    parts: int = 0
    """SMS segments, or seconds of a call; 0 while not known."""
    created_at: Optional[datetime] = None
    """When its leg started."""
    submitted_at: Optional[datetime] = None
    """When the carrier took it; absent before."""
    final_at: Optional[datetime] = None
    """When its status became final; absent before."""
    cost: Optional[Cost] = None
    """What it costs; absent while nothing is known."""
    receipts: tuple[Receipt, ...] = ()
    """Every receipt that came for it, oldest first."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Message:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            id=_read.text(data, "id"),
            run=_read.integer(data, "run"),
            position=_read.integer(data, "position"),
            channel=_read.text(data, "channel"),
            operator=_read.text(data, "operator"),
            status=_read.text(data, "status"),
            reason=_read.text(data, "reason"),
            error_code=_read.text(data, "error_code"),
            provider_message_id=_read.text(data, "provider_message_id"),
            sender_id=_read.text(data, "sender_id"),
            parts=_read.integer(data, "parts"),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            submitted_at=_read.optional(data, "submitted_at", _read.to_timestamp),
            final_at=_read.optional(data, "final_at", _read.to_timestamp),
            cost=_read.optional(data, "cost", Cost.from_dict),
            receipts=_read.items(data, "receipts", Receipt.from_dict),
        )


@dataclass(frozen=True)
class TimelineEntry(_Message):
    """Something that happened, and why. Never a code."""

    at: Optional[datetime] = None
    """When."""
    kind: str = ""
    """What. Words: `constants.TimelineKind`."""
    run: int = 0
    """Run it happened in, from 1."""
    position: Optional[int] = None
    """Leg of the run it is about, from 0; absent where it is about none."""
    channel: str = ""
    """Channel it is about; empty where it is about none. Words: `constants.Channel`."""
    message_id: str = ""
    """Message it is about; empty where it is about none."""
    reason: str = ""
    """Why; which words, `kind` decides."""
    detail: str = ""
    """More for the reader, e.g. a carrier's error code or the sender name that was used instead."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TimelineEntry:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            at=_read.optional(data, "at", _read.to_timestamp),
            kind=_read.text(data, "kind"),
            run=_read.integer(data, "run"),
            position=_read.optional(data, "position", _read.to_integer),
            channel=_read.text(data, "channel"),
            message_id=_read.text(data, "message_id"),
            reason=_read.text(data, "reason"),
            detail=_read.text(data, "detail"),
        )


@dataclass(frozen=True)
class TotalCost(_Message):
    """Costs of a session in one currency, added up."""

    amount: str = ""
    """Decimal number as a string."""
    currency: str = ""
    """ISO 4217."""
    final: bool = False
    """Every cost in it is final."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TotalCost:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            amount=_read.text(data, "amount"),
            currency=_read.text(data, "currency"),
            final=_read.flag(data, "final"),
        )


@dataclass(frozen=True)
class Session(_Message):
    """One verification challenge, with the whole story of it."""

    id: str = ""
    """Identifies the session."""
    status: str = ""
    """How the verification stands. Words: `constants.SessionStatus`."""
    status_reason: str = ""
    """Why it is failed or canceled; else empty. Words: `constants.StatusReason`."""
    delivery: str = ""
    """Whether a code has reached the phone. Words: `constants.DeliveryStatus`."""
    to: str = ""
    """Number to verify, E.164."""
    channel: str = ""
    """Channel of the first leg. Words: `constants.Channel`."""
    purpose: str = ""
    """What the challenge is for; empty by default."""
    language: str = ""
    """Language of the messages. Words: `constants.Language`."""
    code_length: int = 0
    """Digits of the code."""
    sender_id: str = ""
    """Sender name the client asked for; empty = the account's, then the platform's."""
    client_reference: str = ""
    """The client's own reference."""
    autofill: Optional[Autofill] = None
    """What was asked for so that the phone fills the code in."""
    created_at: Optional[datetime] = None
    """When the session was opened."""
    expires_at: Optional[datetime] = None
    """When the code stops being valid."""
    verified_at: Optional[datetime] = None
    """When the right code was given; absent before."""
    first_send_at: Optional[datetime] = None
    """When a carrier took the session's first message; absent before."""
    run: int = 0
    """Number of the run under way: each send or resend starts one."""
    sends: int = 0
    """Sends and resends so far; steps of the cascade do not count."""
    attempts_remaining: int = 0
    """Tries left at the code."""
    resend_after: Optional[datetime] = None
    """Earliest time of the next resend; absent when none is possible any more."""
    cascade: tuple[CascadeLeg, ...] = ()
    """The legs, in order."""
    messages: tuple[Message, ...] = ()
    """Every message, oldest first. Left out of lists."""
    timeline: tuple[TimelineEntry, ...] = ()
    """What happened and why, oldest first. Left out of lists."""
    total_cost: tuple[TotalCost, ...] = ()
    """What the session has cost so far: one entry per currency."""
    test: bool = False
    """Opened with a test key."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Session:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            id=_read.text(data, "id"),
            status=_read.text(data, "status"),
            status_reason=_read.text(data, "status_reason"),
            delivery=_read.text(data, "delivery"),
            to=_read.text(data, "to"),
            channel=_read.text(data, "channel"),
            purpose=_read.text(data, "purpose"),
            language=_read.text(data, "language"),
            code_length=_read.integer(data, "code_length"),
            sender_id=_read.text(data, "sender_id"),
            client_reference=_read.text(data, "client_reference"),
            autofill=_read.optional(data, "autofill", Autofill.from_dict),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            expires_at=_read.optional(data, "expires_at", _read.to_timestamp),
            verified_at=_read.optional(data, "verified_at", _read.to_timestamp),
            first_send_at=_read.optional(data, "first_send_at", _read.to_timestamp),
            run=_read.integer(data, "run"),
            sends=_read.integer(data, "sends"),
            attempts_remaining=_read.integer(data, "attempts_remaining"),
            resend_after=_read.optional(data, "resend_after", _read.to_timestamp),
            cascade=_read.items(data, "cascade", CascadeLeg.from_dict),
            messages=_read.items(data, "messages", Message.from_dict),
            timeline=_read.items(data, "timeline", TimelineEntry.from_dict),
            total_cost=_read.items(data, "total_cost", TotalCost.from_dict),
            test=_read.flag(data, "test"),
        )


@dataclass(frozen=True)
class GetSessionResponse(_Message):
    """The session. REST answers the session itself."""

    session: Optional[Session] = None
    """The session, with messages and timeline."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GetSessionResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            session=_read.optional(data, "session", Session.from_dict),
        )


@dataclass(frozen=True)
class ListSessionsResponse(_Message):
    """One page of sessions, newest first."""

    sessions: tuple[Session, ...] = ()
    """The sessions, without messages and timelines."""
    next_page_token: str = ""
    """Token of the next page; empty only on the last page. Each page examines a bounded number of
    rows: with a filter that few rows match, a page may have fewer items than `page_size`, or
    none, although more pages follow.
    """

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ListSessionsResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            sessions=_read.items(data, "sessions", Session.from_dict),
            next_page_token=_read.text(data, "next_page_token"),
        )


@dataclass(frozen=True)
class CancelSessionResponse(_Message):
    """The session after it was canceled. REST answers the session itself."""

    session: Optional[Session] = None
    """The session, with messages and timeline."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CancelSessionResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            session=_read.optional(data, "session", Session.from_dict),
        )


@dataclass(frozen=True)
class WatchSessionResponse(_Message):
    """The session as it is now."""

    session: Optional[Session] = None
    """The session, with messages and timeline."""
    new_entries: tuple[TimelineEntry, ...] = ()
    """What is new in the timeline since the answer before; in the first answer all of it."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WatchSessionResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            session=_read.optional(data, "session", Session.from_dict),
            new_entries=_read.items(data, "new_entries", TimelineEntry.from_dict),
        )


@dataclass(frozen=True)
class AndroidApp(_Message):
    """An Android app that reads codes with the SMS Retriever."""

    package_name: str = ""
    """Application id of the app."""
    app_hash: str = ""
    """SMS Retriever hash of the app: 11 characters of base64. It depends on the certificate that
    signs the app.
    """

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AndroidApp:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            package_name=_read.text(data, "package_name"),
            app_hash=_read.text(data, "app_hash"),
        )


@dataclass(frozen=True)
class AutofillState(_Message):
    """Status of one site or app."""

    value: str = ""
    """The web origin, or the app's hash."""
    status: str = ""
    """Status of the value. Words: `constants.AutofillStatus`."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AutofillState:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            value=_read.text(data, "value"),
            status=_read.text(data, "status"),
        )


@dataclass(frozen=True)
class AccountAutofill(_Message):
    """Sites and Android apps of the account. A live send may name only these in its `autofill`: the
    text goes out under a trusted sender name, and phones turn an address in it into a link.
    """

    web_origins: tuple[str, ...] = ()
    """Web origins, in the form in which they are compared: `https://` and the host in lower case,
    international names in punycode.
    """
    android_apps: tuple[AndroidApp, ...] = ()
    """Android apps."""
    states: tuple[AutofillState, ...] = ()
    """Status of each of them, in the same order: the origins first, then the apps."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AccountAutofill:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            web_origins=_read.items(data, "web_origins", _read.to_text),
            android_apps=_read.items(data, "android_apps", AndroidApp.from_dict),
            states=_read.items(data, "states", AutofillState.from_dict),
        )


@dataclass(frozen=True)
class Account(_Message):
    """A business."""

    id: str = ""
    """Identifies the account."""
    name: str = ""
    """Name of the business."""
    created_at: Optional[datetime] = None
    """When the account was created; start of the SMS time-to-market."""
    custom_waba_connected_at: Optional[datetime] = None
    """When the business linked its own messaging-app account; absent before. Linking again does not
    change it.
    """
    language: str = ""
    """Language where a send gives none. Words: `constants.Language`."""
    default_sender_id: str = ""
    """Sender name where a send gives none; empty = the platform's."""
    cascade: tuple[CascadeLeg, ...] = ()
    """Legs where a send gives none, in order."""
    in_country_only: bool = False
    """Channels whose messages leave the country are not used."""
    sms_first_send_at: Optional[datetime] = None
    """When an operator took the account's first live SMS; absent before."""
    autofill: Optional[AccountAutofill] = None
    """Sites and apps that a live send may name in its `autofill`, once they are approved."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Account:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            id=_read.text(data, "id"),
            name=_read.text(data, "name"),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            custom_waba_connected_at=_read.optional(
                data, "custom_waba_connected_at", _read.to_timestamp
            ),
            language=_read.text(data, "language"),
            default_sender_id=_read.text(data, "default_sender_id"),
            cascade=_read.items(data, "cascade", CascadeLeg.from_dict),
            in_country_only=_read.flag(data, "in_country_only"),
            sms_first_send_at=_read.optional(data, "sms_first_send_at", _read.to_timestamp),
            autofill=_read.optional(data, "autofill", AccountAutofill.from_dict),
        )


@dataclass(frozen=True)
class ApiKey(_Message):
    """A key; all of it but the secret itself."""

    id: str = ""
    """Identifies the key; part of the key's text."""
    key: str = field(default="", repr=False)
    """The key itself: in the answer that created it, and never again."""
    hint: str = ""
    """What tells the key apart in a list: its prefix and a few characters."""
    mode: str = ""
    """Live or test. Words: `constants.Mode`."""
    name: str = ""
    """Name given at creation."""
    scopes: tuple[str, ...] = ()
    """What it may do. Words: `constants.Scope`."""
    created_at: Optional[datetime] = None
    """When it was created."""
    expires_at: Optional[datetime] = None
    """When it stops working; absent = never."""
    last_used_at: Optional[datetime] = None
    """When it was last used, within a minute; absent = never."""
    revoked_at: Optional[datetime] = None
    """When it was revoked; absent = it was not."""
    created_by: str = ""
    """Id of the key that created this one; `operator` if the operator of the service did, as for
    the first keys of an account. Empty for keys that are older than this field.
    """

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ApiKey:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            id=_read.text(data, "id"),
            key=_read.text(data, "key"),
            hint=_read.text(data, "hint"),
            mode=_read.text(data, "mode"),
            name=_read.text(data, "name"),
            scopes=_read.items(data, "scopes", _read.to_text),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            expires_at=_read.optional(data, "expires_at", _read.to_timestamp),
            last_used_at=_read.optional(data, "last_used_at", _read.to_timestamp),
            revoked_at=_read.optional(data, "revoked_at", _read.to_timestamp),
            created_by=_read.text(data, "created_by"),
        )


@dataclass(frozen=True)
class CreateAccountResponse(_Message):
    """The account and its first keys."""

    account: Optional[Account] = None
    """The account."""
    live_key: Optional[ApiKey] = None
    """Its live key, with every scope; `key` is shown this once."""
    test_key: Optional[ApiKey] = None
    """Its test key, with every scope; `key` is shown this once."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CreateAccountResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            account=_read.optional(data, "account", Account.from_dict),
            live_key=_read.optional(data, "live_key", ApiKey.from_dict),
            test_key=_read.optional(data, "test_key", ApiKey.from_dict),
        )


@dataclass(frozen=True)
class GetAccountResponse(_Message):
    """The account. REST answers the account itself."""

    account: Optional[Account] = None
    """The account of the key."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GetAccountResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            account=_read.optional(data, "account", Account.from_dict),
        )


@dataclass(frozen=True)
class RegisterAutofill(_Message):
    """Sites and Android apps to register. They replace the registered ones."""

    web_origins: tuple[str, ...] = ()
    """Web origins: `https://shop.example`, or just the host."""
    android_apps: tuple[AndroidApp, ...] = ()
    """Android apps. An app that is signed with several certificates is listed once per hash."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RegisterAutofill:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            web_origins=_read.items(data, "web_origins", _read.to_text),
            android_apps=_read.items(data, "android_apps", AndroidApp.from_dict),
        )


@dataclass(frozen=True)
class UpdateAccountResponse(_Message):
    """The account after the change. REST answers the account itself."""

    account: Optional[Account] = None
    """The account."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> UpdateAccountResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            account=_read.optional(data, "account", Account.from_dict),
        )


@dataclass(frozen=True)
class GetMeasuresResponse(_Message):
    """How long it took from an account to its first messages."""

    sms_time_to_market_seconds: Optional[float] = None
    """`sms_first_send_at` minus `account_created_at`, in seconds; absent before the first live SMS.
    """
    messaging_app_time_to_market_seconds: Optional[float] = None
    """`messaging_app_first_send_at` minus `custom_waba_connected_at`, in seconds; absent before
    both.
    """
    account_created_at: Optional[datetime] = None
    """When the account was created."""
    sms_first_send_at: Optional[datetime] = None
    """When an operator took the account's first live SMS."""
    custom_waba_connected_at: Optional[datetime] = None
    """When the business linked its own messaging-app account."""
    messaging_app_first_send_at: Optional[datetime] = None
    """First send of the first session sent from that account after the link."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GetMeasuresResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            sms_time_to_market_seconds=_read.optional(
                data, "sms_time_to_market_seconds", _read.to_number
            ),
            messaging_app_time_to_market_seconds=_read.optional(
                data, "messaging_app_time_to_market_seconds", _read.to_number
            ),
            account_created_at=_read.optional(data, "account_created_at", _read.to_timestamp),
            sms_first_send_at=_read.optional(data, "sms_first_send_at", _read.to_timestamp),
            custom_waba_connected_at=_read.optional(
                data, "custom_waba_connected_at", _read.to_timestamp
            ),
            messaging_app_first_send_at=_read.optional(
                data, "messaging_app_first_send_at", _read.to_timestamp
            ),
        )


@dataclass(frozen=True)
class CreateApiKeyResponse(_Message):
    """The key. REST answers the key object itself."""

    api_key: Optional[ApiKey] = None
    """The key, with its text in `key` this once."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CreateApiKeyResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            api_key=_read.optional(data, "api_key", ApiKey.from_dict),
        )


@dataclass(frozen=True)
class ListApiKeysResponse(_Message):
    """One page of keys, newest first."""

    api_keys: tuple[ApiKey, ...] = ()
    """The keys, without their text."""
    next_page_token: str = ""
    """Token of the next page; empty on the last one."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ListApiKeysResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            api_keys=_read.items(data, "api_keys", ApiKey.from_dict),
            next_page_token=_read.text(data, "next_page_token"),
        )


@dataclass(frozen=True)
class RevokeApiKeyResponse(_Message):
    """The key after it was revoked. REST answers the key object itself."""

    api_key: Optional[ApiKey] = None
    """The revoked key."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RevokeApiKeyResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            api_key=_read.optional(data, "api_key", ApiKey.from_dict),
        )


@dataclass(frozen=True)
class SenderDecision(_Message):
    """How a sender name stands at one operator."""

    operator: str = ""
    """The operator's id."""
    status: str = ""
    """How it stands. Words: `constants.SenderStatus`."""
    reason: str = ""
    """What the operator gave as its reason."""
    submitted_at: Optional[datetime] = None
    """When the operator was asked."""
    decided_at: Optional[datetime] = None
    """When it decided; absent before."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SenderDecision:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            operator=_read.text(data, "operator"),
            status=_read.text(data, "status"),
            reason=_read.text(data, "reason"),
            submitted_at=_read.optional(data, "submitted_at", _read.to_timestamp),
            decided_at=_read.optional(data, "decided_at", _read.to_timestamp),
        )


@dataclass(frozen=True)
class SenderId(_Message):
    """A custom sender name."""

    id: str = ""
    """Identifies the request for the name."""
    name: str = ""
    """The name as the recipient sees it."""
    created_at: Optional[datetime] = None
    """When it was asked for."""
    due_at: Optional[datetime] = None
    """When every operator should have decided: 72 hours later."""
    decisions: tuple[SenderDecision, ...] = ()
    """How it stands at each operator."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SenderId:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            id=_read.text(data, "id"),
            name=_read.text(data, "name"),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            due_at=_read.optional(data, "due_at", _read.to_timestamp),
            decisions=_read.items(data, "decisions", SenderDecision.from_dict),
        )


@dataclass(frozen=True)
class CreateSenderIdResponse(_Message):
    """The sender name. REST answers it itself."""

    sender_id: Optional[SenderId] = None
    """The sender name, submitted to every operator."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CreateSenderIdResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            sender_id=_read.optional(data, "sender_id", SenderId.from_dict),
        )


@dataclass(frozen=True)
class GetSenderIdResponse(_Message):
    """The sender name. REST answers it itself."""

    sender_id: Optional[SenderId] = None
    """The sender name."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GetSenderIdResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            sender_id=_read.optional(data, "sender_id", SenderId.from_dict),
        )


@dataclass(frozen=True)
class ListSenderIdsResponse(_Message):
    """One page of sender names, newest first."""

    sender_ids: tuple[SenderId, ...] = ()
    """The sender names."""
    next_page_token: str = ""
    """Token of the next page; empty on the last one."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ListSenderIdsResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            sender_ids=_read.items(data, "sender_ids", SenderId.from_dict),
            next_page_token=_read.text(data, "next_page_token"),
        )


@dataclass(frozen=True)
class DecideSenderIdResponse(_Message):
    """The sender name after the decision. REST answers it itself."""

    sender_id: Optional[SenderId] = None
    """The sender name."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DecideSenderIdResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            sender_id=_read.optional(data, "sender_id", SenderId.from_dict),
        )


@dataclass(frozen=True)
class CreateWabaSignupResponse(_Message):
    """The signup."""

    url: str = ""
    """The page to open in the business's browser. Whoever has the address can link an account: hand
    it to nobody else.
    """
    state: str = ""
    """The state in it, for a page of one's own: see ConnectWaba."""
    expires_at: Optional[datetime] = None
    """When it ends."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CreateWabaSignupResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            url=_read.text(data, "url"),
            state=_read.text(data, "state"),
            expires_at=_read.optional(data, "expires_at", _read.to_timestamp),
        )


@dataclass(frozen=True)
class WabaTemplate(_Message):
    """A template of the business's account."""

    language: str = ""
    """Its language, as the platform writes it."""
    status: str = ""
    """How it stands. Words: `constants.WabaTemplateStatus`."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WabaTemplate:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            language=_read.text(data, "language"),
            status=_read.text(data, "status"),
        )


@dataclass(frozen=True)
class Waba(_Message):
    """A business's own account at the messaging platform, and how its link stands."""

    waba_id: str = ""
    """The platform's id of the account."""
    phone_number_id: str = ""
    """The platform's id of the phone number messages go out from."""
    phone_number: str = ""
    """That number, as the platform writes it; empty until it was asked for."""
    display_name: str = ""
    """Name that the number's messages show; empty until it was asked for."""
    status: str = ""
    """How the link stands. Words: `constants.WabaStatus`."""
    step: str = ""
    """The step under way while `connecting`, the one that failed where it is `broken`; else empty.
    Words: `constants.WabaStep`.
    """
    reason: str = ""
    """Why it is broken or disconnected, or why the step under way is tried again; else empty.
    Words: `constants.WabaReason`.
    """
    error_code: str = ""
    """The platform's own error code, where there is one."""
    templates: tuple[WabaTemplate, ...] = ()
    """The authentication template in each language. Messages in a language whose template is not
    approved go out from the platform's number.
    """
    created_at: Optional[datetime] = None
    """When this link was begun."""
    connected_at: Optional[datetime] = None
    """When this link was complete; absent before. The account's `custom_waba_connected_at` is that
    of its first link.
    """
    updated_at: Optional[datetime] = None
    """When any of this was last changed."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Waba:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            waba_id=_read.text(data, "waba_id"),
            phone_number_id=_read.text(data, "phone_number_id"),
            phone_number=_read.text(data, "phone_number"),
            display_name=_read.text(data, "display_name"),
            status=_read.text(data, "status"),
            step=_read.text(data, "step"),
            reason=_read.text(data, "reason"),
            error_code=_read.text(data, "error_code"),
            templates=_read.items(data, "templates", WabaTemplate.from_dict),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            connected_at=_read.optional(data, "connected_at", _read.to_timestamp),
            updated_at=_read.optional(data, "updated_at", _read.to_timestamp),
        )


@dataclass(frozen=True)
class ConnectWabaResponse(_Message):
    """The link that has begun. REST answers it itself."""

    waba: Optional[Waba] = None
    """The account being linked."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ConnectWabaResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            waba=_read.optional(data, "waba", Waba.from_dict),
        )


@dataclass(frozen=True)
class GetWabaResponse(_Message):
    """The link. REST answers it itself."""

    waba: Optional[Waba] = None
    """The business's own account."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GetWabaResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            waba=_read.optional(data, "waba", Waba.from_dict),
        )


@dataclass(frozen=True)
class DisconnectWabaResponse(_Message):
    """The link after its end. REST answers it itself."""

    waba: Optional[Waba] = None
    """What was linked."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DisconnectWabaResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            waba=_read.optional(data, "waba", Waba.from_dict),
        )


@dataclass(frozen=True)
class WebhookEndpoint(_Message):
    """Where callbacks go."""

    id: str = ""
    """Identifies the endpoint."""
    url: str = ""
    """Address that callbacks are posted to."""
    description: str = ""
    """The client's own words about it."""
    event_types: tuple[str, ...] = ()
    """Types of event it gets; empty = every type. Words: `constants.EventType`."""
    enabled: bool = False
    """Callbacks are sent to it."""
    disabled_reason: str = ""
    """Why it is switched off; else empty. Words: `constants.DisabledReason`."""
    secret: str = field(default="", repr=False)
    """Secret that callbacks are signed with: in the answers that made it, and never again."""
    previous_secret_expires_at: Optional[datetime] = None
    """Until when the secret before this one is signed with too; absent where there is none."""
    created_at: Optional[datetime] = None
    """When it was created."""
    updated_at: Optional[datetime] = None
    """When it was last changed."""
    failing_since: Optional[datetime] = None
    """Since when nothing but failure came back; absent while it works."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WebhookEndpoint:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            id=_read.text(data, "id"),
            url=_read.text(data, "url"),
            description=_read.text(data, "description"),
            event_types=_read.items(data, "event_types", _read.to_text),
            enabled=_read.flag(data, "enabled"),
            disabled_reason=_read.text(data, "disabled_reason"),
            secret=_read.text(data, "secret"),
            previous_secret_expires_at=_read.optional(
                data, "previous_secret_expires_at", _read.to_timestamp
            ),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            updated_at=_read.optional(data, "updated_at", _read.to_timestamp),
            failing_since=_read.optional(data, "failing_since", _read.to_timestamp),
        )


@dataclass(frozen=True)
class CreateWebhookEndpointResponse(_Message):
    """The endpoint. REST answers it itself."""

    webhook_endpoint: Optional[WebhookEndpoint] = None
    """The endpoint, with its secret this once."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CreateWebhookEndpointResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            webhook_endpoint=_read.optional(data, "webhook_endpoint", WebhookEndpoint.from_dict),
        )


@dataclass(frozen=True)
class GetWebhookEndpointResponse(_Message):
    """The endpoint. REST answers it itself."""

    webhook_endpoint: Optional[WebhookEndpoint] = None
    """The endpoint."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GetWebhookEndpointResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            webhook_endpoint=_read.optional(data, "webhook_endpoint", WebhookEndpoint.from_dict),
        )


@dataclass(frozen=True)
class ListWebhookEndpointsResponse(_Message):
    """One page of endpoints, newest first."""

    webhook_endpoints: tuple[WebhookEndpoint, ...] = ()
    """The endpoints."""
    next_page_token: str = ""
    """Token of the next page; empty on the last one."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ListWebhookEndpointsResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            webhook_endpoints=_read.items(data, "webhook_endpoints", WebhookEndpoint.from_dict),
            next_page_token=_read.text(data, "next_page_token"),
        )


@dataclass(frozen=True)
class UpdateWebhookEndpointResponse(_Message):
    """The endpoint after the change. REST answers it itself."""

    webhook_endpoint: Optional[WebhookEndpoint] = None
    """The endpoint."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> UpdateWebhookEndpointResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            webhook_endpoint=_read.optional(data, "webhook_endpoint", WebhookEndpoint.from_dict),
        )


@dataclass(frozen=True)
class DeleteWebhookEndpointResponse(_Message):
    """Nothing: the endpoint is gone."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DeleteWebhookEndpointResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls()


@dataclass(frozen=True)
class RotateWebhookSecretResponse(_Message):
    """The endpoint with its new secret. REST answers it itself."""

    webhook_endpoint: Optional[WebhookEndpoint] = None
    """The endpoint, with its new secret this once."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RotateWebhookSecretResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            webhook_endpoint=_read.optional(data, "webhook_endpoint", WebhookEndpoint.from_dict),
        )


@dataclass(frozen=True)
class WebhookDelivery(_Message):
    """One event for one endpoint."""

    event_id: str = ""
    """Identifies the event."""
    type: str = ""
    """What happened. Words: `constants.EventType`."""
    session_id: str = ""
    """Session it is about; empty where it is about none."""
    status: str = ""
    """How the delivery stands. Words: `constants.WebhookDeliveryStatus`."""
    attempts: int = 0
    """Tries so far."""
    next_attempt_at: Optional[datetime] = None
    """When the next try is made; absent where there is none."""
    last_response_status: Optional[int] = None
    """HTTP status of the last answer; absent where none came."""
    last_error: str = ""
    """Why the last try failed; else empty."""
    created_at: Optional[datetime] = None
    """When the event happened."""
    delivered_at: Optional[datetime] = None
    """When it was delivered; absent before."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WebhookDelivery:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            event_id=_read.text(data, "event_id"),
            type=_read.text(data, "type"),
            session_id=_read.text(data, "session_id"),
            status=_read.text(data, "status"),
            attempts=_read.integer(data, "attempts"),
            next_attempt_at=_read.optional(data, "next_attempt_at", _read.to_timestamp),
            last_response_status=_read.optional(data, "last_response_status", _read.to_integer),
            last_error=_read.text(data, "last_error"),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            delivered_at=_read.optional(data, "delivered_at", _read.to_timestamp),
        )


@dataclass(frozen=True)
class ListWebhookDeliveriesResponse(_Message):
    """One page of deliveries, newest first."""

    deliveries: tuple[WebhookDelivery, ...] = ()
    """The deliveries."""
    next_page_token: str = ""
    """Token of the next page; empty only on the last page. Each page examines a bounded number of
    rows: with a filter that few rows match, a page may have fewer items than `page_size`, or
    none, although more pages follow.
    """

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ListWebhookDeliveriesResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            deliveries=_read.items(data, "deliveries", WebhookDelivery.from_dict),
            next_page_token=_read.text(data, "next_page_token"),
        )


@dataclass(frozen=True)
class RedeliverWebhookResponse(_Message):
    """The delivery, to be tried at once. REST answers it itself."""

    delivery: Optional[WebhookDelivery] = None
    """The delivery."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RedeliverWebhookResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            delivery=_read.optional(data, "delivery", WebhookDelivery.from_dict),
        )


@dataclass(frozen=True)
class TestWebhookEndpointResponse(_Message):
    """What came back."""

    delivered: bool = False
    """The endpoint answered 2xx."""
    response_status: Optional[int] = None
    """HTTP status of its answer; absent where none came."""
    duration_ms: int = 0
    """How long it took, in milliseconds."""
    error: str = ""
    """Why it failed; else empty."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TestWebhookEndpointResponse:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            delivered=_read.flag(data, "delivered"),
            response_status=_read.optional(data, "response_status", _read.to_integer),
            duration_ms=_read.integer(data, "duration_ms"),
            error=_read.text(data, "error"),
        )


@dataclass(frozen=True)
class WebhookEvent(_Message):
    """What every callback looks like."""

    id: str = ""
    """Identifies the event; the same on every retry, and in the header `webhook-id`."""
    type: str = ""
    """What happened. Words: `constants.EventType`."""
    api_version: str = ""
    """Version of the contract the body is made by."""
    account_id: str = ""
    """Account it happened in."""
    test: bool = False
    """It happened in test mode."""
    session_sequence: int = 0
    """Position of the event among those of its session, from 1; 0 if it is not about one session.
    Deliveries may overtake each other.
    """
    timestamp: Optional[datetime] = None
    """When it happened."""
    data: EventData = field(default_factory=dict)
    """The state at that moment; which message it is, the type decides."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WebhookEvent:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            id=_read.text(data, "id"),
            type=_read.text(data, "type"),
            api_version=_read.text(data, "api_version"),
            account_id=_read.text(data, "account_id"),
            test=_read.flag(data, "test"),
            session_sequence=_read.integer(data, "session_sequence"),
            timestamp=_read.optional(data, "timestamp", _read.to_timestamp),
            data=read_event_data(_read.text(data, "type"), _read.mapping(data, "data")),
        )


@dataclass(frozen=True)
class MessageEvent(_Message):
    """A message, as `message.submitted` and `message.failed` tell it."""

    session_id: str = ""
    """Session the message belongs to."""
    message_id: str = ""
    """Identifies the message."""
    run: int = 0
    """Number of the send within the session, from 1."""
    channel: str = ""
    """How it travels. Words: `constants.Channel`."""
    operator: str = ""
    """Operator it goes through; empty for other channels."""
    sender_id: str = ""
    """Sender name it went out under; on the messaging app the business's, where it went out from
    the business's own number.
    """
    to: str = ""
    """Number it goes to, E.164."""
    status: str = ""
    """How it stands. Words: `constants.MessageStatus`."""
    reason: str = ""
    """Why, where the status does not say it. Words: `constants.MessageReason`."""
    error_code: str = ""
    """The carrier's own error code, as it came."""
    provider_message_id: str = ""
    """The carrier's id of the message."""
    cost: Optional[Cost] = None
    """What it costs; absent while nothing is known."""
    client_reference: str = ""
    """The client's own reference."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MessageEvent:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            session_id=_read.text(data, "session_id"),
            message_id=_read.text(data, "message_id"),
            run=_read.integer(data, "run"),
            channel=_read.text(data, "channel"),
            operator=_read.text(data, "operator"),
            sender_id=_read.text(data, "sender_id"),
            to=_read.text(data, "to"),
            status=_read.text(data, "status"),
            reason=_read.text(data, "reason"),
            error_code=_read.text(data, "error_code"),
            provider_message_id=_read.text(data, "provider_message_id"),
            cost=_read.optional(data, "cost", Cost.from_dict),
            client_reference=_read.text(data, "client_reference"),
        )


@dataclass(frozen=True)
class SessionEvent(_Message):
    """A session, as the `session.*` events tell it."""

    session_id: str = ""
    """Identifies the session."""
    to: str = ""
    """Number to verify, E.164."""
    purpose: str = ""
    """What the challenge is for."""
    status: str = ""
    """How the verification stands. Words: `constants.SessionStatus`."""
    status_reason: str = ""
    """Why it is failed or canceled; else empty. Words: `constants.StatusReason`."""
    delivery: str = ""
    """Whether a code has reached the phone. Words: `constants.DeliveryStatus`."""
    run: int = 0
    """Number of the run under way, from 1."""
    created_at: Optional[datetime] = None
    """When the session was opened."""
    verified_at: Optional[datetime] = None
    """When the right code was given; absent before."""
    client_reference: str = ""
    """The client's own reference."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SessionEvent:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            session_id=_read.text(data, "session_id"),
            to=_read.text(data, "to"),
            purpose=_read.text(data, "purpose"),
            status=_read.text(data, "status"),
            status_reason=_read.text(data, "status_reason"),
            delivery=_read.text(data, "delivery"),
            run=_read.integer(data, "run"),
            created_at=_read.optional(data, "created_at", _read.to_timestamp),
            verified_at=_read.optional(data, "verified_at", _read.to_timestamp),
            client_reference=_read.text(data, "client_reference"),
        )


@dataclass(frozen=True)
class NumberEvent(_Message):
    """A number that was locked after too many wrong codes: its checks are refused."""

    to: str = ""
    """Number the codes were for, E.164."""
    session_id: str = ""
    """Session of the wrong code that locked the number."""
    failures: int = 0
    """Wrong codes for the number within the hour, over all its sessions."""
    failures_in_row: int = 0
    """Wrong codes for the number since its last right one."""
    locked_until: Optional[datetime] = None
    """End of the lock; absent if only the operator of the service can unlock the number."""
    needs_unlock: bool = False
    """True if only the operator of the service can unlock the number."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> NumberEvent:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            to=_read.text(data, "to"),
            session_id=_read.text(data, "session_id"),
            failures=_read.integer(data, "failures"),
            failures_in_row=_read.integer(data, "failures_in_row"),
            locked_until=_read.optional(data, "locked_until", _read.to_timestamp),
            needs_unlock=_read.flag(data, "needs_unlock"),
        )


@dataclass(frozen=True)
class SenderIdEvent(_Message):
    """An operator's decision about a sender name."""

    sender_id: str = ""
    """Identifies the sender name."""
    name: str = ""
    """The name."""
    operator: str = ""
    """The operator's id."""
    status: str = ""
    """How it stands there now. Words: `constants.SenderStatus`."""
    reason: str = ""
    """What the operator gave as its reason."""
    decided_at: Optional[datetime] = None
    """When it decided."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SenderIdEvent:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            sender_id=_read.text(data, "sender_id"),
            name=_read.text(data, "name"),
            operator=_read.text(data, "operator"),
            status=_read.text(data, "status"),
            reason=_read.text(data, "reason"),
            decided_at=_read.optional(data, "decided_at", _read.to_timestamp),
        )


@dataclass(frozen=True)
class WabaEvent(_Message):
    """The business's own messaging-app account was linked or unlinked."""

    waba_id: str = ""
    """The platform's id of that account."""
    phone_number_id: str = ""
    """The platform's id of the phone number it sends from."""
    reason: str = ""
    """Why it was unlinked; else empty. Words: `constants.WabaReason`."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WabaEvent:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            waba_id=_read.text(data, "waba_id"),
            phone_number_id=_read.text(data, "phone_number_id"),
            reason=_read.text(data, "reason"),
        )


@dataclass(frozen=True)
class EndpointEvent(_Message):
    """A webhook endpoint was switched off."""

    endpoint_id: str = ""
    """Identifies the endpoint."""
    url: str = ""
    """Its address."""
    reason: str = ""
    """Why. Words: `constants.DisabledReason`."""
    disabled_at: Optional[datetime] = None
    """When."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> EndpointEvent:
        """Reads a JSON object; unknown fields are let through. `ValueError` if it is no such object."""
        return cls(
            endpoint_id=_read.text(data, "endpoint_id"),
            url=_read.text(data, "url"),
            reason=_read.text(data, "reason"),
            disabled_at=_read.optional(data, "disabled_at", _read.to_timestamp),
        )


#: What an event tells: the message that its type decides, or plain JSON where the type is not known yet.
EventData = Union[
    Receipt,
    MessageEvent,
    SessionEvent,
    NumberEvent,
    SenderIdEvent,
    WabaEvent,
    EndpointEvent,
    Mapping[str, Any],
]

#: Type of event → reader of its data.
EVENT_DATA: dict[str, Callable[[Mapping[str, Any]], EventData]] = {
    "receipt.updated": Receipt.from_dict,
    "message.submitted": MessageEvent.from_dict,
    "message.failed": MessageEvent.from_dict,
    "session.verified": SessionEvent.from_dict,
    "session.expired": SessionEvent.from_dict,
    "session.canceled": SessionEvent.from_dict,
    "session.failed": SessionEvent.from_dict,
    "session.delivery_exhausted": SessionEvent.from_dict,
    "number.locked": NumberEvent.from_dict,
    "sender_id.decided": SenderIdEvent.from_dict,
    "waba.connected": WabaEvent.from_dict,
    "waba.disconnected": WabaEvent.from_dict,
    "endpoint.disabled": EndpointEvent.from_dict,
}


def read_event_data(type: str, data: Mapping[str, Any]) -> EventData:
    """The data of an event as its type says; as it is where the type is unknown."""
    reader = EVENT_DATA.get(type)
    return data if reader is None else reader(data)
