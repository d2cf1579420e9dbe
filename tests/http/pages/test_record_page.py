"""The page of a record, that of an older version, and the tombstone."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.pages.custody_view import MAX_PERIODS
from coolid.http.pages.history_view import MAX_CHANGES, MAX_VERSIONS
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.response_cache import ResponseCache
from coolid.model.records import INACTIVE, RESERVED, WITHDRAWN, Location, Record, Withdrawal
from coolid.resolution.cache import RECORD_TTL
from coolid.resolution.caching_reader import PAUSE_SECONDS, CachingReader
from tests.support.builders.complete_record import METADATA, ORCID, complete_record, texts_in
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PLACE = "https://content.example.org/v1"
OWNER = "r4k2-9m3x-62"
KEY = "tw0tywdj94"
PATH = "/mp:tw0t-ywdj-94"
PID = f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94"


def raised(error: Exception, _: Request) -> None:
    raise AssertionError("nobody foresaw this") from error


@dataclass
class Service:
    """A warm function with a memory and ready-made answers."""

    store: MemoryStore = field(default_factory=MemoryStore)
    seconds: float = 1000.0

    def __post_init__(self) -> None:
        support = {"what": "Kept for good", "who": "A library"}
        self.owner = repository(canonical="2021/06/mp", support=support, denied_domains=("denied.example",))
        self.store.repositories[self.owner.id] = self.owner
        for name in ("2021/06/mp", "mp"):
            self.store.put_prefix(namespace(name, self.owner), None)
        self.store.put_prefix(provider_prefix("isbn", "https://isbn.example/{$id}"), None)
        self.reader = CachingReader(self.store, lambda: self.seconds)
        routes = ResolutionEndpoint(self.reader, FixedClock(), BASE_URL).routes()
        self._answer = Application(routes, BASE_URL, raised, public=True, cache=ResponseCache())

    def put(self, *versions: Mapping[str, Any]) -> Record:
        """Write the record's versions, the first one first; each has what it says beside what is usual."""
        current: Record | None = None
        for number, members in enumerate(versions, start=1):
            written = record(version=number, updated=MOMENT + timedelta(days=number), **members)
            if current is None:
                self.store.create_record(written)
            else:
                self.store.replace_record(written, current)
            current = written
        assert current is not None
        return current

    def get(self, query: str = "format=html", accept: str | None = BROWSER, path: str = PATH) -> Response:
        pairs = tuple((name, value) for name, _, value in (each.partition("=") for each in query.split("&")) if name)
        return self._answer(Request("GET", path, pairs, {"accept": accept} if accept else {}))

    def page(self, query: str = "format=html") -> str:
        """The page without what only scripts read of it."""
        answer = self.get(query)
        assert answer.status in (200, 410)
        assert isinstance(answer.body, str)
        return re.sub(r' data-said="[^"]*"', "", re.sub(r'<span data-said="[^"]*">([^<]*)</span>', r"\1", answer.body))

    def fail(self, *calls: str) -> None:
        self.reader.reader = FailingStore(self.store, "before", *calls)


class SmallAnswers:
    """A reader whose answers have room for few versions."""

    def __init__(self, store: MemoryStore, fits: int) -> None:
        self._store = store
        self._fits = fits

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def history(self, repository: str, key: str, newest: int) -> Sequence[Record]:
        return self._store.history(repository, key, newest)[: self._fits]


@pytest.fixture
def service() -> Service:
    return Service()


def text_of(page: str) -> str:
    """What a reader reads: all text of the page's content on one line."""
    main = page.partition('<main id="main">')[2].partition("</main>")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", main)).split())


RICH: dict[str, Any] = {
    "how": "Boiled",
    "what": "Tea",
    "who": ["Lee, Ann", {"name": "Doe, Bo", "nameIdentifiers": [{"nameIdentifier": "0000-0001-5109-3700"}]}],
    "rightsList": [{"rights": "CC BY 4.0", "rightsUri": "https://creativecommons.org/licenses/by/4.0/"}],
    "dates": [{"date": "2024-05", "dateType": "Issued"}],
    "relatedIdentifiers": [
        {"relatedIdentifier": "10.1000/182", "relatedIdentifierType": "DOI", "relationType": "IsPartOf"}
    ],
    "fundingReferences": [{"funderName": "A fund", "awardNumber": 7}],
    "geoLocations": [{"geoLocationPoint": {"pointLatitude": 1.5, "pointLongitude": 2}}],
    "": {"": [None, True]},
}


class TestRecord:
    def test_every_text_of_a_complete_description_is_on_the_page(self, service: Service) -> None:
        service.put({"metadata": METADATA, "records": complete_record().records})
        page = " ".join(unescape(service.page()).split())
        missing = {text for text in texts_in(METADATA) if " ".join(text.split()) not in page}
        assert missing == {"0000 0001 2281 955X"}  # the page writes it without spaces
        for text in ("isni.org/isni/000000012281955X", "orcid.org/0000-0002-1825-0097", "1.2 MB", "text/csv", "CERN"):
            assert text in page

    def test_the_description_is_in_words_and_links(self, service: Service) -> None:
        service.put({"metadata": RICH})
        page = service.page()
        assert "<title>Tea</title>" in page
        assert re.findall("<dt>([^<]*)</dt>", page)[:4] == ["Title", "By", "ORCID", "How"]
        assert '<a href="https://orcid.org/0000-0001-5109-3700" rel="noreferrer">Doe, Bo</a>' in page
        assert f'<a href="{ORCID}" rel="noreferrer">{ORCID}</a>' in page
        assert '<a href="https://creativecommons.org/licenses/by/4.0/" rel="noreferrer">CC BY 4.0</a>' in page
        assert '<a href="https://doi.org/10.1000/182" rel="noreferrer">10.1000/182</a>' in page
        returned = text_of(page)
        assert "2024-05 (Issued)" in returned
        assert "Funding references A fund (Award number: 7)" in returned
        assert not re.search(r"[\[\]{}]|None|True\b", returned)

    def test_a_location_has_its_description_and_an_unsafe_one_is_text(self, service: Service) -> None:
        checksum = {"algorithm": "sha256", "value": "abc"}
        old = Location(f"{PLACE}/old", status=INACTIVE)
        good = Location(PLACE, media_type="application/pdf", language="de", size=2_047_583, checksum=checksum)
        over = Location(f"{PLACE}/over", valid_until="2025-07-01T00:00:00Z")
        service.put({"records": (good, old, over)})
        page = service.page()
        assert f'<a href="{PLACE}" rel="noreferrer" hreflang="de">{PLACE}</a>' in page
        assert "Type application/pdf Language de Size 2.0 MB Checksum (sha256) abc" in text_of(page)
        assert f"<code>{PLACE}/old</code>" in page
        assert f"<code>{PLACE}/over</code>" in page
        assert f'href="{PLACE}/o' not in page

    @pytest.mark.parametrize(
        ("scheme", "identifier", "address"),
        [
            ("doi", "10.1000/182", f"{BASE_URL}/doi:10.1000/182"),
            ("DOI", "https://doi.org/10.1000/A", f"{BASE_URL}/doi:10.1000/a"),
            ("handle", "20.500.1/x", f"{BASE_URL}/hdl:20.500.1/x"),
            ("ark", "ark:/12345/x5-4xz", f"{BASE_URL}/ark:12345/x54xz"),
            ("ISBN", "isbn:978", f"{BASE_URL}/isbn:978"),
            ("url", "https://a.example/", "https://a.example/"),
            ("nobodys", "7", None),
            ("doi", "no DOI", None),
            ("javascript", "javascript:alert(1)", None),
        ],
    )
    def test_another_identifier_is_led_to_where_this_service_resolves_its_scheme(
        self, service: Service, scheme: str, identifier: str, address: str | None
    ) -> None:
        service.put({"alternates": ({"scheme": scheme, "identifier": identifier},)})
        found = re.search(
            r'<dt>[^<]*</dt><dd>(?:<a href="([^"]*)" rel="noreferrer">|<code>)' + re.escape(identifier), service.page()
        )
        assert found
        assert found[1] == address

    def test_it_is_cited_in_text_and_for_reference_managers(self, service: Service) -> None:
        service.put({"metadata": RICH})
        page = service.page()
        returned = service.get("format=citation", None).body
        assert isinstance(returned, str)
        assert returned.strip() in text_of(page)
        for form in ("bibtex", "ris", "csl"):
            assert f'href="?format={form}"' in page

    def test_it_has_its_linked_data_with_it(self, service: Service) -> None:
        service.put({"metadata": {**RICH, "description": "</script><script>"}})
        block = re.search(r'<script type="application/ld\+json">(.*?)</script>', service.page())
        assert block
        returned = service.get("format=jsonld", None).body
        assert isinstance(returned, str)
        assert json.loads(block[1]) == json.loads(returned)

    def test_where_it_will_be_is_text_until_it_is_there(self, service: Service) -> None:
        awaited = Location(PLACE, valid_from="2999-01-01T00:00:00Z")
        service.put({"records": (awaited,)}, {"records": (awaited, Location("https://content.example.org/now"))})
        page = service.page()
        assert page.index(">Locations<") < page.index("https://content.example.org/now</a>")
        assert (
            page.index("<h3>Future locations</h3>")
            < page.index(f"<code>{PLACE}</code>")
            < page.index(">1 January 2999")
        )
        older = service.page("format=html&version=1")
        assert f'href="{PLACE}"' not in older.partition("<main")[2]
        assert '<h2 id="where">Future locations</h2>' in older

    def test_a_location_on_a_denied_host_is_no_link(self, service: Service) -> None:
        denied = Location("https://x.denied.example/")
        service.put({"records": (denied,)}, {"records": (denied, Location(PLACE))})
        page = service.page()
        assert f'href="{denied.uri}"' not in page
        assert page.index(f">{PLACE}</a>") < page.index("<h3>Denied locations</h3>") < page.index(denied.uri)
        assert ">Open it<" in page
        alone = Service()
        alone.put({"records": (denied,)})
        assert '<h2 id="where">Denied locations</h2>' in alone.page()
        assert ">Open it<" not in alone.page()

    def test_what_stands_in_the_record_as_it_is_shown_says_where(self, service: Service) -> None:
        metadata = {"what": "Tea", "who": ["Lee, Ann", {"name": "Doe, Bo"}], "a/b": "x" * 500, "n": 7}
        service.put({"metadata": metadata, "records": (Location(PLACE),)})
        page = str(service.get().body)
        places = re.findall(r'<(\w+)[^>]* data-said="([^"]*)"', page)
        assert places == [
            ("h1", "/metadata/what"), ("a", "/pid"), ("a", "/records/0/uri"), ("span", "/metadata/what"),
            ("span", "/metadata/who/0"), ("span", "/metadata/who/1/name"), ("summary", "/metadata/a~1b"),
            ("p", "/metadata/a~1b"),
        ]  # fmt: skip

    def test_what_nobody_has_said_anything_of_has_a_page_as_well(self, service: Service) -> None:
        service.put({"records": ()})
        returned = text_of(service.page())
        assert returned.startswith("tw0t-ywdj-94 This page describes it. It has no location")
        assert "Commitment Kept for good – A library" in returned
        assert "How to cite" not in returned

    def test_the_picture_every_form_and_the_head_belong_to_it(self, service: Service) -> None:
        service.put({"metadata": {"what": "Tea", "description": "Long " * 100}})
        page = service.page()
        assert 'src="?format=qr"' in page
        assert 'href="?format=qr&amp;style=png"' in page
        assert f'<link rel="canonical" href="{PID}">' in page
        description = re.search('<meta name="description" content="([^"]*)"', page)
        assert description
        assert 100 < len(description[1]) <= 200
        for form in ("linkid", "linkset", "jsonld", "ttl", "erc", "datacite", "citation"):
            assert f'href="?format={form}"' in page

    @pytest.mark.parametrize(
        "metadata",
        [
            {"what": "x" * 300_000},
            {f"element{number}": "y" * 3_000 for number in range(100)},
            {"subjects": ["z" * 30 for _ in range(9_000)]},
            {"who": [{"name": f"Person {number}", "affiliation": ["w" * 50]} for number in range(3_000)]},
            {"x": json.loads("[" * 90 + '"deep"' + "]" * 90), "y": json.loads('{"a":' * 90 + "1" + "}" * 90)},
            {"x" * 1_000: {"y" * 100_000: 1}},
        ],
    )
    def test_however_large_a_record_its_page_is_not(self, service: Service, metadata: dict[str, Any]) -> None:
        service.put({"metadata": {}}, {"metadata": metadata}, {"metadata": {}}, {"metadata": metadata})
        page = service.page()
        assert len(page) < 180_000
        assert f'href="{PID}?format=linkid"' in page


class TestHistory:
    def test_each_version_says_what_changed_against_the_one_before(self, service: Service) -> None:
        place = Location(PLACE, size=1_000)
        doi = {"scheme": "doi", "identifier": "10.1/x"}
        green = {"what": "Green tea"}
        larger = (replace(place, size=2_000), Location(f"{PLACE}/2"))
        service.put(
            {"metadata": {"what": "Tea"}, "records": (place,)},
            {"metadata": green, "records": (place,), "alternates": (doi,)},
            {"metadata": {**green, "who": "Ann"}, "records": larger},
        )
        page = service.page()
        returned = text_of(page).partition("History")[2]
        assert 'href="?version=2&amp;format=html"' in page
        newest, middle, first = (returned.index(f"Version {number}") for number in (3, 2, 1))
        assert newest < middle < first
        assert "Added: By Ann" in returned[newest:middle]
        assert f"Location {PLACE} : size 1000 → 2000" in returned[newest:middle]
        assert f"Added: Location {PLACE}/2" in returned[newest:middle]
        assert "Removed: doi 10.1/x" in returned[newest:middle]
        assert "Changed: Title Tea → Green tea" in returned[middle:first]
        assert "Added: doi 10.1/x" in returned[middle:first]
        assert "The first version" in returned[first:]

    def test_it_ends_after_some_and_leads_to_the_rest_within_what_a_page_may_be(self, service: Service) -> None:
        service.put(*({"metadata": {**RICH, "what": f"Tea {number}"}} for number in range(30)))
        page = service.page()
        assert page.count('<time datetime="') == MAX_VERSIONS + 2
        assert page.count("Changed: Title") == MAX_VERSIONS
        assert "These are the newest versions." in page
        assert "The first version" not in page
        assert f'href="{BASE_URL}/timemap/2021/06/mp/tw0t-ywdj-94"' in page
        assert len(page) < 20_000

    @pytest.mark.parametrize("count", [1, MAX_VERSIONS, MAX_VERSIONS + 1, MAX_VERSIONS + 2])
    def test_it_leads_to_the_rest_only_if_there_is_one(self, service: Service, count: int) -> None:
        service.put(*({"metadata": {"what": f"Tea {number}"}} for number in range(count)))
        page = service.page()
        assert page.count('<time datetime="') == min(count, MAX_VERSIONS) + 2
        assert ("These are the newest versions." in page) == (count > MAX_VERSIONS)
        assert ("The first version" in page) == (count <= MAX_VERSIONS)

    @pytest.mark.parametrize("fits", [1, 2, 3])
    def test_a_partial_history_is_marked_as_partial(self, service: Service, fits: int) -> None:
        service.put(*({"metadata": {"what": f"Tea {number}"}} for number in range(5)))
        service.reader.reader = SmallAnswers(service.store, fits)
        page = service.page()
        assert page.count('<time datetime="') == max(1, fits - 1) + 2
        assert page.count("Changed:") == fits - 1
        assert "These are the newest versions." in page
        assert "The first version" not in page

    def test_the_page_of_a_version_long_ago_contains_the_newest_as_well(self, service: Service) -> None:
        service.put(*({"metadata": {"what": f"Tea {number}"}} for number in range(1, 41)))
        page = service.page("version=3&format=html")
        assert "This is an older version, 3 of 40," in text_of(page)
        assert '<a href="?format=html">The current version</a>' in page
        assert 'href="?version=40&amp;format=html"' in page
        assert 'href="?version=4&amp;format=html"' not in page
        assert "shown here" not in page

    def test_many_changes_are_counted(self, service: Service) -> None:
        service.put({}, {"metadata": {f"element{number}": number for number in range(MAX_CHANGES + 5)}})
        assert "and 5 more changes" in service.page()

    def test_reserved_versions_are_never_shown(self, service: Service) -> None:
        service.put({"status": RESERVED, "metadata": {"what": "Secret"}}, {"metadata": {"what": "Public"}})
        page = service.page()
        assert "Secret" not in page
        assert "Version 1" not in page
        assert "The first version" in page

    def test_the_page_of_an_older_version_says_so_and_leads_to_the_current_one(self, service: Service) -> None:
        service.put({"metadata": {"what": "Old"}}, {"metadata": {"what": "New"}}, {"metadata": {"what": "Newest"}})
        for query in ("version=2&format=html", "memento=2&format=html"):
            page = service.page(query)
            assert "This is an older version, 2 of 3," in text_of(page)
            assert '<a href="?format=html">The current version</a>' in page
            assert "<title>New – version 2</title>" in page
            assert 'href="?format=ttl&amp;version=2"' in page
            assert "Open it" not in page
        assert "an older version" not in service.page("version=3&format=html")


@pytest.mark.parametrize("title", ["\u200b", "\u200e \xa0", "\u3164", ["\u2060", "\u2800"], "   "])
def test_a_title_of_which_nothing_is_visible_is_none(service: Service, title: Any) -> None:
    written = service.put({"metadata": {"what": title}})
    page = service.page()
    assert f'<h1 dir="auto" lang="">{written.id}</h1>' in page
    assert f"<title>{written.id}" in page


IMPORTED = {"source": "EZID", "identifier": "ark:/99999/fk4x<b>", "created": "2011-03-22T16:45:37Z"}


@pytest.mark.parametrize("status", ["active", WITHDRAWN])
def test_an_imported_record_shows_what_its_source_claims(service: Service, status: str) -> None:
    versions: list[dict[str, Any]] = [{"metadata": {"what": "Tea", "imported": IMPORTED}}]
    if status == WITHDRAWN:
        claims = IMPORTED | {"updated": "2012-03-22T16:45:37Z", "targets": ["http://a.example/b c"]}
        gone = {"status": WITHDRAWN, "withdrawn": Withdrawal(LATER, "It was wrong")}
        versions.append({"metadata": {"what": "Tea", "imported": claims}, **gone})
    service.put(*versions)
    text = text_of(service.page())
    changed = " , last changed on 22 March 2012 , with the target http://a.example/b c" if status == WITHDRAWN else ""
    sentence = "there it was ark:/99999/fk4x<b> , created on 22 March 2011"
    assert f"Imported from EZID on 10 July 2025 ; {sentence}{changed} ." in text
    assert "Imported source" not in text.partition("History")[0]


A, B = "https://a.example.org", BASE_URL
AT = "2026-10-08T12:00:00Z"
UUID = "00c538ea846b47a6a3d470a9ebd29d7c"


def offered(to: str) -> dict[str, Any]:
    return {"offer": {"to": to, "at": AT}}


def transferred(sender: str, to: str) -> dict[str, Any]:
    return {"transfers": [{"from": sender, "to": to, "at": AT, "version": 3, "acceptance": "e.y.J"}]}


def custody_versions(sender: str, to: str) -> list[dict[str, Any]]:
    """A record, its offer, its transfer, and the first version of the recipient."""
    at_recipient = (Location(f"{to}/linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"),)
    common = {"issuer": sender, "pid": f"{sender}/lid:{UUID}", "id": UUID, "proof": "e.y.J"}
    return [
        common | {"metadata": {"what": "Tea"}},
        common | {"metadata": {"what": "Tea", "linkid": offered(to)}},
        common | {"metadata": {"what": "Tea", "linkid": transferred(sender, to)}, "records": at_recipient},
        common | {"metadata": {"what": "Tea", "linkid": transferred(sender, to)}, "issuer": to, "pid": f"{to}/x"},
    ]


def history_in(text: str) -> str:
    return text.partition("versions")[2].partition("For programs")[0]


class TestCustody:
    """The sender's service and the recipient's are the same here, as the one or the other issuer."""

    def test_an_offered_record_names_the_recipient_and_cannot_be_withdrawn(self, service: Service) -> None:
        service.put(*custody_versions(B, A)[:2])
        page = service.page()
        text = text_of(page)
        assert f"On 8 October 2026 , it was offered to {A} . Until the offer is accepted or revoked, the record" in text
        assert f"{B} 10 July 2025 now" in text
        assert f"Offered to {A}" in history_in(text)
        assert "linkid" not in history_in(text)
        assert 'id="keep"' not in page
        assert "keep.js" not in page

    def test_a_revoked_offer_is_only_in_the_history(self, service: Service) -> None:
        first, second, *_ = custody_versions(B, A)
        service.put(first, second, first)
        page = service.page()
        text = text_of(page)
        assert "Custody" not in text
        assert f"Offer revoked: {A}" in history_in(text)
        assert 'id="keep"' in page

    @pytest.mark.parametrize("is_gone", [False, True])
    def test_a_record_that_was_given_away_leads_to_the_next_authority(self, service: Service, is_gone: bool) -> None:
        versions = custody_versions(B, A)[:3]
        if is_gone:
            gone = {"status": WITHDRAWN, "withdrawn": Withdrawal(LATER, "It was wrong"), "records": ()}
            versions = [each | gone for each in versions[1:]]
        service.put(*versions)
        page = service.page()
        text = text_of(page)
        assert f"Since 8 October 2026 , {A} is the authority for this identifier. The record there may be newer" in text
        assert f'<a href="{A}/linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c?format=html"' in page
        assert f"{B} 10 July 2025 8 October 2026 {A} 8 October 2026 not known here" in text
        assert f"Transferred to {A}" in history_in(text)
        assert "Location" not in history_in(text)
        assert "linkid" not in history_in(text)
        assert 'id="keep"' not in page
        assert ("This was withdrawn on" in text) is is_gone

    def test_a_received_record_names_the_former_authority(self, service: Service) -> None:
        service.put(*custody_versions(A, B))
        page = service.page()
        text = text_of(page)
        assert f"{A} 10 July 2025 8 October 2026 {B} 8 October 2026 now" in text
        assert f"Version 4 , 14 July 2025, 14:22 UTC · current · shown here Taken over from {A} Version 3" in text
        assert "is the authority for this identifier" not in text
        assert 'id="keep"' in page

    def test_its_versions_of_the_former_authority_link_to_this_service(self, service: Service) -> None:
        service.put(*custody_versions(A, B))
        page = service.page("version=2&format=html")
        assert '<a href="?format=html">The current version</a>' in page
        assert '<a href="?format=jws&amp;version=2">' in page
        assert f"On 8 October 2026 , it was offered to {B} ." in text_of(page)

    def test_a_copy_without_an_offer_is_the_record_of_another_service(self, service: Service) -> None:
        first, *_ = custody_versions(A, B)
        service.put(first | {"stated_repository": "another"})
        page = service.page()
        assert f'<li><a href="{A}/lid:{UUID}" rel="noreferrer">' in page
        assert 'id="keep"' not in page

    def test_a_revoked_identifier_is_one(self, service: Service) -> None:
        gone = {"status": WITHDRAWN, "withdrawn": Withdrawal(LATER, "It was wrong")}
        service.put({}, {"metadata": {"linkid": {"state": "revoked"}}, **gone})
        text = text_of(service.page())
        assert "The authority for the identifier revoked it." in text
        assert "state" not in text.partition("History")[0]

    @pytest.mark.parametrize("member", ["linkid:4711", {"offer": "b"}, {"of": "mine"}, ["a"]])
    def test_a_member_of_another_form_is_metadata(self, service: Service, member: Any) -> None:
        service.put({"metadata": {"linkid": member}})
        text = text_of(service.page())
        assert "Custody" not in text
        assert "Linkid" in text

    def test_many_transfers_are_shown_in_part(self, service: Service) -> None:
        chain = [
            *zip(
                [f"https://{n}.example.org" for n in range(30)],
                [f"https://{n}.example.org" for n in range(1, 31)],
                strict=True,
            )
        ]
        transfers = [transferred(sender, to)["transfers"][0] for sender, to in chain]
        service.put({"issuer": "https://30.example.org", "metadata": {"linkid": {"transfers": transfers}}})
        assert service.page().count('<tr><td><a href="https://') == MAX_PERIODS


@pytest.mark.parametrize(
    "claims", ["EZID", {"source": "EZID"}, IMPORTED | {"more": 1}, IMPORTED | {"created": 7}, IMPORTED | {"targets": 7}]
)
def test_claims_of_another_form_are_metadata(service: Service, claims: Any) -> None:
    service.put({"metadata": {"imported": claims}})
    text = text_of(service.page())
    assert "EZID" in text
    assert "Imported from" not in text


def test_the_first_title_of_which_something_is_visible_is_the_heading(service: Service) -> None:
    service.put({"metadata": {"what": ["\u200b", "Tea"]}})
    assert '<h1 dir="auto" lang="">Tea</h1>' in service.page()


class TestTombstone:
    @pytest.mark.parametrize(
        ("successor", "address"),
        [
            ("https://new.example/", "https://new.example/"),
            ("doi:10.1000/x y", f"{BASE_URL}/doi:10.1000/x%20y"),
            ("2021/06/mp/zzzz-zzzz-90", f"{BASE_URL}/2021/06/mp/zzzz-zzzz-90"),
        ],
    )
    def test_it_says_what_it_was_when_and_why_it_went_and_what_to_use(
        self, service: Service, successor: str, address: str
    ) -> None:
        gone = Withdrawal(LATER, "It was <b>wrong</b>", successor)
        was = {"metadata": {"what": "Tea", "who": "Lee, Ann"}, "records": (Location(PLACE),)}
        service.put(
            was, {**was, "records": (Location(PLACE, status=INACTIVE),), "status": WITHDRAWN, "withdrawn": gone}
        )
        answer = service.get("")
        assert answer.status == 410
        page = service.page("")
        returned = text_of(page)
        assert returned.startswith("Tea This was withdrawn on 2 January 2026 . The reason: It was <b>wrong</b>")
        assert f'<a href="{address}" rel="noreferrer">{successor}</a>' in page
        assert "Former content" in returned
        assert f"<code>{PLACE}</code>" in page
        assert f'href="{PLACE}"' not in page
        assert "[Withdrawn on 2026-01-02" in returned  # the citation
        history = returned.partition("History")[2]
        assert "Withdrawn: It was <b>wrong</b>" in history
        assert "inactive" not in history
        assert "Open it" not in page
        older = text_of(service.page("version=1&format=html"))
        assert "This is an older version, 1 of 2," in older
        assert "The identifier was withdrawn later" in older

    @pytest.mark.parametrize("reason", ["   ", "\u200b\u3164"])
    def test_of_a_reason_that_cannot_be_seen_nothing_is_said(self, service: Service, reason: str) -> None:
        service.put({}, {"status": WITHDRAWN, "withdrawn": Withdrawal(LATER, reason)})
        returned = text_of(str(service.get("").body))
        assert "This was withdrawn on 2 January 2026" in returned
        assert "The reason:" not in returned
        assert "Withdrawn:" not in returned
        assert "Withdrawn" in returned.partition("History")[2]
        assert "Withdrawn:" not in text_of(service.page("version=1&format=html"))


class TestOutage:
    """A page without its history is of use, but is not what others should be given a minute later."""

    def test_without_the_history_the_page_comes_and_says_so(self, service: Service) -> None:
        service.put({"metadata": {"what": "Tea"}}, {"metadata": {"what": "Green tea"}})
        service.get("format=erc")
        service.fail("history")
        for query in ("format=html", "version=2&format=html", "memento=2&format=html"):
            answer = service.get(query)
            assert answer.status == 200
            assert "The history is not available at the moment." in str(answer.body)
            assert answer.headers["Cache-Control"] == (
                "public, max-age=10, s-maxage=10, must-revalidate, stale-if-error=0"
            )
        service.fail()
        service.seconds += PAUSE_SECONDS
        assert "Version 1" in service.page()

    def test_while_the_store_is_left_alone_after_a_failure_the_page_comes_at_once(self, service: Service) -> None:
        service.put({"alternates": ({"scheme": "isbn", "identifier": "978"},)})
        service.get("format=erc")
        service.fail("history")
        service.page()
        service.fail()
        service.store.calls.clear()
        assert "The history is not available at the moment." in service.page()
        assert service.store.calls == {}
        service.seconds += PAUSE_SECONDS
        assert "The first version" in service.page()

    def test_a_memento_is_cached_as_long_as_others_once_its_history_can_be_read(self, service: Service) -> None:
        service.put({"metadata": {"what": "Tea"}}, {"metadata": {"what": "Green tea"}})
        for query in ("memento=1&format=html", "memento=2&format=html"):
            assert "must-revalidate" not in service.get(query).headers["Cache-Control"]

    def test_stale_responses_are_marked(self, service: Service) -> None:
        service.put({"metadata": {"what": "Tea"}})
        service.page()
        service.seconds += 1_000
        service.fail("prefixes", "record", "history")
        answer = service.get()
        assert answer.headers["Cache-Status"].startswith("coolid; fwd=stale")
        assert "Tea" in str(answer.body)

    def test_without_the_prefixes_other_identifiers_are_text(self, service: Service) -> None:
        service.put({"alternates": ({"scheme": "isbn", "identifier": "978"},)})
        service.get("format=erc")
        service.fail("prefixes")
        answer = service.get()
        assert "<dd><code>978</code></dd>" in str(answer.body)
        assert "The first version" in str(answer.body)
        assert "max-age=10," in answer.headers["Cache-Control"]


class TestRemembered:
    def test_the_page_of_a_cached_record_contains_nothing_beyond_it(self, service: Service) -> None:
        first = service.put({"metadata": {"what": "Tea"}})
        service.get("format=erc")
        service.store.replace_record(replace(first, version=2, metadata={"what": "Green tea"}), first)
        assert "Version 2" not in service.page()
        service.seconds += RECORD_TTL
        assert "Changed: Title Tea → Green tea" in text_of(service.page())

    def test_the_history_takes_one_question_and_only_for_the_page(self, service: Service) -> None:
        service.put({"metadata": {"what": "Tea"}}, {"metadata": {"what": "Green tea"}})
        for query, requested in (("format=erc", 0), ("format=qr", 0), ("", 0), ("format=html", 1), ("info", 2)):
            service.get(query)
            assert service.store.calls["history"] == requested

    def test_a_page_is_not_cached_because_its_history_is_read_each_time(self, service: Service) -> None:
        service.put({"metadata": {"what": "Tea"}})
        assert len({service.page() for _ in range(3)}) == 1
        assert service.store.calls["history"] == 3


@pytest.mark.parametrize(
    "value",
    [None, 7, 1.5, True, "", [], {}, [[]], [{}], [None], {"values": [{"data": 7}, 5, {"type": None, "data": {}}]}],
)
def test_metadata_of_any_shape_has_a_page_and_a_difference(service: Service, value: Any) -> None:
    names = ("who", "what", "handle", "titles", "dates", "descriptions", "rightsList", "publisher")
    service.put({}, {"metadata": dict.fromkeys(names, value)}, {"metadata": dict.fromkeys(names, "else")})
    for query in ("version=2&format=html", "format=html"):
        assert service.get(query).status == 200
