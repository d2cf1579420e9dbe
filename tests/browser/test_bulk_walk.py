"""What a librarian does from an empty service: register a table of things, move, withdraw, find and restore them.

Each step prints its time; nothing depends on it. `make drill` walks with 5,000 things.
"""

import csv
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, watch
from tests.browser.test_management import asked, sign_in
from tests.support.effort import size
from tests.support.servers.coolid_server import prepare, serving

BULK = "/pages/manage/bulk"
PREFIX = "ark:99999/fk4"
THINGS = size(5_000, 300)
WITHDRAWN = 10
PATIENCE = 300_000  # milliseconds; the machine may be slow
ATTEMPTS = 100
FOUND = "Leuchtturm für Zoë"
RESTORED = 42
"""The title and the row of the thing that is found."""
WRONG = {17: "photos.example.org/17", 130: "https://user:secret@old.example.org/130", 299: "ftp://old.example.org/299"}
"""Links that no identifier may lead to, by their rows."""


def path_of(pid: str) -> str:
    return urlsplit(pid).path


class Walk:
    """A walk of a librarian through the pages of a service, and the time of each step in seconds."""

    def __init__(self, visit: Visit, folder: Path) -> None:
        self.visit = visit
        self.page: Page = visit.page
        self.folder = folder
        self.times: dict[str, float] = {}
        self.pids: dict[str, str] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.times[name] = time.perf_counter() - began

    def start(self, operation: str) -> None:
        """Open the page of bulk operations, and choose one."""
        self.visit.go(BULK)
        self.page.get_by_label(operation, exact=True).check()

    def choose(self, text: str, encoding: str = "utf-8") -> None:
        table = self.folder / "table.csv"
        table.write_text(text, encoding=encoding, newline="")
        self.page.set_input_files("#file", table)
        expect(self.page.locator("#columns select").first).to_be_visible()

    def check(self, told: str) -> None:
        """Let the service check the job, and expect its summary."""
        self.page.get_by_role("button", name="Check", exact=True).click()
        expect(self.page.locator("#job-message")).to_contain_text(told, timeout=PATIENCE)

    def run(self, button: str, told: str) -> None:
        self.page.get_by_role("button", name=button).click()
        expect(self.page.locator("#job-message")).to_contain_text(told, timeout=PATIENCE)

    def results(self) -> list[dict[str, str]]:
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name="CSV", exact=True).click()
        with download.value.path().open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def resolve(self, status: int) -> None:
        """Expect this status of each PID and its location. The service's processes cache records for ten seconds."""
        connection = self.visit.server.connect()
        waiting = self.pids
        for _ in range(ATTEMPTS):
            found = {pid: self.visit.server.request("GET", path_of(pid), connection=connection) for pid in waiting}
            waiting = {
                pid: location
                for pid, location in waiting.items()
                if (found[pid].status, found[pid].headers.get("location", "")) != (status, location)
            }
            if not waiting:
                break
            time.sleep(1)
        connection.close()
        assert waiting == {}


@pytest.fixture
def walk(chromium: Browser, tmp_path: Path) -> Iterator[Walk]:
    """A walk at a service of its own, which has no identifiers but those of the demonstration."""
    folder = tmp_path / "service"
    folder.mkdir()
    prepare(folder)
    with serving(folder) as server:
        context = chromium.new_context()
        visit = Visit(context, context.new_page(), server)
        watch(visit)
        yield Walk(visit, tmp_path)
        context.close()
        assert not visit.wrongs


def test_a_librarian_needs_no_programs(walk: Walk, capsys: pytest.CaptureFixture[str]) -> None:
    with walk.step("sign in"):
        sign_in(walk.visit)
    with walk.step("register a NAAN and a shoulder"):
        register(walk.page)
    register_things(walk)
    move_them(walk)
    withdraw_some(walk)
    find_and_restore_one(walk)
    with capsys.disabled():
        sys.stdout.write(f"\n{THINGS} things\n")
        sys.stdout.writelines(f"{seconds:8.1f} s {name}\n" for name, seconds in walk.times.items())


def register(page: Page) -> None:
    """Go through the steps of a repository of ARKs, whose first choices are right for photographs."""
    page.get_by_role("navigation", name="Management").get_by_role("link", name="Repositories").click()
    page.get_by_role("button", name="Create a repository…").click()
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Shoulder").fill(PREFIX.rpartition("/")[2])
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Title", exact=True).fill("Photographs")
    for _ in range(2):
        page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Create the repository").click()
    expect(page.get_by_role("heading", name="Done")).to_be_focused()


def register_things(walk: Walk) -> None:
    """Register the rows of a table that German Excel wrote; three are wrong."""
    links = [WRONG.get(row, f"https://old.example.org/items/{row}") for row in range(1, THINGS + 1)]
    rows = [
        f"{FOUND if row == RESTORED else f'Bild {row}'};Müller, Änne;{1900 + row % 100};{link};A {row}"
        for row, link in enumerate(links, 1)
    ]
    with walk.step("upload, map columns and check"):
        walk.start("Mint identifiers")
        walk.choose("\r\n".join(["Titel;Fotografin;Jahr;Link;Signatur", *rows, ";;;;", ""]), "cp1252")
        walk.page.get_by_label("Signatur").select_option("Field “Signatur”")
        walk.page.get_by_label("The prefix of the identifiers").select_option(PREFIX)
        walk.check(f"{THINGS - 3:,} rows are right, 3 are wrong.")
    for row in WRONG:
        line = walk.page.get_by_role("row").filter(has=walk.page.get_by_role("rowheader", name=str(row), exact=True))
        expect(line.get_by_role("cell").first).to_have_text("Link")
        expect(line.get_by_role("cell").last).not_to_be_empty()
    with walk.step("register"):
        walk.run("and skip the 3 wrong ones", f"Done. {THINGS - 3:,} rows were carried out")
    with walk.step("download"):
        results = walk.results()
    assert [row["Link"] for row in results] == links
    assert {number for number, row in enumerate(results, 1) if row["error"]} == set(WRONG)
    walk.pids = {row["pid"]: row["Link"] for row in results if not row["error"]}
    assert len(walk.pids) == THINGS - 3
    with walk.step("resolve each"):
        walk.resolve(302)


def move_them(walk: Walk) -> None:
    with walk.step("check a move to another host"):
        walk.start("Move to a new address")
        walk.page.get_by_label("The addresses begin with").fill("https://old.example.org/items/")
        walk.page.get_by_label("The new beginning").fill("https://new.example.org/photos/")
        walk.page.get_by_label("The prefix of the identifiers").select_option(PREFIX)
        walk.check(f"All {THINGS - 3:,} rows are right.")
    expect(walk.page.locator("#job-changes tbody tr")).to_have_count(10)
    expect(walk.page.locator("#job-changes tbody tr").first).to_contain_text("https://new.example.org/photos/")
    with walk.step("move"):
        walk.run("Move to a new address", f"Done. {THINGS - 3:,} rows were carried out")
    for pid, link in walk.pids.items():
        walk.pids[pid] = link.replace("https://old.example.org/items/", "https://new.example.org/photos/")
    with walk.step("resolve each at the new host"):
        walk.resolve(302)


def withdraw_some(walk: Walk) -> None:
    pids = list(walk.pids)
    gone, successors = pids[:WITHDRAWN], pids[WITHDRAWN : 2 * WITHDRAWN]
    with walk.step("withdraw ten with successors"):
        walk.start("Withdraw identifiers")
        walk.choose(
            "ARK,Ersetzt durch\n" + "".join(f"{pid},{other}\n" for pid, other in zip(gone, successors, strict=True))
        )
        walk.page.get_by_label("Reason for all rows").fill("Two scans of one photograph")
        walk.check(f"All {WITHDRAWN} rows are right.")
        walk.page.get_by_role("button", name=f"Withdraw identifiers: {WITHDRAWN} rows").click()
        walk.run("Withdraw them", f"Done. {WITHDRAWN} rows were carried out.")
    for pid, successor in zip(gone, successors, strict=True):
        tombstone = asked(walk.visit, "GET", f"/api/v1/records{path_of(pid)}")
        assert (tombstone["status"], tombstone["withdrawn"]["successor"]) == ("withdrawn", successor)
    walk.pids = dict.fromkeys(gone, "")
    walk.resolve(410)


def find_and_restore_one(walk: Walk) -> None:
    page = walk.page
    with walk.step("find one by words of its title"):
        walk.visit.go("/pages/manage/records")
        page.get_by_label("Words in the identifier").fill("leuchtturm zoe")
        page.get_by_role("button", name="Search").click()
        link = page.get_by_role("link", name=FOUND)
        expect(link).to_be_visible(timeout=PATIENCE)
    with walk.step("restore its first version"):
        link.click()
        page.get_by_role("button", name="Show all versions").click()
        page.get_by_role("button", name="Restore version 1").click()
        page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("#record-message")).to_contain_text("version 1 is current again")
    expect(page.get_by_label("URL", exact=True)).to_have_value(f"https://old.example.org/items/{RESTORED}")
    assert json.loads(page.evaluate("JSON.stringify(Object.keys(localStorage))")) == ["coolid-columns"]
