"""Signposting: the Link header is well formed and of bounded length for any record.

`tests/dialects/test_signposting.py` tests it with a client, for all kinds of responses.
"""

import re
from types import MappingProxyType
from typing import Any, NamedTuple

import httplink
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.http.formats import signposting
from coolid.http.formats.catalog import REPRESENTATIONS, forms
from coolid.http.formats.linked_data.nodes import NAMESPACES
from coolid.http.formats.linkset import links_of
from coolid.http.formats.representation import LINK_SETS, LINKS, LINKSET
from coolid.http.formats.signposting import MAX_BYTES, MAX_SKIPPED, TypedLink, dated_links, profile_links
from coolid.http.formats.uris import escape
from coolid.model.records import WITHDRAWN, Location, Record, Withdrawal
from tests.support.builders.counters import CountingList
from tests.support.builders.samples import BASE_URL, LATER, json_values, locations, record, records_with, text, uris

PID = record().pid
ORCID = "https://orcid.org/0000-0001-5109-3700"
ANNOUNCED = [each for each in REPRESENTATIONS if each.announced]
DESCRIBING = [each for each in ANNOUNCED if each.media_type not in LINK_SETS]
TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
QUOTED = re.compile(r'"((?:[\t !#-\[\]-~]|\\[\t -~])*)"')


def link_header(linked: Record, **options: Any) -> str:
    return signposting.link_header(linked, forms(is_signed=linked.proof is not None), **options)


def signposts(linked: Record, **options: Any) -> list[TypedLink]:
    return signposting.signposts(linked, forms(is_signed=linked.proof is not None), **options)


class Parsed(NamedTuple):
    target: str
    attributes: dict[str, str]


def parse(header: str) -> list[Parsed]:
    """Appendix B.2 of RFC 8288, without its leniency: whatever is not by the grammar is an error."""
    links = []
    at = 0
    while True:
        end = header.index(">", at)
        assert header[at] == "<"
        target, at, attributes = header[at + 1 : end], end + 1, {}
        while header[at : at + 2] == "; ":
            name = TOKEN.match(header, at + 2)
            assert name is not None
            assert header[name.end()] == "="
            value = QUOTED.match(header, name.end() + 1)
            assert value is not None
            assert name[0] not in attributes
            attributes[name[0]] = re.sub(r"\\(.)", r"\1", value[1])
            at = value.end()
        links.append(Parsed(target, attributes))
        if at == len(header):
            return links
        assert header[at : at + 2] == ", "
        at += 2


def targets(header: str, relation: str, anchor: str | None = None) -> list[str]:
    found = [link for link in parse(header) if link.attributes.get("anchor") == anchor]
    return [link.target for link in found if link.attributes["rel"] == relation]


def undated(links: list[Parsed]) -> list[Parsed]:
    """Without those to its versions (RFC 7089), which are not of the profile."""
    return [link for link in links if link.attributes["rel"] not in ("original timegate", "timemap")]


def second_opinion(header: str) -> list[Parsed]:
    """What the parser says that clients of the profile use."""
    return [Parsed(link.target, dict(link.attributes)) for link in httplink.parse_link_header(header).links]


web = st.sampled_from(["https://a.example/", "http://b.example/?q=", "https://ü.example/"])
hostile = st.builds(str.__add__, web, text) | st.sampled_from(
    ['https://a.example/>; rel="canonical"', "https://a.example/\r\nSet-Cookie: a=b", ORCID, "Dataset"]
)
values = hostile | st.lists(hostile, max_size=60) | json_values
many = st.lists(st.builds(Location, uris, media_type=st.none() | text, language=st.none() | text), max_size=60)
related = st.lists(
    st.fixed_dictionaries(
        {
            "relationType": st.sampled_from(["IsPartOf", "HasPart", "Cites"]) | json_values,
            "relatedIdentifier": st.sampled_from(["10.1000/182", "ark:/12345/x5", PID]) | hostile | json_values,
            "relatedIdentifierType": st.sampled_from(["DOI", "ARK", "Handle", "URL"]) | json_values,
        }
    ),
    max_size=3,
)
members = st.dictionaries(
    st.sampled_from(["who", "author", "creators", "license", "type", "isPartOf", "hasPart", "relatedIdentifiers"]),
    values,
)
crowded = records_with(
    metadata=st.builds(
        lambda any_, some: MappingProxyType(any_ | some),
        members,
        st.fixed_dictionaries({}, optional={"relatedIdentifiers": related, "relatedItems": related}),
    ),
    records=st.builds(lambda any_, plain: (*any_, *plain), st.lists(locations, max_size=3), many),
)


class TestHeader:
    def test_it_has_the_links_of_level_one_and_the_link_set(self) -> None:
        full = record(
            metadata={
                "type": "Dataset",
                "license": "https://l.example/",
                "who": ["A", ORCID],
                "author": ORCID,
                "isPartOf": "https://whole.example/",
                "hasPart": {"@id": "https://part.example/"},
            },
            records=(
                Location("https://c.example/a.pdf", media_type="application/pdf", language="en"),
                Location("https://c.example/old", status="inactive"),
            ),
            proof="e.e.s",
        )
        assert undated(parse(link_header(full, canonical=PID))) == [
            (PID, {"rel": "canonical"}),
            (PID, {"rel": "cite-as"}),
            (f"{PID}?format=linkset", {"rel": "linkset", "type": "application/linkset+json"}),
            (f"{PID}?format=links", {"rel": "linkset", "type": "application/linkset"}),
            *(
                (
                    f"{PID}?format={each.name}",
                    {"rel": "describedby", "type": each.essence} | ({"profile": each.profile} if each.profile else {}),
                )
                for each in DESCRIBING
            ),
            ("https://schema.org/Dataset", {"rel": "type"}),
            ("https://schema.org/AboutPage", {"rel": "type"}),
            ("https://l.example/", {"rel": "license"}),
            ("https://whole.example/", {"rel": "collection"}),
            (ORCID, {"rel": "author"}),
            ("https://c.example/a.pdf", {"rel": "item", "type": "application/pdf", "hreflang": "en"}),
            ("https://part.example/", {"rel": "item"}),
        ]

    @pytest.mark.parametrize("license", ["CC-BY-4.0", {"name": "CC BY 4.0"}, ["CC BY 4.0"]])
    def test_licences_without_an_address_have_that_of_their_spdx_identifier(self, license: Any) -> None:  # noqa: A002
        links = parse(link_header(record(metadata={"license": license}), canonical=PID))
        (found,) = [link.target for link in links if link.attributes["rel"] == "license"]
        assert found == "https://creativecommons.org/licenses/by/4.0/legalcode"

    @pytest.mark.parametrize(
        ("name", "media_type", "profile"),
        [
            ("linkid", "application/linkid+json", None),
            ("jsonld", "application/ld+json", "https://schema.org/"),
            ("dcat", "application/ld+json", NAMESPACES["dcat"]),
            ("ttl", "text/turtle", "https://schema.org/"),
            ("erc", "text/plain", "http://purl.org/kernel/elements/1.1/"),
        ],
    )
    def test_metadata_in_a_common_media_type_says_what_is_said_in_it(
        self, name: str, media_type: str, profile: str | None
    ) -> None:
        (link,) = [
            link for link in parse(link_header(record(), canonical=PID)) if link.target == f"{PID}?format={name}"
        ]
        assert link.attributes == {"rel": "describedby", "type": media_type} | ({"profile": profile} if profile else {})

    def test_what_is_of_no_known_kind_is_a_work_with_a_page(self) -> None:
        expected = ["https://schema.org/CreativeWork", "https://schema.org/AboutPage"]
        assert targets(link_header(record(), canonical=PID), "type") == expected
        assert targets(link_header(record(metadata={"type": "a spoon"}), canonical=PID), "type") == expected

    @pytest.mark.parametrize(
        ("metadata", "wholes", "parts"),
        [
            (
                {"isPartOf": "https://w.example/", "hasPart": ["https://p.example/", {"@id": "https://q.example/"}]},
                ["https://w.example/"],
                ["https://p.example/", "https://q.example/"],
            ),
            (
                {
                    "relatedIdentifiers": [
                        {
                            "relationType": "IsPartOf",
                            "relatedIdentifier": "10.1000/182",
                            "relatedIdentifierType": "DOI",
                        },
                        {
                            "relationType": "isPartOf",
                            "relatedIdentifier": "ark:/12345/x5",
                            "relatedIdentifierType": "ARK",
                        },
                        {
                            "relationType": "HasPart",
                            "relatedIdentifier": "https://p.example/",
                            "relatedIdentifierType": "URL",
                        },
                        {
                            "relationType": "Cites",
                            "relatedIdentifier": "https://c.example/",
                            "relatedIdentifierType": "URL",
                        },
                    ]
                },
                ["https://doi.org/10.1000/182", "https://n2t.net/ark:12345/x5"],
                ["https://p.example/"],
            ),
            (
                {
                    "relatedItems": [
                        {
                            "relationType": "IsPartOf",
                            "relatedItemIdentifier": {
                                "relatedItemIdentifier": "https://doi.org/10.1000/182",
                                "relatedItemIdentifierType": "DOI",
                            },
                        }
                    ]
                },
                ["https://doi.org/10.1000/182"],
                [],
            ),
            (
                {
                    "isPartOf": "10.1000/182",
                    "relatedIdentifiers": {
                        "relationType": "IsPartOf",
                        "relatedIdentifier": "10.1000/182",
                        "relatedIdentifierType": "DOI",
                    },
                },
                ["https://doi.org/10.1000/182"],
                [],
            ),
            (
                {"isPartOf": [PID, "https://w.example/", "https://w.example/", 7, None, {}], "hasPart": PID},
                ["https://w.example/"],
                [],
            ),
            (
                {
                    "relatedIdentifiers": [
                        {"relationType": "HasPart"},
                        "HasPart",
                        {"relatedIdentifier": "https://x.example/"},
                        {"relationType": "HasPart", "relatedIdentifier": "11.1/x", "relatedIdentifierType": "DOI"},
                    ]
                },
                [],
                [],
            ),
        ],
    )
    def test_what_it_is_part_of_is_a_collection_and_what_is_part_of_it_an_item(
        self, metadata: dict[str, Any], wholes: list[str], parts: list[str]
    ) -> None:
        header = link_header(record(metadata=metadata), canonical=PID)
        assert targets(header, "collection") == wholes
        assert targets(header, "item") == ["https://content.example.org/v1", *parts]

    def test_a_tombstone_names_its_successor_by_its_url_or_where_its_identifier_resolves(self) -> None:
        gone = record(status=WITHDRAWN, withdrawn=Withdrawal(LATER, "moved", "https://new.example/x"))
        assert targets(link_header(gone, canonical=PID), "successor-version") == ["https://new.example/x"]
        here = replace(gone, withdrawn=Withdrawal(LATER, "moved", "mp:tw0t"))
        assert targets(link_header(here, canonical=PID), "successor-version") == [f"{BASE_URL}/mp:tw0t"]
        nowhere = replace(gone, withdrawn=Withdrawal(LATER, "moved"))
        assert targets(link_header(nowhere, canonical=PID), "successor-version") == []

    @given(crowded, uris)
    def test_it_is_printable_bounded_and_well_formed(self, any_record: Record, canonical: str) -> None:
        header = link_header(any_record, canonical=canonical)
        assert re.fullmatch("[ -~]+", header)
        assert len(header) <= MAX_BYTES
        links = parse(header)
        assert links[0].attributes == {"rel": "canonical"}
        assert [link.attributes["rel"] for link in links[:4]] == ["canonical", "cite-as", "linkset", "linkset"]
        for link in links:
            assert re.fullmatch(r"[!#-;=?-\[\]_a-z~]+", link.target)
            assert link.attributes.keys() <= {"rel", "type", "hreflang", "profile"}
        assert second_opinion(header) == links

    @given(crowded, uris)
    def test_pages_have_the_same_links_and_they_are_bounded_too(self, any_record: Record, canonical: str) -> None:
        written = ", ".join(map(str, signposts(any_record, canonical=canonical)))
        assert len(written) <= MAX_BYTES
        there = parse(written)
        returned = undated(parse(link_header(any_record, canonical=canonical)))
        assert all(link in there for link in returned)

    @given(crowded)
    def test_what_it_leaves_out_is_in_the_link_set(self, any_record: Record) -> None:
        everything = {(link.rel, link.href) for link in links_of(any_record, REPRESENTATIONS)}
        assert all((link.rel, link.href) in everything for link in profile_links(any_record, ANNOUNCED))
        links = undated(parse(link_header(any_record, canonical=PID)))[1:]
        assert {(link.attributes["rel"], link.target) for link in links} <= everything

    @given(crowded, st.integers(0, 1_200))
    def test_it_has_each_link_of_the_profile_that_finds_room_in_their_order(
        self, any_record: Record, length: int
    ) -> None:
        any_record = replace(any_record, pid=f"{any_record.pid}/{'x' * length}")
        head = [f'<{PID}>; rel="canonical"']
        tail: list[str] = []
        for link in profile_links(any_record, ANNOUNCED):
            attributes = {"rel": link.rel, "type": link.type, "hreflang": link.hreflang, "profile": link.profile}
            value = f"<{link.href}>" + "".join(f'; {name}="{said}"' for name, said in attributes.items() if said)
            (head if link.rel in ("cite-as", "linkset", "describedby", "type") else tail).append(value)
        whole = [*head, dated_links(any_record, PID)]
        if len(", ".join(whole)) > MAX_BYTES:
            whole, tail = head[:1], head[1:] + tail
        room = MAX_BYTES - len(", ".join(whole))
        passed = 0
        for value in tail:
            if room < 40 or passed > MAX_SKIPPED:  # no link is shorter
                break
            if len(value) + 2 <= room:
                room -= len(value) + 2
                whole.append(value)
            else:
                passed += 1
        assert link_header(any_record, canonical=PID) == ", ".join(whole)

    def test_items_and_authors_are_the_first_to_be_left_out(self) -> None:
        many = record(
            records=tuple(Location(f"https://c.example/{number:0200}") for number in range(100)),
            metadata={
                "who": [f"https://a.example/{number:0200}" for number in range(100)],
                "license": "https://l.example/",
            },
        )
        header = link_header(many, canonical=PID)
        assert len(header) > MAX_BYTES - 300
        assert len(targets(header, "author")) < 100
        assert targets(header, "license") == ["https://l.example/"]
        assert len(targets(header, "describedby")) == len([each for each in DESCRIBING if each.available(many)])

    def test_a_link_that_is_too_long_makes_room_for_the_next(self) -> None:
        long = record(records=(Location("https://c.example/" + "a" * 9_000), Location("https://c.example/b")))
        assert targets(link_header(long, canonical=PID), "item") == ["https://c.example/b"]

    def test_of_thousands_of_links_only_those_that_fit_are_computed(self) -> None:
        for length in (1, 30, 200, 6_900):
            links = ({"name": "A", "@id": f"https://a.example/{number:0{length}}"} for number in range(5_000))
            crowd = CountingList(links)
            header = link_header(record(metadata={"author": crowd}), canonical=PID)
            assert len(targets(header, "author")) == crowd.seen - MAX_SKIPPED - 1 or crowd.seen < 200
            assert crowd.seen < 400

    def test_the_longest_canonical_link_still_has_its_place(self) -> None:
        longest = "https://id.example.org/mp:" + "%C3" * 2_048
        assert targets(link_header(record(pid=longest), canonical=longest), "canonical") == [longest]

    @pytest.mark.parametrize(
        ("media_type", "language", "attributes"),
        [
            ('text/html; charset="utf-8"', "de-CH", {"type": "text/html", "hreflang": "de-CH"}),
            (
                'application/ld+json;Profile="https://w3id.org/ro/crate urn:x  https://w3id.org/"',
                None,
                {"type": "application/ld+json", "profile": "https://w3id.org/ro/crate https://w3id.org/"},
            ),
            ("a/b; profile=https://p.example/;v=1", None, {"type": "a/b", "profile": "https://p.example/"}),
            ('a/b; profile="https://p.example/<\\>', None, {"type": "a/b"}),
            ('a/b; profile="https://p.example/<\\>"', None, {"type": "a/b", "profile": "https://p.example/%3C%5C%3E"}),
            ("a/b; profile=", None, {"type": "a/b"}),
            ("; profile=https://p.example/", None, {}),
            ('text/html"; rel="x', 'en"', {}),
            ("nonsense", "", {}),
            ("a/b\r\nX: y", "en\n", {}),
        ],
    )
    def test_attributes_are_right_or_left_out(
        self, media_type: str, language: str | None, attributes: dict[str, str]
    ) -> None:
        returned = record(records=(Location("https://c.example/", media_type=media_type, language=language),))
        (item,) = [link for link in parse(link_header(returned, canonical=PID)) if link.attributes["rel"] == "item"]
        assert item.attributes == {"rel": "item", **attributes}

    @pytest.mark.parametrize(
        "who",
        [
            "Jane Doe",
            "mailto:jane@example.org",
            "https://jane:secret@example.org/",
            "https://a.example/ b",
            "//a.example/",
            "0000-0001-5109-3701",
            {"name": "Jane"},
            {"url": 5},
        ],
    )
    def test_an_author_without_a_web_address_is_not_linked(self, who: object) -> None:
        assert targets(link_header(record(metadata={"who": who}), canonical=PID), "author") == []

    def test_a_target_cannot_end_its_link(self) -> None:
        forged = record(metadata={"who": 'https://a.example/>;rel="canonical",<x'})
        assert targets(link_header(forged, canonical=PID), "author") == [
            "https://a.example/%3E;rel=%22canonical%22,%3Cx",
        ]


class TestHeaderOfMetadata:
    """Of what has an address of its own, such as that of `?format=ttl`."""

    def test_it_describes_the_pid_and_repeats_its_links_with_an_anchor(self) -> None:
        full = record(metadata={"license": "https://l.example/", "who": ORCID})
        header = link_header(full, canonical=PID, form="text/turtle")
        own = [(link.attributes["rel"], link.target) for link in parse(header) if "anchor" not in link.attributes]
        assert own == [
            ("canonical", PID),
            ("describes", PID),
            ("linkset", f"{PID}?format=linkset"),
            ("linkset", f"{PID}?format=links"),
        ]
        others = [
            Parsed(link.target, {**link.attributes, "anchor": PID})
            for link in undated(parse(link_header(full, canonical=PID)))
        ]
        expected = [link for link in others if link.attributes["rel"] not in ("canonical", "linkset")]
        assert [link for link in parse(header) if "anchor" in link.attributes] == expected

    @pytest.mark.parametrize(("one", "name", "other"), [(LINKSET, "links", LINKS), (LINKS, "linkset", LINKSET)])
    def test_of_the_link_sets_each_is_the_alternate_of_the_other(self, one: str, name: str, other: str) -> None:
        header = link_header(record(), canonical=PID, form=one)
        own = [link for link in parse(header) if "anchor" not in link.attributes]
        assert own == [
            (PID, {"rel": "canonical"}),
            (f"{PID}?format={name}", {"rel": "alternate", "type": other}),
        ]
        assert targets(header, "linkset", PID) == [f"{PID}?format=linkset", f"{PID}?format=links"]
        assert targets(header, "cite-as", PID) == [PID]

    @given(crowded, uris, st.sampled_from([each.media_type for each in REPRESENTATIONS]), st.integers(0, 1_000))
    def test_it_is_printable_bounded_and_well_formed_too_and_names_the_link_sets(
        self, any_record: Record, canonical: str, form: str, length: int
    ) -> None:
        any_record = replace(any_record, pid=f"{any_record.pid}/{'x' * length}")
        header = link_header(any_record, canonical=canonical, form=form)
        assert re.fullmatch("[ -~]+", header)
        assert len(header) <= MAX_BYTES
        assert second_opinion(header) == parse(header)
        assert {link.attributes.get("anchor") for link in parse(header)} <= {None, escape(any_record.pid)}
        returned = [link.attributes["type"] for link in parse(header) if link.attributes["rel"] == "linkset"]
        if form not in LINK_SETS or length < 700:  # a link with an anchor has the PID twice
            assert sorted(returned) == sorted(LINK_SETS)


class TestHeaderOfAVersion:
    @given(crowded, st.sampled_from([None, *(each.media_type for each in REPRESENTATIONS)]), st.integers(0, 800))
    def test_it_leads_to_the_forms_of_that_version_and_has_room_for_what_it_is_a_version_of(
        self, any_record: Record, form: str | None, length: int
    ) -> None:
        any_record = replace(any_record, pid=f"{any_record.pid}/{'x' * length}")
        header = link_header(any_record, canonical=any_record.pid, form=form, version="2")
        assert len(header) <= MAX_BYTES
        assert 'rel="original timegate"' in header
        forms = [
            link.target for link in parse(header) if link.attributes["rel"] in ("describedby", "linkset", "alternate")
        ]
        assert forms
        assert all(target.endswith("&version=2") for target in forms)

    def test_what_it_is_cited_as_is_the_pid(self) -> None:
        assert targets(link_header(record(), canonical=PID, version="2"), "cite-as") == [PID]
