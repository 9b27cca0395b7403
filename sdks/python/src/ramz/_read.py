"""Readers of JSON members for the generated `from_dict` methods.

A member that is absent or null has its default. One of another type raises `ValueError`: then the
answer is not one of this service.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Callable, Optional, TypeVar

from ._timestamps import parse_timestamp

T = TypeVar("T")


def text(data: Mapping[str, Any], key: str) -> str:
    return _member(data, key, to_text, "")


def flag(data: Mapping[str, Any], key: str) -> bool:
    return _member(data, key, to_flag, False)


def integer(data: Mapping[str, Any], key: str) -> int:
    return _member(data, key, to_integer, 0)


def number(data: Mapping[str, Any], key: str) -> float:
    return _member(data, key, to_number, 0.0)


def mapping(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return _member(data, key, to_mapping, {})


def optional(data: Mapping[str, Any], key: str, convert: Callable[[Any], T]) -> Optional[T]:
    return _member(data, key, convert, None)


def items(data: Mapping[str, Any], key: str, convert: Callable[[Any], T]) -> tuple[T, ...]:
    def to_tuple(value: Any) -> tuple[T, ...]:
        if not isinstance(value, (list, tuple)):
            raise _wrong("a list", value)
        return tuple(convert(each) for each in value)

    return _member(data, key, to_tuple, ())


def entries(data: Mapping[str, Any], key: str, convert: Callable[[Any], T]) -> Mapping[str, T]:
    def to_dict(value: Any) -> Mapping[str, T]:
        return {name: convert(each) for name, each in to_mapping(value).items()}

    return _member(data, key, to_dict, {})


def to_text(value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong("a string", value)
    return value


def to_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong("true or false", value)
    return value


def to_integer(value: Any) -> int:
    # JSON knows one kind of number: some proxies write 1 as 1.0.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise _wrong("a whole number", value)
    return int(value)


def to_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong("a number", value)
    return float(value)


def to_mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _wrong("an object", value)
    return value


def to_timestamp(value: Any) -> datetime:
    return parse_timestamp(to_text(value))


D = TypeVar("D")


def _member(data: Mapping[str, Any], key: str, convert: Callable[[Any], T], default: D) -> T | D:
    value = to_mapping(data).get(key)
    if value is None:
        return default
    try:
        return convert(value)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{key}: {error}") from None


def _wrong(wanted: str, value: object) -> ValueError:
    return ValueError(f"not {wanted} but {type(value).__name__}")
