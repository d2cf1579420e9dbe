"""The shared description: members of every vocabulary, side by side, and what comes back of DataCite's JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from coolid.http.formats.citations import bibtex, csl, ris
from coolid.http.formats.citations.datacite import properties
from coolid.http.formats.description.geography import Coordinates, GeoLocation
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import Access, Description, NameIdentifier
from coolid.http.formats.dublin_core import dublin_core
from coolid.model.records import Record
from tests.support.builders.any_metadata import any_records
from tests.support.builders.complete_record import METADATA, ORCID, ROR, complete_record, texts_in
from tests.support.builders.samples import record


def described(**metadata: Any) -> Description:
    return describe(record(metadata=metadata))


def reread(of: Record) -> Record:
    """Return the record with its DataCite JSON as its metadata."""
    return replace(of, metadata=json.loads(json.dumps(properties(of))))


class TestCreators:
    def test_a_structured_creator_fills_a_plain_name_and_further_names_stay(self) -> None:
        found = described(
            who="Lee, Ann; Roe, Jo",
            creators=[{"name": "Lee, Ann", "affiliation": {"name": "CERN", "affiliationIdentifier": ROR}}],
        )
        assert [each.name for each in found.creators] == ["Lee, Ann", "Roe, Jo"]
        (affiliation,) = found.creators[0].affiliations
        assert affiliation.identifier == NameIdentifier(ROR, "ROR", "https://ror.org")

    @pytest.mark.parametrize(
        ("who", "creator"),
        [
            ("Ann Lee", {"name": "Lee, Ann"}),
            ("Lee, A.", {"givenName": "Ann", "familyName": "Lee"}),
            ("A. Lee", {"name": "Ann Lee"}),
            ("LEE, ANN", {"name": "Lee, Ann"}),
            ("José Martí", {"name": "Marti, Jose"}),
            (ORCID, {"name": "Lee, Ann", "orcid": "0000-0001-5109-3700"}),
            (f"Lee, Ann (ORCID: {ORCID[18:]})", {"name": "Lee, Ann"}),
        ],
    )
    def test_two_forms_of_a_name_are_one_creator(self, who: str, creator: dict[str, Any]) -> None:
        (found,) = described(who=who, creators=[{**creator, "affiliation": "CERN"}]).creators
        assert found.affiliations[0].name == "CERN"

    def test_initials_that_two_creators_share_are_neither(self) -> None:
        found = described(creators=[{"name": "Lee, Ann"}, {"name": "Lee, Amy"}], who="Lee, A.")
        assert [each.name for each in found.creators] == ["Lee, Ann", "Lee, Amy", "Lee, A."]

    def test_two_people_of_one_name_in_one_list_stay_two(self) -> None:
        people = [{"name": "Wang, Wei", "affiliation": "A"}, {"name": "Wang, Wei", "affiliation": "B"}]
        found = described(creators=people, who="Wang, Wei; Wang, Wei").creators
        assert [each.affiliations[0].name for each in found] == ["A", "B"]
        others = [{"name": "Wang, Wei", "orcid": ORCID}], [{"name": "Wang, Wei", "orcid": "0000-0002-1825-0097"}]
        assert len(described(creators=others[0], author=others[1]).creators) == 2

    def test_contributors_keep_their_order(self) -> None:
        roles = ["Editor", "DataCollector", "Editor"]
        found = described(
            contributors=[{"name": each, "contributorType": role} for each, role in zip("ABC", roles, strict=True)]
        )
        assert [each.name for each in found.contributors] == ["A", "B", "C"]

    def test_two_people_of_one_name_and_different_identifiers_stay_two_by_initials(self) -> None:
        people = [
            {"name": "Lee, A.", "orcid": "0000-0001-5109-3700"},
            {"name": "Lee, Ann", "orcid": "0000-0002-1825-0097"},
        ]
        assert len(described(creators=people).creators) == 2

    @pytest.mark.parametrize(
        "creator",
        [
            {"@type": "Person", "name": "Lee, Ann", "sameAs": ORCID},
            {"@type": "Person", "givenName": "Ann", "familyName": "Lee", "@id": ORCID},
            {"@type": "Role", "creator": {"@type": "Person", "name": "Lee, Ann", "identifier": ORCID}},
            {"family": "Lee", "given": "Ann", "ORCID": "http://orcid.org/0000-0001-5109-3700"},
            {
                "person_or_org": {
                    "type": "personal",
                    "family_name": "Lee",
                    "given_name": "Ann",
                    "identifiers": [{"scheme": "orcid", "identifier": "0000-0001-5109-3700"}],
                }
            },
            {"name": "Lee, Ann", "identifier": {"@type": "PropertyValue", "propertyID": "ORCID", "value": ORCID[18:]}},
        ],
    )
    def test_an_orcid_is_read_in_the_shapes_of_all_vocabularies(self, creator: dict[str, Any]) -> None:
        (found,) = described(creator=creator).creators
        assert (found.name, found.orcid) == ("Lee, Ann", ORCID)

    def test_the_particles_and_suffix_of_a_name_stay(self) -> None:
        author = {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van", "suffix": "Jr."}
        (found,) = described(author=author).creators
        assert (found.family, found.given) == ("van Beethoven", "Ludwig Jr.")

    def test_a_publisher_with_a_comma_is_no_person(self) -> None:
        (found,) = described(publisher="Springer, Berlin").publishers
        assert (found.name, found.family) == ("Springer, Berlin", "")

    def test_thousands_are_read_in_time_that_grows_with_their_number(self) -> None:
        assert len(described(who=[f"Lee {number}" for number in range(5000)]).creators) == 5000


class TestMembers:
    def test_plain_and_structured_members_join(self) -> None:
        found = described(
            what="Tea",
            titles=[{"title": "Tea", "lang": "en"}, {"title": "Tee", "titleType": "TranslatedTitle", "lang": "de"}],
            license="https://creativecommons.org/licenses/by/4.0/",
            rightsList=[{"rights": "CC BY 4.0", "rightsUri": "https://creativecommons.org/licenses/by/4.0/"}],
            keywords="tea, milk",
            subjects=[{"subject": "tea", "valueUri": "https://v.example/tea"}],
        )
        assert [(each.text, each.lang) for each in found.titles] == [("Tea", "en"), ("Tee", "de")]
        (rights,) = found.rights
        assert (rights.name, rights.identifier) == ("CC BY 4.0", "CC-BY-4.0")
        assert [(each.text, each.uri) for each in found.subjects] == [("tea", "https://v.example/tea"), ("milk", "")]

    @pytest.mark.parametrize(
        ("metadata", "access"),
        [
            ({"accessRights": "http://purl.org/coar/access_right/c_abf2"}, Access("open")),
            ({"rightsList": [{"rightsUri": "info:eu-repo/semantics/openAccess"}]}, Access("open")),
            ({"rightsList": [{"rights": "info:eu-repo/semantics/closedAccess"}]}, Access("closed")),
            ({"accessRights": "Restricted Access"}, Access("restricted")),
            ({"accessLevel": "non-public"}, Access("closed")),
            ({"conditionsOfAccess": "Ask us", "isAccessibleForFree": False}, Access("", ("Ask us",), is_free=False)),
            (
                {"access": {"record": "public", "embargo": {"active": True, "until": "2030-01-01"}}},
                Access("embargoed", embargo_end="2030-01-01"),
            ),
        ],
    )
    def test_the_access_is_read_from_each_vocabulary(self, metadata: dict[str, Any], access: Access) -> None:
        assert described(**metadata).access == access

    @pytest.mark.parametrize(
        "metadata",
        [
            {"fundingReferences": [{"funderName": "ERC", "awardNumber": "7", "awardTitle": "Leaves"}]},
            {
                "funding": {"@type": "Grant", "identifier": "7", "name": "Leaves", "funder": {"name": "ERC"}},
                "funder": "ERC",
            },
            {"funding": [{"funder": {"name": "ERC"}, "award": {"number": "7", "title": {"en": "Leaves"}}}]},
        ],
    )
    def test_an_award_is_read_from_each_vocabulary(self, metadata: dict[str, Any]) -> None:
        (found,) = described(**metadata).funding
        assert (found.name, found.award_number) == ("ERC", "7")

    def test_a_funder_with_its_identifier_fills_that_of_an_award(self) -> None:
        grant = {"@type": "Grant", "identifier": "7", "funder": {"name": "NSF"}}
        (found,) = described(funding=grant, funder={"name": "NSF", "sameAs": ROR}).funding
        assert (found.identifier, found.award_number) == (ROR, "7")

    @pytest.mark.parametrize(
        ("metadata", "csl_type", "general"),
        [
            ({"types": {"resourceTypeGeneral": "Text", "schemaOrg": "ScholarlyArticle"}}, "article-journal", "Text"),
            ({"type": "article-journal"}, "article-journal", "JournalArticle"),
            ({"resource_type": {"id": "image-photo"}}, "graphic", "Image"),
            ({"types": {"resourceTypeGeneral": "Text"}}, "document", "Text"),
        ],
    )
    def test_the_type_is_read_from_each_vocabulary(self, metadata: dict[str, Any], csl_type: str, general: str) -> None:
        kind = described(**metadata).kind
        assert (kind.csl, kind.general) == (csl_type, general)

    def test_the_source_of_a_document_of_datacite_is_no_related_thing(self) -> None:
        assert described(what="Tea", source="api", schemaVersion="http://datacite.org/schema/kernel-4").related == ()
        assert described(what="Tea", source="Lee 1999").related[0].title == "Lee 1999"

    def test_members_of_inveniordm_have_their_types(self) -> None:
        found = described(
            title="Tea",
            additional_titles=[{"title": "Leaves", "type": {"id": "alternative-title"}}],
            additional_descriptions=[{"description": "Dried", "type": {"id": "methods"}}],
            publication_date="2018-09",
            locations={"features": [{"geometry": {"type": "Point", "coordinates": [-32.9, -60.6]}, "place": "Lima"}]},
            rights=[{"id": "cc-by-4.0", "title": {"de": "Namensnennung", "en": "Attribution"}}],
            dates=[{"date": "1939/1945", "type": {"id": "other"}}],
        )
        assert (found.when, found.title, found.methods) == ("2018-09", "Tea", ("Dried",))
        assert [each.name for each in found.rights] == ["Attribution"]
        assert found.geo_locations == (GeoLocation("Lima", Coordinates("-60.6", "-32.9")),)
        assert {(each.date, each.type) for each in found.dates} >= {("1939/1945", "Other")}

    def test_a_journal_is_read_from_each_vocabulary(self) -> None:
        datacite = {"container": {"title": "Annals", "volume": "7", "issue": "2", "firstPage": "1", "lastPage": "9"}}
        schema = {
            "isPartOf": {
                "@type": "PublicationIssue",
                "issueNumber": "2",
                "isPartOf": {"@type": "PublicationVolume", "volumeNumber": "7", "isPartOf": {"name": "Annals"}},
            },
        }
        csl_item = {"container-title": "Annals", "volume": "7", "issue": 2, "page": "1-9"}
        for metadata in (datacite, schema, csl_item):
            container = described(**metadata).container
            assert (container.title, container.issue) == ("Annals", "2")

    def test_members_of_no_vocabulary_are_named(self) -> None:
        assert described(what="Tea", colour="red").others == ("colour",)
        assert describe(complete_record()).others == ()


class TestRoundTrip:
    def test_a_complete_description_comes_back_from_datacite(self) -> None:
        once, twice = describe(complete_record()), describe(reread(complete_record()))
        assert replace(twice, access=once.access, rights=once.rights) == once
        assert twice.rights[:1] == once.rights  # conditions of access are further statements of rights
        assert (twice.access.level, twice.access.is_free, twice.access.embargo_end) == ("embargoed", True, "2027-01-01")

    @given(any_records)
    def test_datacites_json_comes_back_as_it_was_whatever_the_record_holds(self, any_record: Record) -> None:
        once, twice = properties(any_record), properties(reread(any_record))
        for each in (once, twice):
            each.pop("dates", None)  # the year of registration, where there is no date, becomes the date of issue
        assert twice == once


ELSEWHERE = {
    "0000 0001 2281 955X": "000000012281955X",
    "2024-05-06": "2024/05/06/",
    "Leaves of tea.\nAll measured.": "Leaves of tea",
}
"""Texts that formats write in another spelling."""


@pytest.mark.parametrize("write", [csl.write, bibtex.write, ris.write], ids=["csl", "bibtex", "ris"])
def test_each_text_of_a_complete_record_is_in_each_citation(write: Any) -> None:
    written = bibtex_text(write(complete_record()))
    missing = {each for each in texts_in(METADATA) if each not in written and ELSEWHERE.get(each, each) not in written}
    assert not missing


def bibtex_text(written: str) -> str:
    """Return the text without the escapes of TeX."""
    return written.replace("\\_", "_").replace("\\&", "&").replace("\\#", "#").replace("\\%", "%")


def test_dublin_core_has_each_name_place_and_link_of_a_complete_record() -> None:
    values = {each.value for each in dublin_core(complete_record())}
    for text in ("Lee, Ann", "Roe, Jo", "Doe, Jim", "Tea Archive", "Assam", "Dataset", "text/csv", "12 plates"):
        assert text in values
    assert {"https://doi.org/10.1000/182", "https://c.example.org/all", "embargoed access", "1900/1950"} <= values
