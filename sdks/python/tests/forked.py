"""A program that forks after its first call, as gunicorn --preload, uWSGI and Celery do: `test_fork.py` runs it.

Arguments: address of the service, and what to do, one of `STORIES`. Ends with 0 where every process got
what it should, and with 1 otherwise; then it says what was wrong.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import traceback
import warnings
from typing import Any, Callable

import anyio
import httpx

from ramz import AsyncRamz, ConfigurationError, Ramz
from ramz.testing import FakeRamz

CALLS = 100
Call = Callable[[str, int], None]


def story_of_calls(call: Call) -> None:
    call("vrf_parent", 1)
    children = [fork(lambda: call("vrf_child_1", CALLS)), fork(lambda: call("vrf_child_2", CALLS))]
    call("vrf_parent", CALLS)
    children.append(fork(lambda: call("vrf_child_3", CALLS)))
    call("vrf_parent", CALLS)
    join(children)


def sync(options: dict[str, Any]) -> None:
    client = Ramz(**options)

    def call(name: str, calls: int) -> None:
        for _ in range(calls):
            expect(client.verify.get(name).id, name)

    # It is in the middle of a call whenever a child is made, and may hold the locks of the connections.
    threading.Thread(target=call, args=("vrf_parent", 10**6), daemon=True).start()
    story_of_calls(call)


def on_asyncio(options: dict[str, Any]) -> None:
    client = AsyncRamz(**options)
    story_of_calls(lambda name, calls: anyio.run(call_async, client, name, calls))


def on_trio(options: dict[str, Any]) -> None:
    client = AsyncRamz(**options)
    story_of_calls(lambda name, calls: anyio.run(call_async, client, name, calls, backend="trio"))


def inside_a_loop(options: dict[str, Any]) -> None:
    """The child runs a loop of its own while that of the parent was running."""
    client = AsyncRamz(**options)

    async def main() -> None:
        await call_async(client, "vrf_parent", 1)
        child = fork(lambda: asyncio.run(call_and_close()))
        await call_async(client, "vrf_parent", CALLS)
        join([child])
        await call_async(client, "vrf_parent", CALLS)

    async def call_and_close() -> None:
        # Few: httpx closes the connection of the parent, which waits, after five seconds.
        await call_async(client, "vrf_child_1", 10)
        await client.aclose()

    asyncio.run(main())


async def call_async(client: AsyncRamz, name: str, calls: int) -> None:
    for _ in range(calls):
        expect((await client.verify.get(name)).id, name)


def closed_by_a_child(options: dict[str, Any]) -> None:
    client = Ramz(**options)
    client.verify.get("vrf_parent")
    join([fork(client.close)])
    expect(client.verify.get("vrf_parent").id, "vrf_parent")


def watched(options: dict[str, Any]) -> None:
    client = Ramz(**{**options, "max_retries": 1})
    changes = client.verify.watch("vrf_watched")

    def read_on() -> None:
        rest = [(change.session, change.new_entries) for change in changes]
        told = [(session.status, len(news)) for session, news in rest if session]
        expect(told, [("verified", 1)])

    first = next(changes)
    expect(first.session and first.session.status, "pending")
    child = fork(read_on)
    read_on()
    join([child])


def with_given_http_clients(options: dict[str, Any]) -> None:
    client = Ramz(http_client=httpx.Client(), **options)
    async_client = AsyncRamz(http_client=httpx.AsyncClient(), **options)
    client.verify.get("vrf_parent")

    def refused() -> None:
        try:
            client.verify.get("vrf_child_1")
        except ConfigurationError as error:
            expect("http_client was given in another process" in str(error), True)
        else:
            raise AssertionError("the parent's http_client was used")
        try:
            asyncio.run(call_async(async_client, "vrf_child_1", 1))
        except ConfigurationError as error:
            expect("httpx.AsyncClient" in str(error), True)
        else:
            raise AssertionError("the parent's http_client was used asynchronously")

    join([fork(refused)])
    client.verify.get("vrf_parent")


def with_a_fake(_: dict[str, Any]) -> None:
    fake = FakeRamz()
    session = fake.verify.send(to="+213551234567")

    def use() -> None:
        expect(fake.verify.check(id=session.id, code="000000").valid, True)
        asyncio.run(call_async(fake.async_client(), session.id, 1))

    join([fork(use)])


STORIES = {
    "sync": sync,
    "asyncio": on_asyncio,
    "trio": on_trio,
    "inside-a-loop": inside_a_loop,
    "closed-by-a-child": closed_by_a_child,
    "watch": watched,
    "given": with_given_http_clients,
    "fake": with_a_fake,
}


def fork(work: Callable[[], Any]) -> int:
    child = os.fork()
    if child != 0:
        return child
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def join(children: list[int]) -> None:
    for child in children:
        expect(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


def expect(found: Any, wanted: Any) -> None:
    if found != wanted:
        raise AssertionError(f"{wanted!r} was wanted, and {found!r} came")


if __name__ == "__main__":
    # Python warns of forks beside threads; connections of one run of a loop are left open at its end.
    warnings.simplefilter("ignore")
    STORIES[sys.argv[2]]({"api_key": "ramz_test_1", "base_url": sys.argv[1], "max_retries": 0})
