"""Cool DOIs and ROR ids: base32 without check digits, and with those of a LUI of seven symbols."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidCheck, InvalidIdentifier, InvalidLength
from coolid.identifiers.schemes import cooldoi, crockford, lui, ror
from tests.support.builders.samples import SCHEME_VECTORS
from tests.support.fixtures.ports import ScriptedEntropy, SeededEntropy

doi_numbers = st.integers(0, 32**cooldoi.SYMBOLS - 1)
ror_numbers = st.integers(0, ror.CAPACITY - 1)


class TestCrockford:
    @given(st.integers(1, 12).flatmap(lambda symbols: st.tuples(st.integers(0, 32**symbols - 1), st.just(symbols))))
    def test_numbers_and_symbols_become_each_other_digit_by_digit(self, case: tuple[int, int]) -> None:
        number, symbols = case
        digits = [crockford.ALPHABET[number // 32**place % 32] for place in reversed(range(symbols))]
        assert crockford.encode(number, symbols) == "".join(digits)
        assert crockford.decode("".join(digits).upper(), symbols) == number

    @pytest.mark.parametrize(("number", "symbols"), [(-1, 8), (32**8, 8), (0, 0), (0, 13)])
    def test_what_does_not_fit_is_refused(self, number: int, symbols: int) -> None:
        with pytest.raises(ValueError, match="symbols"):
            crockford.encode(number, symbols)

    def test_a_wrong_symbol_behind_an_address_has_its_place_in_the_whole_text(self) -> None:
        with pytest.raises(InvalidCharacter) as raised:
            crockford.symbols_of("https://ror.org/03yrmUc26", 16)
        assert (raised.value.position, raised.value.symbol) == (21, "U")


class TestCoolDoi:
    @pytest.mark.parametrize("vector", SCHEME_VECTORS["cooldoi"]["values"], ids=lambda vector: vector["display"])
    def test_known_integers_and_suffixes_become_each_other(self, vector: dict[str, Any]) -> None:
        assert cooldoi.format(cooldoi.encode(vector["integer"])) == vector["display"]
        assert cooldoi.decode(vector["display"]) == vector["integer"]

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["cooldoi"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not cooldoi.is_valid(spelling)

    @given(doi_numbers)
    def test_it_is_a_lui_without_its_check_digits(self, number: int) -> None:
        assert cooldoi.encode(number) == lui.encode(number)[:-2]
        assert cooldoi.format(cooldoi.encode(number)) == lui.format(lui.encode(number))[:-3]

    @given(doi_numbers)
    def test_generated_identifiers_depend_on_the_random_source(self, number: int) -> None:
        assert cooldoi.decode(cooldoi.generate(ScriptedEntropy(number))) == number

    def test_it_says_how_many_symbols_there_should_be(self) -> None:
        with pytest.raises(InvalidLength, match="it has 10 symbols, not 8"):
            cooldoi.validate("tw0t-ywdj-94")


class TestRor:
    @pytest.mark.parametrize(("key", "number"), SCHEME_VECTORS["ror"]["valid"].items())
    def test_known_identifiers_and_integers_become_each_other(self, key: str, number: int) -> None:
        assert ror.decode(key) == number
        assert ror.encode(number) == key

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["ror"]["also_valid"])
    def test_known_spellings_mean_the_same(self, spelling: str) -> None:
        assert ror.validate(spelling) == "05h2dda38"
        assert ror.format(spelling) == "https://ror.org/05h2dda38"

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["ror"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not ror.is_valid(spelling)

    @given(ror_numbers, st.data())
    def test_any_one_wrong_character_is_caught(self, number: int, data: st.DataObject) -> None:
        key = ror.encode(number)
        position = data.draw(st.integers(0, len(key) - 1))
        wrong = data.draw(st.sampled_from(sorted(set(crockford.ALPHABET) - {key[position]})))
        assert not ror.is_valid(key[:position] + wrong + key[position + 1 :])

    @given(ror_numbers)
    def test_any_two_neighbours_swapped_are_caught(self, number: int) -> None:
        key = ror.encode(number)
        for at in range(len(key) - 1):
            swapped = key[:at] + key[at + 1] + key[at] + key[at + 2 :]
            assert ror.is_valid(swapped) == (swapped == key)

    @given(st.integers(0, 2**32))
    def test_generated_identifiers_are_valid(self, seed: int) -> None:
        assert ror.is_valid(ror.generate(SeededEntropy(seed)))

    def test_the_kinds_of_refusal_are_distinguished(self) -> None:
        for spelling, kind in (
            ("03yrm5c27", InvalidCheck),
            ("03yrm5c2", InvalidLength),
            ("03yrmuc26", InvalidCharacter),
        ):
            with pytest.raises(kind):
                ror.validate(spelling)
        with pytest.raises(InvalidIdentifier, match="begins with 1"):
            ror.validate("13yrm5c26")
        with pytest.raises(ValueError, match="does not fit"):
            ror.encode(32**6)
