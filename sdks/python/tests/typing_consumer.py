"""Not run but type-checked, strictly, against the installed package: what its users see of its types."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Optional, Union

from ramz import ApiError, AsyncRamz, Page, Ramz, ResponseInfo, types, webhooks
from ramz.constants import SessionStatus
from ramz.grpc import channel
from ramz.grpc.v1 import verify_pb2, verify_pb2_grpc
from ramz.testing import FakeRamz


def log_in(client: Ramz, number: str) -> bool:
    session = client.verify.send(to=number, cascade=[types.CascadeLeg(channel="sms")])
    expires_at: Optional[datetime] = session.expires_at
    answer: types.CheckResponse = client.verify.check(id=session.id, code=str(expires_at))
    return answer.valid


def go_through(client: Ramz) -> list[str]:
    pages: list[Page[types.SessionSummary]] = list(client.verify.list(page_size=10).pages())
    for change in client.verify.watch(pages[0].items[0].id):
        session: Optional[types.Session] = change.session
        print(session, [entry.kind for entry in change.new_entries])
    return [each.id for each in client.verify.list(status=SessionStatus.PENDING)]


async def go_through_async(client: AsyncRamz) -> list[str]:
    async for change in client.verify.watch("vrf_1"):
        print(change.new_entries[0].at)
    receipts: tuple[types.Receipt, ...] = (await client.verify.get("vrf_1")).messages[0].receipts
    return [each.id async for each in client.verify.list()] + [each.raw for each in receipts]


def receive(body: bytes, headers: Mapping[str, str]) -> Union[str, Mapping[str, Any], None]:
    event = webhooks.verify(body, headers, ["whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="])
    if event.type == "receipt.updated":
        receipt: types.Receipt = event.data
        cost: Optional[types.Cost] = receipt.cost
        return cost.amount if cost else None
    if event.type == "session.verified" or event.type == "session.failed":
        session: types.SessionEvent = event.data
        return session.session_id
    if isinstance(event, types.UnknownWebhookEvent):
        unknown: Mapping[str, Any] = event.data
        return unknown
    return event.data.waba_id if isinstance(event, types.WabaConnectedEvent) else None


def with_options(client: Ramz, seen: list[ResponseInfo]) -> Optional[str]:
    client.verify.send(
        to="+213550000001",
        channel="voice",
        cascade=[{"channel": "sms", "timeout_seconds": 10}, types.CascadeLeg(channel="new_one")],
        autofill={"web_origin": "shop.example"},
        timeout=3,
        total_timeout=5,
        max_retries=0,
        headers={"X-Tenant": "7"},
        on_response=seen.append,
    )
    for page in client.verify.list(status="pending", timeout=3).pages():
        print(page.items[0].status == "verified")
    return seen[-1].headers.get("ratelimit")


def retry_after(error: ApiError) -> float:
    return error.retry_after or 0


def over_grpc() -> str:
    with channel("localhost:50051", "ramz_test_1") as connection:
        stub = verify_pb2_grpc.VerifyServiceStub(connection)
        response: verify_pb2.SendResponse = stub.Send(verify_pb2.SendRequest(to="+213"))
        return response.id


log_in(FakeRamz(), "+213550000001")
Ramz(api_key=7)  # type: ignore[arg-type]
Ramz().verify.send()  # type: ignore[call-arg]
print(Ramz().verify.get("vrf_1").statuz)  # type: ignore[attr-defined]
Ramz().verify.send(to="+213", cascade=[{"chanel": "sms"}])  # type: ignore[list-item]
Ramz().verify.send(to="+213", cascade=[{"channel": "sms", "timeout": 1}])  # type: ignore[list-item]
Ramz().verify.send(to="+213", maxretries=1)  # type: ignore[call-arg]
Ramz().verify.send(to="+213", timeout="3")  # type: ignore[arg-type]
Ramz().verify.watch("vrf_1", total_timeout=1)  # type: ignore[call-arg]
Ramz(on_response=print, headers={"X-Tenant": "7"}, user_agent="my-shop/1.2", total_timeout=5)
