"""Pages through everything before the service: their policy, their style sheet, and their links."""

import re

from tests.e2e.created_records import Minted
from tests.e2e.service import Service
from tests.support.servers.responses import Reply

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def page(service: Service, target: str, status: int = 200) -> Reply:
    """A page, which comes with its policy and without scripts or styles of its own."""
    reply = service.get(target, Accept=BROWSER)
    assert (reply.status, reply.media_type) == (status, "text/html"), (reply.status, reply.headers, reply.body[:500])
    policy = reply.headers["content-security-policy"]
    assert policy.startswith(
        f"default-src 'none'; script-src {service.issuer}/static/; style-src {service.issuer}/static/;"
    )
    assert reply.headers["content-language"] == "en"
    assert "set-cookie" not in reply.headers
    assert not re.search(r"<style|<script(?![^>]* (src|type=\"application/))| on\w+=| style=", reply.text)
    return reply


def test_the_style_sheet_that_a_page_names_is_cached_for_a_year(service: Service) -> None:
    address, *_ = re.findall(r'<link rel="stylesheet" href="([^"]+)">', page(service, "/").text)
    reply = service.get(service.path_of(address))
    assert (reply.status, reply.media_type) == (200, "text/css")
    assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
    again = service.get(service.path_of(address), If_None_Match=reply.headers["etag"])
    assert again.status == 304
    assert service.get(f"{service.path_of(address)}.map").status == 404


def test_the_front_door_leads_on_to_what_is_typed(service: Service, thing: Minted) -> None:
    name = thing.path.lstrip("/")
    reply = service.get(f"/?q={name}", Accept=BROWSER)
    assert reply.status in {302, 303}
    assert reply.headers["location"].startswith(f"{service.issuer}/")
    assert 'value="' in page(service, "/?q=no%20identifier").text


def test_there_is_a_page_for_people_of_whatever_there_is(service: Service, thing: Minted, tombstone: Minted) -> None:
    assert "A thing" in page(service, f"{thing.path}?format=html").text
    assert "It was wrong" in page(service, tombstone.path, 410).text
    page(service, "/no-such-prefix-as-this:1", 404)
    page(service, "/health")


def test_prefixes_can_be_browsed_and_identifiers_minted_and_the_api_read(service: Service, thing: Minted) -> None:
    assert "<form" in page(service, "/pages/prefixes").text
    assert "<form" in page(service, "/pages/mint").text
    api = page(service, "/pages/api").text
    assert "records" in api
    page(service, "/pages/api/records")
