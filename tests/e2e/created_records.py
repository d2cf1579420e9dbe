"""Repositories, prefixes and records that the tests create in a service, under unique names.

A resolver of persistent identifiers deletes nothing, so these names stay. They begin with `e2e-`, are DOI prefixes with
nine digits, which no registration agency assigns, or are below the NAAN 99999, which is reserved for tests.
"""

import secrets
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.e2e.service import PREFIXES, RECORDS, REPOSITORIES, Service
from tests.support.servers.responses import Reply

NEW_PREFIXES = 60
"""Seconds within which a new prefix resolves if its first part, here the year, was in a cache (docs: caching.md)."""
HERE = "https://content.example.org/here"
THERE = "https://content.example.org/there"
LINKID = "linkid"


@dataclass(frozen=True)
class Minted:
    """A record as it was minted: the `path` that resolves it, where it is `stored`, its tag, its document."""

    path: str
    stored: str
    tag: str
    document: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.document["id"])

    @property
    def pid(self) -> str:
        return str(self.document["pid"])


@dataclass(frozen=True)
class Holding:
    """A repository with its prefixes, the canonical one first."""

    service: Service
    repository: str
    prefixes: tuple[str, ...]

    @property
    def prefix(self) -> str:
        return self.prefixes[0]

    def mint(self, **members: Any) -> Minted:
        """A new record, at `HERE` unless something else is said."""
        where = {} if members.keys() & {"uri", "records"} else {"uri": HERE}
        return self.minted(self.service.admin("POST", RECORDS, {"prefix": self.prefix, **where, **members}))

    def minted(self, reply: Reply) -> Minted:
        """The record that an answer to a mint tells of."""
        assert reply.status == 201, reply.body
        path = self.service.path_of(reply.headers["location"])
        return Minted(path, RECORDS + path, reply.headers["etag"], reply.json())

    def changed(self, method: str, minted: Minted, document: Any) -> Reply:
        """The answer to a change of the version that there is."""
        tag = self.service.admin("GET", minted.stored).headers["etag"]
        reply = self.service.admin(method, minted.stored, document, If_Match=tag)
        assert reply.status == 200, reply.body
        return reply


def fresh_name() -> str:
    """A prefix that nobody has."""
    return f"e2e-{secrets.token_hex(6)}"


def dated(name: str) -> str:
    """Return a date-qualified prefix of a random year. Two tests rarely draw the same year (see `NEW_PREFIXES`)."""
    return f"{1000 + secrets.randbelow(9000)}/{1 + secrets.randbelow(12):02}/{name}"


def doi_prefix() -> str:
    """A DOI prefix as there is none."""
    return f"10.{10**8 + secrets.randbelow(9 * 10**8)}"


def ark_prefix() -> str:
    """A name under the NAAN for tests."""
    return f"ark:99999/{fresh_name().replace('-', '')}"


def hold(service: Service, *prefixes: str, **members: Any) -> Holding:
    """Return a new repository with these prefixes, or with one of its own, once date-qualified prefixes resolve."""
    names = prefixes or (fresh_name(),)
    made = service.admin("POST", REPOSITORIES, {"title": names[0], **members})
    assert made.status == 201, made.body
    holding = Holding(service, made.json()["id"], names)
    for name in names:
        named = service.admin("PUT", f"{PREFIXES}/{name}", {"kind": "namespace", "repository": holding.repository})
        assert named.status == 201, named.body
    for name in names:
        if name.count("/") == 2:
            assert service.seen_within(NEW_PREFIXES, partial(_status, service, f"/{name}"), 200) == 200, name
    return holding


def linkids(service: Service) -> Holding:
    """Return the repository of the prefix `linkid`, which a service has once; the first test creates it."""
    if service.admin("GET", f"{PREFIXES}/{LINKID}").status == 404:
        rules = {"title": "LinkIDs", "scheme": "uuid", "rules": {"version": 4}}
        made = service.admin("POST", REPOSITORIES, rules).json()
        named = service.admin("PUT", f"{PREFIXES}/{LINKID}", {"kind": "namespace", "repository": made["id"]})
        assert named.status in (201, 409), named.body  # 409: another process was faster
    return Holding(service, service.admin("GET", f"{PREFIXES}/{LINKID}").json()["repository"], (LINKID,))


def _status(service: Service, path: str) -> int:
    return service.get(path).status


def register(service: Service, name: str, **members: Any) -> dict[str, Any]:
    """A new prefix of identifiers that are kept elsewhere; its document."""
    answer = service.admin("PUT", f"{PREFIXES}/{name}", {"kind": "provider", **members})
    assert answer.status == 201, answer.body
    document: dict[str, Any] = answer.json()
    return document
