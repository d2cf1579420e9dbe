"""ISBN, ISSN, ISNI and ORCID: digits with a check character, and where python-stdnum's reading of them is too lax."""

from types import ModuleType

import pytest
import stdnum.isbn
import stdnum.isni
import stdnum.issn
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidCheck, InvalidIdentifier, InvalidLength
from coolid.identifiers.schemes import isbn, isni, issn, orcid
from tests.support.builders.samples import SCHEME_VECTORS


def numbered(module: ModuleType, digits: int, front: str = "") -> st.SearchStrategy[str]:
    """Valid numbers of a scheme, check character included, without hyphens."""
    rest = st.text("0123456789", min_size=digits - len(front), max_size=digits - len(front)).map(
        lambda end: front + end
    )
    return rest.map(lambda number: number + module.calc_check_digit(number))


isbns_of_ten = numbered(isbn, 9)
isbns_of_thirteen = numbered(isbn, 12, "978") | numbered(isbn, 12, "9791")
issns = numbered(issn, 7)
isnis = numbered(isni, 15)


def one_wrong(number: str, module: ModuleType) -> None:
    """Every other digit at every place, and `X` at the last, must be caught."""
    for at, digit in enumerate(number):
        for wrong in "0123456789X":
            if wrong != digit:
                assert not module.is_valid(number[:at] + wrong + number[at + 1 :])


def swapped(number: str) -> list[tuple[str, str, str]]:
    """Every swap of neighbours that differ: the text, and the two."""
    return [
        (number[:at] + number[at + 1] + number[at] + number[at + 2 :], number[at], number[at + 1])
        for at in range(len(number) - 1)
        if number[at] != number[at + 1]
    ]


class TestIsbn:
    @pytest.mark.parametrize(("spelling", "display"), SCHEME_VECTORS["isbn"]["pairs"])
    def test_known_numbers_have_the_thirteen_digits_of_their_form_for_people(self, spelling: str, display: str) -> None:
        key = display.replace("-", "")
        assert isbn.validate(spelling) == isbn.compact(spelling) == isbn.validate(display) == key
        assert isbn.format(spelling) == display

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["isbn"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not isbn.is_valid(spelling)

    @given(isbns_of_thirteen)
    def test_any_one_wrong_digit_of_thirteen_is_caught(self, number: str) -> None:
        one_wrong(number, isbn)

    @given(isbns_of_thirteen)
    def test_neighbours_swapped_are_caught_unless_they_differ_by_five(self, number: str) -> None:
        for wrong, one, other in swapped(number):
            if abs(int(one) - int(other)) != 5:
                assert not isbn.is_valid(wrong)

    @given(isbns_of_ten)
    def test_any_one_wrong_digit_of_ten_and_any_swap_of_neighbours_is_caught(self, number: str) -> None:
        one_wrong(number, isbn)
        for wrong, _, _ in swapped(number):
            assert not isbn.is_valid(wrong)

    @given(isbns_of_ten | isbns_of_thirteen)
    def test_formatting_parsing_and_validating_agree(self, number: str) -> None:
        key = isbn.validate(number)
        assert isbn.validate(isbn.format(number)) == key
        assert "".join(str(isbn.parse(number)).split("-")) == key
        assert key == stdnum.isbn.validate(number, convert=True)

    def test_a_ten_digit_number_that_is_wrong_stays_of_ten_digits(self) -> None:
        assert isbn.compact("0-14-029161-1") == "0140291611"

    @pytest.mark.parametrize(
        "wrong", ["9790260000438", "978‐0‐471‐11709‐4", " 978 0 471 11709 4\n", "\uff19780471117094", "471117099"]
    )
    def test_python_stdnum_takes_printed_music_spaces_look_alikes_and_nine_digits_and_we_do_not(
        self, wrong: str
    ) -> None:
        assert stdnum.isbn.is_valid(wrong)
        assert not isbn.is_valid(wrong)

    def test_reasons_say_what_is_wrong(self) -> None:
        with pytest.raises(InvalidIdentifier, match="it has 9 digits; an ISBN has 10 or 13"):
            isbn.validate("014029161")
        with pytest.raises(InvalidIdentifier, match="begins neither with 978"):
            isbn.validate("9790260000438")
        with pytest.raises(InvalidCharacter) as raised:
            isbn.validate("isbn:0-14-X29161-X")
        assert raised.value.position == 10


class TestIssn:
    @pytest.mark.parametrize("display", SCHEME_VECTORS["issn"]["valid"])
    def test_known_numbers_are_valid_in_every_form(self, display: str) -> None:
        key = display.replace("-", "")
        for spelling in (display, key, key.lower(), f"ISSN:{display}", f"urn:issn:{display}"):
            assert issn.validate(spelling) == issn.compact(spelling) == key
            assert issn.format(spelling) == display

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["issn"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not issn.is_valid(spelling)

    @given(issns)
    def test_any_one_wrong_digit_and_any_swap_of_neighbours_is_caught(self, number: str) -> None:
        one_wrong(number, issn)
        for wrong, _, _ in swapped(number):
            assert not issn.is_valid(wrong)

    @pytest.mark.parametrize("wrong", ["0378 5955", "0378–5955", "\n03785955"])
    def test_python_stdnum_takes_spaces_and_look_alikes_and_we_do_not(self, wrong: str) -> None:
        assert stdnum.issn.is_valid(wrong)
        assert not issn.is_valid(wrong)


class TestIsniAndOrcid:
    @pytest.mark.parametrize("display", SCHEME_VECTORS["isni"]["valid"])
    def test_known_isnis_are_valid_in_every_form(self, display: str) -> None:
        key = display.replace(" ", "")
        for spelling in (display, key, key.lower(), f"ISNI:{key}", f"ISNI {display}", f"https://isni.org/isni/{key}"):
            assert isni.validate(spelling) == isni.compact(spelling) == key
            assert isni.format(spelling) == display

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["isni"]["invalid"])
    def test_known_mistakes_in_isnis_are_refused(self, spelling: str) -> None:
        assert not isni.is_valid(spelling)

    @pytest.mark.parametrize("display", SCHEME_VECTORS["orcid"]["valid"])
    def test_known_orcids_are_valid_in_every_form(self, display: str) -> None:
        key = display.replace("-", "")
        for spelling in (
            display,
            key,
            display.lower(),
            f"orcid:{key}",
            f"https://orcid.org/{display}",
            f"orcid.org/{display}",
        ):
            assert orcid.validate(spelling) == orcid.compact(spelling) == isni.validate(key) == key
            assert orcid.format(spelling) == display

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["orcid"]["invalid"])
    def test_known_mistakes_in_orcids_are_refused(self, spelling: str) -> None:
        assert not orcid.is_valid(spelling)

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["orcid"]["not_reserved"])
    def test_isnis_outside_the_blocks_of_orcid_are_valid(self, spelling: str) -> None:
        assert orcid.is_valid(spelling)

    @given(isnis)
    def test_any_one_wrong_digit_and_any_swap_of_neighbours_is_caught(self, number: str) -> None:
        for module in (isni, orcid):
            one_wrong(number, module)
            for wrong, _, _ in swapped(number):
                assert not module.is_valid(wrong)

    @pytest.mark.parametrize("wrong", ["0000 00012281955X", "0000–0001–2281–955X", "000000012281955X\n"])
    def test_python_stdnum_takes_spaces_anywhere_and_look_alikes_and_we_do_not(self, wrong: str) -> None:
        assert stdnum.isni.is_valid(wrong)
        assert not isni.is_valid(wrong)
        assert not orcid.is_valid(wrong)

    def test_the_kinds_of_refusal_are_distinguished(self) -> None:
        with pytest.raises(InvalidCheck) as raised:
            orcid.validate("0000-0002-1825-0098")
        assert (raised.value.expected, raised.value.found) == ("7", "8")
        with pytest.raises(InvalidLength) as short:
            orcid.validate("https://orcid.org/0000-0002-1825-009")
        assert (short.value.expected, short.value.found) == (16, 15)
        with pytest.raises(InvalidCharacter) as foreign:
            orcid.validate("https://orcid.org/0000-0002-1825 0097")
        assert foreign.value.position == 32
