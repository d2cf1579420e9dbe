"""`coolid serve`: the same responses over HTTP as through events; requests arrive unchanged."""

import json
import signal
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from tests.support.builders.samples import VECTORS
from tests.support.servers.coolid_server import Server, prepare, run, serving

Start = Callable[..., Result]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Run the command in this process, up to the start of the service, which fails."""

    def fail(*_: object) -> None:
        raise AssertionError("the service would start")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("coolid.cli.commands.serve._run", fail)
    return lambda *arguments: CliRunner().invoke(app, arguments)


class TestPaths:
    @pytest.mark.parametrize("doi", VECTORS["doi"]["valid"])
    @pytest.mark.parametrize("safe", ["", "/:;()", "/:;()[]<>&"])
    def test_the_known_dois_arrive_whole_at_their_provider(self, server: Server, doi: str, safe: str) -> None:
        reply = server.request("GET", f"/doi:{quote(doi, safe=safe)}")
        assert reply.status == 302
        location = urlsplit(reply.headers["location"])
        assert (location.netloc, location.query, location.fragment) == ("doi.org", "", "")
        assert unquote(location.path.removeprefix("/")) == doi

    @pytest.mark.parametrize(
        ("path", "location"),
        [
            ("/go:a%2Fb", "https://go.example/a/b"),
            ("/go:a%252Fb", "https://go.example/a%2Fb"),
            ("/go:a//b", "https://go.example/a//b"),
            ("/go:a/../b", "https://go.example/a/../b"),
            ("/go:a/./b/", "https://go.example/a/./b/"),
            ("/go:%C3%A9%E2%82%AC", "https://go.example/%C3%A9%E2%82%AC"),
            ("/go:a%3Fb%23c", "https://go.example/a?b#c"),
            ("/go:a+b;c=d&e", "https://go.example/a+b;c=d&e"),
            ("/go:a?provider=p1", "https://ols.example/a"),
            ("/go:a?provider=p%31&provider=p0", "https://ols.example/a"),
        ],
    )
    def test_they_arrive_as_they_were_sent(self, server: Server, path: str, location: str) -> None:
        reply = server.request("GET", path)
        assert (reply.status, reply.headers.get("location")) == (302, location)

    @pytest.mark.parametrize(
        ("path", "status"),
        [("/%zz", 400), ("/demo:%00", 400), ("/demo:%C0%AF", 400), ("/" + "a" * 3_000, 414), ("//", 404), ("/go", 200)],
        ids=lambda value: str(value)[:20],
    )
    def test_bad_ones_are_refused_with_a_problem(self, server: Server, path: str, status: int) -> None:
        reply = server.request("GET", path)
        assert reply.status == status
        if status != 200:
            assert reply.headers["content-type"] == "application/problem+json"
            assert reply.json()["status"] == status

    def test_one_that_is_no_path_at_all_is_a_client_error(self, server: Server) -> None:
        for target in ("*", "go:1"):
            assert 400 <= server.request("OPTIONS", target).status < 500


class TestAnswers:
    def test_head_has_the_headers_of_get_and_no_body(self, server: Server) -> None:
        get = server.request("GET", "/2021/06/demo/tw0t-ywdj-94")
        head = server.request("HEAD", "/2021/06/demo/tw0t-ywdj-94")
        ignored = ("date", "content-length", "transfer-encoding")
        assert {name: value for name, value in head.headers.items() if name not in ignored} == {
            name: value for name, value in get.headers.items() if name not in ignored
        }
        assert (head.status, head.body) == (302, b"")
        assert get.body

    def test_a_conditional_request_gets_304(self, server: Server) -> None:
        tag = server.request("GET", "/demo:tw0t-ywdj-94").headers["etag"]
        reply = server.request("GET", "/demo:tw0t-ywdj-94", headers={"If-None-Match": tag})
        assert (reply.status, reply.body) == (304, b"")

    def test_options_and_other_methods(self, server: Server) -> None:
        assert server.request("OPTIONS", "/demo:tw0t-ywdj-94").headers["allow"] == "GET, HEAD, OPTIONS"
        reply = server.request("DELETE", "/demo:tw0t-ywdj-94")
        assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD, OPTIONS")

    def test_the_public_base_url_is_its_own_address_whatever_the_client_says(self, server: Server) -> None:
        lies = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher"}
        reply = server.request("GET", "/demo:tw0t-ywdj-94", headers=lies)
        assert reply.headers["link"].startswith(f"<{server.url}/2021/06/demo/tw0t-ywdj-94>")
        assert "evil" not in str(reply)

    def test_one_connection_serves_many_requests(self, server: Server) -> None:
        connection = server.connect()
        try:
            for method in ("GET", "HEAD", "OPTIONS", "POST", "GET", "HEAD", "GET"):
                reply = server.request(method, "/demo:tw0t-ywdj-94", connection=connection)
                assert reply.status == {"OPTIONS": 204, "POST": 405}.get(method, 302)
                tag = reply.headers.get("etag", "")
                assert server.request("GET", "/go", headers={"If-None-Match": tag}, connection=connection).status == 200
        finally:
            connection.close()


class TestBodies:
    def test_what_is_minted_resolves(self, server: Server) -> None:
        minted = server.mint(uri="https://content.example.org/x", metadata={"what": "é€𝄞"})
        assert minted.status == 201
        assert minted.json()["metadata"] == {"what": "é€𝄞"}
        path = minted.headers["location"].removeprefix(server.url)
        assert server.request("GET", path).headers["location"] == "https://content.example.org/x"

    def test_many_minted_at_once_are_distinct(self, server: Server) -> None:
        with ThreadPoolExecutor(16) as threads:
            replies = list(threads.map(lambda _: server.mint(), range(100)))
        assert {reply.status for reply in replies} == {201}
        assert len({reply.json()["id"] for reply in replies}) == 100

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            (b"", 400),
            (b"{", 400),
            (b"\xff\xfe", 400),
            (b"\x00", 400),
            (b'{"prefix": "demo", "color": 1}', 422),
            (b" " * 2_000_000, 413),
            (b" " * 11_000_000, 413),
        ],
        ids=lambda value: str(len(value)) if isinstance(value, bytes) else str(value),
    )
    def test_bad_ones_are_refused(self, server: Server, body: bytes, status: int) -> None:
        headers = {"Authorization": f"Bearer {server.key}"}
        assert server.request("POST", "/api/v1/records", body, headers).status == status

    def test_a_chunked_one_is_read_whole(self, server: Server) -> None:
        text = json.dumps({"prefix": "demo", "metadata": {"what": "x" * 5_000}}).encode()
        connection = server.connect()
        try:
            chunks = (text[start : start + 100] for start in range(0, len(text), 100))
            headers = {"Authorization": f"Bearer {server.key}"}
            connection.request("POST", "/api/v1/records", chunks, headers, encode_chunked=True)
            assert connection.getresponse().status == 201
        finally:
            connection.close()


class TestUploads:
    """Files that are larger than other bodies may be."""

    def test_one_is_stored_whole_and_its_job_serves_results(self, server: Server) -> None:
        headers = {"Authorization": f"Bearer {server.key}"}
        rows = "uri,what\n" + f"https://example.org/1,{'x' * 900_000}\n" * 12
        begun = server.request("POST", "/api/v1/uploads", json.dumps({"size": len(rows)}).encode(), headers)
        upload = json.loads(begun.body)
        path = upload["url"].removeprefix(server.url)
        assert server.request("PUT", path, rows.encode()).status == 401
        sent = server.request("PUT", path, rows.encode(), headers | upload["headers"])
        assert (sent.status, json.loads(sent.body)) == (200, {"upload": upload["upload"], "size": len(rows)})
        job = {"operation": "mint", "prefix": "demo", "upload": upload["upload"]}
        created = server.request("POST", "/api/v1/jobs", json.dumps(job).encode(), headers)
        assert created.status == 202, created.body
        address = f"/api/v1/jobs/{json.loads(created.body)['id']}"
        assert server.request("DELETE", address, headers=headers).status == 200
        results = server.request("GET", f"{address}/results", headers=headers)
        assert (results.status, results.body) == (200, b"pid,status,error\r\n")

    def test_one_that_is_too_large_is_refused(self, server: Server) -> None:
        headers = {"Authorization": f"Bearer {server.key}"}
        large = json.dumps({"size": 100_000_001}).encode()
        assert server.request("POST", "/api/v1/uploads", large, headers).status == 422
        assert server.request("PUT", "/api/v1/uploads/aaaaaaaaaaaaaaaa", b"x", headers).status == 404


class TestTheKey:
    def test_it_is_private_to_its_owner_and_printed(self, server: Server) -> None:
        file = server.folder / ".local" / "admin-key"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert any(server.key in line for line in server.stderr_lines)


class TestTheCommand:
    def test_it_says_what_to_try_and_what_it_says_works(self, server: Server) -> None:
        urls = [line.strip() for line in server.stderr_lines if line.startswith("  http")]
        assert len(urls) >= 2
        for url in urls:
            if "/uniprot:" not in url:  # which this small registry lacks
                assert server.request("GET", url.removeprefix(server.url)).status == 302

    def test_its_standard_output_stays_empty_if_requests_are_not_logged(self, server: Server) -> None:
        """Metrics in CloudWatch's format are for CloudWatch; a terminal has no use for them."""
        assert server.mint().status == 201
        assert (server.folder / "stdout").read_text(encoding="utf-8") == ""

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--host", "0.0.0.0"],  # noqa: S104 - it is refused
            ["--host", "::"],
            ["--host", "0.0.0.0", "--base-url", "https://id.example.org/"],  # noqa: S104 - likewise
            ["--base-url", "id.example.org"],
            ["--base-url", ""],  # an unset variable of a shell
            ["--base-url", "https://id.example.org:99999"],
        ],
    )
    def test_what_other_machines_can_reach_needs_a_base_url(self, start: Start, arguments: list[str]) -> None:
        ended = start("serve", "--port", "0", *arguments)
        assert ended.exit_code == 2
        assert "--base-url" in ended.stderr
        assert "https://id.example.org" in ended.stderr

    def test_a_port_that_is_in_use_is_reported_with_exit_code_2(self, server: Server, tmp_path: Path) -> None:
        port = str(urlsplit(server.url).port)
        ended = run(tmp_path, "serve", "--port", port)
        assert ended.returncode == 2
        assert port in ended.stderr
        assert "Traceback" not in ended.stderr
        assert server.request("GET", "/").status == 200

    @pytest.mark.parametrize("arguments", [["serve", "--port", "65536"], ["serve", "--nonsense"], ["nonsense"]])
    def test_wrong_usage_is_exit_code_2(self, start: Start, arguments: list[str]) -> None:
        assert start(*arguments).exit_code == 2

    def test_it_returns_its_version(self, tmp_path: Path) -> None:
        ended = run(tmp_path, "--version")
        assert ended.returncode == 0
        assert ended.stdout.startswith("coolid 0.")

    def test_a_file_that_holds_no_key_is_reported_and_left_as_it_is(self, tmp_path: Path) -> None:
        prepare(tmp_path)
        file = tmp_path / ".local" / "admin-key"
        file.write_text("my shopping list\n", encoding="utf-8")
        ended = run(tmp_path, "serve", "--port", "0")
        assert ended.returncode == 2
        assert "admin-key" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert file.read_text(encoding="utf-8") == "my shopping list\n"


@pytest.mark.drill
def test_started_for_the_first_time_it_serves_the_whole_bioregistry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "file" / "home"))  # users of services may have none
    with serving(tmp_path) as server:
        assert any(int(line.split()[0]) > 2_500 for line in server.stderr_lines if "prefixes are loaded" in line)
        assert server.request("GET", "/uniprot:P0DP23").headers["location"].endswith("/P0DP23")
        key = server.key
        assert server.end(signal.SIGINT) in (0, 130, -signal.SIGINT)
    assert "Traceback" not in "".join(server.stderr_lines)
    assert (tmp_path / ".local" / "admin-key").read_text(encoding="utf-8").strip() == key
