"""PILIN suffixes: milliseconds since 1582 in base 31, reversed."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidLength
from coolid.identifiers.schemes import pilin
from tests.support.builders.samples import SCHEME_VECTORS

counts = st.integers(0, pilin.CAPACITY - 1)


@pytest.mark.parametrize("vector", SCHEME_VECTORS["pilin"]["values"], ids=lambda vector: vector["suffix"])
def test_known_suffixes_and_moments_become_each_other(vector: dict[str, Any]) -> None:
    moment = datetime.fromisoformat(vector["utc"])
    assert pilin.encode(vector["milliseconds"]) == vector["suffix"]
    assert pilin.to_milliseconds(vector["suffix"].lower()) == vector["milliseconds"]
    assert pilin.decode(vector["suffix"]) == moment
    assert pilin.milliseconds_at(moment) == vector["milliseconds"]


def test_alphabet_and_epoch_are_those_of_the_policy() -> None:
    assert SCHEME_VECTORS["pilin"]["alphabet"] == pilin.ALPHABET
    assert datetime.fromisoformat(SCHEME_VECTORS["pilin"]["epoch"]) == pilin.EPOCH


@pytest.mark.parametrize("spelling", SCHEME_VECTORS["pilin"]["invalid"])
def test_known_mistakes_are_refused(spelling: str) -> None:
    assert not pilin.is_valid(spelling)


@given(counts)
def test_digits_stand_in_reverse_order(count: int) -> None:
    digits = [pilin.ALPHABET[count // 31**place % 31] for place in range(9)]
    assert pilin.encode(count) == "".join(digits)


@given(counts)
def test_every_count_comes_back(count: int) -> None:
    suffix = pilin.generate(count)
    assert pilin.is_valid(suffix)
    assert len(suffix) == 9
    assert pilin.to_milliseconds(suffix) == count
    assert pilin.milliseconds_at(pilin.decode(suffix)) == count
    assert pilin.decode(suffix).tzinfo is UTC


@given(st.datetimes(datetime(1582, 10, 15), datetime(2420, 8, 16), timezones=st.just(UTC)))  # noqa: DTZ001 - bounds
def test_a_moment_is_cut_to_its_millisecond(moment: datetime) -> None:
    back = pilin.decode(pilin.encode(pilin.milliseconds_at(moment)))
    assert timedelta(0) <= moment - back < timedelta(milliseconds=1)


def test_neighbouring_milliseconds_differ_at_the_first_place() -> None:
    suffixes = [pilin.encode(13399357792865 + step) for step in range(10)]
    assert all(one[0] != other[0] for one, other in pairwise(suffixes))


@pytest.mark.parametrize("count", [-1, 31**9])
def test_what_does_not_fit_nine_characters_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="do not fit 9 characters"):
        pilin.encode(count)


def test_reasons_say_what_and_where() -> None:
    with pytest.raises(InvalidCharacter) as raised:
        pilin.validate("Y35XYS0AH")
    assert (raised.value.position, raised.value.symbol) == (7, "A")
    with pytest.raises(InvalidLength) as short:
        pilin.validate("Y35XYS0Q")
    assert (short.value.expected, short.value.found) == (9, 8)
