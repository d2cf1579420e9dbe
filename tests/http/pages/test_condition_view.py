"""The page of a record whose locations are dead, failing or have moved; only the page shows this."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.model.conditions import DEGRADED, DOWN, UP, Condition
from coolid.model.records import INACTIVE, WITHDRAWN, Location, Withdrawal
from coolid.resolution.cache import RECORD_TTL
from tests.http.pages.test_record_page import KEY, OWNER, PLACE, Service, text_of
from tests.support.builders.samples import BASE_URL, LATER, MOMENT

GOOD = MOMENT - timedelta(days=4, hours=3)
DEAD = Condition(DOWN, MOMENT, "it answered 404", GOOD)
FORMS = ("linkid", "json", "linkset", "links", "jsonld", "ttl", "erc", "jws", "csl", "bibtex", "datacite", "citation")
APART = "It is not part of the record, and no signature covers it."


@pytest.fixture
def service() -> Service:
    return Service()


def tell(service: Service, version: int = 1, /, **conditions: Condition) -> None:
    """What is known of `PLACE` (`here`), or of other places below it by their names."""
    returned = {PLACE if name == "here" else f"{PLACE}/{name}": each for name, each in conditions.items()}
    assert service.store.set_record_condition(OWNER, KEY, version, returned)
    service.seconds += RECORD_TTL + 1


def places(*names: str) -> dict[str, Any]:
    return {"records": tuple(Location(f"{PLACE}/{name}" if name else PLACE) for name in names)}


def hrefs(page: str) -> list[str]:
    return [unescape(each) for each in re.findall('href="([^"]*)"', page.partition("<main")[2])]


class TestDead:
    def test_the_page_shows_the_time_the_reason_and_a_possible_copy(self, service: Service) -> None:
        service.put(places(""))
        tell(service, here=DEAD)
        page = service.page()
        returned = (
            f"Unreachable since 10 July 2025 , 14:22 UTC : {PLACE} ( it answered 404 ). "
            "Last reached: 6 July 2025 , 11:22 UTC . A web archive may have a copy:"
        )
        assert returned.replace(" ", "") in text_of(page).replace(" ", "")
        assert APART in text_of(page)
        assert f"https://web.archive.org/web/20250706112230/{PLACE}" in hrefs(page)

    def test_the_copy_is_of_the_archive_that_the_managers_have(self, service: Service) -> None:
        owner = replace(service.owner, archive="https://archive.example/of/")
        for name in ("2021/06/mp", "mp"):
            service.store.rows[name] = replace(service.store.rows[name], repository=owner)
        service.put(places(""))
        tell(service, here=replace(DEAD, good=None))
        assert f"https://archive.example/of/20250710142230/{PLACE}" in hrefs(service.page())
        assert "Last reached" not in service.page()

    def test_nobody_is_sent_to_the_copy_and_the_way_stays_what_it_was(self, service: Service) -> None:
        service.put(places(""))
        before = service.get("")
        tell(service, here=DEAD)
        after = service.get("")
        assert (after.status, after.headers["Location"]) == (302, PLACE)
        assert after.headers == before.headers
        assert PLACE in hrefs(service.page())

    def test_each_of_several_is_shown_once_and_not_all_of_many(self, service: Service) -> None:
        names = [f"p{at}" for at in range(8)]
        service.put(places(*names, "p0", "fine"))
        tell(service, fine=Condition(UP, MOMENT), **dict.fromkeys(names, DEAD))
        page = service.page()
        copies = [each for each in hrefs(page) if each.startswith("https://web.archive.org/")]
        assert copies == [f"https://web.archive.org/web/20250706112230/{PLACE}/p{at}" for at in range(5)]


class TestLess:
    def test_an_occasional_failure_is_shown_without_a_copy(self, service: Service) -> None:
        service.put(places(""))
        tell(service, here=Condition(DEGRADED, MOMENT, "it answered 500", GOOD))
        page = service.page()
        assert "Sometimes unreachable since" in page
        assert "Unreachable" not in page
        assert "web.archive.org" not in page

    def test_what_moved_leads_where_its_server_says(self, service: Service) -> None:
        service.put(places(""))
        tell(service, here=Condition(UP, MOMENT, moved="https://new.example/?a=1&b=<x>".replace("<x>", "%3Cx%3E")))
        page = service.page()
        assert "Its server redirects permanently to:" in page
        assert "https://new.example/?a=1&b=%3Cx%3E" in hrefs(page)
        assert "Unreachable" not in page

    @pytest.mark.parametrize(
        ("moved", "returned"),
        [
            ("javascript:alert(1)", "javascript:alert(1)"),
            ("https://a@evil.example/", "https://a@evil.example/"),
            ("https://e\u202e.example/", "https://e⟨U+202E⟩.example/"),
            ("<b>", "&lt;b&gt;"),
        ],
    )
    def test_what_is_no_target_is_not_led_to(self, service: Service, moved: str, returned: str) -> None:
        service.put(places(""))
        tell(service, here=Condition(UP, MOMENT, moved=moved))
        page = service.page()
        assert f"Its server redirects permanently to: <code>{returned}</code>" in page
        assert moved not in hrefs(page)

    def test_a_reason_is_text(self, service: Service) -> None:
        service.put(places(""))
        tell(service, here=replace(DEAD, reason="<img src=x>\x1b\u202e"))
        page = service.page()
        assert "<img src=x>" not in page
        assert "&lt;img src=x&gt;⟨U+001B⟩⟨U+202E⟩" in page


class TestNothing:
    def test_addresses_that_are_up_or_unchecked_are_not_shown(self, service: Service) -> None:
        service.put(places(""))
        before = service.page()
        tell(service, here=Condition(UP, MOMENT), other=DEAD)
        assert service.page() == before

    def test_of_what_is_not_in_use(self, service: Service) -> None:
        over = Location(f"{PLACE}/over", valid_until="2020-01-01T00:00:00Z")
        old, soon = (
            Location(f"{PLACE}/old", status=INACTIVE),
            Location(f"{PLACE}/soon", valid_from="2999-01-01T00:00:00Z"),
        )
        service.put({"records": (Location(PLACE), over, old, soon)})
        before = service.page()
        tell(service, over=DEAD, old=DEAD, soon=DEAD)
        assert service.page() == before

    def test_of_a_version_and_a_tombstone(self, service: Service) -> None:
        service.put(places(""), places(""))
        versions = [service.page(f"format=html&version={number}") for number in (1, 2)]
        tell(service, 2, here=DEAD)
        assert [service.page(f"format=html&version={number}") for number in (1, 2)] == versions
        current = service.store.records_by_key[OWNER, KEY]
        gone = replace(current, version=3, status=WITHDRAWN, withdrawn=Withdrawal(LATER, "It was wrong"))
        service.store.replace_record(gone, current)
        tell(service, 3, here=DEAD)
        assert APART not in service.page("")


class TestApart:
    def test_no_form_of_the_record_changes_and_no_tag_of_one(self, service: Service) -> None:
        service.put({**places(""), "metadata": {"what": "Tea", "who": "Lee, Ann", "when": "2024", "how": "Text"}})
        written = service.store.records_by_key[OWNER, KEY].to_document()
        before = {form: service.get(f"format={form}", None) for form in FORMS}
        page = service.get()
        tell(service, here=replace(DEAD, since=MOMENT + timedelta(days=2)))
        after = {form: service.get(f"format={form}", None) for form in FORMS}
        assert after == before
        assert {each.status for each in after.values()} <= {200, 204, 406}
        assert service.store.records_by_key[OWNER, KEY].to_document() == written
        returned = service.get()
        assert returned.headers["ETag"] != page.headers["ETag"]
        assert returned.headers["Last-Modified"] == "Sat, 12 Jul 2025 14:22:30 GMT" != page.headers["Last-Modified"]

    def test_what_is_signed_does_not_change(self, service: Service) -> None:
        signed = service.put({**places(""), "proof": "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"})
        tell(service, here=DEAD)
        assert service.store.records_by_key[OWNER, KEY] == signed
        assert f'data-statement="{str(signed.proof).split(".")[1]}"' in service.page()

    def test_scripts_hold_nothing_of_it_against_the_record(self, service: Service) -> None:
        """A link among the places that names no place in the record would be taken for a forged one."""
        service.put(places(""))
        tell(service, here=replace(DEAD, moved="https://new.example/"))
        page = str(service.get().body)
        (returned,) = re.findall(r'<ul class="places">.*?</ul>', page, re.DOTALL)
        assert "archive" not in returned
        assert all("data-said" in each for each in re.findall("<a [^>]*>", returned))
        (panel,) = [each for each in re.findall(r'<div class="panel">.*?</div>', page, re.DOTALL) if APART in each]
        assert re.findall('data-said="([^"]*)"', panel) == ["/records/0/uri"]
        assert f"{BASE_URL}/2021/06/mp" not in panel
