"""The feed of the changes of a prefix."""

from datetime import timedelta
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from coolid.errors import UnknownPrefix
from coolid.http.errors import BadCursor
from coolid.http.message import Request
from coolid.http.public import change_feeds
from coolid.http.public.change_feeds import FEEDS, ChangeFeedEndpoint
from coolid.identifiers.schemes import lui
from coolid.model.records import RESERVED, WITHDRAWN, Record, Withdrawal
from coolid.resolution.caching_reader import CachingReader
from tests.support.builders.samples import BASE_URL, MOMENT, namespace, provider_prefix, record
from tests.support.stores.memory_store import MemoryStore

ATOM = "{http://www.w3.org/2005/Atom}"


def later(number: int) -> timedelta:
    return timedelta(seconds=number)


def feed(store: MemoryStore, path: str, page: str | None = None) -> ET.Element:
    endpoint = ChangeFeedEndpoint(CachingReader(store, lambda: 0.0), store, BASE_URL)
    query = () if page is None else (("page", page),)
    response = endpoint.feed(Request("GET", f"{FEEDS}{path}", query), path)
    assert response.headers["Content-Type"] == "application/atom+xml"
    assert "max-age=60" in response.headers["Cache-Control"]
    return ET.fromstring(response.body)  # noqa: S314 - our own text


def titles(root: ET.Element) -> list[str]:
    return [each.findtext(f"{ATOM}title", "") for each in root.findall(f"{ATOM}entry")]


def links(element: ET.Element) -> dict[str, str]:
    return {each.attrib["rel"]: each.attrib["href"] for each in element.findall(f"{ATOM}link")}


@pytest.fixture
def store() -> MemoryStore:
    filled = MemoryStore()
    filled.rows["2021/06/mp"] = namespace("2021/06/mp", revision=4)
    filled.rows["go"] = provider_prefix("go", "https://a.example/{$id}", revision=2)
    return filled


def withdrawn(record: Record) -> Record:
    when = MOMENT + later(9)
    return replace(record, version=3, status=WITHDRAWN, updated=when, withdrawn=Withdrawal(when, "gone"))


def test_every_public_version_is_listed_the_latest_first_with_its_proof(store: MemoryStore) -> None:
    first = record(lui.encode(1), metadata={"what": "A secret title"}, updated=MOMENT + later(1))
    second = replace(first, version=2, updated=MOMENT + later(5))
    store.create_record(first)
    store.replace_record(second, first)
    store.replace_record(withdrawn(second), second)
    store.create_record(record(lui.encode(2), status=RESERVED))
    store.create_record(record(lui.encode(3), metadata={"ezid": {"_export": "no"}}))
    root = feed(store, "2021/06/mp")
    assert titles(root) == [
        *(f"Version {number} of {first.pid}" for number in (3, 2, 1)), "Prefix 2021/06/mp", "Repository r4k2-9m3x-62"
    ]  # fmt: skip
    entry = root.findall(f"{ATOM}entry")[1]
    assert links(entry) == {
        "alternate": f"{first.pid}?format=html&version=2",
        "related": f"{first.pid}?format=tlog-proof&version=2",
    }
    kinds = [each.attrib["term"] for each in root.iter(f"{ATOM}category")]
    assert kinds == ["withdrawn", "updated", "created", "prefix", "repository"]
    assert root.findtext(f"{ATOM}updated") == "2025-07-10T14:22:39Z"
    assert b"secret" not in ET.tostring(root)


def test_pages_are_linked_and_nothing_is_listed_twice(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_feeds, "VERSIONS", 4)
    for number in range(10):
        store.create_record(record(lui.encode(number), updated=MOMENT + later(number)))
    found, page, ids = [], None, set()
    while True:
        root = feed(store, "2021/06/mp", page)
        found += titles(root)
        ids |= {each.findtext(f"{ATOM}id") for each in root.findall(f"{ATOM}entry")}
        following = links(root).get("next")
        if following is None:
            break
        assert following.startswith(f"{BASE_URL}{FEEDS}2021/06/mp?page=")
        page = following.rpartition("=")[2]
    assert len(found) == len(ids) == 12
    with pytest.raises(BadCursor):
        feed(store, "2021/06/mp", "x")


def test_the_feed_of_a_provider_prefix_has_its_latest_change(store: MemoryStore) -> None:
    root = feed(store, "GO")
    assert titles(root) == ["Prefix go"]
    assert links(root)["self"] == f"{BASE_URL}{FEEDS}go"
    before = root.findtext(f"{ATOM}entry/{ATOM}id")
    store.rows["go"] = provider_prefix("go", "https://b.example/{$id}", revision=3)
    assert feed(store, "go").findtext(f"{ATOM}entry/{ATOM}id") != before


def test_an_unknown_prefix_has_none(store: MemoryStore) -> None:
    with pytest.raises(UnknownPrefix):
        feed(store, "nope")
