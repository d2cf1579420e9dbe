"""The pages of bulk operations and jobs: files, columns, and each state of a job. The answers about jobs are made up.

`test_bulk_walk.py` carries out jobs.
"""

import csv
import json
from io import StringIO
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from coolid.model.clients import split_key
from tests.browser.conftest import Visit, Visiting
from tests.browser.test_every_page import MARK, MISSED
from tests.browser.test_management import issue, sign_in
from tests.browser.test_naughty_strings import RISKY
from tests.support.builders.naughty_strings import ALL

BULK = "/pages/manage/bulk"
JOBS = "/pages/manage/jobs"
JOB = "/pages/manage/job#k3x9"
PHONE = {"width": 390, "height": 844}
WINDOWS = "Titel;Künstlerin;Link;Signatur\r\nHafen;Müller;https://a.example/1;A 1\r\n;;;\r\n".encode("cp1252")

COUNTS = {"valid": 4_997, "invalid": 3, "outside_domains": 2, "succeeded": 0, "refused": 0}
CHECKED: dict[str, Any] = {
    "id": "k3x9", "operation": "mint", "prefix": "demo", "state": "previewed", "created": "2026-01-02T03:04:05Z",
    "updated": "2026-01-02T03:04:05Z", "expires": "2026-02-01T03:04:05Z", "rows": 5_000, "counts": COUNTS,
    "errors": [{"row": 17, "column": "Link", "reason": "it has no host"}, {"row": 400, "column": "", "reason": "no"}],
    "preview": [{"pid": "https://id.example/demo:1", "before": "https://old.example/1", "after": "https://new.example/1"}],
    "failure": None, "dry_run": True, "skip_errors": False, "columns": {}, "rule": None, "client": "epyx6gxg",
}  # fmt: skip
DONE = {**CHECKED, "state": "done", "counts": COUNTS | {"succeeded": 4_990, "refused": 10}}
STATES: dict[str, dict[str, Any]] = {
    "validating": {**CHECKED, "state": "validating", "rows": None, "errors": [], "preview": []},
    "previewed": CHECKED,
    "running": {**CHECKED, "state": "running", "counts": COUNTS | {"succeeded": 1_200}},
    "done": DONE,
    "cancelled": {**DONE, "state": "cancelled"},
    "failed": {**CHECKED, "state": "failed", "failure": "The API key was revoked."},
}


def choose(page: Page, content: bytes, name: str = "items.csv") -> None:
    page.set_input_files("#file", {"name": name, "mimeType": "text/csv", "buffer": content})
    expect(page.locator("#file-message")).not_to_be_empty()
    expect(page.locator("#file-message")).not_to_have_text("Reading the file…")


def expect_columns(page: Page, fields: list[str]) -> None:
    """Wait until the columns have these fields: the page shows them after the message about the file."""
    selects = page.locator("#columns select")
    expect(selects.first).to_be_visible()
    expect(selects).to_have_count(len(fields))
    for at, field in enumerate(fields):
        expect(selects.nth(at)).to_have_value(field)


def answering(visit: Visit, job: dict[str, Any]) -> None:
    visit.context.route("**/api/v1/jobs/*", lambda route: route.fulfill(json=job))
    visit.context.route("**/api/v1/jobs", lambda route: route.fulfill(json={"jobs": [job] * 2, "next": None}))


def is_sound(visit: Visit) -> None:
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        assert visit.violations() == []
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


class TestFiles:
    @pytest.mark.parametrize("viewport", [{"width": 1200, "height": 900}, PHONE], ids=["app", "phone"])
    def test_a_file_of_excel_is_read_and_its_columns_are_recognised(
        self, visiting: Visiting, viewport: dict[str, int]
    ) -> None:
        visit = visiting(viewport=viewport)
        page = sign_in(visit, BULK)
        choose(page, WINDOWS)
        expect(page.locator("#file-message")).to_have_text("The file has 1 row.")
        expect_columns(page, ["what", "who", "uri", ""])
        expect(page.locator("#encoding-sample")).to_have_text("Müller")
        is_sound(visit)
        for operation in ("retarget", "move", "update", "withdraw", "reserve", "publish"):
            page.check(f"#operation-{operation}")
            assert visit.violations() == []
        page.check("#operation-move")
        page.check("#rule-kind-pattern")
        is_sound(visit)

    def test_the_keyboard_reaches_everything(self, visit: Visit) -> None:
        page = sign_in(visit, BULK)
        choose(page, WINDOWS)
        expect_columns(page, ["what", "who", "uri", ""])
        for _ in range(page.evaluate(MARK)):
            page.keyboard.press("Tab")
        assert page.evaluate(MISSED) == {"unseen": [], "unreached": []}
        page.focus("#operation-mint")
        page.keyboard.press("ArrowDown")
        expect(page.locator("#operation-retarget")).to_be_checked()
        expect(page.locator("#columns select").first).to_have_value("")
        expect_columns(page, ["", "", "uri", ""])

    def test_another_encoding_can_be_chosen(self, visit: Visit) -> None:
        page = sign_in(visit, BULK)
        choose(page, "uri;what\nhttps://a.example/;Łódź\n".encode("cp1250"))
        expect(page.locator("#encoding-sample")).to_have_text("£ódŸ")
        page.select_option("#encoding", "windows-1250")
        expect(page.locator("#encoding-sample")).to_have_text("Łódź")
        expect(page.locator("#columns")).to_contain_text("Łódź")

    @pytest.mark.parametrize(
        ("content", "name", "why"),
        [
            (b"PK\x03\x04", "items.xlsx", "CSV UTF-8 (comma delimited)"),
            (b"", "items.csv", "The file is empty."),
            (b"uri,what\n", "items.csv", "no rows below the column names"),
            (b'uri,what\nhttps://a.example/,"x\n', "items.csv", "A quotation mark is never closed: from row 1"),
            (b'[{"uri": 1}]', "items.json", "one object on each line"),
        ],
    )
    def test_a_file_that_cannot_be_used_is_explained(self, visit: Visit, content: bytes, name: str, why: str) -> None:
        page = sign_in(visit, BULK)
        choose(page, content, name)
        expect(page.locator("#file-message")).to_contain_text(why)
        expect(page.locator("#columns-part")).to_be_hidden()
        page.click("#check-button")
        expect(page.locator("#bulk-message")).to_contain_text("Choose a file first.")
        assert visit.violations() == []

    def test_a_file_is_dropped(self, visit: Visit) -> None:
        page = sign_in(visit, BULK)
        drop = """(text, target) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([text], "items.csv"));
            for (const type of ["dragover", "drop"]) {
                const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
                document.querySelector(target).dispatchEvent(event);
            }
        }"""
        page.evaluate(f"([text, target]) => ({drop})(text, target)", ["url,title\nhttps://a.example/,Tea", "#drop"])
        expect_columns(page, ["uri", "what"])
        page.evaluate(f"([text, target]) => ({drop})(text, target)", ["url\nhttps://a.example/", "h1"])
        expect_columns(page, ["uri", "what"])  # beside the area nothing happens, and the page remains

    def test_identifiers_that_were_selected_in_the_list_are_a_table(self, visit: Visit) -> None:
        pid = visit.server.mint(metadata={"what": "Selected, for a test"}).json()["pid"]
        page = sign_in(visit, "/pages/manage/records#q=Selected")
        page.get_by_label("Select Selected, for a test").check()
        page.get_by_role("button", name="Change in bulk").click()
        expect(page.locator("#file-message")).to_have_text("The file has 1 row.")
        expect_columns(page, ["pid", ""])
        expect(page.locator("#columns")).to_contain_text(pid)
        expect(page.locator("#operation-withdraw")).to_be_checked()

    def test_a_template_can_be_downloaded_and_sent(self, visit: Visit) -> None:
        page = sign_in(visit, BULK)
        for operation in ("mint", "retarget", "update", "withdraw", "reserve", "publish"):
            page.check(f"#operation-{operation}")
            with page.expect_download() as download:
                page.get_by_role("button", name="Download a template").click()
            content = download.value.path().read_bytes()
            assert content.startswith(b"\xef\xbb\xbf")
            choose(page, content)
            header = content.decode("utf-8-sig").splitlines()[0].split(",")
            expect_columns(page, header)


class TestSending:
    @pytest.fixture
    def sent(self, visit: Visit) -> list[Request]:
        """The requests that start jobs, which are answered as if they were carried out."""
        requests: list[Request] = []

        def start(route: Route) -> None:
            requests.append(route.request)
            route.fulfill(status=202, json=CHECKED)

        answering(visit, CHECKED)
        visit.context.route("**/api/v1/jobs", start)
        return requests

    def test_a_job_is_checked_first_and_the_choice_of_fields_is_remembered(
        self, visit: Visit, sent: list[Request]
    ) -> None:
        page = sign_in(visit, BULK)
        choose(page, WINDOWS)
        page.click("#check-button")
        expect(page.locator("#bulk-message")).to_contain_text("Choose the prefix")
        page.select_option("#prefix", "demo")
        page.get_by_label("Signatur").select_option("metadata.Signatur")
        page.click("#check-button")
        expect(page.locator("#job-message")).to_contain_text("4,997 rows are right, 3 are wrong.")
        (request,) = sent
        body = (request.post_data_buffer or b"").decode()
        assert '"dry_run":true' in body
        assert '"operation":"mint","prefix":"demo"' in body
        assert '"Titel":"what","Künstlerin":"who","Link":"uri","Signatur":"metadata.Signatur"' in body
        assert "Titel,Künstlerin,Link,Signatur\r\nHafen,Müller,https://a.example/1,A 1\r\n" in body
        visit.go(BULK)
        choose(page, WINDOWS.replace(b"Hafen", b"Markt"))
        expect_columns(page, ["what", "who", "uri", "metadata.Signatur"])
        stored = page.evaluate("JSON.stringify({...localStorage})")
        assert "Signatur" in stored
        assert "Hafen" not in stored

    def test_fields_that_are_missing_or_repeated_are_named(self, visit: Visit, sent: list[Request]) -> None:
        page = sign_in(visit, BULK)
        choose(page, b"title,note\nTea,x\n")
        page.check("#operation-retarget")
        page.click("#check-button")
        message = page.locator("#bulk-message")
        expect(message).to_contain_text("No column has the meaning “Identifier (PID)”.")
        expect(message).to_contain_text("No column has the meaning “Web address it leads to”.")
        for select in page.locator("#columns select").all():
            select.select_option("uri")
        page.click("#check-button")
        expect(message).to_contain_text("Several columns have the meaning “Web address it leads to”.")
        assert visit.violations() == []
        assert sent == []

    def test_one_reason_can_be_given_for_all_rows(self, visit: Visit, sent: list[Request]) -> None:
        page = sign_in(visit, BULK)
        page.check("#operation-withdraw")
        choose(page, b"pid\nhttps://id.example/demo:1\n")
        page.click("#check-button")
        expect(page.locator("#bulk-message")).to_contain_text("No column has the meaning “Reason”.")
        page.get_by_label("Reason for all rows").fill("A, B")
        page.click("#check-button")
        expect(page.locator("#job-operation")).to_be_visible()
        body = (sent[0].post_data_buffer or b"").decode()
        assert '{"pid":"pid","Reason for all rows":"reason"}' in body
        assert 'https://id.example/demo:1,"A, B"\r\n' in body

    def test_a_move_needs_no_file(self, visit: Visit, sent: list[Request]) -> None:
        page = sign_in(visit, BULK)
        page.check("#operation-move")
        page.click("#check-button")
        expect(page.locator("#bulk-message")).to_contain_text("Enter how the present addresses begin.")
        page.get_by_label("The addresses begin with").fill("https://old.example/")
        page.select_option("#prefix", "demo")
        page.get_by_label("The new beginning").fill("https://new.example/")
        page.keyboard.press("Enter")
        expect(page.locator("#job-operation")).to_be_visible()
        assert json.loads(sent[0].post_data or "") == {
            "operation": "retarget", "prefix": "demo", "dry_run": True,
            "rule": {"from": "https://old.example/", "to": "https://new.example/"},
        }  # fmt: skip

    def test_a_refusal_leaves_everything_as_it_was(self, visit: Visit) -> None:
        visit.requests_fail = True
        problem = {
            "type": "about:blank",
            "detail": "a body is not valid",
            "errors": [{"pointer": "/prefix", "detail": "no"}],
        }
        page = sign_in(visit, BULK)
        page.context.route("**/api/v1/jobs", lambda route: route.fulfill(status=422, json=problem))
        choose(page, WINDOWS)
        page.select_option("#prefix", "demo")
        page.click("#check-button")
        expect(page.locator("#bulk-message")).to_contain_text("One of the fields is invalid. a body is not valid")
        expect(page.locator("#prefix-wrong")).to_have_text("no")
        expect(page.locator("#prefix")).to_be_focused()
        expect_columns(page, ["what", "who", "uri", ""])
        page.context.route("**/api/v1/jobs", lambda route: route.abort())
        page.click("#check-button")
        expect(page.locator("#bulk-message")).to_contain_text("The service did not answer.")

    def test_sending_waits_until_the_columns_are_shown(self, visit: Visit, sent: list[Request]) -> None:
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page = sign_in(visit, BULK)
        page.context.route("**/column-choice.js*", hold)
        choose(page, WINDOWS)
        page.select_option("#prefix", "demo")
        page.click("#check-button")
        assert not sent
        held[0].continue_()
        expect(page.locator("#job-operation")).to_be_visible()
        assert len(sent) == 1

    def test_a_large_file_goes_to_an_upload_and_can_be_stopped(self, visit: Visit, sent: list[Request]) -> None:
        page = sign_in(visit, BULK)
        rows = b"".join(b"https://a.example/%07d,%s\n" % (number, b"x" * 80) for number in range(45_000))
        choose(page, b"uri,what\n" + rows)
        page.select_option("#prefix", "demo")
        page.context.route("**/api/v1/uploads/*", lambda _route: None)  # it is never answered
        page.click("#check-button")
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        assert visit.violations() == []
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#bulk-message")).to_contain_text("Stopped. Nothing changed.")
        page.context.unroute("**/api/v1/uploads/*")
        with page.expect_response("**/api/v1/uploads/*") as upload:
            page.click("#check-button")
        assert upload.value.status == 200
        assert upload.value.json()["size"] > 4_000_000
        expect(page.locator("#job-operation")).to_be_visible()
        assert json.loads(sent[0].post_data or "")["upload"] == upload.value.url.rpartition("/")[2]


class TestJobs:
    @pytest.mark.parametrize("state", STATES)
    def test_each_state_can_be_read_by_everybody(self, visiting: Visiting, state: str) -> None:
        visit = visiting(viewport=PHONE)
        page = sign_in(visit, JOBS)
        answering(visit, STATES[state])
        page.reload()
        expect(page.locator("#jobs table")).to_be_visible()
        is_sound(visit)
        visit.go(JOB)
        expect(page.locator("#job")).to_be_visible()
        is_sound(visit)

    def test_a_checked_job_shows_what_is_wrong_and_runs(self, visit: Visit) -> None:
        page = sign_in(visit, JOBS)
        answering(visit, CHECKED)
        visit.go(JOB)
        expect(page.get_by_role("row", name="17 Link it has no host")).to_be_visible()
        expect(page.get_by_role("row", name="400 The whole row no")).to_be_visible()
        expect(page.get_by_text("2 rows lead to hosts that the repository does not allow.")).to_be_visible()
        expect(page.locator("#job-changes")).to_contain_text("https://new.example/1")
        requests: list[str] = []

        def run(route: Route) -> None:
            requests.append(route.request.method)
            answering(visit, DONE)
            route.fulfill(status=202, json=DONE)

        page.context.route("**/api/v1/jobs/k3x9/run", run)
        page.get_by_role("button", name="Mint identifiers: 4,997 rows, and skip the 3 wrong ones").click()
        expect(page.locator("#job-message")).to_contain_text("4,990 rows were carried out, 10 were refused.")
        assert requests == ["POST"]

    def test_a_job_is_cancelled_after_a_question(self, visit: Visit) -> None:
        page = sign_in(visit, JOBS)
        answering(visit, STATES["running"])
        visit.go(JOB)
        cancel = page.get_by_role("button", name="Cancel this job")
        cancel.click()
        page.get_by_role("button", name="Let it continue").click()
        expect(cancel).to_be_focused()
        answering(visit, STATES["cancelled"])
        page.keyboard.press("Enter")
        assert visit.violations() == []
        page.get_by_role("button", name="Cancel the job").click()
        expect(page.locator("#job-message")).to_contain_text("Cancelled")
        expect(cancel).to_be_hidden()

    def test_a_lost_connection_is_reported_and_the_job_is_found_again(self, visit: Visit) -> None:
        visit.requests_fail = True
        page = sign_in(visit, JOBS)
        page.context.route("**/api/v1/jobs/*", lambda route: route.abort())
        visit.go(JOB)
        expect(page.locator("#job-message")).to_contain_text("The service did not answer.")
        answering(visit, CHECKED)
        expect(page.locator("#job-message")).to_contain_text("4,997 rows are right")

    def test_another_clients_job_is_not_found(self, visit: Visit) -> None:
        page = sign_in(visit, JOBS, issue(visit, "mint:demo")["key"])
        visit.go(JOB)
        expect(page.locator("#job-message")).to_contain_text("The service does not find it.")
        visit.go("/pages/manage/job")
        page.reload()
        expect(page.locator("#job-message")).to_contain_text("The URL of this page contains no job.")
        assert visit.violations() == []

    def test_results_are_saved_as_csv_for_excel_and_as_json_lines(self, visit: Visit) -> None:
        page = sign_in(visit, JOBS)
        answering(visit, DONE)
        results = 'uri,pid\r\nhttps://a.example/,"é, b"\r\n'
        page.context.route("**/api/v1/jobs/k3x9/results?*", lambda route: route.fulfill(body=results))
        visit.go(JOB)
        contents = {}
        for name in ("CSV", "CSV for Excel", "JSON Lines"):
            with page.expect_download() as download:
                page.get_by_role("button", name=name, exact=True).click()
            contents[download.value.suggested_filename, name] = download.value.path().read_text(encoding="utf-8")
        assert contents == {
            ("mint-k3x9.csv", "CSV"): results.replace("\r", ""),
            ("mint-k3x9.csv", "CSV for Excel"): "\ufeff" + results.replace("\r", ""),
            ("mint-k3x9.jsonl", "JSON Lines"): results.replace("\r", ""),
        }


def test_whatever_a_file_or_a_job_says_is_text(visit: Visit) -> None:
    page = sign_in(visit, BULK)
    page.evaluate("() => { window.ran = []; window.alert = (text) => window.ran.push(text) }")
    texts = [text for text in ALL if "\0" not in text and text.strip()]
    content = StringIO(newline="")
    csv.writer(content).writerows([[f"c{number}" for number in range(len(texts))], texts])
    choose(page, content.getvalue().encode())
    expect(page.locator("#columns select")).to_have_count(len(texts))
    shown = page.evaluate("[...document.querySelectorAll('#columns li bdi')].map((each) => each.textContent)")
    assert all(text == there or text.startswith(there[:-1]) for text, there in zip(texts, shown, strict=True))
    choose(
        page,
        (",".join(f'"{text}"' for text in ("a", "<b>bold</b>", "<img src=x onerror=alert(1)>")) + "\n1,2,3\n").encode(),
    )
    expect(page.locator("#columns select")).to_have_count(3)
    names = page.evaluate("[...document.querySelectorAll('#columns th bdi')].map((each) => each.textContent)")
    assert names == ["a", "<b>bold</b>", "<img src=x onerror=alert(1)>"]
    assert page.evaluate("window.ran") == []
    errors = [{"row": row, "column": text, "reason": text} for row, text in enumerate(texts)]
    changes = [{"pid": text, "before": text, "after": text} for text in texts]
    answering(visit, CHECKED | {"errors": errors, "preview": changes, "prefix": texts[-1], "client": "<b>"})
    for path, cells in ((JOBS, "#jobs td:nth-child(2) bdi"), (JOB, "#job-errors td:last-child bdi")):
        visit.go(path)
        expect(page.locator(cells).first).to_be_visible()
        shown = page.evaluate("(cells) => [...document.querySelectorAll(cells)].map((each) => each.textContent)", cells)
        assert shown == (texts if path == JOB else [texts[-1]] * 2)
        assert page.locator("#page :is(img, script, iframe, svg, style, b, video)").count() == 0


def test_whatever_is_typed_reaches_the_service_as_it_is(visit: Visit) -> None:
    visit.requests_fail = True
    page = sign_in(visit, BULK)
    received: list[dict[str, str]] = []

    def refuse(route: Route) -> None:
        received.append(json.loads(route.request.post_data or "")["rule"])
        route.fulfill(status=422, json={"detail": received[-1]["pattern"]})

    page.context.route("**/api/v1/jobs", refuse)
    page.check("#operation-move")
    page.check("#rule-kind-pattern")
    page.select_option("#prefix", "demo")
    typed = [text for text in RISKY if "\n" not in text and "\r" not in text and text.strip() == text][::6]
    for text in typed:
        page.fill("#pattern", text)
        page.fill("#replacement", text)
        page.click("#check-button")
        expect(page.locator("#bulk-message .bad")).to_contain_text(text[:40])
    assert received == [{"pattern": text, "replacement": text} for text in typed]


def test_the_key_is_in_no_address_and_no_page(visit: Visit) -> None:
    addresses: list[str] = []
    visit.context.on("request", lambda request: addresses.append(request.url))
    page = sign_in(visit, BULK)
    answering(visit, DONE)
    page.context.route("**/api/v1/jobs/k3x9/results?*", lambda route: route.fulfill(body="x"))
    secret = split_key(visit.server.key)[1]
    for path in (BULK, JOBS, JOB):
        visit.go(path)
        expect(page.locator("#page")).to_be_visible()
        assert secret not in page.content()
    with page.expect_download():
        page.get_by_role("button", name="CSV", exact=True).click()
    assert not [each for each in addresses if secret in each]
    assert secret not in page.evaluate("JSON.stringify([{...localStorage}, history.state, location.href])")
