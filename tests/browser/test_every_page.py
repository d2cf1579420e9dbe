"""Rules for every page in a browser: axe-core finds nothing, the keyboard reaches everything, a phone is enough.

A page is opened once for all checks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ViewportSize

from tests.browser.conftest import TELEPHONE, Visit, watch
from tests.support.builders.page_catalog import STATUSES, Catalogue
from tests.support.servers.coolid_server import Server

MOST_BYTES = 60_000
"""Of a page and all that it loads, without the description of the record for machines in its head."""
MOST_BYTES_FOR_MACHINES = 12_000
DESK: ViewportSize = {"width": 1200, "height": 900}

# What can be reached by Tab, if it is seen; of a group of radio buttons it is one, and the arrows reach the others.
MARK = """() => {
  const every = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
  const seen = [...document.querySelectorAll(every)]
    .filter((each) => !each.disabled && each.tabIndex >= 0 && each.checkVisibility());
  window.unreached = new Set(seen.filter((each) => each.type !== "radio" || each.checked));
  window.unseen = [];
  document.addEventListener("focusin", ({ target }) => {
    window.unreached.delete(target);
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    const { left, width } = target.getBoundingClientRect();
    if (outlineStyle === "none" || !parseFloat(outlineWidth) || !width || left < 0) {
      window.unseen.push(target.outerHTML.slice(0, 200));
    }
  });
  return window.unreached.size;
}"""
MISSED = """() => {
  for (const each of [...window.unreached]) each.focus();
  return { unseen: window.unseen, unreached: [...window.unreached].map((each) => each.outerHTML.slice(0, 200)) };
}"""
MOST_TABS = 60
"""How often Tab is pressed; what is beyond is asked whether it takes the focus."""

LOADED = """() => performance.getEntries()
  .filter((each) => each.entryType === "navigation" || each.name.includes("/static/"))
  .map((each) => [each.name, each.decodedBodySize])"""

FOR_MACHINES = """() => [...document.querySelectorAll(
    'script[type="application/ld+json"], meta[name^="DC"], meta[name^="citation_"], meta[property^="og:"]')]
  .reduce((sum, each) => sum + new TextEncoder().encode(each.outerHTML).length, 0)"""

WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest("pre, .skip"))
  .map((each) => each.outerHTML.slice(0, 200))"""

CONTRAST = "axe.run(document, {runOnly: ['color-contrast', 'link-in-text-block', 'target-size']})"


@dataclass(frozen=True)
class Seen:
    """What is seen of a page; `expected` is the status that it should have."""

    expected: int
    status: int
    violations: list[str]
    in_the_dark: list[str]
    ground: str
    wide: list[str]
    sizes: dict[str, int]
    bytes_for_machines: int
    unreached: list[str]
    unseen: list[str]
    said: list[str]
    said_without_scripts: list[str]
    wrongs: list[str]


@pytest.fixture(scope="module")
def contexts(chromium: Browser) -> Iterator[tuple[BrowserContext, BrowserContext]]:
    """A browser, and one that runs no scripts."""
    # Without motion, or a colour would be seen on its way to another.
    made = (
        chromium.new_context(viewport=DESK, reduced_motion="reduce"),
        chromium.new_context(viewport=DESK, java_script_enabled=False),
    )
    yield made
    for context in made:
        assert not context.cookies()
        context.close()


def failures(report: Any) -> list[str]:
    """The elements that break a rule of axe, each after the name of the rule."""
    return [f"{each['id']}: {node['html']}" for each in report["violations"] for node in each["nodes"]]


@pytest.fixture(scope="module", params=STATUSES)
def seen(
    request: pytest.FixtureRequest,
    contexts: tuple[BrowserContext, BrowserContext],
    server: Server,
    catalogue: Catalogue,
) -> Seen:
    """One kind of page after the other."""
    kind = catalogue.kinds[request.param]
    scripted, bare = visits = [Visit(context, context.new_page(), server) for context in contexts]
    for each in visits:
        watch(each)
    status, page = scripted.go(kind.path), scripted.page
    page.wait_for_load_state("networkidle")
    said, sizes = page.locator("main").inner_text().split(), dict(page.evaluate(LOADED))
    for _ in range(min(page.evaluate(MARK), MOST_TABS)):
        page.keyboard.press("Tab")
    focused = page.evaluate(MISSED)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    violations = scripted.violations()
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(TELEPHONE)
    bare.go(kind.path)
    result = Seen(
        expected=kind.status,
        status=status,
        violations=violations,
        in_the_dark=failures(page.evaluate(CONTRAST)),
        ground=page.evaluate("getComputedStyle(document.body).backgroundColor"),
        wide=page.evaluate(WIDE),
        sizes=sizes,
        bytes_for_machines=page.evaluate(FOR_MACHINES),
        unreached=focused["unreached"],
        unseen=focused["unseen"],
        said=said,
        said_without_scripts=bare.page.locator("main").inner_text().split(),
        wrongs=[*scripted.wrongs, *bare.wrongs],
    )
    for each in visits:
        each.page.close()
    return result


def test_it_is_the_page_that_it_should_be_and_does_nothing_that_no_page_may(seen: Seen) -> None:
    assert seen.status == seen.expected
    assert not seen.wrongs


def test_axe_finds_nothing(seen: Seen) -> None:
    assert not seen.violations


def test_on_a_telephone_in_the_dark_it_can_be_read_and_used(seen: Seen) -> None:
    assert not seen.in_the_dark
    assert sum(int(part) for part in seen.ground.removeprefix("rgb(").removesuffix(")").split(",")) < 200
    assert not seen.wide, "it is to be scrolled sideways"


def test_with_all_that_it_loads_it_is_small(seen: Seen) -> None:
    assert len(seen.sizes) >= 2
    assert all(seen.sizes.values())
    assert seen.bytes_for_machines < MOST_BYTES_FOR_MACHINES
    assert sum(seen.sizes.values()) - seen.bytes_for_machines < MOST_BYTES, seen.sizes


def test_the_keyboard_reaches_whatever_can_be_used_and_shows_where_it_is(seen: Seen) -> None:
    assert not seen.unreached
    assert not seen.unseen


def test_what_it_says_is_there_without_scripts(seen: Seen) -> None:
    """With scripts there may be more, but little of it."""
    assert len(seen.said_without_scripts) >= 5
    assert len(set(seen.said) - set(seen.said_without_scripts)) <= len(set(seen.said_without_scripts)) + 60
