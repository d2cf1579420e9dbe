"""What of a source's version a record can have."""

import pytest

from coolid.errors import InvalidInput
from coolid.migration.source_identifiers import SourceVersion
from coolid.migration.version_content import checked_content, withdrawal_of
from coolid.model.records import Location
from tests.support.builders.samples import repository

OWNER = repository("")


def test_values_that_no_record_can_have_are_lost_one_by_one() -> None:
    metadata = {"large": 10**20, "nan": float("nan"), "half": "\ud800", "object": object(), "what": "Harbour"}
    content, losses = checked_content(SourceVersion(metadata=metadata), OWNER)
    assert dict(content.metadata) == {"what": "Harbour"}
    assert [each.name for each in losses] == ["large", "nan", "half", "object"]


def test_members_of_locations_and_alternates_are_lost_where_they_stand() -> None:
    locations = (
        Location("javascript:alert(1)", language="not a language"),
        Location("https://a.example/", valid_from="soon", quality=0.5),
        Location("https://b.example/", checksum={"algorithm": "x" * 300, "value": "1"}),
    )
    alternates = ({"scheme": "doi", "identifier": "10.5072/x"}, {"scheme": "", "identifier": "a"})
    content, losses = checked_content(SourceVersion(locations=locations, alternates=alternates), OWNER)
    assert content.records == (Location("https://a.example/", quality=0.5), Location("https://b.example/"))
    assert [dict(each) for each in content.alternates] == [{"scheme": "doi", "identifier": "10.5072/x"}]
    assert {each.name for each in losses} == {"language", "target", "validFrom", "checksum", "alternate"}


def test_too_many_locations_are_cut() -> None:
    content, losses = checked_content(SourceVersion(locations=(Location("https://a.example/"),) * 103), OWNER)
    assert (len(content.records), len(losses)) == (100, 3)


def test_a_status_that_there_is_not_is_an_error() -> None:
    with pytest.raises(InvalidInput):
        checked_content(SourceVersion(status="gone"), OWNER)


def test_an_invisible_reason_is_none() -> None:
    withdrawal, losses = withdrawal_of(SourceVersion(status="withdrawn", reason="\u200b"))
    assert (withdrawal.reason, losses) == ("withdrawn in the source, which gives no reason", [])
