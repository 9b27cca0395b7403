"""One story against the running service, with either client: what every SDK must be able to do."""

from __future__ import annotations

import inspect
import os
import threading
import time
from typing import Any

import anyio
import pytest
from live import SANDBOX_FILE, code_sent_to, fresh_number, sink, until, webhooks_of

import ramz
from ramz import (
    AsyncRamz,
    AuthenticationError,
    InvalidRequestError,
    NotFoundError,
    Ramz,
    SignatureError,
    webhooks,
)
from ramz.constants import CheckReason, ErrorCode, EventType, SessionStatus, TimelineKind
from ramz.types import Session, SessionVerifiedEvent, WebhookEndpoint

pytestmark = [
    pytest.mark.live,
    pytest.mark.anyio,
    pytest.mark.skipif(not SANDBOX_FILE, reason="no running service (RAMZ_SANDBOX_FILE)"),
]
REFERENCE = "طلب ١٠٤٢ 🙂"


async def result(value: Any) -> Any:
    """What a call answers, whichever client made it; all that an iterator has."""
    if hasattr(value, "__aiter__"):
        return [each async for each in value]
    if hasattr(value, "__iter__"):
        return list(value)
    return await value if inspect.isawaitable(value) else value


@pytest.fixture(params=["sync", "async"])
def flavor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def client(flavor: str) -> Any:
    """From the environment, as an application has it."""
    return AsyncRamz() if flavor == "async" else Ramz()


@pytest.fixture
def endpoint_name(flavor: str, anyio_backend: str) -> str:
    return f"python-{flavor}-{anyio_backend}-{os.getpid()}"


async def closed(client: Any) -> None:
    await result(client.aclose() if isinstance(client, AsyncRamz) else client.close())


async def test_story(client: Any, endpoint_name: str) -> None:
    account = await result(client.accounts.get())
    assert account.id.startswith("acct_")
    endpoint = await result(client.webhook_endpoints.create(url=sink(endpoint_name)))
    assert endpoint.secret.startswith("whsec_")

    number = fresh_number()
    reference = f"{REFERENCE} {number}"
    session = await result(client.verify.send(to=number, client_reference=reference))
    assert session.status == SessionStatus.PENDING
    assert session.to == number
    code = code_sent_to(number)

    wrong = await result(client.verify.check(id=session.id, code=another(code)))
    assert not wrong.valid
    assert wrong.reason == CheckReason.INCORRECT_CODE
    assert wrong.attempts_remaining == 4
    right = await result(client.verify.check(to=number, code=code))
    assert right.valid
    assert right.verified_at is not None

    found = await priced(client, session.id)
    assert found.status == SessionStatus.VERIFIED
    assert found.client_reference == reference
    assert TimelineKind.SESSION_VERIFIED in [entry.kind for entry in found.timeline]
    assert found.messages[0].channel == "sms"
    assert found.total_cost[0].currency

    other = await result(client.verify.send(to=fresh_number(), client_reference=reference))
    pages = client.verify.list(client_reference=reference, page_size=1)
    assert [each.id for each in await result(pages)] == [other.id, session.id]

    await check_watch(client, other.id)
    check_webhook(endpoint, endpoint_name, session.id)
    await result(client.webhook_endpoints.delete(endpoint.id))
    await closed(client)


async def priced(client: Any, session_id: str) -> Session:
    """The session as it is once the operator has taken its message: the phone may have it before."""
    deadline = time.monotonic() + 60
    while True:
        found: Session = await result(client.verify.get(session_id))
        if found.total_cost:
            return found
        assert time.monotonic() < deadline, "no cost within a minute"
        await anyio.sleep(0.05)


def another(code: str) -> str:
    return ("1" if code[0] == "0" else "0") + code[1:]


async def check_watch(client: Any, session_id: str) -> None:
    """Cancels a session while it is watched."""
    told = []
    watch = client.verify.watch(session_id)
    if isinstance(client, AsyncRamz):
        async for answer in watch:
            told.append(answer)
            if len(told) == 1:
                await client.verify.cancel(session_id)
    else:
        for answer in watch:
            told.append(answer)
            if len(told) == 1:
                # Elsewhere, as it would be: the watch holds a connection of its own.
                thread = threading.Thread(target=client.verify.cancel, args=[session_id])
                thread.start()
                thread.join()
    assert told[0].session.status == SessionStatus.PENDING
    assert told[-1].session.status == SessionStatus.CANCELED
    kinds = [entry.kind for answer in told for entry in answer.new_entries]
    assert kinds == [entry.kind for entry in told[-1].session.timeline]


def check_webhook(endpoint: WebhookEndpoint, name: str, session_id: str) -> None:
    """The webhook of the verified session, as it came, is genuine and typed."""

    def look() -> Any:
        got = webhooks_of(session_id, name)
        return next((each for each in got if '"session.verified"' in each["body"]), None)

    got = until(look, "webhook about the verified session")
    event = webhooks.verify(got["body"], got["headers"], [endpoint.secret])
    assert event.type == EventType.SESSION_VERIFIED
    assert isinstance(event, SessionVerifiedEvent)
    assert event.data.session_id == session_id
    assert event.data.session is not None
    assert event.data.session.client_reference.startswith(REFERENCE)
    with pytest.raises(SignatureError) as raised:
        webhooks.verify(
            got["body"].replace("verified", "canceled"), got["headers"], endpoint.secret
        )
    assert raised.value.reason == "no_match"


async def test_errors(client: Any, flavor: str) -> None:
    with pytest.raises(NotFoundError) as unknown:
        await result(client.verify.get("vrf_00000000000000000000000000"))
    assert unknown.value.code == ErrorCode.SESSION_NOT_FOUND
    assert unknown.value.request_id.startswith("req_")
    with pytest.raises(InvalidRequestError) as bad:
        await result(client.verify.send(to="+2135"))
    assert (bad.value.code, bad.value.field) == (ErrorCode.INVALID_PHONE_NUMBER, "to")
    with pytest.raises(NotFoundError) as unwatched:
        await result(client.verify.watch("vrf_00000000000000000000000000"))
    assert unwatched.value.code == ErrorCode.SESSION_NOT_FOUND
    assert unwatched.value.request_id.startswith("req_")
    await closed(client)

    make: Any = AsyncRamz if flavor == "async" else Ramz
    wrong = make(api_key="ramz_live_wrong")
    with pytest.raises(AuthenticationError) as refused:
        await result(wrong.accounts.get())
    assert refused.value.code == ErrorCode.INVALID_API_KEY
    with pytest.raises(AuthenticationError):
        await result(wrong.verify.watch("vrf_00000000000000000000000000"))
    await closed(wrong)


async def test_same_idempotency_key_is_same_session(client: Any) -> None:
    number = fresh_number()
    first, second = [
        await result(client.verify.send(to=number, idempotency_key=f"order-{number}"))
        for _ in range(2)
    ]
    assert first == second
    await closed(client)


async def test_keys(client: Any, flavor: str) -> None:
    created = await result(client.api_keys.create(name="python", scopes=["read"]))
    listed = await result(client.api_keys.list(page_size=2))
    assert created.id in [each.id for each in listed]
    make: Any = AsyncRamz if flavor == "async" else Ramz
    limited = make(api_key=created.key)
    await result(limited.accounts.get())
    with pytest.raises(ramz.PermissionDeniedError) as refused:
        await result(limited.verify.send(to=fresh_number()))
    assert refused.value.details == {"scope": "verify"}
    await closed(limited)
    revoked = await result(client.api_keys.revoke(created.id))
    assert revoked.revoked_at is not None
    await closed(client)


async def test_test_key(flavor: str) -> None:
    make: Any = AsyncRamz if flavor == "async" else Ramz
    client = make(api_key=os.environ["RAMZ_TEST_KEY"])
    session = await result(client.verify.send(to=fresh_number()))
    assert session.test
    answer = await result(client.verify.check(id=session.id, code="000000"))
    assert answer.valid
    assert answer.test
    await closed(client)


async def test_tasks_share_a_client(client: Any) -> None:
    """Many calls at once over one client."""
    if not isinstance(client, AsyncRamz):
        client.close()
        return
    ids: list[str] = []

    async def send() -> None:
        ids.append((await client.verify.send(to=fresh_number())).id)

    async with client, anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(send)
    assert len(set(ids)) == 20


async def test_webhook_endpoints(client: Any, endpoint_name: str) -> None:
    endpoints = client.webhook_endpoints
    url = sink(f"{endpoint_name}-2")
    endpoint = await result(endpoints.create(url=url, event_types=[EventType.SESSION_VERIFIED]))
    assert endpoint.event_types == (EventType.SESSION_VERIFIED,)
    outcome = await result(endpoints.test(endpoint.id, event_type=EventType.SESSION_VERIFIED))
    assert outcome.response_status is not None
    rotated = await result(endpoints.rotate_secret(endpoint.id, keep_previous_seconds=60))
    assert rotated.secret != endpoint.secret
    assert rotated.previous_secret_expires_at is not None
    changed = await result(endpoints.update(endpoint.id, enabled=False, description="out"))
    assert (changed.enabled, changed.description) == (False, "out")
    assert await result(endpoints.get(endpoint.id)) == changed
    assert changed in await result(endpoints.list())
    assert await result(endpoints.list_deliveries(endpoint.id)) == []
    with pytest.raises(NotFoundError) as unknown:
        await result(endpoints.redeliver(endpoint.id, "evt_00000000000000000000000000"))
    assert unknown.value.code == ErrorCode.WEBHOOK_DELIVERY_NOT_FOUND
    await result(endpoints.delete(endpoint.id))
    with pytest.raises(NotFoundError):
        await result(endpoints.get(endpoint.id))
    await closed(client)


async def test_accounts_and_names(flavor: str) -> None:
    make: Any = AsyncRamz if flavor == "async" else Ramz
    admin = make(api_key=os.environ["RAMZ_ADMIN_TOKEN"])
    created = await result(admin.accounts.create(name="Python", language="fr"))
    client = make(api_key=created.live_key.key)
    assert created.live_key.key not in repr(client)
    account = await result(client.accounts.update(in_country_only=True))
    assert (account.id, account.in_country_only) == (created.account.id, True)
    measures = await result(client.accounts.get_measures())
    assert measures.sms_time_to_market_seconds is None
    name = await result(client.sender_ids.create(name="Python"))
    assert [each.status for each in name.decisions] == ["submitted"] * len(name.decisions)
    operator = name.decisions[0].operator
    decided = await result(
        admin.sender_ids.decide(name.id, operator=operator, status="approved", reason="fits")
    )
    assert decided.decisions[0].reason == "fits"
    assert await result(client.sender_ids.list()) == [await result(client.sender_ids.get(name.id))]
    with pytest.raises(NotFoundError) as none:
        await result(client.waba.get())
    assert none.value.code == ErrorCode.WABA_NOT_FOUND
    await closed(client)
    await closed(admin)
