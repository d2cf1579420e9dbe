"""Diagnostics: the key signs a text that proves nothing, the key set and the clock are compared; nothing is written."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import SignerUnavailable, StoreUnavailable, Unavailable
from coolid.proofs.diagnostics import MAX_CLOCK_DIFFERENCE, TEST_MESSAGE, check_clock, check_key_set, check_signing
from coolid.proofs.jws import read_proof
from coolid.proofs.statements import compact, signing_input
from coolid.proofs.verdicts import FailedCheck
from tests.support.builders.samples import MOMENT
from tests.support.fixtures.ports import FixedClock, KeySigner
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore


@dataclass
class Noting:
    """A signer that notes what it signs."""

    signer: KeySigner = field(default_factory=KeySigner)
    signed: list[bytes] = field(default_factory=list)

    def public_key(self) -> Mapping[str, Any]:
        return self.signer.public_key()

    def sign(self, message: bytes) -> bytes:
        self.signed.append(message)
        return self.signer.sign(message)


class TestTheKey:
    def test_it_signs_the_harmless_text_and_nothing_else(self) -> None:
        noting = Noting()
        assert check_signing(noting) == ""
        assert noting.signed == [TEST_MESSAGE]

    def test_what_it_signs_cannot_be_what_is_signed_of_a_jws(self) -> None:
        """RFC 7515, section 5.1: base64url, a dot, and the payload, which may be anything (RFC 7797)."""
        assert not re.match(rb"[A-Za-z0-9_-]*\.", TEST_MESSAGE)
        signature = KeySigner().sign(TEST_MESSAGE)
        with pytest.raises(FailedCheck):
            read_proof(compact(TEST_MESSAGE, signature))

    @given(st.dictionaries(st.text(), st.text() | st.integers(-(2**53) + 1, 2**53 - 1)), st.text())
    def test_no_statement_is_ever_signed_as_the_harmless_text(self, statement: dict[str, Any], kid: str) -> None:
        assert signing_input(statement, kid) != TEST_MESSAGE

    def test_one_that_cannot_sign_fails(self) -> None:
        signer = KeySigner()
        signer.broken = True
        with pytest.raises(SignerUnavailable):
            check_signing(signer)

    def test_one_that_signs_with_another_key_fails(self) -> None:
        class Confused(Noting):
            def sign(self, message: bytes) -> bytes:
                return KeySigner().sign(message)

        with pytest.raises(SignerUnavailable, match="invalid signature"):
            check_signing(Confused())


_SIGNERS = KeySigner(), KeySigner()


class TestTheKeySet:
    def test_before_anything_was_signed_it_is_empty_and_that_is_well(self, store: MemoryStore) -> None:
        assert "no key is published yet" in check_key_set(KeySigner(), store)
        assert store.keys == []

    def test_the_key_that_signs_is_in_it(self, store: MemoryStore) -> None:
        store.keys = [each.public_key() for each in _SIGNERS]
        assert check_key_set(_SIGNERS[0], store) == "published, one of 2"

    def test_one_that_is_not_fails(self, store: MemoryStore) -> None:
        store.keys = [_SIGNERS[1].public_key()]
        with pytest.raises(SignerUnavailable, match="not published"):
            check_key_set(_SIGNERS[0], store)

    def test_a_store_that_fails_fails(self, store: MemoryStore) -> None:
        with pytest.raises(StoreUnavailable):
            check_key_set(_SIGNERS[0], FailingStore(store, "before", "public_keys"))


class TestTheClock:
    @pytest.mark.parametrize("seconds", [-5, 0, 5])
    def test_it_may_be_a_little_off(self, seconds: int) -> None:
        assert check_clock(MOMENT + timedelta(seconds=seconds), FixedClock()) == ""

    @pytest.mark.parametrize("seconds", [-3600, -6, 6, 3600])
    def test_it_may_not_be_off_by_more(self, seconds: int) -> None:
        assert abs(seconds) > MAX_CLOCK_DIFFERENCE.total_seconds()
        with pytest.raises(Unavailable, match=f"{abs(seconds)} s apart") as raised:
            check_clock(MOMENT + timedelta(seconds=seconds), FixedClock())
        assert not isinstance(raised.value, StoreUnavailable), "the store answered"

    def test_without_a_store_time_there_is_nothing_to_compare(self) -> None:
        assert check_clock(None, FixedClock()) == "no other clock to compare with"
