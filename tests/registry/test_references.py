"""References: split before decoding, decoded exactly once, refused for impossible characters."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import BadReference, TooLong
from coolid.model.prefixes import fold
from coolid.registry.references import (
    MAX_BYTES,
    MAX_CANDIDATES,
    Reference,
    decode,
    is_encoded_whole,
    parse_parameter,
    parse_reference,
)

anything = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60)


def splits(path: str) -> list[tuple[str, str]]:
    return [(candidate.name, candidate.identifier) for candidate in parse_reference(path).candidates]


class TestDecoding:
    @given(anything)
    def test_whatever_is_percent_encoded_comes_back(self, text: str) -> None:
        assert parse_reference(quote(text, safe="")).text == text
        assert parse_reference(quote(text, safe="/:@!$&'()*+,;=")).text == text

    @given(anything)
    def test_it_is_decoded_exactly_once(self, text: str) -> None:
        once = quote(text, safe="")
        assert parse_reference(quote(once, safe="")).text == once

    @pytest.mark.parametrize("path", ["a%2Fb", "a%2fb", "%2F", "2021%2F06%2Fmp/x"])
    def test_an_encoded_slash_separates_nothing(self, path: str) -> None:
        names = [name for name, _ in splits(path)]
        assert parse_reference(path).text == path.replace("%2F", "/").replace("%2f", "/")
        assert "2021" not in names
        assert "2021/06" not in names
        assert "a" not in names

    @pytest.mark.parametrize("path", ["go:1", "go%3A1", "go%3a1"])
    def test_a_colon_separates_encoded_or_not(self, path: str) -> None:
        assert splits(path)[0] == ("go", "1")

    @pytest.mark.parametrize("path", ["%", "%z", "%zz", "%0", "a%", "%%41", "x/%4", "%GG/y", "%u0041", "50%25%"])
    def test_a_bad_escape_is_refused(self, path: str) -> None:
        with pytest.raises(BadReference, match="escape"):
            parse_reference(path)

    @pytest.mark.parametrize(
        "path", ["%C0%AF", "%ff", "%80", "%ED%A0%80", "%F4%90%80%80", "%C3", "%C3/%A9", "\ud800", "a\udcff"]
    )
    def test_invalid_utf8_is_refused(self, path: str) -> None:
        with pytest.raises(BadReference, match="UTF-8"):
            parse_reference(path)

    @pytest.mark.parametrize("code", [*range(0x20), 0x7F, *range(0x80, 0xA0)])
    def test_a_control_character_is_refused_encoded_or_not(self, code: int) -> None:
        for path in (chr(code), f"go:{chr(code)}x", quote(chr(code), safe=""), f"go:x{quote(chr(code), safe='')}"):
            with pytest.raises(BadReference, match=f"U\\+{code:04X}"):
                parse_reference(path)

    @given(st.text(max_size=60))
    def test_any_text_at_all_is_read_or_refused_as_a_bad_reference(self, path: str) -> None:
        for function in (parse_reference, decode):
            try:
                function(path)
            except BadReference as error:
                returned = str(error)
                assert returned.isascii()

    @given(st.text("%0123456789abcdefABCDEFgz/:.é", max_size=30))
    def test_any_mixture_of_escapes_is_read_or_refused_as_a_bad_reference(self, path: str) -> None:
        try:
            reference = parse_reference(path)
        except BadReference:
            return
        assert reference.text.isprintable()
        assert all(reference.text[at] in "/:" for at in reference.boundaries)


class TestPathParameters:
    """Clients send slashes as they are, generated ones encode the whole text."""

    @given(anything)
    def test_a_text_encoded_as_a_whole_is_the_same_as_with_its_slashes(self, text: str) -> None:
        assert parse_parameter(quote(text, safe="")) == parse_parameter(quote(text, safe="/")) == Reference.of(text)

    @given(anything, anything)
    def test_with_a_slash_as_it_is_an_encoded_one_separates_nothing(self, text: str, other: str) -> None:
        path = f"{quote(text, safe='')}/{quote(other, safe='')}"
        assert not is_encoded_whole(path)
        assert parse_parameter(path) == parse_reference(path)

    @given(anything)
    def test_without_any_slash_both_are_the_same(self, text: str) -> None:
        path = quote(text.replace("/", ""), safe="")
        assert not is_encoded_whole(path)
        assert parse_parameter(path) == parse_reference(path)

    def test_it_is_decoded_once(self) -> None:
        assert parse_parameter("2021%2F06%2Fmp%2Fa%252Fb").text == "2021/06/mp/a%2Fb"
        assert parse_parameter("2021%2f06%2Fmp%2fa").boundaries == (4, 7, 10)


class TestSize:
    @pytest.mark.parametrize("character", ["a", "é", "€", "𝄞", ":", "/"])
    def test_the_limit_is_2048_bytes_of_the_decoded_text(self, character: str) -> None:
        width = len(character.encode())
        fits = character * (MAX_BYTES // width) + "a" * (MAX_BYTES % width)
        assert len(fits.encode()) == MAX_BYTES
        assert parse_reference(fits).text == fits
        assert parse_reference(quote(fits, safe="")).text == fits
        with pytest.raises(TooLong) as raised:
            parse_reference(fits + "a")
        assert (raised.value.size, raised.value.limit) == (2049, 2048)

    @pytest.mark.parametrize("part", ["%41", "%zz", "%ff", "%00"])
    def test_a_path_that_cannot_be_short_enough_is_too_long_before_it_is_decoded(self, part: str) -> None:
        with pytest.raises(TooLong) as raised:
            parse_reference(part * (MAX_BYTES + 1))
        assert raised.value.size == MAX_BYTES + 1

    def test_many_separators_make_few_candidates(self) -> None:
        assert len(parse_reference("a:" * 1000).candidates) <= MAX_CANDIDATES

    def test_candidates_are_never_longer_than_a_prefix_can_be(self) -> None:
        assert [name for name, _ in splits("a" * 128 + ":x")] == ["a" * 128]
        assert splits("a" * 129 + ":x") == []
        assert splits("é" * 64 + ":x")[0] == ("é" * 64, "x")
        assert splits("é" * 65 + ":x") == []


class TestCandidates:
    def test_every_separator_ends_one_shortest_first_and_the_whole_text_is_the_last(self) -> None:
        assert splits("2021/06/mp:x") == [
            ("2021", "06/mp:x"),
            ("2021/06", "mp:x"),
            ("2021/06/mp", "x"),
            ("2021/06/mp:x", ""),
        ]

    def test_names_are_folded_and_identifiers_stored_as_written(self) -> None:
        assert splits("UniProt:P0DP23")[0] == ("uniprot", "P0DP23")

    def test_separators_at_the_end_do_not_make_another_name(self) -> None:
        assert splits("uniprot/")[-1] == splits("uniprot:")[-1] == splits("uniprot")[-1] == ("uniprot", "")

    @pytest.mark.parametrize("path", ["", "/", ":", "//", ":::"])
    def test_nothing_but_separators_names_nothing(self, path: str) -> None:
        assert all(name.strip("/:") == "" and name for name, _ in splits(path))

    @given(anything)
    def test_name_separator_and_identifier_are_the_text(self, text: str) -> None:
        reference = parse_reference(quote(text, safe="/"))
        for candidate in reference.candidates:
            assert candidate.name
            at = len(reference.text) - len(candidate.identifier) - 1
            if candidate.identifier:
                assert reference.text[at] in "/:"
                assert candidate.name == fold(reference.text[:at])

    @given(anything, st.integers(0, 60))
    def test_what_follows_a_position_is_read_as_it_would_be_alone(self, text: str, position: int) -> None:
        position = min(position, len(text))
        rest = parse_reference(quote(text, safe="/")).after(position)
        assert rest == parse_reference(quote(text[position:], safe="/"))

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("10.5281/zenodo.31780", True),
            ("10.1000.10/x", True),
            ("10.1/x", False),
            ("11.1038/x", False),
            ("10.1038", False),
            ("doi:10.1038/x", False),
            ("10.1038:x", False),
        ],
    )
    def test_a_bare_doi_is_recognised_by_its_beginning(self, text: str, expected: bool) -> None:
        assert parse_reference(text).is_doi is expected
