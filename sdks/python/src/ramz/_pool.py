"""The httpx clients that calls go out by: each process has its own, for the synchronous client and the asynchronous one.

Two processes that share a connection read each other's answers, and the answer to a check decides who is
let in. After a fork (gunicorn --preload, uWSGI, Celery, multiprocessing) both have the same connections, so
the child makes new ones. Those of the parent are let go of and not closed: closing one in order would take
locks that another thread may have held at the fork, and could tell the other side something in the
parent's name.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from typing import Optional
from weakref import WeakKeyDictionary, ref

import httpx
from anyio.lowlevel import RunVar

from ._deadline import DEFAULT_LIMITS, client_with_deadlines
from .errors import ConfigurationError

#: Of watches, each of which holds a connection for minutes: in the pool of the calls, which has a hundred, they would leave none.
WITHOUT_END = httpx.Limits(max_connections=None, max_keepalive_connections=20)
_forks = 0


def _count_fork() -> None:
    global _forks
    _forks += 1


# Counted, since the number of a process that ended is given to another one; and the number is looked at
# too, since uWSGI forks without telling Python.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


def this_process() -> tuple[int, int]:
    """Differs from that of every process that this one was forked from."""
    return os.getpid(), _forks


class Pool:
    """What a `Ramz` calls with."""

    def __init__(
        self, given: Optional[httpx.Client], limits: httpx.Limits = DEFAULT_LIMITS
    ) -> None:
        self._is_own = given is None
        self._limits = limits
        #: One attribute, so that threads see both or neither of a change.
        self._held = (this_process(), client_with_deadlines(limits) if given is None else given)
        self._is_closed = False
        self._is_used = False
        #: A fake's: it has no connections, and its memory is copied by a fork.
        self.is_in_memory = False

    def __del__(self) -> None:
        # Where the constructor failed there is nothing to close.
        if not getattr(self, "_is_used", False) or self._is_closed or not self._is_own:
            return
        if self._held[0] == this_process():
            _warn_unclosed("Ramz", "close()", self)
            self.close()

    def client(self) -> httpx.Client:
        """The one to call with in this process.

        Raises:
            ConfigurationError: It is closed, or the caller's own and was given in another process.
        """
        made_in, client = self._held
        self.check_open()
        self._is_used = True
        process = this_process()
        if made_in == process or self.is_in_memory:
            return client
        if not self._is_own:
            raise _of_another_process("httpx.Client", "Ramz")
        client = client_with_deadlines(self._limits)
        self._held = (process, client)
        return client

    def check_open(self) -> None:
        """Raises: ConfigurationError: It is closed."""
        if self._is_closed or self._held[1].is_closed:
            raise _closed()

    def close(self) -> None:
        self._is_closed = True
        made_in, client = self._held
        if self._is_own and made_in == this_process():
            client.close()


class _Run:
    """One run of an event loop in one process: what asynchronous connections belong to."""

    def __init__(self, before: Optional[_Run]) -> None:
        self.process = this_process()
        # The parent's, where the child goes on in the loop: their sockets are still watched by both.
        self.before = before
        # Weak, since anyio keeps this run for as long as there is the loop.
        self._loop = _asyncio_loop()

    def is_over(self) -> bool:
        loop = None if self._loop is None else self._loop()
        return loop is not None and loop.is_closed()


def _asyncio_loop() -> Optional[ref[asyncio.AbstractEventLoop]]:
    """None on trio, whose connections do not hold their run."""
    try:
        return ref(asyncio.get_running_loop())
    except RuntimeError:
        return None


_run: RunVar[_Run] = RunVar("ramz.run")


def _this_run() -> _Run:
    run = _run.get(None)
    if run is None or run.process != this_process():
        run = _Run(run)
        _run.set(run)
    return run


class AsyncPool:
    """What an `AsyncRamz` calls with: an httpx client for each run of an event loop, too."""

    def __init__(
        self, given: Optional[httpx.AsyncClient], limits: httpx.Limits = DEFAULT_LIMITS
    ) -> None:
        self._given = given
        self._given_in = this_process()
        self._limits = limits
        #: For the first run: what is wrong with the environment's proxies is said at once.
        self._unused = httpx.AsyncClient(limits=limits) if given is None else None
        self._clients: WeakKeyDictionary[_Run, httpx.AsyncClient] = WeakKeyDictionary()
        self._is_closed = False
        #: See `Pool`.
        self.is_in_memory = False

    def __del__(self) -> None:
        # Closing takes an event loop, which may be over: the connections are left to the garbage collector.
        if not getattr(self, "_is_closed", True) and len(self._clients) > 0:
            _warn_unclosed("AsyncRamz", "await aclose()", self)

    def client(self) -> httpx.AsyncClient:
        """The one to call with in this run of this process. See `Pool.client`."""
        self.check_open()
        if self._given is not None:
            if self._given_in != this_process() and not self.is_in_memory:
                raise _of_another_process("httpx.AsyncClient", "AsyncRamz")
            return self._given
        run = _this_run()
        client = self._clients.get(run)
        if client is None:
            self._let_go_of_runs_that_are_over()
            client, self._unused = self._unused or httpx.AsyncClient(limits=self._limits), None
            self._clients[run] = client
        return client

    def check_open(self) -> None:
        """Raises: ConfigurationError: It is closed."""
        if self._is_closed or (self._given is not None and self._given.is_closed):
            raise _closed()

    def _let_go_of_runs_that_are_over(self) -> None:
        # Connections of asyncio hold their loop, and that holds the run: the key would live as long as its value.
        for each in self._clients.keyrefs():
            run = each()
            if run is not None and run.is_over():
                self._clients.pop(run, None)

    async def aclose(self) -> None:
        """Closes the connections of this run; those of others go with their event loop."""
        self._is_closed = True
        self._unused = None
        self._let_go_of_runs_that_are_over()
        client = self._clients.pop(_this_run(), None)
        if client is not None:
            await client.aclose()


def _warn_unclosed(client: str, remedy: str, source: object) -> None:
    warnings.warn(
        f"this {client} was not closed: use it in a `with` block, or {remedy} it",
        ResourceWarning,
        source=source,
        stacklevel=3,
    )


def _closed() -> ConfigurationError:
    return ConfigurationError("this client is closed")


def _of_another_process(http_client: str, client: str) -> ConfigurationError:
    return ConfigurationError(
        f"http_client was given in another process, before a fork: processes that share connections"
        f" would read each other's answers. Make the {http_client} and the {client} in the process that"
        " calls, or give no http_client"
    )
