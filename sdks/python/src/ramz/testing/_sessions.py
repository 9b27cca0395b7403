"""The rules of sending and checking, in memory: those of the service as far as a client can see them."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Optional

from .. import types
from ..constants import (
    CheckReason,
    DeliveryStatus,
    ReportOutcome,
    SessionStatus,
    StatusReason,
    TimelineKind,
)

_ATTEMPTS = 5
_SENDS = 5
_RESEND_SECONDS = 30


@dataclass(frozen=True)
class SentCode:
    """A code that was sent, or sent again."""

    to: str
    code: str
    channel: str
    session_id: str
    language: str
    sender_id: str
    purpose: str
    client_reference: str


class Refusal(Exception):
    """The service refuses, with one of its error codes."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.details = details


class Sessions:
    def __init__(self) -> None:
        # Whole seconds: timestamps lose what is finer on their way.
        self.now = datetime.now(timezone.utc).replace(microsecond=0)
        self.sent: list[SentCode] = []
        self._sessions: dict[str, types.Session] = {}
        self._codes: dict[str, str] = {}
        #: By id, if the caller has brought it; else empty.
        self._own_codes: dict[str, str] = {}

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def all(self) -> list[types.Session]:
        """Newest first, as they are now."""
        return [self.get(id) for id in reversed(list(self._sessions))]

    def get(self, id: str) -> types.Session:
        session = self._sessions.get(id)
        if session is None:
            raise Refusal("session_not_found", "no such session")
        if session.status == SessionStatus.PENDING and _passed(session.expires_at, self.now):
            session = self._end(session, SessionStatus.EXPIRED)
        return session

    def send(self, request: Mapping[str, Any]) -> types.Session:
        pending = self._pending(request["to"], request.get("purpose", ""))
        code = request.get("code", "")
        if pending is not None and code not in ("", self._own_codes[pending.id]):
            self._spaced(pending)
            why = StatusReason.SUPERSEDED
            self._end(pending, SessionStatus.CANCELED, status_reason=why)
            pending = None
        session = self._open(request) if pending is None else self._resend(pending)
        session = self._change(session, TimelineKind.LEG_STARTED)
        session = self._change(session, TimelineKind.DELIVERY_DELIVERED)
        self.sent.append(
            SentCode(
                to=session.to,
                code=self._codes[session.id],
                channel=session.channel,
                session_id=session.id,
                language=session.language,
                sender_id=session.sender_id,
                purpose=session.purpose,
                client_reference=session.client_reference,
            )
        )
        return session

    def check(self, request: Mapping[str, Any]) -> types.CheckResponse:
        session = self._asked_for(request)
        code = _digits(request["code"])
        if len(code) != session.code_length:
            raise Refusal("invalid_code", "not digits of the right length", field="code")
        reason = _REASONS.get(session.status, "")
        if reason:
            return self._checked(session, reason=reason)
        left = session.attempts_remaining - 1
        session = self._change(session, TimelineKind.CODE_CHECKED, attempts_remaining=left)
        if code == self._codes[session.id]:
            session = self._end(session, SessionStatus.VERIFIED, verified_at=self.now)
            return self._checked(session, valid=True)
        if left == 0:
            why = StatusReason.TOO_MANY_ATTEMPTS
            session = self._end(session, SessionStatus.FAILED, status_reason=why)
        return self._checked(session, reason=CheckReason.INCORRECT_CODE)

    def cancel(self, id: str) -> types.Session:
        session = self.get(id)
        if session.status == SessionStatus.CANCELED:
            return session
        if session.status != SessionStatus.PENDING:
            message = f"the session is over: {session.status}"
            raise Refusal("session_not_pending", message, status=session.status)
        why = StatusReason.CANCELED_BY_CLIENT
        return self._end(session, SessionStatus.CANCELED, status_reason=why)

    def report(self, id: str, outcome: str) -> types.Session:
        """Ends a pending session in the way the client says. Once more is the same as once."""
        session = self.get(id)
        if session.status == SessionStatus.PENDING:
            if outcome == ReportOutcome.VERIFIED:
                return self._end(session, SessionStatus.VERIFIED, verified_at=self.now)
            why = StatusReason.REPORTED_FRAUD
            return self._end(session, SessionStatus.CANCELED, status_reason=why)
        is_verified = session.status == SessionStatus.VERIFIED
        is_fraud = session.status_reason == StatusReason.REPORTED_FRAUD
        if is_verified if outcome == ReportOutcome.VERIFIED else is_fraud:
            return session
        message = f"the session is over: {session.status}"
        raise Refusal("session_not_pending", message, status=session.status)

    def _open(self, request: Mapping[str, Any]) -> types.Session:
        own_code = request.get("code", "")
        code = own_code or "0" * request.get("code_length", 6)
        cascade = tuple(types.CascadeLeg.from_dict(leg) for leg in request.get("cascade", ()))
        channel = request.get("channel") or (cascade[0].channel if cascade else "sms")
        autofill = request.get("autofill")
        session = types.Session(
            id=f"vrf_{len(self._sessions) + 1:026d}",
            status=SessionStatus.PENDING,
            delivery=DeliveryStatus.DELIVERED,
            to=request["to"],
            channel=channel,
            purpose=request.get("purpose", ""),
            language=request.get("language", "ar"),
            code_length=len(code),
            sender_id=request.get("sender_id", ""),
            client_reference=request.get("client_reference", ""),
            metadata=dict(request.get("metadata", {})),
            autofill=types.Autofill.from_dict(autofill) if autofill else None,
            created_at=self.now,
            expires_at=self.now + timedelta(seconds=request.get("ttl_seconds", 600)),
            run=1,
            sends=1,
            attempts_remaining=_ATTEMPTS,
            resend_after=self.now + timedelta(seconds=_RESEND_SECONDS),
            cascade=cascade or (types.CascadeLeg(channel=channel, timeout_seconds=15),),
            test=True,
        )
        self._codes[session.id] = code
        self._own_codes[session.id] = own_code
        return self._change(session, TimelineKind.SESSION_OPENED)

    def _resend(self, session: types.Session) -> types.Session:
        if session.sends >= _SENDS:
            about: dict[str, Any] = {"session_id": session.id}
            left = ((session.expires_at or self.now) - self.now).total_seconds()
            message = "the session has as many sends as it may have"
            raise Refusal("too_many_sends", message, retry_after=left, **about)
        self._spaced(session)
        return self._change(
            session,
            TimelineKind.RESEND_REQUESTED,
            run=session.run + 1,
            sends=session.sends + 1,
            resend_after=self.now + timedelta(seconds=_RESEND_SECONDS),
        )

    def _spaced(self, session: types.Session) -> None:
        if not _passed(session.resend_after, self.now):
            after = session.resend_after or self.now
            wait = (after - self.now).total_seconds()
            more = {"session_id": session.id, "resend_after": after, "retry_after": wait}
            raise Refusal("resend_too_soon", "a code was sent too recently", **more)

    def _end(self, session: types.Session, status: str, **changes: Any) -> types.Session:
        return self._change(
            session, f"session_{status}", status=status, resend_after=None, **changes
        )

    def _asked_for(self, request: Mapping[str, Any]) -> types.Session:
        if "id" in request:
            return self.get(request["id"])
        to, purpose = number_of(request.get("to", "")), request.get("purpose", "")
        for session in self.all():
            if session.to == to and session.purpose == purpose:
                return session
        raise Refusal("session_not_found", "no such session")

    def _pending(self, to: str, purpose: str) -> Optional[types.Session]:
        for session in self.all():
            if (session.to, session.purpose) == (to, purpose):
                return session if session.status == SessionStatus.PENDING else None
        return None

    def _checked(
        self, session: types.Session, *, valid: bool = False, reason: str = ""
    ) -> types.CheckResponse:
        return types.CheckResponse(
            valid=valid,
            id=session.id,
            status=session.status,
            reason=reason,
            attempts_remaining=session.attempts_remaining,
            verified_at=session.verified_at,
            test=True,
        )

    def _change(self, session: types.Session, kind: str, **changes: Any) -> types.Session:
        """Changes a session, and says so in its timeline."""
        changed = dataclasses.replace(session, **changes)
        entry = types.TimelineEntry(at=self.now, kind=kind, run=changed.run)
        changed = dataclasses.replace(changed, timeline=(*session.timeline, entry))
        self._sessions[changed.id] = changed
        return changed


_REASONS = {
    SessionStatus.VERIFIED: CheckReason.ALREADY_VERIFIED,
    SessionStatus.EXPIRED: CheckReason.EXPIRED,
    SessionStatus.CANCELED: CheckReason.CANCELED,
    SessionStatus.FAILED: CheckReason.TOO_MANY_ATTEMPTS,
}


#: What the service passes over between digits, beside every dash. Brackets stay, since `+44 (0) 20`
#: is read in two ways.
_SEPARATORS = re.compile(
    r"[\s.\u2212\u00ad\u200b-\u200f\u061c\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)


def number_of(text: str) -> str:
    """The number as E.164."""
    spaced = "".join(" " if unicodedata.category(each) == "Pd" else each for each in text)
    number = _SEPARATORS.sub("", spaced)
    if not re.fullmatch(r"\+[1-9]\d{6,14}", number, re.ASCII):
        message = "not a number in international format"
        raise Refusal("invalid_phone_number", message, field="to")
    return number


def _passed(instant: Optional[datetime], now: datetime) -> bool:
    return instant is None or instant <= now


def _digits(text: str) -> str:
    """What the user typed as digits; empty where it is something else."""
    kept = re.sub(r"[\s\-]", "", text)
    return "".join(str(unicodedata.digit(each)) for each in kept) if kept.isdecimal() else ""
