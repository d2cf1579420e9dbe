"""Idempotent requests: which requests are the same, and for how long."""

import json
import re
from datetime import timedelta
from string import ascii_lowercase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import BadIdempotencyKey, InvalidInput, KeyReused
from coolid.records.idempotency import LIFETIME, IdempotentRequest
from tests.support.builders.samples import MOMENT, json_values

keys = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=255)
clients = st.text(ascii_lowercase + "234567", min_size=8, max_size=8)
lines = st.none() | st.integers(0, 999)


def shuffled(value: Any) -> Any:
    """The same JSON value with the members of its objects in another order."""
    if isinstance(value, dict):
        return {name: shuffled(value[name]) for name in reversed(value)}
    return [shuffled(each) for each in value] if isinstance(value, list) else value


class TestErrands:
    @given(clients, keys, json_values)
    def test_the_same_body_in_another_order_is_the_same_request(self, client: str, key: str, body: Any) -> None:
        assert IdempotentRequest.of(client, key, body) == IdempotentRequest.of(client, key, shuffled(body))

    @given(json_values, json_values)
    def test_another_body_is_another_request(self, one: Any, other: Any) -> None:
        same = IdempotentRequest.of("abcdefgh", "k", one).digest == IdempotentRequest.of("abcdefgh", "k", other).digest
        if json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True):
            assert same
        elif "0" not in json.dumps([one, other]):  # 1.0 and 1, 0 and -0 are one number to JSON
            assert not same

    def test_values_are_equal_exactly_if_json_does_not_distinguish_them(self) -> None:
        bodies: list[Any] = [1, 1.0, True, "1", None, [], {}, [1]]
        digests = [IdempotentRequest.of("abcdefgh", "k", body).digest for body in bodies]
        assert digests[0] == digests[1]
        assert len(set(digests)) == 7

    def test_the_member_proof_of_a_body_counts_like_any_other(self) -> None:
        """The digests of records leave it out; those of requests must not."""
        bodies = [{"prefix": "demo"}, {"prefix": "demo", "proof": "a"}, {"prefix": "demo", "proof": "b"}]
        assert len({IdempotentRequest.of("abcdefgh", "k", body).digest for body in bodies}) == 3

    @given(st.lists(st.tuples(clients, keys, lines), min_size=2, max_size=2, unique=True))
    def test_no_two_clients_keys_or_lines_share_a_place(self, both: list[tuple[str, str, int | None]]) -> None:
        one, other = (IdempotentRequest.of(client, key, {}, line).id for client, key, line in both)
        assert one != other

    def test_a_key_that_looks_like_a_line_is_not_that_line(self) -> None:
        assert IdempotentRequest.of("abcdefgh", "k#0", {}).id != IdempotentRequest.of("abcdefgh", "k", {}, 0).id
        assert IdempotentRequest.of("abcdefgh", "0/k", {}).id != IdempotentRequest.of("abcdefgh", "k", {}, 0).id

    @pytest.mark.parametrize("key", ["a", " ", "~" * 255, "a b#c/d", '"8e03978e-40d5-43dd-bc93-6894a57f9324"'])
    def test_a_key_is_any_short_line_of_ascii(self, key: str) -> None:
        assert IdempotentRequest.of("abcdefgh", key, {}, 999).id.endswith("/" + key)

    @pytest.mark.parametrize("key", ["", "~" * 256, "a\n", "\t", "é", "\x00", "\x7f", "a\u2028"])
    def test_anything_else_is_none(self, key: str) -> None:
        with pytest.raises(BadIdempotencyKey):
            IdempotentRequest.of("abcdefgh", key, {})

    def test_a_body_without_a_canonical_form_is_refused(self) -> None:
        with pytest.raises(InvalidInput):
            IdempotentRequest.of("abcdefgh", "k", {"n": float("nan")})


class TestReceipts:
    def test_one_is_good_for_a_day_and_names_what_was_made(self) -> None:
        errand = IdempotentRequest.of("abcdefgh", "k", {})
        receipt = errand.record("r4k2-9m3x-62/tw0tywdj94", MOMENT)
        assert timedelta(hours=24) == LIFETIME
        assert (receipt.id, receipt.digest, receipt.expires) == (errand.id, errand.digest, MOMENT + LIFETIME)
        assert receipt.outcome == "r4k2-9m3x-62/tw0tywdj94"
        assert re.fullmatch("sha-256=:[A-Za-z0-9+/]{43}=:", receipt.digest)

    def test_it_is_for_its_own_body_only(self) -> None:
        receipt = IdempotentRequest.of("abcdefgh", "k", {"a": 1}).record("x", MOMENT)
        receipt.require_same_body(IdempotentRequest.of("abcdefgh", "k", {"a": 1}).digest)
        with pytest.raises(KeyReused):
            receipt.require_same_body(IdempotentRequest.of("abcdefgh", "k", {"a": 2}).digest)
