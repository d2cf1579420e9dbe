"""Requests of repository software and of EZID's clients, replayed against the application.

`tests/vectors/repository_software.json` has the requests in the order in which each program sends them, and the sources
that they were derived from. Each response must have what the strictest of the programs' parsers needs.
"""

import json
import re
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System

RECORDED = json.loads((Path(__file__).parents[1] / "vectors" / "repository_software.json").read_text(encoding="utf-8"))
PROGRAMS = {program["name"]: program for program in RECORDED["programs"]}

LINE = re.compile(r"(?:[^:%\r]|%25|%3A|%0A|%0D)+: (?! *$)(?:[^%\r]|%25|%0A|%0D)+")

Headers = list[tuple[str, str]]


class Client:
    """A program with a key for the prefixes of the guides, which it sends in its way: `password` with each request,
    after a `challenge`, or as a `session`.
    """

    def __init__(self, system: System, authentication: str, headers: dict[str, str]) -> None:
        self.system = system
        self.headers = headers
        key = system.key_with("mint:10.5072", "update:10.5072", "mint:ark:99999", "update:ark:99999")
        _, user, secret = key.split("_", 2)
        self.password = ("Authorization", "Basic " + b64encode(f"{user}:{secret}".encode()).decode())
        self.credentials: Headers = []
        self.answers_challenges = authentication == "challenge"
        if authentication == "password":
            self.credentials = [self.password]
        elif authentication.startswith("session"):
            self.credentials = [("Cookie", self.log_in())]
            if authentication == "session and password":
                self.credentials.append(self.password)

    def log_in(self) -> str:
        """Return the cookie as the clients take it: the first pair of what libraries make of all `Set-Cookie` lines."""
        answer = self.system.request("GET", "/login", headers=[self.password])
        assert (answer.status, elements_of(answer)[0]) == (200, "success: session cookie returned")
        cookie = answer.headers["set-cookie"].split(";")[0]
        assert cookie.startswith("sessionid=")
        return cookie

    def send(self, method: str, path: str, headers: dict[str, str], body: str) -> Answer:
        """Send a request. A client without credentials sends it again with them when it is challenged."""
        path, _, query = path.partition("?")
        sent = list((self.headers | headers).items())
        content = body.encode()
        answer = self.system.request(method, path, query=query, headers=sent + self.credentials, body=content)
        if answer.status == 401 and self.answers_challenges:
            assert answer.headers["www-authenticate"] == 'Basic realm="EZID"'
            assert elements_of(answer) == ("error: unauthorized", {})
            answer = self.system.request(method, path, query=query, headers=[*sent, self.password], body=content)
        return answer


def elements_of(answer: Answer) -> tuple[str, dict[str, str]]:
    """Return the first line and the elements, if the programs' parsers accept the response.

    Java's client fails for a line without a colon and for an escape that is none, Ruby's for an element without a
    value, and DSpace for a response without a body.
    """
    assert answer.headers["content-type"].lower() == "text/plain; charset=utf-8"
    assert not answer.content
    first, *lines = answer.body.removesuffix("\n").split("\n")
    elements = {}
    for line in lines:
        assert re.fullmatch(r"(?:[^:%\r]|%25|%3A|%0A|%0D)+: (?:[^%\r]|%25|%0A|%0D)*\S(?:[^%\r]|%25|%0A|%0D)*", line), (
            line
        )
        name, value = line.split(": ", 1)
        elements[unquote(name)] = unquote(value)
    return first, elements


@pytest.fixture(scope="session")
def software(untouched: System) -> System:
    """A system of this module's own, with the prefixes that the recorded programs use."""
    running = untouched.copied()
    for each in RECORDED["prefixes"]:
        path = f"/api/v1/prefixes/{each['prefix']}"
        if "provider" in each:
            document = {"kind": "provider", "encoding": "uri", "providers": [each["provider"]]}
        else:
            created = running.admin("POST", "/api/v1/repositories", {"title": each["prefix"], **each["repository"]})
            document = {"kind": "namespace", "repository": created.json()["id"]}
        assert running.admin("PUT", path, document).status == 201
        for record in each.get("records", ()):
            assert running.mint({"prefix": each["prefix"], **record}).status == 201
    return running


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gets_what_its_parser_needs(software: System, name: str) -> None:
    program = PROGRAMS[name]
    client = Client(software, program["authentication"], program["headers"])
    kept: dict[str, str] = {}
    for exchange in program["exchanges"]:
        path = filled(exchange["path"], kept)
        if exchange.get("kind") == "resolution":
            answer = software.get(path, accept="text/html")
            expected = (exchange["status"], exchange.get("location"))
            assert (answer.status, answer.headers.get("location")) == expected, exchange["does"]
        else:
            answer = client.send(exchange["method"], path, exchange.get("headers", {}), exchange.get("body", ""))
            check(answer, exchange, kept)


def check(answer: Answer, exchange: dict[str, Any], kept: dict[str, str]) -> None:
    """Compare a response of the dialect with what was recorded, and keep the identifier if it is used later."""
    does = exchange["does"]
    assert answer.status == exchange["status"], (does, answer.body)
    line, elements = elements_of(answer)
    escaped = {name: re.escape(value) for name, value in kept.items()}
    found = re.fullmatch(filled(exchange["line"], escaped), line)
    assert found, (does, line)
    if "keeps" in exchange:
        kept[exchange["keeps"]] = found[1]
        kept[f"{exchange['keeps']}_encoded"] = quote(found[1], safe="")
    assert elements.items() >= exchange.get("elements", {}).items(), does
    assert elements.keys() >= set(exchange.get("has", ())), does
    assert elements.keys().isdisjoint(exchange.get("lacks", ())), does


def filled(template: str, kept: dict[str, str]) -> str:
    """Return a text with the values that were kept before."""
    for name, value in kept.items():
        template = template.replace(f"{{{name}}}", value)
    return template


def test_a_session_alone_is_enough_and_one_that_ended_is_none(software: System) -> None:
    """Clients written before 2018 send the cookie only; later ones of Java send an old cookie and the password."""
    client = Client(software, "session", {"Accept": "text/plain"})
    created = client.send("PUT", "/id/ark:/99999/fk5session", {}, "_target: https://content.example.org/")
    assert (created.status, elements_of(created)[0]) == (201, "success: ark:/99999/fk5session")
    ended = client.send("GET", "/logout", {}, "")
    assert elements_of(ended)[0] == "success: authentication credentials flushed"
    refused = client.send("POST", "/id/ark:/99999/fk5session", {}, "erc.what: refused")
    assert (refused.status, elements_of(refused)[0]) == (401, "error: unauthorized")
    client.credentials.append(client.password)
    assert client.send("POST", "/id/ark:/99999/fk5session", {}, "erc.what: accepted").status == 200


def test_a_target_by_default_is_the_identifier_itself(software: System) -> None:
    client = Client(software, "password", {})
    created = client.send("PUT", "/id/ark:/99999/fk5default", {}, "")
    assert created.status == 201
    _, elements = elements_of(client.send("GET", "/id/ark:/99999/fk5default", {}, ""))
    assert elements["_target"].startswith(f"{BASE_URL}/")
    assert elements["_target"].endswith("99999/fk5default")
