"""Headers of an answer, found whatever their case. Of our own, so that errors can be pickled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


class Headers(Mapping[str, str]):
    def __init__(self, headers: Mapping[str, str]) -> None:
        self._values = {name.lower(): value for name, value in headers.items()}

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Headers({self._values!r})"
