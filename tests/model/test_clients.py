"""Clients: a key allows what its scopes name, and nothing similar."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import Forbidden, Unauthenticated
from coolid.model.clients import ADMIN, Client, authenticate, covers, digest_of, issue_client, split_key
from tests.support.builders.samples import MOMENT, labels, names, text
from tests.support.fixtures.ports import FixedClock, SeededEntropy

verbs = st.sampled_from(["mint", "update", "withdraw"])


class TestScopes:
    @given(verbs, names)
    def test_a_scope_covers_its_own_prefix(self, verb: str, name: str) -> None:
        assert covers(f"{verb}:{name}", verb, name)

    @given(verbs, names, st.sampled_from("/:"), names)
    def test_a_scope_covers_what_extends_its_prefix_at_a_boundary(
        self, verb: str, name: str, boundary: str, rest: str
    ) -> None:
        assert covers(f"{verb}:{name}", verb, name + boundary + rest)

    @given(verbs, names, labels)
    def test_a_mere_beginning_of_letters_opens_nothing(self, verb: str, name: str, more: str) -> None:
        assert not covers(f"{verb}:{name}", verb, name + more)
        assert not covers(f"{verb}:{name}", verb, f"{name}.{more}")
        assert not covers(f"{verb}:{name}{more}", verb, name)

    @given(names)
    def test_another_verb_opens_nothing(self, name: str) -> None:
        assert not covers(f"mint:{name}", "update", name)
        assert not covers(f"mints:{name}", "mint", name)

    @given(verbs, names)
    def test_an_administrator_may_do_everything(self, verb: str, name: str) -> None:
        assert covers(ADMIN, verb, name)

    @pytest.mark.parametrize(
        "scope", ["", "mint", "mint:", ":", ":demo", "*", "mint:*", "admin:", "admin:demo", "Admin"]
    )
    def test_a_scope_that_names_nothing_opens_nothing(self, scope: str) -> None:
        assert not covers(scope, "mint", "demo")

    def test_what_is_demanded_is_named_in_the_refusal(self) -> None:
        client = Client("abcdefgh", "", ("mint:mp", "update:demo"), MOMENT)
        client.require("mp/x", "mint")
        with pytest.raises(Forbidden, match="mint:demo"):
            client.require("demo", "mint")
        with pytest.raises(Forbidden, match="admin"):
            client.require_admin()


class TestKeys:
    @given(st.integers(0, 2**64))
    def test_a_new_key_is_taken_apart_and_accepted_as_it_was_given(self, seed: int) -> None:
        client, key = issue_client(("mint:mp",), FixedClock(), SeededEntropy(seed), "a note")
        client_id, secret = split_key(key)
        assert client_id == client.id
        assert authenticate(client, secret) is client
        assert (client.scopes, client.created, client.note) == (("mint:mp",), MOMENT, "a note")

    @given(st.integers(0, 2**64))
    def test_the_client_does_not_hold_the_secret(self, seed: int) -> None:
        client, key = issue_client((), FixedClock(), SeededEntropy(seed))
        secret = split_key(key)[1]
        assert secret not in repr(client)
        assert re.fullmatch("[0-9a-f]{64}", client.digest)
        assert client.digest == digest_of(secret)

    def test_the_secret_has_256_bits_of_the_random_source(self) -> None:
        class Counted(SeededEntropy):
            drawn = 0

            def token(self, size: int) -> bytes:
                self.drawn += size
                return super().token(size)

        entropy = Counted()
        issue_client((), FixedClock(), entropy)
        assert entropy.drawn == 32

    @given(st.integers(0, 2**32), st.data())
    def test_any_other_secret_is_refused(self, seed: int, data: st.DataObject) -> None:
        client, key = issue_client((), FixedClock(), SeededEntropy(seed))
        secret = split_key(key)[1]
        wrong = data.draw(text.filter(lambda other: other != secret))
        for attempt in (wrong, secret[:-1], secret + "A", secret.swapcase(), ""):
            if attempt != secret:
                with pytest.raises(Unauthenticated):
                    authenticate(client, attempt)

    def test_an_unknown_client_is_refused_in_the_same_words_as_a_wrong_secret(self) -> None:
        client, _ = issue_client((), FixedClock(), SeededEntropy())
        with pytest.raises(Unauthenticated) as unknown:
            authenticate(None, "")
        with pytest.raises(Unauthenticated) as wrong:
            authenticate(client, "")
        assert str(unknown.value) == str(wrong.value)

    @given(text)
    def test_a_text_that_is_no_key_is_refused(self, key: str) -> None:
        if not re.fullmatch(r"cool_[a-z2-7]{8}_[A-Za-z0-9_-]{43}", key, re.ASCII):
            with pytest.raises(Unauthenticated):
                split_key(key)

    def test_a_line_break_at_the_end_makes_it_no_key(self) -> None:
        _, key = issue_client((), FixedClock(), SeededEntropy())
        with pytest.raises(Unauthenticated):
            split_key(key + "\n")
