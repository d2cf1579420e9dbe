"""Pages in Chromium, against `coolid serve` as users run it; `make test-browser` installs the tools.

Every page is observed: all requests go to the service, nothing violates its policy, no script fails, and no cookie is
set.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize, expect, sync_playwright

from coolid.local import bioregistry_prefixes
from tests.support.builders.page_catalog import Catalogue, make
from tests.support.builders.samples import provider_prefix
from tests.support.servers.coolid_server import Server, serving

HERE = Path(__file__).parent
TELEPHONE: ViewportSize = {"width": 390, "height": 844}
TOOLS = HERE / "node_modules"
TIMEOUT_MS = 60_000
"""The most milliseconds that an assertion or an action waits. The machine may be slow."""
PREFIXES = 250
"""How many prefixes there are to browse, beside the few that tests know by name."""

# No connection but those that pages ask for; without a screen, and without the sandbox, which root cannot have.
SWITCHES = (
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--force-prefers-reduced-motion",
    *(["--no-sandbox"] if os.geteuid() == 0 else []),
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Chromium is not on every machine."""
    if os.environ.get("COOLID_BROWSER"):
        return
    reason = "a browser is needed: make test-browser"
    for item in items:
        if str(item.path).startswith(f"{HERE}/"):
            item.add_marker(pytest.mark.skip(reason=reason))


@dataclass
class Visit:
    """A browser of its own at the service; `wrongs` is what no page may do.

    If `requests_fail`, some do on purpose, and Chromium's messages about them do not count, whenever they arrive.
    """

    context: BrowserContext
    page: Page
    server: Server
    wrongs: list[str] = field(default_factory=list)
    requests_fail: bool = False

    def go(self, path: str) -> int:
        """Open a page of the service; the status."""
        response = self.page.goto(self.server.url + path)
        assert response is not None
        return response.status

    def violations(self) -> list[str]:
        """What axe-core finds wrong with the page that is open, best practices included."""
        self.page.evaluate((TOOLS / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
        # A change of the colour scheme fades: colours halfway between two schemes have too little contrast.
        self.page.evaluate(
            "for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()"
        )
        found: dict[str, Any] = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{each['id']}: {each['help']}: {node['html']} {node['failureSummary']}"
            for each in found["violations"]
            for node in each["nodes"]
        ]

    def require_telephone_fit(self) -> None:
        """Assert that the open page, dark and as wide as a telephone, has no violation and needs no scrolling aside."""
        self.page.set_viewport_size(TELEPHONE)
        self.page.emulate_media(color_scheme="dark")
        assert self.violations() == []
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


Visiting = Callable[..., Visit]
"""Makes a visit; takes what `Browser.new_context` takes, such as `java_script_enabled=False`."""


def executable() -> str:
    """Chromium's or Chrome's program, as `scripts/browser` finds it."""
    names = (
        os.environ.get("COOLID_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    )  # fmt: skip
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    assert found, "there is no Chromium: scripts/browser installs it"
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser."""
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running service with prefixes to browse."""
    folder = tmp_path_factory.mktemp("browser")
    known = [
        provider_prefix("doi", "https://doi.org/{$id}", encoding="data"),
        provider_prefix("go", "https://go.example/{$id}", "https://ols.example/{$id}", synonyms=("gene_ontology",)),
        provider_prefix("orphan"),
    ]
    many = [provider_prefix(f"sample{number:03}", "https://sample.example/{$id}") for number in range(PREFIXES)]
    bioregistry_prefixes.write_cache(folder / ".local", [*known, *many])
    with serving(folder) as running:
        yield running


@pytest.fixture(scope="session")
def catalogue(server: Server) -> Catalogue:
    """Every kind of page, and what they tell of."""

    def ask(method: str, path: str, document: Any, tag: str | None = None) -> Mapping[str, Any]:
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        headers |= {"If-Match": tag} if tag else {}
        reply = server.request(method, path, json.dumps(document).encode(), headers)
        assert reply.status in {200, 201}, (method, path, reply)
        on_console_message: Mapping[str, Any] = reply.json()
        return on_console_message

    return make(ask, server.url, there=("doi", "go", "orphan"))


@pytest.fixture
def visiting(chromium: Browser, server: Server) -> Iterator[Visiting]:
    """Begins visits, and sees at the end that no page did what none may."""
    visits: list[Visit] = []

    def begin(**wishes: Any) -> Visit:
        context = chromium.new_context(**wishes)
        context.set_default_timeout(TIMEOUT_MS)
        visit = Visit(context, context.new_page(), server)
        visits.append(visit)
        watch(visit)
        return visit

    yield begin
    for visit in visits:
        cookies = visit.context.cookies()
        visit.context.close()
        if visit.requests_fail:
            visit.wrongs[:] = [wrong for wrong in visit.wrongs if not wrong.startswith("Failed to load resource")]
        assert not visit.wrongs
        assert not cookies


@pytest.fixture
def visit(visiting: Visiting) -> Visit:
    """An ordinary visit."""
    return visiting()


def watch(visit: Visit) -> None:
    """Note what no page may do."""

    def on_console_message(message: ConsoleMessage) -> None:
        # Chromium says so of every answer that is a refusal, pages included.
        if message.type in ("error", "warning") and "the server responded with a status of" not in message.text:
            visit.wrongs.append(message.text)

    def requested(url: str) -> None:
        if not url.startswith((visit.server.url + "/", "data:", "blob:")):
            visit.wrongs.append(f"asked for {url}")

    visit.context.on("console", on_console_message)
    visit.context.on("weberror", lambda error: visit.wrongs.append(str(error.error)))
    visit.context.on("request", lambda request: requested(request.url))


@contextmanager
def leaving(visit: Visit, address: str) -> Iterator[None]:
    """Let the page lead to this address elsewhere, which is answered for it."""
    visit.context.route(address, lambda route: route.fulfill(status=200, content_type="text/html", body="<p>There"))
    before = len(visit.wrongs)
    yield
    visit.wrongs[before:] = [each for each in visit.wrongs[before:] if each != f"asked for {address}"]
