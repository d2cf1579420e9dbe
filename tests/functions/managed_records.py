"""Operations of managers, for tests of public reads: repositories, records, changes, tombstones."""

from itertools import count
from typing import Any

from tests.support.fixtures.system import System

HERE = "https://content.example.org/here"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
LINKID = "application/linkid+json"

_numbers = count(1)


def alias(system: System, prefix: str | None = None, **members: Any) -> str:
    """A prefix of a new repository's."""
    name = prefix or f"rules{next(_numbers)}"
    made = system.admin("POST", "/api/v1/repositories", {"title": name} | members)
    assert made.status == 201, made.body
    named = {"kind": "namespace", "repository": made.json()["id"]}
    answer = system.admin("PUT", f"/api/v1/prefixes/{name}", named)
    assert answer.status == 201, answer.body
    return name


def mint(system: System, prefix: str, **members: Any) -> str:
    """The path of a new record; at `HERE` unless `members` say otherwise."""
    places = {} if "records" in members or "uri" in members else {"uri": HERE}
    minted = system.mint({"prefix": prefix, **places, **members})
    assert minted.status == 201, minted.body
    return f"/{prefix}:{minted.json()['id']}"


def amend(system: System, method: str, path: str, document: Any) -> None:
    tag = system.request("GET", f"/api/v1/records{path}", key=system.admin_key).headers["etag"]
    answer = system.request(
        method, f"/api/v1/records{path}", document=document, key=system.admin_key, headers=[("If-Match", tag)]
    )
    assert answer.status == 200, answer.body


def gone(system: System, prefix: str, **members: Any) -> str:
    """The path of a tombstone."""
    path = mint(system, prefix, **members)
    amend(system, "DELETE", path, {"reason": "It was wrong", "successor": "https://new.example/"})
    return path
