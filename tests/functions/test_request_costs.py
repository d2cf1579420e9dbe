"""The cost of one anonymous request, whatever it contains: at most 500 read keys, and at most a second of a processor.

Machines differ in speed, so the tests count calls of functions instead: a profiler counts them, and is the processor
clock of the service at the same time. `CALLS_PER_SECOND` is lower than on any machine.
"""

import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.schemes import lui
from coolid.resolution.caching_reader import CachingReader
from coolid.resolution.request_budget import MAX_KEYS, MAX_SUGGESTION_KEYS, Budget
from coolid.wiring import resolve
from tests.support.builders.histories import put_history
from tests.support.builders.rule_examples import PLAIN
from tests.support.builders.samples import BASE_URL, MOMENT, namespace, provider_prefix, record, repository
from tests.support.effort import IS_DRILL, sample
from tests.support.fixtures.events import to_event
from tests.support.fixtures.system import Answer, answer_of
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import CountedReads

CALLS_PER_SECOND: Final = 200_000
"""This project's machines make about two million; where each call takes long, 350,000."""
MANY: Final = 150
"""Identifiers of a request, enough to use up any of its limits."""

ARKS: Final = ChosenRules("[a-z0-9./]+", ignores_hyphens=True, example="abc")
NAMESPACES: Final[dict[str, tuple[Rules, bool]]] = {
    **{scheme: (rules, False) for scheme, rules in PLAIN.items()},
    **{f"beyond-{scheme}": (rules, True) for scheme, rules in PLAIN.items()},
    "lui12": (LuiRules(12), False),
    "endless": (NoidRules(".zeek"), True),
    "anything": (ChosenRules("[!-~]+", example="abc"), True),
    "slow": (ChosenRules("(.*a){20}b", example="a" * 20 + "b"), True),
    "10.5072": (ChosenRules("[a-z]+[0-9./a-z]*", example="abc"), True),
    "ark:99999": (ARKS, True),
    "ark:99999/fk4": (ARKS, True),
}
"""By name: the rules of its repository, and whether that has suffix pass-through."""
FOREIGN: Final = {
    "go": provider_prefix("go", "https://go.example/{$id}", pattern=r"^\d{7}$", synonyms=("gene_ontology",)),
    "doi": provider_prefix("doi", "https://doi.example/{$id}", pattern=r"^10\.\d+/.+$"),
    "strict": provider_prefix("strict", "https://s.example/{$id}", pattern="(.*a){20}b", strict=True),
}

Draw = Callable[[random.Random], str]


def of_alphabet(rng: random.Random, alphabet: str, size: int) -> str:
    return "".join(rng.choices(alphabet, k=size))


def shapes_of(name: str, rules: Rules) -> dict[str, Draw]:
    """Texts under a prefix, by what is wrong with them."""
    described = rules.describe()
    alphabet = described.alphabet or "abcdefghijklmnopqrstuvwxyz0123456789"
    whole = name if "/" in name else name + ("/" if name[0] == "1" or ":" in name else ":")
    key = rules.validate(described.example)
    display = rules.display(key)

    def misspelt(rng: random.Random) -> str:
        at = rng.randrange(len(key))
        return key[:at] + rng.choice(alphabet) + key[at + 1 :]

    identifiers: dict[str, Draw] = {
        "right": lambda rng: display,
        "wrong": lambda rng: of_alphabet(rng, alphabet, len(key)),
        "misspelt": misspelt,
        "long": lambda rng: of_alphabet(rng, alphabet, 60),
        "longer": lambda rng: of_alphabet(rng, alphabet, 900),
        "dashes": lambda rng: f"{of_alphabet(rng, alphabet, 30)}\u2013{of_alphabet(rng, alphabet, 28)} x",
        "beyond": lambda rng: display + "/a" * 450 + of_alphabet(rng, alphabet, 3),
        "dots": lambda rng: of_alphabet(rng, alphabet, 5) + ".a" * 450,
        "garbage": lambda rng: "".join(chr(rng.choice((rng.randrange(33, 127), 233))) for _ in range(40)),
        "too long": lambda rng: of_alphabet(rng, alphabet, 2_100),
    }
    return {
        **{shape: partial(_behind, whole, draw) for shape, draw in identifiers.items()},
        "pasted": lambda rng: f"<{BASE_URL}/{whole}{misspelt(rng)}>.",
        "prose": lambda rng: f"See {whole}{misspelt(rng)}, and ({whole}{misspelt(rng)}).",
    }


def _behind(whole: str, draw: Draw, rng: random.Random) -> str:
    return whole + draw(rng)


def _words(rng: random.Random, between: str, count: int) -> str:
    return between.join(of_alphabet(rng, "abcdefghijklmnopqrstuvwxyz", 2) for _ in range(count))


OTHERS: Final[dict[str, Draw]] = {
    "foreign": lambda rng: f"go:{rng.randrange(10**7):07}",
    "foreign, misspelt": lambda rng: f"GO:{rng.randrange(10**9)}",
    "synonym": lambda rng: f"gene_ontology/{rng.randrange(10**7):07}",
    "strict": lambda rng: "strict:" + of_alphabet(rng, "ab", 900),
    "doi": lambda rng: f"https://doi.org/10.{rng.randrange(1000, 99999)}/{of_alphabet(rng, 'abc', 9)}",
    "prefixes of many parts": lambda rng: _words(rng, "/", 12) + ":" + _words(rng, ":", 12),
    "arks of others": lambda rng: "ark:" + _words(rng, ":", 8) + "/" + _words(rng, "/", 12),
    "slashes": lambda rng: "https://doi.org/10.1/" + "/" * 7_000 + str(rng.random()),
    "words": lambda rng: "see " + " ".join(_words(rng, ":", 12) for _ in range(200)),
    "arks in words": lambda rng: "see " + " ".join("ark:" + _words(rng, "/", 12) for _ in range(200)),
    "stems in words": lambda rng: "see " + " ".join("2021/06/" + _words(rng, "/", 12) for _ in range(150)),
    "numbers": lambda rng: "see " + " ".join(str(rng.randrange(10**12, 10**13)) for _ in range(500)),
    "urls": lambda rng: f"https://mirror.example/{of_alphabet(rng, 'abc/:', 40)}",
    "garbage": lambda rng: "".join(chr(rng.choice((rng.randrange(32, 127), 233, 0x2013))) for _ in range(2_000)),
}
"""What stands under no prefix of ours."""

BEYOND: Final = ("misspelt", "dashes", "beyond", "dots")
"""The shapes that suffix pass-through makes a difference to."""
CASES: Final[dict[str, Draw]] = {
    **{
        f"{name}, {shape}": draw
        for name, (rules, _) in NAMESPACES.items()
        for shape, draw in shapes_of(name, rules).items()
        if not name.startswith("beyond-") or shape in BEYOND
    },
    **OTHERS,
}


def furnished() -> MemoryStore:
    """A store with all prefixes, a record of each repository, and mirrors that many prefixes share."""
    store = MemoryStore()
    for number, (name, (rules, passthrough)) in enumerate(NAMESPACES.items()):
        owner = repository(lui.format(lui.encode(number)), rules=rules, canonical=name, passthrough=passthrough)
        store.repositories[owner.id] = owner
        store.put_prefix(namespace(name, owner), None)
        key = rules.validate(rules.describe().example)
        store.records_by_key[owner.id, key] = replace(record(), id=rules.display(key), repository=owner.id)
    for number in range(30):
        store.put_prefix(provider_prefix(f"2021/06/m{number}", "https://mirror.example/{$id}"), None)
    for prefix in FOREIGN.values():
        store.put_prefix(prefix, None)
    return store


class Costs:
    """The costs of the request that is under way: the keys that were read, and the calls of functions.

    Implements `coolid.ports.ProcessorClock` by the latter.
    """

    def __init__(self) -> None:
        self.keys = 0
        self.calls = 0

    def read(self, keys: int) -> None:
        self.keys += keys

    def seconds(self) -> float:
        return self.calls / CALLS_PER_SECOND

    @contextmanager
    def counted(self) -> Iterator[None]:
        """While this lasts, calls are counted."""

        def count(_frame: object, event: str, _argument: object) -> None:
            if event in ("call", "c_call"):
                self.calls += 1

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            yield
        finally:
            sys.setprofile(before)


class Public:
    """The resolve function as it is deployed, over a store in memory, and what its last request cost."""

    def __init__(self, store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self.costs = Costs()
        self.reader = CachingReader(CountedReads(store, self._read), lambda: 0.0)
        monkeypatch.setenv("PREFIX_TABLE", "prefixes")
        monkeypatch.setenv("LUI_TABLE", "luis")
        monkeypatch.setenv("PUBLIC_BASE_URL", BASE_URL)
        monkeypatch.setattr(resolve, "caching_reader", lambda _: self.reader)
        monkeypatch.setattr(resolve, "ThreadClock", lambda: self)
        self.gateway: ApiGatewayHandler = resolve.handler()

    def seconds(self) -> float:
        """Seconds of processor time, as `ThreadClock` returns them."""
        return self.costs.seconds()

    def request(
        self, method: str, path: str, query: str = "", document: Any = None, headers: Iterable[tuple[str, str]] = ()
    ) -> Answer:
        """The answer of a function whose cache is empty."""
        body = b"" if document is None else json.dumps(document).encode()
        event = to_event(method, path, query, headers=[*headers], body=body, request_id="a-request")
        self.reader.clear()
        self.costs = Costs()
        with self.costs.counted():
            return answer_of(self.gateway(event, None))

    def _read(self, keys: int) -> None:
        self.costs.read(keys)


@pytest.fixture(scope="module")
def public() -> Iterator[Public]:
    """With every module imported, and the list of all prefixes read."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        public = Public(furnished(), monkeypatch)
        for method, path, query, document in requests_for("https://nobodys.example/1", ["go:1", "lui:x"]):
            public.request(method, path, query, document)
        yield public


def requests_for(text: str, many: list[str]) -> Iterator[tuple[str, str, str, Any]]:
    """Every anonymous request that takes an identifier or a text: method, path, query and body."""
    path, value = quote(text, safe="/:"), quote(text, safe="")
    for before in ("", "resolve/", "timegate/", "timemap/", ".info/", "api/reference/", "api/identifiers.org/"):
        yield "GET", f"/{before}{path}", "", None
    yield "GET", f"/api/handles/{path}", "", None
    yield "GET", f"/api/v1/schemas/{path}", "", None
    yield "GET", "/pages/prefixes", f"q={value}", None
    yield "GET", "/api/v1/parse", f"id={value}", None
    yield "POST", "/api/v1/parse", "", {"id": text}
    yield "GET", "/", f"q={value}", None
    yield "POST", "/api/v1/parse", "", {"ids": many}
    yield "POST", "/api/v1/resolve", "", {"ids": many}


def cases() -> list[str]:
    """Return every case, and in `make test` one for each prefix, with the shapes by turns."""
    if IS_DRILL:
        return [*CASES]
    of_prefix = {name: [case for case in CASES if case.startswith(f"{name}, ")] for name in NAMESPACES}
    return [*(found[at % len(found)] for at, found in enumerate(of_prefix.values())), *OTHERS]


@pytest.mark.parametrize("case", cases())
def test_no_request_costs_more_than_it_may(public: Public, case: str) -> None:
    rng = random.Random(case)
    text, many = CASES[case](rng), [CASES[case](rng) for _ in range(MANY)]
    for method, path, query, document in requests_for(text, many):
        answer = public.request(method, path, query, document)
        request = f"{method} {path[:60]}?{query[:60]} answers {answer.status}"
        assert answer.status < 500, request
        assert public.costs.keys <= MAX_KEYS, request
        assert public.costs.calls <= CALLS_PER_SECOND, request


@pytest.mark.parametrize("name", [name for name, (_, passthrough) in NAMESPACES.items() if not passthrough])
def test_a_refusal_reads_few_keys(public: Public, name: str) -> None:
    rules, _ = NAMESPACES[name]
    rng = random.Random(name)
    for shape in ("wrong", "misspelt", "long", "longer", "dashes", "garbage"):
        public.request("GET", "/" + quote(shapes_of(name, rules)[shape](rng), safe="/:"))
        # The prefix, and what would be a longer one; the record; suggestions.
        assert public.costs.keys <= 10 + 1 + MAX_SUGGESTION_KEYS, shape


AT: Final = ("Accept-Datetime", "Thu, 11 Jul 2030 05:00:00 GMT")
LONG_HISTORIES: Final = {
    "a redirect": ("", "", (), 0),
    "a page": ("", "format=html", (), 0),
    "a version": ("", "memento=7", (), 0),
    "a PID at a moment": ("", "", (AT,), 14),
    "a TimeGate at a moment": ("timegate/", "", (AT,), 14),
    "a TimeGate without a moment": ("timegate/", "", (), 2),
    "a TimeMap": ("timemap/", "", (), 19),
    "an earlier TimeMap": ("timemap/", "version=7", (), 19),
}
"""By request: its path and query, its headers, and how many reads more it takes with 10,000 versions than with 10."""


@pytest.mark.parametrize("case", LONG_HISTORIES)
def test_a_record_with_many_versions_costs_little_more(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    before, query, headers, more = LONG_HISTORIES[case]
    keys = {}
    for count in (10, 10_000):
        store = furnished()
        (owner, _), current = next(iter(store.records_by_key.items()))
        name = store.repositories[owner].canonical
        step = timedelta(days=3_650) / count
        put_history(store, [replace(current, version=at, updated=MOMENT + at * step) for at in range(1, count + 1)])
        public = Public(store, monkeypatch)
        answer = public.request("GET", f"/{before}{name}:{current.id}", query, headers=headers)
        assert answer.status in (200, 302), answer.body
        keys[count] = public.costs.keys
    assert keys[10] <= 12
    assert keys[10_000] <= keys[10] + more


@pytest.mark.parametrize("path", sample(["/api/v1/resolve", "/api/v1/parse"], 1))
def test_without_its_limits_a_request_would_cost_more(
    public: Public, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the limits are what the tests above see."""
    rng = random.Random(1)
    busy = {"ids": [CASES["beyond-lui, dots"](rng) for _ in range(MANY)]}
    wide = {"ids": [CASES["prefixes of many parts"](rng) for _ in range(MANY)]}
    with monkeypatch.context() as patching:
        patching.setattr(Budget, "check", lambda _: None)
        public.request("POST", path, document=busy)
        assert public.costs.calls > CALLS_PER_SECOND
    with monkeypatch.context() as patching:
        patching.setattr(Budget, "charge", lambda *_: None)
        public.request("POST", path, document=wide)
        assert public.costs.keys > MAX_KEYS
