"""Mints through the functions: distinct and resolvable; refusals are precise, and write nothing."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from coolid.identifiers.schemes import lui
from coolid.strict_json import load
from tests.support.builders.samples import BASE_URL, ROOT, VECTORS
from tests.support.effort import size
from tests.support.fixtures.functions import load_handler
from tests.support.fixtures.system import Answer, System, answer_of, load_event, system

RECORDS = "/api/v1/records"
MINT = {"prefix": "demo", "uri": "https://content.example.org/a"}


def sent(system: System, method: str, path: str, body: bytes = b"", key: str | None = "admin") -> Answer:
    return system.request(method, path, body=body, key=system.admin_key if key == "admin" else key)


@pytest.fixture(scope="class")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    with system(tmp_path_factory.mktemp("crowded")) as running:
        yield running


@pytest.fixture(scope="class")
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as executor:
        yield executor


EACH = size(drill=125, test=12)
"""Mints of one thread."""
CHOOSING = size(drill=200, test=40)


class TestManyAtOnce:
    def test_many_mints_from_sixteen_threads_are_distinct_and_all_resolve(
        self, crowded: System, threads: ThreadPoolExecutor
    ) -> None:
        def mint(first: int) -> list[Any]:
            lines = [{"prefix": "demo", "uri": f"https://content.example.org/{first + at}"} for at in range(EACH)]
            minted: list[Any] = []
            while lines:  # a batch for which there was no time ends with lines that are to be sent again
                answer = crowded.request("POST", "/api/v1/records/batch", document=lines, key=crowded.admin_key)
                done = [line for line in answer.json() if line["status"] == 201]
                assert {line["status"] for line in answer.json()[len(done) :]} <= {503}
                assert done
                minted, lines = [*minted, *done], lines[len(done) :]
            return minted

        minted = [line for lines in threads.map(mint, range(0, 16 * EACH, EACH)) for line in lines]
        identifiers = [line["record"]["id"] for line in minted]
        assert len(set(identifiers)) == 16 * EACH
        resolved = list(threads.map(lambda identifier: crowded.get(f"/demo:{identifier}"), identifiers))
        assert {answer.status for answer in resolved} == {302}
        assert [answer.headers["location"] for answer in resolved] == [
            f"https://content.example.org/{number}" for number in range(16 * EACH)
        ]

    def test_of_many_who_choose_one_identifier_at_once_exactly_one_gets_it(
        self, crowded: System, threads: ThreadPoolExecutor
    ) -> None:
        def choose(number: int) -> Answer:
            return crowded.mint(MINT | {"id": "0000-0001-95", "uri": f"https://content.example.org/{number}"})

        answers = list(threads.map(choose, range(CHOOSING)))
        (winner,) = [number for number, answer in enumerate(answers) if answer.status == 201]
        assert sum(answer.is_problem(409, "identifier-taken") for answer in answers) == CHOOSING - 1
        assert crowded.get("/demo:0000-0001-95").headers["location"] == f"https://content.example.org/{winner}"


class TestWhatIsMinted:
    def test_a_mint_returns_its_location_its_entity_tag_and_the_record(self, light: System) -> None:
        answer = light.mint(MINT | {"metadata": {"what": "A thing"}})
        record = answer.json()
        assert answer.status == 201
        assert answer.headers["location"] == record["pid"] == f"{BASE_URL}/2021/06/demo/{record['id']}"
        assert answer.headers["etag"].startswith('"')
        assert answer.headers["cache-control"] == "no-store"
        assert lui.is_valid(record["id"])
        assert record["id"] == lui.format(record["id"])
        assert record["version"] == 1
        assert record["status"] == "active"
        assert record["issuer"] == BASE_URL
        assert record["metadata"] == {"what": "A thing"}
        assert [location["uri"] for location in record["records"]] == ["https://content.example.org/a"]

    def test_the_management_api_gives_back_the_record_that_it_minted(self, light: System) -> None:
        minted = light.mint(
            MINT
            | {"metadata": {"who": ["é", {"n": 1.5}]}, "alternates": [{"scheme": "doi", "identifier": "10.1000/182"}]}
        )
        path = minted.headers["location"].removeprefix(BASE_URL)
        read = light.admin("GET", f"{RECORDS}{path}")
        assert (read.status, read.json(), read.headers["etag"]) == (200, minted.json(), minted.headers["etag"])

    @pytest.mark.parametrize("prefix", ["demo:", "2021/06/demo/", "DEMO/", "DEMO:demo:", "demo/Demo:"])
    def test_the_management_api_takes_every_spelling_that_resolves(self, light: System, prefix: str) -> None:
        assert light.get(f"/{prefix}TWOTYWDJ94").status == 302
        assert light.admin("GET", f"{RECORDS}/{prefix}TWOTYWDJ94").json()["id"] == "tw0t-ywdj-94"

    def test_every_location_that_was_given_comes_back_with_all_its_members(self, light: System) -> None:
        location = {
            "uri": "https://content.example.org/v3/document.pdf",
            "status": "active",
            "mediaType": "application/pdf",
            "language": "en",
            "quality": 0.95,
            "validFrom": "2025-07-10T00:00:00Z",
            "validUntil": "2035-07-10T00:00:00Z",
            "version": "3",
            "checksum": {"algorithm": "sha256", "value": "00"},
            "size": 2047583,
            "lastModified": "2025-07-09T16:45:00Z",
        }
        record = light.mint({"prefix": "demo", "records": [location]}).json()
        assert record["records"] == [location]
        shown = light.get(f"/demo:{record['id']}", accept="application/linkid+json").json()
        assert shown == record

    @pytest.mark.parametrize(
        "target",
        [
            "https://content.example.org/a%2Fb",
            "https://content.example.org/a/%2e%2e/b",
            "https://content.example.org/a+b?x=1+2&y=%20#part?",
            "https://Content.Example.org/CASE",
            "https://content.example.org:8443/../x;y=(z)*!'$,@:~",
        ],
    )
    def test_an_honest_target_comes_back_byte_for_byte(self, light: System, target: str) -> None:
        minted = light.mint({"prefix": "demo", "uri": target}).json()
        assert minted["records"][0]["uri"] == target
        assert light.get(f"/demo:{minted['id']}").headers["location"] == target

    def test_a_reserved_identifier_is_not_public_and_not_given_again(self, light: System) -> None:
        minted = light.mint(MINT | {"status": "reserved"}).json()
        assert minted["status"] == "reserved"
        assert light.get(f"/demo:{minted['id']}").is_problem(404, "unregistered-identifier")
        assert light.admin("GET", f"{RECORDS}/demo:{minted['id']}").json() == minted
        assert light.mint(MINT | {"id": minted["id"]}).is_problem(409, "identifier-taken")

    def test_a_reserved_record_is_shown_to_clients_that_may_mint_there_and_no_other_client(self, light: System) -> None:
        minted = light.mint(MINT | {"status": "reserved"}).json()
        path = f"{RECORDS}/2021/06/demo/{minted['id']}"
        assert light.request("GET", path, key=light.key_with("mint:2021/06/demo")).status == 200
        others = light.request("GET", path, key=light.key_with("mint:2021/06/other"))
        assert others.is_problem(404, "unregistered-identifier")
        assert light.request("GET", path).is_problem(401)

    def test_it_is_counted_by_repository_where_metrics_are_wanted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """CloudWatch's embedded metric format, one line on the standard output for a mint; nothing for a refusal."""
        with system(tmp_path) as running:
            monkeypatch.delenv("POWERTOOLS_METRICS_DISABLED", raising=False)
            with patch.dict(os.environ, running.environment):
                handler = load_handler(ROOT / "functions" / "mint")
            wanted = load_event("rest-post", running)
            refused = wanted | {"body": "{}"}
            capsys.readouterr()
            minted = answer_of(handler(wanted, None)).json()
            handler(refused, None)
        (line,) = capsys.readouterr().out.splitlines()
        metric = json.loads(line)
        (directive,) = metric["_aws"]["CloudWatchMetrics"]
        assert directive["Namespace"] == "coolid"
        assert directive["Metrics"][0]["Name"] == "Minted"
        assert metric["repository"] == minted["repository"]
        assert metric["Minted"] in (1, [1])


class TestSpellings:
    SPELLINGS = (
        "tw0t-ywdj-94", "tw0tywdj94", "TW0T-YWDJ-94", "TWOT-YWDJ-94", "twotywdj94", "t-w-0-t--ywdj-9-4-",
        *VECTORS["lui"]["same_integer_as_tw0t-ywdj-94"],
    )  # fmt: skip

    @pytest.mark.parametrize("alias", ["2021/06/demo/", "demo:", "DEMO:", "demo/", "2021/06/DEMO:", "demo:demo:"])
    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_both_aliases_and_all_spellings_reach_one_record_and_one_canonical_link(
        self, light: System, alias: str, spelling: str
    ) -> None:
        answer = light.get(f"/{alias}{spelling}")
        assert (answer.status, answer.headers["location"]) == (302, "https://example.org/the-first-thing")
        assert answer.canonical == f"{BASE_URL}/2021/06/demo/tw0t-ywdj-94"
        canonical = light.get("/2021/06/demo/tw0t-ywdj-94")
        tags, expected = answer.headers["cache-tag"], canonical.headers["cache-tag"]
        assert tags.partition(",")[2] == expected.partition(",")[2]  # the first names the prefix that found it
        assert {**answer.headers, "cache-tag": expected} == canonical.headers
        assert answer.body == canonical.body

    def test_ones_are_also_read_where_i_or_l_is_written(self, light: System) -> None:
        minted = light.mint(MINT | {"id": lui.encode(32**7 + 32**6 + 1)}).json()["id"]
        assert minted.startswith("11")
        for letter in "iIlL":
            written = minted.replace("1", letter)
            answer = light.get(f"/demo:{written}")
            assert answer.canonical == f"{BASE_URL}/2021/06/demo/{minted}"

    @pytest.mark.parametrize("position", [0, 1, 2, 3, 5, 6, 7, 8, 10, 11])
    def test_one_wrong_character_is_a_bad_request_not_an_absent_record(self, light: System, position: int) -> None:
        right = "tw0t-ywdj-94"
        for wrong in set(lui.ALPHABET) - {right[position]}:
            spelling = right[:position] + wrong + right[position + 1 :]
            answer = light.get(f"/demo:{spelling}")
            assert answer.is_problem(400, "invalid-check"), spelling
            assert answer.json()["rule"] == "check"

    @pytest.mark.parametrize(
        ("written", "slug", "rule"),
        [
            ("tw0u-ywdj-94", "invalid-character", "alphabet"),
            ("tw0t%20ywdj%2094", "invalid-character", "alphabet"),
            ("tw0t-ywdj-%EF%BC%99%EF%BC%94", "invalid-character", "alphabet"),
            ("tw0t-ywdj-9", "invalid-length", "length"),
            ("0tw0t-ywdj-94", "invalid-length", "length"),
            ("-", "invalid-length", "length"),
            ("wt0t-ywdj-94", "invalid-check", "check"),
        ],
    )
    def test_an_invalid_identifier_gets_the_broken_rule(
        self, light: System, written: str, slug: str, rule: str
    ) -> None:
        answer = light.get(f"/demo:{written}")
        assert answer.is_problem(400, slug)
        assert answer.json()["rule"] == rule

    def test_a_well_formed_identifier_that_does_not_exist_is_not_found(self, light: System) -> None:
        answer = light.get("/demo:zzzz-zzzz-90")
        assert answer.is_problem(404, "unregistered-identifier")
        assert answer.json()["prefix"] == "demo"


BAD_BODIES: dict[str, tuple[bytes, int]] = {
    "no body": (b"", 400),
    "not JSON": (b"prefix=demo", 400),
    "half a document": (b'{"prefix": "demo"', 400),
    "two documents": (b'{"prefix": "demo"} {}', 400),
    "not UTF-8": (b'{"prefix": "demo", "metadata": {"what": "\xff"}}', 400),
    "UTF-16": (json.dumps(MINT).encode("utf-16"), 400),
    "a byte order mark": (b"\xef\xbb\xbf" + json.dumps(MINT).encode(), 400),
    "a name twice": (b'{"prefix": "demo", "prefix": "2021/06/demo", "uri": "https://example.org/"}', 400),
    "a name twice, spelled differently": (b'{"prefix": "demo", "pre\\u0066ix": "demo"}', 400),
    "a name twice inside": (b'{"prefix": "demo", "metadata": {"a": {"b": 1, "b": 2}}}', 400),
    "NaN": (b'{"prefix": "demo", "metadata": {"a": NaN}}', 400),
    "Infinity": (b'{"prefix": "demo", "metadata": {"a": -Infinity}}', 400),
    "a number beyond all": (b'{"prefix": "demo", "metadata": {"a": 1e400}}', 400),
    "a whole number that a float would change": (b'{"prefix": "demo", "metadata": {"a": 9007199254740993}}', 400),
    "a whole number of five thousand digits": (b'{"prefix": "demo", "metadata": {"a": ' + b"9" * 5_000 + b"}}", 400),
    "a lone surrogate": (b'{"prefix": "demo", "metadata": {"what": "\\ud800"}}', 400),
    "a lone surrogate in a name": (b'{"prefix": "demo", "metadata": {"\\udfff": 1}}', 400),
    "ten thousand brackets": (b'{"prefix": "demo", "metadata": {"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}}", 400),
    "two megabytes": (b'{"prefix": "demo", "metadata": {"what": "' + b"x" * 2_000_000 + b'"}}', 413),
    "one byte too many": (b'{"prefix": "demo", "metadata": {"what": "' + b"x" * (1_000_000 - 42) + b'"}}', 413),
    "a record larger than is kept": (b'{"prefix": "demo", "metadata": {"what": "' + b"x" * 400_000 + b'"}}', 422),
    "an array": (b"[]", 422),
    "a text": (b'"demo"', 422),
    "null": (b"null", 422),
    "no prefix": (b'{"uri": "https://example.org/"}', 422),
    "an unknown prefix": (b'{"prefix": "nobodys", "uri": "https://example.org/"}', 422),
    "a stem for a prefix": (b'{"prefix": "2021/06", "uri": "https://example.org/"}', 422),
    "a repository for a prefix": (b'{"prefix": "/repositories/x"}', 422),
    "an unknown field": (b'{"prefix": "demo", "color": "red"}', 422),
    "an unknown field of a location": (b'{"prefix": "demo", "records": [{"uri": "https://a.example/", "x": 1}]}', 422),
    "a number for a text": (b'{"prefix": 7}', 422),
    "a text for a number": (b'{"prefix": "demo", "records": [{"uri": "https://a.example/", "size": "1"}]}', 422),
    "true for a number": (b'{"prefix": "demo", "records": [{"uri": "https://a.example/", "size": true}]}', 422),
    "a text for a list": (b'{"prefix": "demo", "records": "https://a.example/"}', 422),
    "a list for an object": (b'{"prefix": "demo", "metadata": []}', 422),
    "a status that cannot be minted": (b'{"prefix": "demo", "status": "withdrawn"}', 422),
    "a quality above one": (b'{"prefix": "demo", "records": [{"uri": "https://a.example/", "quality": 1.1}]}', 422),
    "a date that is none": (
        b'{"prefix": "demo", "records": [{"uri": "https://a.example/", "validFrom": "2025-02-30T00:00:00Z"}]}', 422
    ),
    "a date in other digits": (
        '{"prefix": "demo", "records": [{"uri": "https://a.example/", "validFrom": "２025-01-01T00:00:00Z"}]}'.encode(),
        422,
    ),
    "both uri and records": (b'{"prefix": "demo", "uri": "https://a.example/", "records": []}', 422),
    "a prefix of three hundred letters": (b'{"prefix": "' + b"a" * 300 + b'"}', 422),
    "a thousand locations": (
        json.dumps({"prefix": "demo", "records": [{"uri": "https://a.example/"}] * 1_000}).encode(), 422
    ),
    "a chosen identifier with a typing error": (b'{"prefix": "demo", "id": "tw0t-ywdj-95"}', 422),
    "a chosen identifier of another width": (b'{"prefix": "demo", "id": "079j-xh42"}', 422),
    "a chosen identifier that is none": (b'{"prefix": "demo", "id": "../x"}', 422),
    "a chosen identifier that exists": (b'{"prefix": "demo", "id": "tw0t-ywdj-94"}', 409),
    "a chosen identifier that exists, spelled differently": (b'{"prefix": "2021/06/DEMO", "id": "TWOTYWDJ94"}', 409),
}  # fmt: skip


class TestRefusals:
    @pytest.mark.parametrize("name", BAD_BODIES)
    def test_a_bad_body_is_refused_with_a_problem_and_nothing_is_written(self, light: System, name: str) -> None:
        body, status = BAD_BODIES[name]
        before = light.contents()
        assert sent(light, "POST", RECORDS, body).is_problem(status)
        assert light.contents() == before

    @pytest.mark.parametrize("depth", [100, 250, 260, 500, 1_000, 1_023, 1_024, 5_000, 100_000])
    def test_however_deeply_a_body_nests_it_is_minted_and_given_back_or_refused(
        self, light: System, depth: int
    ) -> None:
        before = light.contents()
        body = b'{"prefix": "demo", "metadata": {"a": ' + b"[" * depth + b"]" * depth + b"}}"
        answer = sent(light, "POST", RECORDS, body)
        if answer.status == 201:
            assert light.get(f"/demo:{answer.json()['id']}").json() == answer.json()
        else:
            assert answer.is_problem(400) or answer.is_problem(422)
            assert light.contents() == before

    @pytest.mark.parametrize(("depth", "status"), [(95, 201), (96, 422), (98, 422), (99, 400)])
    def test_what_is_minted_can_be_read_wherever_it_stands(self, light: System, depth: int, status: int) -> None:
        body = b'{"prefix": "demo", "metadata": {"a": ' + b"[" * depth + b"]" * depth + b"}}"
        answer = sent(light, "POST", RECORDS, body)
        assert answer.status == status
        if status == 201:
            versions = load(light.admin("GET", f"/api/v1/history/demo:{answer.json()['id']}").body.encode())
            assert versions["versions"][0]["record"] == answer.json()

    def test_every_violation_is_reported_with_its_place(self, light: System) -> None:
        body = {
            "prefix": "demo",
            "records": [{"uri": "https://a.example/"}, {"uri": 1, "quality": 2, "a/b~c": 0}],
            "alternates": [{"scheme": "doi"}],
            "status": "gone",
        }
        answer = light.mint(body)
        assert answer.is_problem(422, "invalid-input")
        assert {error["pointer"] for error in answer.json()["errors"]} == {
            "/records/1/uri", "/records/1/quality", "/records/1/a~1b~0c", "/alternates/0/identifier", "/status",
        }  # fmt: skip
        assert all(error["detail"] for error in answer.json()["errors"])

    def test_a_pointer_leads_to_a_place_that_is_in_the_document(self, light: System) -> None:
        answer = light.mint({"prefix": "demo", "metadata": {"n" * 201: 1}})
        assert answer.is_problem(422)
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/metadata"]

    @pytest.mark.parametrize(
        "target",
        [
            "",
            "content.example.org",
            "//content.example.org/",
            "ftp://content.example.org/",
            "javascript:alert(1)",
            "java\tscript:alert(1)",
            "https://example.org\\@evil.com",
            "https:evil.com",
            "https:/evil.com",
            "https:///evil.com",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://127.1/",
            "http://0177.0.0.1/",
            "https://user@example.org/",
            "https://user:secret@example.org/",
            "https://example.org:99999/",
            "https://ex%61mple.org/",
            "https://example.org%2fevil.com/",
            "https://example.org/\r\nSet-Cookie: a=b",
            "https://example.org/ ",
            " https://example.org/",
            "https://example.org/\x00",
            "https://example.org/é",
            "https://éxample.org/",
            "https://example。org/",
            "https://example.org/" + "a" * 2_981 + "",
        ],
    )
    @pytest.mark.parametrize("as_record", [False, True])
    def test_a_hostile_target_is_refused_with_its_place_and_nothing_is_written(
        self, light: System, target: str, as_record: bool
    ) -> None:
        before = light.contents()
        honest = {"uri": "https://a.example/"}
        place: dict[str, Any] = {"records": [honest, {"uri": target}]} if as_record else {"uri": target}
        answer = light.mint({"prefix": "demo"} | place)
        assert answer.is_problem(422, "invalid-input")
        pointers = [error["pointer"] for error in answer.json()["errors"]]
        assert pointers == ["/records/1/uri" if as_record else "/uri"]
        assert light.contents() == before

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("/demo:%zz", 400),
            ("/demo:%", 400),
            ("/%zz", 400),
            ("/demo:%00", 400),
            ("/demo:%0A", 400),
            ("/demo:%7F", 400),
            ("/demo:%C2%85", 400),
            ("/demo:%C0%AF", 400),
            ("/demo:%ED%A0%80", 400),
            ("/demo:%ff", 400),
            ("/" + "a" * 3_000, 414),
            ("/demo:" + "a" * 3_000, 414),
            ("/demo:" + "%61" * 3_000, 414),
            ("/" + "a:" * 1_500, 414),
            ("/nobodys:1", 404),
            ("/2021/06", 404),
            ("/2021/06/demo2/tw0t-ywdj-94", 404),
            ("/:", 404),
            ("//", 404),
            ("/%2F", 404),
            ("/ols/demo:tw0t-ywdj-94", 404),
        ],
    )
    def test_a_bad_path_is_refused_by_every_function_that_reads_it(self, light: System, path: str, status: int) -> None:
        assert light.get(path).is_problem(status)
        assert light.get(path, accept="text/html").status == status
        assert light.admin("GET", RECORDS + path).is_problem(status)

    @pytest.mark.parametrize(
        "name", ["%zz", "%00", "%C0%AF", "a" * 3_000, "%61" * 3_000, "a/" * 1_200, "é" * 1_100], ids=len
    )
    def test_a_bad_name_is_refused_by_management_and_nothing_is_written(self, light: System, name: str) -> None:
        before = light.contents()
        for path in (f"/api/v1/prefixes/{name}", f"/api/v1/repositories/{name}"):
            answer = light.admin("GET", path)
            assert answer.is_problem(answer.status)
            assert 400 <= answer.status < 500
        answer = light.admin("PUT", f"/api/v1/prefixes/{name}", {"kind": "provider"})
        assert answer.is_problem(answer.status)
        assert 400 <= answer.status < 500
        assert light.contents() == before


class TestWhoMay:
    @pytest.mark.parametrize(
        "authorization",
        [
            None,
            "",
            "Bearer",
            "Bearer ",
            "Bearer cool_",
            "Bearer nonsense",
            "Bearer cool_abcdefgh_" + "A" * 43,
            "Basic YTpi",
            "cool_abcdefgh_" + "A" * 43,
            "Bearer é",
        ],
    )
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("POST", RECORDS),
            ("GET", f"{RECORDS}/demo:tw0t-ywdj-94"),
            ("PUT", "/api/v1/prefixes/x"),
            ("GET", "/api/v1/prefixes/demo"),
            ("POST", "/api/v1/repositories"),
            ("GET", "/api/v1/repositories/x"),
        ],
    )
    def test_without_a_valid_key_nothing_is_reported_or_written(
        self, light: System, method: str, path: str, authorization: str | None
    ) -> None:
        before = light.contents()
        headers = [] if authorization is None else [("Authorization", authorization)]
        answer = light.request(method, path, headers=headers, body=json.dumps(MINT).encode())
        assert answer.is_problem(401, "unauthenticated")
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert light.contents() == before

    def test_a_key_with_another_secret_is_no_key(self, light: System) -> None:
        key = light.admin_key
        for wrong in (key[:-1] + ("A" if key[-1] != "A" else "B"), key[:-1], key + "A", key.upper(), key + "\n\x00"):
            assert light.mint(MINT, wrong).is_problem(401)

    @pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
    def test_the_name_of_the_scheme_is_read_in_any_case(self, light: System, scheme: str) -> None:
        header = ("authorization", f"{scheme} {light.admin_key}")
        assert light.request("POST", RECORDS, headers=[header], document=MINT).status == 201

    def test_a_scope_opens_its_prefix_and_what_extends_it_and_no_other_alias(self, light: System) -> None:
        assert light.mint(MINT | {"prefix": "2021/06/demo"}, light.key_with("mint:2021/06")).status == 201
        assert light.mint(MINT | {"prefix": "2021/06/DEMO"}, light.key_with("mint:2021/06/demo")).status == 201
        for scope in ("mint:2021/06/dem", "mint:2021/06/demo/x", "update:2021/06/demo", "mint:", "mint:demo"):
            assert light.mint(MINT | {"prefix": "2021/06/demo"}, light.key_with(scope)).is_problem(403, "forbidden")

    def test_the_mint_scope_does_not_allow_management(self, light: System) -> None:
        before = light.contents()
        key = light.key_with("mint:demo", "update:demo")
        before = light.contents()
        document = {"title": "Mine"}
        assert light.request("POST", "/api/v1/repositories", document=document, key=key).is_problem(403)
        document = {"kind": "provider"}
        assert light.request("PUT", "/api/v1/prefixes/mine", document=document, key=key).is_problem(403)
        assert light.contents() == before

    def test_without_the_scope_a_chosen_identifier_reveals_nothing(self, light: System) -> None:
        key = light.key_with("mint:other")
        for identifier in ("tw0t-ywdj-94", "zzzz-zzzz-90", "nonsense"):
            assert light.mint(MINT | {"id": identifier}, key).is_problem(403)

    def test_no_key_is_ever_stored_or_logged(self, light: System) -> None:
        secret = light.admin_key.split("_", 2)[2]
        assert secret not in json.dumps(light.contents())
        assert secret not in light.mint(MINT).body


class TestTheCachesOfOthers:
    @pytest.mark.parametrize("key", ["admin", None])
    @pytest.mark.parametrize(
        "path",
        ["/api/v1/prefixes/demo", "/api/v1/prefixes/nobodys", f"{RECORDS}/demo:zzzz-zzzz-90", "/api/v1/repositories/x"],
    )
    def test_nothing_that_depends_on_a_key_is_stored_by_a_shared_cache(
        self, light: System, path: str, key: str | None
    ) -> None:
        """RFC 9111, section 3.5: `public` would let a cache give one client's answer, or refusal, to another."""
        assert sent(light, "GET", path, key=key).headers["cache-control"] == "no-store"
