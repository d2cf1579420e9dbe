"""Signposting: the Link header is well formed and of bounded length whatever a record holds."""

import re
from types import MappingProxyType
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.domain.records import WITHDRAWN, Location, Record, Withdrawal
from coolid.web.representations.links import Link, links_of, profile_of
from coolid.web.representations.table import REPRESENTATIONS
from coolid.web.signposting import MOST_BYTES, link_header
from tests.samples import BASE_URL, LATER, json_values, locations, record, records_with, text, uris

PID = record().pid
ORCID = "https://orcid.org/0000-0001-5109-3700"
TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
QUOTED = re.compile(r'"((?:[\t !#-\[\]-~]|\\[\t -~])*)"')


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


def targets(header: str, relation: str) -> list[str]:
    return [link.target for link in parse(header) if link.attributes["rel"] == relation]


web = st.sampled_from(["https://a.example/", "http://b.example/?q=", "https://ü.example/"])
hostile = st.builds(str.__add__, web, text) | st.sampled_from(
    ['https://a.example/>; rel="canonical"', "https://a.example/\r\nSet-Cookie: a=b", ORCID, "Dataset"]
)
values = hostile | st.lists(hostile, max_size=60) | json_values
many = st.lists(st.builds(Location, uris, media_type=st.none() | text, language=st.none() | text), max_size=60)
crowded = records_with(
    metadata=st.dictionaries(st.sampled_from(["who", "author", "creators", "license", "type"]), values).map(
        MappingProxyType
    ),
    records=st.builds(lambda any_, plain: (*any_, *plain), st.lists(locations, max_size=3), many),
)


class TestHeader:
    def test_it_has_the_links_of_level_one_and_the_link_set(self) -> None:
        full = record(
            metadata={"type": "Dataset", "license": "https://l.example/", "who": ["A", ORCID], "author": ORCID},
            records=(
                Location("https://c.example/a.pdf", media_type="application/pdf", language="en"),
                Location("https://c.example/old", status="inactive"),
            ),
            proof="e.e.s",
        )
        assert parse(link_header(full, canonical=PID)) == [
            (PID, {"rel": "canonical"}),
            (PID, {"rel": "cite-as"}),
            (f"{PID}?format=linkset", {"rel": "linkset", "type": "application/linkset+json"}),
            (f"{PID}?format=linkid", {"rel": "describedby", "type": "application/linkid+json"}),
            (f"{PID}?format=jsonld", {"rel": "describedby", "type": "application/ld+json"}),
            (f"{PID}?format=ttl", {"rel": "describedby", "type": "text/turtle"}),
            (f"{PID}?format=erc", {"rel": "describedby", "type": "text/plain"}),
            (f"{PID}?format=jws", {"rel": "describedby", "type": "application/jose"}),
            ("https://schema.org/AboutPage", {"rel": "type"}),
            ("https://schema.org/Dataset", {"rel": "type"}),
            ("https://l.example/", {"rel": "license"}),
            (ORCID, {"rel": "author"}),
            ("https://c.example/a.pdf", {"rel": "item", "type": "application/pdf", "hreflang": "en"}),
        ]

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
        assert len(header) <= MOST_BYTES
        links = parse(header)
        assert links[0].attributes == {"rel": "canonical"}
        assert [link.attributes["rel"] for link in links[:3]] == ["canonical", "cite-as", "linkset"]
        for link in links:
            assert re.fullmatch(r"[!#-;=?-\[\]_a-z~]+", link.target)
            assert link.attributes.keys() <= {"rel", "type", "hreflang"}

    @given(crowded)
    def test_what_it_leaves_out_is_in_the_link_set(self, any_record: Record) -> None:
        everything = {(link.rel, link.href) for link in links_of(any_record, REPRESENTATIONS)}
        told = {(link.attributes["rel"], link.target) for link in parse(link_header(any_record, canonical=PID))[1:]}
        assert told <= everything

    @given(crowded, st.integers(0, 1_200))
    def test_it_has_each_link_of_the_profile_that_finds_room_in_their_order(
        self, any_record: Record, length: int
    ) -> None:
        any_record = replace(any_record, pid=f"{any_record.pid}/{'x' * length}")
        room = MOST_BYTES
        expected: list[str] = []
        for link in (Link("canonical", PID), *profile_of(any_record, REPRESENTATIONS)):
            attributes = {"rel": link.rel, "type": link.type, "hreflang": link.hreflang}
            value = f"<{link.href}>" + "".join(f'; {name}="{said}"' for name, said in attributes.items() if said)
            if expected and room < 40:  # no link is shorter
                break
            if len(value) + 2 * bool(expected) <= room:
                room -= len(value) + 2 * bool(expected)
                expected.append(value)
        assert link_header(any_record, canonical=PID) == ", ".join(expected)

    def test_items_and_authors_are_the_first_to_be_left_out(self) -> None:
        many = record(
            records=tuple(Location(f"https://c.example/{number:0200}") for number in range(100)),
            metadata={
                "who": [f"https://a.example/{number:0200}" for number in range(100)],
                "license": "https://l.example/",
            },
        )
        header = link_header(many, canonical=PID)
        assert len(header) > MOST_BYTES - 300
        assert len(targets(header, "author")) < 100
        assert targets(header, "license") == ["https://l.example/"]
        assert len(targets(header, "describedby")) == 4

    def test_a_link_that_is_too_long_makes_room_for_the_next(self) -> None:
        long = record(records=(Location("https://c.example/" + "a" * 9_000), Location("https://c.example/b")))
        assert targets(link_header(long, canonical=PID), "item") == ["https://c.example/b"]

    def test_the_longest_canonical_link_still_has_its_place(self) -> None:
        longest = "https://id.example.org/mp:" + "%C3" * 2_048
        assert targets(link_header(record(pid=longest), canonical=longest), "canonical") == [longest]

    @pytest.mark.parametrize(
        ("media_type", "language", "attributes"),
        [
            ('text/html; charset="utf-8"', "de-CH", {"type": "text/html", "hreflang": "de-CH"}),
            ('text/html"; rel="x', 'en"', {}),
            ("nonsense", "", {}),
            ("a/b\r\nX: y", "en\n", {}),
        ],
    )
    def test_attributes_are_right_or_left_out(self, media_type: str, language: str, attributes: dict[str, str]) -> None:
        told = record(records=(Location("https://c.example/", media_type=media_type, language=language),))
        (item,) = [link for link in parse(link_header(told, canonical=PID)) if link.attributes["rel"] == "item"]
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
