"""Senders that answer with something wrong: the recipient stores and signs nothing, and says why."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.model.custody import CustodyTransfer, custody_of, with_custody
from coolid.model.records import Record, format_time
from coolid.proofs.statements import digest_of
from tests.support.fixtures.operators import Operator, Operators, document_of, name_of

Page = dict[str, Any]
Alteration = Callable[[Page], Any]


class LyingOperators(Operators):
    """Operators whose answers at addresses with the ending `where` are altered on their way."""

    where = ""
    alter: Alteration = staticmethod(lambda page: page)

    def request(self, method: str, url: str, body: bytes | None, max_bytes: int) -> tuple[int, bytes]:
        """See `Operators.request`."""
        status, answer = super().request(method, url, body, max_bytes)
        if not self.where or self.where not in url:
            return status, answer
        altered = self.alter(json.loads(answer))
        return status, altered if isinstance(altered, bytes) else json.dumps(altered).encode()


@pytest.fixture
def operators(tmp_path: Path) -> Iterator[LyingOperators]:
    operators = LyingOperators(tmp_path)
    yield operators
    operators.close()


@pytest.fixture
def a(operators: LyingOperators) -> Operator:
    """The sender."""
    return operators.add("a")


@pytest.fixture
def b(operators: LyingOperators) -> Operator:
    """The recipient."""
    return operators.add("b")


@pytest.fixture
def name(a: Operator, b: Operator) -> str:
    """A LinkID with three versions, the last of which is an offer."""
    name = name_of(a.mint())
    assert a.manage("PUT", f"records/{name}", {"uri": "https://content.example.org/v2"}).status == 200
    assert a.manage("PUT", f"custody/{name}", {"to": b.base_url}).status == 200
    return name


def accept(b: Operator, name: str) -> tuple[int, str]:
    """The status and the detail of an acceptance."""
    answer = b.manage("POST", "custody/acceptances", {"linkid": name, "from": "https://a.example"})
    return answer.status, document_of(answer).get("detail", "")


def versions(change: Callable[[list[dict[str, Any]]], Any]) -> Alteration:
    """Alter the versions of a page."""

    def alter(page: Page) -> Page:
        listed = page["versions"]
        return {**page, "versions": change(listed) or listed}

    return alter


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (lambda _: b"<!doctype html>", "not JSON"),
        (lambda _: [], "not a JSON object"),
        (lambda page: {**page, "versions": {}}, "invalid list of versions"),
        (lambda page: {**page, "next": 0}, "do not advance"),
        (versions(lambda listed: listed[:1] + listed[2:]), "leaves out versions"),
        (versions(lambda listed: listed[-1].update(status="withdrawn")), "fails verification"),
        (versions(lambda listed: listed[-1]["records"].append({"uri": "https://evil.example/"})), "fails verification"),
        (versions(lambda listed: listed[0].update(records=[])), "fails verification"),
        (versions(lambda listed: listed[0].update(proof=None)), "fails verification"),
        (versions(lambda listed: [*listed[:-1], {**listed[-1], "proof": listed[0]["proof"]}]), "fails verification"),
    ],
)
def test_altered_versions_are_refused(
    alter: Alteration, reason: str, operators: LyingOperators, a: Operator, b: Operator, name: str
) -> None:
    operators.where, operators.alter = "?after=", staticmethod(alter)
    status, detail = accept(b, name)
    assert (status, reason in detail) == (502, True), detail
    assert (b.current(name), a.target(name)) == (None, (302, "https://content.example.org/v2"))
    operators.where = ""
    assert accept(b, name)[0] == 200


def test_versions_of_another_linkid_are_refused(operators: LyingOperators, a: Operator, b: Operator, name: str) -> None:
    other = name_of(a.mint())
    assert a.manage("PUT", f"custody/{other}", {"to": b.base_url}).status == 200
    page = document_of(a.send("GET", f"/api/v1/custody/{other}"))
    operators.where, operators.alter = "?after=", staticmethod(lambda _: page)
    assert accept(b, name) == (
        502,
        f"Version 1 of https://a.example is about {page['versions'][0]['id']}, not about {name}.",
    )


def test_a_version_of_the_future_is_refused(operators: LyingOperators, a: Operator, b: Operator, name: str) -> None:
    """The sender signs it, so only its time is wrong."""
    offer = a.current(name)
    assert offer is not None
    late = a.prover.prove(replace(offer, proof=None, updated=offer.updated + timedelta(days=1)))
    alter = versions(lambda listed: [*listed[:-1], late.to_document()])
    operators.where, operators.alter = "?after=", staticmethod(alter)
    expected = f"The current version of https://a.example is dated {format_time(late.updated)}, in the future."
    assert accept(b, name) == (502, expected)
    assert b.current(name) is None


def forged(a: Operator, offer: Record, **members: Any) -> Callable[[Page], Page]:
    """Replace the transfer by another one, which the sender signs."""

    def alter(answer: Page) -> Page:
        stated = custody_of(answer["metadata"]).transfers[-1]
        transfers: tuple[CustodyTransfer, ...] = (replace(stated, **members),) if members else ()
        unsigned = replace(
            Record.from_document(answer),
            metadata=with_custody({}, replace(custody_of({}), transfers=transfers)),
            previous=digest_of(offer.to_document()),
            proof=None,
        )
        return a.prover.prove(unsigned).to_document()

    return alter


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"recipient": "https://c.example"},
        {"sender": "https://z.example"},
        {"version": 3},
        {"acceptance": "x.y.z"},
    ],
)
def test_a_transfer_that_is_none_is_refused_and_nothing_is_signed(
    members: dict[str, Any], operators: LyingOperators, a: Operator, b: Operator, name: str
) -> None:
    offer = a.current(name)
    assert offer is not None
    operators.where, operators.alter = "/transfers", staticmethod(forged(a, offer, **members))
    assert accept(b, name)[0] == 502
    assert b.current(name) == offer.stored_in(b.namespace.repository.id)
    operators.where = ""
    assert accept(b, name)[0] == 200
