"""Defects of other resolvers that are not inherited, each shown over HTTP."""

import json

import pytest

from tests.support.servers.coolid_server import Server
from tests.support.servers.responses import Reply

TARGET = "https://content.example.org/doc%2F1;v=1?b=2&a=1&a=%20+&c"


class Site:
    """The server with a repository of ARKs: any name below 77777, and the shoulder fk4 of 66666."""

    def __init__(self, server: Server) -> None:
        self.server = server
        rules = {"scheme": "chosen", "rules": {"pattern": "[0-9a-z]+", "ignores_hyphens": True}}
        repository = self.sent("POST", "/api/v1/repositories", {"title": "ARKs", "passthrough": True, **rules})
        # One repository has all of them, so that what is told apart is so by the ARK alone.
        for prefix in ("ark:77777", "ark:66666/fk4"):
            self.sent("PUT", f"/api/v1/prefixes/{prefix}", {"kind": "namespace", "repository": repository.json()["id"]})

    def sent(self, method: str, path: str, document: object, **headers: str) -> Reply:
        returned = {"Authorization": f"Bearer {self.server.key}", "Content-Type": "application/json", **headers}
        reply = self.server.request(method, path, json.dumps(document).encode(), returned)
        assert reply.status < 300, reply.body
        return reply

    def get(self, path: str, accept: str = "*/*") -> Reply:
        return self.server.request("GET", path, headers={"Accept": accept})


@pytest.fixture(scope="session")
def site(server: Server) -> Site:
    site = Site(server)
    for prefix, name in (("ark:77777", "x54xz"), ("ark:66666/fk4", "foo")):
        site.sent("POST", "/api/v1/records", {"prefix": prefix, "id": name, "uri": TARGET})
    gone = site.sent("POST", "/api/v1/records", {"prefix": "ark:77777", "id": "gone", "uri": TARGET})
    site.sent("DELETE", "/api/v1/records/ark:77777/gone", {"reason": "a test"}, **{"If-Match": gone.headers["etag"]})
    return site


@pytest.mark.parametrize(
    "spelling",
    [
        "/ark:77777/x54xz",
        "/ark:/77777/x54xz",
        "/ARK:/77777/x5-4xz",
        "/ark:77777/x-5-4-x-z/",
        "/ark%3A77777/x54xz",
        "/https://elsewhere.example/ark:/77777/x54xz",
    ],
)
def test_two_spellings_of_one_ark_never_reach_two_targets(site: Site, spelling: str) -> None:
    reply = site.get(spelling)
    assert (reply.status, reply.headers["location"]) == (302, TARGET)


@pytest.mark.parametrize("requested", ["/ark:77777/x54xz/a-b.c", "/ark:77777/x54xz/a-b.c?x=1&y=%20"])
def test_a_targets_query_survives_pass_through_untouched(site: Site, requested: str) -> None:
    reply = site.get(requested)
    assert reply.headers["location"] == TARGET.replace(";v=1", ";v=1/a-b.c")


def test_a_name_that_begins_like_another_is_not_that_one_and_a_rest(site: Site) -> None:
    assert site.get("/ark:66666/fk4foo").status == 302
    for longer in ("fk4foo2", "fk4foob", "fk4fo"):
        assert site.get(f"/ark:66666/{longer}").status == 404, longer


@pytest.mark.parametrize("query", ["information=1", "infos", "inf=", "i", "INFO=1", "jsonp=1"])
def test_a_parameter_that_begins_like_an_inflection_is_none(site: Site, query: str) -> None:
    assert site.get(f"/ark:77777/x54xz?{query}").status == 302


@pytest.mark.parametrize(
    "query", ["", "?info", "??", "?format=pdf", "?provider=x", "?urlappend=/x", "?index=1", "?memento=1"]
)
@pytest.mark.parametrize("accept", ["*/*", "text/html", "application/pdf", "image/png"])
def test_what_was_withdrawn_is_never_a_redirect(site: Site, query: str, accept: str) -> None:
    for path in ("/ark:77777/gone", "/ark:77777/gone/part"):
        reply = site.get(path + query, accept)
        assert "location" not in reply.headers
        assert not 300 <= reply.status < 400


def test_what_comes_after_an_unsupported_first_type_counts(site: Site) -> None:
    accept = "application/vnd.unheard+json, application/x-bibtex;q=0, text/turtle;q=0.5"
    site.sent(
        "POST",
        "/api/v1/records",
        {"prefix": "ark:77777", "id": "typed", "records": [{"uri": TARGET, "mediaType": "application/pdf"}]},
    )
    reply = site.get("/ark:77777/typed", accept)
    assert (reply.status, reply.headers["content-type"]) == (200, "text/turtle; charset=utf-8")
