"""The documentation site of the service: its files with types and caching, and nothing outside its folder."""

import gzip
from pathlib import Path

import pytest

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.documentation_site import DocumentationSite
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

PAGE = b"<!doctype html><script>first()</script><script src=x.js></script><script>second()</script>"
BUNDLE = "assets/bundle.0123abcd.min.js"


def fail(error: Exception, _request: Request) -> None:
    raise error


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    (site / "tutorial").mkdir(parents=True)
    (site / "assets").mkdir()
    (site / "index.html").write_bytes(PAGE)
    (site / "tutorial/index.html").write_bytes(PAGE)
    (site / BUNDLE).write_bytes(b"x();")
    (site / f"{BUNDLE}.gz").write_bytes(gzip.compress(b"x();"))
    (site / "picture.png").write_bytes(b"\x89PNG")
    (site / ".hidden").write_bytes(b"secret")
    (site / "link.html").symlink_to(tmp_path / "outside.html")
    (tmp_path / "outside.html").write_bytes(b"secret")
    return site


def get(folder: Path, path: str, **headers: str) -> Response:
    application = Application(DocumentationSite(BASE_URL, folder).routes(), BASE_URL, fail, public=True)
    return application(Request("GET", path, headers={name.replace("_", "-"): each for name, each in headers.items()}))


@pytest.mark.parametrize(
    ("path", "media_type", "caching"),
    [
        ("/docs/", "text/html; charset=utf-8", "max-age=300"),
        ("/docs/tutorial/", "text/html; charset=utf-8", "max-age=300"),
        ("/docs/tutorial/index.html", "text/html; charset=utf-8", "max-age=300"),
        ("/docs/picture.png", "image/png", "max-age=300"),
        (f"/docs/{BUNDLE}", "text/javascript; charset=utf-8", "immutable"),
    ],
)
def test_a_file_has_its_type_an_entity_tag_and_a_lifetime(
    folder: Path, path: str, media_type: str, caching: str
) -> None:
    response = get(folder, path)
    assert response.status == 200
    assert response.headers["Content-Type"] == media_type
    assert caching in response.headers["Cache-Control"]
    assert get(folder, path, if_none_match=response.headers["ETag"]).status == 304


@pytest.mark.parametrize("path", ["/docs", "/docs/tutorial"])
def test_a_folder_without_its_slash_redirects(folder: Path, path: str) -> None:
    response = get(folder, path)
    assert (response.status, response.headers["Location"]) == (308, f"{BASE_URL}{path}/")


@pytest.mark.parametrize(
    "name",
    [
        "nope", "nope/", "assets/", ".hidden", "../outside.html", "..%2Foutside.html", "%2e%2e/outside.html",
        "tutorial/../index.html", "tutorial//index.html", "/etc/passwd", "link.html", "index.html/", "index.html%00",
        "assets\\..\\index.html", "a" * 300,
    ],
)  # fmt: skip
def test_no_other_path_leads_to_a_file(folder: Path, name: str) -> None:
    response = get(folder, f"/docs/{name}")
    assert response.status == 404
    assert b"secret" not in str(response.body).encode()


@pytest.mark.parametrize(
    ("accepted", "is_compressed"),
    [
        ("gzip", True), ("br, GZIP;q=0.5", True),
        ("", False), ("gzip;q=0", False), ("gzip;q=0.0, br", False), ("xgzip", False),
    ],
)  # fmt: skip
def test_a_text_is_compressed_for_clients_that_accept_this(folder: Path, accepted: str, is_compressed: bool) -> None:
    response = get(folder, f"/docs/{BUNDLE}", accept_encoding=accepted)
    body = response.body if isinstance(response.body, bytes) else response.body.encode()
    assert ("Content-Encoding" in response.headers) is is_compressed
    assert (gzip.decompress(body) if is_compressed else body) == b"x();"
    assert response.headers["Vary"] == "Accept-Encoding"


def test_the_policy_allows_the_inline_scripts_of_the_page_and_no_others(folder: Path) -> None:
    policy = get(folder, "/docs/").headers["Content-Security-Policy"]
    assert policy.count("'sha256-") == 2
    assert "unsafe-inline" not in policy.partition("style-src")[0]


def test_without_a_site_a_page_says_where_the_documentation_is(tmp_path: Path) -> None:
    response = get(tmp_path / "nothing", "/docs/")
    assert response.status == 200
    assert f"{BASE_URL}/pages/api" in str(response.body)
    assert get(tmp_path / "nothing", "/docs/tutorial/").status == 404


def test_the_service_serves_it(light: System) -> None:
    assert light.get("/docs").status == 308
    assert light.get("/docs/").status == 200
