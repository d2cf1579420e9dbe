"""The proof of a record, verified on its page: the verdict is plain, and false records are found out."""

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from coolid.http.public.discovery import log_description
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.tiles import CHECKPOINT, TileReader
from tests.browser.conftest import Visit, Visiting
from tests.support.builders.published_log import POLICY, publish
from tests.support.builders.signed_documents import Key, key_set

Change = Callable[[dict[str, Any]], Any]
"""What somebody on the way makes of a document."""


def minted(visit: Visit, changes: int = 0, **members: Any) -> str:
    """The path of the page of a new record, with so many versions more."""
    record = visit.server.mint(**{"metadata": {"what": "The Émigré Papers"}} | members).json()
    path = str(record["pid"]).removeprefix(visit.server.url)
    for number in range(changes):
        change(visit, path, "PATCH", {"metadata": {"when": str(number)}})
    return f"{path}?format=html"


def change(visit: Visit, path: str, method: str, document: Any) -> None:
    """A new version, or the tombstone."""
    headers = {"Authorization": f"Bearer {visit.server.key}"}
    stored = f"/api/v1/records{path}"
    tag = visit.server.request("GET", stored, headers=headers).headers["etag"]
    changed = visit.server.request(method, stored, json.dumps(document).encode(), headers | {"If-Match": tag})
    assert changed.status == 200, changed


def tamper(visit: Visit, part: str, change: Change) -> None:
    """Stand on the way, and change every JSON document whose address has this in it."""

    def changed(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=json.dumps(change(answer.json())))

    visit.context.route(lambda url: part in url, changed)


def verdict(visit: Visit) -> Locator:
    return visit.page.locator("#proof [data-part=verdict]")


def steps(visit: Visit) -> list[str]:
    """What was checked, whether it held or not."""
    return visit.page.locator("#proof .checks li").all_text_contents()


def other(text: str) -> str:
    """The same with another letter at its beginning."""
    return ("A" if text[0] != "A" else "B") + text[1:]


class TestGenuine:
    def test_a_record_is_found_genuine_by_itself_and_every_step_is_reported(self, visit: Visit) -> None:
        assert visit.go(minted(visit)) == 200
        expect(verdict(visit)).to_contain_text(
            f"Genuine: the record of this page is exactly what {visit.server.url} signed on"
        )
        expect(verdict(visit)).to_contain_text("texts and links of this page match the record")
        returned = steps(visit)
        assert len(returned) == 11
        assert all(step.startswith("Passed:") for step in returned)
        assert visit.violations() == []
        visit.page.get_by_text("Checks of this page").click()
        visit.page.get_by_text("Check it yourself").click()
        assert visit.violations() == []

    def test_it_is_checked_against_the_version_before_and_on_demand_against_all(self, visit: Visit) -> None:
        visit.go(minted(visit, changes=3))
        expect(verdict(visit)).to_contain_text("Genuine:")
        assert any("Versions 3 to 4 form a chain" in step for step in steps(visit))
        visit.page.get_by_role("button", name="Check 4 versions").click()
        expect(visit.page.locator("#proof .checks")).to_contain_text("Versions 1 to 4 form a chain")
        expect(visit.page.get_by_role("button", name="Check 4 versions")).to_have_count(0)
        expect(verdict(visit)).to_contain_text("Genuine:")
        assert visit.violations() == []

    def test_an_older_version_is_checked_as_that_version(self, visit: Visit) -> None:
        visit.go(minted(visit, changes=2) + "&version=2")
        expect(verdict(visit)).to_contain_text("Genuine:")
        assert any("It is version 2 of" in step for step in steps(visit))

    def test_a_tombstone_is_genuine_too(self, visit: Visit) -> None:
        page = minted(visit)
        change(visit, page.partition("?")[0], "DELETE", {"reason": "It was wrong"})
        assert visit.go(page) == 410
        expect(verdict(visit)).to_contain_text("Genuine: the withdrawal is exactly what")
        assert visit.violations() == []

    def test_a_record_that_was_reserved_before_is_genuine(self, visit: Visit) -> None:
        record = visit.server.mint(status="reserved").json()
        path = record["pid"].removeprefix(visit.server.url)
        change(visit, path, "PATCH", {"status": "active"})
        visit.go(f"{path}?format=html")
        expect(verdict(visit)).to_contain_text("Genuine:")
        assert any("is not public" in step for step in steps(visit))

    def test_without_scripts_it_is_said_how_to_check_it(self, visiting: Visiting) -> None:
        visit = visiting(java_script_enabled=False)
        page = minted(visit)
        visit.go(page)
        expect(visit.page.locator("#proof")).to_contain_text(
            f"coolid verify {visit.server.url}{page.partition('?')[0]}"
        )
        expect(verdict(visit)).to_be_hidden()
        expect(visit.page.locator("#proof button")).to_be_hidden()


class TestNotGenuine:
    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (lambda record: record | {"metadata": {"what": "Another title"}}, "changed afterwards"),
            (lambda record: record | {"records": []}, "changed afterwards"),
            (lambda record: record | {"status": "withdrawn"}, "changed afterwards"),
            (lambda record: record | {"version": 3}, "signed version differs from that of the record"),
            (lambda record: record | {"proof": None}, "There is no signature"),
            (lambda record: record | {"proof": record["proof"] + "="}, "not a compact JWS"),
            (
                lambda record: record | {"proof": record["proof"][:-86] + other(record["proof"][-86:])},
                "The signature is invalid",
            ),
            (lambda record: [record], "not a JSON object"),
        ],
        ids=range(8),
    )
    def test_an_altered_record_is_found_out_with_the_reason(self, visit: Visit, change: Change, why: str) -> None:
        tamper(visit, "format=linkid&version=2", change)
        visit.go(minted(visit, changes=1))
        expect(verdict(visit)).to_contain_text("Not genuine:")
        returned = steps(visit)
        assert any(step.startswith("Failed:") and why in step for step in returned), returned
        assert visit.violations() == []

    def test_a_proof_of_another_algorithm_is_found_out(self, visit: Visit) -> None:
        def unsigned(record: dict[str, Any]) -> Any:
            _, payload, _ = record["proof"].split(".")
            header = urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
            return record | {"proof": f"{header}.{payload}."}

        tamper(visit, "format=linkid", unsigned)
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text("Not genuine: The algorithm of the signature is none")

    def test_another_key_with_the_same_id_is_detected(self, visit: Visit) -> None:
        def swapped(keys: dict[str, Any]) -> Any:
            (key, *_) = keys["keys"]
            return {"keys": [key | {"x": key["y"], "y": key["x"]}]}

        tamper(visit, "jwks.json", swapped)
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text("Not genuine: The key set contains a different key under the name")

    def test_a_version_before_that_was_altered_is_found_out(self, visit: Visit) -> None:
        tamper(visit, "format=linkid&version=1", lambda record: record | {"metadata": {}})
        visit.go(minted(visit, changes=1))
        expect(verdict(visit)).to_contain_text("Not genuine: In version 1: The record is not the signed one")
        assert any("Version 2 names a different predecessor" in step for step in steps(visit))

    def test_a_genuine_record_of_another_identifier_is_found_out(self, visit: Visit) -> None:
        another = visit.server.mint().json()
        tamper(visit, "format=linkid", lambda _: another)
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text(
            f"Not genuine: This is the record of another identifier, {another['pid']}"
        )

    def test_a_page_of_another_state_than_the_record_is_found_out(self, visit: Visit) -> None:
        path = minted(visit)

        def altered(route: Route) -> None:
            answer = route.fetch()
            body = re.sub(r'(data-statement="[^"]*)[^"]"', r'\1_"', answer.text())
            route.fulfill(response=answer, body=body)

        visit.context.route(visit.server.url + path, altered)
        visit.go(path)
        expect(verdict(visit)).to_contain_text(
            "Not genuine: This page does not match the record that the service returned"
        )


class TestLog:
    """A log in front of the service, with the versions of the record that the page requests."""

    @staticmethod
    def serve(visit: Visit, page: str, *, policy: str = POLICY, left_out: bool = False) -> None:
        """Answer for a log with the current version, or with another version in its place."""
        path = page.partition("?")[0]
        record = visit.server.request("GET", f"{path}?format=linkid").json()
        entries = {"a": b"a.b.c", "version": b"d.e.f" if left_out else record["proof"].encode(), "b": b"g.h.i"}
        log = publish(entries, visit.server.url, policy)
        hashes = TileReader(len(entries), log.files.read).inclusion_proof(1)
        proof = InclusionProof(1, tuple(hashes), log.files.read([CHECKPOINT])[CHECKPOINT]).to_bytes()
        visit.context.route(lambda url: "format=tlog-proof" in url, lambda route: route.fulfill(body=proof))
        described = log_description(log, visit.server.url)
        tamper(visit, "linkid-resolver", lambda document: document | {"log": described})

    @staticmethod
    def log(visit: Visit) -> Locator:
        return visit.page.locator("#proof [data-part=log]")

    def test_a_version_in_the_log_is_found_there_with_what_that_means(self, visit: Visit) -> None:
        page = minted(visit)
        self.serve(visit, page)
        visit.go(page)
        origin = visit.server.url.partition("://")[2]
        expect(self.log(visit)).to_have_text(
            f"In the public log: it is at index 1 of the 3 entries of {origin}/log, so that showing others a different "
            "version would leave evidence; the log does not say that the content is true. "
            "One witness signed this state of the log, too. Proof of inclusion"
        )
        expect(verdict(visit)).to_contain_text("Genuine:")
        assert visit.violations() == []

    def test_without_witnesses_the_page_says_so(self, visit: Visit) -> None:
        page = minted(visit)
        self.serve(visit, page, policy="")
        visit.go(page)
        expect(self.log(visit)).to_contain_text("No witness signed this state of the log.")

    def test_a_version_that_the_log_lacks_is_not_to_be_relied_on(self, visit: Visit) -> None:
        page = minted(visit)
        self.serve(visit, page, left_out=True)
        visit.go(page)
        expect(self.log(visit)).to_contain_text("Not proven to be in the public log: The proof leads to another entry")
        expect(verdict(visit)).to_contain_text("Genuine:")

    def test_a_browser_without_ed25519_says_what_it_could_not_check(self, visit: Visit) -> None:
        page = minted(visit)
        self.serve(visit, page)
        visit.page.add_init_script(
            """const own = crypto.subtle.importKey.bind(crypto.subtle);
            crypto.subtle.importKey = (form, key, algorithm, ...more) => algorithm.name === "Ed25519"
              ? Promise.reject(new DOMException("", "NotSupportedError")) : own(form, key, algorithm, ...more);"""
        )
        visit.go(page)
        expect(self.log(visit)).to_contain_text("Log not checked completely: it is at index 1 of the 3 entries")

    def test_a_version_that_waits_is_said_to_wait(self, visit: Visit) -> None:
        page = minted(visit)
        self.serve(visit, page)
        visit.requests_fail = True
        visit.context.route(lambda url: "format=tlog-proof" in url, lambda route: route.fulfill(status=503, body="{}"))
        visit.page.clock.install()
        visit.go(page)
        expect(self.log(visit)).to_contain_text("Not in the public log yet: new versions are added within two minutes.")
        visit.context.unroute_all()
        self.serve(visit, page)
        visit.page.clock.fast_forward(15_000)
        expect(self.log(visit)).to_contain_text("In the public log: it is at index 1")


NAUGHTY = (
    *(
        "a\r\nb\rc\n",
        "\0nul\0",
        "\t tabs \t",
        "<b>&amp;</b>",
        "\u202eright to left",
        "e\u0301",
        "\ufeffmark",
        "\u0085\u2028",
    ),
    *(
        "https://example.org/a b",
        "https://example.org/%zz?q=ä#x",
        "HTTPS://EXAMPLE.org:443/../a",
        "http://[bad",
        "…",
        "x…" * 130,
    ),
    *(
        "y" * 500,
        "z\r\n" * 200,
        "https://example.org/" + "path/" * 90,
        "https://ex\\ample.org/",
        "https://münchen.example/ß",
    ),
)
"""Texts that HTML or addresses have in another form."""


class TestWhatIsShown:
    """The page, altered on the wire, while the record is genuine."""

    LOCATIONS = ("https://content.example.org/papers.pdf", "https://content.example.org/table.csv")

    @staticmethod
    def replaced(visit: Visit, path: str, *changes: tuple[str, str], instead: str | None = None) -> None:
        """Open a page in whose HTML, or in that of another page, something was replaced."""

        def altered(route: Route) -> None:
            answer = route.fetch(url=visit.server.url + (instead or path))
            body = answer.text()
            for old, new in changes:
                assert old in body
                body = body.replace(old, new)
            route.fulfill(response=answer, body=body)

        visit.context.route(visit.server.url + path, altered)
        visit.go(path)

    def rich(self, visit: Visit) -> str:
        metadata = {
            "what": "The Émigré Papers",
            "who": ["Lee, Ann", "Doe, Bo"],
            "description": "It is long. " * 60,
            "license": "https://licenses.example.org/one",
        }
        page = minted(visit)
        places = [{"uri": each} for each in self.LOCATIONS]
        change(visit, page.partition("?")[0], "PUT", {"metadata": metadata, "records": places})
        return page

    def test_all_that_is_marked_is_found_as_the_record_has_it(self, visit: Visit) -> None:
        visit.go(self.rich(visit))
        expect(verdict(visit)).to_contain_text("Genuine:")
        expect(verdict(visit)).to_contain_text("10 texts and links")

    @pytest.mark.parametrize(
        ("old", "new", "returned"),
        [
            (
                ">The Émigré Papers</h1>",
                ">The Forged Papers</h1>",
                "“The Forged Papers”, but the record says “The Émi",
            ),
            (">Doe, Bo<", ">Doe, Eve<", "shows “Doe, Eve”"),
            (
                'href="https://content.example.org/t',
                'href="https://evil.example/t',
                "shows “https://evil.example/table.c",
            ),
            (">https://content.example.org/t", ">https://evil.example/t", "shows “https://evil.example/table.c"),
            (
                '<ul class="places">',
                '<ul class="places"><li><a href="https://evil.example/">x</a>',
                "https://evil.example/",
            ),
            (
                'class="button" href="http',
                'class="button" href="https://evil.example/?http',
                "shows “https://evil.example",
            ),
            ('href="https://licenses.example.org/one', 'href="https://licenses.example.org/two', "/two”"),
            ("It is long. It", "It is short. It", "This page shows"),
        ],
        ids=range(8),
    )
    def test_alterations_are_detected_and_reported(self, visit: Visit, old: str, new: str, returned: str) -> None:
        self.replaced(visit, self.rich(visit), (old, new))
        expect(verdict(visit)).to_contain_text("Not genuine: This page shows")
        expect(verdict(visit)).to_contain_text(returned)
        assert visit.violations() == []

    def test_a_withdrawal_is_compared_too(self, visit: Visit) -> None:
        page = minted(visit)
        change(visit, page.partition("?")[0], "DELETE", {"reason": "It was wrong", "successor": "https://new.example/"})
        for old, new in (
            (">It was wrong<", ">It was fine<"),
            ("https://new.example/<", "https://evil.example/<"),
            ('<p class="first">This was withdrawn on <time ', '<p class="first"><time title="'),
        ):
            self.replaced(visit, page, (old, new))
            expect(verdict(visit)).to_contain_text("Not genuine:")
            visit.context.unroute_all()
        visit.go(page)
        expect(verdict(visit)).to_contain_text("Genuine: the withdrawal")

    def test_the_page_of_another_record_is_not_called_genuine(self, visit: Visit) -> None:
        mine, other = minted(visit), minted(visit)
        self.replaced(visit, mine, instead=other)
        expect(verdict(visit)).to_contain_text(f"Not checked: this is the record of {visit.server.url}{other[:9]}")

    def test_the_page_of_another_version_is_not_called_genuine(self, visit: Visit) -> None:
        page = minted(visit, changes=1)
        self.replaced(visit, f"{page}&version=2", instead=f"{page}&version=1")
        expect(verdict(visit)).to_contain_text("Not genuine: The address of this page requests version 2, but this is")

    @pytest.mark.parametrize("spelling", [str.upper, lambda name: name.replace("-", ""), lambda name: name])
    def test_another_spelling_of_the_address_is_understood(self, visit: Visit, spelling: Callable[[str], str]) -> None:
        name = minted(visit).partition("?")[0].rpartition("/")[2]
        assert visit.go(f"/DEMO:{spelling(name)}?info") == 200
        expect(verdict(visit)).to_contain_text("Genuine:")

    @pytest.mark.parametrize(
        ("method", "document", "returned"),
        [
            (
                "PATCH",
                {"metadata": {"what": "Another"}},
                "The record was changed after this page was made. Current version",
            ),
            (
                "DELETE",
                {"reason": "It was wrong"},
                "The record was withdrawn after this page was made. Current version",
            ),
        ],
    )
    def test_a_cached_page_reports_a_newer_version(
        self, visit: Visit, method: str, document: dict[str, str], returned: str
    ) -> None:
        page = minted(visit)
        stored = visit.server.request("GET", page, headers={"Accept": "text/html"}).text
        change(visit, page.partition("?")[0], method, document)
        visit.context.route(visit.server.url + page, lambda route: route.fulfill(content_type="text/html", body=stored))
        visit.go(page)
        expect(visit.page.locator("#proof")).to_contain_text(returned)
        expect(verdict(visit)).to_contain_text("Genuine:")
        assert visit.violations() == []
        visit.page.get_by_role("link", name="Current version").click()
        expect(verdict(visit)).to_contain_text("Genuine:")
        expect(visit.page.get_by_role("link", name="Current version")).to_have_count(0)

    def test_texts_of_all_kinds_are_compared_without_a_false_alarm(self, visit: Visit) -> None:
        metadata = {f"a/b~{number}": [text, "plain"] for number, text in enumerate(NAUGHTY)}
        wide = {
            "what": "  A title \r\n of two lines" + " and more" * 60,
            "where": "https://example.org/ü [x]",
            "how": "",
        }
        visit.go(minted(visit, metadata=metadata | wide))
        expect(verdict(visit)).to_contain_text("Genuine:")
        for text in NAUGHTY[:3]:
            visit.go(minted(visit, metadata={"what": text, "title": text}))
            expect(verdict(visit)).to_contain_text("Genuine:")

    def test_the_record_is_requested_once_more_and_not_again(self, visit: Visit) -> None:
        requested: list[str] = []
        visit.context.on("request", lambda each: requested.append(each.url.rpartition("?")[2]))
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text("Genuine:")
        visit.page.wait_for_load_state("networkidle")
        assert sorted(each for each in requested if "format=linkid" in each) == [
            "format=linkid",
            "format=linkid&version=1",
        ]


class TestNotChecked:
    def test_a_record_of_an_unknown_key_is_not_judged(self, visit: Visit) -> None:
        tamper(visit, "jwks.json", lambda _: {"keys": []})
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text("Not checked: its signing key is not among those")
        assert any(step.startswith("Failed:") and "key set" in step for step in steps(visit))
        assert visit.violations() == []

    @pytest.mark.parametrize("part", ["jwks.json", "format=linkid"])
    def test_it_shows_that_the_service_does_not_answer(self, visit: Visit, part: str) -> None:
        visit.context.route(lambda url: part in url, lambda route: route.fulfill(status=503, body="{}"))
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text("Not checked: the service cannot answer at the moment (status 503)")
        assert visit.violations() == []

    def test_it_is_said_that_there_is_no_connection(self, visit: Visit) -> None:
        visit.context.route(lambda url: "format=linkid" in url, lambda route: route.abort())
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text("Not checked: the service did not answer")
        visit.requests_fail = True

    def test_a_response_that_never_ends_is_not_waited_for(self, visit: Visit) -> None:
        visit.context.add_init_script("AbortSignal.timeout = () => AbortSignal.abort()")  # the time is over at once
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text("Not checked: the service did not answer")

    @pytest.mark.parametrize("part", ["jwks.json", "format=linkid"])
    def test_what_is_not_sound_json_is_not_judged(self, visit: Visit, part: str) -> None:
        twice = '{"keys":[],"keys":[]}'
        visit.context.route(lambda url: part in url, lambda route: route.fulfill(status=200, body=twice))
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text("Not checked: the answer of the service is not unambiguous JSON")

    def test_it_is_said_that_the_connection_is_not_secure(self, visit: Visit) -> None:
        visit.context.add_init_script("Object.defineProperty(crypto, 'subtle', {value: undefined})")
        visit.go(minted(visit))
        expect(verdict(visit)).to_contain_text("Not checked: browsers support it only on https pages")

    @pytest.mark.parametrize(
        ("is_known", "said"),
        [
            (False, "Not checked: it was signed by https://elsewhere.example"),
            (
                True,
                "Signed here for another issuer: the record is unchanged since 10 July 2025, and the key belongs to",
            ),
        ],
    )
    def test_a_record_that_names_another_issuer_is_said_to_do_so(self, visit: Visit, is_known: bool, said: str) -> None:
        page = minted(visit)
        ours, theirs = visit.server.url, "https://elsewhere.example"
        record = visit.server.request("GET", f"{page.partition('?')[0]}?format=linkid").json()
        moved = Key().sign(json.loads(json.dumps(record).replace(ours, theirs)))
        members = {"pid": moved["pid"], "issuer": theirs, "statement": moved["proof"].split(".")[1]}

        def shown(route: Route) -> None:
            answer = route.fetch()
            text = answer.text().replace(str(record["pid"]), moved["pid"])
            body = re.sub(r'data-(pid|issuer|statement)="[^"]*', lambda had: f'data-{had[1]}="{members[had[1]]}', text)
            route.fulfill(response=answer, body=body)

        visit.context.route(ours + page, shown)
        tamper(visit, "jwks.json", lambda _: key_set(Key()) if is_known else {"keys": []})
        tamper(visit, "format=linkid", lambda _: moved)
        visit.go(page)
        expect(verdict(visit)).to_contain_text(said)
        assert visit.violations() == []
