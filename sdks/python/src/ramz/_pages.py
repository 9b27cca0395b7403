"""Lists: all pages, which are fetched one after another as they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Callable, Generic, TypeVar

from . import _read
from .errors import ServerError

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    items: tuple[T, ...]
    #: For `page_token` of the page after this one; empty on the last one.
    next_page_token: str


def page_reader(
    name: str, from_dict: Callable[[Mapping[str, Any]], T]
) -> Callable[[Mapping[str, Any]], Page[T]]:
    """A reader of pages whose items stand under `name`."""
    return lambda data: Page(
        _read.items(data, name, from_dict), _read.text(data, "next_page_token")
    )


class Listing(Iterable[T]):
    """What is listed. A loop over it goes through the items of all pages; each loop starts again from the
    first page. `pages()` goes by pages instead, e.g. to show one at a time."""

    def __init__(self, fetch: Callable[[str], Page[T]], page_token: str = "") -> None:
        self._fetch = fetch
        self._page_token = page_token

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items

    def pages(self) -> Iterator[Page[T]]:
        """The pages, from the first one on (that of `page_token`, where it was given)."""
        token, seen = self._page_token, set[str]()
        while True:
            page = self._fetch(token)
            yield page
            if not page.next_page_token:
                return
            token = _moved_on(page, seen)


class AsyncListing(AsyncIterable[T]):
    """What is listed, for `async for`. See `Listing`."""

    def __init__(self, fetch: Callable[[str], Awaitable[Page[T]]], page_token: str = "") -> None:
        self._fetch = fetch
        self._page_token = page_token

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def pages(self) -> AsyncIterator[Page[T]]:
        """The pages, from the first one on (that of `page_token`, where it was given)."""
        token, seen = self._page_token, set[str]()
        while True:
            page = await self._fetch(token)
            yield page
            if not page.next_page_token:
                return
            token = _moved_on(page, seen)


def _moved_on(page: Page[T], seen: set[str]) -> str:
    """The token of the next page; one that came before would make a list without an end."""
    if page.next_page_token in seen:
        raise ServerError("a page that came before", status=200)
    seen.add(page.next_page_token)
    return page.next_page_token
