"""Sitemaps of the public records, which are ResourceSync's lists, too."""

import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request
from coolid.http.public.sitemap_windows import MAX_RECORDS, UnorderedTimes, period_of, windows_of
from coolid.http.public.sitemaps import SitemapEndpoint
from coolid.identifiers.schemes import lui
from coolid.model.records import RESERVED, WITHDRAWN, Withdrawal, format_time
from coolid.resolution.caching_reader import CachingReader
from tests.support.builders.samples import BASE_URL, MOMENT, namespace, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import System
from tests.support.stores.memory_store import MemoryStore

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
RS = "{http://www.openarchives.org/rs/terms/}"
NAMES = ("2025-01", "2025-01-15", "2025-01-15T09", "2025-01-15T09:30", "2025-01-15T09:30:07")


def endpoint(store: MemoryStore) -> SitemapEndpoint:
    return SitemapEndpoint(CachingReader(store, lambda: 0.0), store, FixedClock(), BASE_URL)


def listed(sitemaps: SitemapEndpoint, path: str) -> tuple[str, list[tuple[str, str]]]:
    """The capability of a list, and the addresses and times in it."""
    for route in sitemaps.routes():
        if route.matches(path):
            body = route.endpoints["GET"](Request("GET", path), path[len(route.path) :]).body
    root = ET.fromstring(body)  # noqa: S314 - our own text
    metadata = root.find(f"{RS}md")
    assert metadata is not None
    found = [
        (each.findtext(f"{SITEMAP}loc", ""), each.findtext(f"{SITEMAP}lastmod", ""))
        for each in root
        if "loc" in str([*each])
    ]
    return metadata.attrib["capability"], found


def all_records(sitemaps: SitemapEndpoint) -> Iterator[tuple[str, str]]:
    for address, _ in listed(sitemaps, "/sitemap.xml")[1]:
        yield from listed(sitemaps, address.removeprefix(BASE_URL))[1]


@pytest.fixture
def store() -> MemoryStore:
    filled = MemoryStore()
    filled.rows["mp"] = namespace("mp")
    for number in range(1_100):
        filled.create_record(record(lui.encode(number), updated=MOMENT + timedelta(seconds=number)))
    filled.create_record(record(lui.encode(9_000), status=RESERVED))
    filled.create_record(record(lui.encode(9_002), metadata={"ezid": {"_export": "no"}}))
    filled.create_record(record(lui.encode(9_001), status=WITHDRAWN, withdrawn=Withdrawal(MOMENT, "gone")))
    return filled


def test_each_public_record_is_in_one_sitemap_with_the_time_of_its_change(store: MemoryStore) -> None:
    found = list(all_records(endpoint(store)))
    public = [
        each for each in store.records_by_key.values() if each.status not in {RESERVED, WITHDRAWN} and not each.metadata
    ]
    assert sorted(found) == sorted((each.pid, format_time(each.updated)) for each in public)


def test_sitemaps_are_small_and_the_index_of_a_repository_has_them_with_their_last_changes(store: MemoryStore) -> None:
    sitemaps = endpoint(store)
    capability, entries = listed(sitemaps, f"/sitemaps/{repository().id}.xml")
    assert capability == "resourcelist"
    assert entries == listed(sitemaps, "/sitemap.xml")[1]
    for address, changed in entries:
        times = [time for _, time in listed(sitemaps, address.removeprefix(BASE_URL))[1]]
        assert 0 < len(times) <= 1_000
        assert changed == max(times)


def test_a_record_that_changes_moves_to_the_sitemap_of_its_change(store: MemoryStore) -> None:
    first = next(iter(store.records_by_key.values()))
    store.records_by_key[first.repository, first.key] = record(first.key, updated=MOMENT + timedelta(days=40))
    entries = dict(all_records(endpoint(store)))
    assert entries[first.pid] == format_time(MOMENT + timedelta(days=40))


def test_an_index_is_read_once_in_an_hour(store: MemoryStore) -> None:
    sitemaps = endpoint(store)
    before = listed(sitemaps, "/sitemap.xml")
    store.records_by_key.clear()
    assert listed(sitemaps, "/sitemap.xml") == before


def test_the_latest_changes_are_listed_with_withdrawals(store: MemoryStore) -> None:
    withdrawn = record(lui.encode(5), status=WITHDRAWN, withdrawn=Withdrawal(MOMENT, "gone"))
    later = replace(withdrawn, version=2, updated=MOMENT + timedelta(hours=2))
    store.records_by_key[later.repository, later.key] = later
    capability, entries = listed(endpoint(store), f"/sitemaps/{later.repository}/changes.xml")
    assert capability == "changelist"
    assert entries[-1] == (later.pid, format_time(later.updated))
    times = [time for _, time in entries]
    assert times == sorted(times)
    body = endpoint(store).listing(Request("GET", ""), f"{later.repository}/changes.xml").body
    assert f'<rs:md change="deleted" datetime="{format_time(later.updated)}"/>' in str(body)
    for hidden in (9_000, 9_002):
        assert f"<loc>{record(lui.encode(hidden)).pid}<" not in str(body)


@pytest.mark.parametrize("path", ["x.xml", "r4k2-9m3x-62", "r4k2-9m3x-62/2025-13.xml", "r4k2-9m3x-62/x.xml"])
def test_other_lists_do_not_exist(store: MemoryStore, path: str) -> None:
    with pytest.raises(NoSuchAddress):
        listed(endpoint(store), f"/sitemaps/{path}")


@pytest.mark.parametrize("level", range(5))
def test_a_period_with_too_many_changes_is_divided_as_far_as_necessary(level: int) -> None:
    distances = (timedelta(days=40), timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))
    times = [format_time(MOMENT + number * distances[level]) for number in range(6)]
    windows = windows_of(times, most=1)
    assert len(windows) == 6
    for window, time in zip(windows, times, strict=True):
        assert window.last == time
        period = period_of(window.name)
        assert period is not None
        assert format_time(period[0]) <= time <= format_time(period[1])


def test_a_second_is_never_divided() -> None:
    assert [each.name for each in windows_of(["2025-07-10T14:22:30Z"] * 5_000)] == ["2025-07-10T14:22:30"]


def test_windows_of_many_records_take_the_memory_of_a_few_thousand() -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            windows = windows_of(format_time(MOMENT + timedelta(seconds=13 * number)) for number in range(count))
            assert count / MAX_RECORDS <= len(windows) < 10 * count / MAX_RECORDS + 40
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(20_000) < 1.25 * peak(5_000) + 100_000


def test_times_of_an_incomplete_index_are_sorted(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    before = listed(endpoint(store), "/sitemap.xml")
    listing = store.change_times

    def reversed_times(repository: str, limit: int, after: str | None) -> tuple[list[str], str | None]:
        times, position = listing(repository, limit, after)
        return [*reversed(times)], position

    with pytest.raises(UnorderedTimes):
        windows_of(["2025-07-10T14:22:30Z", "2025-07-10T14:22:29Z"])
    monkeypatch.setattr(store, "change_times", reversed_times)
    assert listed(endpoint(store), "/sitemap.xml") == before


def test_resourcesync_leads_from_its_source_description_to_the_records(light: System) -> None:
    def addresses(path: str, capability: str) -> list[str]:
        root = ET.fromstring(light.get(path).body)  # noqa: S314 - our own text
        metadata: Any = root.find(f"{RS}md")
        assert metadata.attrib["capability"] == capability
        return [str(each.text).removeprefix(BASE_URL) for each in root.iter(f"{SITEMAP}loc")]

    pids = [
        record_
        for capabilities in addresses("/.well-known/resourcesync", "description")
        for index in addresses(capabilities, "capabilitylist")[:1]
        for sitemap in addresses(index, "resourcelist")
        for record_ in addresses(sitemap, "resourcelist")
    ]
    assert pids
    assert light.get(pids[0]).status in {200, 302}
    assert f"Sitemap: {BASE_URL}/sitemap.xml\n" in light.get("/robots.txt").body
    assert light.get("/sitemap.xml").headers["access-control-allow-origin"] == "*"
