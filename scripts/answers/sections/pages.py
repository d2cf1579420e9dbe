"""Pages, discovery, problems as HTML and JSON, and addresses that lead nowhere."""

import re
from itertools import product
from typing import Final
from urllib.parse import urljoin

from scripts.answers.sections.preferences import BROWSER
from scripts.answers.service import BASE_URL
from scripts.answers.session import Session

ADDRESSES: Final = (
    "/", "/health", "/robots.txt", "/sitemap.xml", "/favicon.ico", "/api/openapi.json", "/pages", "/pages/",
    "/pages/mint", "/pages/prefixes", "/pages/api", "/pages/nothing", "/pages/of-a-book", "/problems", "/problems/",
    "/problems/nothing", "/static", "/static/", "/static/x/style.css", "/.well-known/",
    "/.well-known/linkid-resolver", "/.well-known/jwks.json", "/.well-known/ark", "/.well-known/api-catalog",
    "/.well-known/nothing", "/.well-known/security.txt", "/.well-known/did.json", "/timegate", "/timemap",
    "/timegate/", "/timemap/", "/resolve", "/resolve/", "/api", "/api/", "/.info", "/login", "/log/checkpoint",
    "/shoulder/x", "//", "/id",
)  # fmt: skip
SLUGS: Final = (
    "invalid-check", "invalid-length", "invalid-character", "invalid-pattern", "bad-reference", "unknown-prefix",
    "no-such-address", "unregistered-identifier", "unknown-provider", "no-provider", "no-location", "not-acceptable",
    "no-such-form", "identifier-taken", "invalid-input", "malformed-body", "body-too-large", "unauthenticated",
    "forbidden", "outdated", "precondition-required", "exhausted", "store-unavailable", "too-long",
    "method-not-allowed", "prefix-taken", "quota-exceeded", "home-elsewhere", "withdrawn", "unforeseen",
    "unsupported-patch", "bad-cursor", "unknown-repository", "unknown-version", "idempotency-key-reused", "unhealthy",
    "line-not-tried",
)  # fmt: skip
SEARCHES: Final = (
    "", "q=", "q=gene", "q=demo:tw0t-ywdj-94", "q=demo:tw0t-ywdj-95", "q=%3Cwhat%3E%20is%20this",
    "q=https://example.org/", "q=uniprot", "q=10.1000/182", "q=engine&info", "info", "q=%00", "q=" + "a" * 3_000,
    "q=tw0tywdj94", "q=gene:0006915", "lang=de", "x=1",
)  # fmt: skip


def run(session: Session) -> None:
    """Read pages."""
    with session.group("pages: addresses"):
        accepts = (None, BROWSER, "application/json", "image/png", "text/plain")
        for path, accept in session.thin(product(ADDRESSES, accepts)):
            session.get(path, accept=accept)
        for path, method in session.thin(product(ADDRESSES, ("HEAD", "OPTIONS", "POST", "DELETE"))):
            session.send(method, path)
    with session.group("pages: kinds of problems"):
        linked = _collect_links(session, "/problems/")
        for slug in session.thin(sorted({*SLUGS, *(path.removeprefix("/problems/") for path in linked)})):
            session.get(f"/problems/{slug}", accept=BROWSER)
            session.get(f"/problems/{slug}")
    with session.group("pages: searches"):
        for query, accept in session.thin(product(SEARCHES, (None, BROWSER, "application/json"))):
            session.get("/", query, accept)
        pages = ("q=gene", "q=%3Cnone%3E", "page=2", "page=x", "page=0", "page=99", "q=e&page=1", "q=" + "x" * 500)
        for query in session.thin(pages):
            session.get("/pages/prefixes", query, BROWSER)
    with session.group("pages: manual"):
        manual = [*_collect_links(session, "/pages/api", "/pages/api"), "/pages/api/nothing", "/pages/api/"]
        for path in session.thin(manual):
            answer = session.get(path, accept=BROWSER)
            session.get(path, accept=BROWSER, If_None_Match=answer.header("etag") or '"none"')
    with session.group("pages: assets"):
        _assets(session)
    with session.group("pages: records"):
        for path in session.thin(session.pids.values()):
            for query in ("format=html", "info", "format=html&version=1", "format=html&memento=1", "format=qr"):
                session.get(path, query, BROWSER)
            session.get(f"/nothing{path}", accept=BROWSER)
            session.get(f"{path}x", accept=BROWSER)
            session.get(path, "format=nonsense", BROWSER)


def _collect_links(session: Session, path: str, below: str = "") -> list[str]:
    """Return the addresses of the service below a path that a page links to."""
    below = below or path
    plain, _, query = path.partition("?")
    page = session.get(plain, query, BROWSER).body.decode(errors="replace")
    links = {urljoin(BASE_URL + path, link) for link in re.findall(r'(?:href|src)="([^"#?]+)', page)}
    return sorted(link.removeprefix(BASE_URL) for link in links if link.startswith(BASE_URL + below))


def _assets(session: Session) -> None:
    """Read the assets of some pages, and those that they import."""
    pages = ("/", "/pages/mint", "/pages/prefixes", session.pids["rich"] + "?format=html", session.pids["withdrawn"])
    waiting = sorted({path for page in session.thin(pages) for path in _collect_links(session, page, "/static/")})
    seen = set(waiting)
    while waiting:
        path = waiting.pop(0)
        folder, _, name = path.rpartition("/")
        answer = session.get(path)
        session.get(path, If_None_Match=answer.header("etag") or '"none"')
        session.get(f"/static/0123456789abcdef/{name}")
        for imported in re.findall(r'"\./([a-z0-9-]+\.js)"', answer.body.decode(errors="replace")):
            if f"{folder}/{imported}" not in seen:
                seen.add(f"{folder}/{imported}")
                waiting.append(f"{folder}/{imported}")
