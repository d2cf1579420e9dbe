"""The latest records of a repository that is listed."""

import json
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request
from coolid.http.public.latest_records import MOST
from coolid.http.public.sitemaps import SitemapEndpoint
from coolid.identifiers.schemes import lui
from coolid.model.records import RESERVED, WITHDRAWN, Withdrawal
from coolid.resolution.caching_reader import CachingReader
from tests.support.builders.samples import BASE_URL, MOMENT, namespace, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore


def store(*, is_listed: bool = True) -> MemoryStore:
    filled = MemoryStore()
    prefix = namespace("mp")
    filled.rows["mp"] = replace(prefix, repository=replace(prefix.repository, listed=is_listed))
    return filled


def latest(records: MemoryStore, repository_id: str) -> list[dict[str, Any]]:
    endpoint = SitemapEndpoint(CachingReader(records, lambda: 0.0), records, FixedClock(), BASE_URL)
    answer = endpoint.listing(Request("GET", "/"), f"{repository_id}/latest.json")
    assert answer.headers["Content-Type"] == "application/json"
    found: list[dict[str, Any]] = json.loads(answer.body)["records"]
    return found


def test_public_records_are_listed_the_latest_change_first() -> None:
    filled = store()
    for number in range(MOST + 5):
        filled.create_record(record(lui.encode(number), updated=MOMENT + timedelta(seconds=number)))
    later = MOMENT + timedelta(hours=1)
    filled.create_record(record(lui.encode(9_000), status=RESERVED, updated=later))
    filled.create_record(
        record(lui.encode(9_001), status=WITHDRAWN, withdrawn=Withdrawal(later, "gone"), updated=later)
    )
    found = latest(filled, repository().id)
    assert len(found) == MOST
    assert found[0]["pid"].replace("-", "").endswith(lui.encode(MOST + 4))
    assert [each["updated"] for each in found] == sorted((each["updated"] for each in found), reverse=True)


def test_of_a_record_only_the_current_version_is_listed_with_its_title() -> None:
    filled = store()
    first = record(lui.encode(1), metadata={"what": "Draft"})
    filled.create_record(first)
    second = replace(first, version=2, metadata={"what": "x" * 300}, updated=MOMENT + timedelta(seconds=9))
    filled.replace_record(second, first)
    (only,) = latest(filled, first.repository)
    assert only["title"] == "x" * 200 + "…"


@pytest.mark.parametrize("repository_id", [repository().id, "unknown"])
def test_a_repository_that_is_not_listed_has_no_list(repository_id: str) -> None:
    with pytest.raises(NoSuchAddress):
        latest(store(is_listed=False), repository_id)
