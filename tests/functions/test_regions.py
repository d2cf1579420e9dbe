"""Two regions over the same tables, each with functions and a signing key of its own: one writes, both read.

The functions are those that Lambda runs, and get their region from the environment. Tables without lag stand for
replicas; `test_region_histories` tests lagging ones.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3
import pytest

from coolid import verify
from coolid.aws.clock import SystemClock
from coolid.local.stack import find_template
from coolid.local.table_setup import create_tables
from coolid.registry.home_regions import CACHE_TTL, MOVE_DURATION
from coolid.transfer.progress import TransferProgress
from coolid.wiring import transfer
from tests.support.builders.stack import create_keys, load
from tests.support.fixtures.functions import Functions
from tests.support.fixtures.system import Answer, System, system_over_tables

EU, US = "eu-west-1", "us-east-1"
HERE = "https://content.example.org/here"
RECORDS = "/api/v1/records"
REPOSITORIES = "/api/v1/repositories"
LONG = MOVE_DURATION + timedelta(seconds=1)

_numbers = count()


def functions_in(region: str, system: System, *, home: str = "") -> System:
    """The functions of another stack over the same tables; only receipts are its own."""
    stack, receipts = load(find_template()), f"receipts-{next(_numbers)}"
    create_tables(stack.tables, {"RequestTable": receipts})
    returned = {"AWS_REGION": region, "HOME_REGION": home, "REQUEST_TABLE": receipts}
    environment = dict(system.environment) | returned | {"SIGNING_KEY_ID": create_keys(stack)["SigningKey"]}
    with patch.dict(os.environ, environment):
        return replace(system, invoke=Functions.load().invoke, environment=environment)


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system without regions, whose tables the others share."""
    with system_over_tables(tmp_path_factory.mktemp("regions")) as running:
        yield running


@pytest.fixture(scope="session")
def eu(alone: System) -> System:
    """Where names are kept."""
    return functions_in(EU, alone)


@pytest.fixture(scope="session")
def us(alone: System) -> System:
    return functions_in(US, alone, home=EU)


@dataclass(frozen=True)
class Owner:
    """A repository: the address where it is managed, its id, and an alias of its own."""

    path: str
    id: str
    alias: str


@pytest.fixture
def owner(eu: System) -> Owner:
    """One that is at home in `EU`."""
    return made(eu)


def made(system: System, **members: Any) -> Owner:
    answer = system.admin("POST", REPOSITORIES, {"title": "Materials", **members})
    assert answer.status == 201, answer.body
    identifier = answer.json()["id"]
    made = Owner(f"{REPOSITORIES}/{identifier}", identifier, f"a{next(_numbers)}")
    assert named(system, made.alias, made).status == 201
    return made


def named(system: System, alias: str, owner: Owner) -> Answer:
    return system.admin("PUT", f"/api/v1/prefixes/{alias}", {"kind": "namespace", "repository": owner.id})


def mint(system: System, owner: Owner, **members: Any) -> Answer:
    return system.mint({"prefix": owner.alias, "uri": HERE, **members})


def change(system: System, method: str, path: str, document: Any) -> Answer:
    body = json.dumps(document).encode()
    return system.request(method, path, headers=[("If-Match", "*")], body=body, key=system.admin_key)


@contextmanager
def later(by: timedelta = LONG) -> Iterator[None]:
    """A while later."""

    def now(_: SystemClock, real: Callable[[SystemClock], datetime] = SystemClock.now) -> datetime:
        return real(SystemClock()) + by

    with patch.object(SystemClock, "now", now):
        yield


def is_refused(answer: Answer, home: str = EU) -> bool:
    return answer.is_problem(409, "home-elsewhere") and answer.json()["home"] == home


class TestMinting:
    def test_the_home_mints_the_other_refuses_before_anything_is_written_and_both_resolve(
        self, eu: System, us: System, owner: Owner
    ) -> None:
        minted = mint(eu, owner)
        assert minted.status == 201
        before = us.contents()
        for wanted in ({}, {"id": "tw0t-ywdj-94"}, {"status": "reserved"}):
            assert is_refused(mint(us, owner, **wanted))
        assert us.contents() == before
        for system in (eu, us):
            path = minted.json()["pid"].partition("example.org")[2]
            assert system.get(path).headers["location"] == HERE
            assert system.admin("GET", RECORDS + path).json() == minted.json()

    @pytest.mark.parametrize("scheme", ["pilin", "noid"])
    def test_nothing_is_counted_elsewhere(self, eu: System, us: System, scheme: str) -> None:
        counted = made(eu, scheme=scheme)
        before = us.contents()
        assert is_refused(mint(us, counted))
        assert us.contents() == before
        assert mint(eu, counted).status == 201

    def test_nothing_is_spent_of_a_quota_elsewhere(self, eu: System, us: System, owner: Owner) -> None:
        client = {"scopes": [f"mint:{owner.alias}"], "quota": {"minute": 1}}
        key, wanted = eu.admin("POST", "/api/v1/clients", client).json()["key"], {"prefix": owner.alias, "uri": HERE}
        assert is_refused(us.mint(wanted, key))
        assert eu.mint(wanted, key).status == 201
        assert eu.mint(wanted, key).is_problem(429, "quota-exceeded")

    def test_each_line_of_a_batch_is_refused_for_itself(self, eu: System, us: System, owner: Owner) -> None:
        there = made(eu, home=US)
        lines = [{"prefix": each.alias, "uri": HERE} for each in (owner, there, owner)]
        answers = us.admin("POST", f"{RECORDS}/batch", lines).json()
        assert [each["status"] for each in answers] == [409, 201, 409]
        assert answers[0]["problem"]["home"] == EU
        assert answers[1]["record"]["repository"] == there.id

    def test_a_request_that_was_performed_at_home_is_not_performed_elsewhere(
        self, eu: System, us: System, owner: Owner
    ) -> None:
        """There is no receipt for it there."""

        def send(system: System) -> Answer:
            headers = [("Idempotency-Key", "a")]
            return system.request("POST", RECORDS, headers=headers, document={"prefix": owner.alias}, key=eu.admin_key)

        first = send(eu)
        assert is_refused(send(us))
        assert send(eu).json() == first.json()

    def test_a_missing_scope_is_reported_first(self, us: System, owner: Owner) -> None:
        assert us.mint({"prefix": owner.alias}, us.key_with("mint:other")).is_problem(403)


class TestChanging:
    @pytest.mark.parametrize(
        ("method", "document"),
        [
            ("PUT", {"uri": "https://content.example.org/there"}),
            ("PATCH", {"status": "active"}),
            ("PATCH", {"metadata": {"what": "another"}}),
            ("DELETE", {"reason": "It was wrong"}),
        ],
    )
    def test_a_record_changes_at_home_and_in_no_other_place(
        self, eu: System, us: System, owner: Owner, method: str, document: Any
    ) -> None:
        path = f"{RECORDS}/{owner.alias}:{mint(eu, owner, status='reserved').json()['id']}"
        before = us.contents()
        assert is_refused(change(us, method, path, document))
        assert us.contents() == before
        assert change(eu, method, path, document).json()["version"] == 2
        for system in (eu, us):
            assert len(system.admin("GET", path.replace("records", "history")).json()["versions"]) == 2


class TestNames:
    def test_prefixes_are_registered_and_changed_in_the_home_region_of_the_names(
        self, eu: System, us: System, owner: Owner
    ) -> None:
        provider = {"kind": "provider", "providers": [{"code": "a", "url": "https://a.example/{$id}"}]}
        before = us.contents()
        assert is_refused(named(us, "another", owner))
        assert is_refused(us.admin("PUT", "/api/v1/prefixes/go", provider))
        assert is_refused(named(us, owner.alias, owner))
        assert us.contents() == before
        assert eu.admin("PUT", "/api/v1/prefixes/go", provider).status == 201
        assert us.get("/go:1").status == 302

    def test_repositories_change_in_the_home_region_of_the_names(self, eu: System, us: System, owner: Owner) -> None:
        before = us.contents()
        for patched in ({"title": "Other"}, {}, {"home": EU}, {"home": None}, {"home": US, "title": "Other"}):
            assert is_refused(change(us, "PATCH", owner.path, patched))
            assert is_refused(us.admin("PATCH", owner.path, patched)), "where it is done is told first"
        assert us.contents() == before
        assert change(eu, "PATCH", owner.path, {"title": "Other"}).status == 200
        assert us.admin("GET", owner.path).json()["title"] == "Other"

    def test_a_repository_may_be_created_anywhere_and_is_at_home_there(self, eu: System, us: System) -> None:
        created = [each.admin("POST", REPOSITORIES, {"title": "x"}).json() for each in (eu, us)]
        assert [each["home"] for each in created] == [EU, US]
        far = Owner(f"{REPOSITORIES}/{created[1]['id']}", created[1]["id"], "far")
        assert is_refused(named(us, "far", far))
        assert named(eu, "far", far).status == 201
        assert is_refused(mint(eu, far), home=US)
        assert mint(us, far).status == 201

    def test_api_keys_are_issued_and_revoked_anywhere(self, eu: System, us: System) -> None:
        """Whoever must take a stolen key back does not wait for a region that is lost."""
        for here, there in ((eu, us), (us, eu)):
            issued = here.admin("POST", "/api/v1/clients", {"scopes": ["admin"]}).json()
            assert there.request("GET", f"{REPOSITORIES}/x", key=issued["key"]).is_problem(404)
            assert there.admin("DELETE", f"/api/v1/clients/{issued['id']}").status == 200
            assert here.request("GET", f"{REPOSITORIES}/x", key=issued["key"]).is_problem(401)

    @pytest.mark.parametrize("home", ["Frankfurt", "eu-west-1a", "", 1])
    def test_a_home_is_a_region(self, eu: System, home: Any) -> None:
        assert eu.admin("POST", REPOSITORIES, {"title": "x", "home": home}).is_problem(422)

    def test_a_repository_without_a_home_belongs_to_the_home_region_of_the_names(
        self, alone: System, eu: System, us: System
    ) -> None:
        older = made(alone)
        assert alone.admin("GET", older.path).json()["home"] is None
        assert is_refused(mint(us, older))
        assert mint(eu, older).status == 201


class TestMoving:
    def test_after_a_while_in_which_nobody_mints_the_new_home_does_and_the_old_one_refuses(
        self, eu: System, us: System, owner: Owner
    ) -> None:
        record = mint(eu, owner).json()
        moved = change(eu, "PATCH", owner.path, {"home": US})
        assert (moved.status, moved.json()["home"]) == (200, US)
        with later(CACHE_TTL):
            assert is_refused(mint(eu, owner), home=US)
            waiting = mint(us, owner)
            assert waiting.is_problem(503, "home-moving")
            assert 0 < int(waiting.headers["retry-after"]) <= MOVE_DURATION.seconds
        with later():
            assert is_refused(mint(eu, owner), home=US)
            assert mint(us, owner).status == 201
            path = f"{RECORDS}/{owner.alias}:{record['id']}"
            assert is_refused(change(eu, "DELETE", path, {"reason": "why"}), home=US)
            assert change(us, "PATCH", path, {"metadata": {"what": "x"}}).json()["version"] == 2

    def test_a_home_can_be_given_back(self, eu: System, us: System, owner: Owner) -> None:
        assert change(eu, "PATCH", owner.path, {"home": US}).status == 200
        assert change(eu, "PATCH", owner.path, {"home": None}).json()["home"] is None
        with later():
            assert mint(eu, owner).status == 201
            assert is_refused(mint(us, owner))

    def test_a_change_of_something_else_moves_nothing(self, eu: System, owner: Owner) -> None:
        assert change(eu, "PATCH", owner.path, {"title": "Other", "home": EU}).status == 200
        assert mint(eu, owner).status == 201

    def test_a_region_may_take_over_when_the_home_is_lost(self, eu: System, us: System, owner: Owner) -> None:
        taken = change(us, "PATCH", owner.path, {"home": US})
        assert (taken.status, taken.json()["home"]) == (200, US)
        assert mint(us, owner).is_problem(503, "home-moving")
        with later():
            assert mint(us, owner).status == 201
            assert is_refused(mint(eu, owner), home=US)

    def test_it_says_what_it_saw_like_any_change(self, us: System, owner: Owner) -> None:
        body = json.dumps({"home": US}).encode()
        assert us.request("PATCH", owner.path, body=body, key=us.admin_key).is_problem(428)
        stale = us.request("PATCH", owner.path, headers=[("If-Match", '"x"')], body=body, key=us.admin_key)
        assert stale.is_problem(412)
        assert us.request("PATCH", owner.path, body=body, key=us.key_with(f"mint:{owner.alias}")).is_problem(403)

    def test_the_home_of_names_moves_by_deploying_the_stacks_again(self, alone: System, owner: Owner) -> None:
        old, new = functions_in(EU, alone, home=US), functions_in(US, alone, home=US)
        assert is_refused(named(old, "new", owner), home=US)
        assert named(new, "new", owner).status == 201
        assert mint(old, owner).status == 201, "a repository that names its home stays there"


class TestProofs:
    def test_records_of_both_regions_verify_with_the_key_set_of_either(self, eu: System, us: System) -> None:
        records = [mint(eu, made(eu)).json(), mint(us, made(eu, home=US)).json()]
        names = {record["proof"].partition(".")[0] for record in records}
        assert len(names) == 2, "each region signs with a key of its own"
        for system in (eu, us):
            keys = system.get("/.well-known/jwks.json").json()
            assert all(verify(record, keys).ok for record in records)


def test_an_import_mints_at_home_only(alone: System, eu: System, tmp_path: Path) -> None:
    far, near = made(eu, home=EU), made(eu, home=boto3.Session().region_name)
    rows = tmp_path / "rows.csv"
    rows.write_text(f"prefix,uri\n{far.alias},{HERE}\n{near.alias},{HERE}\n", encoding="utf-8")
    refused: list[Any] = []
    tally = TransferProgress(refused.append)
    with transfer.open_access(transfer.settings_of(alone.environment, signs=True)) as access:
        transfer.mint(rows, access, None, tally)
    assert (tally.written, [each.line for each in refused]) == (1, [2])
    assert EU in refused[0].reason
