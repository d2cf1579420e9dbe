"""The page that mints and draws."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Route, expect

from coolid.identifiers.schemes import contextual, cooldoi, digest, lui, noid, pilin, ror, uuid
from tests.browser.conftest import Visit, Visiting

PAGE = "/pages/mint"
URI = "https://content.example.org/thing"
NOIDS = noid.parse_template(".reedeedk", "99999", "fk4")
PHONE = {"width": 390, "height": 844}


def pids(visit: Visit) -> list[str]:
    return [link.inner_text() for link in visit.page.locator("#minted a").all()]


def fill(visit: Visit, **fields: str) -> None:
    for name, text in ({"key": visit.server.key, "prefix": "demo", "uri": URI} | fields).items():
        visit.page.fill(f"#{name}", text)


def mint(visit: Visit) -> None:
    visit.page.click("#mint-button")
    expect(visit.page.locator("#mint-message")).not_to_have_class("soft")
    expect(visit.page.locator("#mint-message")).not_to_be_empty()


def draw(visit: Visit, scheme: str, **fields: str) -> list[str]:
    """What is drawn of a scheme; fields by their ids, a select's by its value."""
    page = visit.page
    page.select_option("#scheme", scheme)
    for name, value in fields.items():
        field = page.locator(f"#{name}")
        if field.evaluate("each => each.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.click("#draw-form button[type=submit]")
    expect(page.locator("#draw-message")).to_have_class("good")
    return page.locator("#drawn").inner_text().splitlines()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [{"width": 1200, "height": 900}, PHONE], ids=["app", "phone"])
def test_it_is_sound(visiting: Visiting, scheme: str, viewport: dict[str, int]) -> None:
    visit = visiting(color_scheme=scheme, viewport=viewport)
    assert visit.go(PAGE) == 200
    fill(visit)
    visit.page.click("summary")
    mint(visit)
    draw(visit, "noid")
    assert visit.violations() == []
    assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


class TestDrawing:
    @pytest.fixture
    def there(self, visit: Visit) -> Visit:
        visit.go(PAGE)
        return visit

    def test_each_scheme_generates_what_is_valid(self, there: Visit) -> None:
        found = draw(there, "lui", symbols="12", number="1000", **{"as": "bare"})
        assert len({lui.validate(each, 12) for each in found}) == 1000
        found = draw(there, "cooldoi", number="3", **{"as": "prefix"})
        assert [cooldoi.is_valid(each.removeprefix("10.5072/")) for each in found] == [True] * 3
        found = draw(there, "pilin", **{"as": "resolver"})
        assert all(pilin.is_valid(each.removeprefix("https://hdl.handle.net/102.100.272/")) for each in found)
        found = draw(there, "noid", **{"as": "resolver"})
        assert all(noid.is_valid(each.removeprefix("https://n2t.net/ark:99999/fk4"), NOIDS) for each in found)
        found = draw(there, "uuid", version="4", **{"as": "service"})
        assert all(uuid.is_valid(each.removeprefix(f"{there.server.url}/lid:"), (4,)) for each in found)
        found = draw(there, "ror", **{"as": "bare"})
        assert all(ror.is_valid(each) for each in found)
        found = draw(there, "contextual", namespace="fabio", objectType="Poster", issued="2018-11-12")
        assert [contextual.parse(each).object_type for each in found] == ["Poster"] * 3

    def test_the_digest_of_a_file_is_computed(self, there: Visit, tmp_path: Path) -> None:
        file = tmp_path / "content"
        file.write_bytes(b"123")
        there.page.select_option("#scheme", "sha256")
        there.page.set_input_files("#files", file)
        assert draw(there, "sha256", **{"as": "bare"}) == [digest.calc_digest(b"123")]

    def test_the_last_input_is_shown_however_long_a_digest_takes(self, there: Visit, tmp_path: Path) -> None:
        file = tmp_path / "content"
        file.write_bytes(b"123")
        page = there.page
        page.evaluate("() => { crypto.subtle.digest = () => new Promise((done) => { globalThis.late = done }) }")
        page.select_option("#scheme", "sha256")
        page.set_input_files("#files", file)
        page.click("#draw-form button[type=submit]")
        page.wait_for_function("() => Boolean(globalThis.late)")
        found = draw(there, "lui", number="5")
        page.evaluate("() => globalThis.late(new ArrayBuffer(32))")
        assert page.locator("#drawn").inner_text().splitlines() == found

    def test_a_failed_generation_is_reported(self, there: Visit) -> None:
        page = there.page
        page.select_option("#scheme", "noid")
        page.fill("#template", "reek")
        page.click("#draw-form button[type=submit]")
        expect(page.locator("#draw-message")).to_contain_text("A template is")
        expect(page.locator("#drawn-result")).to_be_hidden()
        page.fill("#template", ".rd")
        page.fill("#number", "11")
        page.click("#draw-form button[type=submit]")
        expect(page.locator("#draw-message")).to_contain_text("only 10 of them")
        page.select_option("#scheme", "sha256")
        page.click("#draw-form button[type=submit]")
        expect(page.locator("#draw-message")).to_contain_text("Choose a file")
        page.select_option("#scheme", "lui")
        page.select_option("#as", "prefix")
        page.click("#draw-form button[type=submit]")
        expect(page.locator("#draw-message")).to_contain_text("Without a prefix")
        page.select_option("#scheme", "noid")
        page.select_option("#as", "resolver")
        page.fill("#template", ".rd")
        page.fill("#number", "1")
        page.fill("#under", "99999")
        page.click("#draw-form button[type=submit]")
        expect(page.locator("#draw-message")).to_contain_text("Only identifiers whose prefix begins with ark:")

    def test_only_what_its_resolver_knows_has_an_address_there(self, there: Visit) -> None:
        option = there.page.locator("#draw-resolver")
        for scheme, host in (("cooldoi", "doi.org"), ("noid", "n2t.net"), ("pilin", "hdl.handle.net")):
            there.page.select_option("#scheme", scheme)
            expect(option).to_have_text(f"URLs at {host}")
            assert not option.is_disabled()
        for scheme in ("lui", "uuid", "ror", "sha256"):
            there.page.select_option("#scheme", scheme)
            assert option.is_disabled()

    def test_without_a_prefix_they_are_generated_alone(self, there: Visit) -> None:
        assert there.page.input_value("#under") == ""
        assert all(map(lui.is_valid, draw(there, "lui", number="3")))
        there.go(f"{PAGE}?prefix=demo")
        assert there.page.input_value("#under") == "demo"
        assert all(each.startswith("demo:") for each in draw(there, "lui", number="3"))

    def test_they_are_downloaded_as_text(self, there: Visit) -> None:
        found = draw(there, "lui", number="5")
        with there.page.expect_download() as download:
            there.page.click("#drawn-download")
        assert download.value.suggested_filename == "lui.txt"
        assert download.value.path().read_text(encoding="utf-8").splitlines() == found

    def test_the_service_gets_no_request(self, there: Visit) -> None:
        there.page.wait_for_load_state("networkidle")
        requested: list[str] = []
        there.context.on("request", lambda request: requested.append(request.url))
        draw(there, "lui")
        draw(there, "uuid")
        assert requested == []


class TestMinting:
    @pytest.fixture
    def there(self, visit: Visit) -> Iterator[Visit]:
        visit.go(PAGE)
        yield visit
        assert visit.page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]
        assert visit.server.key not in visit.page.url

    def test_a_record_is_minted_and_its_page_opens(self, there: Visit) -> None:
        fill(there, what="A thing", who="Somebody", when="2025")
        mint(there)
        (pid,) = pids(there)
        expect(there.page.locator("#minted-qr img")).to_have_attribute("alt", f"QR code of {pid}")
        assert there.page.locator("#minted-qr img").evaluate(
            "async each => { await each.decode(); return each.naturalWidth }"
        )
        record = json.loads(there.server.request("GET", f"{pid[len(there.server.url) :]}?format=linkid").text)
        assert record["records"][0]["uri"] == URI
        assert record["metadata"] == {"what": "A thing", "who": "Somebody", "when": "2025"}
        there.page.click("#minted a")
        there.page.wait_for_url(f"{pid}?format=html")
        expect(there.page.locator("h1")).to_contain_text("A thing")

    def test_pressed_twice_it_mints_once_and_another_is_another(self, there: Visit) -> None:
        fill(there)
        mint(there)
        (first,) = pids(there)
        mint(there)
        assert pids(there) == [first]
        there.page.click("#mint-again")
        expect(there.page.locator("#uri")).to_be_focused()
        expect(there.page.locator("#minted-result")).to_be_hidden()
        fill(there)
        mint(there)
        assert pids(there) != [first]

    def test_a_request_without_a_response_is_repeated(self, there: Visit) -> None:
        names: list[str | None] = []

        def lose(route: Route) -> None:
            names.append(route.request.headers.get("idempotency-key"))
            if len(names) == 1:
                route.fetch()  # the service mints, and nobody hears of it
                route.abort()
            else:
                route.continue_()

        there.page.route("**/api/v1/records", lose)
        fill(there, what="Lost")
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text("did not answer")
        there.requests_fail = True
        mint(there)
        assert len(pids(there)) == 1
        assert names[0]
        assert names == [names[0]] * 2

    @pytest.mark.parametrize(
        ("status", "body", "said"),
        [
            (502, "<h1>Bad gateway", "The answer did not come from the service (status 502)"),
            (200, "<p>Welcome", "The answer did not come from the service (status 200)"),
            (200, "", "The service sent an unexpected answer"),
            (429, "{}", "The service is not available at the moment."),
        ],
    )
    def test_an_error_of_a_proxy_is_reported_as_a_sentence(
        self, there: Visit, status: int, body: str, said: str
    ) -> None:
        there.page.route("**/api/v1/records", lambda route: route.fulfill(status=status, body=body))
        fill(there)
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text(said)
        there.requests_fail = True

    @pytest.mark.parametrize(
        "answer", [[], {}, 5, "x", [None], {"pid": "javascript:alert(1)", "status": "active", "version": 1}]
    )
    def test_nothing_is_called_minted_without_a_record_in_the_response(self, there: Visit, answer: object) -> None:
        there.page.route("**/api/v1/records", lambda route: route.fulfill(status=201, body=json.dumps(answer)))
        fill(there)
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text(
            "an unexpected answer. The change may or may not have been made"
        )
        expect(there.page.locator("#minted-result")).to_be_hidden()
        expect(there.page.locator("#mint-button")).not_to_have_attribute("aria-disabled", "true")

    @pytest.mark.parametrize(
        "answer", [[], {}, 5, "x", [None, None], [{"status": 201}] * 2, [{"problem": {"detail": "No"}}]]
    )
    def test_no_batch_is_called_minted_without_what_became_of_each(self, there: Visit, answer: object) -> None:
        there.page.route("**/api/v1/records/batch", lambda route: route.fulfill(status=200, body=json.dumps(answer)))
        fill(there, uri=f"{URI}/1\n{URI}/2")
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text(
            "an unexpected answer. The change may or may not have been made"
        )
        expect(there.page.locator("#minted-result")).to_be_hidden()
        assert there.page.input_value("#uri") == f"{URI}/1\n{URI}/2"

    @pytest.mark.parametrize(
        "problem",
        [
            {"errors": [None]}, {"errors": 5, "type": 1}, {"errors": [{"pointer": "constructor"}]}, None, [],
            {"errors": [{"pointer": "constructor", "detail": "is wrong"}]}, {"type": "/unknown-prefix"},
        ],
    )  # fmt: skip
    def test_a_refusal_of_any_form_is_reported(self, there: Visit, problem: object) -> None:
        there.page.route("**/api/v1/records", lambda route: route.fulfill(status=422, body=json.dumps(problem)))
        fill(there)
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text("is invalid")
        expect(there.page.locator("#mint-button")).not_to_have_attribute("aria-disabled", "true")
        there.requests_fail = True

    def test_a_wrong_key_is_reported_at_its_field(self, there: Visit) -> None:
        fill(there, key="cool_nobody_nothing")
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text("API key is invalid")
        expect(there.page.locator("#key")).to_have_attribute("aria-invalid", "true")
        expect(there.page.locator("#key")).to_be_focused()
        there.page.fill("#key", "a key with spaces")
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text("not an API key")

    def test_an_address_that_is_refused_is_reported_at_its_field(self, there: Visit) -> None:
        fill(there, uri="ftp://files.example.org/x")
        mint(there)
        expect(there.page.locator("#uri-wrong")).to_be_visible()
        expect(there.page.locator("#uri-wrong")).to_have_text("It must begin with https:// or http://.")
        expect(there.page.locator("#uri")).to_be_focused()
        expect(there.page.locator("#uri")).to_have_attribute("aria-invalid", "true")
        assert there.violations() == []
        there.page.fill("#uri", URI)
        mint(there)
        expect(there.page.locator("#uri-wrong")).to_be_hidden()
        assert len(pids(there)) == 1

    def test_a_prefix_that_does_not_exist_is_reported_at_its_field(self, there: Visit) -> None:
        fill(there, prefix="nobodys")
        mint(there)
        expect(there.page.locator("#prefix-wrong")).to_have_text("No prefix 'nobodys' is registered here.")
        expect(there.page.locator("#prefix")).to_be_focused()

    def test_a_mistyped_chosen_identifier_is_reported_at_its_field(self, there: Visit) -> None:
        there.page.click("summary")
        fill(there, chosen="tw0t-ywdj-95")
        mint(there)
        expect(there.page.locator("#chosen-wrong")).to_contain_text("check digits")
        fill(there, chosen="tw0t-ywdj-94")
        mint(there)
        expect(there.page.locator("#chosen-wrong")).to_contain_text("exists")

    def test_many_are_minted_each_for_itself(self, there: Visit) -> None:
        fill(there, uri=f"{URI}/1\nftp://files.example.org/x\n\n{URI}/3\n")
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text("2 of 3")
        assert len({*pids(there)}) == 2
        expect(there.page.locator("#unminted li")).to_contain_text("ftp://files.example.org/x was not minted")
        assert there.page.input_value("#uri") == "ftp://files.example.org/x"
        copied = (there.page.locator("#minted").text_content() or "").strip().splitlines()
        assert copied == [f"{pid}\t{URI}/{number}" for pid, number in zip(pids(there), (1, 3), strict=True)]

    def test_lines_of_a_spreadsheet_have_titles_of_their_own(self, there: Visit) -> None:
        fill(there, uri=f"{URI}/1\tTea\tLee, Ann\t2024\n{URI}/2", what="Coffee")
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text("2")
        found = [there.page.request.get(f"{pid}?format=linkid").json()["metadata"] for pid in pids(there)]
        assert found == [{"who": "Lee, Ann", "what": "Tea", "when": "2024"}, {"what": "Coffee"}]

    def test_what_is_reserved_has_no_page_yet(self, there: Visit) -> None:
        there.page.click("summary")
        fill(there)
        there.page.check("#reserved")
        mint(there)
        expect(there.page.locator("#mint-message")).to_contain_text("Reserved")
        assert pids(there) == []
        expect(there.page.locator("#minted li")).to_contain_text(f"{there.server.url}/2021/06/demo/")

    def test_the_link_from_a_prefix_fills_in_the_form(self, there: Visit) -> None:
        there.go(f"{PAGE}?prefix={quote('2021/06/demo', safe='')}")
        assert there.page.input_value("#prefix") == "2021/06/demo"


def test_a_page_at_another_origin_says_where_to_mint(visit: Visit) -> None:
    other = visit.server.url.replace("127.0.0.1", "localhost")
    visit.wrongs.clear()
    visit.page.goto(other + PAGE)
    expect(visit.page.locator("#mint-elsewhere")).to_be_visible()
    expect(visit.page.locator("#mint-form")).to_be_hidden()
    expect(visit.page.locator("#mint-elsewhere a")).to_have_attribute("href", visit.server.url + PAGE)
    visit.wrongs[:] = [each for each in visit.wrongs if not each.startswith(f"asked for {other}")]


def test_without_scripts_it_says_what_it_would_do_and_how_to_do_it_otherwise(visiting: Visiting) -> None:
    visit = visiting(java_script_enabled=False)
    assert visit.go(PAGE) == 200
    page = visit.page
    expect(page.get_by_text("which do not run in your browser")).to_be_visible()
    expect(page.locator("#mint-form")).to_be_hidden()
    expect(page.locator("#draw-form")).to_be_hidden()
    expect(page.get_by_text("coolid mint --url")).to_be_visible()
    expect(page.get_by_text("Idempotency-Key:")).to_be_visible()
