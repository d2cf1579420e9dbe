"""Changes of records: conditional, visible in time (`docs/explanation/caching.md`), withdrawals permanent."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e.created_records import HERE, THERE, Holding, Minted
from tests.e2e.service import HISTORY, RECORDS, Service

CHANGES = 10  # seconds in which a change to a record is seen (docs/explanation/caching.md)

BODIES: dict[str, Any] = {
    "PUT": {"uri": THERE},
    "PATCH": {"metadata": {"what": "A thing"}},
    "DELETE": {"reason": "It was wrong"},
}


class TestConditions:
    @pytest.mark.parametrize("method", BODIES)
    def test_a_change_says_which_version_it_is_made_from(self, service: Service, holding: Holding, method: str) -> None:
        minted = holding.mint()
        document = BODIES[method]
        assert service.admin(method, minted.stored, document).refusal == (428, "precondition-required")
        assert service.admin(method, minted.stored, document, If_Match='"stale"').refusal == (412, "outdated")
        assert service.admin(method, minted.stored, document, If_Match=f"W/{minted.tag}").refusal == (412, "outdated")
        changed = service.admin(method, minted.stored, document, If_Match=minted.tag)
        assert (changed.status, changed.json()["version"]) == (200, 2)
        assert changed.headers["etag"] != minted.tag
        again = service.admin(method, minted.stored, document, If_Match=minted.tag)
        assert again.refusal == ((409, "already-withdrawn") if method == "DELETE" else (412, "outdated"))

    def test_replacing_replaces_and_patching_merges(self, service: Service, holding: Holding) -> None:
        minted = holding.mint(metadata={"what": "A thing", "how": {"a": 1, "b": 2}}, ttl=7)
        patched = holding.changed("PATCH", minted, {"metadata": {"how": {"a": None, "c": 3}}}).json()
        assert patched["metadata"] == {"what": "A thing", "how": {"b": 2, "c": 3}}
        assert ([each["uri"] for each in patched["records"]], patched["ttl"]) == ([HERE], 7)
        replaced = holding.changed("PUT", minted, {"uri": THERE}).json()
        assert (replaced["metadata"], [each["uri"] for each in replaced["records"]]) == ({}, [THERE])
        assert "ttl" not in replaced
        for member in ("id", "pid", "repository", "created", "issuer"):
            assert replaced[member] == minted.document[member]

    def test_what_changes_nothing_makes_no_version(self, service: Service, holding: Holding) -> None:
        minted = holding.mint()
        reply = service.admin("PUT", minted.stored, {"uri": HERE}, If_Match=minted.tag)
        assert (reply.status, reply.headers["etag"], reply.json()) == (200, minted.tag, minted.document)

    def test_another_kind_of_patch_is_415(self, service: Service, holding: Holding) -> None:
        minted = holding.mint()
        patch: dict[str, Any] = {"body": b"[]", "Content_Type": "application/json-patch+json"}
        reply = service.request("PATCH", minted.stored, key=service.key, If_Match=minted.tag, **patch)
        assert reply.refusal == (415, "unsupported-patch")
        assert reply.headers["accept-patch"] == "application/merge-patch+json"

    def test_what_nobody_has_is_404_whatever_is_done_to_it(self, service: Service, holding: Holding) -> None:
        stored = f"{RECORDS}/{holding.prefix}/zzzz-zzzz-90"
        assert service.admin("GET", stored).refusal == (404, "unregistered-identifier")
        for method, document in BODIES.items():
            assert service.admin(method, stored, document, If_Match="*").refusal == (404, "unregistered-identifier")


@dataclass(frozen=True)
class Overtaken:
    """Records that were asked for, and then changed: `replaced` is at `THERE` now, `withdrawn` is gone."""

    replaced: Minted
    tag: str
    document: dict[str, Any]
    withdrawn: Minted


@pytest.fixture(scope="module")
def overtaken(service: Service, holding: Holding) -> Overtaken:
    replaced, withdrawn = holding.mint(ttl=0), holding.mint(ttl=0)
    first = service.get(replaced.path)
    assert first.headers["location"] == service.get(withdrawn.path).headers["location"] == HERE
    document = holding.changed("PUT", replaced, {"uri": THERE, "ttl": 0}).json()
    holding.changed("DELETE", withdrawn, {"reason": "It was wrong"})
    return Overtaken(replaced, first.headers["etag"], document, withdrawn)


class TestReaders:
    def test_a_change_is_seen_by_all_in_the_promised_time(self, service: Service, overtaken: Overtaken) -> None:
        path = overtaken.replaced.path
        assert service.seen_within(CHANGES, lambda: service.get(path).headers["location"], THERE) == THERE
        # Each of these may be answered by another environment of the function, which has a memory of its own.
        assert service.seen_within(CHANGES, lambda: service.get(path).headers["etag"] != overtaken.tag, True)
        assert service.seen_within(CHANGES, lambda: service.get(path, If_None_Match=overtaken.tag).status, 302) == 302
        document = service.seen_within(CHANGES, lambda: service.get(f"{path}?format=linkid").json(), overtaken.document)
        assert document == overtaken.document

    def test_so_is_a_withdrawal(self, service: Service, overtaken: Overtaken) -> None:
        path = overtaken.withdrawn.path
        assert service.seen_within(CHANGES, lambda: service.get(path).status, 410) == 410


class TestTombstones:
    def test_they_say_when_why_and_what_came_after(self, service: Service, tombstone: Minted) -> None:
        reply = service.get(f"{tombstone.path}?format=linkid")
        record = reply.json()
        assert (reply.status, record["status"], record["version"]) == (410, "withdrawn", 2)
        assert record["withdrawn"]["reason"] == "It was wrong"
        assert record["withdrawn"]["successor"] == "https://new.example/"
        assert record["withdrawn"]["at"] == record["updated"]
        assert reply.canonical == tombstone.pid
        assert "max-age=300" in reply.headers["cache-control"]
        page = service.get(tombstone.path, Accept="text/html")
        assert page.status == 410
        assert "It was wrong" in page.text

    def test_they_cannot_be_changed_nor_minted_again(
        self, service: Service, holding: Holding, tombstone: Minted
    ) -> None:
        for method, document in BODIES.items():
            assert service.admin(method, tombstone.stored, document, If_Match="*").refusal == (409, "already-withdrawn")
        again = service.admin("POST", RECORDS, {"prefix": holding.prefix, "id": tombstone.id, "uri": HERE})
        assert again.refusal == (409, "identifier-taken")

    def test_the_versions_before_stay_readable(self, service: Service, tombstone: Minted) -> None:
        first = service.get(f"{tombstone.path}?format=linkid&version=1")
        assert (first.status, first.json()) == (200, tombstone.document)
        assert service.get(f"{tombstone.path}?format=linkid&version=3").refusal == (404, "unknown-version")


def test_the_history_has_every_version_newest_first(service: Service, holding: Holding) -> None:
    minted = holding.mint(metadata={"n": 1})
    for number in (2, 3):
        holding.changed("PATCH", minted, {"metadata": {"n": number}})
    versions = service.admin("GET", HISTORY + minted.path).json()["versions"]
    assert [each["version"] for each in versions] == [3, 2, 1]
    for number in (1, 2, 3):
        stored = service.admin("GET", f"{minted.stored}?version={number}").json()
        assert stored["metadata"] == {"n": number}
        assert service.get(f"{minted.path}?format=linkid&version={number}").json() == stored
    assert service.request("GET", HISTORY + minted.path).refusal == (401, "unauthenticated")
