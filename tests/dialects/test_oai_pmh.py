"""Sickle, unmodified, harvests the records of a service while these change."""

import json
from collections.abc import Callable, Iterator

import pytest
from sickle import Sickle

from tests.support.servers.coolid_server import Server, prepare, serving
from tests.support.servers.oai_service import OAI, OTHER, OWNER, OaiService, served

Harvest = Iterator[tuple[str, bool]]
"""The identifiers, and whether the record is deleted."""


def by_sickle(address: str, **sent: str) -> Harvest:
    """Harvest with Sickle."""
    for each in Sickle(address, timeout=60).ListRecords(metadataPrefix="oai_dc", **sent):
        yield each.header.identifier, each.header.deleted


def by_sickle_with_forms(address: str, **sent: str) -> Harvest:
    """Harvest the headers with Sickle, by POST."""
    for each in Sickle(address, http_method="POST", timeout=60).ListIdentifiers(metadataPrefix="oai_dc", **sent):
        yield each.identifier, each.deleted


CLIENTS = pytest.mark.parametrize("harvest", [by_sickle, by_sickle_with_forms])


def stored(service: OaiService) -> dict[str, bool]:
    """The identifiers of all records, and whether they are withdrawn."""
    return {
        f"oai:id.example.org:{owner}/{key}": each.status == "withdrawn"
        for (owner, key), each in service.memory.records_by_key.items()
    }


@CLIENTS
@pytest.mark.parametrize("sent", [{}, {"from": "2025-01-01"}])
def test_two_harvests_miss_no_change(harvest: Callable[..., Harvest], sent: dict[str, str]) -> None:
    service = OaiService()
    records = [service.mint(number, OTHER if number % 2 else OWNER) for number in range(230)]
    first = service.clock.moment
    seen: dict[str, bool] = {}
    with served(service) as address:
        for count, (name, deleted) in enumerate(harvest(address, **sent)):
            seen[name] = deleted
            if count % 20 == 0:
                service.clock.pause(1_000)
                service.withdraw(records[count // 20])
                service.withdraw(records[229 - count // 20])
        assert seen.keys() == stored(service).keys()
        later = dict(harvest(address, **{"from": first.strftime("%Y-%m-%dT%H:%M:%SZ")}))
    assert seen | later == stored(service)


@CLIENTS
def test_a_set_is_harvested_alone(harvest: Callable[..., Harvest]) -> None:
    service = OaiService()
    for number in range(4):
        service.mint(number, OTHER if number % 2 else OWNER)
    with served(service) as address:
        for spec in (OWNER, "2021~06~mp"):
            found = dict(harvest(address, set=spec))
            assert found == {name: deleted for name, deleted in stored(service).items() if OWNER in name}


def test_sickle_reads_the_descriptions() -> None:
    service = OaiService()
    service.mint(1)
    with served(service) as address:
        sickle = Sickle(address, timeout=60)
        assert sickle.Identify().deletedRecord == "persistent"
        assert [each.setSpec for each in sickle.ListSets()][:2] == [OWNER, "2021~06~mp"]
        assert [each.metadataPrefix for each in sickle.ListMetadataFormats()] == ["oai_dc", "oai_datacite"]
        (listed,) = sickle.ListRecords(metadataPrefix="oai_datacite")
        got = sickle.GetRecord(identifier=listed.header.identifier, metadataPrefix="oai_datacite")
        assert got.raw.partition("<metadata>")[2] == listed.raw.partition("<metadata>")[2]


RECORDS = 10_000
BATCH = 1_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, list[str]]]:
    """A server with ten thousand records, and the ids of those that are not withdrawn."""
    folder = tmp_path_factory.mktemp("many")
    prepare(folder)
    with serving(folder) as server:
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        ids = []
        for _ in range(0, RECORDS, BATCH):
            rows = [{"prefix": "demo", "uri": "https://content.example.org/"}] * BATCH
            reply = server.request("POST", "/api/v1/records/batch", json.dumps(rows).encode(), headers)
            ids += [each["record"]["id"] for each in reply.json()]
        yield server, ids


def withdraw(server: Server, record_id: str) -> None:
    """Withdraw a record."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json", "If-Match": "*"}
    body = json.dumps({"reason": "It was wrong"}).encode()
    assert server.request("DELETE", f"/api/v1/records/demo:{record_id}", body, headers).status == 200


@pytest.mark.drill
@CLIENTS
@pytest.mark.parametrize("sent", [{}, {"from": "2025-01-01"}])
def test_ten_thousand_records_are_harvested_while_some_are_withdrawn(
    many: tuple[Server, list[str]], harvest: Callable[..., Harvest], sent: dict[str, str]
) -> None:
    server, ids = many
    address = f"{server.url}/oai/demo"
    first = Sickle(address, timeout=60).harvest(verb="Identify").xml.findtext(f"{OAI}responseDate")
    seen: dict[str, bool] = {}
    for returned, (name, deleted) in enumerate(harvest(address, **sent), 1):
        seen[name] = deleted
        if returned % 100 == 0 and returned <= RECORDS:
            for factor in (1, 37, 101):  # before and after the place of the walk
                withdraw(server, ids.pop(returned * factor % len(ids)))
    later = list(harvest(address, **{"from": first}))
    after = dict(harvest(address))
    assert len(after) >= RECORDS
    assert seen.keys() == after.keys()
    assert seen | dict(later) == after
