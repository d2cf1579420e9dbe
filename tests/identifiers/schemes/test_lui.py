"""LUIs: the check digits detect human errors, and all usual spellings are equal."""

import random
from typing import Any

import base32_lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidCheck, InvalidIdentifier, InvalidLength
from coolid.identifiers.schemes import lui
from tests.support.builders.samples import VECTORS, text, widths
from tests.support.fixtures.ports import ScriptedEntropy, SeededEntropy

vectors = VECTORS["lui"]
drawn = widths.flatmap(lambda symbols: st.tuples(st.integers(0, 32**symbols - 1), st.just(symbols)))
CONFUSABLE = {"0": "0oO", "1": "1iIlL"}


@st.composite
def spelled(draw: Any, key: str) -> str:
    """A way in which people may write a key: hyphens anywhere, any case, confusable letters for digits."""
    written = ["-" * draw(st.integers(0, 2))]
    for symbol in key:
        written.append(draw(st.sampled_from(CONFUSABLE.get(symbol, symbol + symbol.upper()))))
        written.append("-" * draw(st.integers(0, 1)))
    return "".join(written)


class TestVectors:
    @pytest.mark.parametrize("vector", vectors["with_checksum"], ids=lambda vector: vector["display"])
    def test_known_integers_and_identifiers_become_each_other(self, vector: dict[str, Any]) -> None:
        integer, symbols, display = vector["integer"], vector["symbols"], vector["display"]
        assert lui.format(lui.encode(integer, symbols)) == display
        assert lui.decode(display, symbols) == integer
        assert lui.is_valid(display, symbols)

    @pytest.mark.parametrize("spelling", vectors["same_integer_as_tw0t-ywdj-94"])
    def test_known_spellings_mean_the_same(self, spelling: str) -> None:
        assert lui.validate(spelling) == "tw0tywdj94"

    @pytest.mark.parametrize("text", vectors["rejected"])
    def test_known_mistakes_are_refused(self, text: str) -> None:
        assert not lui.is_valid(text)
        with pytest.raises(InvalidIdentifier) as raised:
            lui.validate(text)
        assert raised.value.identifier == text

    @pytest.mark.parametrize(("ror", "integer"), vectors["ror"]["valid"].items())
    def test_the_identifiers_of_ror_are_luis_of_seven_symbols(self, ror: str, integer: int) -> None:
        assert lui.decode(ror, 7) == integer
        assert lui.encode(integer, 7) == ror

    @pytest.mark.parametrize("ror", vectors["ror"]["invalid"])
    def test_a_broken_identifier_of_ror_is_refused(self, ror: str) -> None:
        with pytest.raises(InvalidCheck):
            lui.validate(ror, 7)


class TestInverses:
    @given(drawn)
    def test_every_integer_comes_back(self, case: tuple[int, int]) -> None:
        integer, symbols = case
        assert lui.decode(lui.encode(integer, symbols), symbols) == integer

    @pytest.mark.parametrize("symbols", range(1, 13))
    def test_the_least_and_the_greatest_integer_of_each_width_come_back(self, symbols: int) -> None:
        for integer in (0, 1, 31, 32**symbols - 1):
            encoded = lui.encode(integer, symbols)
            assert len(encoded) == symbols + 2
            assert lui.decode(encoded, symbols) == integer

    def test_one_symbol_has_exactly_its_thirty_two_identifiers(self) -> None:
        encoded = [lui.encode(integer, 1) for integer in range(32)]
        assert [identifier[0] for identifier in encoded] == list(lui.ALPHABET)
        assert all(lui.is_valid(identifier, 1) for identifier in encoded)

    @pytest.mark.parametrize(
        ("integer", "symbols"), [(-1, 8), (32**8, 8), (32, 1), (0, 0), (0, 13), (0, -1), (32**12, 12)]
    )
    def test_what_does_not_fit_is_refused(self, integer: int, symbols: int) -> None:
        with pytest.raises(ValueError, match="symbols"):
            lui.encode(integer, symbols)

    @given(drawn)
    def test_formatting_is_undone_by_compacting(self, case: tuple[int, int]) -> None:
        key = lui.encode(*case)
        assert lui.compact(lui.format(key)) == key
        assert lui.format(lui.format(key)) == lui.format(key)
        assert max(map(len, lui.format(key).split("-"))) <= 4

    @given(text)
    def test_compacting_twice_changes_nothing(self, spelling: str) -> None:
        assert lui.compact(lui.compact(spelling)) == lui.compact(spelling)

    @given(st.integers(0, 2**64))
    def test_check_digits_are_two_decimal_digits_that_make_the_number_congruent_to_one(self, integer: int) -> None:
        digits = lui.calc_check_digits(integer)
        assert len(digits) == 2
        assert 2 <= int(digits) <= 98
        assert (integer * 100 + int(digits)) % 97 == 1


class TestSpellings:
    @given(drawn, st.data())
    def test_hyphens_case_and_confusable_letters_never_matter(self, case: tuple[int, int], data: st.DataObject) -> None:
        integer, symbols = case
        spelling = data.draw(spelled(lui.encode(integer, symbols)))
        assert lui.decode(spelling, symbols) == integer
        assert lui.format(spelling) == lui.format(lui.encode(integer, symbols))

    @given(text, widths)
    def test_any_text_is_either_accepted_with_its_key_or_refused_with_a_reason(self, spelling: str, width: int) -> None:
        if lui.is_valid(spelling, width):
            key = lui.validate(spelling, width)
            assert key == lui.compact(spelling) == lui.encode(lui.decode(spelling, width), width)
        else:
            with pytest.raises(InvalidIdentifier) as raised:
                lui.validate(spelling, width)
            assert raised.value.identifier == spelling
            assert str(raised.value)
            assert raised.value.rule in ("alphabet", "length", "check")

    @pytest.mark.parametrize(
        "foreign", ["u", "U", " ", "+", "_", "/", ".", "é", "９", "ſ", "\u212a", "‐", "\u00ad", "\n"]
    )
    def test_a_foreign_character_is_named_with_its_place_in_the_text_as_given(self, foreign: str) -> None:
        with pytest.raises(InvalidCharacter) as raised:
            lui.validate(f"TW-{foreign}Tywdj94")
        assert (raised.value.position, raised.value.symbol) == (3, foreign)

    @pytest.mark.parametrize("spelling", ["", "-", "tw0t-ywdj-9", "tw0t-ywdj-944"])
    def test_hyphens_do_not_count_as_symbols(self, spelling: str) -> None:
        with pytest.raises(InvalidLength) as raised:
            lui.validate(spelling)
        assert (raised.value.expected, raised.value.found) == (10, len(spelling.replace("-", "")))

    def test_the_expected_check_digits_are_in_the_reason(self) -> None:
        with pytest.raises(InvalidCheck) as raised:
            lui.validate("tw0t-ywdj-95")
        assert (raised.value.expected, raised.value.found) == ("94", "95")


class TestSlipsOfThePen:
    @given(drawn, st.data())
    def test_any_one_wrong_character_is_caught(self, case: tuple[int, int], data: st.DataObject) -> None:
        key = lui.encode(*case)
        position = data.draw(st.integers(0, len(key) - 1))
        wrong = data.draw(st.sampled_from(sorted(set(lui.ALPHABET) - {key[position]})))
        assert not lui.is_valid(key[:position] + wrong + key[position + 1 :], case[1])

    @given(drawn)
    def test_any_two_neighbours_swapped_are_caught(self, case: tuple[int, int]) -> None:
        key = lui.encode(*case)
        for position in range(len(key) - 1):
            one, other = key[position], key[position + 1]
            swapped = key[:position] + other + one + key[position + 2 :]
            assert lui.is_valid(swapped, case[1]) == (one == other)

    @given(drawn, st.data())
    def test_a_character_too_few_or_too_many_is_caught(self, case: tuple[int, int], data: st.DataObject) -> None:
        key = lui.encode(*case)
        position = data.draw(st.integers(0, len(key) - 1))
        assert not lui.is_valid(key[:position] + key[position + 1 :], case[1])
        assert not lui.is_valid(key[:position] + "0" + key[position:], case[1])


class TestDrawing:
    @given(drawn)
    def test_generated_identifiers_depend_on_the_random_source(self, case: tuple[int, int]) -> None:
        integer, symbols = case
        assert lui.decode(lui.generate(ScriptedEntropy(integer), symbols), symbols) == integer

    @given(widths, st.integers(0, 2**32))
    def test_generated_identifiers_are_valid(self, symbols: int, seed: int) -> None:
        assert lui.is_valid(lui.generate(SeededEntropy(seed), symbols), symbols)


class TestBesideBase32Lib:
    """The Python peer, where it is right, and where it is wrong and why ours is our own."""

    @given(st.integers(0, 32**8 - 1))
    def test_it_encodes_alike(self, integer: int) -> None:
        theirs = base32_lib.encode(integer, split_every=4, min_length=10, checksum=True)
        assert lui.format(lui.encode(integer)) == theirs

    @given(st.integers(0, 32**8 - 1))
    def test_it_decodes_alike_what_has_no_hyphen_in_its_check_digits(self, integer: int) -> None:
        assert base32_lib.decode(lui.format(lui.encode(integer)), checksum=True) == integer

    def test_it_generates_what_we_accept(self) -> None:
        for _ in range(200):
            assert lui.is_valid(base32_lib.generate(length=10, split_every=4, checksum=True))

    def test_it_cannot_decode_its_own_output_when_a_hyphen_splits_the_check_digits(self) -> None:
        integer = random.Random(7).randrange(32**7)
        theirs = base32_lib.encode(integer, split_every=4, min_length=9, checksum=True)
        assert theirs[-2] == "-"
        with pytest.raises(ValueError, match="Invalid checksum"):
            base32_lib.decode(theirs, checksum=True)
        assert lui.decode(theirs, 7) == integer

    def test_it_reads_signs_spaces_and_digits_of_other_scripts_as_check_digits(self) -> None:
        for wrong in ("0000000195".replace("95", "９５"), "0000-0003-89".replace("89", "８９")):
            assert base32_lib.decode(wrong, checksum=True) in (1, 3)
            assert not lui.is_valid(wrong)

    def test_it_has_no_fixed_width(self) -> None:
        assert base32_lib.decode("195", checksum=True) == 1
        assert not lui.is_valid("195")
        assert lui.is_valid("195", 1)
