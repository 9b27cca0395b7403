"""The stories that the fake of every SDK plays (sdks/vectors/fake.json), through both of its clients."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from test_vectors import KINDS, at, typed

from ramz import ApiError
from ramz.testing import FakeRamz

pytestmark = pytest.mark.anyio


class Story:
    def __init__(self, flavor: str) -> None:
        self.fake = FakeRamz()
        self.client: Any = self.fake if flavor == "sync" else self.fake.async_client()
        self.saved: dict[str, str] = {}

    def meant(self, value: Any) -> Any:
        """What was saved under the name behind a dollar sign; else what it is."""
        is_name = isinstance(value, str) and value.startswith("$")
        return self.saved[value[1:]] if is_name else value

    async def play(self, step: dict[str, Any]) -> None:
        if "advance_seconds" in step:
            self.fake.advance(step["advance_seconds"])
        elif "refuse" in step:
            self.fake.refuse(step["refuse"]["to"], step["refuse"]["code"])
        elif "sent" in step:
            assert [each.to for each in self.fake.sent] == step["sent"]
        elif "error" in step:
            with pytest.raises(ApiError) as raised:
                await self.act(step)
            self.check_error(raised.value, step["error"])
        else:
            await self.act(step)

    async def act(self, step: dict[str, Any]) -> None:
        if "watch" in step:
            await self.watch(step)
        else:
            await self.call(step)

    async def call(self, step: dict[str, Any]) -> None:
        given = {name: self.meant(value) for name, value in step["arguments"].items()}
        arguments = typed(self, step["operation"], given)
        if "idempotency_key" in step:
            arguments["idempotency_key"] = step["idempotency_key"]
        resource, _, name = step["operation"].partition(".")
        answer = await resolved(getattr(getattr(self.client, resource), name)(**arguments))
        if "ids" in step:
            assert [each.id for each in answer] == [self.meant(id) for id in step["ids"]]
            for each in answer:
                assert not [name for name in step.get("without", ()) if hasattr(each, name)]
            return
        for path, value in step.get("expect", {}).items():
            assert at(answer, path) == self.meant(value), path
        if "same" in step:
            assert answer.id == self.saved[step["same"]]
        if "other" in step:
            assert answer.id != self.saved[step["other"]]
        if "timeline" in step:
            assert kinds(answer.timeline) == step["timeline"]
        if "save" in step:
            self.saved[step["save"]] = answer.id

    async def watch(self, step: dict[str, Any]) -> None:
        id = self.meant(step["watch"])
        updates = []
        changes = self.client.verify.watch(id)
        async for change in each_of(changes):
            updates.append({"status": change.session.status, "new": kinds(change.new_entries)})
            if step.get("cancel_after_first") and len(updates) == 1:
                await resolved(self.client.verify.cancel(id))
        assert updates == step["updates"]

    def check_error(self, error: ApiError, expected: dict[str, Any]) -> None:
        assert type(error) is KINDS[expected["kind"]]
        assert (error.code, error.field) == (expected["code"], expected.get("field"))
        assert error.retry_after == expected.get("retry_after_seconds")
        for name, value in expected.get("details", {}).items():
            assert error.details[name] == self.meant(value)


async def resolved(result: Any) -> Any:
    if inspect.isawaitable(result):
        return await result
    if hasattr(result, "__aiter__") or hasattr(result, "__iter__"):
        return [each async for each in each_of(result)]
    return result


async def each_of(items: Any) -> Any:
    if hasattr(items, "__aiter__"):
        async for each in items:
            yield each
    else:
        for each in items:
            yield each


def kinds(timeline: Any) -> list[str]:
    return [entry.kind for entry in timeline]


@pytest.mark.parametrize("flavor", ["sync", "async"])
@pytest.mark.vectors("fake")
async def test_story(case: dict[str, Any], flavor: str) -> None:
    story = Story(flavor)
    for step in case["steps"]:
        await story.play(step)
