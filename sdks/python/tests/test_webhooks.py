"""Webhooks beyond what the vectors say: secrets, headers, bodies and types."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from ramz import ConfigurationError, SignatureError, types, webhooks
from ramz.constants import EventType
from ramz.testing import webhook

SECRET = "whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
OTHER = "whsec_dGhlIG5leHQgc2VjcmV0LCBvZiAyNCBi"


def test_signed_now_is_genuine_now() -> None:
    body = '{"type": "session.verified", "data": {"session_id": "vrf_1", "session": {"run": 2}}}'
    event = webhooks.verify(body.encode(), webhooks.sign(body, [OTHER, SECRET]), SECRET)
    assert isinstance(event, types.SessionVerifiedEvent)
    assert event.data.session_id == "vrf_1"
    assert event.data.session is not None
    assert event.data.session.run == 2


def test_unknown_type_keeps_its_data() -> None:
    body = json.dumps({"type": "brand.new", "data": {"a": [1]}, "wings": 2})
    event = webhooks.verify(body, webhooks.sign(body, SECRET), [SECRET])
    assert isinstance(event, types.UnknownWebhookEvent)
    assert (str(event.type), event.data) == ("brand.new", {"a": [1]})


@pytest.mark.parametrize("name", sorted(types.EVENTS))
def test_every_type_has_its_class_and_data(name: str) -> None:
    body, headers = webhook(name, {"session_id": "vrf_1"}, SECRET)
    event = webhooks.verify(body, headers, SECRET)
    of_type, data = types.EVENTS[name]
    assert (type(event), event.type) == (of_type, name)
    assert isinstance(event.data, data.__self__)  # type: ignore[attr-defined]
    assert type(of_type().data) is type(event.data)
    assert event.timestamp is not None
    assert event.to_dict()["type"] == name
    assert types.WebhookEvent.from_dict(event.to_dict()) == event


def test_helper_takes_messages() -> None:
    receipt = types.Receipt(session_id="vrf_1", status="DELIVRD")
    body, headers = webhook(EventType.RECEIPT_UPDATED, receipt, SECRET, session_sequence=2)
    event = webhooks.verify(body, headers, SECRET)
    assert (event.data, event.session_sequence) == (receipt, 2)


@pytest.mark.parametrize("change", [str.upper, str.title, str.lower])
def test_headers_of_any_case_and_framework(change: Any) -> None:
    headers = {change(name): value for name, value in webhooks.sign("{}", SECRET).items()}
    for each in (headers, httpx.Headers(headers)):
        assert webhooks.verify("{}", each, SECRET).data == {}


@pytest.mark.parametrize(
    "secrets",
    [None, [None], [], "", "whsec_", "whsec_*", "whsec_YQ==", SECRET[6:], [SECRET, "no base64!"]],
)
def test_without_a_secret_nothing_is_trusted(secrets: Any) -> None:
    with pytest.raises(ConfigurationError, match="secret"):
        webhooks.verify("{}", webhooks.sign("{}", SECRET), secrets)


def test_body_that_was_read_already() -> None:
    body: Any = {"type": "session.verified"}
    with pytest.raises(TypeError, match="raw body"):
        webhooks.verify(body, {}, SECRET)


@pytest.mark.parametrize("body", ["[]", "no JSON", '{"id": 7}'])
def test_signed_but_no_event(body: str) -> None:
    with pytest.raises(SignatureError) as raised:
        webhooks.verify(body, webhooks.sign(body, SECRET), SECRET)
    assert raised.value.reason == "malformed"


class Pairs(list[tuple[str, str]]):
    """Headers that may be there twice, as frameworks have them."""

    def items(self) -> Pairs:
        return self


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_header_twice_is_none(name: str) -> None:
    headers = webhooks.sign("{}", SECRET)
    for again in (name, name.upper()):
        twice = Pairs([*headers.items(), (again, headers[name])])
        with pytest.raises(SignatureError) as raised:
            webhooks.verify("{}", twice, SECRET)
        assert raised.value.reason == ("no_match" if name == "webhook-signature" else "malformed")


def test_no_headers() -> None:
    with pytest.raises(SignatureError) as raised:
        webhooks.verify("{}", {}, SECRET)
    assert raised.value.reason == "malformed"


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
@pytest.mark.parametrize("value", ["\udcff", "v1,\udcff", None, b"v1,a", ["v1,a"]], ids=repr)
def test_a_header_that_is_no_text(name: str, value: Any) -> None:
    """aiohttp reads a byte that is not UTF-8 by `surrogateescape`; whoever sends one is no trouble for the handler."""
    with pytest.raises(SignatureError):
        webhooks.verify("{}", {**webhooks.sign("{}", SECRET), name: value}, SECRET)


def test_bytes_that_are_not_utf_8_count_as_they_were_sent() -> None:
    headers = webhooks.sign("{}", SECRET, id="evt_\udcff")
    assert webhooks.verify("{}", headers, SECRET).data == {}
    with pytest.raises(SignatureError) as raised:
        webhooks.verify("\udcff", webhooks.sign(b"\xff", SECRET), SECRET)
    assert raised.value.reason == "malformed"


NO_SECONDS: list[Any] = [
    *(float("nan"), float("inf"), float("-inf"), -1, "300", None, True),
    *([], {}, 1j),
]


@pytest.mark.parametrize("tolerance", NO_SECONDS, ids=repr)
@pytest.mark.parametrize("timestamp", [0, None])
def test_a_tolerance_that_is_none_lets_nothing_in(tolerance: Any, timestamp: Any) -> None:
    body = '{"type": "session.verified"}'
    # Of 1970, so that only a comparison which is always false could take it.
    headers = webhooks.sign(body, SECRET, timestamp=timestamp)
    with pytest.raises(ConfigurationError, match="tolerance_seconds"):
        webhooks.verify(body, headers, SECRET, tolerance_seconds=tolerance)


@pytest.mark.parametrize("now", [float("nan"), float("inf"), "now", True])
def test_a_clock_that_is_none_lets_nothing_in(now: Any) -> None:
    body = '{"type": "session.verified"}'
    with pytest.raises(ConfigurationError, match="now"):
        webhooks.verify(body, webhooks.sign(body, SECRET), SECRET, now=now)


def test_a_tolerance_of_nothing_is_one() -> None:
    body = '{"type": "session.verified"}'
    headers = webhooks.sign(body, SECRET, timestamp=1000)
    assert webhooks.verify(body, headers, SECRET, tolerance_seconds=0, now=1000).id == ""
    assert webhooks.verify(body, headers, SECRET, tolerance_seconds=10**400, now=2000).id == ""
