"""Citations, read by third-party parsers, for any metadata."""

import json
import re
from typing import Any, Final

import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from pybtex.database import Entry, parse_string
from pybtex.errors import capture

from coolid.http.errors import UnknownStyle
from coolid.http.formats.catalog import REPRESENTATIONS, forms, has_content
from coolid.http.formats.citations import bibliography, bibtex, csl, datacite, ris
from coolid.http.formats.description.agents import agents
from coolid.http.formats.description.alternate_identifiers import doi_of
from coolid.http.formats.description.metadata_reader import describe, is_citable
from coolid.http.formats.description.work_types import ANY, KINDS
from coolid.http.formats.metadata_terms import TYPES
from coolid.http.formats.metadata_text import line
from coolid.http.message import Request
from coolid.http.parameters import CitationStyle, citation_style
from coolid.http.record_responses import without_metadata
from coolid.model.records import ACTIVE, WITHDRAWN, Location, Record, Withdrawal
from coolid.resolution.content_negotiation import ClientPreferences, choose
from tests.support.builders.any_metadata import DOI_PID, ORCID, PID, any_records, shaped
from tests.support.builders.counters import CountingList
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, record

# What citation-style-language/schema publishes as csl-data.json (1.0.2) of items, as far as we write them.
CSL_TEXTS = {
    *("id", "URL", "DOI", "title", "publisher", "container-title", "volume", "issue", "page", "version", "language"),
    *("keyword", "abstract", "status", "note", "ISSN", "ISBN", "title-short", "number", "edition", "genre"),
    *("medium", "dimensions"),
}
_CSL = """
    article article-journal article-magazine article-newspaper bill book broadcast chapter classic collection dataset
    document entry entry-dictionary entry-encyclopedia figure graphic hearing interview legal_case legislation
    manuscript map motion_picture musical_score pamphlet paper-conference patent performance periodical
    personal_communication post post-weblog regulation report review review-book software song speech standard thesis
    treaty webpage
"""
# DataCite Metadata Schema 4.6, appendix 1, table 7.
_DATACITE = """
    Audiovisual Award Book BookChapter Collection ComputationalNotebook ConferencePaper ConferenceProceeding DataPaper
    Dataset Dissertation Event Image Instrument InteractiveResource Journal JournalArticle Model OutputManagementPlan
    PeerReview PhysicalObject Preprint Project Report Service Software Sound Standard StudyRegistration Text Workflow
    Other
"""
_BIBTEX = """
    article book booklet conference inbook incollection inproceedings manual mastersthesis misc phdthesis proceedings
    techreport unpublished
"""
CSL_TYPES, GENERAL_TYPES, BIBTEX_TYPES = (set(each.split()) for each in (_CSL, _DATACITE, _BIBTEX))

FULL: dict[str, Any] = {
    "creators": [
        {
            "name": "Lee, Ann",
            "nameType": "Personal",
            "givenName": "Ann",
            "familyName": "Lee",
            "nameIdentifiers": [{"nameIdentifier": "0000-0001-5109-3700", "nameIdentifierScheme": "ORCID"}],
            "affiliation": ["CERN"],
        },
        {"name": "European Organization for Nuclear Research, Geneva", "nameType": "Organizational"},
        "van der Berg, José",
    ],
    "titles": [{"title": "Rhythm & {blues}: 100% of A_B"}, {"title": "Rhythmus", "lang": "de"}],
    "publisher": {"name": "Zenodo"},
    "publicationYear": 2019,
    "dates": [{"date": "2018-01-02", "dateType": "Created"}, {"date": "2019-03", "dateType": "Issued"}],
    "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Sound recordings"},
    "subjects": [{"subject": "music"}, {"subject": "rhythm"}],
    "language": "en",
    "version": "2.1",
    "descriptions": [{"description": "All\nof it.", "descriptionType": "Abstract"}],
    "rightsList": [{"rights": "CC BY 4.0", "rightsUri": "https://creativecommons.org/licenses/by/4.0/"}],
    "contributors": [{"name": "Doe, Jo", "contributorType": "Editor"}, {"name": "X", "contributorType": "Sponsor"}],
    "container": {"title": "Annals", "volume": "7", "issue": "2", "firstPage": "1", "lastPage": "9"},
    "relatedIdentifiers": [
        {"relatedIdentifier": "10.1000/182", "relatedIdentifierType": "DOI", "relationType": "Cites"},
        {"relatedIdentifier": "lacks its type"},
    ],
    "fundingReferences": [{"funderName": "ERC", "awardNumber": "1", "unknown": "x"}],
}

NEEDY = [media_type for each in REPRESENTATIONS if each.of_metadata for media_type in (each.media_type, *each.synonyms)]
WHO = "Lee, Ann; European Organization for Nuclear Research, Geneva; van der Berg, José"


def with_metadata(pid: str = PID, /, **members: Any) -> Record:
    return record(pid=pid, metadata=members)


def withdrawn(**members: Any) -> Record:
    gone = Withdrawal(LATER, "Published\nby mistake", "https://new.example/x")
    return record(status=WITHDRAWN, withdrawn=gone, metadata=members)


def read_bibtex(written: str) -> tuple[str, Entry]:
    """The one entry and its key; whatever pybtex complains of is an error."""
    with capture() as complaints:
        database = parse_string(written, "bibtex")
    assert complaints == []
    ((key, entry),) = database.entries.items()
    return key, entry


def plain(value: str) -> str:
    """What a text in BibTeX stands for."""
    written = {escaped: sign for sign, escaped in bibtex.ESCAPES.items()}
    pattern = "|".join(map(re.escape, sorted(written, key=len, reverse=True)))
    return re.sub(pattern, lambda found: written[found[0]], value)


def unbraced(parts: list[str]) -> str:
    """The part of a name that these words are, which may stand in braces."""
    part = " ".join(parts)
    return plain(part[1:-1]) if part.startswith("{") else plain(part)


def read_ris(written: str) -> dict[str, Any]:
    entries: list[dict[str, Any]] = rispy.loads(written)
    (entry,) = entries
    return entry


def check_csl(item: dict[str, Any]) -> None:
    """Valid by csl-data.json: type and id, no other members than these, texts that are texts, names and dates."""
    assert item["type"] in CSL_TYPES
    assert item["id"]
    names, dates = ("author", "editor", "translator"), ("issued", "available-date", "submitted")
    assert item.keys() <= CSL_TEXTS | {"type", "custom", *names, *dates}
    assert all(isinstance(item[name], str) and item[name] for name in CSL_TEXTS & item.keys())
    for name in (each for role in names for each in item.get(role, ())):
        assert name.keys() in ({"literal"}, {"family"}, {"family", "given"})
        assert all(isinstance(part, str) and part for part in name.values())
    issued = item.get("issued", {"literal": "x"})
    if "literal" in issued:
        assert issued.keys() == {"literal"}
        return
    assert issued.keys() == {"date-parts"}
    (parts,) = issued["date-parts"]
    assert 1 <= len(parts) <= 3
    assert all(isinstance(part, int) for part in parts)


def check_datacite(document: dict[str, Any]) -> None:
    """The mandatory properties of the schema, and lists of objects where it has these."""
    assert document["creators"]
    assert all(isinstance(each["name"], str) and each["name"] for each in document["creators"])
    assert document["titles"]
    assert all(isinstance(each["title"], str) and each["title"] for each in document["titles"])
    assert document["publisher"]["name"]
    assert document["types"]["resourceTypeGeneral"] in GENERAL_TYPES
    assert document["schemaVersion"] == "http://datacite.org/schema/kernel-4"
    assert isinstance(document.get("publicationYear", 0), int)
    for each in document.get("dates", ()):
        assert {"date", "dateType"} <= each.keys()
    for each in document.get("relatedIdentifiers", ()):
        assert {"relatedIdentifier", "relatedIdentifierType", "relationType"} <= each.keys()
    for each in document.get("contributors", ()):
        assert {"name", "contributorType"} <= each.keys()
    for name in ("subjects", "dates", "rightsList", "descriptions", "alternateIdentifiers", "fundingReferences"):
        for each in document.get(name, ()):
            assert each
            assert all(isinstance(value, str) for value in each.values())


class TestKinds:
    def test_every_kind_has_a_word_of_each_vocabulary(self) -> None:
        assert {kind.csl for kind in KINDS.values()} <= CSL_TYPES
        assert {kind.bibtex for kind in KINDS.values()} <= BIBTEX_TYPES
        assert {kind.general for kind in KINDS.values()} <= GENERAL_TYPES

    def test_every_general_type_of_datacite_stays_what_it_is(self) -> None:
        assert all(KINDS.get(name.lower(), ANY).general == name for name in GENERAL_TYPES)

    def test_all_names_are_letters_alone_as_they_are_looked_up(self) -> None:
        assert all(re.fullmatch("[a-z]+", name) for name in (*KINDS, *TYPES))

    @pytest.mark.parametrize(
        ("given_type", "words"),
        [
            ("Dataset", ("dataset", "misc", "DATA", "Dataset")),
            ("https://schema.org/ScholarlyArticle", ("article-journal", "article", "JOUR", "JournalArticle")),
            (
                {"resourceTypeGeneral": "ConferencePaper"},
                ("paper-conference", "inproceedings", "CPAPER", "ConferencePaper"),
            ),
            ("PhD-Thesis", ("document", "misc", "GEN", "Other")),
            ("thesis", ("thesis", "phdthesis", "THES", "Dissertation")),
            (["nonsense", "Software"], ("software", "misc", "COMP", "Software")),
            (None, ("document", "misc", "GEN", "Other")),
        ],
    )
    def test_a_type_has_its_word_in_each(self, given_type: Any, words: tuple[str, ...]) -> None:
        kind = describe(with_metadata(type=given_type)).kind
        assert (kind.csl, kind.bibtex, kind.ris, kind.general) == words


class TestAgents:
    @pytest.mark.parametrize(
        ("value", "names"),
        [
            ("Lee, Ann", [("Lee", "Ann")]),
            ("Ann Lee", [("", "")]),
            ("Lee, Ann; Roe, Jo", [("Lee", "Ann"), ("Roe", "Jo")]),
            ("Lee, Ann;", [("Lee", "Ann")]),
            ("Lee; Ann", [("", "")]),
            ("Acme, Inc.", [("", "")]),
            ("King, Martin Luther, Jr.", [("", "")]),
            ({"name": "CERN, Geneva", "@type": "https://schema.org/Organization"}, [("", "")]),
            ({"family": "Lee", "given": "Ann"}, [("Lee", "Ann")]),
            ({"familyName": "Plato"}, [("Plato", "")]),
            ({"name": "Lee, Ann", "nameType": "Personal"}, [("Lee", "Ann")]),
            ({"name": "(:unav)"}, []),
            ("(:unkn)", []),
            ([None, {}, ["Lee, Ann"]], [("Lee", "Ann")]),
            (ORCID, [("", "")]),
        ],
    )
    def test_known_parts_of_a_name_are_used(self, value: Any, names: list[Any]) -> None:
        assert [(each.family, each.given) for each in agents(value)] == names

    def test_an_orcid_in_any_of_its_places_is_the_persons_address(self) -> None:
        for member in (
            {"orcid": "0000-0001-5109-3700"},
            {"@id": ORCID},
            {"nameIdentifiers": [{"nameIdentifier": ORCID}]},
        ):
            (found,) = agents({"name": "Lee, Ann"} | member)
            assert (found.family, found.uri) == ("Lee", ORCID)

    @given(shaped)
    def test_each_has_a_name_on_one_line(self, value: Any) -> None:
        for each in agents(value):
            assert each.name == line(each.name) != ""


class TestWork:
    def test_a_doi_is_the_identifier_itself_or_the_first_of_the_alternates(self) -> None:
        also = ({"scheme": "isbn", "identifier": "1"}, {"scheme": "DOI", "identifier": "https://doi.org/10.1000/ABC"})
        assert doi_of(record(pid=DOI_PID)) == "10.5555/tw0t-ywdj-94"
        assert doi_of(record(pid=DOI_PID, alternates=also)) == "10.5555/tw0t-ywdj-94"
        assert doi_of(record(pid=f"{BASE_URL}/10.5555/a%3Cb")) == "10.5555/a<b"
        assert doi_of(record(alternates=also)) == "10.1000/abc"
        assert doi_of(record(alternates=({"scheme": "doi", "identifier": "nonsense"},))) == ""
        assert doi_of(record()) == ""

    @pytest.mark.parametrize(
        ("members", "issued", "year"),
        [
            ({"when": "20081203"}, (2008, 12, 3), "2008"),
            ({"when": "2024-05-06T07:08:09Z"}, (2024, 5, 6), "2024"),
            ({"when": "2024-05"}, (2024, 5), "2024"),
            ({"when": 1952}, (1952,), "1952"),
            ({"when": "spring 1952"}, (), "1952"),
            ({"when": "long ago"}, (), ""),
            ({"when": "(:unav)", "publicationYear": 2019}, (2019,), "2019"),
            ({"when": "spring", "publicationYear": 2019}, (2019,), "2019"),
            ({"dates": [{"date": "2018", "dateType": "Created"}], "publicationYear": 2019}, (2019,), "2019"),
            ({"dates": [{"date": "2018-01", "dateType": "Issued"}], "publicationYear": 2018}, (2018, 1), "2018"),
            ({"datePublished": "2020-01-31"}, (2020, 1, 31), "2020"),
            ({}, (), ""),
        ],
    )
    def test_it_was_issued_when_the_metadata_says_as_far_as_it_does(
        self, members: dict[str, Any], issued: tuple[int, ...], year: str
    ) -> None:
        work = describe(with_metadata(**members))
        assert (work.issued, work.year) == (issued, year)

    @pytest.mark.parametrize(
        "said", [{"who": "A"}, {"what": "A"}, {"when": "1"}, {"publisher": "A"}, {"description": "A"}]
    )
    def test_there_is_something_to_cite_once_anything_is_known(self, said: dict[str, Any]) -> None:
        assert is_citable(with_metadata(**said))

    @pytest.mark.parametrize(
        "said",
        [{}, {"what": " "}, {"who": "(:unav)", "what": ":unkn", "when": "(:none)"}, {"type": "Dataset"}, {"x": "y"}],
    )
    def test_there_is_nothing_to_cite_where_nothing_is_known(self, said: dict[str, Any]) -> None:
        assert not is_citable(with_metadata(**said))
        assert is_citable(withdrawn(**said))

    @given(any_records)
    def test_that_is_so_exactly_where_a_work_has_any_of_these(self, any_record: Record) -> None:
        work = describe(replace(any_record, status=ACTIVE))
        said = work.titles or work.creators or work.when or work.publisher or work.abstract
        assert is_citable(replace(any_record, status=ACTIVE)) is bool(said)

    def test_of_thousands_of_creators_it_reads_one_at_most(self) -> None:
        for said, looked_at in (({"what": "Tea"}, 0), ({}, 1)):
            crowd = CountingList({"name": f"Lee {number}"} for number in range(5_000))
            assert is_citable(with_metadata(**said, creators=crowd))
            assert crowd.seen == looked_at

    def test_keywords_are_subjects_between_commas(self) -> None:
        assert [each.text for each in describe(with_metadata(keywords="a, b,,a")).subjects] == ["a", "b"]
        listed = describe(with_metadata(subjects=[{"subject": "a, b"}, "c"])).subjects
        assert [each.text for each in listed] == ["a, b", "c"]

    def test_what_is_no_language_tag_is_no_language(self) -> None:
        assert describe(with_metadata(language="de-CH")).language == "de-CH"
        assert describe(with_metadata(language="Swiss German")).language == ""


class TestCsl:
    def test_it_has_all_that_csl_has_words_for(self) -> None:
        assert json.loads(csl.write(with_metadata(DOI_PID, **FULL))) == {
            "type": "dataset",
            "id": DOI_PID,
            "URL": DOI_PID,
            "DOI": "10.5555/tw0t-ywdj-94",
            "title": "Rhythm & {blues}: 100% of A_B",
            "author": [
                {"family": "Lee", "given": "Ann"},
                {"literal": "European Organization for Nuclear Research, Geneva"},
                {"family": "van der Berg", "given": "José"},
            ],
            "editor": [{"family": "Doe", "given": "Jo"}],
            "issued": {"date-parts": [[2019, 3]]},
            "publisher": "Zenodo",
            "container-title": "Annals",
            "volume": "7",
            "issue": "2",
            "page": "1-9",
            "version": "2.1",
            "language": "en",
            "keyword": "music, rhythm",
            "abstract": "All of it.",
            "genre": "Sound recordings",
            "custom": {name: IN_DATACITE[name] for name in MORE_THAN_CSL},
        }

    def test_a_tombstone_says_so(self) -> None:
        item = json.loads(csl.write(withdrawn()))
        assert item["status"] == "withdrawn"
        assert item["note"] == "Withdrawn on 2026-01-02: Published by mistake. Replaced by https://new.example/x"

    @pytest.mark.parametrize(
        ("reason", "returned"),
        [
            ("A duplicate", "A duplicate. Replaced"),
            ("A duplicate.", "A duplicate. Replaced"),
            ("Why not?", "Why not? Replaced"),
            ("Lost …", "Lost … Replaced"),
            ("", "2026-01-02. Replaced"),
        ],
    )
    def test_its_reason_ends_with_one_full_stop(self, reason: str, returned: str) -> None:
        gone = record(status=WITHDRAWN, withdrawn=Withdrawal(LATER, reason, "https://new.example/x"))
        assert f"{returned} by https://new.example/x" in json.loads(csl.write(gone))["note"]

    def test_a_date_that_is_none_is_reported_unchanged(self) -> None:
        assert json.loads(csl.write(with_metadata(when="spring 1952")))["issued"] == {"literal": "spring 1952"}

    @given(any_records)
    def test_it_is_valid_whatever_the_record_holds(self, any_record: Record) -> None:
        check_csl(json.loads(csl.write(any_record)))


class TestBibtex:
    def test_pybtex_reads_all_that_was_given(self) -> None:
        key, entry = read_bibtex(bibtex.write(with_metadata(DOI_PID, **FULL)))
        assert (key, entry.type) == ("10.5555/tw0t-ywdj-94", "misc")
        assert [str(person) for person in entry.persons["author"]] == [
            "Lee, Ann",
            "{European Organization for Nuclear Research, Geneva}",
            "van der Berg, José",
        ]
        assert entry.persons["author"][2].prelast_names == ["van", "der"]
        assert [str(person) for person in entry.persons["editor"]] == ["Doe, Jo"]
        assert {name: plain(value) for name, value in entry.fields.items()} == {
            "title": "Rhythm & {blues}: 100% of A_B",
            "howpublished": "Annals",
            "volume": "7",
            "number": "2",
            "pages": "1--9",
            "publisher": "Zenodo",
            "year": "2019",
            "month": "3",
            "version": "2.1",
            "language": "en",
            "keywords": "music, rhythm",
            "copyright": "CC BY 4.0, CC-BY-4.0, https://creativecommons.org/licenses/by/4.0/",
            "abstract": "All of it.",
            "type": "Sound recordings",
            "orcid-numbers": "Lee, Ann/0000-0001-5109-3700",
            "affiliation": f"Lee, Ann, {ORCID}, CERN",
            "annote": "; ".join((*REMARKS, *REMARKS_ON_FILES)),
            "doi": "10.5555/tw0t-ywdj-94",
            "url": DOI_PID,
        }

    def test_an_entry_has_the_fields_that_its_type_calls_for(self) -> None:
        for kind, name in (
            ("JournalArticle", "journal"),
            ("BookChapter", "booktitle"),
            ("ConferencePaper", "booktitle"),
        ):
            assert name in read_bibtex(bibtex.write(with_metadata(**FULL | {"types": kind})))[1].fields
        assert "school" in read_bibtex(bibtex.write(with_metadata(**FULL | {"types": "Thesis"})))[1].fields
        assert "institution" in read_bibtex(bibtex.write(with_metadata(**FULL | {"types": "Report"})))[1].fields

    def test_a_tombstone_has_a_note(self) -> None:
        _, entry = read_bibtex(bibtex.write(withdrawn(what="Tea")))
        assert plain(entry.fields["note"]).startswith("Withdrawn on 2026-01-02: Published by mistake.")

    @given(any_records)
    def test_pybtex_reads_back_title_year_authors_and_url_whatever_they_are(self, any_record: Record) -> None:
        work = describe(any_record)
        key, entry = read_bibtex(bibtex.write(any_record))
        assert re.fullmatch("[A-Za-z0-9.:/_-]+", key)
        assert plain(entry.fields.get("title", "")) == work.title
        assert plain(entry.fields.get("year", "")) == (work.year or work.when)
        assert entry.fields["url"] == work.pid
        people = entry.persons.get("author", [])
        assert len(people) == len(work.creators)
        for person, agent in zip(people, work.creators, strict=True):
            is_parted = bool(agent.family and agent.given)
            assert unbraced(person.prelast_names + person.last_names) == (agent.family or agent.name)
            assert unbraced(person.first_names + person.middle_names) == (agent.given if is_parted else "")
            assert person.lineage_names == []

    @given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1))
    def test_no_two_pids_have_one_key(self, path: str) -> None:
        here = record(pid=f"{BASE_URL}/{path}")
        key = bibtex.key_of(here, describe(here))
        assert re.sub("_(..)", lambda found: chr(int(found[1], 16)), key) == describe(here).pid.removeprefix(
            BASE_URL + "/"
        )


class TestRis:
    def test_rispy_reads_all_that_was_given(self) -> None:
        assert read_ris(ris.write(with_metadata(DOI_PID, **FULL))) == {
            "type_of_reference": "DATA",
            "title": "Rhythm & {blues}: 100% of A_B",
            "authors": ["Lee, Ann", "European Organization for Nuclear Research, Geneva", "van der Berg, José"],
            "secondary_authors": ["Doe, Jo"],
            "secondary_title": "Annals",
            "volume": "7",
            "number": "2",
            "start_page": "1",
            "end_page": "9",
            "year": "2019",
            "date": "2019/03//",
            "publisher": "Zenodo",
            "edition": "2.1",
            "language": "en",
            "keywords": ["music", "rhythm"],
            "abstract": "All of it.",
            "author_address": f"Lee, Ann, {ORCID}, CERN",
            "type_of_work": "Sound recordings",
            "file_attachments2": "https://content.example.org/v1",
            "notes": [*REMARKS[:4], LICENSE, *REMARKS[4:]],
            "doi": "10.5555/tw0t-ywdj-94",
            "urls": [DOI_PID],
        }

    def test_a_tombstone_has_a_note(self) -> None:
        assert read_ris(ris.write(withdrawn()))["notes"][0].startswith("Withdrawn on 2026-01-02: Published by mistake.")

    @given(any_records)
    def test_no_value_begins_another_line(self, any_record: Record) -> None:
        work = describe(any_record)
        written = ris.write(any_record)
        lines = written.split("\r\n")
        assert lines.pop() == ""
        assert all(re.fullmatch("[A-Z][A-Z0-9]  - [^\x00-\x1f\x7f-\x9f\u2028\u2029]*", line) for line in lines)
        assert [line[:2] for line in lines].count("TY") == [line[:2] for line in lines].count("ER") == 1
        entry = read_ris(written)
        assert entry.get("title", "") == work.title
        assert entry.get("authors", []) == [each.name for each in work.creators]
        assert entry.get("keywords", []) == list(work.subjects)
        assert entry["urls"] == [work.pid]


LICENSE: Final = "License: CC BY 4.0, CC-BY-4.0, https://creativecommons.org/licenses/by/4.0/"
REMARKS: Final = (
    "Title: Rhythmus (de)",
    "Editor: Doe, Jo",
    "Sponsor: X",
    "Created: 2018-01-02",
    "Funding: ERC, award 1",
    "Cites: https://doi.org/10.1000/182",
    "Related: lacks its type",
    "IsPublishedIn: Annals, volume 7, issue 2, pages 1-9",
)
"""What BibTeX and RIS have no field for."""
REMARKS_ON_FILES: Final = ("File: https://content.example.org/v1",)
MORE_THAN_CSL: Final = (
    *("creators", "titles", "contributors", "dates", "relatedIdentifiers", "relatedItems", "rightsList"),
    *("fundingReferences",),
)
IN_DATACITE: Final = {
    "id": DOI_PID,
    "doi": "10.5555/tw0t-ywdj-94",
    "url": "https://c.example/a.csv",
    "creators": [
        {
            "name": "Lee, Ann",
            "nameType": "Personal",
            "givenName": "Ann",
            "familyName": "Lee",
            "nameIdentifiers": [
                {"nameIdentifier": ORCID, "nameIdentifierScheme": "ORCID", "schemeUri": "https://orcid.org"}
            ],
            "affiliation": [{"name": "CERN"}],
        },
        {"name": "European Organization for Nuclear Research, Geneva", "nameType": "Organizational"},
        {
            "name": "van der Berg, José",
            "nameType": "Personal",
            "givenName": "José",
            "familyName": "van der Berg",
        },
    ],
    "titles": FULL["titles"],
    "publisher": {"name": "Zenodo"},
    "publicationYear": 2019,
    "types": {
        "resourceTypeGeneral": "Dataset",
        "resourceType": "Sound recordings",
        "schemaOrg": "Dataset",
        "citeproc": "dataset",
        "bibtex": "misc",
        "ris": "DATA",
    },
    "container": {"title": "Annals", "volume": "7", "issue": "2", "firstPage": "1", "lastPage": "9"},
    "subjects": [{"subject": "music"}, {"subject": "rhythm"}],
    "contributors": [
        {
            "name": "Doe, Jo",
            "nameType": "Personal",
            "givenName": "Jo",
            "familyName": "Doe",
            "contributorType": "Editor",
        },
        {"name": "X", "contributorType": "Sponsor"},
    ],
    "dates": FULL["dates"],
    "language": "en",
    "identifiers": [
        {"identifier": "https://doi.org/10.5555/tw0t-ywdj-94", "identifierType": "DOI"},
        {"identifier": DOI_PID, "identifierType": "URL"},
    ],
    "alternateIdentifiers": [
        {"alternateIdentifier": "ark:12345/x", "alternateIdentifierType": "ark"},
    ],
    "relatedIdentifiers": [FULL["relatedIdentifiers"][0]],
    "relatedItems": [
        {"relatedItemType": "Other", "relationType": "References", "titles": [{"title": "lacks its type"}]},
        {
            "relatedItemType": "Other",
            "relationType": "IsPublishedIn",
            "titles": [{"title": "Annals"}],
            "volume": "7",
            "issue": "2",
            "firstPage": "1",
            "lastPage": "9",
        },
    ],
    "formats": ["text/csv"],
    "sizes": ["7 bytes"],
    "version": "2.1",
    "rightsList": [
        {
            "rights": "CC BY 4.0",
            "rightsUri": "https://creativecommons.org/licenses/by/4.0/",
            "rightsIdentifier": "CC-BY-4.0",
            "rightsIdentifierScheme": "SPDX",
            "schemeUri": "https://spdx.org/licenses/",
        }
    ],
    "descriptions": [{"description": "All\nof it.", "descriptionType": "Abstract"}],
    "fundingReferences": [{"funderName": "ERC", "awardNumber": "1"}],
    "schemaVersion": "http://datacite.org/schema/kernel-4",
}
"""The record with `FULL` as its metadata."""


class TestDataCite:
    def test_it_has_all_that_was_given_in_datacites_own_words(self) -> None:
        given_record = record(
            pid=DOI_PID,
            metadata=FULL,
            alternates=({"scheme": "ark", "identifier": "ark:12345/x"},),
            records=(Location("https://c.example/a.csv", media_type="text/csv", size=7),),
        )
        document = json.loads(datacite.write(given_record))
        check_datacite(document)
        assert document == IN_DATACITE

    def test_the_kernels_words_and_schema_orgs_are_put_into_its_shape(self) -> None:
        returned = {
            "who": "Lee, Ann",
            "what": "Tea",
            "when": "spring 1952",
            "keywords": "a, b",
            "license": "https://l.example/",
        }
        document = json.loads(datacite.write(with_metadata(**returned, description="D")))
        assert document["titles"] == [{"title": "Tea"}]
        assert document["publicationYear"] == 1952
        assert document["dates"] == [{"date": "1952", "dateType": "Issued", "dateInformation": "spring 1952"}]
        assert document["subjects"] == [{"subject": "a"}, {"subject": "b"}]
        assert document["rightsList"] == [{"rightsUri": "https://l.example/"}]
        assert document["descriptions"] == [{"description": "D", "descriptionType": "Abstract"}]
        assert document["url"] == "https://content.example.org/v1"

    def test_what_has_to_be_there_and_is_not_known_is_said_to_be_unavailable(self) -> None:
        document = json.loads(datacite.write(with_metadata(what="Tea")))
        assert document["creators"] == [{"name": ":unav"}]
        assert document["publisher"] == {"name": ":unav"}
        assert document["publicationYear"] == MOMENT.year

    def test_a_tombstone_says_when_it_was_withdrawn_and_what_took_its_place(self) -> None:
        document = json.loads(datacite.write(withdrawn(what="Tea")))
        (date,) = document["dates"]
        assert (date["date"], date["dateType"]) == ("2026-01-02T03:04:05Z", "Withdrawn")
        assert document["relatedIdentifiers"] == [
            {
                "relatedIdentifier": "https://new.example/x",
                "relatedIdentifierType": "URL",
                "relationType": "IsObsoletedBy",
            }
        ]

    @given(any_records)
    def test_its_structure_holds_whatever_the_record_holds(self, any_record: Record) -> None:
        check_datacite(json.loads(datacite.write(any_record)))


class TestCitation:
    @pytest.mark.parametrize(
        ("members", "line"),
        [
            (FULL, f"{WHO} (2019): Rhythm & {{blues}}: 100% of A_B. Version 2.1. Annals 7 (2). Zenodo. Dataset. {PID}"),
            ({"what": "Why?"}, f"Why? {PID}"),
            ({"who": "CERN"}, f"CERN: {PID}"),
            ({"when": "spring"}, f"(spring): {PID}"),
            ({}, PID),
        ],
    )
    def test_it_is_as_datacite_recommends(self, members: dict[str, Any], line: str) -> None:
        assert bibliography.write(with_metadata(**members)) == f"{line}\n"

    def test_a_tombstone_says_so(self) -> None:
        assert bibliography.write(withdrawn(what="Tea")).startswith(
            f"Tea. {PID} [Withdrawn on 2026-01-02: Published by"
        )

    @given(any_records)
    def test_it_is_one_line_that_ends_in_the_link_or_that_it_is_gone(self, any_record: Record) -> None:
        written = bibliography.write(any_record)
        assert len(written.splitlines()) == 1
        assert describe(any_record).pid in written
        if any_record.status == ACTIVE:
            assert written.endswith(f"{describe(any_record).pid}\n")


class TestWishes:
    @pytest.mark.parametrize(
        ("accept", "style"),
        [
            ("text/x-bibliography", "text"),
            ("text/x-bibliography; style=bibtex", "bibtex"),
            ('text/x-bibliography;locale=de; style="RIS"', "ris"),
            ("text/x-bibliography; style=apa, */*", "apa"),
            ("text/x-bibliography; style=zoologica, */*", "text"),
            ("text/x-bibliography; style=ris;q=0.1, text/x-bibliography; style=csl;q=0.2", "csl"),
            ("text/html, text/x-bibliography-like; style=ris", "text"),
            ("", "text"),
        ],
    )
    def test_a_style_is_a_parameter_of_the_media_type(self, accept: str, style: str) -> None:
        assert citation_style(Request("GET", "/", headers={"accept": accept})).name == style

    def test_the_address_comes_before_it(self) -> None:
        headers = {"accept": "text/x-bibliography; style=ris; locale=fr-FR"}

        def chosen(*query: tuple[str, str]) -> CitationStyle:
            return citation_style(Request("GET", "/", query=query, headers=headers))

        assert chosen() == CitationStyle("ris", "fr-fr")
        assert chosen(("style", "BibTeX")) == CitationStyle("bibtex", "fr-fr")
        assert chosen(("style", "MLA"), ("locale", "de")) == CitationStyle("mla", "de")
        assert chosen(("format", "citation")) == CitationStyle("text", None)
        for other in ("apa-1", "", "linkid"):
            with pytest.raises(UnknownStyle, match=r"apa, .*vancouver"):
                chosen(("style", other))

    @given(
        st.lists(
            st.tuples(st.sampled_from([*NEEDY, "text/html", "application/ld+json", "text/*", "*/*"]), st.floats(0, 1))
        )
        | st.none(),
        st.lists(
            st.builds(Location, st.just("https://c.example/"), media_type=st.none() | st.sampled_from(NEEDY)),
            max_size=2,
        ),
    )
    def test_without_metadata_nothing_of_metadata_is_chosen(
        self, types: list[tuple[str, float]] | None, places: list[Location]
    ) -> None:
        offers = forms(is_signed=False).offers
        wishes = ClientPreferences(types=None if types is None else tuple(types))
        chosen = choose(places, offers, without_metadata(wishes))
        assert not isinstance(chosen, str) or has_content(chosen, record())


def test_the_same_record_is_always_cited_the_same() -> None:
    given_record = with_metadata(DOI_PID, **FULL)
    later = record(pid=DOI_PID, metadata=FULL, version=2, created=MOMENT, updated=LATER)
    for module in (csl, bibtex, ris, bibliography):
        assert module.write(given_record) == module.write(later)


def test_styles_print_a_medium_but_no_media_type() -> None:
    item = json.loads(csl.write(record(metadata={"what": "Tea", "formats": ["text/csv", "CD"]})))
    assert (item["medium"], item["custom"]["formats"]) == ("CD", ["text/csv", "CD"])
