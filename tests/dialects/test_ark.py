"""ARKs as a browser's address line sends them, byte for byte, over plain HTTP, because PyPI has no ARK client.

`noid-mint`, a third-party program, judges the check characters.
"""

import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from noid import pynoid

from tests.support.servers.coolid_server import Server
from tests.support.servers.responses import Reply

SUPPORT = {"who": "Example Library", "what": "Permanent: Stable Content", "when": "20081203"}


def returned(server: Server, method: str, path: str, document: Any) -> Reply:
    """What the administrator gets for a document."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    return server.request(method, path, json.dumps(document).encode(), headers)


@pytest.fixture(scope="session")
def path(server: Server) -> str:
    """The path of an ARK behind a shoulder, whose repository passes through and states what it commits itself to."""
    rules = {"template": ".reedeedk", "naan": "99999", "shoulder": "fk9"}
    terms = {"title": "ARKs", "scheme": "noid", "rules": rules, "support": SUPPORT, "passthrough": True}
    made = returned(server, "POST", "/api/v1/repositories", terms)
    alias = {"kind": "namespace", "repository": made.json()["id"]}
    assert returned(server, "PUT", "/api/v1/prefixes/ark:99999/fk9", alias).status == 201
    pid: str = server.mint(prefix="ark:99999/fk9", uri="https://content.example.org/x?v=1").json()["pid"]
    return urlsplit(pid).path


@pytest.mark.parametrize("inflection", ["??", "?info"])
def test_an_inflection_returns_the_description_and_the_commitment(server: Server, path: str, inflection: str) -> None:
    answer = server.request("GET", path + inflection)
    assert (answer.status, answer.headers["thump-status"]) == (200, "0.6 200 OK")
    assert 'rel="describes"' in answer.headers["link"]
    text = answer.body.decode()
    assert text.startswith("erc:\nwho: ")
    assert text.endswith(
        "erc-support:\nwho: Example Library\nwhat: Permanent: Stable Content\nwhen: 20081203\nwhere: (:unav)\n"
    )


@pytest.mark.parametrize("nothing", ["", "?", "?information=1"])
def test_what_is_none_leads_to_the_thing(server: Server, path: str, nothing: str) -> None:
    assert server.request("GET", path + nothing).headers["location"] == "https://content.example.org/x?v=1"


def test_an_extension_arrives_as_it_was_sent(server: Server, path: str) -> None:
    answer = server.request("GET", f"{path}/chapter-1//a.pdf?w=2")
    assert answer.headers["location"] == "https://content.example.org/x/chapter-1//a.pdf?v=1"


def test_the_well_known_path_is_where_arks_are_appended(server: Server, path: str) -> None:
    returned = server.request("GET", "/.well-known/ark")
    assert returned.headers["content-type"].startswith("text/plain")
    ark = path.partition("ark:")[2]
    assert pynoid.validate(ark)
    for label in ("ark:", "ark:/", "ARK:"):
        assert server.request("GET", f"{returned.body.decode()}{label}{ark}").status == 302
