"""DOIs and other Handles: prefix and suffix, without regard to case, label and address."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidIdentifier
from coolid.identifiers.schemes import doi, handle, igsn
from tests.support.builders.samples import SCHEME_VECTORS

visible = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=30)
registrants = st.from_regex(r"[0-9]{4,6}(\.[0-9]{1,4}){0,2}", fullmatch=True)


class TestDoi:
    @pytest.mark.parametrize("text", SCHEME_VECTORS["doi"]["valid"])
    def test_real_dois_are_valid_in_every_form(self, text: str) -> None:
        key = text.lower()
        for form in (
            text,
            f"doi:{text}",
            f"https://doi.org/{quote(text)}",
            f"http://dx.doi.org/{quote(text, safe='')}",
        ):
            assert doi.validate(form) == doi.compact(form) == key
            assert doi.format(form) == f"doi:{key}"
        prefix, _, suffix = key.partition("/")
        assert doi.parse(text) == doi.Doi(prefix.removeprefix("10."), suffix)
        assert doi.parse(text).prefix == prefix

    @pytest.mark.parametrize(
        "text", [text for text in SCHEME_VECTORS["doi"]["valid"] if "?" not in text and "%" not in text]
    )
    def test_real_dois_are_valid_when_pasted_into_an_address_unescaped(self, text: str) -> None:
        assert doi.validate(f"https://doi.org/{text}") == text.lower()

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["doi"]["same_as_10.1002/asi.23256"])
    def test_known_spellings_mean_the_same(self, spelling: str) -> None:
        assert doi.validate(spelling) == "10.1002/asi.23256"

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["doi"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not doi.is_valid(spelling)

    @given(registrants, visible)
    def test_parts_and_dois_become_each_other(self, registrant: str, suffix: str) -> None:
        parts = doi.Doi(registrant, suffix.lower())
        assert doi.parse(str(parts)) == doi.parse(doi.format(str(parts))) == parts
        assert doi.parse(f"https://doi.org/10.{registrant}/{quote(suffix, safe='')}") == parts

    def test_a_bare_doi_is_never_decoded_and_an_address_once(self) -> None:
        assert doi.validate("10.1000/a%2Fb") == "10.1000/a%2fb"
        assert doi.validate("https://doi.org/10.1000/a%252Fb") == "10.1000/a%2fb"

    @pytest.mark.parametrize(
        ("spelling", "reason"),
        [
            ("10/b88j", "short DOI"),
            ("11.1038/x", "does not begin with 10"),
            ("10.1038", "no suffix"),
            ("https://doi.org/10.1000/%zz", "'%zz' is not"),
            ("https://doi.org/10.1000/%00", "an escape stands for '\\\\x00'"),
            ("https://doi.org/10.1000/%FF", "not valid UTF-8"),
        ],
    )
    def test_reasons_say_what_is_wrong(self, spelling: str, reason: str) -> None:
        with pytest.raises(InvalidIdentifier, match=reason):
            doi.validate(spelling)

    def test_a_foreign_symbol_is_named_with_its_place_in_the_text_as_given(self) -> None:
        with pytest.raises(InvalidCharacter) as raised:
            doi.validate("https://doi.org/10.1000/a b")
        assert (raised.value.position, raised.value.symbol) == (25, " ")


class TestHandle:
    @pytest.mark.parametrize("text", SCHEME_VECTORS["handle"]["valid"])
    def test_real_handles_are_valid_in_every_form(self, text: str) -> None:
        for form in (
            text,
            f"hdl:{text}",
            f"hdl:/{text}",
            f"https://hdl.handle.net/{text}",
            f"https://x.org/hdl/{text}",
        ):
            assert handle.validate(form) == handle.compact(form) == text.lower()
        prefix, _, suffix = text.lower().partition("/")
        assert handle.parse(text) == handle.Handle(prefix, suffix)

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["handle"]["same_as_102.100.272/y35xys0qh"])
    def test_known_spellings_mean_the_same(self, spelling: str) -> None:
        assert handle.validate(spelling) == "102.100.272/y35xys0qh"

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["handle"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not handle.is_valid(spelling)

    @given(st.from_regex(r"[a-z0-9_-]{1,6}(\.[a-z0-9]{1,4}){0,2}", fullmatch=True), visible)
    def test_parts_and_handles_become_each_other(self, prefix: str, suffix: str) -> None:
        parts = handle.Handle(prefix, suffix.lower())
        assert handle.parse(str(parts)) == handle.parse(handle.format(str(parts))) == parts

    @pytest.mark.parametrize("text", SCHEME_VECTORS["doi"]["valid"])
    def test_every_doi_is_a_handle(self, text: str) -> None:
        assert handle.validate(f"hdl:{text}") == doi.validate(text)


class TestIgsn:
    @pytest.mark.parametrize(("spelling", "key"), SCHEME_VECTORS["igsn"]["pairs"])
    def test_known_spellings_mean_the_same(self, spelling: str, key: str) -> None:
        assert igsn.validate(spelling) == igsn.compact(spelling) == key
        assert igsn.format(spelling) == f"igsn:{key}"

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["igsn"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not igsn.is_valid(spelling)

    def test_seventy_five_characters_are_the_most(self) -> None:
        assert igsn.is_valid("IE" + "0" * 73)
        with pytest.raises(InvalidIdentifier, match="it has 76 characters"):
            igsn.validate("igsn:IE" + "0" * 74)
