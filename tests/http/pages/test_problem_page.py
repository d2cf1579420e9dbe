"""Pages of problems explain in plain words what happened and what to do, for any request."""

from collections.abc import Callable
from html.parser import HTMLParser
from string import ascii_letters, digits
from typing import Any
from unittest.mock import patch
from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid import errors
from coolid.errors import Violation
from coolid.http import errors as web_errors
from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.pages import problem_page
from coolid.http.pages.marked_text import character_name, compare, printable
from coolid.http.pages.problem_page import requested_text
from coolid.http.problem_responses import respond
from coolid.http.problem_types import PROBLEM_TYPES, UNKNOWN
from coolid.http.problems import describe
from coolid.http.public.discovery import DiscoveryEndpoint
from coolid.http.public.health import HealthEndpoint
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.schemes import lui
from coolid.model.prefixes import path_of
from coolid.model.records import Location
from coolid.wiring.resolve import OTHER_PATH_PREFIXES
from tests.support.builders.samples import BASE_URL, namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

ALLOWED = f"{digits}{ascii_letters}-".replace("u", "").replace("U", "")
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PID = f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94"
EVIL = "\u202e</title><script>alert(1)</script>\"'&amp;\x00\ud800"
REPORT = {
    "healthy": False,
    "release": "1.0",
    "time": "2025-07-10T14:22:30Z",
    "checks": [{"name": "prefixes", "state": "ok"}, {"name": "records", "state": "failed"}],
}

SAMPLES: tuple[Exception, ...] = (
    errors.TooLong(3000, 2048),
    errors.BadReference("it contains a control character (U+0000)"),
    errors.InvalidCharacter("tw0t-ywdU-94", 8, "0-9"),
    errors.InvalidLength("tw0t", 10, 4),
    errors.InvalidCheck("tw0t-ywdj-95", "94", "95"),
    errors.InvalidPattern("x", "^[0-9]+$"),
    errors.InvalidIdentifier("x", "it has no slash"),
    errors.ExtraneousText("10.1000/182 and 10.1000/183", "it contains white space"),
    errors.KeyShownOnce("epyx6gxg"),
    errors.UnknownPrefix("nope:1"),
    errors.UnknownProvider("go", "zz", ("ols",)),
    errors.NoProvider("orphan"),
    errors.UnregisteredIdentifier("mp", "tw0t-ywdj-94", ("tw0t-ywdj-94",)),
    errors.NoLocation(PID, ("https://a.example is inactive",), 7300, ("https://archive.example/x",)),
    errors.PolicyDenied(PID),
    errors.IntegrityFailure(PID, "signature", "no key of the issuer made it"),
    errors.UnknownVersion(PID, "9"),
    errors.UnknownClient("x"),
    errors.UnknownRepository("x"),
    errors.UnknownJob("x"),
    errors.UnknownUpload("x"),
    errors.WrongJobState("running", "it cannot be started"),
    errors.InvalidInput([Violation("/uri", "is not a URL"), Violation("", "is not an object")]),
    errors.BadIdempotencyKey(),
    errors.KeyReused(),
    errors.QuotaExceeded("day", 10, 86_400, 90),
    errors.TooManyChecks("minute", 30, 60, 12),
    errors.IdentifierTaken("x"),
    errors.IdempotencyRecordTaken(),
    errors.PrefixTaken("x", "is an alias of another repository"),
    errors.Exhausted(10),
    errors.Outdated("x", 2),
    errors.AlreadyWithdrawn("x"),
    errors.HomeElsewhere("x", "eu-west-1"),
    errors.CustodyOffered("x", "https://b.example"),
    errors.CustodyElsewhere("x", "https://b.example"),
    errors.NoSuchOffer("the record is not offered"),
    errors.InvalidAnswer("a version fails verification"),
    errors.OtherServiceUnavailable("https://b.example cannot be used"),
    errors.Contended("others kept changing it"),
    errors.Unauthenticated("there is no key"),
    errors.Forbidden("mint:mp"),
    errors.LineNotTried(),
    errors.HomeMoving("x", 30),
    errors.JobsNotSetUp(["JOB_BUCKET"]),
    errors.ReadOnly(),
    errors.DrawsExhausted(8),
    errors.CounterAhead(20),
    errors.SignerUnavailable("the key cannot be used"),
    errors.StoreUnavailable("the store cannot be reached"),
    errors.DeniedByPeers("linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"),
    errors.RefusedClaims("linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c", [{"issuer": "d", "reason": "not trusted"}]),
    errors.PeersUnavailable("linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c", ["https://a.example"]),
    web_errors.NoSuchAddress("there is nothing here"),
    web_errors.MethodNotAllowed("POST", ("GET", "HEAD", "OPTIONS")),
    web_errors.NotAcceptable(("application/json", "text/html")),
    web_errors.NoSuchForm(PID, {"lang": "fr"}),
    web_errors.UnknownFormat("zz", ("json", "html")),
    web_errors.UnknownStyle("citation", "zz", ("apa",)),
    web_errors.TooLongToPicture(5000),
    web_errors.PreconditionRequired("a change names its version"),
    web_errors.BadCursor("it is not one of ours"),
    web_errors.ChecksOff(),
    web_errors.UnsupportedPatch("it is none of ours"),
    web_errors.BadDatetime("it is no date"),
    web_errors.MalformedBody("it is not JSON"),
    web_errors.MalformedEvent("it is no request"),
    web_errors.BodyTooLarge("it is too large"),
    web_errors.NoTransparencyLog(),
    web_errors.NotLoggedYet(PID, 3, 60),
    web_errors.NoForeignMetadata("doi:10.5072/x"),
    web_errors.Unhealthy(["records"], REPORT),
    ZeroDivisionError("secret"),
)
ASKED = Request("GET", "/mp:tw0t-ywdU-94", headers={"accept": BROWSER}, request_id="a-request")


class Page(HTMLParser):
    """A page as it is read: what is marked with what stands before it, links with their texts, what the box has."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.language: str | None = None
        self.title = self.heading = self.box = ""
        self.main = ""
        self.marks: list[tuple[str, str]] = []
        self.links: dict[str, str] = {}
        self.tags: list[str] = []
        self._written = ""
        self._open: list[str] = []
        self._href = ""
        assert isinstance(response.body, str)
        self.text = response.body
        self.feed(response.body.encode().decode())
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.tags.append(tag)
        self._open.append(tag)
        if tag == "html":
            self.language = given["lang"]
        elif tag == "bdi":
            self._written = ""
        elif tag == "mark":
            self.marks.append((self._written, ""))
        elif tag == "a":
            self._href = given["href"] or ""
            self.links.setdefault(self._href, "")
        elif given.get("name") == "q":
            self.box = given["value"] or ""
        if tag in ("meta", "link", "input", "br"):
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if "mark" in self._open:
            self.marks[-1] = (self.marks[-1][0], self.marks[-1][1] + data)
        if "bdi" in self._open:
            self._written += data
        if "a" in self._open:
            self.links[self._href] += data
        if "title" in self._open:
            self.title += data
        if "h1" in self._open:
            self.heading += data
        if "main" in self._open:
            self.main += data


def page_of(error: Exception, request: Request = ASKED) -> Page:
    """The page that tells of an error."""
    response = respond(describe(error, BASE_URL, request.request_id), request, BASE_URL, cacheable=True)
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    return Page(response)


def slug_of(error: Exception) -> str:
    return describe(error, BASE_URL).type.slug


@pytest.fixture
def store(store: MemoryStore) -> MemoryStore:
    """Where `mp` is a namespace with one record, and `go` a prefix of the world."""
    owner = repository(canonical="2021/06/mp")
    store.repositories[owner.id] = owner
    for name in ("2021/06/mp", "mp"):
        store.put_prefix(namespace(name, owner), None)
    urls = ("https://go.example/{$id}", "https://ols.example/{$id}")
    store.put_prefix(provider_prefix("go", *urls, pattern=r"^\d+$"), None)
    one = record()
    store.records_by_key[one.repository, "tw0tywdj94"] = one
    return store


Get = Callable[..., Page]


def browsing(store: Any, returned: list[Exception] | None = None) -> Get:
    """GET as a browser does, from an application over a store; the status is looked at, too."""
    clock = FixedClock()
    routes = (
        *DiscoveryEndpoint(store.uncached, BASE_URL).routes(),
        *HealthEndpoint(store, clock, BASE_URL).routes(),
        *ResolutionEndpoint(store, clock, BASE_URL).routes(),
    )
    reported = [] if returned is None else returned
    answer = Application(routes, BASE_URL, lambda error, _: reported.append(error), public=True)

    def get(path: str, status: int, *query: tuple[str, str]) -> Page:
        response = answer(Request("GET", path, query, {"accept": BROWSER}))
        assert response.status == status
        assert not reported
        return Page(response)

    return get


@pytest.fixture
def get(store: MemoryStore) -> Get:
    return browsing(store)


class TestEveryKind:
    def test_there_is_a_sample_of_each(self) -> None:
        assert {slug_of(error) for error in SAMPLES} == {
            problem_type.slug for problem_type in (*PROBLEM_TYPES.values(), UNKNOWN)
        }

    def test_each_has_sentences_for_people(self) -> None:
        for problem_type in (*PROBLEM_TYPES.values(), UNKNOWN):
            assert problem_type.meaning.endswith(".")
            assert problem_type.action.endswith(".")
            assert not {"<", "&", "%"} & {
                *problem_type.meaning,
                *problem_type.action,
            }  # these mean something to translators

    @pytest.mark.parametrize("error", SAMPLES, ids=slug_of)
    def test_it_has_a_page_with_a_language_a_title_and_something_to_do(self, error: Exception) -> None:
        page, problem_type = page_of(error), describe(error, BASE_URL).type
        assert page.language == "en"
        assert page.title == page.heading == problem_type.title
        assert problem_type.meaning in page.main
        assert problem_type.action in page.main
        assert f"{BASE_URL}/problems/{slug_of(error)}" in page.links

    @pytest.mark.parametrize("error", SAMPLES, ids=slug_of)
    def test_nothing_in_it_breaks_out_or_hides(self, error: Exception) -> None:
        hostile = Request("GET", f"/{EVIL}", (("provider", EVIL), (EVIL, EVIL)), {"accept": BROWSER}, b"", EVIL)
        page = page_of(error, hostile)
        assert "script" not in page.tags
        assert page.tags.count("title") == 1
        assert not any(unseen in page.text for unseen in "\u202e\x00")
        assert all(link.startswith((BASE_URL, "https://", "#")) for link in page.links)

    def test_without_a_request_it_is_reported_as_json(self) -> None:
        for error in SAMPLES:
            response = respond(describe(error, BASE_URL), None, BASE_URL, cacheable=True)
            assert response.headers["Content-Type"] == "application/problem+json"

    @pytest.mark.parametrize(
        "problem_type", [*PROBLEM_TYPES.values(), UNKNOWN], ids=lambda problem_type: problem_type.slug
    )
    def test_its_type_leads_browsers_to_a_page_and_programs_to_json(self, get: Get, problem_type: Any) -> None:
        page = get(f"/problems/{problem_type.slug}", 200)
        assert page.heading == problem_type.title
        assert problem_type.action in page.main
        answer = Application(DiscoveryEndpoint(MemoryStore().uncached, BASE_URL).routes(), BASE_URL, lambda *_: None)
        response = answer(Request("GET", f"/problems/{problem_type.slug}"))
        assert (response.headers["Content-Type"], response.headers["Vary"]) == ("application/json", "Accept")


class TestAWrongCharacter:
    @given(st.text(ALLOWED, max_size=14), st.characters(exclude_characters=ALLOWED) | st.sampled_from("Uu "), st.data())
    def test_it_is_marked_where_it_stands(self, around: str, wrong: str, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(around)))
        text = around[:at] + wrong + around[at:]
        with pytest.raises(errors.InvalidCharacter) as raised:
            lui.validate(text, lui.DEFAULT_SYMBOLS)
        page = page_of(raised.value)
        ((before, mark),) = page.marks
        assert before == text[:at]
        seen = "␣" if wrong == " " else printable(wrong)
        assert mark in (seen, f"◌{seen}")
        assert f"Character {at + 1} is {character_name(wrong)}, which is not allowed." in page.main

    @pytest.mark.parametrize(
        ("symbol", "mark", "name"),
        [
            ("U", "U", "U"),
            ("а", "а", "U+0430 CYRILLIC SMALL LETTER A"),
            ("😀", "😀", "U+1F600 GRINNING FACE"),
            ("\u0301", "◌\u0301", "U+0301 COMBINING ACUTE ACCENT"),
            ("\u202e", "⟨U+202E⟩", "U+202E RIGHT-TO-LEFT OVERRIDE"),
            ("\u200b", "⟨U+200B⟩", "U+200B ZERO WIDTH SPACE"),
            (" ", "␣", "U+0020 SPACE"),
            ("\ud800", "⟨U+D800⟩", "U+D800"),
            ("<", "<", "<"),
        ],
    )
    def test_invisible_or_ambiguous_characters_are_named(self, symbol: str, mark: str, name: str) -> None:
        page = page_of(errors.InvalidCharacter(f"😀tw0{symbol}x", 4, "0-9"))
        assert page.marks == [("😀tw0", mark)]
        assert f"Character 5 is {name}, which is not allowed." in page.main

    def test_of_a_long_identifier_what_is_around_it_is_shown(self) -> None:
        page = page_of(errors.InvalidCharacter("a" * 900 + "U" + "b" * 900, 900, "0-9"))
        ((before, mark),) = page.marks
        assert (before[0], before[1:].strip("a"), mark) == ("…", "", "U")
        assert "b" * 900 not in page.text


class TestSuggestions:
    @pytest.mark.parametrize(
        ("path", "mark"),
        [
            ("/mp:tw0t-ywjd-94", ("tw0t-yw", "dj")),
            ("/mp:tw0t-ywdU-94", ("tw0t-ywd", "j")),
            ("/mp/tw0t-ywdj-9", ("tw0t-ywdj-9", "4")),
            ("/2021/06/mp/tw0tywdj95", ("tw0t-ywdj-9", "4")),
        ],
    )
    def test_they_are_links_to_what_they_name_with_what_differs_marked(
        self, get: Get, path: str, mark: tuple[str, str]
    ) -> None:
        page = get(path, 400)
        (link,) = (link for link in page.links if link.endswith("tw0t-ywdj-94"))
        assert page.links[link] == "tw0t-ywdj-94"
        assert page.marks[-1] == mark
        assert "It is at" in get(urlsplit(link).path, 302).text

    def test_there_are_some_for_what_is_well_formed_and_not_registered(self, get: Get, store: MemoryStore) -> None:
        owner = repository("x" * 10, rules=ChosenRules("[^x]+"), canonical="odd")
        store.repositories[owner.id] = owner
        store.put_prefix(namespace("odd", owner), None)
        identifier = "a/b #%é?"
        there = record(id=identifier, pid=f"{BASE_URL}/{path_of('odd', identifier)}", repository=owner.id)
        store.records_by_key[owner.id, owner.rules.validate(identifier)] = there
        page = get(f"/{path_of('odd', 'a/b #%éé?')}", 404)
        (link,) = (link for link in page.links if page.links[link] == identifier)
        assert link == there.pid
        assert "It is at" in get(urlsplit(link).path, 302).text
        assert f"{BASE_URL}/odd" in page.links
        assert "It may be mistyped or not registered yet." in page.main

    def test_of_an_ark_they_lead_behind_its_shoulder(self, get: Get, store: MemoryStore) -> None:
        rules = NoidRules(".reedeedk", "99999", "00" * 16, "fk4")
        owner = repository("r" * 10, rules=rules, canonical="ark:99999/fk4")
        store.repositories[owner.id] = owner
        store.put_prefix(namespace("ark:99999/fk4", owner), None)
        key = rules.key(300)
        there = record(id=key, pid=f"{BASE_URL}/{path_of('ark:99999/fk4', key)}", repository=owner.id)
        store.records_by_key[owner.id, key] = there
        wrong = key[:-1] + ("b" if key[-1] != "b" else "c")
        page = get(f"/ark:/99999/fk4{wrong}", 400)
        assert page.links[there.pid] == key
        assert "It is at" in get(urlsplit(there.pid).path, 302).text

    @given(st.text(max_size=12), st.text(max_size=12))
    def test_what_is_marked_is_all_that_differs(self, meant: str, written: str) -> None:
        found = compare(meant, written)
        assert "".join(piece.text for piece in found.pieces if not piece.is_marked).isprintable()
        if meant == written:
            assert (found.is_marked, found.instead) == (False, "")
        else:
            assert found.is_marked or found.instead

    @pytest.mark.parametrize(
        ("meant", "written", "mark", "instead"),
        [
            ("tw0t-ywdj-94", "TW0TYWJD94", "dj", "JD"),
            ("tw0t-ywdj-94", "tw0t-ywdj-944", "", "4"),
            ("tw0t-ywdj-94", "tw0tywdj9", "4", ""),
            ("Ab", "ab", "A", "a"),
            ("a/b", "a.b", "/", "."),
            ("ab", "ab", "", ""),
            ("tw0t-ywdj-94", "tw0t\u2013ywdj\u201394", "--", "\u2013"),
            ("tw0t-ywdj-94", "tw0t\u2013ywjd\u201394", "dj", "jd"),
            ("ab-12", "ab\xad12", "-", "⟨U+00AD⟩"),
        ],
    )
    def test_hyphens_and_case_only_count_where_nothing_else_differs(
        self, meant: str, written: str, mark: str, instead: str
    ) -> None:
        found = compare(meant, written)
        assert "".join(piece.text for piece in found.pieces if piece.is_marked) == mark
        assert found.instead == instead

    @pytest.mark.parametrize("between", ["%E2%80%93", "%E2%80%91", "%E2%88%92", "%20", "%C2%A0", "%E2%80%8B", "%C2%AD"])
    def test_what_word_processors_make_of_hyphens_is_seen_through(self, get: Get, between: str) -> None:
        page = get(f"/mp:tw0t{between}ywdj{between}94", 400)
        assert "Did you mean this existing identifier?" in page.main
        assert page.links[PID.replace("/2021/06/mp/", "/mp:")] == "tw0t-ywdj-94"

    def test_allowed_characters_are_shown_unchanged(self, get: Get) -> None:
        page = get("/mp:tw0t-ywdU-94", 400)
        assert "Allowed characters: 0-9 and a-z without u (i and l are read as 1, o as 0), or a hyphen" in page.main
        assert "It is at" in get("/mp:twot-ywdj-94", 302).text


class TestWhatCannotBeRead:
    @pytest.mark.parametrize(
        ("path", "mark"),
        [
            ("/ucum:%zz", "%zz"),
            ("/ucum:%", "%"),
            ("/a/b%0Ac", "%0A"),
            ("/a/b%ffc", "%ff"),
            ("/a/b%e2%82c", "%e2%82"),
            ("/a%c2%85b", "%c2%85"),
            ("/%ed%a0%80", "%ed"),
        ],
    )
    def test_the_part_is_marked(self, get: Get, path: str, mark: str) -> None:
        page = get(path, 400)
        assert [text for _, text in page.marks] == [mark]
        assert page.marks[0][0] == path[1:].partition(mark)[0]

    def test_what_is_too_long_is_not_shown_whole(self, get: Get) -> None:
        page = get("/mp:" + "x" * 3000, 414)
        assert "It has 3003 bytes; 2048 are allowed." in page.main
        assert len(page.text) < 6000


class TestNotFound:
    @pytest.mark.parametrize(
        ("path", "name"),
        [("/nope:1", "nope"), ("/nope/a:b", "nope"), ("/2021/06/nobody/x", "2021/06/nobody"), ("/%C3%A4&%3C:1", "ä&<")],
    )
    def test_an_unknown_prefix_is_marked_and_can_be_searched(self, get: Get, path: str, name: str) -> None:
        page = get(path, 404)
        assert page.marks == [("", name)]
        assert f"{BASE_URL}/pages/prefixes?q={quote(name, safe='')}" in page.links
        assert page.box == unquote(path[1:])

    def test_an_identifier_without_a_prefix_is_distinguished(self, get: Get) -> None:
        assert "Put the prefix and a colon in front of it" in get("/:1", 404).main
        page = get("/0000-0002-1825-0097", 404)
        assert "Put the prefix and a colon in front of it" in page.main
        assert not page.marks

    @pytest.mark.parametrize("path", ["/https://web.example/a", "/HTTP:/web.example/a", "/https:%2F%2Fweb.example%2Fa"])
    def test_the_address_of_a_web_page_is_not_taken_for_a_prefix(self, get: Get, path: str) -> None:
        page = get(path, 404)
        assert "the URL of a web page that contains no known identifier" in page.main
        assert page.box == unquote(path[1:])
        assert not page.marks
        assert f"{BASE_URL}/pages/prefixes" in page.links

    def test_an_unregistered_identifier_leads_to_its_prefix(self, get: Get) -> None:
        page = get("/mp:j3wvntkf77", 404)
        assert "mp:j3wv-ntkf-77" in page.main
        assert f"{BASE_URL}/mp" in page.links
        assert not any("prefixes?q=" in link for link in page.links)

    @pytest.mark.parametrize(("path", "query"), [("/zz/go:7", ()), ("/go:7", (("provider", "zz"),))])
    def test_of_an_unknown_provider_the_known_ones_are_links(self, get: Get, path: str, query: Any) -> None:
        page = get(path, 404, *query)
        assert page.links[f"{BASE_URL}/go:7?provider=p0"] == "p0"
        assert f"{BASE_URL}/go:7" in page.links
        assert "https://ols.example/7" in get("/go:7", 302, ("provider", "p1")).text

    def test_an_unknown_version_leads_to_the_record_and_its_versions(self, get: Get) -> None:
        page = get("/mp:tw0t-ywdj-94", 404, ("version", "9"), ("format", "json"))
        assert f"{PID}?format=html" in page.links
        assert f"{BASE_URL}/timemap/2021/06/mp/tw0t-ywdj-94" in page.links

    def test_a_record_without_a_current_location_shows_when_it_begins(self, get: Get, store: MemoryStore) -> None:
        later = Location("https://a.example/", valid_from="2025-07-12T15:00:00Z")
        store.records_by_key["r4k2-9m3x-62", "tw0tywdj94"] = record(records=(later,))
        page = get("/mp:tw0t-ywdj-94", 404)
        assert "https://a.example/ is valid from 2025-07-12T15:00:00Z" in page.main
        assert "A location becomes valid in 2 days." in page.main
        assert f"{PID}?format=html" in page.links

    def test_at_an_address_of_this_service_nothing_is_taken_for_an_identifier(self, get: Get) -> None:
        assert get("/.well-known/x", 404).box == ""

    @pytest.mark.parametrize("beginning", [each for each in OTHER_PATH_PREFIXES if not each.startswith("/time")])
    def test_so_it_is_at_each_that_resolution_leaves_alone(self, beginning: str) -> None:
        assert requested_text(Request("GET", f"{beginning.rstrip('/')}/x")) == ""


class TestForms:
    def test_of_an_unknown_format_those_that_there_are_are_links(self, get: Get, store: MemoryStore) -> None:
        said = {"who": "Somebody", "what": "Something", "when": "2025"}
        store.records_by_key["r4k2-9m3x-62", "tw0tywdj94"] = record(metadata=said)
        page = get("/mp:tw0t-ywdj-94", 406, ("format", "zz\u202e"))
        forms = [link for link in page.links if "?format=" in link]
        assert forms[0] == f"{BASE_URL}/mp:tw0t-ywdj-94?format=html"
        for link in forms:
            if not link.endswith("jws"):  # it has no proof
                get("/mp:tw0t-ywdj-94", 200, ("format", link.rpartition("=")[2]))

    def test_of_an_unknown_style_those_that_there_are_are_links(self) -> None:
        page = page_of(web_errors.UnknownStyle("citation", "zz", ("apa",)))
        assert f"{BASE_URL}/mp:tw0t-ywdU-94?format=citation&style=apa" in page.links

    def test_a_claim_without_a_place_in_the_record_is_reported(self, get: Get, store: MemoryStore) -> None:
        german = Location("https://a.example/", media_type="application/pdf", language="de")
        store.records_by_key["r4k2-9m3x-62", "tw0tywdj94"] = record(records=(german,))
        page = get("/mp:tw0t-ywdj-94", 406, ("lang", "fr"))
        assert "lang=fr" in page.main
        assert f"{PID}?format=html" in page.links


class TestComingBack:
    def test_while_the_store_is_gone_there_is_a_page_to_try_again_from(self, store: MemoryStore) -> None:
        page = browsing(FailingStore(store, "before", "prefixes", "record"))("/mp:x", 503, ("a", "b&c"))
        assert "Try again in 5 seconds." in page.main
        assert page.links[f"{BASE_URL}/mp:x?a=b%26c"] == "Try again"
        assert page.box == "mp:x"

    def test_health_describes_failures_in_words(self, store: MemoryStore) -> None:
        page = browsing(FailingStore(store, "before", "record"))("/health", 503)
        assert "Looking up prefixes: works" in page.main
        assert "Looking up identifiers: does not work" in page.main
        assert f"{BASE_URL}/health" in page.links

    def test_a_quota_shows_when_it_is_available_again(self) -> None:
        assert "Try again in 1 minute." in page_of(errors.QuotaExceeded("day", 10, 86_400, 90)).main

    def test_what_was_sent_is_not_sent_again_by_a_link(self) -> None:
        request = Request("POST", "/api/v1/records", headers={"accept": BROWSER})
        page = page_of(errors.StoreUnavailable("x"), request)
        assert "Try again" not in page.links.values()

    def test_an_unexpected_error_shows_its_id_and_nothing_else(self) -> None:
        page = page_of(ZeroDivisionError("secret"))
        assert "Number of the report: a-request" in page.main
        assert "secret" not in page.text


class TestAChoice:
    def test_each_location_shows_its_distinguishing_properties(self, get: Get, store: MemoryStore) -> None:
        owner = repository("c" * 10, choices=True, canonical="choices")
        store.repositories[owner.id] = owner
        store.put_prefix(namespace("choices", owner), None)
        places = (
            Location("https://a.example/1", media_type="application/pdf", language="de", size=2_047_583),
            Location("https://a.example/2", media_type="application/pdf", language="de", version="<2>"),
        )
        two = record(repository=owner.id, records=places, metadata={"what": "Two & more"})
        store.records_by_key[owner.id, "tw0tywdj94"] = two
        page = get("/choices:tw0t-ywdj-94", 300)
        assert page.title == page.heading == "Two & more"
        assert page.links["https://a.example/1"] == "https://a.example/1"
        for said in ("application/pdf", "de", "2.0 MB", "<2>"):
            assert said in page.main
        assert f"{two.pid}?format=html" in page.links
        store.records_by_key[owner.id, "tw0tywdj94"] = replace(two, metadata={"what": "\u200b"})
        page = get("/choices:tw0t-ywdj-94", 300)
        assert page.title == page.heading == two.id


def test_where_a_page_fails_there_is_json(store: MemoryStore) -> None:
    returned: list[Exception] = []
    answer = Application(
        DiscoveryEndpoint(store.uncached, BASE_URL).routes(), BASE_URL, lambda error, _: returned.append(error)
    )
    with patch.object(problem_page, "page_of", side_effect=ZeroDivisionError):
        response = answer(Request("GET", "/.well-known/x", headers={"accept": BROWSER}))
    assert (response.status, response.headers["Content-Type"]) == (500, "application/problem+json")
    assert [type(error) for error in returned] == [ZeroDivisionError]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_every_query_gets_a_page_with_the_query_in_its_box(text: str) -> None:
    path = f"/x{quote(text, safe='/:')}"
    returned: list[Exception] = []
    routes = ResolutionEndpoint(MemoryStore().uncached, FixedClock(), BASE_URL).routes()
    response = Application(routes, BASE_URL, lambda error, _: returned.append(error))(
        Request("GET", path, (), {"accept": BROWSER})
    )
    assert not returned
    assert Page(response).box == (f"x{text}" if text.isprintable() else path[1:])
