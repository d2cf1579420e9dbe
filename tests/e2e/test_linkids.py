"""LinkIDs of revision 01 through the deployed API: the resolution result and its errors, and redirects of browsers."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.e2e.created_records import HERE, NEW_PREFIXES, Holding, Minted, linkids
from tests.e2e.service import Service
from tests.support.servers.responses import Reply

UNREGISTERED = "linkid:5f0c1de5-2b6f-4d55-9d0c-6a4b8f6f2e11"
JSON = "application/json"


@pytest.fixture(scope="module")
def holding(service: Service) -> Holding:
    """The repository of LinkIDs, once the service resolves them."""
    found = linkids(service)
    path = found.mint().path
    assert service.seen_within(NEW_PREFIXES, lambda: service.get(path).status, 302) == 302
    return found


@pytest.fixture(scope="module")
def active(holding: Holding) -> str:
    return linkid_of(holding.mint())


def linkid_of(minted: Minted) -> str:
    """Return the LinkID of a record."""
    digits = minted.id.replace("-", "")
    return f"linkid:{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def errors(reply: Reply) -> tuple[int, str, Any]:
    result = reply.json()
    assert reply.media_type == JSON
    assert result["target_url"] is None
    return reply.status, result["status"], result["error"]


@pytest.mark.parametrize(
    "path",
    ["/resolve/linkid%3A{uuid}", "/resolve/linkid:{uuid}", "/linkid:{uuid}", "/linkid%3A{uuid}", "/LINKID:{UUID}"],
)
def test_a_program_gets_the_result_and_a_browser_the_redirect(service: Service, active: str, path: str) -> None:
    uuid = active.partition(":")[2]
    target = path.format(uuid=uuid, UUID=uuid.upper())
    reply = service.get(target, Accept=JSON)
    assert (reply.status, reply.media_type) == (200, JSON)
    result = reply.json()
    assert (result["id"], result["status"], result["target_url"]) == (active, "active", HERE)
    browser = service.get(target, Accept="text/html,*/*;q=0.8")
    assert (browser.status, browser.headers["location"]) == (302, HERE)


@pytest.mark.parametrize("accept", ["*/*", "text/html,*/*;q=0.8", JSON])
@pytest.mark.parametrize("path", ["{uuid}", "{linkid}", "{escaped}"])
def test_the_public_endpoint_answers_json_to_all(service: Service, active: str, path: str, accept: str) -> None:
    text = path.format(uuid=active.partition(":")[2], linkid=active, escaped=quote(active, safe=""))
    reply = service.get(f"/api/public/resolve/{text}", Accept=accept)
    assert (reply.status, reply.media_type, reply.json()["target_url"]) == (200, JSON, HERE)


@pytest.mark.parametrize("below", ["/resolve/", "/api/public/resolve/"])
class TestErrors:
    def test_malformed_unknown_and_withdrawn_ones_have_their_statuses(
        self, service: Service, holding: Holding, below: str
    ) -> None:
        gone = holding.mint()
        holding.changed("DELETE", gone, {"reason": "It was wrong", "state": "revoked"})
        expected = {
            "linkid%3A4711": (400, None, "invalid_identifier"),
            quote(UNREGISTERED, safe=""): (404, "unknown", "not_found"),
            quote(linkid_of(gone), safe=""): (410, "revoked", "gone"),
        }
        found = {text: errors(service.get(below + text, Accept=JSON)) for text in expected}
        assert found == expected
