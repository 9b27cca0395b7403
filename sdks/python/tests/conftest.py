"""What the tests share: the vectors of all SDKs, and clients whose network is a list of answers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest


def vectors(name: str) -> Any:
    """The vectors that every SDK is held to; they are not copied here."""
    folder = os.environ.get("RAMZ_VECTORS") or Path(__file__).parents[2] / "vectors"
    return json.loads((Path(folder) / f"{name}.json").read_text("utf-8"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`@pytest.mark.vectors("errors")` runs the test once for each case, as its argument `case`."""
    for marker in metafunc.definition.iter_markers("vectors"):
        name, *path = marker.args
        cases = vectors(name)[path[0] if path else "cases"]
        ids = [case.get("name") or case["text"] for case in cases]
        metafunc.parametrize("case", cases, ids=ids)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def _no_environment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the tests with the running service know where it is."""
    if "live" in request.keywords:
        return
    for name in ("RAMZ_API_KEY", "RAMZ_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
