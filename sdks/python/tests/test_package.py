"""The package as it is installed."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import os
import re
import typing
from pathlib import Path
from typing import Any

import pytest

import ramz
from ramz import constants, types


@pytest.mark.skipif("RAMZ_INSTALLED_IN" not in os.environ, reason="not installed from a wheel")
def test_it_is_the_wheel_that_is_tested() -> None:
    installed = Path(os.environ["RAMZ_INSTALLED_IN"]).resolve()
    assert installed in Path(ramz.__file__).resolve().parents


def test_metadata() -> None:
    metadata = importlib.metadata.metadata("ramz")
    assert metadata["Version"] == ramz.__version__
    assert metadata["Requires-Python"] == ">=3.9"
    assert (Path(ramz.__file__).parent / "py.typed").exists()


def test_what_comes_along() -> None:
    required = importlib.metadata.requires("ramz") or []
    plain = sorted(each for each in required if "extra ==" not in each)
    assert [re.match(r"[a-z]+", each)[0] for each in plain] == ["anyio", "httpcore", "httpx"]  # type: ignore[index]
    extras = sorted(each for each in required if "extra ==" in each)
    assert [re.match(r"[a-z]+", each)[0] for each in extras] == ["grpcio", "protobuf"]  # type: ignore[index]


@pytest.mark.skipif("RAMZ_INSTALLED_IN" not in os.environ, reason="not installed from a wheel")
def test_what_it_weighs() -> None:
    files = importlib.metadata.files("ramz") or []
    sources = [each for each in files if each.suffix in (".py", ".pyi", ".typed")]
    assert len(sources) > 40
    # Measured 912 kB: the bound leaves room for new operations and fields.
    assert sum(each.size or 0 for each in sources) < 1_100_000


def test_types_can_be_read_at_run_time() -> None:
    """FastAPI and others evaluate the types of fields; Python 3.9 must be able to."""
    for name in types.__all__:
        message: Any = getattr(types, name)
        if dataclasses.is_dataclass(message):
            names = {field.name for field in dataclasses.fields(message)}
            assert typing.get_type_hints(message).keys() == names


def test_names_that_are_promised() -> None:
    assert constants.Channel.SMS == "sms"
    assert constants.ErrorCode.RESEND_TOO_SOON == "resend_too_soon"
    assert constants.EventType.RECEIPT_UPDATED == "receipt.updated"
    assert "Any" not in types.__all__
    for name in ramz.__all__:
        assert getattr(ramz, name) is not None


def test_secrets_are_not_printed() -> None:
    messages: list[Any] = [
        types.Administrator(token="s3cret"),
        types.ApiKey(key="s3cret"),
        types.CreateWabaSignupResponse(url="s3cret"),
        types.CreateWabaSignupResponse(state="s3cret"),
        types.WebhookEndpoint(secret="s3cret"),
    ]
    for message in messages:
        assert "s3cret" not in repr(message)
        assert "s3cret" in message.to_dict().values()


def test_http_part_needs_no_grpc() -> None:
    if importlib.util.find_spec("grpc") is None:
        with pytest.raises(ImportError, match="extra"):
            importlib.import_module("ramz.grpc")
    source = Path(ramz.__file__).parent
    for path in source.glob("*.py"):
        assert "import grpc" not in path.read_text("utf-8"), path.name
