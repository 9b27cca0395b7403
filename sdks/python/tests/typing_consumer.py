"""Not run but type-checked, strictly, against the installed package: what its users see of its types."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Optional, Union

from ramz import ApiError, AsyncRamz, Page, Ramz, types, webhooks
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
    if isinstance(event.data, types.Receipt):
        cost: Optional[types.Cost] = event.data.cost
        return cost.amount if cost else None
    return event.data if isinstance(event.data, Mapping) else None


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
