"""Memento (RFC 7089): TimeGates redirect to earlier versions, Mementos never change, TimeMaps list them all."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.http.application import Application
from coolid.http.caching import last_modified
from coolid.http.formats.signposting import MAX_BYTES
from coolid.http.message import Request, Response
from coolid.http.public import timemaps
from coolid.http.public.memento import moment_of
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.public.timemaps import TimeMapEndpoint
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.model.records import ACTIVE, INACTIVE, RESERVED, WITHDRAWN, Location, Record, Withdrawal, format_time
from coolid.resolution.caching_reader import CachingReader
from coolid.store.versions import public_versions
from tests.http.formats.test_signposting import parse
from tests.support.builders.histories import histories, put_history
from tests.support.builders.samples import BASE_URL, MOMENT, moments, namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

OWNER, KEY = "r4k2-9m3x-62", "tw0tywdj94"
PID = f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94"
PATH = "/2021/06/mp/tw0t-ywdj-94"
PLACE = "https://content.example.org/"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ARCHIVE = "https://web.archive.org/web/"
YEAR = timedelta(days=365)


class Service:
    """The public side over a store that holds one record, of which version N is from N - 1 years after `MOMENT`."""

    def __init__(self, versions: int = 3) -> None:
        self.store = MemoryStore()
        self.owner = repository(canonical="2021/06/mp", archive=ARCHIVE, ttl=600)
        self.store.repositories[OWNER] = self.owner
        self.store.put_prefix(namespace("2021/06/mp", self.owner), None)
        self.store.put_prefix(namespace("mp", self.owner), None)
        self.store.put_prefix(provider_prefix("go", "https://go.example/{$id}"), None)
        self.store.create_record(record(records=(Location(f"{PLACE}1"),)))
        for number in range(2, versions + 1):
            self.change(records=(Location(f"{PLACE}{number}"),))
        self.seconds = 1000.0
        self.reader = CachingReader(self.store, lambda: self.seconds)
        clock = FixedClock(datetime(2099, 1, 1, tzinfo=UTC))
        routes = (
            *TimeMapEndpoint(self.reader, clock, BASE_URL).routes(),
            *ResolutionEndpoint(self.reader, clock, BASE_URL).routes(),
        )
        self._answer = Application(routes, BASE_URL, self._report, public=True)

    @staticmethod
    def _report(error: Exception, _request: Request) -> None:
        raise error

    def change(self, **members: Any) -> None:
        """The next version, a year later."""
        present = self.store.records_by_key[OWNER, KEY]
        following = replace(present, version=present.version + 1, updated=present.updated + YEAR, **members)
        self.store.replace_record(following, present)

    def withdraw(self) -> None:
        present = self.store.records_by_key[OWNER, KEY]
        former = tuple(replace(each, status=INACTIVE) for each in present.records)
        gone = Withdrawal(present.updated + YEAR, "It was wrong")
        self.change(status=WITHDRAWN, withdrawn=gone, records=former)

    def get(self, path: str = PATH, query: str = "", method: str = "GET", **headers: str | None) -> Response:
        pairs = tuple((name, value) for name, _, value in (each.partition("=") for each in query.split("&")) if name)
        sent = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        return self._answer(Request(method, path, pairs, sent))

    def follow(self, location: str, **headers: str | None) -> Response:
        path, _, query = location.removeprefix(BASE_URL).partition("?")
        return self.get(path, query, "GET", **headers)


class SlowStore:
    """Takes some seconds for each read."""

    def __init__(self, service: Service, seconds: float) -> None:
        self._service = service
        self._seconds = seconds

    def __getattr__(self, name: str) -> Any:
        self._service.seconds += self._seconds
        return getattr(self._service.store, name)


@pytest.fixture
def service() -> Service:
    return Service()


def at(years: float) -> str:
    """A moment so many years after the first version, as a client writes it."""
    return last_modified(MOMENT + years * YEAR)


def links(response: Response) -> dict[str, tuple[str, str | None]]:
    """The targets and dates of the links of an answer that have to do with time, by each of their relations."""
    found = {}
    for link in parse(response.headers["Link"]):
        for relation in link.attributes["rel"].split():
            if relation in {"original", "timegate", "timemap", "first", "prev", "next", "last"}:
                assert relation not in found
                found[relation] = link.target, link.attributes.get("datetime")
    return found


class TestAcceptDatetime:
    @given(moments.filter(lambda moment: moment.year >= 1000))
    def test_what_is_written_as_http_writes_dates_is_read_back(self, moment: datetime) -> None:
        assert moment_of(last_modified(moment)) == moment

    @pytest.mark.parametrize(
        "written",
        [
            *("", "yesterday", "2025-07-10T14:22:30Z", "Thu, 10 Jul 2025 14:22:30", "Thu, 10 Jul 2025 14:22:30 CEST"),
            *("Thu, 31 Feb 2025 14:22:30 GMT", "Thu, 10 Jul 2025 24:22:30 GMT", "Thu, 10 Jul 0000 14:22:30 GMT"),
            *("Thu, 1 Jul 2025 14:22:30 GMT", "Thursday, 10-Jul-25 14:22:30 GMT", "Thu Jul 10 14:22:30 2025"),
            *("Thu, 10 Jul 2025 14:22:30 GMT, Thu, 10 Jul 2025 14:22:30 GMT", "Thu, 1\u0660 Jul 2025 14:22:30 GMT"),
        ],
    )
    @pytest.mark.parametrize("path", [PATH, f"/timegate{PATH}"])
    def test_what_is_no_such_date_is_refused(self, service: Service, written: str, path: str) -> None:
        answer = service.get(path, accept_datetime=written)
        assert answer.status == 400
        assert json.loads(answer.body)["type"] == f"{BASE_URL}/problems/bad-datetime"
        assert "Accept-Datetime" in answer.headers["Vary"]  # or others would be refused by what a cache has kept

    @pytest.mark.parametrize("path", [f"{PATH[:-1]}5", "/2021/06/mp/zzzz-zzzz-90", "/nobody:1", PATH])
    def test_all_responses_of_a_time_gate_depend_on_it(self, service: Service, path: str) -> None:
        for written in (None, at(1), "yesterday"):
            answer = service.get(f"/timegate{path}", accept_datetime=written)
            assert answer.headers["Vary"] == "Accept, Accept-Language, Accept-Datetime"

    def test_a_leap_second_is_the_one_before_it_and_a_wrong_day_of_the_week_no_matter(self) -> None:
        assert moment_of("Mon, 31 Dec 2016 23:59:60 GMT") == datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)

    def test_identifiers_of_other_services_have_no_versions_here(self, service: Service) -> None:
        assert service.get("/go:7", accept_datetime="yesterday").headers["Location"] == "https://go.example/7"
        assert service.get("/timegate/go:7").status == service.get("/timemap/go:7").status == 404
        assert service.get("/timegate/mp").status == 404


class TestTimeGate:
    @pytest.mark.parametrize(
        ("years", "number"), [(-9, 1), (-0.001, 1), (0, 1), (0.999, 1), (1, 2), (1.5, 2), (2, 3), (70, 3)]
    )
    @pytest.mark.parametrize("path", [PATH, "/MP/TWOTYWDJ94", f"/timegate{PATH}", "/timegate/mp:twotywdj94"])
    def test_it_leads_to_the_version_that_was_current_then(
        self, service: Service, path: str, years: float, number: int
    ) -> None:
        answer = service.get(path, accept_datetime=at(years))
        assert (answer.status, answer.headers["Location"]) == (302, f"{PID}?memento={number}")
        assert answer.headers["Vary"] == "Accept, Accept-Language, Accept-Datetime"
        assert "Memento-Datetime" not in answer.headers  # section 4.1.1

    def test_it_links_to_the_neighbouring_versions(self, service: Service) -> None:
        assert links(service.get(accept_datetime=at(1))) == {
            "original": (PID, None),
            "timegate": (PID, None),
            "timemap": (f"{BASE_URL}/timemap{PATH}", None),
            "first": (f"{PID}?memento=1", at(0)),
            "prev": (f"{PID}?memento=1", at(0)),
            "next": (f"{PID}?memento=3", at(2)),
            "last": (f"{PID}?memento=3", at(2)),
        }
        assert "prev" not in links(service.get(accept_datetime=at(0)))
        assert "next" not in links(service.get(accept_datetime=at(2)))

    @pytest.mark.parametrize(
        "written",
        [PID, PID.upper().replace("/MP/", "/mp/"), f"{BASE_URL}/mp:TW0T-YWDJ-94", "https%3A//id.example.org" + PATH],
    )
    def test_one_at_an_address_of_its_own_takes_urls_too(self, service: Service, written: str) -> None:
        answer = service.get(f"/timegate/{written}", accept_datetime=at(1.5))
        assert (answer.status, answer.headers["Location"]) == (302, f"{PID}?memento=2")

    def test_without_a_moment_that_one_leads_to_the_last_version(self, service: Service) -> None:
        assert service.get(f"/timegate{PATH}").headers["Location"] == f"{PID}?memento=3"

    def test_parameters_of_the_pid_are_passed_to_the_version(self, service: Service) -> None:
        answer = service.get(query="format=ttl&x=y&lang=a%26b", accept_datetime=at(1))
        assert answer.headers["Location"] == f"{PID}?format=ttl&lang=a%2526b&memento=2"
        assert links(answer)["original"] == (f"{PID}?format=ttl&lang=a%2526b", None)
        answer = service.get(query="json=1&info=2&style=x", accept_datetime=at(1))  # what flags are given means nothing
        assert answer.headers["Location"] == f"{PID}?style=x&json=&info=&memento=2"
        assert service.get(query="format=linkid&version=1", accept_datetime=at(2)).status == 200

    def test_what_was_reserved_is_never_led_to(self) -> None:
        service = Service(versions=1)
        service.store.records_by_key[OWNER, KEY] = record(status=RESERVED)
        assert service.get(accept_datetime=at(9)).status == service.get(f"/timegate{PATH}").status == 404
        service.seconds += 3600
        service.change(status="active")
        assert service.get(accept_datetime=at(0)).headers["Location"] == f"{PID}?memento=2"
        assert service.get(query="memento=1").status == 404

    def test_every_response_of_a_record_says_where_its_versions_are(self, service: Service) -> None:
        for query in ("", "format=html", "format=linkid&version=1", "info"):
            answer = service.get(query=query)
            if query != "info":
                assert {"original", "timegate", "timemap"} <= links(answer).keys()
            if not query:
                assert answer.headers["Vary"] == "Accept, Accept-Language, Accept-Datetime"

    @given(st.integers(0, 1_900), st.sampled_from(["", "format=linkid", f"format={'x' * 280}%2Fy"]))
    def test_its_headers_are_no_more_than_the_gateway_lets_pass(self, length: int, query: str) -> None:
        service = Service()
        for place, row in [*service.store.records_by_key.items()]:
            service.store.records_by_key[place] = replace(row, pid=f"{PID}{'x' * length}")
        for path in (PATH, f"/timegate{PATH}"):
            answer = service.get(path, query, accept_datetime=at(1))
            assert answer.status == 302
            assert len(answer.headers["Link"]) <= MAX_BYTES
            assert sum(len(name) + len(value) + 4 for name, value in answer.headers.items()) <= 10_240
            assert {"original", "timegate", "timemap"} <= links(answer).keys()

    @given(st.integers(0, 2_000), st.sampled_from(["x", "ü"]), st.booleans(), st.sampled_from(["", "memento=1"]))
    def test_nor_are_others_however_long_an_identifier_is(
        self, length: int, sign: str, is_gone: bool, query: str
    ) -> None:
        length //= len(sign.encode())
        service = Service()
        rows = service.store.records_by_key, service.store.archive
        for place, row in [*rows[0].items()]:
            rows[0][place] = replace(row, pid=f"{PID}{sign * length}")
        for edition, row in [*rows[1].items()]:
            rows[1][edition] = replace(row, pid=f"{PID}{sign * length}", records=(Location(PLACE.ljust(2_048, "x")),))
        if is_gone:
            service.withdraw()
        for path in (PATH, f"/timegate{PATH}", f"/timemap{PATH}"):
            answer = service.get(path, query if path == PATH else "", accept_datetime=at(1))
            assert answer.status in (200, 302)
            assert sum(len(name) + len(value) + 4 for name, value in answer.headers.items()) <= 10_240


class TestMemento:
    @pytest.mark.parametrize("number", [1, 2, 3])
    def test_it_is_what_the_pid_was_answered_with(self, service: Service, number: int) -> None:
        answer = service.get(query=f"memento={number}")
        assert (answer.status, answer.headers["Location"]) == (302, f"{PLACE}{number}")
        assert answer.headers["Memento-Datetime"] == at(number - 1)
        assert answer.headers["Vary"] == "Accept, Accept-Language"  # not of itself a TimeGate
        assert links(answer)["original"] == links(answer)["timegate"] == (PID, None)
        assert links(answer)["timemap"] == (f"{BASE_URL}/timemap{PATH}", None)
        assert links(answer)["last"] == (f"{PID}?memento=3", at(2))

    def test_it_is_negotiated_as_usual(self, service: Service) -> None:
        service.change(records=(), metadata={"what": "A thing"})
        service.change(records=(Location(f"{PLACE}a", language="de"), Location(f"{PLACE}b", language="en")))
        assert service.get(query="memento=4").status == 200
        assert "A thing" in service.get(query="memento=4", accept=BROWSER).body
        assert service.get(query="memento=5", accept_language="en").headers["Location"] == f"{PLACE}b"
        assert service.get(query="memento=5&lang=en").headers["Location"] == f"{PLACE}b"
        for number in (1, 4):
            returned = service.get(query=f"memento={number}&format=linkid")
            assert (returned.status, json.loads(returned.body)["version"]) == (200, number)
            assert returned.headers["Memento-Datetime"] == at(number - 1)

    @pytest.mark.parametrize("number", ["0", "9", "", "x", "1.0", "-1", "01"])
    def test_a_version_that_is_none_is_404(self, service: Service, number: str) -> None:
        answer = service.get(query=f"memento={number}")
        assert answer.status == 404
        assert json.loads(answer.body)["type"] == f"{BASE_URL}/problems/unknown-version"

    def test_a_moment_is_no_matter_to_it(self, service: Service) -> None:
        plain = service.get(query="memento=1")
        assert service.get(query="memento=1", accept_datetime=at(2)) == plain
        assert service.get(query="memento=1", accept_datetime="yesterday") == plain

    def test_what_time_decides_is_decided_for_its_own_time(self, service: Service) -> None:
        until = format_time(MOMENT + 4 * YEAR)
        service.change(records=(Location(f"{PLACE}then", valid_until=until), Location(f"{PLACE}now", valid_from=until)))
        assert service.get().headers["Location"] == f"{PLACE}now"
        answer = service.get(query="memento=4")
        assert answer.headers["Location"] == f"{PLACE}then"
        assert answer.headers["Cache-Control"].startswith("public, max-age=600, s-maxage=600, stale-while")

    def test_what_extends_a_record_has_versions_with_it(self, service: Service) -> None:
        owner = repository("zzzz-zzzz-90", rules=ChosenRules(pattern="[a-z]+"), passthrough=True, canonical="chosen")
        service.store.repositories[owner.id] = owner
        service.store.put_prefix(namespace("chosen", owner), None)
        pid = f"{BASE_URL}/chosen:work"
        first = record("work", owner.id, id="work", pid=pid, records=(Location("https://a.example/1"),))
        service.store.create_record(first)
        second = replace(first, version=2, updated=MOMENT + YEAR, records=(Location("https://a.example/2"),))
        service.store.replace_record(second, first)
        led = service.get("/chosen:work/part", accept_datetime=at(0.5))
        assert led.headers["Location"] == f"{pid}/part?memento=1"
        assert links(led)["timemap"] == (f"{BASE_URL}/timemap/chosen:work/part", None)
        assert service.follow(led.headers["Location"]).headers["Location"] == "https://a.example/1/part"
        assert f"<{pid}/part?memento=2>" in service.get("/timemap/chosen:work/part").body

    def test_a_version_of_a_record_that_is_requested_by_its_number_is_one_too(self, service: Service) -> None:
        answer = service.get(query="format=linkid&version=1")
        assert answer.headers["Memento-Datetime"] == at(0)
        assert links(answer)["original"] == (PID, None)
        assert "Memento-Datetime" not in service.get(query="format=linkid").headers

    def test_head_and_known_answers_are_as_usual(self, service: Service) -> None:
        whole = service.get(query="memento=1")
        assert service.get(query="memento=1", method="HEAD").headers == whole.headers
        assert service.get(query="memento=1", if_none_match=whole.headers["ETag"]).status == 304


class TestLongHistory:
    @given(histories(records=(Location(PLACE),)), st.lists(st.integers(-5, 400), min_size=1, max_size=3))
    def test_every_answer_is_that_of_a_short_history(self, versions: list[Record], seconds: list[int]) -> None:
        moments = [last_modified(MOMENT + timedelta(seconds=each)) for each in seconds]
        numbers = [str(versions[0].version), str(versions[-1].version), "01"]
        answers = []
        for length in (1_000, 0):
            with pytest.MonkeyPatch.context() as patching:
                patching.setattr("coolid.store.versions.SHORT_HISTORY", length)
                patching.setattr("coolid.store.versions._WINDOW", 2)
                patching.setattr(timemaps, "MOST_VERSIONS", 7)
                service = Service()
                put_history(service.store, versions)
                answers.append([
                    *(service.get(path, accept_datetime=at) for path in (PATH, f"/timegate{PATH}") for at in moments),
                    *(service.get(f"/timemap{PATH}", f"version={each}&format=json") for each in numbers),
                    service.get(f"/timegate{PATH}"), service.get(f"/timemap{PATH}"),
                ])  # fmt: skip
        assert answers[0] == answers[1]
        assert {answer.status for answer in answers[0]} <= {200, 302, 404, 410}


class TestWithdrawn:
    @pytest.fixture(autouse=True)
    def _withdraw(self, service: Service) -> None:
        service.withdraw()

    def test_it_never_redirects(self, service: Service) -> None:
        for path in (PATH, "/mp:tw0t-ywdj-94"):
            for query in ("", *(f"memento={number}" for number in (1, 2, 3, 4)), "format=pdf", "memento=1&format=qr"):
                for moment in (None, at(-1), at(1), at(9)):
                    for accept in (None, BROWSER, "application/pdf"):
                        answer = service.get(path, query, accept_datetime=moment, accept=accept)
                        assert answer.status in (200, 410), (query, moment, accept)
                        assert "Location" not in answer.headers

    def test_its_versions_show_what_the_record_said_then(self, service: Service) -> None:
        answer = service.get(query="memento=2")
        assert (answer.status, json.loads(answer.body)["version"]) == (200, 2)
        assert answer.headers["Memento-Datetime"] == at(1)
        page = service.get(query="memento=2", accept=BROWSER)
        assert f'data-said="/records/0/uri">{PLACE}2</code>' in page.body
        assert f'href="{PLACE}2"' not in text_of(page).partition("<body>")[2]

    def test_with_a_moment_it_is_answered_with_the_version_of_then_at_once(self, service: Service) -> None:
        answer = service.get(accept_datetime=at(1.5))
        assert (answer.status, json.loads(answer.body)["version"]) == (200, 2)
        assert answer.headers["Memento-Datetime"] == at(1)
        assert answer.headers["Content-Location"] == f"{PID}?memento=2"
        assert answer.headers["Vary"] == "Accept, Accept-Language, Accept-Datetime"
        assert links(answer)["next"] == (f"{PID}?memento=3", at(2))
        assert service.get(accept_datetime=at(1.5)).headers["ETag"] != service.get().headers["ETag"]

    def test_since_it_was_withdrawn_that_is_the_tombstone(self, service: Service) -> None:
        for answer in (service.get(accept_datetime=at(9)), service.get(query="memento=4")):
            assert (answer.status, answer.headers["Memento-Datetime"]) == (410, at(3))

    def test_the_timegate_elsewhere_still_leads_to_its_versions(self, service: Service) -> None:
        assert service.get(f"/timegate{PATH}", accept_datetime=at(1)).headers["Location"] == f"{PID}?memento=2"
        assert service.get(f"/timegate{PATH}").headers["Location"] == f"{PID}?memento=4"

    def test_a_withdrawal_is_visible_at_once_to_requests_for_the_past(self) -> None:
        service = Service()
        service.get()  # so that the record is remembered as it was
        service.withdraw()
        assert service.get(accept_datetime=at(1)).status == 200

    def test_people_are_pointed_to_the_web_archive(self, service: Service) -> None:
        page = service.get(accept=BROWSER)
        assert page.status == 410
        copy = f"{ARCHIVE}{re.sub('[^0-9]', '', format_time(MOMENT + 3 * YEAR))}/{PLACE}3"
        assert f'<a href="{copy}" rel="noreferrer">' in page.body
        service.store.change_repository(replace(service.owner, archive=None, revision=2), service.owner)
        service.reader.clear()
        assert "archive" not in service.get(accept=BROWSER).body


class TestNowhere:
    def test_people_and_programs_are_pointed_to_the_web_archive(self, service: Service) -> None:
        over = format_time(MOMENT + 4 * YEAR)
        service.change(records=(Location(f"{PLACE}a", valid_until=over), Location(f"{PLACE}<b>", status=INACTIVE)))
        answer = service.get()
        digits = [re.sub("[^0-9]", "", format_time(MOMENT + years * YEAR)) for years in (4, 3)]
        copies = [f"{ARCHIVE}{digits[0]}/{PLACE}a", f"{ARCHIVE}{digits[1]}/{PLACE}<b>"]
        assert (answer.status, json.loads(answer.body)["archives"]) == (404, copies)
        assert answer.headers["Vary"] == "Accept, Accept-Language, Accept-Datetime"
        page = service.get(accept=BROWSER)
        assert page.status == 404
        assert f'<a href="{copies[0]}" rel="noreferrer">' in page.body
        assert "/&lt;b&gt;" not in text_of(page).replace(f"{PLACE}&lt;b&gt;", "")
        assert "<b>" not in page.body

    def test_nobody_is_where_the_repository_names_none(self, service: Service) -> None:
        service.store.change_repository(replace(service.owner, archive=None, revision=2), service.owner)
        service.change(records=(Location(f"{PLACE}a", status=INACTIVE),))
        assert "archives" not in json.loads(service.get().body)


def text_of(response: Response) -> str:
    """The body, which is text."""
    assert isinstance(response.body, str)
    return response.body


def entries(response: Response) -> Iterator[tuple[str, dict[str, str]]]:
    """The links of a document in `application/link-format`."""
    for link in parse(text_of(response).rstrip("\n").replace(",\n", ", ")):
        yield link.target, link.attributes


class TestTimeMap:
    def test_it_lists_every_version(self, service: Service) -> None:
        for path in (f"/timemap{PATH}", "/timemap/mp:TWOTYWDJ94", f"/timemap/{PID}"):
            answer = service.get(path)
            assert (answer.status, answer.headers["Content-Type"]) == (200, "application/link-format")
            assert list(entries(answer)) == [
                (PID, {"rel": "original timegate"}),
                (
                    f"{BASE_URL}/timemap{PATH}",
                    {"rel": "self", "type": "application/link-format", "from": at(0), "until": at(2)},
                ),
                (f"{PID}?memento=1", {"rel": "first memento", "datetime": at(0)}),
                (f"{PID}?memento=2", {"rel": "memento", "datetime": at(1)}),
                (f"{PID}?memento=3", {"rel": "last memento", "datetime": at(2)}),
            ]
            assert answer.headers["Cache-Tag"].endswith(f"record:{OWNER}/{KEY}")
            assert answer.headers["Last-Modified"] == at(2)

    def test_one_version_is_the_first_and_the_last(self) -> None:
        (*_, last) = entries(Service(versions=1).get(f"/timemap{PATH}"))
        assert last == (f"{PID}?memento=1", {"rel": "first last memento", "datetime": at(0)})

    @pytest.mark.parametrize(("query", "accept"), [("format=json", None), ("", "application/json")])
    def test_it_is_there_as_json(self, service: Service, query: str, accept: str | None) -> None:
        answer = service.get(f"/timemap{PATH}", query, accept=accept)
        assert answer.headers["Content-Type"] == "application/json"
        document = json.loads(answer.body)
        assert [each["uri"] for each in document["mementos"]["list"]] == [f"{PID}?memento={n}" for n in (1, 2, 3)]
        assert document["mementos"]["first"] == {"datetime": "2025-07-10T14:22:30Z", "uri": f"{PID}?memento=1"}
        assert document["mementos"]["last"]["uri"] == f"{PID}?memento=3"
        assert document["original_uri"] == document["timegate_uri"] == PID

    def test_other_forms_there_are_not(self, service: Service) -> None:
        assert service.get(f"/timemap{PATH}", "format=ttl").status == 406
        assert service.get(f"/timemap{PATH}", accept="image/png").status == 406
        assert service.get(f"/timemap{PATH}", accept=BROWSER).status == 200

    def test_each_version_that_it_lists_is_there(self, service: Service) -> None:
        service.withdraw()
        returned = {
            href: said["datetime"] for href, said in entries(service.get(f"/timemap{PATH}")) if "datetime" in said
        }
        assert len(returned) == 4
        for href, date in returned.items():
            assert service.follow(href).headers["Memento-Datetime"] == date

    def test_many_versions_are_spread_over_several_that_name_each_other(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(timemaps, "MOST_VERSIONS", 3)
        service = Service(versions=8)
        todo, done = [f"{BASE_URL}/timemap{PATH}"], {}
        while todo:
            here = todo.pop()
            found = list(entries(service.follow(here)))
            assert [href for href, said in found if said["rel"] == "self"] == [here]
            done[here] = [int(href.partition("memento=")[2]) for href, said in found if "datetime" in said]
            todo += [href for href, said in found if said["rel"] == "timemap" and href not in {*done, *todo}]
        assert sorted(done.values()) == [[1, 2, 3], [4, 5, 6], [7, 8]]
        document = json.loads(service.get(f"/timemap{PATH}", "format=json&version=5").body)
        assert document["timemap_uri"]["json_format"] == f"{BASE_URL}/timemap{PATH}?version=6&format=json"
        assert [each["uri"] for each in document["timemap_index"]] == sorted(done, key=lambda each: done[each])
        assert document["mementos"]["first"]["uri"] == f"{PID}?memento=1"
        assert service.get(f"/timemap{PATH}", "version=9").status == 404

    @given(histories(), st.integers(1, 9))
    def test_all_of_them_together_list_every_public_version_once(self, versions: list[Record], size: int) -> None:
        with pytest.MonkeyPatch.context() as patching:
            patching.setattr(timemaps, "MOST_VERSIONS", size)
            patching.setattr(timemaps, "MAX_PARTS", 3)
            service = Service()
            put_history(service.store, versions)
            todo, done = {f"{BASE_URL}/timemap{PATH}"}, {}
            while todo:
                here = todo.pop()
                found = list(entries(service.follow(here)))
                done[here] = [(href, said["datetime"]) for href, said in found if "datetime" in said]
                named = {href: (said["from"], said["until"]) for href, said in found if "from" in said}
                assert named[here] == (done[here][0][1], done[here][-1][1])
                assert len(named) <= 3
                todo |= named.keys() - done.keys()
        public = [(f"{PID}?memento={each.version}", last_modified(each.updated)) for each in public_versions(versions)]
        assert sorted(each for part in done.values() for each in part) == sorted(public)

    def test_a_reserved_version_after_public_ones_is_not_listed(self, service: Service) -> None:
        """As an edited export can have it."""
        versions = [record(version=each, status=RESERVED if each == 2 else ACTIVE) for each in (1, 2, 3)]
        put_history(service.store, versions)
        body = service.get(f"/timemap{PATH}").body
        assert [f"?memento={each}>" in body for each in (1, 2, 3)] == [True, False, True]

    def test_a_conditional_request_gets_304(self, service: Service) -> None:
        tag = service.get(f"/timemap{PATH}").headers["ETag"]
        assert service.get(f"/timemap{PATH}", if_none_match=tag).status == 304
        service.change()
        assert service.get(f"/timemap{PATH}", if_none_match=tag).status == 200


class TestOutage:
    @pytest.fixture(autouse=True)
    def _fail(self, service: Service) -> None:
        service.get()
        service.get(query="memento=1")
        calls = ("prefixes", "record", "records", "superseded", "superseded_between", "history", "public_keys")
        service.reader.reader = FailingStore(service.store, "before", *calls)

    @pytest.mark.parametrize("seconds", [0, 3600])
    @pytest.mark.parametrize("path", [PATH, f"/timegate{PATH}", f"/timemap{PATH}"])
    def test_the_list_of_versions_never_comes_from_the_cache(self, service: Service, path: str, seconds: int) -> None:
        service.seconds += seconds
        answer = service.get(path, accept_datetime=at(1))
        assert (answer.status, answer.headers["Cache-Control"]) == (503, "no-store")

    @pytest.mark.parametrize("call", ["superseded", "superseded_between"])
    @pytest.mark.parametrize("path", [PATH, f"/timegate{PATH}", f"/timemap{PATH}"])
    def test_a_search_that_fails_gives_no_version(self, path: str, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("coolid.store.versions.SHORT_HISTORY", 0)
        service = Service(versions=40)
        service.reader.reader = FailingStore(service.store, "before", call)
        answer = service.get(path, accept_datetime=at(20.5))
        assert (answer.status, answer.headers["Cache-Control"]) == (503, "no-store")

    @pytest.mark.parametrize("path", [PATH, f"/timegate{PATH}", f"/timemap{PATH}"])
    def test_a_search_in_a_slow_store_has_more_time_than_a_redirect(self, path: str) -> None:
        service = Service(versions=10)
        present = service.store.records_by_key[OWNER, KEY]
        put_history(
            service.store,
            [replace(present, version=each, updated=MOMENT + each * YEAR / 99) for each in range(1, 2_000)],
        )
        service.reader.reader = SlowStore(service, 0.1)
        assert service.get(path, accept_datetime=at(9)).status in (200, 302)

    def test_a_cached_version_is_marked_if_the_record_is_stale(self, service: Service) -> None:
        assert "Cache-Status" not in service.get(query="memento=1").headers
        service.seconds += 3600
        answer = service.get(query="memento=1")
        assert (answer.status, answer.headers["Location"]) == (302, f"{PLACE}1")
        assert "fwd=stale" in answer.headers["Cache-Status"]
        assert service.get(query="memento=2").status == 503
        assert service.get(query="memento=9").status == 503
