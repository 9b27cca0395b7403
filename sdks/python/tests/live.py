"""Where the running service and its sandbox are, and what the sandbox's phones and endpoints got."""

from __future__ import annotations

import itertools
import json
import os
import re
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional, TypeVar

import httpx

T = TypeVar("T")

SANDBOX_FILE = os.environ.get("RAMZ_SANDBOX_FILE", "")


def sink(name: str) -> str:
    return f"{os.environ['RAMZ_WEBHOOK_SINK']}/{name}"


# From anywhere, because other runs have numbers of the same service; then one after another.
_numbers = itertools.count(1_000_000 + secrets.randbelow(6 * 10**6))


def fresh_number() -> str:
    """A number of the sandbox's first operator that nobody has used."""
    prefixes = json.loads(Path(SANDBOX_FILE).read_text("utf-8"))["prefixes"]
    return f"{prefixes[0]}{next(_numbers)}"


def sandbox(path: str, **query: str) -> Any:
    response = httpx.get(os.environ["RAMZ_SANDBOX_URL"] + path, params=query, trust_env=False)
    response.raise_for_status()
    return response.json()


def code_sent_to(number: str) -> str:
    def look() -> Optional[str]:
        for message in sandbox("/sandbox/messages", to=number)["messages"]:
            found = re.search(r"(?<!\d)\d{6}(?!\d)", message["text"])
            if found:
                return found.group()
        return None

    return until(look, f"a code sent to {number}")


def webhooks_of(session_id: str, endpoint: str) -> list[dict[str, Any]]:
    """What an endpoint of the sink got about a session: headers and raw body, each."""
    got = sandbox("/sandbox/webhooks", session_id=session_id)["webhooks"]
    return [each for each in got if each["endpoint"] == endpoint]


def until(look: Callable[[], Optional[T]], what: str, seconds: float = 60) -> T:
    """Looks again and again until there is something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"no {what} within {seconds} s")
