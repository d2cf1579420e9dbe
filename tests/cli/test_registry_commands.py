"""Repositories, prefixes and lists of records from the command line, against the service itself."""

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.cli.registry_options import template_warning
from tests.cli.terminals import at_terminal
from tests.support.servers.coolid_server import Server
from tests.support.servers.http_server import KEY, RECORD, Host, host, problem
from tests.support.servers.http_server import json as json_reply

runner = CliRunner()
_NUMBERS = count()
REPOSITORY = "r4k2-9m3x-62"


def run(url: str, key: str, *arguments: str) -> Result:
    """Run a command; a traceback is a failure of the test."""
    result = runner.invoke(app, list(arguments), env={"COOLID_URL": url, "COOLID_KEY": key})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def done(server: Server, *arguments: str) -> str:
    """What a command of the administrator prints, which succeeds."""
    result = run(server.url, server.key, *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout.removesuffix("\n")


def fails(server: Server, *arguments: str, code: int = 2) -> str:
    """What is wrong with a command."""
    result = run(server.url, server.key, *arguments)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    return result.stderr


def shown(server: Server, *arguments: str) -> Any:
    return json.loads(done(server, *arguments, "--json"))


def name() -> str:
    """A prefix that no other test uses."""
    return f"x{next(_NUMBERS)}"


@pytest.fixture
def site() -> Iterator[Host]:
    with host() as running:
        yield running


class TestRepositories:
    def test_one_is_created_shown_changed_and_listed_with_its_prefixes(self, server: Server) -> None:
        rules = json.dumps({"symbols": 6})
        found = done(server, "repositories", "create", "--title", "Theses", "--rules", rules, "--domain", "example.org")
        assert re.fullmatch(r"[0-9a-z-]{12}", found)
        changed = shown(
            server, "repositories", "change", found, "--ttl", "60", "--choices", "--members", '{"domains": []}'
        )
        assert shown(server, "repositories", "show", found) == changed
        assert (
            changed | {"title": "Theses", "rules": {"symbols": 6}, "ttl": 60, "choices": True, "domains": []} == changed
        )
        prefixes = [done(server, "prefixes", "create", each, "--repository", found) for each in (name(), name())]
        assert f"{found}\tlui\t{', '.join(prefixes)}" in done(server, "repositories", "list").splitlines()
        listed = [json.loads(line) for line in done(server, "repositories", "list", "--json").splitlines()]
        assert {**shown(server, "repositories", "show", found), "prefixes": prefixes} in listed

    @pytest.mark.parametrize(
        "arguments",
        [
            ["create"],
            ["create", "--title", "X", "--rules", "[]"],
            ["create", "--title", "X", "--members", "{"],
            ["change", REPOSITORY],
        ],
    )
    def test_wrong_usage_sends_nothing(self, site: Host, arguments: list[str]) -> None:
        assert run(site.url, KEY, "repositories", *arguments).exit_code == 2
        assert site.requests == []

    def test_an_unknown_one_is_reported_with_the_next_step(self, server: Server) -> None:
        assert "`coolid repositories list`" in fails(server, "repositories", "show", REPOSITORY, code=1)

    def test_an_invalid_member_is_reported(self, server: Server) -> None:
        found = fails(server, "repositories", "create", "--title", "X", "--scheme", "unknown", code=1)
        assert "/scheme: it must be one of lui" in found
        arguments = ("repositories", "create", "--title", "A", "--members", '{"rules": ["random"]}')
        assert "/rules: " in fails(server, *arguments, code=1)


class TestPrefixes:
    def test_a_shoulder_gets_a_repository_whose_names_have_its_check_characters(self, server: Server) -> None:
        """In a name assigning authority of its own, because tests of other modules use the server, too."""
        prefix = "ark:44444/plates1"
        arguments = ("prefixes", "create", "--naan", "ark:/44444", "--shoulder", "/plates1", "--title", "Plates")
        assert done(server, *arguments) == prefix
        document = shown(server, "prefixes", "show", prefix)
        rules = {"template": ".reedeedk", "naan": "44444", "shoulder": "plates1"}
        assert (document["scheme"], document["rules"], document["title"]) == ("noid", rules, "Plates")
        ark = ("--naan", "44444", "--shoulder", "plates1")
        assert shown(server, "prefixes", "show", *ark) == document
        assert shown(server, "prefixes", "change", *ark, "--title", "Glass plates")["title"] == "Glass plates"
        assert [line.split("\t")[0] for line in done(server, "prefixes", "list", "--naan", "44444").splitlines()] == [
            prefix
        ]
        pid = done(server, "mint", "--prefix", prefix, "--uri", "https://example.org/")
        assert re.search(f"/{prefix}[0-9a-z]{{7}}$", pid)
        assert "exists already" in fails(server, *arguments, code=1)

    def test_a_template_in_the_old_habit_is_a_warning(self, server: Server) -> None:
        arguments = ["prefixes", "create", "--naan", "88888", "--template", "fk4.zeek", "--title", "Plates"]
        result = run(server.url, server.key, *arguments)
        assert (result.exit_code, result.stdout.strip()) == (0, "ark:88888")
        assert "use --naan 88888 --shoulder fk4 --template .zeek" in result.stderr

    def test_at_a_terminal_such_a_template_needs_a_yes(self, server: Server) -> None:
        rules = '{"template": "fk4.zeek", "naan": "99999"}'
        arguments = ["repositories", "create", "--scheme", "noid", "--title", "Plates", "--rules", rules]
        environment = {"COOLID_URL": server.url, "COOLID_KEY": server.key}
        code, output = at_terminal(*arguments, environment=environment, answer=b"n\n")
        assert (code, "nothing was created" in output) == (1, True), output

    @pytest.mark.parametrize(
        ("template", "suggested"),
        [
            ("fk4.reedeedk", "--naan 99999 --shoulder fk4 --template .reedeedk"),
            ("fk4a.reedeedk", "--naan 99999 --shoulder fk4 --template a.reedeedk"),
            ("99999/fk4.zeek", "--naan 99999 --shoulder fk4 --template .zeek"),
            ("99999.zeek", "--naan 99999 --template .zeek"),
            ("ark:/12345/x5.zeek", "--naan 12345 --shoulder x5 --template .zeek"),
            (".zeek", None),
            ("x.zeek", None),
            ("nonsense", None),
        ],
    )
    def test_a_template_with_a_naan_or_a_shoulder_is_recognised(self, template: str, suggested: str | None) -> None:
        found = template_warning(template, "99999", "")
        assert found == suggested if suggested is None else str(found).endswith(suggested)

    def test_a_failed_registration_names_the_repository_that_was_created(self, site: Host) -> None:
        created = json_reply({"id": REPOSITORY}, 201)
        site.will(problem(404), created, problem(409, "It would hide an identifier"))
        result = run(site.url, KEY, "prefixes", "create", "--naan", "99999", "--shoulder", "fk4", "--title", "Plates")
        assert result.exit_code == 1
        assert f"coolid prefixes create ark:99999/fk4 --repository {REPOSITORY}" in result.stderr

    def test_a_provider_prefix_is_created_changed_and_taken_over(self, server: Server) -> None:
        prefix = name()
        pattern = "https://one.example.org/{$id}"
        arguments = ("--provider", f"one={pattern}", "--example", "0006915", "--title", "Terms")
        assert done(server, "prefixes", "create", prefix, *arguments) == prefix
        changed = shown(server, "prefixes", "change", prefix, "--members", '{"strict": true, "title": null}')
        assert changed["providers"] == [{"code": "one", "title": None, "url": pattern}]
        assert (changed["strict"], changed["title"], changed["example"]) == (True, None, "0006915")
        assert f"{prefix}\tprovider\tone\t" in done(server, "prefixes", "list", "--kind", "provider", "--q", prefix)
        found = done(server, "repositories", "create", "--title", "Mine")
        assert "--replace" in fails(server, "prefixes", "create", prefix, "--repository", found, code=1)
        assert done(server, "prefixes", "create", prefix, "--repository", found, "--replace") == prefix
        assert shown(server, "prefixes", "change", prefix, "--title", "Renamed")["title"] == "Renamed"

    def test_a_naan_of_another_service_gets_no_repository(self, site: Host) -> None:
        site.will(problem(404), json_reply({"prefix": "ark:99999", "kind": "provider"}, 201))
        arguments = ("--naan", "99999", "--provider", "other=https://other.example/{$id}")
        assert run(site.url, KEY, "prefixes", "create", *arguments).exit_code == 0
        assert [each.method for each in site.requests] == ["GET", "PUT"]
        assert site.requests[1].json()["kind"] == "provider"

    def test_the_list_is_cut_and_needs_no_second_page(self, server: Server) -> None:
        listed = done(server, "prefixes", "list", "--limit", "2", "--json").splitlines()
        assert {json.loads(line)["kind"] for line in listed} == {"namespace"}
        assert "there are no such prefixes" in run(server.url, server.key, "prefixes", "list", "--q", "%").stderr

    def test_one_is_public(self, server: Server) -> None:
        result = run(server.url, "", "prefixes", "show", "demo")
        assert "example     tw0t-ywdj-94" in result.stdout
        assert run(server.url, "", "prefixes", "show", "nothing").exit_code == 1

    @pytest.mark.parametrize(
        "arguments",
        [
            ["create"],
            ["create", "mp"],
            ["create", "mp", "--provider", "one"],
            ["create", "mp", "--provider", "one=https://example.org/{$id}", "--repository", REPOSITORY],
            ["create", "mp", "--naan", "99999", "--title", "X"],
            ["create", "mp", "--shoulder", "fk4", "--repository", REPOSITORY],
            ["create", "--naan", ""],
            ["create", "--naan", "99999", "--shoulder", "fk", "--title", "X"],
            ["create", "--naan", "99999", "--shoulder", "FK4", "--title", "X"],
            ["change", "mp"],
            ["show"],
            ["show", "mp", "--naan", "99999"],
        ],
    )
    def test_wrong_usage_sends_nothing(self, site: Host, arguments: list[str]) -> None:
        assert run(site.url, KEY, "prefixes", *arguments).exit_code == 2
        assert site.requests == []


@pytest.mark.parametrize("name", ["", ".", "..", "\udcff"])
def test_a_name_that_no_url_can_have_is_sent_nowhere(site: Host, name: str) -> None:
    for command in (
        ["prefixes", "show", name],
        ["prefixes", "show", f"a/{name}/b"],
        ["prefixes", "create", f"{name}/b", "--repository", REPOSITORY],
        ["prefixes", "change", f"a/{name}", "--title", "X"],
        ["prefixes", "list", "--q", "\udcff"],
        ["repositories", "show", name],
        ["repositories", "change", name, "--ttl", "1"],
        ["records", "list", "--prefix", "\udcff"],
    ):
        assert run(site.url, KEY, *command).exit_code == 2
    assert site.requests == []


class TestRecords:
    """Lists and searches follow the pages."""

    @pytest.fixture(autouse=True)
    def _pages(self, site: Host) -> None:
        second = RECORD | {
            "pid": "https://id.example.org/demo/y",
            "status": "withdrawn",
            "metadata": {"who": ["Ångström"]},
        }
        listed = "/api/v1/records?prefix=demo&limit=1000"
        site.answers |= {
            listed: json_reply({"records": [RECORD], "next": "a"}),
            f"{listed}&cursor=a": json_reply({"records": [second], "next": None}),
            "/api/v1/records?prefix=demo&limit=1": json_reply({"records": [RECORD], "next": "a"}),
        }

    def test_all_are_listed(self, site: Host) -> None:
        result = run(site.url, KEY, "records", "list", "--prefix", "demo")
        assert result.stdout.splitlines() == [
            "https://id.example.org/demo/x\tactive\t2025-07-10T14:22:30Z\thttps://content.example.org/\tSpectra",
            "https://id.example.org/demo/y\twithdrawn\t2025-07-10T14:22:30Z\thttps://content.example.org/\t",
        ]

    def test_json_is_a_record_a_line(self, site: Host) -> None:
        result = run(site.url, KEY, "records", "list", "--prefix", "demo", "--limit", "1", "--json")
        assert [json.loads(line) for line in result.stdout.splitlines()] == [RECORD]

    def test_filters_are_those_of_the_service(self, site: Host) -> None:
        filters = (
            "--status",
            "active",
            "--target-host",
            "example.org",
            "--health",
            "up",
            "--updated-after",
            "2026-01-01",
        )
        query = "status=active&target_host=example.org&health=up&updated_after=2026-01-01&sort=-updated&limit=1000"
        page: dict[str, Any] = {"records": [RECORD], "next": None, "health": {}}
        site.answers[f"/api/v1/records?{query}"] = json_reply(page)
        site.answers[f"/api/v1/records?q=annual+report&prefix=demo&{query}"] = json_reply(page)
        for arguments in (("list",), ("search", "annual", "report", "--prefix", "demo")):
            result = run(site.url, KEY, "records", *arguments, *filters, "--json")
            assert [json.loads(line) for line in result.stdout.splitlines()] == [RECORD]

    def test_a_release_that_cannot_search_is_refused(self, site: Host) -> None:
        site.answers["/api/v1/records?status=active&sort=-updated&limit=1000"] = json_reply(
            {"records": [RECORD], "next": None}
        )
        result = run(site.url, KEY, "records", "list", "--status", "active")
        assert (result.exit_code, result.stdout) == (3, "")
        assert "cannot search records" in result.stderr

    def test_a_limit_reads_no_more_than_it_needs(self, site: Host) -> None:
        result = run(site.url, KEY, "records", "list", "--prefix", "demo", "--limit", "1")
        assert (len(result.stdout.splitlines()), len(site.requests)) == (1, 1)

    def test_a_search_without_result_is_a_no(self, site: Host) -> None:
        site.answers["/api/v1/records?q=nothing&sort=-updated&limit=1000"] = json_reply(
            {"records": [], "next": None, "health": {}}
        )
        assert run(site.url, KEY, "records", "search", "nothing").exit_code == 1

    def test_keys_are_listed_with_their_last_use(self, site: Host) -> None:
        first: dict[str, Any] = {"id": "epyx6gxg", "scopes": ["admin"], "note": "n", "created": "2025-07-10T14:22:30Z"}
        used = first | {"id": "aaaaaaaa", "last_used": "2026-01-02"}
        revoked = used | {"id": "bbbbbbbb", "revoked": "2026-01-02T03:04:05Z"}
        page = {"clients": [first, used, revoked], "next": None}
        site.answers["/api/v1/clients?limit=1000"] = json_reply(page)
        assert run(site.url, KEY, "keys", "list").stdout.splitlines() == [
            "epyx6gxg\tnever\tadmin\tn",
            "aaaaaaaa\t2026-01-02\tadmin\tn",
            "bbbbbbbb\trevoked\tadmin\tn",
        ]
        listed = run(site.url, KEY, "keys", "list", "--json").stdout.splitlines()
        assert [json.loads(line)["id"] for line in listed] == ["epyx6gxg", "aaaaaaaa", "bbbbbbbb"]

    @pytest.mark.parametrize("arguments", [["search"], ["search", " ", "--prefix", "demo"], ["list", "--health", "x"]])
    def test_wrong_usage_sends_nothing(self, site: Host, arguments: list[str]) -> None:
        assert run(site.url, KEY, "records", *arguments).exit_code == 2
        assert site.requests == []

    def test_at_a_terminal_they_are_a_table(self, site: Host) -> None:
        environment = {"COOLID_URL": site.url, "COOLID_KEY": KEY}
        code, output = at_terminal("records", "list", "--prefix", "demo", environment=environment)
        assert (code, "status" in output, "\t" in output) == (0, True, False)


class TestContinuedMinters:
    DATABASE = Path(__file__).parents[1] / "vectors" / "ezid" / "77913_r7.bdb"

    def test_a_minter_is_continued_with_its_next_names(self, server: Server) -> None:
        arguments = ("prefixes", "create", "--minter", str(self.DATABASE), "--title", "Plates")
        result = run(server.url, server.key, *arguments)
        assert (result.exit_code, result.stdout) == (0, "ark:77913/r7\n"), result.output
        assert "continues a minter of EZID, which has minted 2191 names" in result.stderr
        assert "the next identifiers are ark:77913/r72t0f, ark:77913/r7z389, ark:77913/r7t950" in result.stderr
        pids = [done(server, "mint", "--prefix", "ark:77913/r7", "--uri", "https://example.org/") for _ in range(3)]
        assert [pid.rpartition("/")[2] for pid in pids] == ["r72t0f", "r7z389", "r7t950"]
        rules = {"template": ".reedk", "naan": "77913", "shoulder": "r7", "grows": 3, "also": "[!-~]+"}
        assert shown(server, "prefixes", "show", "ark:77913/r7")["rules"] == rules
        assert "exists already" in fails(server, *arguments, code=1)

    def test_names_that_the_minter_holds_are_reserved(self, server: Server, tmp_path: Path) -> None:
        members = {"template": "fk4.sdd", "mask": "sdd", "naan": "77914", "oacounter": "3", "oatop": "100"}
        entries = {"77914/fk404\t:/h": "1"} | {f":/{member}": value for member, value in members.items()}
        lines = [f" {part}" for entry in entries.items() for part in entry]
        file = tmp_path / "noid.txt"
        header = ["VERSION=3", "format=print", "type=btree", "HEADER=END"]
        file.write_text("\n".join([*header, *lines, "DATA=END", ""]).replace("\t", "\\09"))
        result = run(server.url, server.key, "prefixes", "create", "--minter", str(file), "--title", "Plates")
        assert (result.exit_code, result.stdout) == (0, "ark:77914/fk4\n"), result.output
        assert "note: names that the minter holds back or has queued" in result.stderr
        pids = [done(server, "mint", "--prefix", "ark:77914/fk4", "--uri", "https://example.org/") for _ in range(2)]
        assert [pid.rpartition("/")[2] for pid in pids] == ["fk403", "fk405"]

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--repository", REPOSITORY], "--minter excludes --repository"),
            (["--naan", "99999"], "is for ark:77913/r7, not for ark:99999"),
            (["--minter", "none.bdb"], "none.bdb cannot be read: No such file"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, server: Server, arguments: list[str], reason: str) -> None:
        found = fails(server, "prefixes", "create", "--title", "X", "--minter", str(self.DATABASE), *arguments)
        assert reason in found
