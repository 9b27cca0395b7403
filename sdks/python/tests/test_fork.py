"""Processes that are forked from one with open connections: each gets its own answers, over connections of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from ramz._connect import CONTENT_TYPE, envelope

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
HERE = Path(__file__).parent
PARENT = {"vrf_parent"}


class Service(ThreadingHTTPServer):
    """Answers each `verify.get` with the id that was asked for, over connections that it keeps.

    A watch goes on when there is a second one.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        #: Port of the peer → ids asked for over this connection.
        self.asked: dict[int, set[str]] = defaultdict(set)
        self.watches = threading.Barrier(2)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def connections(self) -> list[set[str]]:
        return list(self.asked.values())


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service

    def do_GET(self) -> None:
        id = self.path.rpartition("/")[2]
        self.server.asked[self.client_address[1]].add(id)
        body = json.dumps({"id": id, "status": "pending"}).encode()
        head = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        head = f"Content-Type: {CONTENT_TYPE}\r\nConnection: close\r\n\r\n"
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + session("pending", "a"))
        self.server.watches.wait(20)
        self.wfile.write(session("verified", "a", "b") + envelope(b"{}", 2))
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


def session(status: str, *kinds: str) -> bytes:
    timeline = [{"kind": kind} for kind in kinds]
    told = {"id": "vrf_watched", "status": status, "timeline": timeline}
    return envelope(json.dumps({"session": told, "new_entries": timeline[-1:]}).encode())


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def play(story: str, service: Service) -> None:
    running = subprocess.Popen(  # noqa: S603
        [sys.executable, str(HERE / "forked.py"), service.address, story],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _, said = running.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        # Its children, too: what a child waits for may never come.
        os.killpg(running.pid, signal.SIGKILL)
        _, said = running.communicate()
        pytest.fail(f"it did not end: {said}")
    assert running.returncode == 0, said


@pytest.mark.parametrize("story", ["sync", "asyncio", "trio"])
def test_each_process_gets_its_own_answers(story: str, service: Service) -> None:
    play(story, service)
    shared = [ids for ids in service.connections() if len(ids) > 1]
    assert not shared, f"several processes called over one connection: {shared}"
    assert set().union(*service.connections()) == {
        *PARENT,
        "vrf_child_1",
        "vrf_child_2",
        "vrf_child_3",
    }
    if story == "sync":
        # That of the main thread and that of the other one: no child ended them.
        assert service.connections().count(PARENT) == 2


@pytest.mark.parametrize("story", ["inside-a-loop", "closed-by-a-child"])
def test_a_child_leaves_the_connections_of_its_parent_alone(story: str, service: Service) -> None:
    play(story, service)
    assert service.connections().count(PARENT) == 1


@pytest.mark.parametrize("story", ["watch", "given", "fake"])
def test_in_a_child(story: str, service: Service) -> None:
    play(story, service)
    assert set().union(*service.connections()) <= PARENT


def test_workers_of_gunicorn_with_preload(service: Service, tmp_path: Path) -> None:
    path = str(tmp_path / "gunicorn.sock")
    gunicorn = subprocess.Popen(  # noqa: S603
        [
            *(sys.executable, "-m", "gunicorn", "--preload", "--workers", "2", "--threads", "4"),
            *("--bind", f"unix:{path}", "preloaded:app"),
        ],
        cwd=HERE,
        env={
            **os.environ,
            "RAMZ_BASE_URL": service.address,
            "RAMZ_API_KEY": "ramz_test_1",
            # Newer ones put a socket of their own there.
            "HOME": str(tmp_path),
            "XDG_RUNTIME_DIR": str(tmp_path),
        },
    )
    try:
        deadline = time.monotonic() + 60
        while not os.path.exists(path):
            assert gunicorn.poll() is None, "gunicorn ended"
            assert time.monotonic() < deadline, "gunicorn does not listen"
            time.sleep(0.05)
        visits: list[dict[str, Any]] = []
        own = threading.local()
        with contextlib.ExitStack() as visitors, ThreadPoolExecutor(8) as pool:

            def visit(number: int) -> dict[str, Any]:
                # A visitor for each thread: a pool of httpcore that keeps no connection may close the one that
                # another thread has just been given.
                if not hasattr(own, "visitor"):
                    limits = httpx.Limits(max_keepalive_connections=0)
                    transport = httpx.HTTPTransport(uds=path, limits=limits)
                    own.visitor = visitors.enter_context(
                        httpx.Client(transport=transport, timeout=30)
                    )
                answer = own.visitor.get(f"http://gunicorn/vrf_{number}").raise_for_status().json()
                return {**answer, "asked": f"vrf_{number}"}

            # Until both workers took some: the second may be up late.
            while len({each["process"] for each in visits}) < 2:
                assert time.monotonic() < deadline, "only one worker answers"
                visits += pool.map(visit, range(400))
    finally:
        gunicorn.terminate()
        gunicorn.wait(30)
    assert [each for each in visits if each["came"] != each["asked"]] == []
    assert not [ids for ids in service.connections() if "vrf_preload" in ids and len(ids) > 1]
