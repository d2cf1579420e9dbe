"""Web archives: links to possible copies of locations that are gone, and of no others."""

from datetime import UTC, datetime

import pytest

from coolid.model.locations import archived_urls
from coolid.model.records import INACTIVE, Location
from tests.support.builders.samples import LATER, MOMENT

ARCHIVE = "https://web.archive.org/web/"
PLACE = "https://content.example.org/a?b=c#d"


@pytest.mark.parametrize(
    ("location", "moment"),
    [
        (Location(PLACE, status=INACTIVE), "20250710142230"),
        (Location(PLACE, valid_until="2025-12-31T23:00:00-01:00"), "20260101000000"),
        (Location(PLACE, status=INACTIVE, valid_until="2027-01-01T00:00:00Z"), "20250710142230"),
        (Location(PLACE, valid_from="2020-01-01T00:00:00Z", valid_until="2021-01-01T00:00:00Z"), "20210101000000"),
    ],
)
def test_a_copy_is_sought_of_the_time_when_the_place_was_given_up(location: Location, moment: str) -> None:
    assert archived_urls(ARCHIVE, [location], MOMENT, LATER) == (f"{ARCHIVE}{moment}/{PLACE}",)


def test_nothing_is_sought_without_an_archive_nor_of_what_is_still_to_come() -> None:
    assert archived_urls(None, [Location(PLACE)], MOMENT, LATER) == ()
    assert archived_urls(ARCHIVE, [Location(PLACE, valid_from="2026-02-01T00:00:00Z")], MOMENT, LATER) == ()


def test_a_moment_has_14_digits_however_long_ago() -> None:
    past = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert archived_urls(ARCHIVE, [Location(PLACE)], past, past) == (f"{ARCHIVE}20010203040506/{PLACE}",)
