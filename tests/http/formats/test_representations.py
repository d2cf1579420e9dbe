"""Representations: each is well formed for any record, and all have the same content."""

import json
import re
from types import MappingProxyType
from typing import Any

import pytest
from httplink import parse_link_header
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rdflib import RDF, Graph, Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.plugins.shared.jsonld.util import norm_url

from coolid.http.formats import erc, linkset, metadata_terms
from coolid.http.formats.catalog import REPRESENTATIONS, for_media_type, for_name
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.linked_data import dcat, schemaorg, turtle
from coolid.http.formats.linked_data.nodes import DATES, LINKS, NAMESPACES, SCHEMA
from coolid.http.formats.linkset import MAX_LINKSET_BYTES
from coolid.http.formats.representation import LINK_SETS, Representation
from coolid.http.formats.uris import escape, uri_of
from coolid.model.records import WITHDRAWN, Location, Record, Withdrawal
from tests.support.builders.samples import BASE_URL, LATER, json_values, record, records_with, strings, text

PID = record().pid
ORCID = "https://orcid.org/0000-0001-5109-3700"

# What schema.org publishes under the address of our context, as far as we use it.
CONTEXT: dict[str, Any] = {
    "@vocab": SCHEMA,
    **NAMESPACES,
    **{name: {"@type": "@id"} for name in LINKS},
    **{name: {"@type": "Date"} for name in DATES},
}

# Metadata under the names that are read, with whatever value; and what a hostile or helpless client might write.
MEMBERS = (
    *("who", "what", "when", "where", "how", "type", "license", "creators", "titles", "rightsList", "types", "author"),
    *("name", "title", "@id", "id", "uri", "nameIdentifiers", "value", "identifier", "@value", "givenName", "dates"),
)
awkward = st.sampled_from(
    [
        *("https://a.example/<b>", "https://a.example/\n", "http://[::1]/", "https://[", "https://a.example/\\u003e"),
        *('"""', "\\", "a\nwho: b", "# c", "(:unav)", "%", "%0a", "]", "@prefix", "_:b0", "2024-05-06", ORCID, "\x00"),
        *("0000-0001-5109-3700", "Dataset", "https://schema.org/Book", "\u2028erc:", "\x85when: 1", "\ud7ff\U0010ffff"),
    ]
)
leaves = json_values | awkward
shaped = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=4),
    max_leaves=6,
)
metadata = st.dictionaries(st.sampled_from(MEMBERS) | text, shaped, max_size=5).map(MappingProxyType)
alternates = st.lists(
    st.fixed_dictionaries(
        {"scheme": st.sampled_from(["doi", "ark", "hdl", "Handle", "isbn", "url"]) | text, "identifier": awkward | text}
        | {"identifier": st.sampled_from(["10.1000/182", "ark:/12345/x5", "10.1/<>", "1/%"]) | awkward | text}
    ),
    max_size=3,
).map(tuple)
described = records_with(metadata=metadata, alternates=alternates)


def with_metadata(**members: Any) -> Record:
    return record(metadata=members)


CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
OTHERS = [each for each in REPRESENTATIONS if not each.is_whole]
"""The forms that say less than the record's own document."""


@pytest.mark.parametrize("others", [{}, {"what": "Tea", "who": "Lee, Ann", "when": "2024"}])
def test_only_the_record_itself_contains_its_custody(others: dict[str, Any]) -> None:
    member = {"offer": {"to": "https://b.example", "at": "2026-10-08T12:00:00Z"}, "transfers": [{"from": BASE_URL}]}
    plain = record(metadata=others, proof="e.y.J")
    offered = replace(plain, metadata={**others, "linkid": member})
    written, again = ([each.write(of) for each in OTHERS if each.available(of)] for of in (plain, offered))
    assert written == again


def controlled(sign: str, status: str) -> Record:
    """Return a record with the sign inside of each text that a form reads."""
    text = f"a{sign}b"
    said = {
        "who": [
            text,
            f"F{sign}x, G{sign}y",
            {"name": text, "givenName": text, "familyName": text, "affiliation": text},
        ],
        "creators": [{"name": text, "nameType": "Personal"}],
        "contributors": [{"name": text, "contributorType": text}],
        "titles": [{"title": text, "lang": text}],
        "descriptions": [{"description": text, "descriptionType": text}],
        "subjects": [{"subject": text, "subjectScheme": text}],
        "dates": [{"date": text, "dateType": text, "dateInformation": text}],
        "rightsList": [{"rights": text, "rightsUri": text}],
        "relatedIdentifiers": [{"relatedIdentifier": text, "relatedIdentifierType": text, "relationType": text}],
        "fundingReferences": [{"funderName": text, "awardTitle": text}],
        "container": dict.fromkeys(("title", "volume", "issue", "firstPage", "lastPage"), text),
        "types": {"resourceType": text, "resourceTypeGeneral": text},
    }
    plain = ("what", "when", "how", "type", "license", "publisher", "version", "language", "keywords", "editor")
    return record(
        status=status,
        metadata={**said, **dict.fromkeys(plain, text)},
        alternates=({"scheme": text, "identifier": text},),
        records=(Location("https://a.example/", media_type=text, language=text, version=text),),
        withdrawn=Withdrawal(LATER, text, text) if status == WITHDRAWN else None,
        proof="a.b.c",
    )


def statements(written: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(written)
    return document


def graph_of_turtle(written: str) -> Graph:
    return Graph().parse(data=written, format="turtle")


def graph_of_jsonld(written: str) -> Graph:
    document = statements(written) | {"@context": CONTEXT}
    return Graph().parse(data=json.dumps(document), format="json-ld")


def as_rdflib_writes_links(graph: Graph) -> Graph:
    """rdflib's JSON-LD reader, unlike its Turtle reader, folds `..` and `//` out of absolute links."""
    folded = Graph()
    for triple in graph:
        folded.add(
            tuple(URIRef(norm_url("", str(term))) if isinstance(term, URIRef) else term for term in triple)  # type: ignore[arg-type]
        )
    return folded


def elements(citation: str) -> list[tuple[str, str]]:
    """ANVL's elements, by all that could end a line."""
    lines = citation.splitlines()
    assert all(line and line[0] not in " \t#" for line in lines)
    return [(label, value.removeprefix(" ")) for label, _, value in (line.partition(":") for line in lines)]


class TestTable:
    def test_each_name_alias_and_media_type_is_of_one_representation(self) -> None:
        names = [name for each in REPRESENTATIONS for name in (each.name, *each.aliases)]
        types = [media_type for each in REPRESENTATIONS for media_type in (each.media_type, *each.synonyms)]
        assert len(set(names)) == len(names)
        assert len(set(types)) == len(types)

    @pytest.mark.parametrize(
        ("name", "content_type"),
        [
            ("linkid", "application/linkid+json"),
            ("json", "application/linkid+json"),
            ("linkset", "application/linkset+json"),
            ("links", "application/linkset"),
            ("jsonld", "application/ld+json"),
            ("ttl", "text/turtle; charset=utf-8"),
            ("turtle", "text/turtle; charset=utf-8"),
            ("erc", "text/plain; charset=utf-8"),
            ("text", "text/plain; charset=utf-8"),
            ("jws", "application/jose"),
            ("csl", "application/vnd.citationstyles.csl+json"),
            ("bibtex", "application/x-bibtex"),
            ("ris", "application/x-research-info-systems"),
            ("datacite", "application/vnd.datacite.datacite+json"),
            ("datacite-xml", "application/vnd.datacite.datacite+xml"),
            ("citation", "text/x-bibliography; charset=utf-8"),
        ],
    )
    def test_a_format_has_its_media_type(self, name: str, content_type: str) -> None:
        found = for_name(name)
        assert found is not None
        assert found.content_type == content_type
        assert for_media_type(content_type.partition(";")[0].upper()) is found

    def test_the_document_is_preferred_and_answers_plain_json(self) -> None:
        assert for_media_type("application/json") is REPRESENTATIONS[0]
        assert REPRESENTATIONS[0].name == "linkid"
        assert REPRESENTATIONS[0].is_whole

    @pytest.mark.parametrize("other", ["html", "pdf", "", "LINKID"])
    def test_what_is_not_in_it_has_no_representation(self, other: str) -> None:
        assert for_name(other) is None
        assert for_media_type(other) is None

    @given(described)
    def test_every_representation_can_be_written_of_every_record(self, any_record: Record) -> None:
        for each in REPRESENTATIONS:
            if each.available(any_record):
                each.write(any_record).encode()


class TestControlCharacters:
    """Only the signed document has them, as they were written: any change would be another record."""

    def controls_in(self, each: Representation, of: Record) -> set[str]:
        """Return the control characters in a form of a record, except line ends, and tabs in JSON."""
        body = each.write(of)
        found = set(CONTROLS.findall(body.replace("\r\n", "") if each.name == "ris" else body)) - {"\n"}
        if not each.essence.endswith("json"):
            return found
        inner = {sign for string in strings(statements(body)) for sign in CONTROLS.findall(string)}
        return found | (inner - {"\t", "\n", "\r"})

    @pytest.mark.parametrize("each", OTHERS, ids=lambda each: each.name)
    @pytest.mark.parametrize("status", ["active", WITHDRAWN])
    def test_none_of_a_member_that_is_read_is_written(self, each: Representation, status: str) -> None:
        for sign in map(chr, (*range(0x20), *range(0x7F, 0xA0))):
            assert not self.controls_in(each, controlled(sign, status))

    @given(described)
    def test_none_is_written_whatever_the_record_holds(self, any_record: Record) -> None:
        found = {each.name: self.controls_in(each, any_record) for each in OTHERS if each.available(any_record)}
        assert not any(found.values()), found

    def test_a_text_is_otherwise_as_it_was(self) -> None:
        assert list(metadata_terms.texts("a\tb\nc \u200fd\u202e\xa0e")) == ["a\tb\nc \u200fd\u202e\xa0e"]
        assert list(metadata_terms.texts("\x00\x9f")) == []

    def test_the_signed_document_is_whole(self) -> None:
        of = controlled("\x00\x85", "active")
        assert statements(REPRESENTATIONS[0].write(of)) == of.to_document()


class TestLinkId:
    @given(described)
    def test_it_is_the_document_of_the_record(self, any_record: Record) -> None:
        assert Record.from_document(json.loads(REPRESENTATIONS[0].write(any_record))) == any_record


class TestProof:
    def test_it_is_the_proof_of_a_record_that_has_one(self) -> None:
        signed = record(proof="eyJ.eyJ.sig")
        found = for_name("jws")
        assert found is not None
        assert found.available(signed)
        assert found.write(signed) == "eyJ.eyJ.sig"

    def test_a_record_from_before_there_were_proofs_has_none(self) -> None:
        found = for_name("jws")
        assert found is not None
        assert not found.available(record())
        assert "format=jws" not in linkset.write_json(record(), REPRESENTATIONS)
        assert "format=jws" in linkset.write_json(record(proof="e.e.s"), REPRESENTATIONS)
        assert "format=jws" not in linkset.write_text(record(), REPRESENTATIONS)


class TestLinkset:
    def context(self, any_record: Record) -> dict[str, Any]:
        contexts: list[dict[str, Any]] = statements(linkset.write_json(any_record, REPRESENTATIONS))["linkset"]
        return contexts[0]

    def test_it_contains_all_possible_links(self) -> None:
        described = record(
            records=(
                Location("https://c.example/a.pdf", media_type="application/pdf; version=1.7", language="en"),
                Location("https://c.example/old", status="inactive"),
            ),
            metadata={"type": "Dataset", "license": "https://l.example/", "who": ["A", ORCID]},
            alternates=({"scheme": "doi", "identifier": "10.1000/182"}, {"scheme": "isbn", "identifier": "1"}),
        )
        assert self.context(described) == {
            "anchor": PID,
            "cite-as": [{"href": PID}],
            "linkset": [{"href": f"{PID}?format=links", "type": "application/linkset"}],
            "describedby": [
                {"href": f"{PID}?format={each.name}", "type": each.essence}
                for each in REPRESENTATIONS
                if each.media_type not in LINK_SETS and each.available(described)
            ],
            "type": [{"href": "https://schema.org/Dataset"}, {"href": "https://schema.org/AboutPage"}],
            "license": [{"href": "https://l.example/"}],
            "author": [{"href": ORCID}],
            "item": [{"href": "https://c.example/a.pdf", "type": "application/pdf", "hreflang": ["en"]}],
            "alternate": [{"href": "https://doi.org/10.1000/182"}],
        }

    def test_a_tombstone_names_its_successor_by_its_url_or_where_its_identifier_resolves(self) -> None:
        gone = record(status=WITHDRAWN, withdrawn=Withdrawal(LATER, "moved", "https://new.example/x"))
        assert self.context(gone)["successor-version"] == [{"href": "https://new.example/x"}]
        here = replace(gone, withdrawn=Withdrawal(LATER, "moved", "mp:x"))
        assert self.context(here)["successor-version"] == [{"href": f"{BASE_URL}/mp:x"}]
        assert "successor-version" not in self.context(replace(gone, withdrawn=Withdrawal(LATER, "moved")))

    def test_items_and_metadata_are_contexts_of_their_own(self) -> None:
        returned = record(
            records=(
                Location("https://c.example/a.pdf", language="en"),
                Location("https://c.example/a.pdf", language="de"),
                Location("https://c.example/old", status="inactive"),
            ),
            metadata={"hasPart": "https://part.example/"},
        )
        _, *others = statements(linkset.write_json(returned, REPRESENTATIONS))["linkset"]
        contexts = {context.pop("anchor"): context for context in others}
        assert len(contexts) == len(others)
        assert contexts["https://c.example/a.pdf"] == {"collection": [{"href": PID}]}
        assert contexts["https://part.example/"] == {"collection": [{"href": PID}]}
        assert contexts[f"{PID}?format=ttl"] == {"describes": [{"href": PID}]}
        described_by = {link["href"] for link in self.context(returned)["describedby"]}
        assert {anchor for anchor, context in contexts.items() if "describes" in context} == described_by
        assert "https://c.example/old" not in contexts
        assert f"{PID}?format=linkset" not in contexts

    @given(described)
    def test_its_shape_is_that_of_rfc_9264(self, any_record: Record) -> None:
        document = statements(linkset.write_json(any_record, REPRESENTATIONS))
        assert document.keys() == {"linkset"}
        anchors = [context.pop("anchor") for context in document["linkset"]]
        assert len(set(anchors)) == len(anchors)
        assert all(uri_of(anchor) for anchor in anchors)
        for context in document["linkset"]:
            for relation, targets in context.items():
                assert re.fullmatch("[a-z-]+", relation)
                assert targets
                for target in targets:
                    assert re.fullmatch(r"https?://[!#-;=?-\[\]_a-z~]+", target["href"])
                    assert target.keys() <= {"href", "type", "hreflang"}
                    assert isinstance(target.get("hreflang", []), list)

    @given(described)
    def test_it_contains_the_forms_that_no_header_announces(self, any_record: Record) -> None:
        hidden = Representation("x", "text/x", str, announced=False)
        returned = statements(linkset.write_json(any_record, (hidden,)))["linkset"][0]["describedby"]
        assert returned == [{"href": f"{escape(any_record.pid)}?format=x", "type": "text/x"}]


class TestSizeOfLinkSets:
    """Of 18,000 parts, as many as there may be, and a long PID."""

    CROWDED = record(
        pid=f"{BASE_URL}/mp:{'x' * 480}",
        records=(Location("https://c.example/"),),
        metadata={"license": "https://l.example/", "hasPart": [f"https://p.example/{each}" for each in range(18_000)]},
        alternates=({"scheme": "url", "identifier": "https://elsewhere.example/"},),
    )

    def test_they_are_so_small_that_lambda_lets_them_pass_with_all_escapes(self) -> None:
        for write in (linkset.write_json, linkset.write_text):
            assert len(json.dumps({"body": write(self.CROWDED, REPRESENTATIONS)})) < 5_000_000

    def test_both_forms_have_the_same_links_up_to_the_limit(self) -> None:
        returned = linkset.write_text(self.CROWDED, REPRESENTATIONS)
        assert MAX_LINKSET_BYTES * 0.9 < len(returned) < MAX_LINKSET_BYTES
        context, *_ = statements(linkset.write_json(self.CROWDED, REPRESENTATIONS))["linkset"]
        assert len(context["item"]) == returned.count('rel="item"') > 5_000

    def test_the_most_important_links_are_included(self) -> None:
        context, *_ = statements(linkset.write_json(self.CROWDED, REPRESENTATIONS))["linkset"]
        few, *_ = statements(
            linkset.write_json(replace(self.CROWDED, metadata={"license": "https://l.example/"}), REPRESENTATIONS)
        )["linkset"]
        needed = ("cite-as", "linkset", "describedby", "type", "license")
        assert {name: context[name] for name in needed} == {name: few[name] for name in needed}
        assert context["item"][:2] == [{"href": "https://c.example/"}, {"href": "https://p.example/0"}]

    def test_records_of_usual_size_have_all_links(self) -> None:
        usual = replace(self.CROWDED, pid=PID, metadata={"hasPart": [f"https://p.example/{n}" for n in range(1_000)]})
        _, *others = statements(linkset.write_json(usual, REPRESENTATIONS))["linkset"]
        assert len([each for each in others if "collection" in each]) == 1_001


class TestLinkValues:
    @given(described)
    def test_they_are_the_links_of_the_other_form_and_profiles(self, any_record: Record) -> None:
        written = linkset.write_text(any_record, REPRESENTATIONS)
        assert re.fullmatch("[ -~\n]+", written)
        read = [
            (said["anchor"], said["rel"], link.target, said.get("type"), said.get("hreflang"))
            for link in parse_link_header(written).links
            for said in (dict(link.attributes),)
        ]
        contexts = statements(linkset.write_json(any_record, REPRESENTATIONS))["linkset"]
        expected = [
            (context["anchor"], relation, target["href"], target.get("type"), *(target.get("hreflang") or [None]))
            for context in contexts
            for relation, targets in context.items()
            if relation != "anchor"
            for target in targets
        ]
        assert {each for each in read if each[1] != "linkset"} == {each for each in expected if each[1] != "linkset"}
        assert len(read) == len(expected)

    def test_each_is_on_a_line_with_its_context_and_the_other_form_is_named(self) -> None:
        lines = linkset.write_text(record(), REPRESENTATIONS).removesuffix("\n").split(",\n")
        own = [line for line in lines if "collection" not in line and "describes" not in line]
        assert all(line.endswith(f'; anchor="{PID}"') for line in own)
        assert f'<{PID}?format=linkset>; rel="linkset"; type="application/linkset+json"; anchor="{PID}"' in lines
        assert not [line for line in lines if line.startswith(f"<{PID}?format=links>")]

    def test_profiles_are_included(self) -> None:
        returned = record(records=(Location("https://c.example/", media_type='a/b;profile="https://p.example/"'),))
        item = f'<https://c.example/>; rel="item"; type="a/b"; profile="https://p.example/"; anchor="{PID}"'
        assert item in linkset.write_text(returned, REPRESENTATIONS)


DIGEST = "a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3"
DESCRIBED = record(
    metadata={
        "who": ["Austin, Larry", {"name": "Lee, Ann", "orcid": "0000-0001-5109-3700"}],
        "what": "Rhythm",
        "when": "20081203",
        "type": "journal-article",
        "license": {"name": "House rules"},
    },
    records=(
        Location(
            "https://c.example/a.pdf",
            media_type="application/pdf",
            language="en",
            version="3",
            checksum={"algorithm": "SHA-256", "value": DIGEST.upper()},
            size=5,
            last_modified="2025-07-09T16:45:00Z",
        ),
        Location("https://c.example/old", status="inactive"),
    ),
    alternates=(
        {"scheme": "doi", "identifier": "10.1000/182"},
        {"scheme": "ark", "identifier": "ark:/12345/fk2test"},
        {"scheme": "isbn", "identifier": "0-14-029161-X"},
    ),
)
IN_JSON_LD = {
    "@context": ["https://schema.org", {name: NAMESPACES[name] for name in ("dct", "prov", "rdfs", "xsd")}],
    "@id": PID,
    "@type": "ScholarlyArticle",
    "identifier": [
        PID,
        {
            "@type": "PropertyValue",
            "propertyID": "doi",
            "value": "10.1000/182",
            "url": "https://doi.org/10.1000/182",
        },
        {
            "@type": "PropertyValue",
            "propertyID": "ark",
            "value": "ark:/12345/fk2test",
            "url": "https://n2t.net/ark:12345/fk2test",
        },
        {"@type": "PropertyValue", "propertyID": "isbn", "value": "0-14-029161-X"},
    ],
    "url": PID,
    "name": "Rhythm",
    "creator": [
        {"@type": "Person", "name": "Austin, Larry", "givenName": "Larry", "familyName": "Austin"},
        {
            "@id": ORCID,
            "@type": "Person",
            "name": "Lee, Ann",
            "givenName": "Ann",
            "familyName": "Lee",
            "sameAs": ORCID,
        },
    ],
    "datePublished": "2008-12-03",
    "license": {"@type": "CreativeWork", "name": "House rules"},
    "encoding": {
        "@type": "MediaObject",
        "contentUrl": "https://c.example/a.pdf",
        "encodingFormat": "application/pdf",
        "inLanguage": "en",
        "contentSize": "5",
        "sha256": DIGEST,
        "version": "3",
        "dateModified": "2025-07-09T16:45:00Z",
    },
    "sameAs": ["https://doi.org/10.1000/182", "https://n2t.net/ark:12345/fk2test"],
    "dateModified": "2025-07-10T14:22:30Z",
    "dct:rights": {"@type": "dct:RightsStatement", "rdfs:label": "House rules"},
    "prov:wasAttributedTo": {"@id": ORCID},
    "subjectOf": {
        "@id": f"{PID}?format=linkid&version=1",
        "@type": "DigitalDocument",
        "encodingFormat": "application/linkid+json",
        "version": 1,
        "dateCreated": "2025-07-10T14:22:30Z",
        "dateModified": "2025-07-10T14:22:30Z",
        "prov:generatedAtTime": {"@value": "2025-07-10T14:22:30Z", "@type": "xsd:dateTime"},
        "prov:wasGeneratedBy": {
            "@type": "prov:Activity",
            "rdfs:label": "registration",
            "prov:endedAtTime": {"@value": "2025-07-10T14:22:30Z", "@type": "xsd:dateTime"},
            "prov:wasAssociatedWith": {"@id": BASE_URL},
        },
        "prov:wasAttributedTo": {"@id": BASE_URL},
    },
}


class TestJsonLd:
    def test_it_says_all_that_schema_org_has_words_for(self) -> None:
        assert statements(schemaorg.write(DESCRIBED)) == IN_JSON_LD

    def test_datacites_own_shapes_are_understood(self) -> None:
        given = with_metadata(
            creators=[
                {
                    "name": "Lee, Ann",
                    "nameIdentifiers": [{"nameIdentifier": "0000-0001-5109-3700", "nameIdentifierScheme": "ORCID"}],
                },
                {"givenName": "Larry", "familyName": "Austin"},
            ],
            titles=[{"title": "Rhythm", "lang": "en"}, {"title": "Rhythmus"}],
            publicationYear=1952,
            types={"resourceTypeGeneral": "Software", "resourceType": "x"},
            rightsList=[{"rights": "CC BY 4.0", "rightsUri": "https://creativecommons.org/licenses/by/4.0/"}],
        )
        said = statements(schemaorg.write(given))
        ann = {"@id": ORCID, "@type": "Person", "name": "Lee, Ann", "givenName": "Ann", "familyName": "Lee"}
        larry = {"@type": "Person", "name": "Austin, Larry", "givenName": "Larry", "familyName": "Austin"}
        assert said["creator"] == [{**ann, "sameAs": ORCID}, larry]
        assert said["name"] == ["Rhythm", "Rhythmus"]
        assert said["datePublished"] == "1952"
        assert said["@type"] == "SoftwareSourceCode"
        assert said["license"] == "https://creativecommons.org/licenses/by/4.0/"

    def test_a_tombstone_says_that_it_is_one(self) -> None:
        gone = record(status=WITHDRAWN, withdrawn=Withdrawal(LATER, "moved", "mp:x"))
        said = statements(schemaorg.write(gone))
        assert said["creativeWorkStatus"] == "Withdrawn"
        assert (said["expires"], said["conditionsOfAccess"]) == ("2026-01-02T03:04:05Z", "moved")
        assert said["supersededBy"] == f"{BASE_URL}/mp:x"
        assert "creativeWorkStatus" not in statements(schemaorg.write(record()))

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            ("Dataset", "Dataset"),
            ("dataset", "Dataset"),
            ("schema:Dataset", "Dataset"),
            ("https://schema.org/Book", "Book"),
            ("Conference Paper", "ScholarlyArticle"),
            ({"resourceTypeGeneral": "JournalArticle"}, "ScholarlyArticle"),
            (["nonsense", "Sound"], "AudioObject"),
            ("Person", "CreativeWork"),
            ("javascript:alert(1)", "CreativeWork"),
            ("", "CreativeWork"),
            (7, "CreativeWork"),
            (None, "CreativeWork"),
        ],
    )
    def test_its_type_is_one_of_schema_orgs_works(self, kind: Any, expected: str) -> None:
        assert statements(schemaorg.write(with_metadata(type=kind)))["@type"] == expected

    @pytest.mark.parametrize("when", ["spring 1952", "1952-13", "1952-02-41", "/", "2024/2025", True, {"year": 1}])
    def test_what_is_no_date_is_not_said_to_be_one(self, when: Any) -> None:
        assert "datePublished" not in statements(schemaorg.write(with_metadata(when=when)))

    @given(shaped)
    def test_no_shape_of_a_member_becomes_a_keyword_or_an_empty_value(self, value: Any) -> None:
        said = statements(schemaorg.write(with_metadata(who=value, what=value, when=value, type=value, license=value)))

        def check(node: Any) -> None:
            assert node not in (None, "", [], {})
            if isinstance(node, list):
                for each in node:
                    check(each)
            if isinstance(node, dict):
                assert {name for name in node if name.startswith("@")} <= {"@context", "@id", "@type", "@value"}
                for each in node.values():
                    check(each)

        check(said)


class TestTurtle:
    def test_the_graph_holds_the_statements(self) -> None:
        graph = graph_of_turtle(turtle.write(with_metadata(what='"Tea" \\ \n\u2028', who={"name": "A", "uri": ORCID})))
        pid = URIRef(PID)
        assert graph.value(pid, URIRef(SCHEMA + "name")) == Literal('"Tea" \\')
        assert graph.value(URIRef(ORCID), URIRef(SCHEMA + "name")) == Literal("A")
        assert graph.value(pid, URIRef(SCHEMA + "creator")) == URIRef(ORCID)
        assert graph.value(pid, URIRef(NAMESPACES["dct"] + "creator")) == URIRef(ORCID)
        assert URIRef(NAMESPACES["dcat"] + "Dataset") in graph.objects(pid, RDF.type)

    @pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning")  # rdflib's JSON-LD reader itself uses it
    @given(described)
    def test_it_has_the_statements_of_both_forms_of_json_ld(self, any_record: Record) -> None:
        from_turtle = as_rdflib_writes_links(graph_of_turtle(turtle.write(any_record)))
        node = turtle.node_of(any_record)
        assert isomorphic(from_turtle, as_rdflib_writes_links(graph_of_jsonld(json.dumps(node))))
        for form in (schemaorg, dcat):
            document = form.json_ld(any_record)
            graph = as_rdflib_writes_links(graph_of_jsonld(json.dumps(document)))
            names = {name for name in document if not name.startswith("@")}
            assert names <= node.keys()
            assert set(graph.predicates(URIRef(norm_url("", document["@id"])))) <= set(from_turtle.predicates())

    @given(st.text(st.characters(exclude_categories=["Cs"])) | awkward)
    def test_a_text_is_read_back_as_it_was(self, any_text: str) -> None:
        graph = graph_of_turtle(f"<x:s> <x:p> {turtle.literal(any_text)} .")
        (found,) = graph.objects()
        assert str(found) == any_text

    @given(described)
    def test_nothing_in_it_is_invisible(self, any_record: Record) -> None:
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\xa0\u2000-\u200f\u2028-\u202e\ufeff]", turtle.write(any_record))


class TestErc:
    def test_it_answers_the_four_questions(self) -> None:
        returned = with_metadata(who="Austin, Larry", what="A Study of Rhythm in Bach's Orgelbüchlein", when=1952)
        assert erc.write(returned) == (
            f"erc:\nwho: Austin, Larry\nwhat: A Study of Rhythm in Bach's Orgelbüchlein\nwhen: 1952\nwhere: {PID}\n"
        )

    def test_what_is_missing_is_said_to_be_unavailable(self) -> None:
        assert elements(erc.write(record()))[1:4] == [("who", "(:unav)"), ("what", "(:unav)"), ("when", "(:unav)")]

    @pytest.mark.parametrize(
        "blank", [None, "", " \n ", [], {}, [[None]], {"x": "y"}, True, "\u200b" * 0, "\x85\u2028"]
    )
    def test_what_says_nothing_is_as_if_missing(self, blank: Any) -> None:
        assert dict(elements(erc.write(with_metadata(what=blank))))["what"] == "(:unav)"

    def test_where_is_the_identifier_whatever_the_metadata_says(self) -> None:
        assert dict(elements(erc.write(with_metadata(where="https://evil.example/"))))["where"] == PID

    def test_a_tombstone_has_the_time_the_reason_and_the_successor(self) -> None:
        gone = record(status=WITHDRAWN, withdrawn=Withdrawal(LATER, "a\nb", "https://new.example/"))
        assert elements(erc.write(gone))[5:] == [
            ("status", "withdrawn"),
            ("withdrawn", "2026-01-02T03:04:05Z"),
            ("reason", "a b"),
            ("successor", "https://new.example/"),
        ]

    @pytest.mark.parametrize(
        ("given_text", "line"),
        [("100%", "100%pe"), ("a%2Fb", "a%2Fb"), ("%sc", "%pesc"), ("a; b", "a; b"), ("a\r\n\r\nb", "a b")],
    )
    def test_signs_with_a_meaning_are_protected(self, given_text: str, line: str) -> None:
        assert dict(elements(erc.write(with_metadata(what=given_text))))["what"] == line

    @given(described)
    def test_no_value_forges_an_element(self, any_record: Record) -> None:
        found = elements(erc.write(any_record))
        labels = [label for label, _ in found if label not in ("how", "successor")]
        tombstone = ["status", *(["withdrawn", "reason"] if any_record.withdrawn else [])]
        assert labels == ["erc", "who", "what", "when", "where", *(tombstone if any_record.status == WITHDRAWN else [])]
        assert all(value for _, value in found[1:])


class TestUris:
    @given(st.text(st.characters(exclude_categories=["Cs"])))
    def test_what_is_escaped_is_printable_and_stays_when_escaped_again(self, any_text: str) -> None:
        escaped = escape(any_text)
        assert re.fullmatch(r"[!#-;=?-\[\]_a-z~]*", escaped)
        assert escape(escaped) == escaped

    @given(st.text("!$&'()*+,/:;=?@~-._abcXYZ019").map("https://a.example/".__add__))
    def test_what_may_stand_in_a_uri_stays_byte_for_byte(self, uri: str) -> None:
        assert uri_of(uri) == uri

    @pytest.mark.parametrize(
        "other",
        [
            *(
                "",
                "a",
                "//a.example/",
                "ftp://a.example/",
                "javascript:alert(1)",
                "https://",
                "https:///x",
                "https://[",
            ),
            *("https://u:p@a.example/", "https://a.example/ b", "https://a.example/\n", "https://a.example\\@b/"),
            *("https://a.example:x/", "https://a\u3000b/", "urn:isbn:1", "https://<a>/"),
        ],
    )
    def test_only_absolute_web_addresses_are_links(self, other: str) -> None:
        assert uri_of(other) is None


class TestFacts:
    @given(described)
    def test_they_are_texts_with_something_in_them(self, any_record: Record) -> None:
        found = describe(any_record)
        texts = [each.text for each in (*found.titles, *found.descriptions)] + [each.text for each in found.subjects]
        texts += [each.name for each in (*found.creators, *found.publishers, *found.contributors)]
        texts += [str(each) for each in found.rights] + [each.date for each in found.dates]
        assert all(each.strip() for each in texts)

    @given(described)
    def test_every_uri_is_one(self, any_record: Record) -> None:
        for uri in metadata_terms.uris_in(any_record, (*metadata_terms.CREATORS, *metadata_terms.LICENSES)):
            assert uri_of(uri) == uri


def test_a_representation_is_available_unless_its_row_says_otherwise() -> None:
    assert Representation("x", "text/x", str).available(record())
