"""The edge function: the service answers a normalised request exactly as the original one."""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import cache
from itertools import chain, cycle, islice, product
from typing import Any, ClassVar

from msgspec.structs import replace

from coolid.http.accept import HTML, JSON, choose_format, client_preferences, prefers_html
from coolid.http.application import Application
from coolid.http.dialects.handle import proxy_parameters
from coolid.http.dialects.registry_endpoints import RegistryEndpoints
from coolid.http.formats.catalog import REPRESENTATIONS
from coolid.http.linkid.result_requests import PUBLIC
from coolid.http.message import Request, Response
from coolid.http.parameters import TLOG_PROOF, format_names
from coolid.http.public import prefix_browser
from coolid.http.public.discovery import PARAMETERS, DiscoveryEndpoint
from coolid.http.public.home import HomePage
from coolid.http.public.linkid_results import PublicResultEndpoint
from coolid.http.public.prefix_browser import PrefixBrowser
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.public.timemaps import TimeMapEndpoint
from coolid.http.routes import Route
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import linkid
from coolid.linkid.peer_queries import FORWARD
from coolid.model.prefixes import join
from coolid.model.records import INACTIVE, WITHDRAWN, Location, Withdrawal
from coolid.model.repositories import Repository
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from coolid.resolution.content_negotiation import choose
from tests.infra.client_headers import LANGUAGES, ODD, PAGES, PROGRAMS, QUERIES, SAFARI, made_up
from tests.infra.edge_function import DOMAIN, Asked, answers, asking, code, folded
from tests.support.builders.samples import MOMENT, namespace, provider_prefix, record
from tests.support.effort import size
from tests.support.fixtures.ports import FixedClock, KeySigner, prover
from tests.support.stores.memory_store import MemoryStore

BASE_URL = f"https://{DOMAIN}"
PDF, PNG, WEBP, LD, TURTLE = "application/pdf", "image/png", "image/webp", "application/ld+json", "text/turtle"

OFFERS = tuple(media_type for each in REPRESENTATIONS for media_type in (each.media_type, *each.synonyms))


def place(media_type: str | None = None, language: str | None = None, **members: Any) -> Location:
    """A location whose address says what it is."""
    return Location(f"https://content.example.org/{media_type}/{language}", "active", media_type, language, **members)


LOCATIONS = {
    "untyped": (place(),),
    "pdf": (place(PDF),),
    "several": (place(PDF, quality=0.9), place(HTML, quality=0.8), place(LD), place(TURTLE, quality=0.0)),
    "equal": (place(PNG), place(WEBP), place("image/avif"), place()),
    "parameters": (place("text/html;charset=utf-8"), place('application/ld+json; profile="x"'), place("text/csv;v=b3")),
    "languages": (place(None, "de", quality=0.85), place(None, "en-US"), place(None, "en"), place(None, "fr"), place()),
    "both": tuple(place(kind, tag) for kind, tag in product((PDF, HTML), ("de", "en", "de-CH"))),
    "versions": (place(PDF, version="1"), place(PDF, "en", version="2"), place(HTML, version="2")),
    "nowhere": (Location("https://content.example.org/gone", INACTIVE),),
    "later": (place(PDF, valid_from="2030-01-01T00:00:00Z"), place(HTML, "de")),
    "data": (),
}
LINKIDS = {
    name: f"linkid:00c538ea-846b-47a6-a3d4-{number:012}" for number, name in enumerate(("both", "versions", "gone"))
}
ADDRESSES = (
    *(f"{path}{linkid}" for path in ("/", PUBLIC) for linkid in LINKIDS.values()),
    f"{PUBLIC}linkid:4711",
    *(f"/{prefix}:{name}" for prefix in ("one", "many") for name in LOCATIONS),
    "/one:signed",
    "/one:withdrawn",
    "/one:cited",
    "/10.5072/both",
    "/10.5072/several",
    "/doi:10.5072/languages",
    "/10.5072/withdrawn",
    "/hdl:11.1234/x",
    "/one:unregistered",
    "/one:UNREGISTERED!",
    "/one:pdf/chapter",
    "/one",
    "/resolve/one:pdf",
    f"/{BASE_URL}/one:pdf",
    "/https://doi.org/10.5281/zenodo.31780",
    "/doi:10.5281/zenodo.31780",
    "/go:0006915",
    "/go:x",
    "/strict:x",
    "/orphan:1",
    "/go",
    "/nobody:1",
    "/%zz",
    "/",
    "/pages/prefixes",
    "/problems/bad-reference",
    "/.well-known/linkid-resolver",
    "/.well-known/nothing",
    "/robots.txt",
    "/timegate/one:several",
    "/timegate/one:withdrawn",
    "/timemap/one:several",
    "/.info/one:several",
    "/.info/go:0006915",
)
TYPED = tuple(query for query in QUERIES if query and re.search("q=|page|%71", query))
"""Queries of pages: what is typed into their boxes."""
MOMENTS = (None, "Mon, 01 Jan 2001 00:00:00 GMT", "nonsense")
"""`Accept-Datetime`."""


def application() -> Application:
    """Everything that the edge fetches, over records of many kinds; `many` offers choices, `one` extends its own."""
    store = MemoryStore()
    plain = Repository("one", "A repository", MOMENT, MOMENT, ChosenRules("[a-z]+"))
    handles = replace(plain, id="10.5072", rules=ChosenRules("[a-z]+", folds_case=True))
    for owner in (replace(plain, passthrough=True), replace(plain, id="many", choices=True), handles):
        name = owner.id
        store.repositories[name] = owner
        store.put_prefix(namespace(name, replace(owner, canonical=name)), None)
        for each, locations in LOCATIONS.items():
            pid = f"{BASE_URL}/{join(name, each)}"
            known = record(each, name, id=each, pid=pid, records=locations)
            store.create_record(known)
    signed = record("signed", "one", id="signed", pid=f"{BASE_URL}/one:signed", proof="a.b.c")
    store.create_record(signed)
    said = {"who": "Lee, Ann", "what": "A thing", "when": "2025"}
    store.create_record(replace(signed, id="cited", key="cited", pid=f"{BASE_URL}/one:cited", metadata=said))
    last = replace(signed, id="withdrawn", key="withdrawn", pid=f"{BASE_URL}/one:withdrawn")
    store.create_record(last)
    gone = Withdrawal(MOMENT + timedelta(days=1), "it was an example", None)
    tombstone = replace(last, version=2, status=WITHDRAWN, withdrawn=gone, records=())
    store.replace_record(tombstone, store.records_by_key["one", "withdrawn"])
    genes = provider_prefix("go", "https://a.example/{$id}", "https://b.example/{$id}", pattern=r"^\d+$")
    store.put_prefix(genes, None)
    store.put_prefix(replace(genes, name="strict", strict=True), None)
    store.put_prefix(provider_prefix("doi", "https://doi.example/{$id}"), None)
    store.put_prefix(provider_prefix("hdl", "https://hdl.example/{$id}?x=1"), None)
    store.put_prefix(provider_prefix("orphan"), None)
    clock = FixedClock()
    put_linkids(store, clock)
    return Application(routes(store.uncached, clock), BASE_URL, unforeseen, public=True)


def routes(reader: CachingReader, clock: FixedClock) -> tuple[Route, ...]:
    """Return the routes of everything that the edge fetches."""
    apart = (*DiscoveryEndpoint(reader, BASE_URL).routes(), *TimeMapEndpoint(reader, clock, BASE_URL).routes())
    directory = Directory()
    pages = PrefixBrowser(reader, BASE_URL, directory).routes()
    resolution = ResolutionEndpoint(reader, clock, BASE_URL)
    reading = (
        *HomePage(reader, clock, BASE_URL, directory).routes(),
        *PublicResultEndpoint(resolution).routes(),
        *resolution.routes(),
    )
    others = (*RegistryEndpoints(reader, clock, BASE_URL, directory).routes(), *pages, *reading)
    return (*apart, *others)


def put_linkids(store: MemoryStore, clock: FixedClock) -> None:
    """Put signed records with LinkIDs into the store."""
    owner = Repository("linkids", "LinkIDs", MOMENT, MOMENT, UuidRules(4), canonical="linkid")
    store.repositories[owner.id] = owner
    store.put_prefix(namespace("linkid", owner), None)
    proving = prover(store, clock, KeySigner())
    for name, identifier in LINKIDS.items():
        key = linkid.validate(identifier)
        known = record(key, owner.id, id=key, pid=f"{BASE_URL}/{identifier}", records=LOCATIONS.get(name, ()))
        if name == "gone":
            known = replace(known, status=WITHDRAWN, withdrawn=Withdrawal(MOMENT, "it was an example", None))
        store.create_record(proving.prove(known))


@cache
def answering() -> Callable[[Request], Response]:
    """What the application answers; each request is made once, for to many of them the edge folds others."""
    requested, known = application(), dict[tuple[Any, ...], Response]()

    def answer(request: Request) -> Response:
        key = (request.method, request.path, request.query, tuple(sorted(request.headers.items())))
        if key not in known:
            known[key] = requested(request)
        return known[key]

    return answer


def unforeseen(error: Exception, _: Request) -> None:
    raise AssertionError("nobody foresaw this") from error


def said() -> Iterator[Asked]:
    """What real clients say and what is odd, in every pair of a language with a query, and beside each `Accept`."""
    accepts = cycle((*PAGES.values(), *PROGRAMS, *ODD))
    languages, queries = cycle(LANGUAGES), cycle(QUERIES)
    yield from (asking(next(accepts), language, query) for language, query in product(LANGUAGES, QUERIES))
    yield from (asking(accept, next(languages)) for accept in (*PAGES.values(), *PROGRAMS, *ODD))
    yield from (asking(accept, None, next(queries)) for accept in (*PAGES.values(), *PROGRAMS, *ODD))


def imagined(number: int) -> Iterator[Asked]:
    """Requests with made-up headers: so many, and in `make test` a tenth of them."""
    rng = random.Random(20250710)
    for _ in range(size(drill=number, test=number // 10)):
        accept, language = made_up(rng)
        query = rng.choice((None, None, *QUERIES))
        yield Asked(query, (("accept", accept), ("accept-language", language)))


def accept_of(requested: Asked) -> str | None:
    return requested.request("/").headers.get("accept")


def variants(*groups: Iterable[Asked]) -> list[int]:
    """How many answers of one address the cache would keep for each group of requests."""
    listed = [list(group) for group in groups]
    sent = iter(folded(chain.from_iterable(listed)))
    return [len(set(islice(sent, len(group)))) for group in listed]


class TestAnswers:
    def test_they_are_the_same_at_every_address(self) -> None:
        answer = answering()
        addresses = cycle(ADDRESSES)
        requests = [*said(), *imagined(800)]
        for requested, sent, address in zip(requests, folded(requests), addresses, strict=False):
            assert answer(sent.request(address)) == answer(requested.request(address)), (address, requested, sent)

    def test_every_accept_gets_the_same_of_every_record(self) -> None:
        answer = answering()
        requests = [asking(accept, "de, en;q=0.5") for accept in (*PAGES.values(), *PROGRAMS, *ODD)]
        for requested, sent in zip(requests, folded(requests), strict=True):
            for name in LOCATIONS:
                address = f"/many:{name}"
                assert answer(sent.request(address)) == answer(requested.request(address)), (address, requested, sent)

    def test_every_language_gets_the_same_of_records_in_several(self) -> None:
        answer = answering()
        queries = (None, "format=pdf", "format=pdf&info", "info", "lang=", "lang=de", "version=2", "format=html")
        requests = [asking(SAFARI, language, query) for language, query in product(LANGUAGES, queries)]
        for requested, sent in zip(requests, folded(requests), strict=True):
            results = [f"{path}{LINKIDS[name]}" for path in ("/", PUBLIC) for name in ("both", "versions")]
            for address in ("/one:both", "/many:both", "/one:languages", "/one:versions", *results):
                assert answer(sent.request(address)) == answer(requested.request(address)), (address, requested, sent)

    def test_every_parameter_gets_the_same_of_records_of_every_kind(self) -> None:
        answer = answering()
        requests = [
            replace(requested, headers=(*requested.headers, *((("Accept-Datetime", moment),) if moment else ())))
            for moment, query in product(MOMENTS, QUERIES)
            for requested in [asking(SAFARI if moment else None, "de, en;q=0.5", query)]
        ]
        chosen = "/(10.*(both|drawn)|api|linkid|doi:10.5072|one:(cited|withdrawn)|hdl|go:0|timeg.*several)"
        addresses = [each for each in ADDRESSES if re.match(chosen, each)]
        for requested, sent in zip(requests, folded(requests), strict=True):
            for address in addresses:
                assert answer(sent.request(address)) == answer(requested.request(address)), (address, requested, sent)

    def test_every_text_that_is_typed_gets_the_same_of_the_pages(self) -> None:
        answer = answering()
        accepts = (None, SAFARI, "application/json")
        requests = [asking(accept, "de, en;q=0.5", query) for accept, query in product(accepts, TYPED)]
        statuses: dict[str, set[int]] = {}
        for requested, sent in zip(requests, folded(requests), strict=True):
            for address in ("/", "/pages/prefixes"):
                expected = answer(requested.request(address))
                assert answer(sent.request(address)) == expected, (address, requested, sent)
                statuses.setdefault(address, set()).add(expected.status)
        assert statuses == {"/": {200, 303}, "/pages/prefixes": {200, 404}}

    def test_the_same_is_chosen_of_any_locations(self) -> None:
        rng = random.Random(1)
        requests = list(imagined(1500))
        kinds = (None, PDF, HTML, PNG, LD, TURTLE, "text/html;level=1", "text/csv")
        tags = (None, "de", "de-CH", "en", "en-US", "fr", "zh")
        for requested, sent in zip(requests, folded(requests), strict=True):
            places = tuple(
                place(rng.choice(kinds), rng.choice(tags), quality=rng.choice((None, 1.0, 0.9, 0.5, 0.0)))
                for _ in range(rng.randrange(5))
            )
            # The query settles some of it, which is for the other tests.
            one, other = (client_preferences(replace(each, query=None).request("/")) for each in (requested, sent))
            if sent.query is None:
                assert choose(places, OFFERS, one) == choose(places, OFFERS, other), (requested, sent)
            one, other = replace(one, languages=None), replace(other, languages=None)
            assert choose(places, OFFERS, one) == choose(places, OFFERS, other), (requested, sent)
            assert prefers_html(accept_of(sent)) == prefers_html(accept_of(requested)), (requested, sent)
            assert choose_format(accept_of(sent), (JSON, HTML)) == choose_format(accept_of(requested), (JSON, HTML))

    def test_other_methods_are_refused_as_the_service_refuses_them(self) -> None:
        answer = answering()
        requests = [asking(method=method) for method in ("POST", "PUT", "PATCH", "DELETE")]
        for requested, response in zip(requests, answers(requests), strict=True):
            refusal = answer(requested.request("/one:pdf"))
            assert response["statusCode"] == refusal.status == 405
            assert json.loads(response["body"]) == json.loads(refusal.body)
            headers = {name: each["value"] for name, each in response["headers"].items()}
            assert headers == {name.lower(): refusal.headers[name] for name in refusal.headers if name != "Vary"}

    def test_reads_and_options_are_passed_on(self) -> None:
        methods = ["GET", "HEAD", "OPTIONS"]
        assert [each["method"] for each in answers(asking(method=method) for method in methods)] == methods


class TestForms:
    def test_accept_has_one_for_each_meaning(self) -> None:
        forms = {
            None: "*/*",
            "*/*": "*/*",
            SAFARI: SAFARI,
            "Application/JSON ; q=1.0 , text/html; Q=.50": "application/json,text/html;q=0.5",
            "text/html;q=0.5, application/pdf, image/png": "application/pdf,image/png,text/html;q=0.5",
            "text/html;q=0, text/*, image/png, */*;q=0": "image/png,text/*,*/*;q=0,text/html;q=0",
            "*; q=.2, text/html; charset=UTF-8, */*; q=.2": "text/html;charset=utf-8,*/*;q=0.2",
            'Text/HTML;p="x"': 'Text/HTML;p="x"',
        }
        assert [accept_of(sent) for sent in folded(map(asking, forms))] == [*forms.values()]

    def test_so_has_accept_language(self) -> None:
        forms = {
            None: "*",
            "*": "*",
            "EN ;q=0.50, de-CH": "de-ch,en;q=0.5",
            "en_US,en": "en,en_us",
            "d\u00e9": "d\u00e9",
        }
        sent = folded(asking(None, language) for language in forms)
        assert [each.request("/").headers.get("accept-language") for each in sent] == [*forms.values()]

    def test_languages_do_not_distinguish_answers_that_the_query_settles(self) -> None:
        settling = ("lang=de", "info", "?", "json", "format=ttl", "format=HTML&lang=", "format=json&info", "format=csl")
        groups = [[asking(SAFARI, language, query) for language in LANGUAGES] for query in settling]
        assert dict(zip(settling, variants(*groups), strict=True)) == dict.fromkeys(settling, 1)

    def test_otherwise_they_do(self) -> None:
        queries = (None, "format=pdf", "format=pdf&info", "lang=", "version=1", "provider=p0")
        groups = [[asking(SAFARI, language, query) for language in ("de", "en")] for query in queries]
        assert dict(zip(queries, variants(*groups), strict=True)) == dict.fromkeys(queries, 2)

    def test_a_query_keeps_what_is_read_in_one_order(self) -> None:
        forms = {
            None: None,
            "": None,
            "utm_source=a&utm_medium=b&fbclid=c&gclid=d&msclkid=e&mc_cid=f&_ga=g&ref=h": None,
            "version=2&utm_source=a&lang=de&format=pdf": "format=pdf&lang=de&version=2",
            "?": "info=",
            "info=yes": "info=",
            "json=1&?": "info=&json=",
            "type=URL&index=2&x=y&index=1&noredirect": "index=2&index=1&noredirect=&type=URL",
            "style=png&style=svg&format=qr": "format=qr&style=png",
            "memento=2&memento=1": "memento=2",
            "f%6Frmat=image/svg+xml": "format=image%2Fsvg%20xml",
            "format=ttl&format=pdf": "format=ttl",
            "format=%zz": "format=%zz",
        }
        assert [sent.query for sent in folded(asking(query=query) for query in forms)] == [*forms.values()]

    def test_the_lines_of_a_header_that_came_more_than_once_are_one_list(self) -> None:
        lines = (("Accept", "text/html"), ("Accept-Language", "de"), ("accept", "*/*;q=0.1"), ("Accept-Language", "en"))
        (sent,) = folded([Asked(None, lines)])
        assert sent.headers == (("accept", "text/html,*/*;q=0.1"), ("accept-language", "de,en"))

    def test_folding_what_is_folded_changes_nothing(self) -> None:
        once = folded([*said(), *imagined(1000)])
        assert folded(once) == once


class TestVariants:
    def test_browsers_are_few(self) -> None:
        """Those that mean something else by their lists stay apart, as they may get something else."""
        assert len(PAGES) == 12
        assert variants(map(asking, PAGES.values())) == [7]

    def test_what_means_the_same_is_one(self) -> None:
        careless = (None, "", "*/*", "*", " , ", "*/*, *")
        spellings = ("en-US,en;q=0.5", "en-us, en; q=0.50", "en;q=.5, EN-us;q=1.000", "en-US , en;q=0.5,,en;q=0.1")
        shared = (None, "", "utm_source=x", "fbclid=IwAR0", "gclid=Cj0K&utm_campaign=y", "_hsenc=p2&_hsmi=1")
        assert variants(
            [asking(accept, language) for accept in careless for language in (None, "", "*")],
            [asking(SAFARI, language) for language in spellings],
            [asking(SAFARI, "de", query) for query in shared],
        ) == [1, 1, 1]


class Spying(Request, frozen=True):
    """A request that remembers which parameters it was asked for."""

    read: ClassVar[set[str]] = set()

    def parameter(self, name: str) -> str | None:
        self.read.add(name)
        return super().parameter(name)


class TestCode:
    def test_the_normalised_query_has_the_parameters_that_the_service_reads(self) -> None:
        answer = application()
        Spying.read.clear()
        for address, query in product(ADDRESSES, QUERIES):
            requested = asking("application/json", "de", query).request(address)
            answer(Spying(requested.method, requested.path, requested.query, requested.headers))
        read = {*PARAMETERS, *prefix_browser.PARAMETERS}
        assert {*Spying.read, *proxy_parameters.PARAMETERS, FORWARD} == {*read, "?"}
        stored = re.search(r"PARAMETERS = \[([^]]*)\]", code())
        assert stored is not None
        assert re.findall(r"'(\w+)'", stored[1]) == sorted(read)

    def test_it_knows_every_form_of_a_record_by_all_its_names(self) -> None:
        names = re.search(r"FORMS =\s+/\^\(([a-z|-]*)\)\$/i", code())
        assert names is not None
        aliases = [alias for each in REPRESENTATIONS for alias in each.aliases]
        assert sorted(names[1].split("|")) == sorted([*format_names(), TLOG_PROOF, *aliases])

    def test_it_is_as_small_as_cloudfront_wants_it(self) -> None:
        assert len(code().encode()) < 10 * 1024

    def test_it_is_in_the_language_of_the_runtime(self) -> None:
        plain = re.sub(r"(?m)^\s*//.*$", "", code())
        plain = re.sub(r"(?m)^import (cf|crypto) from '(cloudfront|crypto)';$", "", plain)
        unknown = r"\bof\b|\.\.\.|(const|let|var)\s*[\[{]|\?\.|\?\?|\b(class|import|require|console|then)\b"
        assert re.search(unknown, plain) is None
