"""EZID's elements: a record becomes elements and back, whatever clients write and whoever changes it in between."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.dialects.ezid.anvl import format_elements, parse_elements
from coolid.http.dialects.ezid.citation import MEMBER, citation_elements, metadata_with
from coolid.http.dialects.ezid.elements import content_with, elements_of, parse_status
from coolid.http.dialects.ezid.profiles import ELEMENTS
from coolid.model.records import ACTIVE, INACTIVE, RESERVED, WITHDRAWN, Content, Location, Record, Withdrawal
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, json_values, record, repository, text

ARK = "ark:/99999/fk4test"
THERE = "https://content.example.org/there"
DATACITE = (
    '<?xml version="1.0"?>\n<resource xmlns="http://datacite.org/schema/kernel-4">'
    '<identifier identifierType="DOI">(:tba)</identifier>'
    "<creators><creator><creatorName>Lee, Ann</creatorName></creator><creator><creatorName>CERN</creatorName></creator>"
    "</creators><titles><title>Tea &amp; Cake</title></titles><publisher>Press</publisher>"
    '<publicationYear>2024</publicationYear><resourceType resourceTypeGeneral="Image">Photograph</resourceType>'
    "</resource>"
)
CROSSREF = (
    '<doi_batch xmlns="http://www.crossref.org/schema/4.3.4"><body><journal><journal_metadata><full_title>J</full_title>'
    "</journal_metadata><journal_article><titles><title>Madeleines</title></titles><contributors>"
    '<person_name contributor_role="author"><given_name>Marcel</given_name><surname>Proust</surname></person_name>'
    '<person_name contributor_role="editor"><surname>X</surname></person_name></contributors>'
    "<publication_date><year>1922</year></publication_date><doi_data><doi/><resource/></doi_data></journal_article>"
    "</journal></body></doi_batch>"
)
ITEMIZED = [name for names in ELEMENTS.values() for name in names.values()]

values = text.map(str.strip).filter(bool) | st.sampled_from(
    ["Image/Photograph", "Dataset", "Lee, Ann; CERN", "(:unkn)"]
)
names = st.sampled_from(ITEMIZED) | text.map(str.strip).filter(lambda name: name and not name.startswith("_"))
blocks = st.sampled_from(
    [{}, {"datacite": DATACITE}, {"crossref": CROSSREF}, {"erc": "who: Proust\nwhat: Remembrance"}, {"erc": "%"}]
)
citations = st.builds(lambda block, more: {**block, **more}, blocks, st.dictionaries(names, values, max_size=6))
profiles = st.sampled_from(["erc", "dc", "datacite", "crossref", "other"])
own_metadata = st.fixed_dictionaries(
    {},
    optional={
        "who": json_values,
        "what": values,
        "titles": st.just([{"title": "From our API"}]),
        "type": json_values,
        "note": json_values,
        "ezid": json_values | citations,
    },
)


def at_ark(**members: Any) -> Record:
    return replace(record(), pid=f"{BASE_URL}/ark:99999/fk4test", **members)


def written(record: Record, content: Content) -> Record:
    return replace(record, records=content.records, metadata=content.metadata, status=content.status)


def changed(record: Record | None, changes: Mapping[str, str]) -> Record:
    content = content_with(changes, record, repository(), ARK)
    return written(record or at_ark(), content)


@given(citations, profiles)
def test_elements_are_read_as_they_were_written(elements: dict[str, str], profile: str) -> None:
    metadata = metadata_with(elements, profile)
    assert citation_elements(metadata, profile) == elements
    assert parse_elements(format_elements(elements)) == elements
    assert not any(metadata.get(MEMBER, {}).get(name) for name in ELEMENTS.get(profile, {}).values())


@given(own_metadata, profiles, citations)
def test_sent_back_elements_change_nothing_and_others_only_themselves(
    metadata: dict[str, Any], profile: str, more: dict[str, str]
) -> None:
    elements = citation_elements(metadata, profile)
    if isinstance(metadata.get(MEMBER), dict):
        metadata = {**metadata, **metadata_with(elements, profile, metadata)}
    same = metadata_with(elements, profile, metadata)
    assert {**metadata, MEMBER: None} == {**same, MEMBER: None}
    assert citation_elements(metadata_with(elements | more, profile, metadata), profile) == elements | more


@given(citations, profiles, profiles)
def test_another_profile_keeps_all_elements(elements: dict[str, str], one: str, other: str) -> None:
    metadata = metadata_with(elements, one)
    assert citation_elements(metadata_with(elements, other, metadata, one), other) == elements


def test_a_change_by_the_records_api_shows_through() -> None:
    first = changed(None, {"erc.who": "Proust, Marcel", "erc.what": "Remembrance", "note": "a", "_target": THERE})
    assert first.metadata == {"who": "Proust, Marcel", "what": "Remembrance", "ezid": {"note": "a"}}
    ours = replace(first, metadata={**first.metadata, "what": "In Search of Lost Time"}, records=())
    elements = elements_of(ours, repository())
    assert (elements["erc.what"], elements["_target"]) == ("In Search of Lost Time", ours.pid)
    assert changed(ours, elements) == ours
    assert changed(ours, {"erc.when": "1922"}).metadata["what"] == "In Search of Lost Time"


def test_structured_creators_stay_while_their_text_does() -> None:
    creators = [{"name": "Lee, Ann", "affiliation": "CERN"}, "Roe, Jo"]
    ours = at_ark(metadata=MappingProxyType({"who": creators, "titles": [{"title": "Tea"}]}))
    elements = elements_of(ours, repository())
    assert (elements["erc.who"], elements["erc.what"]) == ("Lee, Ann; Roe, Jo", "Tea")
    assert changed(ours, elements).metadata == ours.metadata
    assert changed(ours, {"erc.who": "Lee, Ann"}).metadata["who"] == "Lee, Ann"


@pytest.mark.parametrize(
    ("name", "block", "kernel"),
    [
        (
            "datacite",
            DATACITE,
            {
                "who": "Lee, Ann; CERN",
                "what": "Tea & Cake",
                "when": "2024",
                "publisher": "Press",
                "type": {"resourceTypeGeneral": "Image", "resourceType": "Photograph"},
            },
        ),
        (
            "crossref",
            CROSSREF,
            {"who": "Proust, Marcel", "what": "Madeleines", "when": "1922", "type": "JournalArticle"},
        ),
        ("erc", "who: Proust\nwhat: Remembrance\nWhen: 1922", {"who": "Proust", "what": "Remembrance", "when": "1922"}),
    ],
)
def test_a_block_is_stored_whole_and_fills_empty_members(name: str, block: str, kernel: dict[str, str]) -> None:
    first = changed(None, {name: block})
    assert first.metadata == {"ezid": {name: block}, **kernel}
    elements = elements_of(first, repository())
    assert {each for each in elements if not each.startswith("_")} == {name}
    assert changed(first, elements) == first
    own = changed(first, {"erc.what": "A title of its own"})
    assert own.metadata == {**first.metadata, "what": "A title of its own"}
    assert changed(own, {"erc.what": ""}).metadata == first.metadata
    assert changed(first, {name: ""}).metadata == {}


def test_the_identifier_is_embedded_when_a_document_is_read() -> None:
    elements = elements_of(changed(None, {"datacite": DATACITE}), repository())
    assert f'<identifier identifierType="ARK">{ARK.removeprefix("ark:/")}</identifier>' in elements["datacite"]


@pytest.mark.parametrize(
    "document",
    [
        "no XML",
        "<other/>",
        '<!DOCTYPE resource [<!ENTITY a "b">]><resource>&a;</resource>',
        '<!DOCTYPE resource SYSTEM "https://content.example.org/a.dtd"><resource/>',
        "<resource>" + "<a>" * 200 + "</a>" * 200 + "</resource>",
        "<resource>" + "a" * 300_001 + "</resource>",
        '<?xml version="1.0" encoding="x-none"?><resource',
    ],
)
def test_a_document_that_is_not_safe_xml_is_refused(document: str) -> None:
    with pytest.raises(InvalidInput, match="validation error"):
        content_with({"datacite": document}, None, repository(), ARK)
    assert citation_elements({"ezid": {"datacite": document}}, "datacite") == {"datacite": document}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"_created": "1"}, "_created: this element is not settable"),
        ({"_unknown": "1"}, "_unknown: this element is not settable"),
        ({"_export": "maybe"}, "_export: value must be 'yes' or 'no'"),
        ({"_crossref": "no"}, "_crossref: value must be 'yes'"),
        ({"_profile": "No Name"}, "_profile: it is not the name of a profile"),
        ({"_status": "deleted"}, "_status: it must be public"),
    ],
)
def test_internal_elements_are_checked(changes: dict[str, str], reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        content_with(changes, None, repository(), ARK)


def test_targets_change_in_their_location() -> None:
    first, second = Location(THERE, status=INACTIVE), Location(THERE, language="de", size=5)
    ours = at_ark(records=(first, second))
    moved = changed(ours, {"_target": f"{THERE}/2"})
    assert moved.records == (first, Location(f"{THERE}/2", language="de"))
    assert elements_of(moved, repository())["_target"] == f"{THERE}/2"
    assert changed(ours, {"_target": ""}).records == (first,)
    assert changed(ours, {"_target": ours.pid}).records == (first,)
    default = repository(target="https://content.example.org/{$id}")
    bare = at_ark(records=())
    target = elements_of(bare, default)["_target"]
    assert target == f"https://content.example.org/{bare.id}"
    assert content_with({"_target": target}, bare, default, ARK).records == ()


def test_internal_elements_come_from_the_record() -> None:
    gone = at_ark(status=WITHDRAWN, withdrawn=Withdrawal(LATER, "sold | lost"), updated=LATER)
    elements = elements_of(gone, repository(), "key1")
    assert elements == {
        "_owner": "key1",
        "_ownergroup": gone.repository,
        "_created": str(int(MOMENT.timestamp())),
        "_updated": str(int(LATER.timestamp())),
        "_target": gone.records[0].uri if gone.records[0].status == INACTIVE else gone.pid,
        "_profile": "erc",
        "_status": "unavailable | sold | lost",
        "_export": "yes",
    }
    assert parse_status("unavailable |sold | lost").reason == "sold | lost"
    assert [parse_status(each).status for each in ("", "public", "reserved", "unavailable")] == [
        ACTIVE, ACTIVE, RESERVED, WITHDRAWN,
    ]  # fmt: skip
    first = changed(
        None, {"_export": "no", "_crossref": "Yes", "_profile": "dc", "dc.title": "Tea", "_status": "reserved"}
    )
    assert first.metadata == {"ezid": {"_export": "no", "_crossref": "yes", "_profile": "dc"}, "what": "Tea"}
    assert elements_of(first, repository())["_crossref"] == "yes | awaiting status change to public"
    assert changed(first, {"_export": "yes", "_profile": ""}).metadata == {
        "ezid": {"_crossref": "yes", "dc.title": "Tea"},
        "what": "Tea",
    }
