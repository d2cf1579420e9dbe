"""Asking about many, or about a text: bulk resolution, parsing, schemas, lists."""

import re

import pytest

from tests.e2e.created_records import HERE, Holding, Minted, fresh_name, hold
from tests.e2e.service import RECORDS, Service


def test_many_are_resolved_at_once_as_each_would_be_alone(service: Service, thing: Minted, tombstone: Minted) -> None:
    nobodys = f"{fresh_name()}:1"
    ids = [thing.path[1:], f" <{thing.pid}> ", tombstone.path[1:], nobodys, thing.path[1:-1] + "u"]
    reply = service.request("POST", "/api/v1/resolve", document={"ids": ids})
    assert reply.status == 200
    results = reply.json()["results"]
    assert [each["id"] for each in results] == ids
    assert [each["status"] for each in results] == [302, 302, 410, 404, 400]
    assert results[0]["location"] == results[1]["location"] == HERE
    assert results[2]["document"]["withdrawn"]["reason"] == "It was wrong"
    assert service.request("POST", "/api/v1/resolve", document={"ids": ["x"] * 1_001}).refusal[0] == 422


def test_a_text_is_explained_step_by_step(service: Service, thing: Minted) -> None:
    returned = service.get(f"/api/v1/parse?id={thing.path[1:].upper()}").json()
    assert (returned["location"], returned["canonical"]) == (HERE, thing.path[1:])
    assert returned["candidates"][0]["valid"]
    assert all(step["detail"] for step in returned["steps"])
    assert service.request("POST", "/api/v1/parse", document={"id": returned["text"]}).json() == returned
    wrong = service.get(f"/api/v1/parse?id={thing.path[1:-2]}00").json()
    assert wrong["location"] is None
    assert not wrong["candidates"][0]["valid"]
    assert wrong["candidates"][0]["reason"]
    assert service.get("/api/v1/parse").refusal == (422, "invalid-input")


@pytest.mark.parametrize(
    ("form", "media_type"),
    [("regex", "text/plain"), ("jsonschema", "application/schema+json"), ("schematron", "application/xml")],
)
def test_identifiers_can_be_validated_elsewhere(
    service: Service, holding: Holding, thing: Minted, form: str, media_type: str
) -> None:
    reply = service.get(f"/api/v1/schemas/{holding.prefix}?format={form}")
    assert (reply.status, reply.media_type) == (200, media_type)
    if form == "regex":
        assert re.search(reply.text.strip(), thing.id)
    assert service.get(f"/api/v1/schemas/{holding.prefix}?format=nonsense").refusal[0] == 406


def test_a_repository_is_listed_page_by_page_each_record_once(service: Service) -> None:
    own = hold(service)
    minted = {own.mint(metadata={"n": number}).pid for number in range(5)}
    found: list[str] = []
    target = f"{RECORDS}?prefix={own.prefix}&limit=2"
    cursor = ""
    for _ in range(4):
        page = service.admin("GET", target + cursor).json()
        found += [record["pid"] for record in page["records"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert len(found) == len(minted)
    assert set(found) == minted
    assert service.admin("GET", f"{target}&cursor=nonsense").refusal == (400, "bad-cursor")
