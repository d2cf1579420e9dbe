"""A scope on an alias of a repository covers its PIDs in every spelling, and those of no other repository."""

from typing import Any

import pytest

from tests.support.builders.samples import namespace, repository
from tests.support.fixtures.application import HERE, RECORDS, InMemoryApplication

HISTORY = "/api/v1/history"
SPELLINGS = ("demo", "2021/06/demo", "10.5072", "ark:98989/fk4")
OTHERS = ("2021/06/demo/maps", "demos", "2021/06/other")
"""Namespaces of another repository, with names that begin like those of the first."""
IF_ANY = (("If-Match", "*"),)


@pytest.fixture(scope="module")
def app() -> InMemoryApplication:
    app = InMemoryApplication()
    owner = repository(canonical="2021/06/demo")
    for name in SPELLINGS[2:]:
        app.store.put_prefix(namespace(name, owner), None)
    app.store.create_repository(repository("zzzz-zzzz-90"))
    other = repository("zzzz-zzzz-90", canonical=OTHERS[0])
    for name in OTHERS:
        app.store.put_prefix(namespace(name, other), None)
    return app


def minted(app: InMemoryApplication, prefix: str, **members: Any) -> str:
    answer = app.request("POST", RECORDS, {"prefix": prefix, "uri": HERE} | members)
    assert answer.status == 201, answer.body
    return str(answer.json()["id"])


def spelled(prefix: str, identifier: str) -> str:
    return f"{prefix}{'' if prefix.startswith('ark:') else '/'}{identifier}"


SCOPES = [*SPELLINGS, "2021", "2021/06", "ark:98989"]


@pytest.mark.parametrize("scope", SCOPES)
def test_every_spelling_is_covered(app: InMemoryApplication, scope: str) -> None:
    identifier = minted(app, "demo", status="reserved")
    key = app.key_with(f"mint:{scope}", f"update:{scope}")
    for prefix in SPELLINGS:
        pid = spelled(prefix, identifier)
        assert app.request("GET", f"{RECORDS}/{pid}", key=key).status == 200
        assert app.request("GET", f"{RECORDS}/{pid}", query="version=1", key=key).status == 200
        assert app.request("GET", f"{HISTORY}/{pid}", key=key).status == 200
        changed = app.request("PUT", f"{RECORDS}/{pid}", {"uri": HERE}, key=key, headers=IF_ANY)
        assert changed.status == 200, changed.body
    pid = spelled("2021/06/demo", identifier)
    assert app.request("DELETE", f"{RECORDS}/{pid}", {"reason": "x"}, key=key, headers=IF_ANY).status == 200


@pytest.mark.parametrize("scope", [*SPELLINGS, "ark:98989"])
def test_no_other_repository_is(app: InMemoryApplication, scope: str) -> None:
    """A scope on `2021/06/demo` also covers the names that extend it, as it always did."""
    identifier = minted(app, "demos", status="reserved")
    key = app.key_with(f"mint:{scope}", f"update:{scope}")
    for prefix in OTHERS if scope != "2021/06/demo" else ():
        pid = spelled(prefix, identifier)
        assert app.request("GET", f"{RECORDS}/{pid}", key=key).is_problem(404)
        assert app.request("PUT", f"{RECORDS}/{pid}", {"uri": HERE}, key=key, headers=IF_ANY).is_problem(403)


def test_verbs_stay_apart(app: InMemoryApplication) -> None:
    pid = spelled("2021/06/demo", minted(app, "demo"))
    for verb in ("mint", "watch"):
        answer = app.request("PUT", f"{RECORDS}/{pid}", {"uri": HERE}, key=app.key_with(f"{verb}:demo"), headers=IF_ANY)
        assert answer.is_problem(403)
        assert "update:2021/06/demo" in answer.body


def test_a_prefix_that_a_request_names_is_one_of_the_scope(app: InMemoryApplication) -> None:
    """The caller chooses the prefix of a mint or of a list, so it is no other than those that the scope names."""
    key = app.key_with("mint:demo", "update:demo")
    for prefix, status in (("demo", 200), ("2021/06/demo", 403)):
        for path in (RECORDS, "/api/v1/changes"):
            assert app.request("GET", path, query=f"prefix={prefix}", key=key).status == status
        assert app.request("GET", f"/api/v1/links/{prefix}", key=key).status == status
        minting = app.request("POST", RECORDS, {"prefix": prefix, "uri": HERE}, key=key)
        assert minting.status == (201 if status == 200 else 403)
