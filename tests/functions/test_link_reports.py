"""The link report: its content, its readers, its formats, and what is no longer listed."""

import csv
import re
import xml.etree.ElementTree as ET
from base64 import b64encode
from datetime import timedelta
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

import pytest

from coolid.health.link_report import MAX_STATES_READ
from coolid.http.formats.csv import write
from coolid.identifiers.schemes import lui
from coolid.model.check_state import CheckState, CheckSubject, repository_owner, target_name
from coolid.model.conditions import DEGRADED, DOWN, UP
from coolid.model.records import format_time
from tests.support.builders.samples import BASE_URL, MOMENT
from tests.support.fixtures.application import RECORDS, InMemoryApplication
from tests.support.fixtures.system import Answer, System
from tests.support.stores.store_wrappers import FailingStore

OWNER = "r4k2-9m3x-62"
LINKS = "/api/v1/links"
ATOM = "{http://www.w3.org/2005/Atom}"
AGO = MOMENT - timedelta(days=3)
BEFORE = AGO - timedelta(hours=1)


def pulse(uri: str, state: str = DOWN, **members: Any) -> CheckState:
    known = {"reason": "it answered 404", "status": 404} if state != UP else {"status": 200}
    return CheckState(url=uri, state=state, since=AGO, checked=MOMENT, **{"good": BEFORE, **known, **members})


def minted(app: InMemoryApplication, *uris: str, **members: Any) -> dict[str, Any]:
    answer = app.mint({"prefix": "demo", "records": [{"uri": uri} for uri in uris], **members})
    assert answer.status == 201, answer.body
    found: dict[str, Any] = answer.json()
    return found


def see(app: InMemoryApplication, document: dict[str, Any], seen: CheckState) -> None:
    subject = CheckSubject(repository_owner(OWNER), target_name(lui.validate(document["id"]), seen.url))
    app.store.put_check_state(subject, seen)


def ailing(app: InMemoryApplication, number: int = 1, state: str = DOWN, **members: Any) -> list[dict[str, Any]]:
    """So many records, each with a location that ails so."""
    made = []
    for at in range(number):
        uri = f"https://content.example.org/{state}/{at}"
        made.append(minted(app, uri))
        see(app, made[-1], pulse(uri, state, **members))
    return made


def report(app: InMemoryApplication, query: str = "", prefix: str = "demo", **options: Any) -> Answer:
    return app.request("GET", f"{LINKS}/{prefix}", query=query, **options)


def returned(app: InMemoryApplication, query: str = "", prefix: str = "demo") -> Any:
    answer = report(app, query, prefix)
    assert answer.status == 200, answer.body
    return answer.json()


def read(feed: str) -> ET.Element:
    return ET.fromstring(feed)  # noqa: S314 - it is ours


class TestWhatIsInIt:
    def test_a_dead_link_is_reported_with_its_evidence(self) -> None:
        app = InMemoryApplication()
        (dead,) = ailing(app)
        assert returned(app) == {
            "prefix": "demo",
            "repository": OWNER,
            "totals": {"down": 1, "degraded": 0, "moved": 0},
            "links": [
                {
                    "pid": dead["pid"],
                    "uri": "https://content.example.org/down/0",
                    "state": "down",
                    "since": format_time(AGO),
                    "reason": "it answered 404",
                    "status": 404,
                    "lastGood": format_time(BEFORE),
                    "lastChecked": format_time(MOMENT),
                    "moved": None,
                }
            ],
            "next": None,
        }

    @pytest.mark.parametrize("prefix", ["demo", "DEMO", "2021/06/demo", "2021/06/Demo"])
    def test_every_prefix_of_the_repository_reports_the_same(self, prefix: str) -> None:
        app = InMemoryApplication()
        ailing(app, 2)
        assert returned(app, prefix=prefix)["links"] == returned(app)["links"]

    def test_a_link_that_is_up_is_not_reported(self) -> None:
        app = InMemoryApplication()
        ailing(app, state=UP)
        assert returned(app)["links"] == []

    def test_states_are_chosen_and_what_moved_may_be_dead_besides(self) -> None:
        app = InMemoryApplication()
        ailing(app, 2)
        ailing(app, state=DEGRADED)
        ailing(app, state=UP, moved="https://new.example/")
        both = minted(app, "https://content.example.org/both")
        see(app, both, pulse("https://content.example.org/both", moved="https://new.example/both"))
        assert returned(app)["totals"] == {"down": 3, "degraded": 1, "moved": 2}
        found = {
            state: sorted(each["state"] for each in returned(app, f"state={state}")["links"])
            for state in ("down", "degraded", "moved", "down,moved", "down,degraded,moved")
        }
        assert found == {
            "down": ["down"] * 3,
            "degraded": ["degraded"],
            "moved": ["down", "up"],
            "down,moved": ["down"] * 3 + ["up"],
            "down,degraded,moved": ["degraded", "down", "down", "down", "up"],
        }

    def test_links_of_other_repositories_are_not_reported(self) -> None:
        app = InMemoryApplication()
        (dead,) = ailing(app)
        name = target_name(lui.validate(dead["id"]), "https://content.example.org/down/0")
        app.store.check_states_by_subject = {
            CheckSubject(repository_owner("other"), name): pulse("https://content.example.org/down/0")
        }
        assert returned(app)["links"] == []


class TestWhatIsNotInItAnyMore:
    def test_a_link_that_the_record_names_no_longer(self) -> None:
        app = InMemoryApplication()
        (dead,) = ailing(app)
        app.change("PATCH", f"{RECORDS}/demo:{dead['id']}", {"records": [{"uri": "https://content.example.org/new"}]})
        assert returned(app) == returned(InMemoryApplication()) | {"links": []}

    def test_a_link_that_was_given_up_or_is_not_yet_or_no_longer_to_be_used(self) -> None:
        app = InMemoryApplication()
        uri = "https://content.example.org/down/0"
        (dead,) = ailing(app)
        for members in (
            {"status": "inactive"},
            {"validUntil": "2021-01-01T00:00:00Z"},
            {"validFrom": "2031-01-01T00:00:00Z"},
        ):
            answer = app.change("PATCH", f"{RECORDS}/demo:{dead['id']}", {"records": [{"uri": uri, **members}]})
            assert answer.status == 200
            assert returned(app)["links"] == []
        app.change("PATCH", f"{RECORDS}/demo:{dead['id']}", {"records": [{"uri": uri, "language": "de"}]})
        assert [each["uri"] for each in returned(app)["links"]] == [uri]

    def test_a_withdrawn_record_and_a_reserved_one(self) -> None:
        app = InMemoryApplication()
        (dead,) = ailing(app)
        app.change("DELETE", f"{RECORDS}/demo:{dead['id']}", {"reason": "It was wrong"})
        hidden = minted(app, "https://content.example.org/hidden", status="reserved")
        see(app, hidden, pulse("https://content.example.org/hidden"))
        assert returned(app)["links"] == []

    def test_a_record_that_there_is_not(self) -> None:
        app = InMemoryApplication()
        app.store.put_check_state(
            CheckSubject(repository_owner(OWNER), target_name("nokey", "https://a.example/")), pulse("x:")
        )
        assert returned(app)["links"] == []

    def test_the_target_of_a_repository_counts_for_records_without_locations(self) -> None:
        app = InMemoryApplication()
        tag = app.request("GET", f"/api/v1/repositories/{OWNER}").headers["etag"]
        patch = {"target": "https://content.example.org/all/{$id}"}
        assert app.change("PATCH", f"/api/v1/repositories/{OWNER}", patch, tag).status == 200
        bare = minted(app)
        uri = f"https://content.example.org/all/{bare['id']}"
        see(app, bare, pulse(uri))
        assert [each["uri"] for each in returned(app)["links"]] == [uri]


class TestPages:
    @pytest.mark.parametrize("limit", [1, 7, 100])
    def test_every_link_is_returned_once(self, limit: int) -> None:
        app = InMemoryApplication()
        made = ailing(app, 23)
        found: list[str] = []
        query = f"limit={limit}"
        while True:
            answer = report(app, query)
            page = answer.json()
            assert len(page["links"]) <= limit
            found += [each["pid"] for each in page["links"]]
            assert (page["next"] is None) == ("link" not in answer.headers)
            assert (page["totals"] is None) == (limit < 23)
            if page["next"] is None:
                break
            following, _, relation = answer.headers["link"].partition("; ")
            assert relation == 'rel="next"'
            assert following.startswith(f"<{BASE_URL}{LINKS}/demo?")
            query = urlsplit(following[1:-1]).query
        assert sorted(found) == sorted(each["pid"] for each in made)

    def test_a_page_ends_after_many_reads_with_few_results(self) -> None:
        app = InMemoryApplication()
        uri = "https://content.example.org/gone"
        keys = [lui.encode(at) for at in range(MAX_STATES_READ + 50)]
        for key in keys:
            app.store.put_check_state(CheckSubject(repository_owner(OWNER), target_name(key, uri)), pulse(uri))
        page = returned(app)
        assert (page["links"], page["totals"]) == ([], None)
        assert returned(app, f"cursor={page['next']}") == page | {"next": None}
        assert app.store.calls["ailing"] <= MAX_STATES_READ // 100 + 2

    @pytest.mark.parametrize("form", ["json", "atom", "csv"])
    def test_a_page_ends_where_a_function_could_not_answer_with_more(
        self, monkeypatch: pytest.MonkeyPatch, form: str
    ) -> None:
        room = 60_000
        monkeypatch.setattr("coolid.http.pagination.MAX_PAGE_BYTES", room)
        app = InMemoryApplication()
        uris = {f"https://content.example.org/?{at}{'&' * 2_000}" for at in range(7)}
        for uri in uris:
            see(app, minted(app, uri, metadata={"what": "&" * 300}), pulse(uri, moved=uri))
        pages: list[set[str]] = []
        query = f"format={form}"
        while query:
            answer = report(app, query)
            assert len(answer.body.encode()) <= room
            pages.append(set(re.findall(r"content\.example\.org/\?(\d)", answer.body)))
            query = urlsplit(answer.headers.get("link", "").partition(">")[0]).query
        assert sorted(each for page in pages for each in page) == [str(at) for at in range(7)]

    def test_the_state_parameter_is_not_repeated_in_the_link_to_the_next_page(self) -> None:
        app = InMemoryApplication()
        ailing(app, 3)
        answer = report(app, f"limit=2&state=moved,{'down,' * 1_400}down")
        assert "state=down%2Cmoved&" in answer.headers["link"]
        assert len(answer.headers["link"]) < 300

    def test_a_cursor_of_another_list_is_refused(self) -> None:
        app = InMemoryApplication()
        cursor = app.request("GET", "/api/v1/prefixes", query="limit=1").json()["next"]
        assert report(app, f"cursor={cursor}").status == 400


class TestAuthority:
    def test_a_client_that_may_list_the_records_of_a_prefix_may_read_its_report(self) -> None:
        app = InMemoryApplication()
        ailing(app)
        for scope, status in [
            ("admin", 200), ("mint:demo", 200), ("update:demo", 200), ("update:2021/06", 403), ("mint:other", 403),
        ]:  # fmt: skip
            key = app.key_with(scope)
            assert (
                report(app, key=key).status
                == status
                == app.request("GET", RECORDS, key=key, query="prefix=demo").status
            )

    def test_the_watch_scope_allows_reading_reports_only(self) -> None:
        app = InMemoryApplication()
        (dead,) = ailing(app)
        made = app.request("POST", "/api/v1/clients", {"scopes": ["watch:demo"]})
        assert made.status == 201, made.body
        key = made.json()["key"]
        assert report(app, key=key).status == 200
        assert report(app, prefix="2021/06/demo", key=key).status == 403
        assert app.mint(key=key).status == 403
        assert app.request("GET", RECORDS, key=key, query="prefix=demo").status == 403
        assert app.change("PATCH", f"{RECORDS}/demo:{dead['id']}", {"ttl": 5}, key=key).status == 403
        assert app.request("PUT", f"/api/v1/webhooks/{OWNER}", {"url": "https://a.example/"}, key=key).status == 403

    def test_a_key_may_be_the_password_of_anybody(self) -> None:
        app = InMemoryApplication()
        ailing(app)
        pair = b64encode(f"feeds:{app.key_with('update:demo')}".encode()).decode()
        answer = report(app, "format=atom", key=None, headers=[("Authorization", f"Basic {pair}")])
        assert (answer.status, answer.headers["content-type"]) == (200, "application/atom+xml")

    @pytest.mark.parametrize("given", [None, "Bearer nonsense", "Basic !", "Basic " + b64encode(b"a:b").decode()])
    def test_an_unauthenticated_request_gets_both_challenges(self, given: str | None) -> None:
        answer = report(InMemoryApplication(), key=None, headers=[("Authorization", given)] if given else [])
        assert answer.status == 401
        assert answer.headers["www-authenticate"] == 'Basic realm="coolid", charset="UTF-8", Bearer realm="coolid"'
        assert answer.headers["content-type"] == "application/problem+json"

    def test_elsewhere_a_password_opens_nothing(self) -> None:
        app = InMemoryApplication()
        pair = b64encode(f"feeds:{app.admin_key}".encode()).decode()
        answer = app.request(
            "GET", RECORDS, key=None, query="prefix=demo", headers=[("Authorization", f"Basic {pair}")]
        )
        assert (answer.status, answer.headers["www-authenticate"]) == (401, 'Bearer realm="coolid"')


@pytest.mark.parametrize(
    ("prefix", "query", "status"),
    [
        ("nowhere", "", 404),
        ("go", "", 422),
        ("demo", "state=dead", 422),
        ("demo", "state=down,", 422),
        ("demo", "limit=0", 422),
        ("demo", "format=rss", 406),
        ("demo", "cursor=x", 400),
    ],
)
def test_what_cannot_be_reported_is_refused(prefix: str, query: str, status: int) -> None:
    answer = report(InMemoryApplication(), query, prefix)
    assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json")


def test_a_store_that_does_not_answer_is_no_empty_report() -> None:
    app = InMemoryApplication()
    ailing(app)
    for call in ("ailing", "records"):
        app.use_store(FailingStore(app.store, "before", call))
        assert report(app).status == 503


class TestAtom:
    """Against the MUSTs of RFC 4287, sections 3 and 4."""

    def feed(self, app: InMemoryApplication, query: str = "format=atom") -> ET.Element:
        answer = report(app, query)
        assert (answer.status, answer.headers["content-type"]) == (200, "application/atom+xml"), answer.body
        return read(answer.body)

    def one(self, element: ET.Element, name: str) -> str:
        (found,) = element.findall(f"{ATOM}{name}")
        assert found.text
        return found.text

    def links(self, element: ET.Element) -> dict[str, str]:
        found = [(each.attrib["rel"], each.attrib["href"]) for each in element.findall(f"{ATOM}link")]
        assert len(dict(found)) == len(found)
        return dict(found)

    def test_a_feed_has_what_it_must_and_an_entry_for_each_link(self) -> None:
        app = InMemoryApplication()
        dead, other = ailing(app, 2)
        see(app, other, pulse("https://content.example.org/down/1", good=None, moved="https://new.example/?a=1&b=2"))
        feed = self.feed(app)
        assert feed.tag == f"{ATOM}feed"
        assert self.one(feed, "id").startswith("urn:uuid:")
        assert self.one(feed, "title") == "Links of A repository"
        assert self.one(feed, "updated") == format_time(AGO)
        (author,) = feed.findall(f"{ATOM}author")
        assert self.one(author, "name") == "A repository"
        assert self.links(feed) == {"self": f"{BASE_URL}{LINKS}/demo?format=atom"}
        entries = {self.links(each)["related"]: each for each in feed.findall(f"{ATOM}entry")}
        assert entries.keys() == {"https://content.example.org/down/0", "https://content.example.org/down/1"}
        ids = {self.one(each, "id") for each in entries.values()} | {self.one(feed, "id")}
        assert len(ids) == 3
        for at, record in enumerate((dead, other)):
            entry = entries[f"https://content.example.org/down/{at}"]
            assert self.one(entry, "updated") == format_time(AGO)
            assert self.one(entry, "title").startswith("Dead: ")
            assert self.links(entry)["alternate"] == f"{record['pid']}?format=html"
            assert self.one(entry, "content").startswith(
                f"{record['pid']} leads to https://content.example.org/down/{at}."
            )
        terms = [
            each.attrib["term"] for each in entries["https://content.example.org/down/1"].findall(f"{ATOM}category")
        ]
        assert terms == ["down", "moved"]
        assert "redirects permanently to https://new.example/?a=1&b=2." in self.one(
            entries["https://content.example.org/down/1"], "content"
        )

    def test_ids_stay_while_states_change_and_whatever_the_prefix_is_called(self) -> None:
        app = InMemoryApplication()
        (record,) = ailing(app)

        def ids(feed: ET.Element) -> list[str | None]:
            return [each.text for each in feed.iter(f"{ATOM}id")]

        before = ids(self.feed(app))
        see(app, record, pulse("https://content.example.org/down/0", DEGRADED, reason="another"))
        assert ids(self.feed(app)) == before
        assert ids(read(report(app, "format=atom", "2021/06/demo").body)) == before

    def test_an_empty_feed_is_one_nevertheless(self) -> None:
        app = InMemoryApplication()
        feed = self.feed(app)
        assert self.one(feed, "updated") == format_time(app.store.repositories[OWNER].created)
        assert feed.findall(f"{ATOM}entry") == []

    def test_a_conditional_request_gets_304(self) -> None:
        app = InMemoryApplication()
        (record,) = ailing(app)
        tag = report(app, "format=atom").headers["etag"]
        assert report(app, "format=atom", headers=[("If-None-Match", tag)]).status == 304
        see(app, record, pulse("https://content.example.org/down/0", DEGRADED))
        assert report(app, "format=atom", headers=[("If-None-Match", tag)]).status == 200

    def test_pages_follow_one_another(self) -> None:
        app = InMemoryApplication()
        ailing(app, 3)
        feed = self.feed(app, "format=atom&limit=2&state=down")
        following = urlsplit(self.links(feed)["next"])
        assert following.path == f"{LINKS}/demo"
        rest = self.feed(app, following.query)
        assert len(rest.findall(f"{ATOM}entry")) == 1
        assert self.links(rest)["self"] == self.links(feed)["next"]
        assert self.one(rest, "id") == self.one(feed, "id") != self.one(self.feed(app), "id")
        assert "next" not in self.links(rest)

    def test_nothing_that_records_or_hosts_say_is_markup_or_unfit_for_xml(self) -> None:
        app = InMemoryApplication()
        uri = "https://content.example.org/?a=1&b=%3Cx%3E"
        record = minted(app, uri, metadata={"what": "<b>Tea</b> & \x00\x1b[31m\ufffe]]>"})
        see(app, record, pulse(uri, reason="<script>&\x07"))
        (entry,) = self.feed(app).findall(f"{ATOM}entry")
        assert self.one(entry, "title").startswith("Dead: <b>Tea</b> &")
        assert "<script>&\ufffd" in self.one(entry, "content")
        assert [each.tag for each in entry.iter() if not each.tag.startswith(ATOM)] == []


class TestCsv:
    def test_a_line_for_each_link_below_the_names(self) -> None:
        app = InMemoryApplication()
        ailing(app, 2)
        answer = report(app, "format=csv")
        assert answer.headers["content-type"] == "text/csv; charset=utf-8; header=present"
        assert answer.headers["content-disposition"] == 'attachment; filename="links.csv"'
        rows = list(csv.DictReader(StringIO(answer.body)))
        told_in_json = [
            {name: "" if value is None else str(value) for name, value in each.items()}
            for each in returned(app)["links"]
        ]
        assert rows == told_in_json

    @pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r", "\n"])
    def test_nothing_is_a_formula(self, begins: str) -> None:
        written = f'{begins}HYPERLINK("https://evil.example/")'
        ((cell, plain),) = csv.reader(StringIO(write([[written, "it = well"]]), newline=""))
        assert (cell, plain) == (f"'{written}", "it = well")


def test_the_report_is_the_same_over_the_real_store(fresh: System) -> None:
    uri = "https://content.example.org/dead"
    made = fresh.mint({"prefix": "demo", "uri": uri}).json()
    store = fresh.store()
    owner = repository_owner(made["repository"])
    store.check_states.put_check_state(CheckSubject(owner, target_name(lui.validate(made["id"]), uri)), pulse(uri))
    store.check_states.put_check_state(CheckSubject(owner, target_name("nokey", uri)), pulse(uri))
    answer = fresh.request("GET", f"{LINKS}/2021/06/demo", key=fresh.admin_key)
    assert answer.status == 200, answer.body
    assert [each["pid"] for each in answer.json()["links"]] == [made["pid"]]
