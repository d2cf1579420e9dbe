"""Transfers of custody between the services of two operators, each with its own database and key."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.errors import OtherServiceUnavailable
from coolid.http.message import Response
from coolid.linkid.custody import other_service, received_versions
from coolid.linkid.custody.transfers import MAX_REQUESTS
from coolid.log.subject_entries import version_entry
from coolid.model.custody import custody_of
from coolid.model.records import Content, Location, is_harvested
from coolid.proofs.acceptances import acceptance_statement
from coolid.proofs.verification import verify
from coolid.records.custody import versions
from coolid.store.bulk import BulkWriter
from coolid.store.store import Store
from coolid.wiring.boto_clients import WRITES, dynamodb
from tests.support.builders.histories import stored_versions
from tests.support.fixtures.operators import TARGET, Operator, Operators, document_of, name_of
from tests.support.fixtures.ports import prover
from tests.support.fixtures.system import new_tables, store_over
from tests.support.stores.memory_store import MemoryStore


@pytest.fixture
def operators(tmp_path: Path) -> Iterator[Operators]:
    """No operators yet."""
    operators = Operators(tmp_path)
    yield operators
    operators.close()


@pytest.fixture
def a(operators: Operators) -> Operator:
    """The sender."""
    return operators.add("a")


@pytest.fixture
def b(operators: Operators) -> Operator:
    """The recipient."""
    return operators.add("b")


RECIPIENT = "https://b.example"


def offered(a: Operator, **content: Any) -> str:
    """Mint a record and offer it to the recipient."""
    name = name_of(a.mint(**content))
    answer = a.manage("PUT", f"custody/{name}", {"to": RECIPIENT})
    assert answer.status == 200, answer.body
    return name


def accept(b: Operator, name: str, sender: str = "https://a.example") -> Response:
    """Accept a record."""
    return b.manage("POST", "custody/acceptances", {"linkid": name, "from": sender})


def problem(response: Response) -> tuple[int, str]:
    """The status and the kind of a problem."""
    return response.status, document_of(response)["type"].rpartition("/")[2]


def result(operator: Operator, name: str) -> dict[str, Any]:
    """The resolution result of a LinkID."""
    return document_of(operator.send("GET", f"/{name}", headers={"accept": "application/json"}))


def test_a_record_is_transferred_with_its_history(a: Operator, b: Operator) -> None:
    record = a.mint()
    name = name_of(record)
    offered = a.manage("PUT", f"custody/{name}", {"to": b.base_url})
    assert offered.status == 200, offered.body
    assert a.target(name) == (302, TARGET)
    accepted = b.manage("POST", "custody/acceptances", {"linkid": name, "from": a.base_url})
    assert accepted.status == 200, accepted.body
    assert b.target(name) == (302, TARGET)
    assert a.target(name) == (302, f"{b.base_url}/{name}")
    current = b.current(name)
    assert current is not None
    assert (current.version, current.issuer, current.pid) == (4, b.base_url, f"{b.base_url}/{name}")
    assert custody_of(current.metadata).transfers[0].sender == a.base_url
    history = [each.to_document() for each in stored_versions(b.store.records, current.repository, current.key)]
    keys = {each.base_url: {"keys": [*each.store.public_keys.public_keys()]} for each in (a, b)}
    verdict = verify(history[0], keys[b.base_url], history[1:], issuer_keys=keys)
    assert verdict.complete, verdict
    for operator, is_authoritative in ((a, False), (b, True)):
        found = result(operator, name)
        assert (found["authoritative"], found["authority"]) == (is_authoritative, b.base_url)
        assert [(each["from"], each["to"]) for each in found["custody"]] == [(a.base_url, b.base_url)]
    again = b.manage("POST", "custody/acceptances", {"linkid": name, "from": a.base_url})
    assert document_of(again) == document_of(accepted)


class DynamoOperators(Operators):
    """Operators with tables of DynamoDB."""

    def open(self, name: str) -> tuple[Store, BulkWriter]:
        """See `Operators.open`."""
        tables = new_tables()
        return store_over(tables), DynamoBulkWriter(dynamodb(WRITES), tables["LuiTable"])


@pytest.mark.usefixtures("moto_tables")
def test_a_record_is_transferred_there_and_back_over_dynamodb(tmp_path: Path) -> None:
    operators = DynamoOperators(tmp_path)
    a, b = operators.add("a"), operators.add("b")
    name = offered(a)
    assert accept(b, name).status == 200
    assert b.manage("PUT", f"custody/{name}", {"to": a.base_url}).status == 200
    assert accept(a, name, b.base_url).status == 200
    assert (a.target(name), b.target(name)) == ((302, TARGET), (302, f"{a.base_url}/{name}"))
    found = a.current(name)
    assert found is not None
    assert [each.version for each in stored_versions(a.store.records, found.repository, found.key)] == [
        *range(7, 0, -1)
    ]


def test_a_copy_answers_with_the_targets_of_the_offer_until_the_sender_refuses(
    operators: Operators, a: Operator, b: Operator
) -> None:
    name = offered(a)

    def fail(url: str) -> None:
        if url.endswith("/transfers"):
            raise OtherServiceUnavailable("the message is lost")

    operators.before = fail
    assert problem(accept(b, name)) == (503, "other-service-unavailable")
    assert b.target(name) == (302, TARGET)
    found = result(b, name)
    assert (found["authoritative"], found["authority"], found["target_url"]) == (False, a.base_url, TARGET)
    change = {"uri": "https://content.example.org/v2"}
    assert problem(b.manage("PUT", f"records/{name}", change)) == (409, "custody-elsewhere")
    assert problem(a.manage("PUT", f"records/{name}", change)) == (409, "custody-offered")
    assert a.manage("DELETE", f"custody/{name}").status == 200
    assert a.manage("PUT", f"records/{name}", change).status == 200
    operators.before = lambda _: None
    assert problem(accept(b, name)) == (409, "no-such-offer")
    assert b.target(name) == (302, f"{a.base_url}/{name}")
    assert (result(b, name)["status"], result(b, name)["error"]) == ("unknown", "not_found")
    assert a.target(name) == (302, change["uri"])
    assert a.manage("PUT", f"custody/{name}", {"to": RECIPIENT}).status == 200
    assert accept(b, name).status == 200
    assert b.target(name) == (302, change["uri"])


def test_copies_are_in_no_log_and_no_harvest(a: Operator, b: Operator) -> None:
    name = offered(a)
    assert accept(b, name).status == 200
    found = b.current(name)
    assert found is not None
    history = stored_versions(b.store.records, found.repository, found.key)
    assert [version_entry(each, 0) is not None for each in history] == [True, False, False, False]
    assert [is_harvested(each) for each in history] == [True, False, False, False]


def test_nobody_changes_a_record_that_was_transferred_but_its_authority(a: Operator, b: Operator) -> None:
    name = offered(a)
    assert accept(b, name).status == 200
    for method, path in (("PUT", "records"), ("DELETE", "records"), ("PUT", "custody"), ("DELETE", "custody")):
        document = {"uri": TARGET} if (method, path) == ("PUT", "records") else {"reason": "x"}
        document = {"to": "https://c.example"} if (method, path) == ("PUT", "custody") else document
        assert problem(a.manage(method, f"{path}/{name}", document)) == (409, "custody-elsewhere")
    assert b.manage("PUT", f"records/{name}", {"uri": "https://content.example.org/v2"}).status == 200
    assert a.target(name) == (302, f"{b.base_url}/{name}")


def test_a_record_can_return(a: Operator, b: Operator) -> None:
    name = offered(a)
    assert accept(b, name).status == 200
    assert b.manage("PUT", f"records/{name}", {"uri": "https://content.example.org/v2"}).status == 200
    assert b.manage("PUT", f"custody/{name}", {"to": a.base_url}).status == 200
    answer = accept(a, name, b.base_url)
    assert answer.status == 200, answer.body
    assert a.target(name) == (302, "https://content.example.org/v2")
    assert b.target(name) == (302, f"{a.base_url}/{name}")
    assert [(each["from"], each["to"]) for each in result(a, name)["custody"]] == [
        (a.base_url, b.base_url),
        (b.base_url, a.base_url),
    ]
    assert a.manage("PUT", f"records/{name}", {"uri": TARGET}).status == 200


def test_a_tombstone_can_be_transferred(a: Operator, b: Operator) -> None:
    name = name_of(a.mint())
    assert a.manage("DELETE", f"records/{name}", {"reason": "Gone"}).status == 200
    assert a.manage("PUT", f"custody/{name}", {"to": RECIPIENT}).status == 200
    assert accept(b, name).status == 200
    for operator in (a, b):
        assert operator.target(name)[0] == 410
        assert (result(operator, name)["status"], result(operator, name)["authority"]) == ("tombstoned", RECIPIENT)


def test_a_chain_of_three_operators(operators: Operators, a: Operator, b: Operator) -> None:
    c = operators.add("c")
    name = offered(a)
    assert accept(b, name).status == 200
    assert b.manage("PUT", f"custody/{name}", {"to": c.base_url}).status == 200
    del operators.by_url[a.base_url]  # its keys cannot be read any more
    assert accept(c, name, b.base_url).status == 200
    assert c.target(name) == (302, TARGET)
    operators.by_url[a.base_url] = a


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ({"to": "https://a.example"}, "/to"),
        ({"to": "ftp://b.example"}, "/to"),
        ({"to": "http://b.example"}, "/to"),
        ({"to": "https://b.example?x"}, "/to"),
        ({}, "/to"),
        ({"to": RECIPIENT, "until": 1}, "/until"),
    ],
)
def test_an_invalid_offer_is_refused(document: dict[str, Any], pointer: str, a: Operator, b: Operator) -> None:
    name = name_of(a.mint())
    answer = a.manage("PUT", f"custody/{name}", document)
    assert [each["pointer"] for each in document_of(answer)["errors"]] == [pointer]
    assert b.current(name) is None


def test_offers_that_cannot_be_made_are_refused(a: Operator) -> None:
    reserved = name_of(a.mint(status="reserved"))
    assert problem(a.manage("PUT", f"custody/{reserved}", {"to": RECIPIENT})) == (422, "invalid-input")
    name = offered(a)
    assert a.manage("PUT", f"custody/{name}", {"to": RECIPIENT}).status == 200
    assert problem(a.manage("PUT", f"custody/{name}", {"to": "https://c.example"})) == (409, "custody-offered")
    assert problem(a.manage("PUT", f"custody/{name}", {"to": RECIPIENT}, if_match='"x"')) == (412, "outdated")
    assert a.manage("DELETE", f"custody/{name}").status == 200
    assert problem(a.manage("DELETE", f"custody/{name}")) == (409, "no-such-offer")
    assert a.send("PUT", f"/api/v1/custody/{name}", {"to": RECIPIENT}).status == 401


def test_a_record_whose_pid_is_another_name_cannot_be_offered(a: Operator) -> None:
    """Its proofs name only the PID, which the issuer may give to something else than the LinkID."""
    record = a.mint()
    other = a.amender.following(record, replace(record, pid=f"https://a.example/x:{record.key}"))
    a.amender.write(other, record)
    answer = a.manage("PUT", f"custody/{name_of(record)}", {"to": RECIPIENT})
    assert problem(answer) == (422, "invalid-input")
    assert "another prefix than linkid and lid" in document_of(answer)["detail"]


def test_the_longest_history_is_accepted_again_after_its_transfer(
    a: Operator, b: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transfer is one more version than an offer may have."""
    for module in (versions, received_versions):
        monkeypatch.setattr(module, "MAX_VERSIONS", 2)
    name = offered(a)
    offer = a.current(name)
    assert offer is not None
    statement = acceptance_statement(offer, RECIPIENT)
    for times in range(2):
        jws = b.prover.prove_statement(statement, RECIPIENT)
        assert a.send("POST", "/api/v1/custody/transfers", {"acceptance": jws}).status == 200, times
    monkeypatch.setattr(other_service, "MAX_HISTORY_BYTES", 100)
    assert accept(b, name).status == 200


def test_an_old_acceptance_is_refused_before_the_transfer(a: Operator, b: Operator) -> None:
    """If the sender's clock is ahead, the recipient would refuse the transfer as one of the future."""
    name = offered(a)
    offer = a.current(name)
    assert offer is not None
    jws = b.prover.prove_statement(acceptance_statement(offer, RECIPIENT), RECIPIENT)
    b.operators.clock.moment += timedelta(minutes=11)
    answer = a.send("POST", "/api/v1/custody/transfers", {"acceptance": jws})
    assert (problem(answer), a.current(name)) == ((422, "invalid-input"), offer)
    assert accept(b, name).status == 200


def test_slow_recipients_do_not_occupy_the_sender(operators: Operators, a: Operator, b: Operator) -> None:
    """Anyone can send acceptances, each of which waits for the recipient's keys."""
    name = offered(a)
    offer = a.current(name)
    assert offer is not None
    jws = b.prover.prove_statement(acceptance_statement(offer, RECIPIENT), RECIPIENT)
    answers: list[tuple[int, str]] = []

    def wait(url: str) -> None:
        assert url.endswith("jwks.json")
        answers.append(problem(a.send("POST", "/api/v1/custody/transfers", {"acceptance": jws})))
        raise OtherServiceUnavailable(url)

    operators.before = wait
    assert problem(a.send("POST", "/api/v1/custody/transfers", {"acceptance": jws})) == answers[0]
    assert answers == [(503, "other-service-unavailable")] * MAX_REQUESTS
    assert a.current(name) == offer


def test_acceptances_without_an_offer_are_refused(a: Operator, b: Operator) -> None:
    name = name_of(a.mint())
    assert problem(accept(b, name)) == (409, "no-such-offer")
    assert b.current(name) is None
    assert problem(accept(a, name, b.base_url)) == (409, "identifier-taken")
    assert problem(accept(b, name, b.base_url)) == (422, "invalid-input")
    assert problem(accept(b, "LinkId: 4711")) == (422, "invalid-input")
    unknown = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
    assert problem(accept(b, unknown)) == (409, "no-such-offer")
    assert problem(accept(b, name, "https://z.example")) == (503, "other-service-unavailable")
    other = name_of(a.mint())
    assert a.manage("PUT", f"custody/{other}", {"to": "https://c.example"}).status == 200
    assert problem(accept(b, other)) == (409, "no-such-offer")
    assert b.current(other) is None


def test_an_acceptance_by_another_key_or_of_another_offer_changes_nothing(a: Operator, b: Operator) -> None:
    name = offered(a)
    offer = a.current(name)
    assert offer is not None
    statement = acceptance_statement(offer, RECIPIENT)
    jws = prover(MemoryStore(), b.operators.clock).prove_statement(statement, RECIPIENT)
    assert problem(a.send("POST", "/api/v1/custody/transfers", {"acceptance": jws})) == (422, "invalid-input")
    for wrong in ({"version": 1}, {"digest": "sha-256=:" + "A" * 43 + "=:"}, {"pid": "https://a.example/x"}):
        jws = b.prover.prove_statement({**statement, **wrong}, RECIPIENT)
        answer = a.send("POST", "/api/v1/custody/transfers", {"acceptance": jws})
        assert problem(answer) == (409, "no-such-offer")
        assert document_of(answer)["current"]["version"] == 2
    assert problem(a.send("POST", "/api/v1/custody/transfers", {"acceptance": "x.y.z"})) == (422, "invalid-input")
    assert a.current(name) == offer
    jws = b.prover.prove_statement(statement, RECIPIENT)
    first = a.send("POST", "/api/v1/custody/transfers", {"acceptance": jws})
    again = a.send("POST", "/api/v1/custody/transfers", {"acceptance": b.prover.prove_statement(statement, RECIPIENT)})
    assert (first.status, document_of(first)) == (200, document_of(again))


def test_content_that_the_recipient_does_not_allow_is_not_accepted(a: Operator, b: Operator) -> None:
    name = offered(a, metadata={"what": "A report"})
    repository = b.namespace.repository
    b.store.repositories.change_repository(replace(repository, domains=("example.net",), revision=2), repository)
    answer = accept(b, name)
    assert problem(answer) == (422, "invalid-input")
    assert [each["pointer"] for each in document_of(answer)["errors"]] == ["/records/0/uri"]
    assert (b.current(name), a.target(name)) == (None, (302, TARGET))


def test_a_record_that_leads_to_the_recipient_itself_is_not_accepted(a: Operator, b: Operator) -> None:
    record = a.mint()
    name = name_of(record)
    assert a.manage("PUT", f"records/{name}", {"uri": f"{b.base_url}/{name}"}).status == 200
    assert a.manage("PUT", f"custody/{name}", {"to": RECIPIENT}).status == 200
    assert problem(accept(b, name)) == (422, "invalid-input")
    assert b.current(name) is None


def test_a_long_history_is_read_in_pages(a: Operator, b: Operator) -> None:
    record = a.mint()
    for number in range(120):
        record = a.amender.update(record, Content(records=(Location(f"{TARGET}/{number}"),)))
    name = name_of(record)
    assert a.manage("PUT", f"custody/{name}", {"to": RECIPIENT}).status == 200
    assert accept(b, name).status == 200
    assert b.target(name) == (302, f"{TARGET}/119")
    found = b.current(name)
    assert found is not None
    assert [each.version for each in stored_versions(b.store.records, found.repository, found.key)] == [
        *range(124, 0, -1)
    ]
    answer = a.send("GET", f"/api/v1/custody/{name}?after=5")
    assert (document_of(answer)["next"], len(document_of(answer)["versions"])) == (105, 100)
    assert problem(a.send("GET", f"/api/v1/custody/{name}?after=x")) == (422, "invalid-input")
