"""Provider failover: a provider that is not up is replaced, and the prefix's description shows this in advance."""

import random
import re
from collections.abc import Mapping
from datetime import timedelta
from html import unescape
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.aws.edge_purge.table_streams import change_of
from coolid.http.application import Application
from coolid.http.caching import prefix_tag
from coolid.http.message import Request
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.response_cache import ResponseCache
from coolid.http.routes import Route
from coolid.identifiers.schemes import lui
from coolid.model.conditions import DEGRADED, DOWN, STATES, UNKNOWN, UP, Condition, Health, preferred
from coolid.model.prefixes import HANDLES, Provider, ProviderPrefix
from coolid.resolution.cache import PREFIX_TTL, ReaderCache
from coolid.resolution.caching_reader import CachingReader
from tests.support.builders.page_catalog import BROWSER
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, provider_prefix
from tests.support.builders.structured_fields import choice_of
from tests.support.fixtures.application import InMemoryApplication
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import Answer, System, TablesSystem
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore
from tests.support.stores.table_streams import Streams

CODES = ("default", "ols", "Portal")
URLS = {code: f"https://{code.lower()}.example/go/" for code in CODES}
JSON = "application/json"
ASIDE = timedelta(seconds=PREFIX_TTL + 1)
"""After which memory asks again."""
ILL = {UP: Condition(UP, MOMENT), DEGRADED: Condition(DEGRADED, MOMENT, "it took too long")}
ILL |= {DOWN: Condition(DOWN, MOMENT, "it answered 500", MOMENT)}
_numbers = count()


def prefix(name: str, **members: Any) -> ProviderPrefix:
    providers = tuple(Provider(code, url + "{$id}", f"The {code}") for code, url in URLS.items())
    return replace(provider_prefix(name, **members), providers=providers, example="1")


def returned(system: System, *states: str, name: str = "", **members: Any) -> str:
    """The name of a new prefix whose providers are in these states."""
    name = name or f"sick{next(_numbers)}"
    store = system.store()
    store.prefixes.put_prefix(prefix(name, **members), None)
    health = {code.lower(): ILL[state] for code, state in zip(CODES, states, strict=False)}
    assert store.conditions.set_prefix_condition(name, 1, health)
    return name


@pytest.fixture(scope="session")
def sick(untouched: System) -> System:
    """A system of this module's own."""
    return untouched.copied()


def leads(answer: Answer) -> str:
    assert answer.status == 302, answer
    return next(code for code, url in URLS.items() if answer.headers["location"].startswith(url))


def alternates(answer: Answer) -> list[str]:
    return re.findall(r'<([^>]*)>; rel="alternate"', answer.headers["link"])


class TestWhoIsChosen:
    @pytest.mark.parametrize(
        ("states", "code", "reason"),
        [
            ((), "default", "first"),
            ((UP, UP, UP), "default", "first"),
            ((UP, DOWN, DOWN), "default", "first"),
            ((DOWN, UP, UP), "ols", "failover"),
            ((DOWN,), "ols", "failover"),
            ((DOWN, DOWN, UP), "Portal", "failover"),
            ((DEGRADED, DOWN, UP), "Portal", "failover"),
            ((DOWN, DEGRADED, DEGRADED), "ols", "failover"),
            ((DOWN, DOWN, DEGRADED), "Portal", "failover"),
            ((DEGRADED, DEGRADED, DOWN), "default", "first"),
            ((DOWN, DOWN, DOWN), "default", "all-down"),
        ],
    )
    def test_it_is_the_first_that_is_best(self, sick: System, states: tuple[str, ...], code: str, reason: str) -> None:
        name = returned(sick, *states)
        answer = sick.get(f"/{name}:1")
        assert leads(answer) == code
        choice = choice_of(answer.headers["provider-choice"])
        assert (choice["provider"], choice["reason"]) == (code, reason)
        known = dict(zip(CODES, states, strict=False))
        for state in (DOWN, DEGRADED):
            assert choice.get(state, []) == [each for each in known if known[each] == state]
        others = [each for each in CODES if each != code and known.get(each) != DOWN]
        assert alternates(answer) == [URLS[each] + "1" for each in others]

    @pytest.mark.parametrize("code", CODES)
    def test_a_named_provider_is_used_whatever_its_state(self, sick: System, code: str) -> None:
        name = returned(sick, DOWN, UP, DEGRADED)
        for answer in (sick.get(f"/{name}:1", query=f"provider={code.upper()}"), sick.get(f"/{code}/{name}:1")):
            assert leads(answer) == code
            choice = choice_of(answer.headers["provider-choice"])
            assert choice == {"provider": code, "reason": "asked", "down": ["default"], "degraded": ["Portal"]}
        assert sick.get(f"/{name}:1", query="provider=none").is_problem(404, "unknown-provider")

    def test_one_at_the_place_of_the_first_does_not_stand_in_for_it(self, sick: System) -> None:
        name, store = f"twice{next(_numbers)}", sick.store()
        twice = (Provider("default", URLS["default"] + "{$id}"), Provider("rdf", URLS["default"] + "{$id}"))
        store.prefixes.put_prefix(
            replace(prefix(name), providers=(*twice, Provider("ols", URLS["ols"] + "{$id}"))), None
        )
        assert store.conditions.set_prefix_condition(name, 1, {"default": ILL[DEGRADED]})
        answer = sick.get(f"/{name}:1")
        assert leads(answer) == "ols"
        assert choice_of(answer.headers["provider-choice"])["reason"] == "failover"
        assert leads(sick.get(f"/{name}:1", query="provider=rdf")) == "default"

    def test_a_strict_pattern_is_enforced_whatever_provider_is_chosen(self, sick: System) -> None:
        name = returned(sick, DOWN, strict=True, pattern="^[0-9]+$")
        assert leads(sick.get(f"/{name}:1")) == "ols"
        assert sick.get(f"/{name}:x").is_problem(400, "invalid-pattern")
        assert sick.get(f"/{name}:x", query="provider=ols").is_problem(400, "invalid-pattern")

    def test_dots_that_lead_out_of_the_first_are_refused_whatever_its_health(self, sick: System) -> None:
        for states in ((), (DOWN,), (DOWN, DOWN, DOWN)):
            answer = sick.get(f"/{returned(sick, *states)}:..%2F..%2Fadmin")
            assert answer.is_problem(400, "bad-reference")

    @pytest.mark.parametrize("name", [each for each in HANDLES if each != "handle"])
    def test_parameters_of_handles_are_handed_on_to_who_stands_in(self, fresh: System, name: str) -> None:
        returned(fresh, DOWN, name=name)
        answer = fresh.get(f"/{name}:10.1000/182", query="noredirect")
        assert answer.headers["location"] == URLS["ols"] + "10.1000/182?noredirect"
        assert choice_of(answer.headers["provider-choice"])["reason"] == "failover"


class TestAnswers:
    def test_head_and_the_description_already_are_of_the_same_response(self, sick: System) -> None:
        name = returned(sick, DOWN)
        answer = sick.get(f"/{name}:1")
        assert sick.request("HEAD", f"/{name}:1").headers == answer.headers
        known = sick.get(f"/{name}:1", If_None_Match=answer.headers["etag"])
        assert known.status == 304
        assert known.headers["provider-choice"] == answer.headers["provider-choice"]
        assert known.headers["link"] == answer.headers["link"]

    def test_it_is_stored_as_any_and_has_the_tag_by_which_it_is_purged(self, sick: System) -> None:
        name = returned(sick, DOWN, ttl=77)
        answer = sick.get(f"/{name}:1")
        assert answer.headers["cache-control"].startswith("public, max-age=77, s-maxage=77, ")
        assert answer.headers["cache-tag"] == f"prefix:{name}"
        assert "Provider-Choice" in answer.headers["access-control-expose-headers"].split(", ")

    def test_the_canonical_link_is_the_same_and_the_first(self, sick: System) -> None:
        name = returned(sick, DOWN, deprecated=True)
        relations = re.findall(r'rel="([a-z]+)"', sick.get(f"/{name}:1").headers["link"])
        assert relations == ["canonical", "deprecation", "alternate"]
        assert sick.get(f"/{name}:1").canonical == f"{BASE_URL}/{name}:1"

    def test_a_state_of_a_later_release_counts_as_never_checked(self, sick: System) -> None:
        name, resting = returned(sick), Condition("resting", MOMENT)
        assert sick.store().conditions.set_prefix_condition(name, 1, {"default": resting, "ols": ILL[DOWN]})
        answer = sick.get(f"/{name}:1")
        assert leads(answer) == "default"
        assert choice_of(answer.headers["provider-choice"])["down"] == ["ols"]
        for path, query in ((f"/{name}", ""), (f"/{name}:1", "info"), (f"/api/identifiers.org/{name}:1", "")):
            assert sick.get(path, query=query, accept=BROWSER).status == 200
        minted = sick.mint({"prefix": "demo", "uri": "https://content.example.org/rests"}).json()
        owner, key = minted["repository"], lui.validate(minted["id"])
        assert sick.store().conditions.set_record_condition(
            owner, key, 1, {"https://content.example.org/rests": resting}
        )
        path = minted["pid"].removeprefix(BASE_URL)
        assert (sick.get(path).status, sick.get(path, query="format=html", accept=BROWSER).status) == (302, 200)

    def test_records_of_this_service_say_nothing_of_providers(self, sick: System) -> None:
        minted = sick.mint({"prefix": "demo", "uri": "https://content.example.org/"}).json()
        assert "provider-choice" not in sick.get(minted["pid"].removeprefix(BASE_URL)).headers

    def test_many_at_once_get_the_same(self, sick: System) -> None:
        names = [returned(sick, *states) for states in ((DOWN,), (), (DOWN, DOWN, DOWN))]
        ids = [f"{name}:1" for name in names] + [f"ols/{names[1]}:1"]
        results = sick.request("POST", "/api/v1/resolve", document={"ids": ids}).json()["results"]
        assert [each["location"] for each in results] == [
            URLS["ols"] + "1",
            URLS["default"] + "1",
            URLS["default"] + "1",
            URLS["ols"] + "1",
        ]


class TestTold:
    def test_every_step_says_why(self, sick: System) -> None:
        name = returned(sick, DOWN, UP, DEGRADED)
        parsed = sick.get("/api/v1/parse", query=f"id={name}:1").json()
        steps = [(step["step"], step["detail"]) for step in parsed["steps"]]
        moment = "2025-07-10T14:22:30Z"
        why = f"default is down since {moment} (it answered 500), and last worked at {moment}"
        why += "; ols replaces it"
        assert ("health", why) in steps
        assert steps.index(("health", why)) < [step for step, _ in steps].index("provider")
        assert parsed["location"] == URLS["ols"] + "1"
        for text, ending in ((f"Portal/{name}:1", "; the request names it"), (f"ols/{name}:1", None)):
            parsed = sick.get("/api/v1/parse", query=f"id={text}").json()
            said = [step["detail"] for step in parsed["steps"] if step["step"] == "health"]
            assert [each.endswith(str(ending)) for each in said] == [True] * (ending is not None)

    def test_of_those_that_are_all_down_too(self, sick: System) -> None:
        parsed = sick.get("/api/v1/parse", query=f"id={returned(sick, DOWN, DOWN, DOWN)}:1").json()
        (said,) = [step["detail"] for step in parsed["steps"] if step["step"] == "health"]
        assert said.endswith("; no other is better")

    def test_a_pasted_url_of_any_provider_leads_back_whatever_provider_is_chosen(self, fresh: System) -> None:
        name = returned(fresh, DOWN)
        for code in CODES:
            parsed = fresh.get("/api/v1/parse", query=f"id={URLS[code]}1").json()
            assert parsed["curies"] == [f"{name}:1"], code

    def test_the_prefix_has_the_health_of_each_checked_provider(self, sick: System) -> None:
        name = returned(sick, DOWN, UP)
        document = sick.get(f"/{name}", accept=JSON).json()
        moment = "2025-07-10T14:22:30Z"
        assert [each.get("health") for each in document["providers"]] == [
            {"state": DOWN, "since": moment, "reason": "it answered 500", "lastGood": moment, "moved": None},
            {"state": UP, "since": moment, "reason": None, "lastGood": None, "moved": None},
            None,
        ]
        assert sick.admin("GET", f"/api/v1/prefixes/{name}").json() == document

    def test_providers_can_be_sent_back_as_they_were_reported_and_health_is_not_given(self, fresh: System) -> None:
        name = returned(fresh, DOWN)
        providers = fresh.get(f"/{name}", accept=JSON).json()["providers"]
        for each in providers:
            each["health"] = {**(each.get("health") or {}), "state": "up"}
        sent = {"kind": "provider", "title": "Another", "example": "1", "providers": providers}
        answer = fresh.admin("PUT", f"/api/v1/prefixes/{name}", sent)
        assert answer.status == 200, answer.body
        stored = fresh.admin("GET", f"/api/v1/prefixes/{name}").json()
        assert stored["title"] == "Another"
        assert [(each["code"], each["url"]) for each in stored["providers"]] == [
            (code, url + "{$id}") for code, url in URLS.items()
        ]
        assert stored["providers"][0]["health"]["state"] == DOWN
        providers[0]["health"] = "up"
        refused = fresh.admin("PUT", f"/api/v1/prefixes/{name}", sent)
        assert refused.is_problem(422)
        assert "/providers/0/health" in refused.body

    def test_what_was_known_of_other_providers_goes_with_them(self, fresh: System) -> None:
        name = returned(fresh, DOWN)
        providers = [{"code": "default", "url": "https://other.example/{$id}"}]
        assert (
            fresh.admin("PUT", f"/api/v1/prefixes/{name}", {"kind": "provider", "providers": providers}).status == 200
        )
        (stored,) = fresh.admin("GET", f"/api/v1/prefixes/{name}").json()["providers"]
        assert "health" not in stored

    def test_the_page_of_the_prefix_says_it_in_words(self, sick: System) -> None:
        said = words(sick.get(f"/{returned(sick, DOWN, UP)}", accept=BROWSER))
        assert "At the moment the prefix leads to The ols" in said
        assert "Down since 2025-07-10 14:22:30 UTC. The reason: it answered 500. Last reached" in said
        assert "Up since 2025-07-10 14:22:30 UTC." in said
        assert "Not checked yet." in said
        assert said.count("currently used") == 1
        said = words(sick.get(f"/{returned(sick, DOWN, DOWN, DOWN)}", accept=BROWSER))
        assert "All providers have failed recent checks, so the prefix leads to the first." in said
        plain = words(sick.get(f"/{returned(sick)}", accept=BROWSER))
        assert "since" not in plain
        assert "The prefix leads to the first provider, unless" in plain

    def test_so_does_the_page_of_an_identifier(self, sick: System) -> None:
        name = returned(sick, DOWN, UP, DEGRADED)
        said = words(sick.get(f"/{name}:1", query="format=html"))
        assert f"its provider, The ols: Open it {URLS['ols']}1" in said
        assert "The preferred provider is The default, but it has failed recent checks. Down since" in said
        assert "Unreliable since 2025-07-10 14:22:30 UTC." in said
        said = words(sick.get(f"/{name}:1", query="format=html&provider=default"))
        assert "This provider has failed recent checks. Down since" in said
        said = words(sick.get(f"/{returned(sick, DOWN, DOWN, DOWN)}:1", query="format=html"))
        assert "All providers have failed recent checks. This is the preferred one. Down since" in said

    def test_times_on_pages_are_absolute(self, sick: System) -> None:
        body = sick.get(f"/{returned(sick, DOWN)}", accept=BROWSER).body
        assert '<time datetime="2025-07-10T14:22:30Z">2025-07-10 14:22:30 UTC</time>' in body

    def test_programs_get_the_same_target(self, sick: System) -> None:
        assert f"location: {URLS['ols']}1" in sick.get(f"/{returned(sick, DOWN)}:1", query="info").body


class TestDialects:
    def test_identifiers_org_recommends_by_health_and_officials_stay_official(self, sick: System) -> None:
        name = returned(sick, DOWN, DEGRADED, UP)
        document = sick.get(f"/api/identifiers.org/{name}:1").json()
        resources = document["payload"]["resolvedResources"]
        assert [each["providerCode"] for each in resources] == ["Portal", "ols", "default"]
        assert [each["official"] for each in resources] == [False, False, True]
        assert [each["id"] for each in resources] == [3, 2, 1]
        recommended = [each["recommendation"] for each in resources]
        assert [each["recommendationIndex"] for each in recommended] == [100, 99, 98]
        assert recommended[2]["recommendationExplanation"].startswith("The provider is down since 2025-07-10T14:22:30Z")
        (only,) = sick.get(f"/api/identifiers.org/default/{name}:1").json()["payload"]["resolvedResources"]
        assert only["providerCode"] == "default"

    def test_bioregistrys_has_all_of_them_by_their_codes(self, sick: System) -> None:
        name = returned(sick, DOWN)
        providers = sick.get(f"/api/reference/{name}:1").json()["providers"]
        assert providers == {code: url + "1" for code, url in URLS.items()}
        assert sick.get(f"/api/registry/{name}").json()["uri_format"] == URLS["default"] + "$1"

    def test_n2ts_format_contains_the_target(self, sick: System) -> None:
        name = returned(sick, DOWN)
        document = sick.get(f"/.info/{name}:1").json()
        assert (document["target"], document["definition"]["target"]) == (URLS["ols"] + "1", URLS["ols"] + "${content}")
        document = sick.get(f"/.info/default/{name}:1").json()
        assert document["definition"]["target"] == URLS["default"] + "${content}"


class TestChanges:
    def test_a_change_of_health_alone_takes_back_the_prefixs_answers_and_nothing_else(
        self, fresh_tables: TablesSystem
    ) -> None:
        fresh = fresh_tables
        names = [returned(fresh), returned(fresh)]
        minted = fresh.mint({"prefix": "demo", "uri": "https://content.example.org/"}).json()
        streams, store = Streams(fresh.tables), fresh.store()
        tags = []
        for health in ({"default": ILL[DOWN]}, {"default": ILL[UP]}, {}):
            assert store.conditions.set_prefix_condition(names[0], 1, health)
            changes = [change_of(each) for each in streams.read("PrefixTable")]
            tags.append([tag for change in changes if change for tag in change.tags])
        assert tags == [[prefix_tag(names[0])]] * 3
        assert store.conditions.set_prefix_condition(names[0], 1, {})
        assert [change_of(each) for each in streams.read("PrefixTable")] == []
        key = minted["id"].replace("-", "")
        assert store.conditions.set_record_condition(
            minted["repository"], key, 1, {"https://content.example.org/": ILL[DOWN]}
        )
        (change,) = [change_of(each) for each in streams.read("LuiTable")]
        assert change is not None
        assert change.tags == {f"record:{minted['repository']}/{key}"}
        assert not store.conditions.set_prefix_condition(names[0], 2, {"default": ILL[DOWN]})
        assert streams.read("PrefixTable") == []

    @pytest.mark.parametrize("seed", range(3))
    def test_after_the_cache_lifetime_requests_get_the_reported_state(self, seed: int) -> None:
        rng, app = random.Random(seed), InMemoryApplication()
        app.store.put_prefix(prefix("sick"), None)
        health: Health = UNKNOWN
        known: dict[str, Mapping[str, str]] = {}
        for _ in range(40):
            before = app.get("/sick:1")
            changed = {code.lower(): ILL[rng.choice(STATES)] for code in CODES if rng.random() < 0.8}
            assert app.store.set_prefix_condition("sick", 1, changed)
            assert app.get("/sick:1").headers == before.headers  # for as long as it is remembered
            assert leads(before) == CODES[preferred([code.lower() for code in CODES], health)]
            health = changed
            app.clock.moment += ASIDE
            answer = app.get("/sick:1")
            assert leads(answer) == CODES[preferred([code.lower() for code in CODES], health)]
            seen = known.setdefault(answer.headers["etag"], answer.headers)
            assert (seen["location"], seen["link"]) == (answer.headers["location"], answer.headers["link"])
            named = rng.choice(CODES)
            assert leads(app.get("/sick:1", f"provider={named}")) == named
        assert len(known) > 3

    def test_once_up_again_the_response_is_the_former_one(self) -> None:
        app = InMemoryApplication()
        app.store.put_prefix(prefix("sick"), None)
        headers = []
        for health in ({}, {"default": ILL[DOWN]}, {"default": ILL[UP]}):
            app.store.set_prefix_condition("sick", 1, health)
            app.clock.moment += ASIDE
            headers.append(app.get("/sick:1").headers)
        assert headers[0] == headers[2]
        assert headers[0]["etag"] != headers[1]["etag"]

    def test_a_cached_response_is_used_until_the_cache_reads_another_condition(self) -> None:
        store, seconds, ready = MemoryStore(), [0.0], ResponseCache()
        store.put_prefix(prefix("sick"), None)
        reader = CachingReader(store, lambda: seconds[0])
        application = Application(routes_of(reader), BASE_URL, unforeseen, public=True, cache=ready)
        request = Request("GET", "/sick:1")
        first = application(request)  # which memory did not know yet
        assert application(request) == first
        assert store.set_prefix_condition("sick", 1, {"default": ILL[DOWN]})
        assert ready.get(request) == first
        seconds[0] += PREFIX_TTL + 1
        assert ready.get(request) is None
        other = application(request)
        assert other.headers["Location"] == URLS["ols"] + "1"
        assert other.headers["ETag"] != first.headers["ETag"]
        assert application(request) == ready.get(request) == other

    def test_in_an_outage_the_cached_state_decides_and_the_response_is_marked_stale(self) -> None:
        store, seconds = MemoryStore(), [0.0]
        store.put_prefix(prefix("sick"), None)
        store.set_prefix_condition("sick", 1, {"default": ILL[DOWN]})
        memory = ReaderCache(lambda: seconds[0])
        answers = []
        for there in (store, FailingStore(store, "before", "prefixes")):
            reader = CachingReader(there, lambda: seconds[0], memory)
            application = Application(routes_of(reader), BASE_URL, unforeseen, public=True)
            answers.append(application(Request("GET", "/sick:1")))
            seconds[0] += PREFIX_TTL + 1
        fresh, stale = answers
        assert stale.headers["Location"] == fresh.headers["Location"] == URLS["ols"] + "1"
        assert stale.headers["Provider-Choice"] == fresh.headers["Provider-Choice"]
        assert "fwd=stale" in stale.headers["Cache-Status"]
        assert "Cache-Status" not in fresh.headers

    def test_since_when_it_holds_is_since_when_health_changed(self, sick: System) -> None:
        store, name = sick.store(), f"sick{next(_numbers)}"
        store.prefixes.put_prefix(prefix(name), None)
        assert store.conditions.set_prefix_condition(
            name, 1, {"default": Condition(DOWN, LATER), "ols": Condition(UP, MOMENT)}
        )
        assert sick.get(f"/{name}:1").headers["last-modified"] == "Fri, 02 Jan 2026 03:04:05 GMT"
        assert sick.get(f"/{name}", accept=JSON).headers["last-modified"] == "Fri, 02 Jan 2026 03:04:05 GMT"


def routes_of(reader: CachingReader) -> tuple[Route, ...]:
    """What is read, out of this reader."""
    return ResolutionEndpoint(reader, FixedClock(), BASE_URL).routes()


def unforeseen(error: Exception, _request: Request) -> None:
    """Nothing is that nobody foresaw."""
    raise error


def words(answer: Answer) -> str:
    """The text of a page's main part."""
    assert answer.status == 200
    main = answer.body.partition('<main id="main">')[2].partition("</main>")[0]
    text = " ".join(unescape(re.sub("<[^>]*>", " ", main)).split())
    return re.sub(r" ([.,])", r"\1", text)
