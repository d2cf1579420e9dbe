"""Harvests by OAI-PMH as API Gateway passes them on, over both stores."""

from typing import Any

import pytest
from lxml import etree

from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System
from tests.support.servers.oai_service import OAI, SCHEMA, form

FORM = [("Content-Type", "application/x-www-form-urlencoded")]


@pytest.fixture(params=["untouched", "untouched_tables"])
def system(request: pytest.FixtureRequest) -> System:
    """A system of the test's own, with two records in `demo`, one of which is withdrawn."""
    running: System = request.getfixturevalue(request.param).copied()
    for name in ("Tea & <milk>", "Gone"):
        minted = running.mint({"prefix": "demo", "uri": "https://content.example.org/", "metadata": {"what": name}})
        assert minted.status == 201
    path = f"/api/v1/records/demo:{minted.json()['id']}"
    gone = running.request(
        "DELETE", path, headers=[("If-Match", "*")], document={"reason": "It was wrong"}, key=running.admin_key
    )
    assert gone.status == 200
    return running


def document_of(answer: Any) -> Any:
    assert (answer.status, answer.headers["content-type"]) == (200, "text/xml; charset=utf-8")
    document = etree.fromstring(answer.body.encode())
    SCHEMA.assertValid(document)
    return document


@pytest.mark.parametrize("period", [{}, {"from_": "2025-01-01"}])
def test_a_list_has_the_public_records_by_both_methods(system: System, period: dict[str, str]) -> None:
    sent = form(verb="ListRecords", metadataPrefix="oai_datacite", **period)
    listed = document_of(system.get("/oai/demo", query=sent.decode()))
    assert listed.findtext(f"{OAI}request").startswith(f"{BASE_URL}/oai/")
    deleted = [each.get("status") for each in listed.iter(f"{OAI}header")]
    assert deleted.count("deleted") == 1
    assert "Tea & <milk>" in [each.text for each in listed.iter("{*}title")]
    posted = document_of(system.request("POST", "/oai/demo", headers=FORM, body=sent))
    assert [each.text for each in posted.iter("{*}identifier")] == [each.text for each in listed.iter("{*}identifier")]


def test_the_address_is_named_at_the_well_known_one_and_reserved(system: System) -> None:
    address = system.get("/.well-known/linkid-resolver").json()["oai_pmh_endpoint"]
    assert document_of(system.get(address.removeprefix(BASE_URL), query="verb=Identify")) is not None
    owner = system.admin("POST", "/api/v1/repositories", {"title": "x", "scheme": "lui"}).json()["id"]
    assert system.admin("PUT", "/api/v1/prefixes/oai", {"kind": "namespace", "repository": owner}).status == 422
    assert system.request("DELETE", "/oai").status == 405
