"""Validity periods: each location is used within its period, and no response is cached beyond it."""

import re
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.http.application import Application
from coolid.http.formats.catalog import REPRESENTATIONS
from coolid.http.message import Request, Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.model.records import ACTIVE, INACTIVE, Location
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, namespace, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
NEW, OLD = "https://content.example.org/new", "https://content.example.org/old"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
LINKID = "application/linkid+json"


class Service:
    """One record, `mp:tw0t-ywdj-94`, asked for at any moment."""

    def __init__(self, *locations: Location, ttl: int = 300, **rules: Any) -> None:
        self.clock = FixedClock()
        self.store = MemoryStore()
        owner = repository(ttl=ttl, canonical="2021/06/mp", **rules)
        self.store.repositories[owner.id] = owner
        self.store.put_prefix(namespace("mp", owner), None)
        self.store.create_record(record(records=locations, metadata={"what": "A thing"}))
        self._answer = Application(
            ResolutionEndpoint(self.store.uncached, self.clock, BASE_URL).routes(),
            BASE_URL,
            self._unforeseen,
            public=True,
        )

    def at(self, moment: datetime, accept: str | None = None, *query: tuple[str, str], tag: str = "") -> Response:
        """The answer at this moment."""
        self.clock.moment = moment
        headers = {"accept": accept} if accept is not None else {}
        headers |= {"if-none-match": tag} if tag else {}
        return self._answer(Request("GET", "/mp:tw0t-ywdj-94", query, headers))

    @staticmethod
    def _unforeseen(error: Exception, _: Request) -> None:
        raise AssertionError("nobody foresaw this") from error


def written(moment: datetime) -> str:
    return moment.isoformat()


def stored(answer: Response) -> tuple[int, int]:
    """For how many seconds caches may keep an answer: while we answer, and at most, when all goes wrong."""
    control = answer.headers["Cache-Control"]
    seconds = {name: int(value) for name, value in re.findall(r"([a-z-]+)=(\d+)", control)}
    assert seconds["max-age"] == seconds["s-maxage"]
    longer = max(seconds.get("stale-while-revalidate", 0), seconds.get("stale-if-error", 0))
    assert bool(longer) is ("must-revalidate" not in control)
    return seconds["max-age"], seconds["max-age"] + longer


class TestPeriods:
    def test_what_is_valid_from_tomorrow_is_not_served_today_and_is_at_the_moment_itself(self) -> None:
        tomorrow = MOMENT + DAY
        service = Service(Location(NEW, valid_from=written(tomorrow)), Location(OLD))
        assert service.at(MOMENT).headers["Location"] == OLD
        assert service.at(tomorrow - SECOND).headers["Location"] == OLD
        assert service.at(tomorrow).headers["Location"] == NEW

    def test_valid_until_is_the_first_moment_at_which_it_is_not_served(self) -> None:
        end = MOMENT + DAY
        service = Service(Location(NEW, valid_until=written(end)), Location(OLD))
        assert service.at(end - SECOND).headers["Location"] == NEW
        assert service.at(end).headers["Location"] == OLD

    @pytest.mark.parametrize("end", ["2025-07-11T00:00:00Z", "2025-07-11T02:00:00+02:00", "2025-07-10T16:30:00-07:30"])
    def test_offsets_are_understood_and_every_header_is_in_gmt(self, end: str) -> None:
        service = Service(Location(NEW, valid_until=end), Location(OLD, valid_from=end))
        turn = datetime.fromisoformat("2025-07-11T00:00:00+00:00")
        assert service.at(turn - SECOND).headers["Location"] == NEW
        answer = service.at(turn)
        assert answer.headers["Location"] == OLD
        assert answer.headers["Last-Modified"] == "Fri, 11 Jul 2025 00:00:00 GMT"

    def test_inactive_ones_are_never_served_even_within_their_period(self) -> None:
        service = Service(
            Location(NEW, INACTIVE, valid_from=written(MOMENT - DAY), valid_until=written(MOMENT + DAY)), Location(OLD)
        )
        assert service.at(MOMENT).headers["Location"] == OLD

    def test_the_default_target_is_not_for_records_whose_locations_are_over(self) -> None:
        service = Service(Location(OLD, valid_until=written(MOMENT)), target="https://a.example/{$id}")
        assert service.at(MOMENT).status == 404


class TestNowhere:
    @pytest.fixture
    def service(self) -> Service:
        return Service(
            Location(NEW, valid_from="2025-07-11T00:00:00Z"),
            Location(OLD, valid_until="2025-07-10T00:00:00Z"),
            Location("https://content.example.org/off", INACTIVE),
        )

    @pytest.mark.parametrize("accept", [None, "*/*", "application/pdf", "application/pdf, application/ld+json;q=0.5"])
    def test_where_none_is_left_it_is_404_with_a_reason_for_each(self, service: Service, accept: str | None) -> None:
        answer = service.at(MOMENT, accept)
        assert answer.status == 404
        assert f'"type":"{BASE_URL}/problems/no-location"' in answer.body
        for reason in (
            f"{NEW} is valid from 2025-07-11T00:00:00Z",
            f"{OLD} was valid until 2025-07-10T00:00:00Z",
            "https://content.example.org/off is inactive",
        ):
            assert f'"{reason}"' in answer.body
        assert f'"record":"{BASE_URL}/2021/06/mp/tw0t-ywdj-94?format=linkid"' in answer.body
        assert answer.headers["Cache-Control"] == "public, max-age=10, stale-if-error=0"
        assert answer.headers["Vary"] == "Accept, Accept-Language, Accept-Datetime"

    @pytest.mark.parametrize(("before", "seconds"), [(3600, 10), (11, 10), (10, 10), (9, 9), (1, 1)])
    def test_the_404_is_cached_no_longer_than_until_a_location_begins(
        self, service: Service, before: int, seconds: int
    ) -> None:
        beginning = datetime.fromisoformat("2025-07-11T00:00:00+00:00")
        answer = service.at(beginning - before * SECOND)
        assert (answer.status, answer.headers["Cache-Control"]) == (404, f"public, max-age={seconds}, stale-if-error=0")
        assert service.at(beginning).status == 302

    def test_browsers_get_a_page_that_leads_to_the_description(self, service: Service) -> None:
        answer = service.at(MOMENT, BROWSER)
        assert (answer.status, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
        assert f'href="{BASE_URL}/2021/06/mp/tw0t-ywdj-94?format=html"' in answer.body

    @pytest.mark.parametrize("name", [each.name for each in REPRESENTATIONS if each.name != "jws"] + ["html"])
    def test_the_record_can_be_read_in_every_format(self, service: Service, name: str) -> None:
        for accept in (None, BROWSER, "image/png"):
            assert service.at(MOMENT, accept, ("format", name)).status == 200

    @pytest.mark.parametrize("accept", [each.media_type for each in REPRESENTATIONS if each.name != "jws"])
    def test_the_record_can_be_read_by_accept(self, service: Service, accept: str) -> None:
        answer = service.at(MOMENT, accept)
        assert (answer.status, answer.headers["Content-Type"].removesuffix("; charset=utf-8")) == (200, accept)

    def test_it_has_a_proof_to_read_if_it_has_one(self, service: Service) -> None:
        service.store.records_by_key["r4k2-9m3x-62", "tw0tywdj94"] = record(proof="a.b.c")
        assert service.at(MOMENT, None, ("format", "jws")).body == "a.b.c"
        assert service.at(MOMENT, "application/jose").body == "a.b.c"


class TestLinks:
    """What is not good now is no item of the thing now."""

    EARLY, LATE = written(MOMENT - DAY), written(MOMENT + DAY)
    SOON, OVER = Location(NEW, valid_from=LATE), Location(f"{OLD}/over", valid_until=EARLY)

    @pytest.fixture
    def service(self) -> Service:
        return Service(self.SOON, self.OVER, Location(OLD))

    @staticmethod
    def items(links: str) -> list[str]:
        return re.findall('<([^>]*)>; rel="item"', links)

    @pytest.mark.parametrize(
        "query", [(), *(("format", name) for name in ("linkid", "linkset", "html", "ttl", "bibtex"))]
    )
    def test_a_header_names_what_is_good_now(self, service: Service, query: tuple[str, ...]) -> None:
        requested = [(query[0], query[1])] if query else []
        for moment, items in ((MOMENT, [OLD]), (MOMENT + DAY, [NEW, OLD]), (MOMENT - 2 * DAY, [f"{OLD}/over", OLD])):
            answer = service.at(moment, None, *requested)
            assert self.items(answer.headers["Link"]) == items
            assert stored(service.at(MOMENT + DAY - SECOND, None, *requested)) == (1, 1)

    @pytest.mark.parametrize("name", ["linkset", "links", "jsonld", "ttl", "datacite"])
    def test_so_do_link_sets_and_descriptions(self, service: Service, name: str) -> None:
        now, then = (service.at(moment, None, ("format", name)).body for moment in (MOMENT, MOMENT + DAY))
        assert isinstance(now, str)
        assert isinstance(then, str)
        assert NEW not in now
        assert f"{OLD}/over" not in now + then
        assert NEW in then

    def test_so_does_the_head_of_the_page(self, service: Service) -> None:
        page = service.at(MOMENT, BROWSER, ("format", "html")).body
        assert isinstance(page, str)
        assert re.findall('<link rel="item" href="([^"]*)"', page) == [OLD]
        assert f'<dt>From</dt><dd><time datetime="{self.LATE[:19]}' in page  # people are told of what is to come

    def test_the_record_itself_is_returned_completely(self, service: Service) -> None:
        whole = service.at(MOMENT, None, ("format", "linkid")).body
        assert isinstance(whole, str)
        assert all(f'"{uri}"' in whole for uri in (NEW, OLD, f"{OLD}/over"))

    def test_of_a_version_they_are_those_that_were_good_when_it_was_written_for_ever(self, service: Service) -> None:
        for moment in (MOMENT, MOMENT + DAY, MOMENT + 400 * DAY):
            for name in ("linkid", "linkset"):
                answer = service.at(moment, None, ("format", name), ("version", "1"))
                assert self.items(answer.headers["Link"]) == [OLD]
                assert stored(answer)[0] == 300


ends = st.none() | st.integers(-400, 400).map(lambda second: written(MOMENT + second * SECOND))
places = st.lists(
    st.builds(
        Location,
        st.sampled_from([NEW, OLD]),
        st.sampled_from([ACTIVE, ACTIVE, INACTIVE]),
        media_type=st.sampled_from([None, "application/pdf", "text/html"]),
        language=st.sampled_from([None, "en", "de"]),
        quality=st.sampled_from([None, 0.5]),
        valid_from=ends,
        valid_until=ends,
    ),
    max_size=4,
)
accepts = st.sampled_from(
    [None, "*/*", BROWSER, LINKID, "application/pdf", f"application/pdf, {LINKID};q=0.5", "application/pdf;q=0, */*"]
)


def returned(answer: Response) -> tuple[int, str | None, str | None, str | bytes]:
    """What an answer tells."""
    return answer.status, answer.headers.get("Location"), answer.headers.get("Link"), answer.body


class TestCaching:
    @given(places, accepts, st.integers(-401, 401), st.integers(0, 600), st.booleans())
    def test_no_lifetime_exceeds_the_next_change(
        self, locations: list[Location], accept: str | None, second: int, ttl: int, choices: bool
    ) -> None:
        service = Service(*locations, ttl=ttl, choices=choices)
        now = MOMENT + second * SECOND
        answer = service.at(now, accept)
        if answer.status >= 400:
            return
        normally, at_most = stored(answer)
        assert normally <= ttl
        for wait in {*range(0, normally, 37), normally - 1} - {-1}:
            assert returned(service.at(now + wait * SECOND, accept)) == returned(answer)
        # Beyond that only where nothing changes that a cache could be wrong about.
        if at_most > normally:
            for wait in range(normally, 900, 61):
                assert returned(service.at(now + wait * SECOND, accept)) == returned(answer)

    @given(places, accepts, st.integers(-401, 401), st.integers(0, 500))
    def test_the_tag_changes_exactly_when_the_response_does(
        self, locations: list[Location], accept: str | None, second: int, wait: int
    ) -> None:
        service = Service(*locations)
        one = service.at(MOMENT + second * SECOND, accept)
        other = service.at(MOMENT + (second + wait) * SECOND, accept)
        if max(one.status, other.status) < 400:
            assert (one.headers["ETag"] == other.headers["ETag"]) is (returned(one) == returned(other))

    @given(places, accepts, st.integers(-401, 401), st.integers(0, 500))
    def test_a_response_that_changed_was_modified_since(
        self, locations: list[Location], accept: str | None, second: int, wait: int
    ) -> None:
        service = Service(*locations)
        then = MOMENT + second * SECOND
        one, other = service.at(then, accept), service.at(then + wait * SECOND, accept)
        if other.status >= 400:
            return
        modified = parsedate_to_datetime(other.headers["Last-Modified"])
        if returned(one) != returned(other):
            assert then < modified <= then + wait * SECOND or modified == MOMENT > then
        assert modified <= max(MOMENT, then + wait * SECOND)

    def test_last_modified_is_the_later_of_the_last_turn_and_the_last_change(self) -> None:
        service = Service(Location(NEW, valid_from="2025-07-01T00:00:00Z", valid_until=written(LATER)), Location(OLD))
        assert service.at(MOMENT).headers["Last-Modified"] == "Thu, 10 Jul 2025 14:22:30 GMT"
        assert service.at(LATER).headers["Last-Modified"] == "Fri, 02 Jan 2026 03:04:05 GMT"

    def test_the_time_is_counted_down_while_the_tag_stays_until_the_turn(self) -> None:
        turn = MOMENT + 100 * SECOND
        service = Service(Location(NEW, valid_until=written(turn)), Location(OLD))
        first = service.at(MOMENT)
        for wait in (0, 1, 60, 99):
            again = service.at(MOMENT + wait * SECOND, tag=first.headers["ETag"])
            assert (again.status, stored(again)) == (304, (100 - wait, 100 - wait))
        changed = service.at(turn, tag=first.headers["ETag"])
        assert (changed.status, changed.headers["Location"]) == (302, OLD)
        assert stored(changed)[0] == 300

    def test_metadata_that_was_requested_by_name_is_stored_until_its_links_change(self) -> None:
        service = Service(Location(NEW, valid_until=written(MOMENT + 10 * SECOND)))
        requested = ("format", "linkid")
        assert [stored(service.at(moment, None, requested))[0] for moment in (MOMENT, MOMENT + DAY)] == [10, 300]
        assert service.at(MOMENT, None, requested).body == service.at(MOMENT + DAY, None, requested).body

    def test_metadata_that_is_second_best_is_cached_no_longer_than_until_a_better_location_comes(self) -> None:
        """Today the client gets the record, tomorrow the paper that it would rather have."""
        service = Service(
            Location(OLD, media_type="text/html"),
            Location(NEW, media_type="application/pdf", valid_from=written(MOMENT + 20 * SECOND)),
        )
        accept = f"application/pdf, {LINKID};q=0.5"
        answer = service.at(MOMENT, accept)
        assert (answer.status, stored(answer)) == (200, (20, 20))
        assert service.at(MOMENT + 20 * SECOND, accept).headers["Location"] == NEW
