"""LinkIDs of both revisions, and the two forms that they typically have: UUIDs and SHA-256 digests."""

import hashlib
import uuid as standard
from typing import Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidIdentifier, InvalidLength
from coolid.identifiers.rules.base import is_valid
from coolid.identifiers.rules.linkid import LinkidRules
from coolid.identifiers.schemes import digest, lid, linkid, uuid
from tests.support.builders.samples import SCHEME_VECTORS
from tests.support.fixtures.ports import SeededEntropy

LID_SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-"
hexadecimal = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")


class TestLid:
    @pytest.mark.parametrize("vector", SCHEME_VECTORS["lid"]["valid"], ids=lambda vector: vector["text"])
    def test_known_linkids_have_their_parts(self, vector: dict[str, Any]) -> None:
        parts = lid.parse(vector["text"])
        assert parts == lid.Lid(vector["id"], vector["parameters"], vector["form"])
        assert lid.validate(vector["text"]) == lid.compact(vector["text"]) == vector["id"]
        assert lid.parse(str(parts)) == parts

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["lid"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not lid.is_valid(spelling)

    @given(st.text(LID_SYMBOLS, max_size=80))
    def test_any_thirty_two_to_sixty_four_of_its_characters_are_valid(self, key: str) -> None:
        assert lid.is_valid(key) == (32 <= len(key) <= 64)
        if lid.is_valid(key):
            assert lid.validate(lid.format(key)) == key

    @given(hexadecimal)
    def test_uuids_and_digests_are_recognised(self, digits: str) -> None:
        known = uuid.parse(digits).version in range(1, 9)
        assert lid.form_of(digits) == (lid.UUID if known else lid.OPAQUE)
        assert lid.form_of(digits * 2) == lid.DIGEST

    def test_parameters_must_be_visible_too(self) -> None:
        with pytest.raises(InvalidCharacter) as raised:
            lid.parse("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=p df")
        assert raised.value.position == 45

    def test_reasons_say_what_and_where(self) -> None:
        with pytest.raises(InvalidCharacter) as raised:
            lid.validate("lid:b2f6f0d7c7d34e3e/8a4f0a6b2a9c9f14")
        assert (raised.value.position, raised.value.symbol) == (20, "/")
        with pytest.raises(InvalidIdentifier, match="it has 65 characters; a LinkID has 32 to 64"):
            lid.validate("a" * 65)


def follows_the_grammar(text: str) -> bool:
    """Whether a text is `linkid-URI` of draft-linkgenetic-linkid-uri-01, section 3, symbol by symbol.

    In ABNF a literal matches ASCII letters of either case (RFC 5234, section 2.3).
    """
    symbols = [ord(symbol) for symbol in text]
    label = [(ord(lower), ord(upper)) for lower, upper in zip("linkid:", "LINKID:", strict=True)]
    if len(symbols) != 43 or not all(symbol in pair for symbol, pair in zip(symbols, label, strict=False)):
        return False
    digits, hyphens = {*range(0x30, 0x3A), *range(0x41, 0x47), *range(0x61, 0x67)}, {15, 20, 25, 30}
    return all(symbol == 0x2D if at in hyphens else symbol in digits for at, symbol in enumerate(symbols) if at >= 7)


class TestLinkid:
    EXAMPLE = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"

    @given(hexadecimal, st.data())
    def test_the_key_and_the_canonical_form_are_inverse_in_every_case(self, digits: str, data: st.DataObject) -> None:
        canonical = linkid.format(digits)
        assert canonical == f"linkid:{standard.UUID(digits)}"
        upper = data.draw(st.lists(st.booleans(), min_size=43, max_size=43))
        spelling = "".join(each.upper() if is_upper else each for each, is_upper in zip(canonical, upper, strict=True))
        assert follows_the_grammar(spelling)
        assert linkid.validate(spelling) == linkid.compact(spelling) == digits
        assert linkid.format(spelling) == linkid.format(linkid.format(spelling)) == spelling.lower() == canonical

    @given(st.data())
    def test_nothing_else_is_valid(self, data: st.DataObject) -> None:
        text = self.EXAMPLE
        for _ in range(data.draw(st.integers(0, 3))):
            at, dropped = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 2))
            inserted = data.draw(st.sampled_from(["", *"0aAgG-:/?#%{} \n\x00é９ſ\u212aıİ\u2010", "%2D", "%3A"]))
            text = text[:at] + inserted + text[at + dropped :]
        assert linkid.is_valid(text) == follows_the_grammar(text)

    @given(st.text(max_size=60))
    def test_no_text_is_valid_by_chance(self, text: str) -> None:
        for each in (text, f"linkid:{text}", self.EXAMPLE + text, text + self.EXAMPLE):
            assert linkid.is_valid(each) == follows_the_grammar(each)

    @given(st.integers(0, 2**32))
    def test_new_ones_are_version_4(self, seed: int) -> None:
        key = linkid.generate(SeededEntropy(seed))
        assert standard.UUID(linkid.format(key).removeprefix("linkid:")).version == 4

    def test_the_public_rules_of_the_prefix_are_the_grammar(self) -> None:
        rules = LinkidRules()
        for text in ("", self.EXAMPLE[7:], self.EXAMPLE[7:].upper(), self.EXAMPLE, self.EXAMPLE[8:], "0" * 32):
            published = re2.fullmatch(rules.describe().pattern, text) is not None
            assert is_valid(rules, text) == published == follows_the_grammar(f"linkid:{text}")


class TestUuid:
    @pytest.mark.parametrize("vector", SCHEME_VECTORS["uuid"]["valid"], ids=lambda vector: vector["text"])
    def test_known_uuids_have_their_variant_version_and_time(self, vector: dict[str, Any]) -> None:
        parts = uuid.parse(vector["text"])
        assert (parts.variant, parts.version, parts.milliseconds) == (
            vector["variant"],
            vector["version"],
            vector["milliseconds"],
        )
        assert uuid.parse(str(parts)) == parts

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["uuid"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not uuid.is_valid(spelling)

    @given(hexadecimal)
    def test_every_form_is_read_as_the_standard_library_reads_it(self, digits: str) -> None:
        theirs = standard.UUID(digits)
        for spelling in (digits, str(theirs), str(theirs).upper(), theirs.urn):
            assert uuid.validate(spelling) == theirs.hex
            assert uuid.parse(spelling).version == theirs.version
            assert uuid.format(spelling) == str(theirs)

    def test_the_standard_library_takes_hyphens_and_braces_anywhere_and_we_do_not(self) -> None:
        for wrong in ("{1bc2f359-47e4-5da6-a748-74676b7c8c5d}", "1-bc2f35947e45da6a74874676b7c8c5d"):
            assert standard.UUID(wrong).version == 5
            assert not uuid.is_valid(wrong)

    @given(st.integers(0, 2**48 - 1), st.integers(0, 2**32))
    def test_version_7_holds_its_moment_and_sorts_by_it(self, milliseconds: int, seed: int) -> None:
        entropy = SeededEntropy(seed)
        key = uuid.generate(entropy, milliseconds)
        assert uuid.is_valid(key, versions=(7,))
        assert uuid.parse(key).milliseconds == milliseconds
        assert standard.UUID(key).variant == standard.RFC_4122
        if milliseconds:
            assert uuid.generate(entropy, milliseconds - 1) < key
        assert uuid.generate(entropy, milliseconds) != key

    @given(st.integers(0, 2**32))
    def test_without_a_moment_it_is_version_4(self, seed: int) -> None:
        key = uuid.generate(SeededEntropy(seed))
        assert uuid.is_valid(key, versions=(4,))
        assert standard.UUID(key).version == 4

    @pytest.mark.parametrize("milliseconds", [-1, 2**48])
    def test_a_moment_that_does_not_fit_is_refused(self, milliseconds: int) -> None:
        with pytest.raises(ValueError, match="do not fit"):
            uuid.generate(SeededEntropy(), milliseconds)

    @pytest.mark.parametrize(
        ("spelling", "reason"),
        [
            ("1bc2f359-47e4-5da6-a748-74676b7c8c5d", "its version is 5, which"),
            ("0" * 32, "its variant is NCS"),
            ("1bc2f35947e4-5da6-a748-74676b7c8c5d", "8-4-4-4-12"),
        ],
    )
    def test_reasons_say_what_is_wrong(self, spelling: str, reason: str) -> None:
        with pytest.raises(InvalidIdentifier, match=reason):
            uuid.validate(spelling, versions=(4, 7))
        with pytest.raises(InvalidLength) as raised:
            uuid.validate(spelling.replace("-", "") + "00")
        assert (raised.value.expected, raised.value.found) == (32, 34)


class TestDigest:
    def test_a_known_digest_is_that_of_its_content(self) -> None:
        vector = SCHEME_VECTORS["digest"]
        assert digest.calc_digest(vector["content"].encode()) == digest.validate(vector["value"]) == vector["value"]

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["digest"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not digest.is_valid(spelling)

    @given(st.binary(max_size=99))
    def test_every_spelling_of_a_digest_is_its_content(self, content: bytes) -> None:
        key = digest.calc_digest(content)
        assert key == hashlib.sha256(content).hexdigest()
        for spelling in (key, key.upper(), f"sha256:{key}", f"SHA-256:{key}", digest.format(key)):
            assert digest.validate(spelling) == key
        assert lid.is_valid(key)
