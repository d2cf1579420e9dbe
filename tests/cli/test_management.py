"""Minting and managing from the command line, against the service itself and against hosts that misbehave."""

import json
import os
import re
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.cli.commands.history import changes
from coolid.cli.commands.update import etag_of
from coolid.model.clients import authenticate, split_key
from tests.support.fixtures.system import TablesSystem
from tests.support.servers.coolid_server import COMMAND, Server
from tests.support.servers.http_server import ETAG, KEY, RECORD, Host, host, problem, stored
from tests.support.servers.loopback import nobody

runner = CliRunner()

MINT = ["mint", "--prefix", "demo", "--uri", "https://content.example.org/"]
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MISSING = "demo:wyfq-vr1p-83"
NOTHING = {"COOLID_URL": "", "COOLID_KEY": "", "COOLID_STACK": "", "LUI_TABLE": "", "CLIENT_TABLE": ""}
EVERY_COMMAND = [
    MINT,
    ["show", "demo:x"],
    ["update", "demo:x", "--set", "what=a"],
    ["withdraw", "demo:x", "--reason", "a mistake"],
    ["history", "demo:x"],
    ["keys", "create", "--scope", "mint:demo"],
    ["keys", "revoke", "epyx6gxg"],
]


def run(url: str, key: str, *arguments: str, given: str | bytes = "") -> Result:
    """Run a command; a traceback, an unsafe character or a key that is told is a failure of the test."""
    result = runner.invoke(app, list(arguments), env=NOTHING | {"COOLID_URL": url, "COOLID_KEY": key}, input=given)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert not UNSAFE.search(result.output)
    assert not key or key not in result.output
    return result


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    """A host that answers what the test says; nobody waits for it."""
    monkeypatch.setattr("coolid.cli.service_connection._wait", lambda _seconds: None)
    with host(replies=[stored()]) as running:
        yield running


def done(server: Server, *arguments: str, given: str = "") -> str:
    """What a command of the administrator prints, which is done."""
    result = run(server.url, server.key, *arguments, given=given)
    assert result.exit_code == 0, result.output
    return result.stdout


def minted(server: Server, *arguments: str) -> str:
    return done(server, *MINT, *arguments).strip()


def shown(server: Server, pid: str, *arguments: str) -> Any:
    return json.loads(done(server, "show", pid, "--json", *arguments))


def etag(server: Server, pid: str) -> str:
    (found,) = re.findall(r"^etag +(\S+)$", done(server, "show", pid), re.MULTILINE)
    return str(found)


class TestMinting:
    def test_the_pid_is_printed_and_resolves(self, server: Server) -> None:
        pid = minted(server)
        assert pid.startswith(f"{server.url}/")
        reply = server.request("GET", pid.removeprefix(server.url))
        assert (reply.status, reply.headers["location"]) == (302, "https://content.example.org/")

    def test_options_make_the_record(self, server: Server) -> None:
        more = {"where": "here", "what": "overruled"}
        returned = json.loads(
            done(
                server, *MINT, "--what", "Spectra", "--who", "A. Smith", "--when", "2025",
                "--metadata", json.dumps(more), "--reserved", "--json",
            )
        )  # fmt: skip
        assert returned["metadata"] == {"where": "here", "what": "Spectra", "who": "A. Smith", "when": "2025"}
        assert returned["status"] == "reserved"
        assert shown(server, returned["pid"]) == returned
        refused = run(server.url, server.key, *MINT, "--id", returned["id"])
        assert (refused.exit_code, "status 409" in refused.stderr) == (1, True)

    def test_json_may_be_in_a_file_or_come_on_standard_input(self, server: Server, tmp_path: Path) -> None:
        locations = [{"uri": "https://a.example.org/"}, {"uri": "https://b.example.org/", "mediaType": "text/html"}]
        file = tmp_path / "records.json"
        file.write_text(json.dumps(locations), encoding="utf-8")
        pid = done(server, "mint", "--prefix", "demo", "--records", f"@{file}").strip()
        assert [each["uri"] for each in shown(server, pid)["records"]] == [each["uri"] for each in locations]
        document = {"prefix": "demo", "uri": "https://c.example.org/", "ttl": 60}
        returned = json.loads(done(server, "mint", "-", "--json", given=json.dumps(document)))
        assert (returned["ttl"], returned["records"][0]["uri"]) == (60, "https://c.example.org/")

    def test_the_same_name_mints_once(self, server: Server) -> None:
        name = secrets.token_hex(8)
        assert minted(server, "--idempotency-key", name) == minted(server, "--idempotency-key", name)
        other = run(server.url, server.key, *MINT, "--what", "another", "--idempotency-key", name)
        assert (other.exit_code, "status 422" in other.stderr) == (1, True)

    def test_an_invalid_request_prints_each_position(self, server: Server) -> None:
        document = {"prefix": "demo", "uri": "javascript:alert(1)", "status": "gone", "color": "red"}
        result = run(server.url, server.key, "mint", "-", given=json.dumps(document))
        assert result.exit_code == 1
        for pointer in ("/status", "/color"):
            assert f"  {pointer}: " in result.stderr
        assert result.stdout == ""
        as_json = run(server.url, server.key, "mint", "-", "--json", given=json.dumps(document))
        assert as_json.exit_code == 1
        assert {each["pointer"] for each in json.loads(as_json.stdout)["errors"]} >= {"/status", "/color"}

    def test_a_single_position_is_printed_once(self, server: Server) -> None:
        result = run(server.url, server.key, "mint", "--prefix", "nowhere", "--uri", "https://content.example.org/")
        assert (result.exit_code, result.stderr.count("/prefix: ")) == (1, 1)

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["x"],
            ["--uri", "https://example.org/"],
            ["--prefix", "demo", "--uri", "https://example.org/", "--records", "[]"],
            ["--prefix", "demo", "--metadata", "{"],
            ["--prefix", "demo", "--metadata", "[]"],
            ["--prefix", "demo", "--metadata", '{"a": 1, "a": 2}'],
            ["--prefix", "demo", "--metadata", '{"a": NaN}'],
            ["--prefix", "demo", "--metadata", '{"a": "\udcff"}'],
            ["--prefix", "demo", "--metadata", "@/nowhere/at/all"],
            ["--prefix", "demo", "--metadata", "@."],
            ["--prefix", "demo", "--records", "{}"],
            ["--prefix", "demo", "--idempotency-key", ""],
            ["--prefix", "demo", "--idempotency-key", "a b"],
            ["--prefix", "demo", "--idempotency-key", "x" * 256],
            ["-", "--prefix", "demo"],
            ["-", "--reserved"],
            ["-"],
        ],
        ids=" ".join,
    )
    def test_what_makes_no_document_is_wrong_usage_and_is_not_sent(self, site: Host, arguments: list[str]) -> None:
        result = run(site.url, KEY, "mint", *arguments)
        assert result.exit_code == 2
        assert result.stderr
        assert site.requests == []

    def test_a_file_that_is_too_large_is_not_sent(self, site: Host, tmp_path: Path) -> None:
        file = tmp_path / "large.json"
        file.write_bytes(b" " * 1_000_001)
        assert run(site.url, KEY, *MINT, "--metadata", f"@{file}").exit_code == 2
        assert site.requests == []

    def test_text_of_no_encoding_is_reported(self, site: Host) -> None:
        for arguments in (["--what", "\udcff"], ["--prefix", "\udcff"], ["--uri", "https://example.org/\udcff"]):
            result = run(site.url, KEY, *MINT, *arguments)
            assert (result.exit_code, site.requests) == (2, [])

    def test_a_request_with_a_lost_response_is_repeated_with_the_same_key(self, site: Host) -> None:
        site.will(lambda _: None, stored(status=201))
        assert run(site.url, KEY, *MINT).stdout.strip() == RECORD["pid"]
        assert len({requested.headers["idempotency-key"] for requested in site.requests}) == 1

    def test_without_a_response_it_explains_how_to_repeat_the_mint_safely(self, site: Host) -> None:
        site.will(lambda _: None)
        result = run(site.url, KEY, *MINT)
        assert result.exit_code == 3
        assert f"--idempotency-key {site.requests[0].headers['idempotency-key']}" in result.stderr


class TestShowing:
    def test_at_a_terminal_the_record_is_shown(self, server: Server) -> None:
        pid = minted(server, "--what", "Spectra")
        returned = dict(line.split(None, 1) for line in done(server, "show", pid).splitlines())
        assert returned.items() >= {"pid": pid, "version": "1", "status": "active", "what": "Spectra"}.items()
        assert returned["location"].startswith("https://content.example.org/")

    def test_any_spelling_will_do(self, server: Server) -> None:
        pid = minted(server)
        path = pid.removeprefix(f"{server.url}/")
        prefix, _, lui = path.rpartition("/")
        for text in (path, f" <{pid}> ", f"{pid}?format=html#x", f"demo:{lui}", f"{prefix}:{lui.upper()}", f"/{path}"):
            assert shown(server, text)["pid"] == pid

    def test_without_a_key_it_is_what_everybody_may_see(self, server: Server) -> None:
        pid, hidden = minted(server), minted(server, "--reserved")
        result = run(server.url, "", "show", pid, "--json")
        assert json.loads(result.stdout) == shown(server, pid)
        assert "etag" not in run(server.url, "", "show", pid).stdout
        assert run(server.url, "", "show", hidden).exit_code == 1

    def test_older_versions_are_shown(self, server: Server) -> None:
        pid = minted(server, "--what", "old")
        done(server, "update", pid, "--set", "what=new")
        assert shown(server, pid)["metadata"] == {"what": "new"}
        assert shown(server, pid, "--version", "1")["metadata"] == {"what": "old"}
        assert run(server.url, server.key, "show", pid, "--version", "3").exit_code == 1
        assert run(server.url, server.key, "show", pid, "--version", "0").exit_code == 2

    def test_what_there_is_not_is_a_no(self, server: Server) -> None:
        for key in (server.key, ""):
            result = run(server.url, key, "show", MISSING)
            assert (result.exit_code, "status 404" in result.stderr) == (1, True)

    @pytest.mark.parametrize(
        "pid", ["", "/", "demo/../x", "demo:\udcff", "demo:a\nb", "https://other.example/demo/%zz"]
    )
    def test_what_can_be_no_pid_is_wrong_usage(self, server: Server, pid: str) -> None:
        assert run(server.url, server.key, "show", pid).exit_code == 2

    def test_a_record_of_another_host_is_not_taken_for_one_here(self, server: Server) -> None:
        path = minted(server).removeprefix(server.url)
        result = run(server.url, server.key, "withdraw", f"https://other.example{path}", "--reason", "a mistake")
        assert (result.exit_code, "other.example is another host" in result.stderr) == (2, True)
        assert shown(server, path)["status"] == "active"


class TestUpdating:
    def test_what_is_named_changes_and_nothing_else(self, server: Server) -> None:
        pid = minted(server, "--what", "Spectra", "--who", "A. Smith")
        assert done(server, "update", pid, "--set", "what=a=b", "--unset", "who").strip() == f"{pid} is version 2 now"
        record = shown(server, pid)
        assert record["metadata"] == {"what": "a=b"}
        assert record["records"][0]["uri"] == "https://content.example.org/"
        done(server, "update", pid, "--uri", "https://new.example.org/%2F", "--metadata", '{"n": {"deep": [1]}}')
        record = shown(server, pid)
        assert [each["uri"] for each in record["records"]] == ["https://new.example.org/%2F"]
        assert record["metadata"] == {"what": "a=b", "n": {"deep": [1]}}

    def test_a_patch_says_the_rest(self, server: Server, tmp_path: Path) -> None:
        pid = minted(server, "--reserved")
        file = tmp_path / "patch.json"
        file.write_text('{"status": "active"}', encoding="utf-8")
        returned = json.loads(done(server, "update", pid, "--patch", f"@{file}", "--json"))
        assert (returned["status"], returned["version"]) == ("active", 2)
        done(server, "update", pid, "--patch", "-", given='{"ttl": 30}')
        assert shown(server, pid)["ttl"] == 30

    def test_a_late_change_is_refused_and_changes_nothing(self, server: Server) -> None:
        pid = minted(server, "--what", "old")
        seen = etag(server, pid)
        done(server, "update", pid, "--set", "what=new", "--if-match", seen)
        late = run(server.url, server.key, "update", pid, "--set", "what=late", "--if-match", seen.strip('"'))
        assert late.exit_code == 1
        assert "somebody else changed the record: it is version 2 now" in late.stderr
        assert "coolid history" in late.stderr
        assert shown(server, pid)["metadata"] == {"what": "new"}
        done(server, "update", pid, "--set", "what=late", "--if-match", "*")

    def test_the_tag_of_what_was_read_is_sent(self, site: Host) -> None:
        run(site.url, KEY, "update", "demo:x", "--set", "what=a")
        assert [requested.method for requested in site.requests] == ["GET", "PATCH"]
        assert site.requests[1].headers["if-match"] == ETAG

    def test_a_late_answer_may_be_to_ones_own_change(self, site: Host) -> None:
        site.will(stored(), lambda _: None, problem(412, "It changed"), stored(RECORD | {"version": 2}))
        result = run(site.url, KEY, "update", "demo:x", "--set", "what=a")
        assert result.exit_code == 1
        assert "perhaps this very change was made" in result.stderr

    def test_without_an_entity_tag_nothing_is_changed(self, site: Host) -> None:
        for tag in ("", "nonsense", '"a\tb"'):
            site.will(stored(etag=tag))
            assert run(site.url, KEY, "update", "demo:x", "--set", "what=a").exit_code == 3
            assert run(site.url, KEY, "withdraw", "demo:x", "--reason", "a mistake").exit_code == 3
        assert {requested.method for requested in site.requests} == {"GET"}

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["--set", "what"],
            ["--set", "=a"],
            ["--patch", "[]"],
            ["--patch", "{}", "--uri", "https://example.org/"],
            ["--metadata", "5"],
            ["--set", "what=a", "--if-match", "é"],
            ["--set", "what=a", "--if-match", 'a"b'],
            ["--set", "what=a", "--if-match", "a\r\nX: y"],
        ],
        ids=" ".join,
    )
    def test_what_makes_no_change_is_wrong_usage_and_is_not_sent(self, site: Host, arguments: list[str]) -> None:
        assert run(site.url, KEY, "update", "demo:x", *arguments).exit_code == 2
        assert site.requests == []

    @given(st.text(st.sampled_from("abc!~*W/-"), max_size=9))
    def test_a_tag_may_be_given_without_its_quotation_marks(self, text: str) -> None:
        if text != "*":
            assert etag_of(text) == etag_of(f'"{text}"') == f'"{text}"'
        assert etag_of(f'W/"{text}"') == f'W/"{text}"'


class TestWithdrawing:
    def test_the_tombstone_says_why_and_what_takes_its_place(self, server: Server) -> None:
        pid, successor = minted(server), minted(server)
        returned = done(server, "withdraw", pid, "--reason", "a mistake", "--successor", successor)
        assert returned.strip() == f"{pid} is withdrawn"
        assert server.request("GET", pid.removeprefix(server.url)).status == 410
        for key in (server.key, ""):
            lines = run(server.url, key, "show", pid).stdout
            assert "a mistake" in lines
            assert re.search(rf"^successor +{re.escape(successor)}$", lines, re.MULTILINE)

    def test_it_is_for_good(self, server: Server) -> None:
        pid = minted(server)
        done(server, "withdraw", pid, "--reason", "a mistake", "--yes", "--json")
        for arguments in (["withdraw", pid, "--reason", "again"], ["update", pid, "--set", "what=a"]):
            result = run(server.url, server.key, *arguments)
            assert (result.exit_code, "status 409" in result.stderr) == (1, True)

    def test_a_reason_must_be_given(self, site: Host) -> None:
        for arguments in ([], ["--reason", ""], ["--reason", " "]):
            assert run(site.url, KEY, "withdraw", "demo:x", *arguments).exit_code == 2
        assert site.requests == []

    @pytest.mark.parametrize(("typed", "code"), [("n\n", 1), ("\n", 1), ("y\n", 0)])
    def test_on_a_terminal_it_shows_the_record_and_asks_for_confirmation(
        self, site: Host, typed: str, code: int
    ) -> None:
        leader, follower = os.openpty()
        try:
            os.write(leader, typed.encode())
            ran = subprocess.run(
                [str(COMMAND), "withdraw", "demo:x", "--reason", "a mistake"],
                stdin=follower,
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
                env=dict(os.environ) | NOTHING | {"COOLID_URL": site.url, "COOLID_KEY": KEY},
            )
        finally:
            os.close(leader)
            os.close(follower)
        assert ran.returncode == code, ran.stderr
        assert "Spectra" in ran.stderr
        assert "for good?" in ran.stderr
        assert [requested.method for requested in site.requests] == (["GET", "DELETE"] if code == 0 else ["GET"])

    def test_with_yes_there_is_no_question(self, site: Host, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("coolid.cli.service_connection.sys.stdin.isatty", lambda: True, raising=False)
        assert run(site.url, KEY, "withdraw", "demo:x", "--reason", "a mistake", "--yes").exit_code == 0


class TestHistory:
    def test_every_version_is_a_line_the_newest_first(self, server: Server) -> None:
        pid = minted(server, "--what", "Spectra")
        author = split_key(server.key)[0]
        done(server, "update", pid, "--set", "what=Other", "--uri", "https://new.example.org/")
        done(server, "withdraw", pid, "--reason", "a mistake")
        heading, *lines = done(server, "history", pid).splitlines()
        assert heading.split() == ["version", "updated", "author", "status", "changed"]
        assert [line.split()[0] for line in lines] == ["3", "2", "1"]
        assert all(line.split()[2] == author for line in lines)
        assert lines[0].endswith("withdrawn: a mistake")
        assert lines[1].endswith("/metadata/what, /records")
        assert lines[2].endswith("minted")

    def test_json_has_whole_documents(self, server: Server) -> None:
        pid = minted(server)
        (version,) = json.loads(done(server, "history", pid, "--json"))["versions"]
        assert version == {"version": 1, "author": split_key(server.key)[0], "record": shown(server, pid)}

    def test_what_there_is_not_has_none(self, server: Server) -> None:
        result = run(server.url, server.key, "history", MISSING)
        assert (result.exit_code, "status 404" in result.stderr) == (1, True)

    @pytest.mark.parametrize(
        "versions",
        [
            [],
            [{"record": {}}],
            [{"record": {"withdrawn": 5}}, {"record": {"version": [], "metadata": []}, "author": 5}],
        ],
    )
    def test_a_strange_one_is_reported_unchanged(self, site: Host, versions: list[Any]) -> None:
        site.will(stored({"versions": versions}))
        assert len(run(site.url, KEY, "history", "demo:x").stdout.splitlines()) == 1 + len(versions)

    @given(st.dictionaries(st.text(max_size=3), st.integers() | st.dictionaries(st.text(max_size=3), st.integers())))
    def test_nothing_changes_from_a_document_to_itself(self, document: dict[str, Any]) -> None:
        assert changes(document, document) == ()

    @given(st.dictionaries(st.text("ab~/", max_size=3), st.none() | st.integers(0, 1), max_size=3), st.data())
    def test_a_change_is_pointed_to(self, before: dict[str, Any], data: st.DataObject) -> None:
        name = data.draw(st.text("ab~/", max_size=3))
        after = {key: value for key, value in before.items() if key != name} | {name: 5}
        assert changes(before, after) == ("/" + name.replace("~", "~0").replace("/", "~1"),)
        assert changes({"metadata": before | {"x": 0}}, {"metadata": after | {"x": 0}}) != ()


class TestKeys:
    def test_a_key_opens_what_it_was_made_for_until_it_is_revoked(self, server: Server) -> None:
        result = run(server.url, server.key, "keys", "create", "--scope", "mint:demo", "--note", "a beamline")
        key = result.stdout.strip()
        client = split_key(key)[0]
        assert client in result.stderr
        assert split_key(key)[1] not in result.stderr
        pid = run(server.url, key, *MINT).stdout.strip()
        refused = run(server.url, key, "update", pid, "--set", "what=a")
        assert (refused.exit_code, "status 403" in refused.stderr) == (1, True)
        assert client in done(server, "keys", "revoke", client)
        closed = run(server.url, key, *MINT)
        assert (closed.exit_code, "status 401" in closed.stderr) == (1, True)

    def test_json_is_the_whole_answer(self, server: Server) -> None:
        scopes = ["--scope", "mint:demo", "--scope", "update:demo"]
        returned = json.loads(done(server, "keys", "create", *scopes, "--minute", "5", "--day", "9", "--json"))
        assert sorted(returned["scopes"]) == ["mint:demo", "update:demo"]
        assert returned["quota"] == {"minute": 5, "day": 9}
        assert split_key(returned["key"])[0] == returned["id"]
        revoked = json.loads(done(server, "keys", "revoke", returned["id"], "--json"))
        assert revoked["revoked"]
        assert "key" not in revoked

    def test_only_administrators_make_keys(self, server: Server) -> None:
        key = done(server, "keys", "create", "--scope", "mint:demo").strip()
        refused = run(server.url, key, "keys", "create", "--scope", "admin")
        assert (refused.exit_code, refused.stdout) == (1, "")

    def test_a_client_that_there_is_not_cannot_be_revoked(self, server: Server) -> None:
        assert run(server.url, server.key, "keys", "revoke", "aaaaaaaa").exit_code == 1

    def test_the_first_one_is_made_with_aws_credentials(self, light_tables: TablesSystem) -> None:
        table = light_tables.tables["ClientTable"]
        result = run("", "", "keys", "create", "--admin", "--table", table, "--note", "first", "--day", "7", "--json")
        assert result.exit_code == 0, result.output
        returned = json.loads(result.stdout)
        client = light_tables.store().clients.client(returned["id"])
        assert client is not None
        assert authenticate(client, split_key(returned["key"])[1]) == client
        assert (client.scopes, client.note) == (("admin",), "first")
        assert (
            light_tables.mint({"prefix": "demo", "uri": "https://content.example.org/"}, returned["key"]).status == 201
        )
        named = runner.invoke(app, ["keys", "create", "--admin"], env=NOTHING | {"CLIENT_TABLE": table})
        assert split_key(named.stdout.strip())

    def test_a_stack_knows_its_table(self, light_tables: TablesSystem, monkeypatch: pytest.MonkeyPatch) -> None:
        make = boto3.client

        class Stacks:
            def describe_stack_resource(self, **requested: str) -> Any:
                if requested != {"StackName": "pids", "LogicalResourceId": "ClientTable"}:
                    raise ClientError({"Error": {"Code": "ValidationError"}}, "DescribeStackResource")
                return {"StackResourceDetail": {"PhysicalResourceId": light_tables.tables["ClientTable"]}}

        monkeypatch.setattr(
            boto3, "client", lambda name, **more: Stacks() if name == "cloudformation" else make(name, **more)
        )
        returned = json.loads(run("", "", "keys", "create", "--admin", "--stack", "pids", "--json").stdout)
        assert light_tables.store().clients.client(returned["id"]) is not None
        refused = run("", "", "keys", "create", "--admin", "--stack", "none")
        assert (refused.exit_code, refused.stdout) == (3, "")

    def test_without_a_table_no_key_is_printed(self, light_tables: TablesSystem) -> None:
        result = run("", "", "keys", "create", "--admin", "--table", "none-of-that-name")
        assert (result.exit_code, result.stdout) == (3, "")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["create"],
            ["create", "--admin"],
            ["create", "--admin", "--scope", "admin", "--table", "x"],
            ["create", "--admin", "--table", "x", "--note", "a\nb"],
            ["create", "--admin", "--table", "x", "--note", "\udcff"],
            ["create", "--admin", "--table", "x", "--day", "0"],
            ["create", "--scope", "mint:demo", "--note", "\udcff"],
            ["create", "--scope", "mint:demo", "--day", "-1"],
            ["revoke"],
            ["revoke", KEY],
        ],
        ids=" ".join,
    )
    def test_what_makes_no_sense_is_wrong_usage(self, site: Host, arguments: list[str]) -> None:
        result = runner.invoke(app, ["keys", *arguments], env=NOTHING | {"COOLID_URL": site.url, "COOLID_KEY": KEY})
        assert (result.exit_code, site.requests) == (2, [])

    def test_a_key_is_not_made_twice(self, site: Host) -> None:
        site.will(lambda _: None)
        assert run(site.url, KEY, "keys", "create", "--scope", "mint:demo").exit_code == 3
        assert len(site.requests) == 1


@pytest.mark.parametrize("arguments", EVERY_COMMAND, ids=" ".join)
class TestEveryCommand:
    def test_the_service_must_be_named(self, arguments: list[str]) -> None:
        result = run("", KEY, *arguments)
        assert (result.exit_code, "COOLID_URL" in result.stderr) == (2, True)

    def test_a_key_must_be_there(self, site: Host, arguments: list[str]) -> None:
        result = run(site.url, "", *arguments)
        if arguments[0] != "show":
            assert (result.exit_code, "COOLID_KEY" in result.stderr, site.requests) == (2, True, [])
        assert not any("authorization" in requested.headers for requested in site.requests)

    def test_no_option_takes_a_key(self, arguments: list[str]) -> None:
        result = run("http://127.0.0.1:1", "", *arguments, "--key", KEY)
        assert result.exit_code == 2

    @pytest.mark.parametrize("content", [b"", b"secret", KEY.encode() + b"\nmore", b"\xff", None])
    def test_a_file_without_a_key_is_reported_but_not_its_content(
        self, site: Host, tmp_path: Path, arguments: list[str], content: bytes | None
    ) -> None:
        file = tmp_path / "key"
        if content is not None:
            file.write_bytes(content)
        result = run(site.url, KEY, *arguments, "--key-file", str(file))
        assert (result.exit_code, site.requests) == (2, [])
        assert str(file) in result.stderr
        assert "secret" not in result.stderr

    def test_a_key_file_is_read_up_to_a_limit(self, site: Host, tmp_path: Path, arguments: list[str]) -> None:
        file = tmp_path / "key"
        for size, is_too_large in ((65_536, False), (65_537, True)):
            file.write_text(KEY.ljust(size))
            result = run(site.url, "", *arguments, "--key-file", str(file))
            assert ("larger than 65,536 bytes" in result.stderr) == (result.exit_code == 2) == is_too_large

    def test_the_key_in_a_file_is_taken_before_that_in_the_environment(
        self, site: Host, tmp_path: Path, arguments: list[str]
    ) -> None:
        (tmp_path / "key").write_text(KEY + "\n", encoding="utf-8")
        run(site.url, KEY.replace("s", "t"), *arguments, "--key-file", str(tmp_path / "key"))
        assert {requested.headers["authorization"] for requested in site.requests} == {f"Bearer {KEY}"}

    @pytest.mark.parametrize("url", ["http://example.org", "nonsense", "ftp://127.0.0.1", "https://me:pass@127.0.0.1"])
    def test_no_key_goes_where_it_could_be_read(self, arguments: list[str], url: str) -> None:
        assert run(url, KEY, *arguments).exit_code == 2

    def test_without_a_listening_server_it_is_reported(self, arguments: list[str]) -> None:
        with nobody() as url:
            assert run(url, KEY, *arguments).exit_code == 3

    @pytest.mark.parametrize(
        ("status", "code"), [(400, 1), (401, 1), (403, 1), (404, 1), (409, 1), (422, 1), (429, 3), (500, 3), (503, 3)]
    )
    def test_the_exit_code_distinguishes_a_refusal_from_no_response(
        self, site: Host, arguments: list[str], status: int, code: int
    ) -> None:
        errors = [{"pointer": "/a\x1b[31m", "detail": "b\u202e"}]
        site.will(problem(status, "The \x1b]0;reason\x07 [bold]why[/bold]", errors=errors, suggestions=["\x9b1m"]))
        result = run(site.url, KEY, *arguments)
        assert result.exit_code == code
        assert "[bold]why[/bold]" in result.stderr
        assert result.stdout == ""
        as_json = run(site.url, KEY, *arguments, "--json")
        assert as_json.exit_code == code
        assert (json.loads(as_json.stdout)["status"] == status) if code == 1 else (as_json.stdout == "")

    @pytest.mark.parametrize(
        "reply",
        [
            (200, {"Content-Type": "text/html"}, b"<h1>Hello"),
            (404, {"Content-Type": "text/html"}, b"<h1>Not found"),
            (200, {"Content-Type": "application/json"}, b"[]"),
            (200, {"Content-Type": "application/json"}, b"{"),
            (307, {"Location": "https://elsewhere.example/"}, b""),
        ],
    )
    def test_something_that_is_no_such_service_is_reported(self, site: Host, arguments: list[str], reply: Any) -> None:
        site.will(reply)
        result = run(site.url, KEY, *arguments)
        assert (result.exit_code, result.stdout) == (3, "")

    def test_control_characters_never_reach_the_terminal(self, site: Host, arguments: list[str]) -> None:
        odd = "\x1b[31m\u202e\x9b[bold]:smile:\r\nb"
        record = RECORD | {
            "pid": odd, "status": odd, "version": 1, "updated": odd, "metadata": {odd: odd, "a": [odd]},
            "records": [{"uri": odd, odd: odd}, odd], "alternates": [{odd: odd}, odd], "revoked": odd, "author": odd,
            "withdrawn": {"at": odd, "reason": odd, "successor": odd}, "id": odd, "key": odd, "scopes": [odd],
        }  # fmt: skip
        before = {"version": odd, "author": odd, "record": record | {"metadata": {}, "withdrawn": None}}
        record = record | {"versions": [before | {"record": record}, before]}
        site.will(stored(record))
        for more in ([], ["--json"]):
            result = run(site.url, KEY, *arguments, *more)
            assert result.exit_code == 0
            assert "[bold]:smile:" in result.output
