"""Mirrors on web servers: each identifier gets the answer of its service, in all usual spellings."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest

from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.tiles import bundle_path
from coolid.mirror.folder import MirrorFolder
from coolid.mirror.hosts.catalog import write_hosts
from coolid.mirror.inventory import Inventory
from coolid.mirror.records import Losses, MirroredRecord, MirroredSite
from coolid.mirror.sources.fetcher import ParallelFetcher
from coolid.mirror.sources.service import ServiceSource
from coolid.mirror.writer import MirrorWriter
from coolid.model.prefixes import as_path
from tests.migration.test_web_servers import NAMES, TARGETS, random_redirects
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.mirrored_service import MirroredService, fill, mirrored_service
from tests.support.servers.redirect_servers import apache_of_mirror, nginx_of_mirror


class Mirrored:
    """A service, the paths to request, and the folder of its mirror."""

    def __init__(self, service: MirroredService, site: Path) -> None:
        self.service = service
        self.paths = fill(service, TARGETS, NAMES)
        service.publish_log()
        self.report = service.mirror(site)
        self.site = site


@pytest.fixture(scope="module")
def mirrored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirrored]:
    with mirrored_service(tmp_path_factory.mktemp("service")) as service, TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Mirrored(service, Path(name) / "site")


def test_nginx_answers_as_the_service(mirrored: Mirrored, tmp_path: Path) -> None:
    expected = {path: mirrored.service.request(f"/{path}") for path in mirrored.paths}
    assert {status for status, _ in expected.values()} == {200, 300, 301, 302, 307, 404, 410}
    with nginx_of_mirror(tmp_path, mirrored.site) as request:
        answers = {path: request(f"/{path}") for path in mirrored.paths}
    found = {path: (answer.status, answer.headers.get("location")) for path, answer in answers.items()}
    assert found == expected


def test_apache_answers_as_the_service(mirrored: Mirrored) -> None:
    expected = {path: mirrored.service.request(f"/{path}") for path in mirrored.paths}
    expected["choices:two"] = (200, None)  # Apache sends no page with 300
    with apache_of_mirror(mirrored.site) as request:
        answers = {path: request(f"/{path}") for path in mirrored.paths}
    found = {path: (answer.status, answer.headers.get("location")) for path, answer in answers.items()}
    assert found == expected


def test_nginx_serves_documents_proofs_pages_and_the_log(mirrored: Mirrored, tmp_path: Path) -> None:
    service, gone = mirrored.service, "/hard:gone"
    record = json.loads(service.respond("GET", "/hard:plain?format=linkid").body)
    with nginx_of_mirror(tmp_path, mirrored.site) as request:
        redirect = request("/hard:plain")
        assert redirect.headers["link"] == f'<{record["pid"]}>; rel="canonical"'
        for path, accept in (("?format=linkid", "*/*"), ("", "application/linkid+json"), ("?format=json", "*/*")):
            answer = request(f"/hard:plain{path}", accept)
            assert (answer.status, answer.media_type, answer.json()) == (200, "application/linkid+json", record)
        assert request("/hard:plain?format=jws").body.decode() == record["proof"]
        proof = InclusionProof.parse(request("/hard:plain?format=tlog-proof").body)
        assert proof.verify(record["proof"].encode(), service.log_key).size == len(service.entries)
        page = request("/hard:plain?info", "text/html")
        assert (page.status, page.media_type, "this mirror" in page.text) == (200, "text/html", True)
        tombstone = request(gone, "text/html")
        assert (tombstone.status, "a mistake" in tombstone.text) == (410, True)
        assert request(f"{gone}?format=linkid").json()["status"] == "withdrawn"
        assert (request("/absent:x").status, "Not found" in request("/absent:x").text) == (404, True)
        assert "A mirror of" in request("/").text
        assert service.log is not None
        for path in ("checkpoint", bundle_path(0, min(256, len(service.entries)))):
            served, expected = request(f"/log/{path}"), service.respond("GET", f"/log/{path}")
            assert (served.status, served.body, served.media_type) == (
                200, expected.body, expected.headers["Content-Type"].partition(";")[0],
            )  # fmt: skip
        assert request("/.well-known/jwks.json").media_type == "application/jwk-set+json"


def test_a_mirror_over_http_has_the_same_bytes(mirrored: Mirrored, tmp_path: Path) -> None:
    with mirrored.service.serve() as url, ParallelFetcher(8) as fetcher:
        source = ServiceSource(url, fetcher)
        mirrored.service.mirror(tmp_path / "site", source=source)
    found, expected = (
        {str(each.relative_to(site)): each.read_bytes() for each in site.rglob("*") if each.is_file()}
        for site in (tmp_path / "site", mirrored.site)
    )
    assert found == expected


TAGS = (
    "html", "head", "meta", "title", "link", "style", "body", "main", "h1", "dl", "dt", "dd", "a", "p", "time", "code",
)  # fmt: skip


class Markup(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_pages_cannot_be_broken_by_names_targets_and_metadata(mirrored: Mirrored) -> None:
    refreshed = set()
    for path in mirrored.site.rglob("*.html"):
        elements = Markup(path.read_text(encoding="utf-8")).found
        assert {tag for tag, _ in elements} <= set(TAGS), path
        assert all(not name.startswith("on") for _, attributes in elements for name in attributes)
        refreshed |= {str(each["content"]) for tag, each in elements if tag == "meta" and "http-equiv" in each}
    assert refreshed
    assert {each.removeprefix("0; url=") for each in refreshed} <= {*TARGETS, "https://a.example/landing"}


def test_lists_for_static_hosts_lead_to_the_targets(mirrored: Mirrored) -> None:
    lines = (mirrored.site / "_redirects").read_text(encoding="utf-8").splitlines()[1:]
    for line in lines:
        path, target, status = line.split(" ")
        assert "*" not in path
        answer = mirrored.service.request(path)
        assert answer == (int(status), target) or target.startswith("/_mirror/records/"), path
    assert sum(line.endswith(" 410") for line in lines) >= 4
    for line in (mirrored.site / "_mirror/s3/redirects.jsonl").read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        _, location = mirrored.service.request("/" + as_path(document["Key"]))
        found_location = document["WebsiteRedirectLocation"]
        assert found_location == location or found_location.startswith("/_mirror/records/")


@pytest.mark.parametrize("server", ["nginx", "apache"])
def test_any_characters_are_escaped(tmp_path: Path, server: str) -> None:
    redirects = random_redirects(200)
    with TemporaryDirectory() as name, ExitStack() as running:
        site = Path(name) / "site"
        with MirrorFolder(site, may_create=True) as folder, Inventory() as inventory:
            Path(name).chmod(0o755)
            for path, each in redirects.items():
                record = MirroredRecord(path, f"{BASE_URL}/x", ((path, 1),), each.status, each.target)
                inventory.add_record(record)
            losses = Losses()
            write_hosts(MirrorWriter(folder, inventory), MirroredSite(BASE_URL), (), losses.add, plain=True)
        servers = {"nginx": partial(nginx_of_mirror, tmp_path, site), "apache": partial(apache_of_mirror, site)}
        request = running.enter_context(servers[server]())
        answers = {path: request("/" + quote(path, safe="/")) for path in redirects}
        broken = request("/x/%0d%0aSet-Cookie:%20a=b")
    found = {path: (answer.status, answer.headers.get("location")) for path, answer in answers.items()}
    assert found == {path: (each.status, each.target) for path, each in redirects.items()}
    assert "set-cookie" not in broken.headers
    assert not [reason for reason in losses.counts if not reason.startswith("plain")]
