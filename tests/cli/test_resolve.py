"""`coolid resolve`: exit codes, output for people and programs, against the service itself."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.cli.output import printable, safe_json
from tests.support.servers import http_server as hosts
from tests.support.servers.coolid_server import Server
from tests.support.servers.http_server import Host, host, page, to
from tests.support.servers.loopback import nobody

runner = CliRunner()

LID = "b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14"
LINKID = "application/linkid+json"
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def run(*arguments: str) -> Result:
    """Run the command with no default resolver; a traceback is a failure of the test."""
    result = runner.invoke(app, ["resolve", "--default-resolver", "", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert not UNSAFE.search(result.output)
    return result


def returned(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


@pytest.fixture
def site() -> Iterator[Host]:
    with host() as running:
        yield running


def mint_under(server: Server, prefix: str, rules: dict[str, Any], record: dict[str, Any]) -> Any:
    """A record in a repository of its own with these rules, under this prefix."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}

    def send(method: str, path: str, document: dict[str, Any]) -> Any:
        reply = server.request(method, f"/api/v1/{path}", json.dumps(document).encode(), headers)
        assert reply.status in (200, 201), reply.body
        return reply.json()

    repository = send("POST", "repositories", {"title": prefix, **rules})["id"]
    send("PUT", f"prefixes/{prefix}", {"kind": "namespace", "repository": repository})
    return send("POST", "records", {"prefix": prefix, **record})


class TestTelling:
    def test_each_hop_is_a_line(self, site: Host) -> None:
        site.answers |= {f"/resolve/{LID}": to("/a"), "/a": to("/b", 301), "/b": page()}
        result = run(f"lid:{LID}", "--resolver", site.url)
        assert result.exit_code == 0
        assert result.stdout.splitlines() == [
            f"302 {site.url}/resolve/{LID} -> /a",
            f"301 {site.url}/a -> /b",
            f"200 {site.url}/b",
        ]

    def test_without_following_the_location_is_printed(self, site: Host) -> None:
        site.answers[f"/resolve/{LID}"] = to("http://example.org/:smile:[bold]")
        result = run(f"lid:{LID}", "--resolver", site.url, "--no-follow")
        assert (result.exit_code, result.stdout) == (
            0,
            f"302 {site.url}/resolve/{LID} -> http://example.org/:smile:[bold]\n",
        )

    def test_options_are_parameters_and_win_over_the_text(self, site: Host) -> None:
        options = ["--format", "pdf", "--lang", "de", "--version", "3", "--accept", "text/html"]
        run(f"lid:{LID}?lang=en&x=1", "--resolver", site.url, *options)
        assert site.targets == [f"/resolve/{LID}?x=1&format=pdf&lang=de&version=3"]
        assert site.requests[0].headers["accept"] == "text/html"

    def test_a_record_is_printed(self, site: Host) -> None:
        record = {"id": LID, "records": [{"uri": "https://example.org/:smile:[b]"}]}
        site.answers[f"/resolve/{LID}?format=linkid"] = hosts.json(record, media_type=LINKID)
        result = run(f"lid:{LID}", "--resolver", site.url, "--format", "linkid")
        assert json.loads(result.stdout.partition("\n")[2]) == record
        assert returned(f"lid:{LID}", "--resolver", site.url, "--format", "linkid")["record"] == record

    def test_a_tombstone_says_when_why_and_what_comes_after(self, site: Host) -> None:
        withdrawn = {"at": "2025-01-01T00:00:00Z", "reason": "It was wrong.", "successor": "lid:x"}
        site.answers[f"/resolve/{LID}"] = hosts.json({"id": LID, "withdrawn": withdrawn}, 410, LINKID)
        result = run(f"lid:{LID}", "--resolver", site.url)
        assert result.exit_code == 1
        for value in withdrawn.values():
            assert value in result.stdout

    def test_choices_are_printed(self, site: Host) -> None:
        choices = [{"uri": "https://example.org/a", "mediaType": "application/pdf"}, {"uri": "https://example.org/b"}]
        site.answers[f"/resolve/{LID}"] = hosts.json({"choices": choices}, 300)
        result = run(f"lid:{LID}", "--resolver", site.url)
        assert result.exit_code == 0
        assert "https://example.org/a  application/pdf" in result.stdout
        assert "https://example.org/b" in result.stdout

    @pytest.mark.parametrize("status", [400, 404])
    def test_a_no_says_why_and_what_is_nearly_alike(self, site: Host, status: int) -> None:
        problem = {"detail": "It is not registered.", "suggestions": ["tw0t-ywdj-94"]}
        site.answers[f"/resolve/{LID}"] = hosts.json(problem, status, "application/problem+json")
        result = run(f"lid:{LID}", "--resolver", site.url)
        assert result.exit_code == 1
        assert "It is not registered." in result.stdout
        assert "tw0t-ywdj-94" in result.stdout

    def test_resolvers_that_are_down_are_reported_until_none_remains(self, site: Host) -> None:
        site.answers[f"/resolve/{LID}"] = (503, {}, b"")
        with nobody() as gone:
            result = run(f"lid:{LID}", "--resolver", gone, "--resolver", site.url)
            document = returned(f"lid:{LID}", "--resolver", gone, "--resolver", site.url)
        assert (result.exit_code, result.stdout) == (3, "")
        assert gone in result.stderr
        assert "status 503" in result.stderr
        assert [tried["resolver"] for tried in document["tried"]] == [
            f"{gone}/resolve/{{id}}",
            f"{site.url}/resolve/{{id}}",
        ]

    def test_the_next_resolver_answers_for_one_that_is_down(self, site: Host) -> None:
        site.answers[f"/resolve/{LID}"] = page()
        with nobody() as gone:
            result = run(f"lid:{LID}", "--resolver", gone, "--resolver", site.url)
        assert result.exit_code == 0
        assert gone in result.stderr

    def test_a_domain_says_who_resolves(self, site: Host) -> None:
        site.answers |= {
            "/.well-known/linkid-resolver": hosts.json({"resolution_endpoint": f"{site.url}/lid/{{id}}"}),
            f"/lid/{LID}": page(),
        }
        assert run(f"lid:{LID}", "--domain", f"127.0.0.1:{site.port}").exit_code == 0

    def test_a_forbidden_redirect_is_reported(self, site: Host) -> None:
        site.answers[f"/resolve/{LID}"] = to("http://example.org/x")
        result = run(f"lid:{LID}", "--resolver", site.url)
        assert result.exit_code == 1
        assert "http://example.org/x" in result.stdout
        assert "refused" in result.stderr

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            [""],
            ["lid:"],
            ["a\nb"],
            ["\udcff"],
            ["x" * 3000],
            [LID, "--resolver", "http://example.org"],
            [LID, "--resolver", "nonsense"],
            [LID, "--resolver", "https://me:secret@example.org/"],
            [LID, "--domain", "https://example.org/"],
            [LID, "--default-resolver", "ftp://example.org"],
            [LID, "--accept", "a/b\r\nX-Injected: c"],
            [LID, "--accept", "a/b;é"],
            [LID, "--nothing"],
        ],
        ids=lambda arguments: ascii(" ".join(arguments))[:40],
    )
    def test_a_forbidden_url_is_wrong_usage(self, arguments: list[str]) -> None:
        result = run(*arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr


class TestHostileHosts:
    EVIL = "\x1b]0;owned\x07\x9b31m\u202egpj.exe\r\x08\x7f\x00"

    @pytest.mark.parametrize(
        "answer",
        [
            lambda evil: hosts.json({"detail": evil, "suggestions": [evil, 5]}, 404, "application/problem+json"),
            lambda evil: hosts.json({"withdrawn": {"at": evil, "reason": [evil], "successor": evil}}, 410, LINKID),
            lambda evil: hosts.json({"withdrawn": evil}, 410, LINKID),
            lambda evil: hosts.json({"choices": [{"uri": evil, evil: evil}, evil]}, 300),
            lambda evil: hosts.json({"choices": evil}, 300),
            lambda evil: hosts.json({evil: evil}, 200, LINKID),
            lambda evil: page(evil.encode(), "text/turtle"),
            lambda evil: page(evil.encode("utf-16"), "text/plain"),
            lambda evil: page(b"{}", "text/\x1b[31m\xc2\x9b"),
            lambda evil: to("/\x1b[31m\x9b\x7f"),
            lambda evil: (200, {"Content-Type": LINKID}, evil.encode()),
        ],
    )
    def test_nothing_that_a_host_says_steers_the_terminal(self, site: Host, answer: Any) -> None:
        site.answers[f"/resolve/{LID}?format=x"] = answer(self.EVIL)
        run(LID, "--resolver", site.url, "--format", "x")
        returned(LID, "--resolver", site.url, "--format", "x")

    @given(st.text())
    def test_printable_text_has_nothing_unsafe_and_json_loses_nothing(self, text: str) -> None:
        assert not UNSAFE.search(printable(text))
        assert "\n" not in printable(text)
        assert not UNSAFE.search(printable(text, lines=True))
        written = safe_json({"a": text, text: 1})
        assert not UNSAFE.search(written)
        assert json.loads(written) == {"a": text, text: 1}


class TestTheService:
    """The real server, asked as a user does."""

    def test_a_pid_leads_to_its_location(self, server: Server) -> None:
        document = returned("2021/06/demo/tw0t-ywdj-94", "--resolver", server.url, "--no-follow")
        assert document["hops"] == [
            {
                "url": f"{server.url}/resolve/2021/06/demo/tw0t-ywdj-94",
                "status": 302,
                "location": "https://example.org/the-first-thing",
            }
        ]

    def test_a_pid_is_followed_to_the_thing(self, server: Server, site: Host) -> None:
        site.answers["/thing.pdf"] = page(b"%PDF", "application/pdf")
        minted = server.mint(uri=f"{site.url}/thing.pdf").json()
        result = run(f"demo/{minted['id']}", "--resolver", server.url)
        assert result.exit_code == 0
        assert result.stdout.splitlines()[-1] == f"200 {site.url}/thing.pdf"

    @pytest.mark.parametrize("wish", [("--format", "linkid"), ("--accept", "application/linkid+json, text/html, */*")])
    def test_its_record_is_printed(self, server: Server, wish: tuple[str, str]) -> None:
        record = returned("2021/06/demo/tw0t-ywdj-94", "--resolver", server.url, *wish)["record"]
        assert record["id"] == "tw0t-ywdj-94"
        assert record["records"][0]["uri"] == "https://example.org/the-first-thing"

    def test_its_turtle_is_printed(self, server: Server) -> None:
        result = run("2021/06/demo/tw0t-ywdj-94", "--resolver", server.url, "--format", "ttl")
        assert result.exit_code == 0
        assert "https://example.org/the-first-thing" in result.stdout

    def test_identifiers_of_other_services_resolve_there(self, server: Server) -> None:
        (hop,) = returned("go:0006915", "--resolver", server.url, "--no-follow")["hops"]
        assert hop["location"] == "https://go.example/0006915"

    def test_the_url_of_a_pid_says_who_resolves_it(self, server: Server) -> None:
        (hop,) = returned(f"{server.url}/2021/06/demo/tw0t-ywdj-94", "--no-follow")["hops"]
        assert hop["location"] == "https://example.org/the-first-thing"

    @pytest.mark.parametrize("text", ["2021/06/demo/tw0t-ywdj-95", "nothing:x", f"lid:{'0' * 32}", "lid:short"])
    def test_what_is_wrong_or_not_there_is_a_no_with_its_reason(self, server: Server, text: str) -> None:
        result = run(text, "--resolver", server.url)
        assert result.exit_code == 1
        assert len(result.stdout.splitlines()) > 1

    def test_a_withdrawn_pid_reports_why(self, server: Server) -> None:
        minted = server.mint()
        identifier, tag = minted.json()["id"], minted.headers["etag"]
        reply = server.request(
            "DELETE",
            f"/api/v1/records/demo/{identifier}",
            json.dumps({"reason": "It was wrong."}).encode(),
            {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json", "If-Match": tag},
        )
        assert reply.status == 200
        result = run(f"demo/{identifier}", "--resolver", server.url)
        assert result.exit_code == 1
        assert "It was wrong." in result.stdout

    def test_a_choice_is_printed(self, server: Server) -> None:
        records = [{"uri": "https://example.org/a"}, {"uri": "https://example.org/b"}]
        minted = mint_under(server, "choices-of-cli", {"scheme": "lui", "choices": True}, {"records": records})
        result = run(f"choices-of-cli:{minted['id']}", "--resolver", server.url)
        assert result.exit_code == 0
        assert result.stdout.startswith("300 ")
        assert result.stdout.splitlines()[1:] == ["  https://example.org/a", "  https://example.org/b"]

    def test_a_linkid_is_found_by_the_domain_of_its_resolver(self, server: Server) -> None:
        minted = server.mint(prefix="lid", uri="https://example.org/linked").json()
        domain = server.url.removeprefix("http://")
        document = returned(f"lid:{minted['id']}?lang=en", "--domain", domain, "--no-follow")
        (hop,) = document["hops"]
        assert hop["url"] == f"{server.url}/resolve/{minted['id']}?lang=en"
        assert hop["location"] == "https://example.org/linked"
        assert document["tried"] == []

    @pytest.mark.parametrize(
        ("requested", "leads"),
        [
            (["lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf&lang=en"], "https://example.org/paper.pdf"),
            (["lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf", "--lang", "de"], "https://example.org/aufsatz.pdf"),
            (["lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", "--accept", "text/html"], "https://example.org/paper.html"),
        ],
    )
    def test_the_draft_s_examples_lead_where_their_parameters_say(
        self, server: Server, requested: list[str], leads: str
    ) -> None:
        (hop,) = returned(*requested, "--resolver", server.url, "--no-follow")["hops"]
        assert (hop["status"], hop["location"]) == (302, leads)
