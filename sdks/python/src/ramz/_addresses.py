"""The addresses of a host, found within a time: the system's resolver has limits of its own, half a minute and more."""

from __future__ import annotations

import math
import socket
import threading

import httpcore


def addresses_of(host: str, port: int, seconds: float) -> list[str]:
    """Addresses of `host` in the resolver's order, at least one.

    Args:
        seconds: How long it may take; infinity: as long as the resolver takes.

    Raises:
        httpcore.ConnectTimeout: The resolver took longer.
        httpcore.ConnectError: There are none.
    """
    if _is_address(host):
        return [host]
    search = _Search(host, port)
    # A thread, which is left behind where it takes too long: nothing ends a call of the resolver.
    thread = threading.Thread(target=search.run, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        search.run()  # No thread can be started while the interpreter shuts down.
    if not search.is_over.wait(None if seconds == math.inf else seconds):
        raise httpcore.ConnectTimeout("the name was not resolved in time")
    if search.error is not None:
        raise httpcore.ConnectError(str(search.error)) from search.error
    return search.addresses


def _is_address(host: str) -> bool:
    try:
        return bool(socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST))
    except (OSError, UnicodeError):
        return False


class _Search:
    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self.addresses: list[str] = []
        self.error: Exception | None = None
        #: Not a queue: gevent replaces the locks of this one, whenever it is told to.
        self.is_over = threading.Event()

    def run(self) -> None:
        try:
            found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
            self.addresses = list(dict.fromkeys(str(address[0]) for *_, address in found))
        except Exception as error:
            self.error = error
        self.is_over.set()
