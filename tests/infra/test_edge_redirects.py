"""The edge function redirects to providers exactly as the service does, or passes the request on."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import product
from typing import Any, Final
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.edge.entries import entries_of
from coolid.edge.limits import MAX_FUNCTION_BYTES, MAX_STORE_BYTES, MAX_VALUE_BYTES
from coolid.edge.state import FORMAT, STATE_KEY, EdgeState
from coolid.http.application import Application
from coolid.http.message import Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.local import bioregistry_prefixes
from coolid.model.conditions import DEGRADED, DOWN, UP, Condition
from coolid.model.prefixes import DATA, UNLISTED, Prefix, ProviderPrefix, Synonym, fold
from coolid.wiring.resolve import OTHER_PATH_PREFIXES, OTHER_PATHS
from tests.functions.test_bioregistry import Example, collected
from tests.infra.client_headers import ODD, PAGES, PROGRAMS
from tests.infra.cloudformation import load
from tests.infra.edge_function import DOMAIN, EDGE, Asked, asking, code, run
from tests.support.builders.naughty_strings import ALL
from tests.support.builders.samples import LATER, MOMENT, namespace, provider_prefix, record, repository
from tests.support.effort import examples, sample, size
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

BASE_URL: Final = f"https://{DOMAIN}"
ADDED: Final = {
    "referrer-policy": "strict-origin-when-cross-origin",
    "strict-transport-security": "max-age=63072000",
    "x-frame-options": "DENY",
}
"""What the edge's policy adds to every response."""
STATE: Final = EdgeState(FORMAT, int((MOMENT + timedelta(hours=1)).timestamp()), "a-digest", BASE_URL).text()
MAX_STEPS: Final = 1_000
"""Blocks of code that a request may run; 1 ms is enough for many times more."""

A, B, C = (f"https://{name}.example/{{$id}}" for name in "abc")
ROWS: Final = (
    provider_prefix("go", A, B, C, pattern=r"^\d{7}$", redundant=("GO:",), synonyms=("gobp", "gene.ontology")),
    provider_prefix("lenient", "http://a.example/x?q={$id}&y={$id}", synonyms=("ln", "len_2")),
    provider_prefix("data", "https://a.example/?q={$id}", B, encoding=DATA, ttl=60, example="x"),
    provider_prefix("words", A, pattern=r"^[a-z:/]+$", deprecated=True, title="Words", updated=LATER),
    provider_prefix("ols", C, synonyms=("p1", "2026")),
    provider_prefix("deep", A),
    provider_prefix("wide", B, synonyms=("shallow",)),
    provider_prefix("strict", A, pattern=r"^\d+$", strict=True),
    provider_prefix("orphan"),
    provider_prefix("quoted", "https://a.example/'{$id}'"),
    provider_prefix("fixed", "https://a.example/"),
    provider_prefix("large", *(f"https://{'x' * 40}{number}.example/{{$id}}" for number in range(40))),
    *(provider_prefix(name, A) for name in ("doi", "hdl", "handle", "ark", "isbn", "orcid", "lid", "10.1234", "httpx")),
)
OWN: Final = ("mp", "deep:own", "deep/own", "shallow:own", "2021/06/mp", "10.5072", "ark:99999")
NAMES: Final = (*(name for row in ROWS for name in (row.name, *row.synonyms)), "mp", "2021", "nothing", "GO", "g-o")


def store_of(rows: Iterable[ProviderPrefix], own: Sequence[str] = OWN) -> MemoryStore:
    """A store of provider prefixes, and of a repository under names of its own."""
    store, owner = MemoryStore(), repository(canonical="mp")
    store.repositories[owner.id] = owner
    for row in rows:
        store.put_prefix(row, None)
    for name in own:
        store.put_prefix(namespace(name, owner), store.rows.get(name))
    store.create_record(record())
    return store


def service(store: MemoryStore) -> Callable[[Asked], Response]:
    """What the service answers to a request."""

    def unforeseen(error: Exception, _: object) -> None:
        raise AssertionError("nobody foresaw this") from error

    endpoint = ResolutionEndpoint(store.uncached, FixedClock(), BASE_URL)
    application = Application(endpoint.routes(), BASE_URL, unforeseen, public=True)
    return lambda requested: application(requested.request(requested.path))


def contents(rows: Mapping[str, Prefix], state: str = STATE) -> dict[str, str]:
    """What the edge's store holds for these rows."""
    entries = {STATE_KEY: state}
    for row in rows.values():
        if isinstance(row, ProviderPrefix):
            entries |= entries_of(row, BASE_URL, [rows[name] for name in row.synonyms])
    return entries


def is_redirect(answer: Mapping[str, Any]) -> bool:
    """Whether the function answered, and did not pass the request on."""
    return "statusCode" in answer


def told(response: Response) -> dict[str, Any]:
    """The service's response as the function would give it, with what the edge's policy adds."""
    headers = {name.lower(): {"value": value} for name, value in {**response.headers, **ADDED}.items()}
    return {"statusCode": response.status, "statusDescription": "Found", "headers": headers, "body": response.body}


def differences(
    requests: Sequence[Asked], stores: Sequence[Mapping[str, str]], *services: Callable[[Asked], Response]
) -> tuple[list[Any], int]:
    """The requests that the function answers as none of the services does, and how many it answers."""
    done = run(requests, stores)
    answered = [(each, answer) for each, answer in zip(requests, done.answers, strict=True) if is_redirect(answer)]
    wrong = [
        (each, answer, [told(ask(each)) for ask in services])
        for each, answer in answered
        if answer not in [told(ask(each)) for ask in services]
    ]
    assert done.reads <= 2
    return wrong, len(answered)


@pytest.fixture(scope="module")
def rows() -> Mapping[str, Prefix]:
    """The rows of the Bioregistry."""
    return store_of(bioregistry_prefixes.prefixes(), ()).rows


@pytest.fixture(scope="module")
def entries(rows: Mapping[str, Prefix]) -> Mapping[str, str]:
    return contents(rows)


@pytest.fixture(scope="module")
def registry(rows: Mapping[str, Prefix]) -> Callable[[Asked], Response]:
    store = MemoryStore()
    store.rows.update(rows)
    return service(store)


@pytest.fixture(scope="module")
def cases() -> list[Example]:
    return list(collected(dict(bioregistry_prefixes.bioregistry_manager().registry)))


def plain(text: str) -> str:
    """The identifier with only those characters escaped that a path cannot hold."""
    return quote(text, safe="!$&'()*+,/:;=@~")


def bare(text: str) -> str:
    return quote(text, safe="")


SPELLINGS: Final[dict[str, Callable[[Example], Iterable[str]]]] = {
    "escaped": lambda each: [f"/{bare(each.prefix)}:{bare(each.identifier)}"],
    "escaped colon": lambda each: [f"/{each.prefix}%3{'Aa'[len(each.identifier) % 2]}{plain(each.identifier)}"],
    "slash": lambda each: [f"/{each.prefix}/{plain(each.identifier)}", f"/{each.prefix}/{bare(each.identifier)}"],
    "encoded slash": lambda each: [f"/{each.prefix}%2F{plain(each.identifier)}"],
    "upper case": lambda each: [f"/{each.prefix.upper()}:{plain(each.identifier.upper())}"],
    "lower case": lambda each: [f"/{each.prefix}:{plain(each.identifier.lower())}"],
    "synonyms": lambda each: [f"/{plain(name)}:{plain(each.identifier)}" for name in each.synonyms],
    "upper synonyms": lambda each: [f"/{bare(name.upper())}/{plain(each.identifier)}" for name in each.synonyms],
    "repeated": lambda each: [f"/{each.prefix}:{each.prefix.upper()}{end}{plain(each.identifier)}" for end in ":/_"],
    "ends": lambda each: [f"/{each.prefix}:{plain(each.identifier)}{end}" for end in (".", ",", "/", "%20", "?", ")")],
    "beginnings": lambda each: [f"/{each.prefix}:{start}{plain(each.identifier)}" for start in ("/", ":", "%09", "x:")],
}


class TestBioregistry:
    def test_every_plain_example_is_redirected_as_by_the_service_or_passed_on_one_in_ten(
        self, entries: Mapping[str, str], registry: Callable[[Asked], Response], cases: list[Example]
    ) -> None:
        requests = [asking(path=f"/{each.prefix}:{plain(each.identifier)}") for each in cases]
        wrong, answered = differences(requests, [entries], registry)
        assert wrong == []
        assert len(requests) > 3_000
        assert answered >= 0.9 * len(requests)

    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_every_other_spelling_is_too(
        self, entries: Mapping[str, str], registry: Callable[[Asked], Response], cases: list[Example], spelling: str
    ) -> None:
        paths = [path for each in sample(cases, 100) for path in SPELLINGS[spelling](each)]
        requests = [asking(path=path, accept=PAGES["Safari"]) for path in paths]
        assert differences(requests, [entries], registry)[0] == []

    def test_all_entries_fit_into_the_store_twice(self, entries: Mapping[str, str]) -> None:
        assert len(entries) > 5_000
        assert sum(len(key) + len(value) for key, value in entries.items()) < MAX_STORE_BYTES / 2
        assert max(map(len, entries.values())) <= MAX_VALUE_BYTES


REQUESTS: Final = tuple(
    asking(path=path)
    for path in ("/go:0006915", "/GO/0006915", "/gobp:0006915", "/ln:a/b;c", "/data:a", "/words:x", "/p1:1", "/fixed:1")
)
CONDITIONS: Final = tuple(Condition(state, LATER) for state in (UP, DEGRADED, DOWN))


class TestHealth:
    def test_the_edge_fails_over_as_the_service_does(self) -> None:
        healths = [{"p0": first, "p1": second} for first, second in product(CONDITIONS, CONDITIONS)]
        worlds = [
            store_of([replace(row, health=health) if row.providers else row for row in ROWS]) for health in healths
        ]
        services = [service(each) for each in worlds]
        requests = [replace(each, store=at) for at in range(len(worlds)) for each in REQUESTS]
        stores = [contents(each.rows) for each in worlds]
        wrong, answered = differences(requests, stores, lambda requested: services[requested.store](requested))
        assert wrong == []
        assert answered == len(requests)

    def test_a_store_with_entries_of_two_times_answers_as_one_of_them(self) -> None:
        before = store_of(ROWS)
        down = {f"p{number}": CONDITIONS[-1] for number in (0, 2)}
        after = store_of([replace(row, health=down, updated=LATER) for row in ROWS])
        old, new = contents(before.rows), contents(after.rows)
        mixed = [{**old, **dict(sample(sorted(new.items()), count))} for count in range(len(new))]
        mixed += [{key: value for key, value in each.items() if hash_of(key) % 3} for each in mixed]
        requests = [replace(each, store=at) for at in range(len(mixed)) for each in REQUESTS]
        wrong, answered = differences(requests, mixed, service(before), service(after))
        assert wrong == []
        assert answered > len(requests) / 3


def hash_of(text: str) -> int:
    return sum(text.encode())


PATHS: Final = st.one_of(
    st.builds(
        lambda name, separator, identifier, end: f"/{name}{separator}{identifier}{end}",
        st.sampled_from(NAMES).flatmap(lambda name: st.sampled_from((name, name.upper(), name.title()))),
        st.sampled_from((":", "/", "%3A", "%3a", "%2F", "::", "//", ":/", "")),
        st.one_of(
            st.from_regex(r"\A[0-9A-Za-z._~:/@!$()*,;=-]{1,12}\Z"),
            st.from_regex(r"\A[0-9]{1,7}\Z"),
            st.text(st.sampled_from("aZ09.:/,;()[]!*'+&=@$~-_%2e3A<>\"{}|\\^`#"), max_size=10),
            st.sampled_from(("own:x", "own/x", "go:1", "GO:GO:0006915", "p1:7", "go0006915", "0" * 200, "0" * 201)),
            st.sampled_from(
                (*map(quote, ("é", "a b", "\n", "1\n", "\x00", "“x”", "a" * 700)), "%zz", "%C3", "..", "a/../b")
            ),
        ),
        st.sampled_from(("", "", "", ".", "/", "%20", "%0A", "%2E", ")")),
    ),
    st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="?#"), max_size=20).map("/".__add__),
)
HEADERS: Final = st.lists(
    st.one_of(
        st.tuples(st.just("Accept"), st.sampled_from([each for each in (*PAGES.values(), *PROGRAMS, *ODD) if each])),
        st.tuples(
            st.just("Accept"),
            st.lists(
                st.builds(
                    "{}{}".format,
                    st.sampled_from(("*/*", "text/html", "a/b", "text/*", "*", "", "x", '"a"', "application/ld+json")),
                    st.sampled_from(("", ";q=0", ";q=0.0", ";q=.0", "; q=0.5", ";q=0;x=1", ";x=1;q=0", ";Q=0", ";q=2")),
                ),
                max_size=3,
            ).map(",".join),
        ),
        st.sampled_from(
            (("Range", "bytes=0-1"), ("If-None-Match", "*"), ("Accept-Datetime", "x"), ("Cookie", "a=b"), ("DNT", "1"))
        ),
    ),
    max_size=2,
).map(tuple)
QUERIES: Final = st.sampled_from(
    (None, None, "", "utm_source=x", "provider=p1", "info", "?", "format=json", "strict=1")
)
METHODS: Final = st.sampled_from(("GET", "GET", "GET", "HEAD"))


class TestRequests:
    world = store_of(ROWS)

    @examples(50)
    @given(st.lists(st.builds(Asked, QUERIES, HEADERS, METHODS, PATHS), min_size=40, max_size=80))
    def test_any_request_is_answered_as_by_the_service_or_passed_on(self, requests: list[Asked]) -> None:
        assert differences(requests, [contents(self.world.rows)], service(self.world))[0] == []

    @examples(30)
    @given(st.lists(PATHS, min_size=60, max_size=120))
    def test_any_path_is_too(self, paths: list[str]) -> None:
        requests = [asking(path=path) for path in paths]
        assert differences(requests, [contents(self.world.rows)], service(self.world))[0] == []

    def test_naughty_strings_are_too(self) -> None:
        texts = sample(ALL, size(len(ALL), 200))
        paths = [
            f"/{start}{end}" for text in texts for start in ("go:", "ln:", "data/") for end in (bare(text), plain(text))
        ]
        requests = [asking(path=path) for path in paths]
        assert differences(requests, [contents(self.world.rows)], service(self.world))[0] == []

    def test_what_needs_the_service_is_passed_on(self) -> None:
        headers = ("If-None-Match", "If-Modified-Since", "Accept-Datetime", "Range")
        unfit = ("strict", "orphan", "deep:own", "deep/own", "shallow:own", "doi", "isbn", "large", "quoted")
        others = ("/p1/go:0006915", "/go:GO:0006915", "/go:a:b", "/go", "/go:", "/go:a/../b", "/go:1.", "/")
        paths = (*(f"/{name}:1" for name in unfit), *others, f"/ln:{'1' * 201}")
        requests = [
            *(asking(path="/go:0006915", method=method) for method in ("HEAD", "OPTIONS")),
            *(asking(path="/go:0006915", query=query) for query in ("provider=p1", "info", "?")),
            *(asking(path="/go:0006915", accept=accept) for accept in ("application/json", "text/html;q=0", "a/yaml")),
            *(Asked(None, ((name, "x"),), path="/go:0006915") for name in headers),
            *(asking(path=path) for path in paths),
        ]
        answers = run(requests, [contents(self.world.rows)]).answers
        assert [each for each, answer in zip(requests, answers, strict=True) if is_redirect(answer)] == []

    def test_browsers_and_common_programs_are_redirected(self) -> None:
        accepts = (*PAGES.values(), "*/*", "*", None, "")
        requests = [asking(path="/go:0006915", accept=accept, query="utm_source=x") for accept in accepts]
        found = differences(requests, [contents(self.world.rows)], service(self.world))
        assert found == ([], len(accepts))


class TestStore:
    entries = contents(TestRequests.world.rows)

    def test_without_a_valid_state_everything_is_passed_on(self) -> None:
        past = int(MOMENT.timestamp()) - 1
        ends = ("", "1", "1 x a", "2 99999999999 a", "1 0 a", "01 99999999999 a", f"1 {past} a", "x", " ")
        others = ("", " ", " https://other.example", f" {BASE_URL}.example", f"  {BASE_URL}")
        states = (*(f"{end} {BASE_URL}" for end in ends), *(f"1 99999999999 a{base}" for base in others))
        without = {key: value for key, value in self.entries.items() if key != STATE_KEY}
        stores = [without, *({**without, STATE_KEY: state} for state in states)]
        requests = [replace(each, store=at) for at in range(len(stores)) for each in REQUESTS]
        assert differences(requests, stores)[1] == 0

    def test_a_torn_or_unknown_value_is_passed_on(self) -> None:
        value = self.entries["go"]
        torn = [value[:end] for end in range(len(value))]
        others = [value.replace("1\n", "2\n", 1), value + "\n", "\n" + value, "x", "{}", value.replace("\n", "\r\n")]
        stores = [{**self.entries, "go": each} for each in (*torn, *others)]
        requests = [asking(path="/go:0006915", method="GET", store=at) for at in range(len(stores))]
        assert differences(requests, stores)[1] == 0

    def test_switched_off_the_function_reads_no_store(self) -> None:
        done = run(REQUESTS, [self.entries], redirects="no")
        assert not any(map(is_redirect, done.answers))
        assert done.reads == 0


class TestEntries:
    def test_addresses_of_the_service_and_of_the_edge_have_no_entries(self) -> None:
        behaviors = load(EDGE)["Resources"]["Distribution"]["Properties"]["DistributionConfig"]["CacheBehaviors"]
        patterns = [str(each["PathPattern"]) for each in behaviors]
        whole = [path.strip("/*").partition("/")[0] for path in (*OTHER_PATH_PREFIXES, *OTHER_PATHS, *patterns)]
        longer = [f"{path.strip('/*')}x" for path in patterns if re.search(r"[^/]\*$", path)]
        assert [name for name in (*whole, *longer) if entries_of(provider_prefix(fold(name) or "/", A), BASE_URL)] == []

    def test_a_synonym_has_an_entry_if_its_row_leads_to_the_prefix_and_to_no_longer_name(self) -> None:
        row = provider_prefix("go", A, synonyms=("one", "two", "three", "gene ontology", "größe"))
        synonyms = [
            Synonym(name="one", target="go"),
            Synonym(name="two", target="other"),
            Synonym(name="three", target="go", longer=frozenset({"three:x"})),
            Synonym(name="größe", target="go"),
        ]
        assert entries_of(row, BASE_URL, synonyms).keys() == {"go", "one"}
        assert entries_of(row, BASE_URL).keys() == {"go"}

    def test_a_prefix_that_does_not_list_all_longer_names_has_none(self) -> None:
        row = provider_prefix("go", A, longer=frozenset({"go:own"}))
        assert entries_of(row, BASE_URL).keys() == {"go"}
        assert entries_of(replace(row, longer=row.longer | {UNLISTED}), BASE_URL) == {}

    def test_a_template_that_contains_the_placeholder_has_none(self) -> None:
        assert entries_of(provider_prefix("go", "https://0placeholder0.example/{$id}"), BASE_URL) == {}

    def test_a_pattern_with_the_sign_for_the_identifier_has_none(self) -> None:
        assert entries_of(provider_prefix("go", "https://a.example/\t/{$id}"), BASE_URL) == {}

    def test_a_prefix_whose_separator_depends_on_the_identifier_has_none(self) -> None:
        row = provider_prefix("ark:99999/fk4", A, synonyms=("shoulder",))
        assert entries_of(row, BASE_URL, [Synonym(name="shoulder", target=row.name)]) == {}


class TestCode:
    def test_the_function_is_within_cloudfronts_limits(self) -> None:
        assert len(code(domain="x" * 253).encode()) <= MAX_FUNCTION_BYTES

    def test_a_redirect_takes_few_steps(self) -> None:
        world = TestRequests.world
        longest = [asking(path=f"/lenient:{'a/' * 90}b", accept=",".join([f"a/b{at}" for at in range(49)]))]
        done = run([*longest, *REQUESTS], [contents(world.rows)], measures=True)
        assert all(map(is_redirect, done.answers))
        assert done.reads == 2
        assert 0 < done.steps <= MAX_STEPS
