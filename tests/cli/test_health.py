"""`coolid health`: links that rot and providers that fail, from the service itself and from hosts that misbehave."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest

from tests.cli.terminals import at_terminal
from tests.cli.test_management import run
from tests.support.servers.coolid_server import Server
from tests.support.servers.http_server import KEY, Host, host, problem, stored

NAMESPACE = {"prefix": "2021/06/mp", "kind": "namespace", "repository": "r4k2-9m3x-62"}


def link(number: int, state: str = "down", **members: Any) -> dict[str, Any]:
    return {
        "pid": f"https://id.example.org/mp:{number}",
        "uri": f"https://content.example.org/{number}",
        "state": state,
        "since": "2025-07-10T14:22:30Z",
        "reason": None if state == "up" else "it answered 404",
        "status": 404,
        "lastGood": None,
        "lastChecked": "2025-07-10T15:00:00Z",
        "moved": None,
        **members,
    }


def page(*links: Any, behind: Any = None) -> Any:
    return stored(
        {"prefix": "2021/06/mp", "repository": "r4k2-9m3x-62", "totals": None, "links": links, "next": behind}
    )


def provider(code: str, **health: Any) -> dict[str, Any]:
    returned = {"health": {"since": "2025-07-10T14:22:30Z", **health}} if health else {}
    return {"code": code, "title": None, "url": f"https://{code}.example/{{$id}}", **returned}


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setattr("coolid.cli.service_connection._wait", lambda _seconds: None)
    with host(replies=[stored(NAMESPACE)]) as running:
        yield running


def ask(site: Host, *arguments: str, key: str = KEY, code: int = 0) -> str:
    result = run(site.url, key, "health", *arguments)
    assert result.exit_code == code, result.output
    return result.stdout


class TestLinks:
    def test_a_dead_link_causes_exit_code_1(self, site: Host) -> None:
        site.replies.append(page(link(1), link(2, "degraded")))
        lines = ask(site, "2021/06/MP", code=1).splitlines()
        assert [line.split()[0] for line in lines] == ["down", "degraded"]
        assert lines[0].split()[1:4] == [link(1)["since"], link(1)["pid"], link(1)["uri"]]
        public, report = site.requests
        assert (public.target, "authorization" in public.headers) == ("/2021/06/MP?format=json", False)
        assert (report.target, report.headers["authorization"]) == (
            "/api/v1/links/2021/06/MP?limit=1000",
            f"Bearer {KEY}",
        )

    def test_what_fails_now_and_then_or_has_moved_is_not_dead(self, site: Host) -> None:
        site.replies.append(page(link(1, "degraded"), link(2, "up", moved="https://new.example/")))
        assert len(ask(site, "mp").splitlines()) == 2

    def test_all_pages_are_reported(self, site: Host) -> None:
        site.replies += [page(link(1), behind="b"), page(behind="c"), page(link(2))]
        found = json.loads(ask(site, "mp", "--state", "down", "--state", "moved", "--json", code=1))
        assert found == {"prefix": "2021/06/mp", "kind": "namespace", "links": [link(1), link(2)]}
        assert [each.target.partition("?")[2] for each in site.requests[1:]] == [
            "state=down%2Cmoved&limit=1000",
            "state=down%2Cmoved&limit=1000&cursor=b",
            "state=down%2Cmoved&limit=1000&cursor=c",
        ]

    def test_each_on_a_line_of_json(self, site: Host) -> None:
        site.replies.append(page(link(1), link(2)))
        lines = ask(site, "mp", "--format", "ndjson", code=1).splitlines()
        assert [json.loads(line) for line in lines] == [link(1), link(2)]

    def test_a_table_for_spreadsheets_has_no_formula(self, site: Host) -> None:
        site.replies.append(page(link(1, reason="=1+1"), link(2)))
        rows = list(csv.DictReader(StringIO(ask(site, "mp", "--format", "csv", code=1))))
        assert [row["reason"] for row in rows] == ["'=1+1", "it answered 404"]
        assert [row["pid"] for row in rows] == [link(1)["pid"], link(2)["pid"]]

    def test_the_feed_comes_as_the_service_gives_it(self, site: Host) -> None:
        site.replies.append((200, {"Content-Type": "application/atom+xml"}, b"<feed>\x1b[31m</feed>\n"))
        assert ask(site, "mp", "--format", "atom") == "<feed>�[31m</feed>\n"
        assert site.requests[-1].target == "/api/v1/links/mp?limit=1000&format=atom"

    def test_nothing_is_nothing_to_report(self, site: Host) -> None:
        site.replies.append(page())
        assert ask(site, "mp") == ""

    def test_without_a_key_they_are_not_requested(self, site: Host) -> None:
        result = run(site.url, "", "health", "mp")
        assert (result.exit_code, "COOLID_KEY" in result.stderr) == (2, True)
        assert len(site.requests) == 1

    @pytest.mark.parametrize("answer", [page("x"), stored({"links": 5}), stored([]), page(link(1), behind="")])
    def test_what_is_no_report_is_not_taken_for_one(self, site: Host, answer: Any) -> None:
        site.replies.append(answer)
        assert ask(site, "mp", code=3) == ""

    def test_a_refusal_is_reported(self, site: Host) -> None:
        site.replies.append(problem(403, "The API key has no scope that covers mint:mp"))
        assert json.loads(ask(site, "mp", "--json", code=1))["status"] == 403


class TestProviders:
    def test_they_are_reported_in_their_order_without_a_key(self, site: Host) -> None:
        dead = provider("default", state="down", reason="it answered 500", lastGood="2025-07-01T00:00:00Z")
        site.replies[:] = [stored({"prefix": "go", "kind": "provider", "providers": [dead, provider("ols")]})]
        lines = ask(site, "go", key="", code=1).splitlines()
        assert [line.split()[:3] for line in lines] == [
            ["down", "2025-07-10T14:22:30Z", "default"],
            ["-", "-", "ols"],
        ]
        (requested,) = site.requests
        assert "authorization" not in requested.headers

    def test_as_json(self, site: Host) -> None:
        up = provider("default", state="up", moved="https://new.example/")
        site.replies[:] = [stored({"prefix": "go", "kind": "provider", "providers": [up, provider("ols")]})]
        assert json.loads(ask(site, "go", "--json")) == {
            "prefix": "go",
            "kind": "provider",
            "providers": [
                {
                    "code": "default",
                    "url": "https://default.example/{$id}",
                    "state": "up",
                    "since": "2025-07-10T14:22:30Z",
                    "reason": None,
                    "lastGood": None,
                    "moved": "https://new.example/",
                },
                {
                    "code": "ols",
                    "url": "https://ols.example/{$id}",
                    "state": None,
                    "since": None,
                    "reason": None,
                    "lastGood": None,
                    "moved": None,
                },
            ],
        }

    @pytest.mark.parametrize("arguments", [["--format", "atom"], ["--format", "csv"], ["--state", "down"]])
    def test_what_is_for_links_alone_is_refused(self, site: Host, arguments: list[str]) -> None:
        site.replies[:] = [stored({"prefix": "go", "kind": "provider", "providers": []})]
        ask(site, "go", *arguments, code=2)

    @pytest.mark.parametrize(
        "reply", [(302, {"Location": "https://a.example/"}, b""), stored({"pid": "x"}), problem(404)]
    )
    def test_what_is_no_prefix_is_a_no(self, site: Host, reply: Any) -> None:
        site.replies[:] = [reply]
        assert ask(site, "demo:x", code=1) == ""


def test_the_service_itself_knows_its_prefixes(server: Server) -> None:
    assert run(server.url, server.key, "health", "2021/06/demo").exit_code == 0
    returned = json.loads(run(server.url, server.key, "health", "demo", "--json").stdout)
    assert returned == {"prefix": "demo", "kind": "namespace", "links": []}
    feed = run(server.url, server.key, "health", "demo", "--format", "atom")
    assert (feed.exit_code, feed.stdout.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<feed ')) == (0, True)
    assert run(server.url, server.key, "health", "unheard-of").exit_code == 1


def test_a_person_gets_a_table(site: Host) -> None:
    site.replies.append(page(link(1), link(2, "degraded")))
    code, screen = at_terminal("health", "mp", environment={"COOLID_URL": site.url, "COOLID_KEY": KEY})
    assert code == 1
    assert "leads to" in screen
    assert "\x1b[1;31mdown" in screen
    assert "last good" not in screen  # nobody saw any of them well
