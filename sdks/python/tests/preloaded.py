"""An application for `gunicorn --preload`: it calls once before its workers are forked. `test_fork.py` runs it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from ramz import Ramz

client = Ramz()
client.verify.get("vrf_preload")


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """`/vrf_1` answers which session came when `vrf_1` was asked for, and which process asked."""
    asked = environ["PATH_INFO"].strip("/")
    body = json.dumps({"came": client.verify.get(asked).id, "process": os.getpid()}).encode()
    start_response(
        "200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    )
    return [body]
