"""The fake, through both of its clients."""

from __future__ import annotations

import pytest

from ramz import (
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    Ramz,
    RateLimitError,
    ServerError,
    types,
)
from ramz.constants import CheckReason, ErrorCode, SessionStatus
from ramz.testing import FakeRamz

pytestmark = pytest.mark.anyio
NUMBER = "+213550000001"


@pytest.fixture
def fake() -> FakeRamz:
    return FakeRamz()


def test_as_context() -> None:
    with FakeRamz() as fake:
        fake.verify.send(to=NUMBER)
        assert len(fake.sent) == 1


def test_right_and_wrong_codes(fake: FakeRamz) -> None:
    assert isinstance(fake, Ramz)
    session = fake.verify.send(to=NUMBER, client_reference="طلب 🙂", code_length=8)
    assert session.cascade[0].channel == "sms"
    [sent] = fake.sent
    assert (sent.to, sent.code, sent.client_reference) == (NUMBER, "00000000", "طلب 🙂")
    wrong = fake.verify.check(id=session.id, code="12345678")
    assert (wrong.valid, wrong.reason, wrong.attempts_remaining) == (False, "incorrect_code", 4)
    right = fake.verify.check(to=NUMBER, code="٠٠٠٠-٠٠٠٠")
    assert right.valid
    assert right.verified_at == fake.now
    again = fake.verify.check(id=session.id, code="00000000")
    assert (again.valid, again.reason) == (False, CheckReason.ALREADY_VERIFIED)
    kinds = [entry.kind for entry in fake.verify.get(session.id).timeline]
    assert kinds == [
        *["session_opened", "leg_started", "delivery_delivered"],
        *["code_checked", "code_checked", "session_verified"],
    ]


def test_tries_are_used_up(fake: FakeRamz) -> None:
    session = fake.verify.send(to=NUMBER)
    for _ in range(5):
        fake.verify.check(id=session.id, code="111111")
    assert fake.verify.check(id=session.id, code="000000").reason == CheckReason.TOO_MANY_ATTEMPTS
    assert fake.verify.get(session.id).status == SessionStatus.FAILED


def test_resends_and_time(fake: FakeRamz) -> None:
    first = fake.verify.send(to=NUMBER)
    with pytest.raises(RateLimitError) as soon:
        fake.verify.send(to=NUMBER)
    assert soon.value.code == ErrorCode.RESEND_TOO_SOON
    assert soon.value.retry_after == 30
    assert soon.value.details["session_id"] == first.id
    fake.advance(30)
    assert fake.verify.send(to=NUMBER).id == first.id
    assert fake.verify.send(to=NUMBER, purpose="payment").id != first.id
    fake.advance(600)
    assert fake.verify.get(first.id).status == SessionStatus.EXPIRED
    assert fake.verify.check(id=first.id, code="000000").reason == CheckReason.EXPIRED
    assert fake.verify.send(to=NUMBER).id != first.id


def test_same_idempotency_key(fake: FakeRamz) -> None:
    first = fake.verify.send(to=NUMBER, idempotency_key="a")
    assert fake.verify.send(to=NUMBER, idempotency_key="a") == first
    with pytest.raises(ConflictError) as reused:
        fake.verify.send(to="+213550000002", idempotency_key="a")
    assert reused.value.code == ErrorCode.IDEMPOTENCY_KEY_REUSED
    assert len(fake.sent) == 1


def test_refusals(fake: FakeRamz) -> None:
    fake.refuse(NUMBER)
    with pytest.raises(InvalidRequestError) as refused:
        fake.verify.send(to=NUMBER)
    assert refused.value.code == ErrorCode.UNSUPPORTED_DESTINATION
    with pytest.raises(InvalidRequestError) as bad:
        fake.verify.send(to="0550 00 00 01")
    assert (bad.value.code, bad.value.field) == (ErrorCode.INVALID_PHONE_NUMBER, "to")
    with pytest.raises(NotFoundError):
        fake.verify.check(to=NUMBER, code="000000")
    with pytest.raises(NotFoundError):
        fake.verify.get("vrf_1")
    with pytest.raises(NotFoundError):
        list(fake.verify.watch("vrf_1"))
    session = fake.verify.send(to="+213550000009")
    with pytest.raises(InvalidRequestError) as code:
        fake.verify.check(id=session.id, code="12 34")
    assert code.value.code == ErrorCode.INVALID_CODE


def test_failures_and_answers_of_the_test(fake: FakeRamz) -> None:
    fake.fail("verify.send", ErrorCode.OVERLOADED, retry_after=5)
    with pytest.raises(ServerError) as failed:
        fake.verify.send(to=NUMBER)
    assert (failed.value.status, failed.value.retry_after) == (503, 5)
    fake.verify.send(to=NUMBER)
    with pytest.raises(ServerError, match="give it an answer"):
        fake.sender_ids.create(name="MyShop")
    fake.answer("sender_ids.create", types.SenderId(id="snd_1", name="MyShop"))
    assert fake.sender_ids.create(name="MyShop").id == "snd_1"
    fake.answer("webhook_endpoints.list", {"webhook_endpoints": [{"id": "whe_1"}]})
    assert [each.id for each in fake.webhook_endpoints.list()] == ["whe_1"]
    fake.answer("webhook_endpoints.get", {"url": "https://shop.example/hook"})
    assert fake.webhook_endpoints.get("whe_7").id == "whe_7"
    fake.answer("accounts.get", types.Account(name="My Shop"))
    assert fake.accounts.get().id == "fake"
    # As with the service: an answer about something else is none.
    fake.answer("webhook_endpoints.get", types.WebhookEndpoint(id="whe_8"))
    with pytest.raises(ServerError, match="another id"):
        fake.webhook_endpoints.get("whe_7")
    with pytest.raises(ValueError, match="no operation"):
        fake.answer("verify.sent", {})


def test_lists_and_watch(fake: FakeRamz) -> None:
    ids = [fake.verify.send(to=f"+21355000000{index}").id for index in range(3)]
    assert [each.id for each in fake.verify.list(page_size=1)] == ids[::-1]
    fake.verify.cancel(ids[0])
    assert [each.id for each in fake.verify.list(status="canceled")] == ids[:1]
    assert [each.id for each in fake.verify.list(created_before=fake.now)] == []
    [answer] = fake.verify.watch(ids[0])
    assert answer.session is not None
    assert answer.session.status == SessionStatus.CANCELED
    fake.verify.check(id=ids[1], code="000000")
    with pytest.raises(ConflictError) as over:
        fake.verify.cancel(ids[1])
    assert over.value.code == ErrorCode.SESSION_NOT_PENDING


async def test_async_client_has_the_same_memory(fake: FakeRamz) -> None:
    async with fake.async_client() as client:
        session = await client.verify.send(to=NUMBER)
        assert (await client.verify.check(id=session.id, code=fake.sent[0].code)).valid
        assert [each.id async for each in client.verify.list()] == [session.id]
        assert [each.session async for each in client.verify.watch(session.id)] == [
            fake.verify.get(session.id)
        ]
