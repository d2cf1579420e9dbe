"""Choosing between a record's locations and its metadata (RFC 9110, section 12.5; RFC 4647, section 3)."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.model.records import Location
from coolid.resolution.content_negotiation import ClientPreferences, best_offer, choose

LINKID = "application/linkid+json"
JSON = "application/json"
JSONLD = "application/ld+json"
TURTLE = "text/turtle"
TEXT = "text/plain"
PDF = "application/pdf"
HTML = "text/html"
OFFERS = (LINKID, JSON, "application/linkset+json", JSONLD, TURTLE, TEXT)

Ranges = tuple[tuple[str, float], ...]


def location(media_type: str | None = None, language: str | None = None, quality: float | None = None) -> Location:
    return Location(f"https://a.example/{media_type}/{language}", "active", media_type, language, quality)


def the_uri(result: tuple[Location, ...] | str | None) -> str:
    assert isinstance(result, tuple)
    assert len(result) == 1
    return result[0].uri


ANYTHING = location()
PAPER = location(PDF)
DATA = location(JSON)
BROWSER: Ranges = (
    (HTML, 1.0),
    ("application/xhtml+xml", 1.0),
    ("application/xml", 0.9),
    ("image/avif", 1.0),
    ("*/*", 0.8),
)


class TestALocationOrMetadata:
    @pytest.mark.parametrize("types", [None, (("*/*", 1.0),), (("*/*", 0.1),), BROWSER])
    @pytest.mark.parametrize("there", [ANYTHING, PAPER, DATA, location(HTML)])
    def test_browsers_and_clients_without_preferences_get_the_location(
        self, types: Ranges | None, there: Location
    ) -> None:
        assert choose([there], OFFERS, ClientPreferences(types)) == (there,)

    @pytest.mark.parametrize(
        ("there", "types", "chosen"),
        [
            (PAPER, ((JSONLD, 1.0), ("*/*", 0.8)), JSONLD),
            (PAPER, ((JSONLD, 1.0), ("*/*", 1.0)), JSONLD),  # a wildcard counts as named last
            (PAPER, (("*/*", 1.0), (JSONLD, 1.0)), JSONLD),
            (PAPER, (("application/*", 1.0), (JSONLD, 1.0)), JSONLD),
            (PAPER, ((JSONLD, 0.5), ("*/*", 0.8)), PAPER),
            (PAPER, ((PDF, 1.0), (JSONLD, 1.0)), PAPER),
            (PAPER, ((JSONLD, 1.0), (PDF, 1.0)), JSONLD),
            (PAPER, ((PDF, 0.9), (TURTLE, 1.0)), TURTLE),
            (PAPER, ((JSON, 0.5), (TURTLE, 0.7)), TURTLE),
            (PAPER, ((JSON, 0.7), (TURTLE, 0.7)), JSON),
            (PAPER, (("application/*", 0.5),), PAPER),  # a wildcard names nothing
            (location("image/png"), (("application/*", 1.0), ("*/*", 0.5)), location("image/png")),
            (PAPER, ((TEXT, 1.0), (PDF, 0.1), ("*/*", 0.0)), TEXT),
            (PAPER, ((f'{JSONLD};profile="http://x/y,z"', 1.0), (HTML, 0.9)), JSONLD),
            (PAPER, ((HTML, 1.0),), HTML),  # no location is acceptable, the page is
            (PAPER, ((HTML, 0.5), (TURTLE, 0.4)), HTML),
            (PAPER, ((PDF, 0.0), ("*/*", 1.0)), LINKID),
            (PAPER, ((PDF, 0.0), (HTML, 1.0), ("*/*", 0.8)), HTML),
            (PAPER, (("*/*", 0.0),), None),
            (PAPER, ((JSON, 0.0),), None),
            (PAPER, (("image/png", 1.0),), None),
            (DATA, ((JSON, 1.0),), DATA),  # equal, and the location is what is usual
            (DATA, ((JSON, 1.0), ("*/*", 0.1)), DATA),
            (DATA, ((LINKID, 1.0), (JSON, 1.0)), LINKID),
            (DATA, ((JSON, 0.0), ("*/*", 1.0)), LINKID),
            (location("Application/JSON; charset=utf-8"), ((JSON, 1.0),), location("Application/JSON; charset=utf-8")),
        ],
    )
    def test_weight_then_order_decide(self, there: Location, types: Ranges, chosen: Location | str | None) -> None:
        assert choose([there], OFFERS, ClientPreferences(types)) == (
            (chosen,) if isinstance(chosen, Location) else chosen
        )

    @pytest.mark.parametrize(
        ("types", "chosen"),
        [
            (((HTML, 1.0),), ANYTHING),
            ((("image/png", 0.3),), ANYTHING),
            ((("*/*", 0.3),), ANYTHING),
            (((JSONLD, 1.0),), JSONLD),
            (((JSONLD, 0.2), ("image/png", 0.3)), ANYTHING),
            (((JSON, 0.0),), None),
            (((JSON, 0.0), ("*/*", 1.0)), ANYTHING),
            ((("image/png", 0.0), ("image/gif", 1.0)), ANYTHING),
            ((("application/vnd.crossref.unixref+xml", 1.0),), None),  # nor others'
            (((JSONLD, 1.0), (HTML, 0.9)), JSONLD),
            (((HTML, 1.0), (JSONLD, 1.0)), ANYTHING),
            (((JSONLD, 1.0), (HTML, 1.0)), JSONLD),
        ],
    )
    def test_a_location_of_unknown_type_may_be_anything_but_our_metadata(
        self, types: Ranges, chosen: Location | str | None
    ) -> None:
        assert choose([ANYTHING], OFFERS, ClientPreferences(types)) == (
            (chosen,) if isinstance(chosen, Location) else chosen
        )

    @pytest.mark.parametrize(
        ("types", "chosen"),
        [
            (None, LINKID),
            ((("*/*", 1.0),), LINKID),
            (BROWSER, HTML),
            (((TURTLE, 1.0),), TURTLE),
            ((("text/*", 1.0),), TURTLE),
            (((JSON, 0.0), ("*/*", 1.0)), LINKID),
            ((("image/png", 1.0),), None),
        ],
    )
    def test_without_locations_metadata_and_page_compete(self, types: Ranges | None, chosen: str | None) -> None:
        assert choose([], OFFERS, ClientPreferences(types)) == chosen

    def test_metadata_has_to_be_liked_better_than_the_location_that_would_be_given(self) -> None:
        poor = location(PDF, quality=0.05)
        good = location("image/png", quality=1.0)
        types = ((PDF, 1.0), (JSONLD, 0.9), ("image/png", 0.1))
        assert choose([poor, good], OFFERS, ClientPreferences(types)) == JSONLD
        assert choose([good, poor], (), ClientPreferences(types)) == (good,)


class TestMediaTypes:
    def test_the_example_of_the_standard(self) -> None:
        types = (
            ("text/*", 0.3),
            ("text/plain", 0.7),
            ("text/plain;format=flowed", 1.0),
            ("text/plain;format=fixed", 0.4),
            ("*/*", 0.5),
        )
        weights = {
            "text/plain;format=flowed": 1.0,
            "text/plain": 0.7,
            "image/jpeg": 0.5,
            "text/plain;format=fixed": 0.4,
            "text/html": 0.3,
        }
        there = [location(media_type) for media_type in reversed(weights)]
        for media_type in weights:
            assert the_uri(choose(there, (), ClientPreferences(types))) == location(media_type).uri
            there = [each for each in there if each.media_type != media_type]
        assert not there

    def test_a_parameter_distinguishes_locations(self) -> None:
        one, other = location('application/ld+json; profile="https://a"'), location("application/ld+json;profile=b")
        assert choose([one, other], (), ClientPreferences(((f"{JSONLD}; profile=b", 1.0),))) == (other,)
        assert choose([one, other], (), ClientPreferences(((f'{JSONLD};Profile="HTTPS://A"', 1.0),))) == (one,)
        assert choose([one, other], (), ClientPreferences(((f"{JSONLD};profile=c", 1.0), ("*/*", 0.1)))) == (one, other)

    def test_a_type_without_the_parameter_may_still_be_what_is_meant(self) -> None:
        assert choose([PAPER], (), ClientPreferences(((f"{PDF};version=1.7", 0.1),))) == (PAPER,)

    def test_what_is_both_wanted_and_excluded_is_excluded(self) -> None:
        assert choose([PAPER], OFFERS, ClientPreferences(((PDF, 1.0), (PDF, 0.0)))) is None

    @pytest.mark.parametrize("odd", ["", ";", "a", "a/b;", 'a/b;"', 'a/b;p="', "a/b;=;=", "/", "*/*", "é/ü;ß"])
    def test_an_odd_type_in_a_record_does_no_harm(self, odd: str) -> None:
        assert choose([location(odd)], (), ClientPreferences((("*/*", 1.0),))) == (location(odd),)


class TestLanguages:
    ENGLISH, GERMAN, UNKNOWN = location(PDF, "en"), location(PDF, "de"), location(PDF)

    @pytest.mark.parametrize(
        ("languages", "chosen"),
        [
            (None, ("de", "en", None)),
            ((("*", 1.0),), ("de", "en", None)),
            ((("en", 1.0),), ("en",)),
            ((("de", 0.5), ("en", 0.6)), ("en",)),
            ((("en-us", 1.0), ("de", 0.9)), ("en",)),
            ((("en-us", 1.0), ("de", 1.0)), ("de",)),
            ((("en-us", 1.0), ("en", 0.2), ("de", 0.5)), ("de",)),
            ((("en-us", 0.0), ("en", 0.5)), ("en",)),
            ((("en-us", 1.0), ("*", 0.5)), ("en",)),
            ((("fr", 1.0),), (None,)),
            ((("fr", 1.0), ("*", 0.5)), ("de", "en", None)),
            ((("fr", 1.0), ("*", 0.0)), (None,)),
            ((("de", 0.0), ("*", 0.5)), ("en", None)),
            ((("d", 1.0), ("e", 0.1)), (None,)),
            ((("en-us", 0.0), ("*", 0.5)), ("de", "en", None)),  # what excludes a part says nothing of the rest
        ],
    )
    def test_weight_and_closeness_decide(self, languages: Ranges | None, chosen: tuple[str | None, ...]) -> None:
        result = choose([self.GERMAN, self.ENGLISH, self.UNKNOWN], OFFERS, ClientPreferences(languages=languages))
        assert isinstance(result, tuple)
        assert tuple(each.language for each in result) == chosen

    def test_a_range_covers_what_is_more_special(self) -> None:
        swiss = location(PDF, "de-CH")
        assert choose([self.ENGLISH, swiss], (), ClientPreferences(languages=(("de", 1.0), ("en", 0.9)))) == (swiss,)

    def test_the_longest_range_decides(self) -> None:
        american, british = location(PDF, "en-US"), location(PDF, "en-GB")
        wishes = ClientPreferences(languages=(("en", 1.0), ("en-us", 0.5)))
        assert choose([american, british], (), wishes) == (british,)
        wishes = ClientPreferences(languages=(("en", 0.0), ("en-us", 0.5)))
        assert choose([british, american], (), wishes) == (american,)
        assert choose([british], (), wishes) == HTML  # the metadata has no language

    def test_what_is_more_general_by_one_subtag_is_closer_than_by_two(self) -> None:
        chinese, traditional = location(PDF, "zh"), location(PDF, "zh-Hant")
        assert choose([chinese, traditional], (), ClientPreferences(languages=(("zh-hant-tw", 1.0),))) == (traditional,)

    def test_another_language_is_the_last_resort(self) -> None:
        french = ClientPreferences(languages=(("fr", 1.0),))
        assert choose([self.GERMAN], OFFERS, french) == (self.GERMAN,)
        assert choose([self.GERMAN, self.UNKNOWN], OFFERS, french) == (self.UNKNOWN,)
        assert choose([self.GERMAN, self.UNKNOWN, location(PDF, "fr")], OFFERS, french) == (location(PDF, "fr"),)

    def test_an_excluded_language_is_not_served(self) -> None:
        assert choose([self.GERMAN], OFFERS, ClientPreferences(languages=(("de", 0.0),))) == LINKID
        assert choose([self.GERMAN], OFFERS, ClientPreferences(BROWSER, languages=(("de", 0.0),))) == HTML


class TestQuality:
    def test_it_multiplies(self) -> None:
        good, poor = location(PDF, quality=0.95), location("image/png", quality=0.5)
        assert choose([poor, good], (), ClientPreferences()) == (good,)
        assert choose([poor, good], (), ClientPreferences(((PDF, 0.5), ("image/png", 1.0)))) == (poor,)

    def test_unstated_it_is_full(self) -> None:
        assert choose([location(PDF, quality=0.99), PAPER], (), ClientPreferences()) == (PAPER,)
        same = location(PDF, quality=1.0)
        assert choose([same, PAPER], (), ClientPreferences()) == (same, PAPER)

    def test_none_at_all_comes_last_but_is_served(self) -> None:
        worthless = location(PDF, "en", quality=0.0)
        unwanted = location(PDF, "de", quality=0.001)
        wishes = ClientPreferences(((PDF, 0.001),), (("en", 1.0),))
        assert choose([worthless], OFFERS, wishes) == (worthless,)
        assert choose([worthless, unwanted], OFFERS, wishes) == (unwanted,)
        assert choose([location(PDF, "de", quality=0.0), worthless], OFFERS, wishes) == (worthless,)

    def test_equal_products_are_equal(self) -> None:
        one, other = location(PDF, quality=0.07), location("image/png", quality=0.01)
        assert 0.1 * 0.07 != 0.7 * 0.01  # as floating-point numbers have it
        assert choose([one, other], (), ClientPreferences(((PDF, 0.1), ("image/png", 0.7)))) == (one, other)


class TestDemands:
    HERE = (
        replace(PAPER, version="1", language="en"),
        replace(PAPER, version="2", language="de-CH"),
        replace(DATA, version="2"),
        ANYTHING,
    )

    @pytest.mark.parametrize(
        ("wishes", "chosen"),
        [
            (ClientPreferences(media_type=PDF), (0, 1)),
            (ClientPreferences(media_type=PDF, version="2"), (1,)),
            (ClientPreferences(media_type="Application/PDF"), (0, 1)),
            (ClientPreferences(media_type=JSON), (2,)),
            (ClientPreferences(media_type="image/png"), None),
            (ClientPreferences(version="2"), (1, 2)),
            (ClientPreferences(version="3"), None),
            (ClientPreferences(language="de"), (1,)),
            (ClientPreferences(language="DE"), (1,)),
            (ClientPreferences(language="de-ch-1996"), (2, 3)),  # none filtered by it, two of unknown language
            (ClientPreferences(language="fr", media_type=PDF), None),
            (ClientPreferences(((HTML, 1.0), (JSONLD, 1.0)), media_type=PDF), (0, 1)),  # Accept has no say
            (ClientPreferences((("*/*", 0.0),), media_type=PDF), (0, 1)),
            (ClientPreferences(((PDF, 0.0), ("*/*", 1.0)), version="2"), (2,)),  # Accept has
            (ClientPreferences(((JSONLD, 1.0),), language="en"), JSONLD),
            (
                ClientPreferences(((TURTLE, 1.0), ("*/*", 0.1)), version="3"),
                TURTLE,
            ),  # demands are made on locations alone
            (ClientPreferences(((TURTLE, 1.0), ("*/*", 0.1)), version="2"), TURTLE),
            (ClientPreferences(((TURTLE, 0.1), ("*/*", 1.0)), version="3"), TURTLE),
            (ClientPreferences(((TURTLE, 0.1), ("*/*", 1.0)), version="2"), (1, 2)),
            (ClientPreferences(((TURTLE, 0.5), (LINKID, 0.7)), version="3"), LINKID),
            (ClientPreferences(((TURTLE, 0.0), ("*/*", 1.0)), version="3"), None),
            (ClientPreferences((("application/*", 1.0),), version="3"), None),  # which names nothing
            (ClientPreferences(((HTML, 1.0), ("*/*", 0.1)), version="3"), None),
            (ClientPreferences(((TURTLE, 1.0),), media_type="image/png"), None),
            (ClientPreferences(((TURTLE, 1.0),), language="fr", media_type=PDF), None),
            (ClientPreferences(languages=(("en", 1.0),), media_type=PDF), (0,)),
            (ClientPreferences(languages=(("en", 1.0), ("de", 0.0)), language="de"), (1,)),
            (ClientPreferences(languages=(("en", 0.0), ("de", 0.0)), media_type=PDF), None),
        ],
    )
    def test_they_come_before_preferences(
        self, wishes: ClientPreferences, chosen: tuple[int, ...] | str | None
    ) -> None:
        expected = tuple(self.HERE[index] for index in chosen) if isinstance(chosen, tuple) else chosen
        assert choose(self.HERE, OFFERS, wishes) == expected

    def test_a_location_without_language_fits_after_one_in_the_language(self) -> None:
        german, unknown = location(PDF, "de", quality=0.1), location(PDF)
        assert choose([unknown, german], OFFERS, ClientPreferences(language="de")) == (german,)
        assert choose([unknown, location(PDF, "en")], OFFERS, ClientPreferences(language="de")) == (unknown,)

    def test_no_metadata_is_of_a_demanded_type(self) -> None:
        assert choose([], OFFERS, ClientPreferences(media_type=PDF)) is None
        assert choose([], OFFERS, ClientPreferences(language="de", version="2")) == LINKID


class TestOffers:
    def test_without_preferences_the_first(self) -> None:
        assert best_offer(OFFERS, None) == LINKID

    def test_without_offers_none(self) -> None:
        assert best_offer((), None) is None
        assert best_offer((), (("*/*", 1.0),)) is None


WEIGHTS = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)
POSITIVE = st.integers(1, 1000).map(lambda thousandths: thousandths / 1000)
TYPES = st.sampled_from([*OFFERS, PDF, HTML, "image/png", "text/csv"])
RANGES = TYPES | st.sampled_from(["*/*", "text/*", "application/*", "image/*"])
TAGS = st.sampled_from(["en", "en-us", "de", "de-ch", "fr", "zh-hant"])


def weighted(ranges: st.SearchStrategy[str]) -> st.SearchStrategy[Ranges]:
    return st.lists(st.tuples(ranges, WEIGHTS), max_size=6, unique_by=lambda pair: pair[0]).map(tuple)


LOCATIONS = st.builds(
    Location,
    uri=st.uuids().map(lambda unique: f"https://example.org/{unique}"),
    media_type=st.none() | TYPES,
    language=st.none() | TAGS,
    quality=st.none() | WEIGHTS,
    version=st.none() | st.sampled_from("12"),
)
PREFERENCES = st.builds(
    ClientPreferences, types=st.none() | weighted(RANGES), languages=st.none() | weighted(TAGS | st.just("*"))
)
WISHES = st.builds(
    lambda wishes, media_type, language, version: replace(
        wishes, media_type=media_type, language=language, version=version
    ),
    PREFERENCES,
    st.none() | TYPES,
    st.none() | TAGS,
    st.none() | st.sampled_from("12"),
)
MANY = st.lists(LOCATIONS, max_size=5, unique_by=lambda each: each.uri)
SOME = st.lists(LOCATIONS, min_size=1, max_size=5, unique_by=lambda each: each.uri)
TYPED = st.builds(replace, LOCATIONS, media_type=TYPES)


def winners(result: tuple[Location, ...] | str | None) -> tuple[Location, ...]:
    return result if isinstance(result, tuple) else ()


class TestAlways:
    @given(MANY, WISHES)
    def test_the_result_is_of_what_there_is_in_its_order(
        self, there: list[Location], wishes: ClientPreferences
    ) -> None:
        result = choose(there, OFFERS, wishes)
        if isinstance(result, tuple):
            assert result
            assert list(result) == [each for each in there if each in result]
        else:
            assert result in (*OFFERS, HTML, None)

    @given(MANY, PREFERENCES, TYPES)
    def test_an_excluded_type_never_comes(
        self, there: list[Location], wishes: ClientPreferences, excluded: str
    ) -> None:
        types = tuple(pair for pair in wishes.types or (("*/*", 1.0),) if pair[0] != excluded)
        for position in range(len(types) + 1):
            with_it = replace(wishes, types=(*types[:position], (excluded, 0.0), *types[position:]))
            result = choose(there, OFFERS, with_it)
            assert result != excluded
            assert not isinstance(result, tuple) or all(each.media_type != excluded for each in result)

    @given(MANY, PREFERENCES, st.sampled_from(["en", "de", "fr"]))
    def test_an_excluded_language_never_comes(
        self, there: list[Location], wishes: ClientPreferences, excluded: str
    ) -> None:
        others = tuple(pair for pair in wishes.languages or () if not pair[0].startswith(excluded))
        result = choose(there, OFFERS, replace(wishes, languages=(*others, (excluded, 0.0))))
        if isinstance(result, tuple):
            assert not any((each.language or "").startswith(excluded) for each in result)

    @given(MANY, WISHES)
    def test_accepting_everything_equals_no_preferences(self, there: list[Location], wishes: ClientPreferences) -> None:
        silent = replace(wishes, types=None, languages=None)
        assert choose(there, OFFERS, silent) == choose(
            there, OFFERS, replace(wishes, types=(("*/*", 1.0),), languages=(("*", 1.0),))
        )

    @given(MANY, WISHES, st.randoms(use_true_random=False))
    def test_the_order_of_languages_does_not_matter(
        self, there: list[Location], wishes: ClientPreferences, rng: Random
    ) -> None:
        languages = list(wishes.languages or ())
        rng.shuffle(languages)
        shuffled = replace(wishes, languages=tuple(languages) if wishes.languages is not None else None)
        assert choose(there, OFFERS, shuffled) == choose(there, OFFERS, wishes)

    @given(SOME, WISHES, st.randoms(use_true_random=False))
    def test_the_order_of_types_matters_only_among_metadata_or_between_it_and_locations(
        self, there: list[Location], wishes: ClientPreferences, rng: Random
    ) -> None:
        types = list(wishes.types or ())
        rng.shuffle(types)
        shuffled = replace(wishes, types=tuple(types) if wishes.types is not None else None)
        one, other = choose(there, OFFERS, wishes), choose(there, OFFERS, shuffled)
        assert (one is None) == (other is None)
        if isinstance(one, tuple) and isinstance(other, tuple):
            assert one == other

    @given(st.lists(TYPED, max_size=5, unique_by=lambda each: each.uri), PREFERENCES, st.data())
    def test_ranges_that_describe_nothing_here_do_not_matter(
        self, there: list[Location], wishes: ClientPreferences, data: st.DataObject
    ) -> None:
        types, languages = wishes.types or (("*/*", 1.0),), wishes.languages or (("*", 1.0),)
        position = data.draw(st.integers(0, len(types)))
        unrelated = (("font/woff2", data.draw(WEIGHTS)), ("video/*", data.draw(WEIGHTS)))
        more = replace(
            wishes,
            types=(*types[:position], *unrelated, *types[position:]),
            languages=(("tlh", data.draw(WEIGHTS)), *languages),
        )
        assert choose(there, OFFERS, more) == choose(there, OFFERS, replace(wishes, types=types, languages=languages))

    @given(SOME, PREFERENCES, st.data())
    def test_a_greater_quality_never_makes_a_winner_lose(
        self, there: list[Location], wishes: ClientPreferences, data: st.DataObject
    ) -> None:
        for winner in winners(choose(there, (), wishes)):
            if winner.quality is not None:
                better = replace(winner, quality=data.draw(st.floats(winner.quality, 1)))
                others = [better if each == winner else each for each in there]
                assert better in winners(choose(others, (), wishes))

    @given(
        st.lists(TYPED, min_size=1, max_size=5, unique_by=lambda each: each.uri),
        weighted(TYPES),
        st.none() | weighted(TAGS | st.just("*")),
        POSITIVE,
    )
    def test_a_greater_weight_never_makes_a_winner_lose(
        self, there: list[Location], named: Ranges, languages: Ranges | None, more: float
    ) -> None:
        wishes = ClientPreferences((*named, ("*/*", 0.1)), languages)
        for winner in winners(choose(there, (), wishes)):
            raised = tuple(
                (name, min(1.0, weight + more) if name == winner.media_type else weight) for name, weight in named
            )
            assert winner in winners(choose(there, (), replace(wishes, types=(*raised, ("*/*", 0.1)))))

    @given(SOME, PREFERENCES, st.data())
    def test_a_worse_location_never_changes_the_winner(
        self, there: list[Location], wishes: ClientPreferences, data: st.DataObject
    ) -> None:
        result = choose(there, OFFERS, wishes)
        for winner in winners(result):
            quality = 1.0 if winner.quality is None else winner.quality
            if quality > 0:
                worse = replace(
                    winner, uri="https://example.org/worse", quality=quality * data.draw(st.floats(0, 0.99))
                )
                position = data.draw(st.integers(0, len(there)))
                assert choose([*there[:position], worse, *there[position:]], OFFERS, wishes) == result

    @given(MANY, WISHES)
    def test_candidates_that_lose_do_not_matter(self, there: list[Location], wishes: ClientPreferences) -> None:
        result = choose(there, OFFERS, wishes)
        if isinstance(result, tuple):
            assert choose(result, OFFERS, wishes) == result

    @given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=10), st.text(max_size=10))
    def test_no_text_makes_it_fail(self, media_type: str, media_range: str, tag: str, language_range: str) -> None:
        wishes = ClientPreferences(((media_range, 0.5),), ((language_range, 0.5),))
        choose([location(media_type, tag)], OFFERS, wishes)
        choose([location(media_type, tag)], OFFERS, ClientPreferences(media_type=media_range, language=language_range))
