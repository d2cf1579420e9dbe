"""`coolid verify`: files, lines and URLs; the trusted keys; its output and exit codes."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.client.discovery import WELL_KNOWN_PATH
from tests.support.builders.custody_chains import LINKID, CustodyChain, Operator
from tests.support.builders.large_files import measure_peak
from tests.support.builders.signed_documents import Key, document, history, key_set
from tests.support.servers.http_server import Host, host, page, to
from tests.support.servers.http_server import json as answer

KEY = Key()
OTHER = Key(2)
ISSUER = "https://id.example.org"
RECORD = KEY.sign(document())
PID = RECORD["pid"]
KEYS_PATH = "/.well-known/jwks.json"

runner = CliRunner()


def run(*arguments: str, given: bytes | None = None) -> Result:
    """Run it; a traceback is a failure of the test."""
    result = runner.invoke(app, ["verify", *arguments], input=given)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def returned(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def failed(verdict: Mapping[str, Any]) -> list[str]:
    return [check["name"] for check in verdict["checks"] if not check["passed"]]


@pytest.fixture
def jwks(tmp_path: Path) -> str:
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps(key_set(KEY)))
    return str(path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "records.json"


def lines(*documents: Any) -> str:
    return "".join(json.dumps(each) + "\n" for each in documents)


class TestFiles:
    @pytest.mark.parametrize("indent", [None, 2])
    def test_a_valid_record_has_exit_code_0_and_every_check_is_printed(
        self, file: Path, jwks: str, indent: int | None
    ) -> None:
        file.write_text(json.dumps(RECORD, indent=indent))
        result = run(str(file), "--jwks", jwks)
        assert result.exit_code == 0, result.output
        for name in ("proof", "algorithm", "key", "signature", "statement", "digest", "identity", "chain"):
            assert f"✓ {name}: " in result.stdout
        assert "✗" not in result.stdout
        assert PID in result.stdout
        assert result.stdout.splitlines()[-1] == "verified, with all versions"

    def test_an_altered_record_is_reported_with_what_failed(self, file: Path, jwks: str) -> None:
        file.write_text(json.dumps(RECORD | {"ttl": 1}))
        result = run(str(file), "--jwks", jwks, "--offline")
        assert result.exit_code == 1
        assert "✗ digest: " in result.stdout
        assert "altered" in result.stdout
        assert result.stdout.splitlines()[-1] == "not verified"

    def test_json_has_the_same_content(self, file: Path, jwks: str) -> None:
        file.write_text(json.dumps(RECORD))
        [verdict] = returned(run(str(file), "--jwks", jwks, "--json"))
        assert (verdict["pid"], verdict["version"], verdict["ok"], verdict["complete"]) == (PID, 1, True, True)
        assert all(check.keys() == {"name", "passed", "detail"} for check in verdict["checks"])
        file.write_text(json.dumps(OTHER.sign(RECORD)))
        result = run(str(file), "--jwks", jwks, "--json")
        assert result.exit_code == 1
        assert failed(returned(result)[0]) == ["key"]

    def test_standard_input_is_read_where_the_file_is_a_hyphen(self, jwks: str) -> None:
        assert run("-", "--jwks", jwks, given=json.dumps(RECORD).encode()).exit_code == 0
        assert run("-", "--jwks", jwks, given=json.dumps(RECORD | {"ttl": 1}).encode()).exit_code == 1

    def test_the_record_must_be_of_the_pid_and_issuer_that_are_said(self, file: Path, jwks: str) -> None:
        file.write_text(json.dumps(RECORD))
        assert run(str(file), "--jwks", jwks, "--pid", PID, "--issuer", ISSUER).exit_code == 0
        assert run(str(file), "--jwks", jwks, "--issuer", ISSUER + "/").exit_code == 0
        assert "✗ identity" in run(str(file), "--jwks", jwks, "--pid", PID + "x").stdout
        assert "✗ identity" in run(str(file), "--jwks", jwks, "--issuer", "https://evil.example").stdout

    def test_a_file_does_not_say_itself_whom_to_believe(self, file: Path) -> None:
        file.write_text(json.dumps(RECORD))
        result = run(str(file))
        assert result.exit_code == 2
        assert "--jwks or --issuer" in result.stderr

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\n\n",
            b"{",
            b"\xff",
            b'{"a":1,"a":2}',
            b'{"a":NaN}',
            b'{"a":9007199254740993}',
            b"\xef\xbb\xbf{}",
            b"{}{}",
        ],
    )
    def test_what_is_not_json_is_wrong_usage(self, file: Path, jwks: str, content: bytes) -> None:
        file.write_bytes(content)
        result = run(str(file), "--jwks", jwks)
        assert result.exit_code == 2
        assert "not JSON" in result.stderr
        assert run("-", "--jwks", jwks, given=content).exit_code == 2
        assert run(str(jwks), "--jwks", str(file)).exit_code == 2

    @pytest.mark.parametrize("content", ["null", "[]", "5", '"x"', "{}", "[{}]"])
    def test_json_that_is_no_record_is_not_verified(self, file: Path, jwks: str, content: str) -> None:
        file.write_text(content)
        result = run(str(file), "--jwks", jwks)
        assert result.exit_code == 1
        assert "✗ document" in result.stdout

    @pytest.mark.parametrize(
        "content", ["[\n" + "1,\n" * 700_000 + "1]", '{"a":\n' + " " * 1_000_000 + "1}"], ids=["in all", "in a line"]
    )
    def test_a_document_that_is_too_large_is_wrong_usage(self, file: Path, jwks: str, content: str) -> None:
        file.write_text(content)
        result = run(str(file), "--jwks", jwks)
        assert result.exit_code == 2
        assert "not JSON: a line is longer than 1,000,000 bytes, or the document than 2,000,000" in result.stderr

    def test_a_key_set_that_is_too_large_is_wrong_usage(self, file: Path, tmp_path: Path) -> None:
        file.write_text(json.dumps(RECORD))
        keys = tmp_path / "keys.json"
        keys.write_text(json.dumps(key_set(KEY)))
        with keys.open("r+b") as written:
            written.truncate(50_000_000)
        results: list[Result] = []
        assert measure_peak(lambda: results.append(run(str(file), "--jwks", str(keys)))) < 10_000_000
        assert results[0].exit_code == 2
        assert "2,000,000" in results[0].stderr

    def test_a_file_that_cannot_be_read_is_wrong_usage(self, tmp_path: Path, file: Path, jwks: str) -> None:
        file.write_text(json.dumps(RECORD))
        assert run(str(tmp_path / "nothing"), "--jwks", jwks).exit_code == 2
        assert run(str(tmp_path), "--jwks", jwks).exit_code == 2
        assert run(str(file), "--jwks", str(tmp_path / "nothing")).exit_code == 2

    def test_what_would_steer_a_terminal_never_reaches_it(self, file: Path, jwks: str) -> None:
        steering = "\x1b[2J\x07\x9b\x7f\u202e\u2028\r"
        odd = [
            KEY.sign(document(pid=f"https://id.example.org/{steering}", status=steering)),
            RECORD | {"pid": steering, "version": steering, "proof": steering, "created": steering},
            RECORD | {"issuer": steering, "previous": {steering: steering}},
            RECORD | {"proof": KEY.proof_of({"alg": steering}, b"{}")},
            RECORD | {"proof": KEY.proof_of({"alg": "ES256", "kid": steering}, b"{}")},
        ]
        for content in (*map(json.dumps, odd), lines(*odd), f'{{"{steering}":1,"{steering}":2}}'):
            file.write_text(content)
            for options in ([], ["--json"], ["--pid", steering]):
                result = run(str(file), "--jwks", jwks, *options)
                assert all(symbol.isprintable() for symbol in result.output.replace("\n", ""))
        assert "\x1b" not in run("\x1b[2J", "--jwks", jwks).output


class TestLines:
    def test_every_line_is_judged_and_the_bad_ones_are_reported(self, file: Path, jwks: str) -> None:
        other = KEY.sign(document(pid=ISSUER + "/other"))
        file.write_text(lines(RECORD) + "\n" + lines(other | {"ttl": 1}, other) + "{bad\n" + lines([]))
        result = run(str(file), "--jwks", jwks)
        assert result.exit_code == 1
        for said in ("✓ line 1: ", "✗ line 3: ", "✓ line 4: ", "✗ line 5: ", "✗ line 6: "):
            assert said in result.stdout
        verdicts = returned(run(str(file), "--jwks", jwks, "--json"))
        judged = {each["line"]: failed(each) for each in verdicts if "line" in each}
        assert judged == {1: [], 3: ["digest"], 4: [], 5: ["document"], 6: ["document"]}

    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_a_line_that_is_too_long_fails_alone(self, file: Path, jwks: str, place: int) -> None:
        good = [lines(RECORD), lines(RECORD)]
        long = "x" * 1_000_001 + "\n"
        file.write_text("".join([*good[:place], long, *good[place:]]))
        verdicts = returned(run(str(file), "--jwks", jwks, "--json"))
        judged = {each["line"]: failed(each) for each in verdicts if "line" in each}
        assert judged == {1: [], 2: [], 3: []} | {place + 1: ["document"]}
        result = run(str(file), "--jwks", jwks)
        assert result.exit_code == 1
        assert "the line is longer than 1,000,000 bytes" in result.stdout

    def test_a_line_of_any_length_is_not_held_in_memory(self, file: Path, jwks: str) -> None:
        with file.open("wb") as written:
            written.write(lines(RECORD).encode())
            written.seek(50_000_000)
            written.write(b"\n" + lines(RECORD).encode())
        run(str(file), "--jwks", jwks)
        results: list[Result] = []
        assert measure_peak(lambda: results.append(run(str(file), "--jwks", jwks, "--json"))) < 10_000_000
        judged = {each["line"]: failed(each) for each in returned(results[0]) if "line" in each}
        assert judged == {1: [], 2: ["document"], 3: []}

    def test_the_versions_of_each_pid_are_a_chain(self, file: Path, jwks: str) -> None:
        second = [{"pid": ISSUER + "/second", "id": "second"}] * 2
        mixed = [*history(KEY, 3), *history(KEY, 2, second)]
        file.write_text(lines(*mixed[::2], *mixed[1::2]))
        result = run(str(file), "--jwks", jwks, "--json")
        assert result.exit_code == 0
        histories = {each["pid"]: each for each in returned(result) if "versions" in each}
        assert {pid: each["versions"] for pid, each in histories.items()} == {
            PID: [1, 2, 3],
            ISSUER + "/second": [1, 2],
        }
        assert all(each["complete"] for each in histories.values())
        assert f"✓ history of '{PID}'" in run(str(file), "--jwks", jwks).stdout

    def test_a_broken_chain_fails_though_every_line_is_good(self, file: Path, jwks: str) -> None:
        first, second = history(KEY, 2)
        file.write_text(lines(KEY.sign(first | {"ttl": 1}), second))
        result = run(str(file), "--jwks", jwks)
        assert result.exit_code == 1
        assert "✓ line 1" in result.stdout
        assert "✓ line 2" in result.stdout
        assert "✗ chain" in result.stdout
        assert run(str(file), "--jwks", jwks, "--no-chain").exit_code == 0

    def test_a_missing_version_is_reported_and_is_no_failure(self, file: Path, jwks: str) -> None:
        first, _, third = history(KEY, 3)
        file.write_text(lines(third, first))
        result = run(str(file), "--jwks", jwks)
        assert result.exit_code == 0
        assert "version 2 is missing" in result.stdout


class TestUrls:
    @pytest.fixture
    def issuer(self) -> Iterator[Host]:
        with host({KEYS_PATH: answer(key_set(KEY))}) as running:
            yield running

    @staticmethod
    def serve(issuer: Host, count: int, **last: Any) -> list[dict[str, Any]]:
        own = {"pid": f"{issuer.url}/2021/06/mp/tw0t-ywdj-94", "issuer": issuer.url}
        versions = history(KEY, count, [*[own] * (count - 1), own | last])
        for each in versions:
            issuer.answers[f"/2021/06/mp/tw0t-ywdj-94?version={each['version']}&format=linkid"] = answer(each)
        status = 410 if "withdrawn" in last else 200
        for path in ("/2021/06/mp/tw0t-ywdj-94", "/mp:TWOT-YWDJ-94"):
            issuer.answers[f"{path}?format=linkid"] = answer(versions[-1], status)
        return versions

    @pytest.mark.parametrize("path", ["/2021/06/mp/tw0t-ywdj-94", "/mp:TWOT-YWDJ-94"])
    def test_record_history_and_keys_come_from_the_issuer(self, issuer: Host, path: str) -> None:
        self.serve(issuer, 3)
        result = run(issuer.url + path)
        assert result.exit_code == 0, result.output
        assert "✓ asked: " in result.stdout
        assert "versions 1 to 3 are a chain" in result.stdout
        assert result.stdout.splitlines()[-1] == "verified, with all versions"

    def test_without_the_chain_nothing_older_is_fetched(self, issuer: Host) -> None:
        self.serve(issuer, 3)
        result = run(f"{issuer.url}/mp:TWOT-YWDJ-94", "--no-chain")
        assert result.exit_code == 0
        assert issuer.targets == ["/mp:TWOT-YWDJ-94?format=linkid", KEYS_PATH, WELL_KNOWN_PATH]
        assert result.stdout.splitlines()[-1] == "verified; some earlier versions were missing"

    def test_versions_that_are_not_public_are_reported_and_no_failure(self, issuer: Host) -> None:
        self.serve(issuer, 3)
        del issuer.answers["/2021/06/mp/tw0t-ywdj-94?version=1&format=linkid"]
        result = run(f"{issuer.url}/mp:TWOT-YWDJ-94")
        assert result.exit_code == 0
        assert "version 1 is missing" in result.stdout

    def test_an_altered_older_version_fails(self, issuer: Host) -> None:
        first, _ = self.serve(issuer, 2)
        issuer.answers["/2021/06/mp/tw0t-ywdj-94?version=1&format=linkid"] = answer(first | {"ttl": 1})
        result = run(f"{issuer.url}/mp:TWOT-YWDJ-94")
        assert result.exit_code == 1
        assert "✗ digest: version 1: " in result.stdout

    def test_a_tombstone_verifies_like_any_record(self, issuer: Host) -> None:
        withdrawn = {"at": "2025-07-11T14:22:30Z", "reason": "x", "successor": None}
        self.serve(issuer, 2, status="withdrawn", withdrawn=withdrawn)
        assert run(f"{issuer.url}/mp:TWOT-YWDJ-94").exit_code == 0

    def test_a_genuine_record_of_another_pid_does_not_pass(self, issuer: Host) -> None:
        self.serve(issuer, 1)
        issuer.answers["/mp:0000-0001-95?format=linkid"] = issuer.answers["/mp:TWOT-YWDJ-94?format=linkid"]
        result = run(f"{issuer.url}/mp:0000-0001-95")
        assert result.exit_code == 1
        assert "✗ asked: " in result.stdout
        pid = f"{issuer.url}/2021/06/mp/tw0t-ywdj-94"
        assert run(f"{issuer.url}/mp:0000-0001-95", "--pid", pid).exit_code == 0
        assert run(pid, "--pid", pid + "x").exit_code == 1

    def test_a_mirror_is_not_believed_but_its_records_verify_by_the_issuers_keys(
        self, issuer: Host, tmp_path: Path, jwks: str
    ) -> None:
        self.serve(issuer, 2)
        with host(issuer.answers | {KEYS_PATH: answer(key_set(OTHER))}) as mirror:
            url = f"{mirror.url}/2021/06/mp/tw0t-ywdj-94"
            refused = run(url)
            assert refused.exit_code == 1
            assert "✗ key: " in refused.stdout
            assert "--jwks or --issuer" in refused.stdout
            assert KEYS_PATH not in mirror.targets + issuer.targets
            assert run(url, "--issuer", issuer.url).exit_code == 0
            assert run(url, "--jwks", jwks).exit_code == 0
            assert run(url, "--jwks", mirror.url + KEYS_PATH).exit_code == 1
            forged = OTHER.sign(document(pid=url, issuer=issuer.url))
            mirror.answers["/2021/06/mp/tw0t-ywdj-94?format=linkid"] = answer(forged)
            assert run(url).exit_code == 1
            assert run(url, "--issuer", issuer.url).exit_code == 1

    def test_what_the_resolver_does_not_have_is_no(self, issuer: Host) -> None:
        result = run(f"{issuer.url}/mp:TWOT-YWDJ-94")
        assert result.exit_code == 1
        assert "answers 404" in result.stderr
        issuer.answers["/mp:TWOT-YWDJ-94?format=linkid"] = to("https://example.org/")
        assert run(f"{issuer.url}/mp:TWOT-YWDJ-94").exit_code == 1

    @pytest.mark.parametrize("reply", [answer({}, 503), answer({}, 429), page(b"<p>"), page(b'{"a":1,"a":2}')])
    def test_what_does_not_answer_as_a_resolver_is_not_reached(self, issuer: Host, reply: Any) -> None:
        issuer.answers["/mp:TWOT-YWDJ-94?format=linkid"] = reply
        assert run(f"{issuer.url}/mp:TWOT-YWDJ-94").exit_code == 3

    @pytest.mark.parametrize("reply", [answer({}, 503), answer({}, 404), page(b"<p>"), to("/keys")])
    def test_without_its_key_set_nothing_is_judged(self, issuer: Host, file: Path, reply: Any) -> None:
        self.serve(issuer, 1)
        issuer.answers[KEYS_PATH] = reply
        file.write_text(json.dumps(RECORD))
        assert run(f"{issuer.url}/mp:TWOT-YWDJ-94").exit_code == 3
        assert run(str(file), "--jwks", issuer.url + KEYS_PATH).exit_code == 3
        assert run(str(file), "--issuer", issuer.url).exit_code == 3

    def test_a_host_that_is_not_there_is_not_reached(self) -> None:
        result = run("http://127.0.0.1:1/mp:x")
        assert result.exit_code == 3
        assert "Traceback" not in result.output

    @pytest.mark.parametrize("url", ["http://id.example.org/a", "https://user@id.example.org/a", "https://["])
    def test_a_url_that_is_not_requested_is_wrong_usage(self, url: str, file: Path) -> None:
        file.write_text(json.dumps(RECORD))
        assert run(url).exit_code == 2
        assert run(str(file), "--issuer", url).exit_code == 2
        assert run(str(file), "--jwks", url).exit_code == 2

    @pytest.mark.parametrize("content", [b"null", b"[]", b"5", b"{}", b'{"issuer": 5}', b'{"issuer": "\\u001b[2J"}'])
    def test_json_that_is_no_record_is_not_verified(self, issuer: Host, jwks: str, content: bytes) -> None:
        issuer.answers["/a?format=linkid"] = page(content, "application/linkid+json")
        for options in ([], ["--jwks", jwks], ["--issuer", issuer.url]):
            result = run(issuer.url + "/a", *options)
            assert result.exit_code == 1
            assert "not verified" in result.stdout
            assert "\x1b" not in result.output

    def test_offline_nothing_is_fetched(self, issuer: Host, file: Path, jwks: str) -> None:
        self.serve(issuer, 2)
        file.write_text(json.dumps(RECORD))
        assert run(str(file), "--offline", "--jwks", jwks, "--issuer", ISSUER).exit_code == 0
        assert run(f"{issuer.url}/mp:TWOT-YWDJ-94", "--offline", "--jwks", jwks).exit_code == 2
        assert run(str(file), "--offline", "--jwks", issuer.url + KEYS_PATH).exit_code == 2
        assert run(str(file), "--offline", "--issuer", issuer.url).exit_code == 2
        assert run(str(file), "--offline").exit_code == 2
        assert issuer.requests == []


class TestProcesses:
    """Real processes."""

    PROGRAM = (sys.executable, "-c", "from coolid.cli import main; main()", "verify")

    def test_where_the_terminal_has_no_such_marks_there_are_words(self, file: Path, jwks: str) -> None:
        file.write_text(json.dumps(KEY.sign(document(pid=ISSUER + "/é"))))
        environment = {"PYTHONIOENCODING": "ascii", "PATH": ""}
        done = subprocess.run(
            [*self.PROGRAM, str(file), "--jwks", jwks], env=environment, capture_output=True, check=True
        )
        assert b"ok digest" in done.stdout
        assert b"\\xe9" in done.stdout

    def test_head_gets_its_line_and_nobody_complains(self, file: Path, jwks: str) -> None:
        file.write_text(lines(*[RECORD] * 3000))
        arguments = [*self.PROGRAM, str(file), "--jwks", jwks]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline().strip()
            process.stdout.close()
            complaint = process.stderr.read().decode()
        assert "Traceback" not in complaint
        assert "cannot be read" not in complaint
        assert process.returncode != 0

    def test_importing_the_package_imports_nothing_of_it(self) -> None:
        program = "import sys, coolid; print(*sorted(name for name in sys.modules if name.startswith('coolid')))"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
        assert done.stdout.split() == ["coolid"]


class TestSeveralIssuers:
    """A record that A gave to B."""

    @pytest.fixture
    def chain(self) -> Iterator[tuple[CustodyChain, Host, Host]]:
        with host() as first, host() as second:
            a, b = (Operator(each.url, Key(number)) for number, each in enumerate((first, second), 5))
            chain = CustodyChain(a)
            chain.mint()
            chain.move(b)
            for operator, running in ((a, first), (b, second)):
                running.answers[KEYS_PATH] = answer(key_set(operator.key))
            path = f"/{LINKID}"
            second.answers[f"{path}?format=linkid"] = answer(chain.newest)
            for each in chain.versions:
                second.answers[f"{path}?version={each['version']}&format=linkid"] = answer(each)
            yield chain, first, second

    def test_each_version_is_verified_with_the_keys_of_its_issuer(self, chain: tuple[CustodyChain, Host, Host]) -> None:
        _, first, second = chain
        result = run(f"{second.url}/{LINKID}", "--no-log")
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines()[-1] == "verified, with all versions"
        assert f"version 3 transfers the record to '{second.url}', who signed the acceptance" in result.stdout
        assert first.targets == [KEYS_PATH]

    def test_without_the_keys_of_an_earlier_issuer_the_later_versions_confirm_its_own(
        self, chain: tuple[CustodyChain, Host, Host]
    ) -> None:
        _, first, second = chain
        first.answers.clear()
        result = run(f"{second.url}/{LINKID}", "--no-log")
        assert result.exit_code == 0, result.output
        assert "versions 1 to 3" in result.output
        assert result.stdout.splitlines()[-1] == "verified; some earlier versions had no known keys"

    def test_a_forged_version_of_the_earlier_issuer_is_seen(self, chain: tuple[CustodyChain, Host, Host]) -> None:
        made, _, second = chain
        forged = Key(66).sign(made.versions[0])
        second.answers[f"/{LINKID}?version=1&format=linkid"] = answer(forged)
        result = run(f"{second.url}/{LINKID}", "--no-log")
        assert result.exit_code == 1
        assert "version 1: the key" in result.stdout

    def test_a_file_is_verified_with_several_key_sets(
        self, chain: tuple[CustodyChain, Host, Host], file: Path, tmp_path: Path
    ) -> None:
        made, *_ = chain
        file.write_text(lines(*made.versions))
        sets = []
        for number in (5, 6):
            sets += ["--jwks", str(tmp_path / f"{number}.json")]
            Path(sets[-1]).write_text(json.dumps(key_set(Key(number))))
        assert run(str(file), *sets, "--offline").exit_code == 0
        assert run(str(file), *sets, *sets[:2], "--offline").exit_code == 0
        assert run(str(file), *sets[:2], "--offline").exit_code == 1
        partial = run(str(file), *sets[2:], "--offline", "--json")
        assert partial.exit_code == 0
        assert [(each["line"], each["ok"]) for each in returned(partial)[:4]] == [
            (4, True),
            (1, True),
            (2, True),
            (3, True),
        ]
        assert "later versions alone confirm 3 versions" in partial.stderr
        assert run(str(file), *sets[2:], "--offline", "--no-chain").exit_code == 1
        file.write_text(lines(*made.versions[:1], *made.versions[2:]))
        assert run(str(file), *sets[2:], "--offline").exit_code == 1
        file.write_text(lines(*made.versions[:3]))
        assert run(str(file), *sets[2:], "--offline").exit_code == 1
        file.write_text(lines(made.versions[0], *made.versions[2:]))
        assert run(str(file), *sets, "--offline").exit_code == 0
        file.write_text(lines(made.versions[0], made.versions[0] | {"version": 2}, *made.versions[2:]))
        assert run(str(file), *sets, "--offline").exit_code == 1
