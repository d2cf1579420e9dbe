"""Health: whether identifiers resolve, for everybody; the state of each part, for administrators."""

from tests.e2e.service import Service

EXAMINATION = "/api/v1/health"


def test_everybody_can_check_whether_identifiers_resolve(service: Service) -> None:
    reply = service.get("/health")
    assert (reply.status, reply.media_type, reply.headers["cache-control"]) == (200, "application/json", "no-store")
    returned = reply.json()
    assert returned["healthy"] is True
    assert {check["state"] for check in returned["checks"]} == {"ok"}
    assert service.get("/health", Accept="text/html").media_type == "text/html"
    assert service.request("HEAD", "/health").status == 200


def test_administrators_see_every_part(service: Service) -> None:
    reply = service.admin("GET", EXAMINATION)
    assert reply.status == 200, reply.text
    returned = reply.json()
    assert returned["healthy"] is True
    assert {check["state"] for check in returned["checks"]} == {"ok"}
    assert service.get(EXAMINATION).refusal == (401, "unauthenticated")
