"""The service in memory: takes HTTP requests, so that all of the client is used in your tests."""

from __future__ import annotations

import dataclasses
import json
import re
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Callable, Optional, Union
from urllib.parse import unquote

import httpx

from .. import types
from .._connect import CONTENT_TYPE, envelope
from .._generated import operations
from .._generated.error_codes import STATUS_OF
from .._message import Message, encode
from .._operation import Operation
from .._timestamps import parse_timestamp
from ._sessions import Refusal, Sessions, number_of

_OPERATIONS = {each.name: each for each in vars(operations).values() if isinstance(each, Operation)}
Fields = dict[str, Any]


class Service:
    def __init__(self) -> None:
        self.sessions = Sessions()
        #: Number → error code.
        self.refused: dict[str, str] = {}
        self._answers: dict[str, Union[Message, Mapping[str, Any]]] = {}
        self._failures: dict[str, list[Refusal]] = {}
        self._repeatable: dict[str, tuple[bytes, httpx.Response]] = {}
        self._lock = threading.Lock()
        self._handlers: dict[str, Callable[[Fields], Any]] = {
            "verify.send": self._send,
            "verify.check": self.sessions.check,
            "verify.get": lambda fields: self.sessions.get(fields["id"]),
            "verify.list": self._list,
            "verify.cancel": lambda fields: self.sessions.cancel(fields["id"]),
            "verify.report": lambda fields: self.sessions.report(fields["id"], fields["outcome"]),
            "verify.watch": lambda fields: self.sessions.get(fields["id"]),
            "accounts.get": lambda _: types.Account(id="acct_fake", name="Fake", language="ar"),
        }

    def answer(self, operation: str, body: Optional[Union[Message, Mapping[str, Any]]]) -> None:
        _check_name(operation)
        if body is None:
            self._answers.pop(operation, None)
        else:
            self._answers[operation] = body

    def fail(self, operation: str, code: str, times: int, details: Fields) -> None:
        _check_name(operation)
        refusal = Refusal(code, f"{code}, as the test has it", **details)
        self._failures.setdefault(operation, []).extend([refusal] * times)

    def handle(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            operation, fields = _understand(request)
            key = request.headers.get("idempotency-key") if operation.idempotency_key else None
            try:
                repeated = self._repeated(key, request.content)
                if repeated is not None:
                    return repeated
                answer = self._answer(operation, fields)
            except Refusal as refusal:
                return _refused(refusal, operation)
            response = _written(operation, answer, self._look)
            if key is not None:
                self._repeatable[key] = (request.content, response)
            return response

    def _look(self, id: str) -> Optional[types.Session]:
        """How a session stands; None where it is not the fake's own."""
        with self._lock:
            try:
                return self.sessions.get(id)
            except Refusal:
                return None

    def _repeated(self, key: Optional[str], content: bytes) -> Optional[httpx.Response]:
        """The answer that a call with this key had before."""
        if key is None or key not in self._repeatable:
            return None
        before, response = self._repeatable[key]
        if before != content:
            raise Refusal("idempotency_key_reused", "the key was used for another request")
        return httpx.Response(response.status_code, content=response.content)

    def _answer(self, operation: Operation, fields: Fields) -> Any:
        name = operation.name
        failures = self._failures.get(name)
        if failures:
            raise failures.pop(0)
        if name in self._answers:
            # The client takes no answer without its ids; a test need not say them.
            answer: dict[str, Any] = encode(self._answers[name])
            for each in operation.ids:
                answer[each] = answer.get(each) or fields.get(each) or "fake"
            return answer
        handler = self._handlers.get(name)
        if handler is None:
            hint = f'the fake plays no {name}: give it an answer, fake.answer("{name}", …)'
            raise Refusal("unimplemented", hint)
        return handler(fields)

    def _send(self, fields: Fields) -> types.SendResponse:
        number = number_of(fields["to"])
        if number in self.refused:
            raise Refusal(self.refused[number], "refused, as the test has it", field="to")
        session = self.sessions.send({**fields, "to": number})
        shared = {field.name for field in dataclasses.fields(types.SendResponse)}
        return types.SendResponse(**{name: getattr(session, name) for name in shared})

    def _list(self, fields: Fields) -> Fields:
        if "to" in fields:
            fields = {**fields, "to": number_of(fields["to"])}
        found = [each for each in self.sessions.all() if _matches(each, fields)]
        start, size = int(fields.get("page_token") or 0), int(fields.get("page_size") or 20)
        end = start + size
        shown = {field.name for field in dataclasses.fields(types.SessionSummary)}
        page = [
            types.SessionSummary(**{name: getattr(each, name) for name in shown})
            for each in found[start:end]
        ]
        return {"sessions": page, "next_page_token": str(end) if end < len(found) else ""}


def _matches(session: types.Session, fields: Fields) -> bool:
    exact = ("to", "status", "delivery", "purpose", "client_reference")
    if any(getattr(session, name) != fields[name] for name in exact if name in fields):
        return False
    opened = session.created_at
    after, before = fields.get("created_after"), fields.get("created_before")
    if opened is None:
        return False
    return (after is None or opened >= parse_timestamp(after)) and (
        before is None or opened < parse_timestamp(before)
    )


def _understand(request: httpx.Request) -> tuple[Operation, Fields]:
    path = request.url.raw_path.decode().partition("?")[0]
    for operation in _OPERATIONS.values():
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", operation.path)
        found = re.fullmatch(pattern, path)
        if found is None or operation.verb != request.method:
            continue
        content = request.content
        if request.headers.get("content-type") == CONTENT_TYPE:
            content = content[5:]
        fields: Fields = json.loads(content) if content else dict(request.url.params)
        return operation, {**fields, **{k: unquote(v) for k, v in found.groupdict().items()}}
    raise LookupError(f"the contract has no {request.method} {path}")


def _written(
    operation: Operation, answer: Any, look: Callable[[str], Optional[types.Session]]
) -> httpx.Response:
    if "/v1/" in operation.path:
        return httpx.Response(200, json=encode(answer))
    session = answer if isinstance(answer, types.Session) else types.Session.from_dict(answer)
    stream = _Stream(session, look)
    return httpx.Response(200, headers={"content-type": CONTENT_TYPE}, stream=stream)


class _Stream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """How a session stands, and what happened each time the caller comes back for more.

    It ends when nothing did: nothing happens while somebody waits for it.
    """

    def __init__(
        self, session: types.Session, look: Callable[[str], Optional[types.Session]]
    ) -> None:
        self._session = session
        self._look = look

    def __iter__(self) -> Iterator[bytes]:
        told = 0
        session: Optional[types.Session] = self._session
        while session is not None and (told == 0 or len(session.timeline) > told):
            news = {
                "session": encode(session),
                "new_entries": encode(session.timeline[told:]),
            }
            told = max(1, len(session.timeline))
            yield envelope(json.dumps(news).encode())
            session = self._look(session.id)
        yield envelope(b"{}", 2)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self:
            yield part


def _refused(refusal: Refusal, operation: Operation) -> httpx.Response:
    details = dict(refusal.details)
    retry_after = details.pop("retry_after", None)
    headers = {} if retry_after is None else {"retry-after": str(int(retry_after))}
    error = {
        "code": refusal.code,
        "message": refusal.message,
        "request_id": "req_fake",
        **{name: encode(value) for name, value in details.items()},
    }
    status = STATUS_OF.get(refusal.code, 400)
    return httpx.Response(status, headers=headers, json={"error": error})


def _check_name(operation: str) -> None:
    if operation not in _OPERATIONS:
        raise ValueError(f"no operation is called {operation!r}; one is verify.send")
