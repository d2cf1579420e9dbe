"""Webhook notices: their content, and their signatures according to Standard Webhooks 1.0."""

import base64
import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.health.webhook_notices import (
    MAX_CHANGES,
    MAX_CHANGES_BYTES,
    LinkChange,
    change_event,
    url_objection,
)
from coolid.health.webhook_signature import new_secret, signature, signed_message
from coolid.model.conditions import DEGRADED, DOWN, UP, Condition
from coolid.model.webhooks import Webhook
from tests.docs.receiver import InvalidNotice, receive
from tests.support.builders.samples import LATER, MOMENT
from tests.support.fixtures.ports import SeededEntropy

OWNER = "r4k2-9m3x-62"
SECRET = new_secret(SeededEntropy())
WEBHOOK = Webhook("https://hook.example/", SECRET, MOMENT)
DEAD = LinkChange(
    "https://id.example.org/mp:x",
    "https://content.example.org/é".replace("é", "%C3%A9"),
    UP,
    Condition(DOWN, MOMENT, "it answered 404", MOMENT - timedelta(days=1), "https://new.example/"),
)
WELL = LinkChange("https://id.example.org/mp:y", "https://content.example.org/y", DEGRADED, Condition(UP, MOMENT))


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """RFC 2104 by hand, for keys of at most 64 bytes."""
    padded = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(each ^ 0x36 for each in padded) + message).digest()
    return hashlib.sha256(bytes(each ^ 0x5C for each in padded) + inner).digest()


def test_a_signature_is_that_of_the_reference_libraries() -> None:
    """The vector that the libraries of Standard Webhooks and Svix have in their own tests."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    signed = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@given(st.binary(min_size=24, max_size=64), st.binary(max_size=200), st.integers(0, 2**40))
def test_a_signature_is_what_hmac_by_hand_gives(key: bytes, body: bytes, seconds: int) -> None:
    expected = hmac_sha256(key, f"msg_a.{seconds}.".encode() + body)
    secret = "whsec_" + base64.b64encode(key).decode()
    assert signature(secret, "msg_a", str(seconds), body) == f"v1,{base64.b64encode(expected).decode()}"


def test_a_notice_says_what_changed() -> None:
    body, headers = signed_message(WEBHOOK, change_event(OWNER, [DEAD, WELL], MOMENT), LATER)
    assert json.loads(body) == {
        "type": "links.changed",
        "timestamp": "2025-07-10T14:22:30Z",
        "data": {
            "repository": OWNER,
            "changes": [
                {
                    "pid": DEAD.pid,
                    "uri": DEAD.uri,
                    "state": "down",
                    "was": "up",
                    "since": "2025-07-10T14:22:30Z",
                    "reason": "it answered 404",
                    "lastGood": "2025-07-09T14:22:30Z",
                    "moved": "https://new.example/",
                },
                {
                    "pid": WELL.pid,
                    "uri": WELL.uri,
                    "state": "up",
                    "was": "degraded",
                    "since": "2025-07-10T14:22:30Z",
                },
            ],
        },
    }
    assert headers.keys() == {"Content-Type", "webhook-id", "webhook-timestamp", "webhook-signature"}
    assert headers["webhook-timestamp"] == str(int(LATER.timestamp()))
    assert headers["Content-Type"] == "application/json"


def test_a_notice_has_a_limited_number_of_changes_and_a_mark_for_more() -> None:
    for number in (MAX_CHANGES, MAX_CHANGES + 1):
        data = change_event(OWNER, [DEAD] * number, MOMENT)["data"]
        assert (len(data["changes"]), data.get("more", False)) == (MAX_CHANGES, number > MAX_CHANGES)


def test_a_notice_has_a_limited_size() -> None:
    long = replace(DEAD, uri="https://content.example.org/" + "x" * 2_000)
    returned = change_event(OWNER, [long] * MAX_CHANGES, MOMENT)
    assert returned["data"]["more"]
    assert 40 < len(returned["data"]["changes"]) < 50
    assert len(signed_message(WEBHOOK, returned, LATER)[0]) < MAX_CHANGES_BYTES + 1_000


def test_an_event_that_is_sent_again_has_its_id_still_and_another_has_another() -> None:
    returned = change_event(OWNER, [DEAD], MOMENT)
    first, again = (signed_message(WEBHOOK, returned, at)[1] for at in (MOMENT, LATER))
    assert first["webhook-id"] == again["webhook-id"]
    assert "." not in first["webhook-id"]
    assert first["webhook-signature"] != again["webhook-signature"]
    others = [
        change_event(OWNER, [WELL], MOMENT),
        change_event(OWNER, [DEAD], LATER),
        change_event("h4nd-1e5x-00", [DEAD], MOMENT),
    ]
    ids = {signed_message(WEBHOOK, each, MOMENT)[1]["webhook-id"] for each in (returned, *others)}
    assert len(ids) == 4


def test_a_secret_is_of_256_bits_and_no_two_are_alike() -> None:
    entropy = SeededEntropy()
    secrets = {new_secret(entropy) for _ in range(100)}
    assert len(secrets) == 100
    assert {len(base64.b64decode(each.removeprefix("whsec_"), validate=True)) for each in secrets} == {32}


@pytest.mark.parametrize(
    ("url", "is_fit"),
    [
        ("https://hook.example/a?b", True),
        ("HTTPS://hook.example/", True),
        ("http://hook.example/", False),
        ("http://127.0.0.1:9000/", False),
        ("https://me:secret@hook.example/", False),
        ("https://hook.example\\@evil.example/", False),
        ("https://0x7f000001/", False),
        ("https://hook.example:25/", False),
        ("ftp://hook.example/", False),
        ("hook.example", False),
    ],
)
def test_notices_need_https_and_an_allowed_target(url: str, is_fit: bool) -> None:
    assert (url_objection(url) is None) == is_fit


class TestReceivers:
    """By the receiver that `docs/explanation/health.md` shows."""

    def letter(self, **members: Any) -> tuple[bytes, dict[str, str]]:
        return signed_message(replace(WEBHOOK, **members), change_event(OWNER, [DEAD], MOMENT), MOMENT)

    def test_a_genuine_notice_is_accepted(self) -> None:
        body, headers = self.letter()
        assert receive(body, headers, SECRET, MOMENT.timestamp()) == change_event(OWNER, [DEAD], MOMENT)

    def test_one_of_several_signatures_is_enough(self) -> None:
        body, headers = self.letter()
        headers["webhook-signature"] = f"v1,AAAA v1a,BBBB {headers['webhook-signature']}"
        assert receive(body, headers, SECRET, MOMENT.timestamp())["type"] == "links.changed"

    @pytest.mark.parametrize(
        "spoilt",
        [
            {"webhook-id": "msg_other"},
            {"webhook-timestamp": str(int(MOMENT.timestamp()) + 1)},
            {"webhook-timestamp": "soon"},
            {"webhook-signature": "v1,"},
            {"webhook-signature": "v1,é"},
            {"webhook-signature": ""},
        ],
    )
    def test_one_that_was_changed_is_refused(self, spoilt: dict[str, str]) -> None:
        body, headers = self.letter()
        with pytest.raises(InvalidNotice):
            receive(body, headers | spoilt, SECRET, MOMENT.timestamp())
        with pytest.raises(InvalidNotice):
            receive(body + b" ", headers, SECRET, MOMENT.timestamp())

    def test_a_notice_of_another_sender_is_refused(self) -> None:
        body, headers = self.letter(secret=new_secret(SeededEntropy(2)))
        with pytest.raises(InvalidNotice):
            receive(body, headers, SECRET, MOMENT.timestamp())

    @pytest.mark.parametrize("late", [301, -301])
    def test_an_old_one_is_refused(self, late: int) -> None:
        body, headers = self.letter()
        with pytest.raises(InvalidNotice):
            receive(body, headers, SECRET, MOMENT.timestamp() + late)

    def test_headers_that_are_missing_are_refused(self) -> None:
        body, headers = self.letter()
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            with pytest.raises(InvalidNotice):
                receive(body, {each: value for each, value in headers.items() if each != name}, SECRET, 0)
        assert datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC) == MOMENT
