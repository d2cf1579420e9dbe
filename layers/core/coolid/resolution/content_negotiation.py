"""Content negotiation between a record's locations and the representations of its metadata.

Media types are weighed by RFC 9110 (section 12.5.1), languages by RFC 4647 (basic filtering, and lookup for languages
that are more general than the range), and both with the draft's `quality` of a location. The usual answer is a
location; only clients that name a metadata type get metadata.

>>> paper = Location("https://example.org/a.pdf", media_type="application/pdf")
>>> offers = ("application/linkid+json", "application/ld+json")
>>> choose([paper], offers, ClientPreferences(types=(("application/ld+json", 1.0), ("*/*", 0.8))))
'application/ld+json'
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from coolid.model.records import Location

ANYTHING: Final = "*/*"
ANY_TYPE: Final = ((ANYTHING, 1.0),)

# Weights of locations in an unknown language, and in a language that the client does not name.
_LANGUAGE_UNKNOWN: Final = 0.01
_LANGUAGE_UNWANTED: Final = 0.001
# Factor for each subtag by which a language is more general than the client's range (`en` for `en-US`).
_MORE_GENERAL: Final = 0.99
# How specific a range is if it has a parameter that the type lacks.
_LACKING: Final = 3

# Foreign metadata formats of DOIs: a client that requests one does not mean a location of unknown type.
_FOREIGN_TYPES: Final = frozenset(
    {
        "application/vnd.codemeta.ld+json",
        "application/vnd.crossref.unixref+xml",
        "application/vnd.crossref.unixsd+xml",
        "application/vnd.jats+xml",
        "application/vnd.medra.onixdoi+xml",
        "application/x-datacite+xml",
    }
)


class ClientPreferences(Struct, frozen=True, cache_hash=True):
    """The preferences of a client. Ranges are lower case, in the client's order, each with its weight from 0 to 1.

    `types` and `languages` are preferences, None if the client states none. The other members are requirements: only a
    location of that media type, language or version is acceptable.
    """

    types: tuple[tuple[str, float], ...] | None = None
    languages: tuple[tuple[str, float], ...] | None = None
    media_type: str | None = None
    language: str | None = None
    version: str | None = None


def choose(
    locations: Sequence[Location], offers: Sequence[str], preferences: ClientPreferences
) -> tuple[Location, ...] | str | None:
    """Return the best of `locations`, the media type of the best metadata, or None if nothing is acceptable.

    `locations` are those that may be served, `offers` the media types of the metadata, the preferred one first. Several
    locations are returned only if they are equally good, in the record's order. Metadata precedes them only if the
    client names it with a greater weight than the range of the best location, or with the same weight and earlier. If
    no location is acceptable, offers and the record's page compete. If none meets the requirements, only offers that
    the client names are acceptable, because requirements apply only to locations.
    """
    offers = tuple(offers)
    best_named = _analyzed(offers, _type_ranges(preferences))[2]
    matching = [location for location in locations if meets_requirements(location, preferences)]
    scored = [
        (*rank, location)
        for location in matching
        if (rank := _location_rank(location.media_type, location.language, location.quality, offers, preferences))
    ]
    if not scored:
        if preferences.media_type is not None:
            return None
        if locations and not matching:
            return offers[best_named[1]] if best_named else None
        return best_offer((*offers, "text/html"), preferences.types)
    best = max(score for score, _, _ in scored)
    winners = [(fit, location) for score, fit, location in scored if score == best]
    if best_named and best_named[0] < min(fit for fit, _ in winners):
        return offers[best_named[1]]
    return tuple(location for _, location in winners)


def ranked(
    locations: Sequence[Location], preferences: ClientPreferences
) -> tuple[tuple[Location, ...], tuple[Location, ...]]:
    """Return the equally good best locations, and all others, the better ones first. Requirements are preferences here.

    A location that `choose` would not return, because it meets no requirement or has an excluded language, comes last.

    >>> english, german = Location("https://a.example/", language="en"), Location("https://b.example/", language="de")
    >>> [each.uri for each in ranked([english, german], ClientPreferences(language="de"))[0]]
    ['https://b.example/']
    """
    scores = []
    for location in locations:
        rank = _location_rank(location.media_type, location.language, location.quality, (), preferences)
        score = rank[0] if rank else (False, 0.0)
        scores.append((meets_requirements(location, preferences), rank is not None, *score))
    best = max(scores, default=())
    order = sorted(range(len(scores)), key=lambda position: scores[position], reverse=True)
    winners = tuple(locations[position] for position in order if scores[position] == best)
    return winners, tuple(locations[position] for position in order if scores[position] != best)


def prefers_page(locations: Sequence[Location], offers: Sequence[str], preferences: ClientPreferences) -> bool:
    """Return whether a client gets the record's page if PIDs lead there: it accepts the page and names nothing better.

    Such a client names the page before other types, or no type that a location or offer has. A client that states a
    requirement requests a location.

    >>> paper = Location("https://example.org/a.pdf", media_type="application/pdf")
    >>> prefers_page([paper], (), ClientPreferences(types=ANY_TYPE))
    True
    >>> prefers_page([paper], (), ClientPreferences(types=(("application/pdf", 1.0), ("*/*", 0.1))))
    False
    """
    if preferences.media_type or preferences.language or preferences.version:
        return False
    ranges, metadata, best_named = _analyzed(tuple(offers), _type_ranges(preferences))
    page = _fit("text/html", ranges)
    if page is None or (best_named and best_named[0] < page):
        return False
    fits = (_type_fit(each.media_type, ranges, metadata) for each in locations)
    return all(page <= fit for fit in fits if fit)


def meets_requirements(location: Location, preferences: ClientPreferences) -> bool:
    """Return whether a location meets the requirements; an unknown language does, unlike an unknown type or version.

    The type `ANYTHING` requires a location of any type, known or not.
    """
    if preferences.media_type not in (None, ANYTHING) and not (
        location.media_type is not None and _fit(location.media_type, _ranges([(preferences.media_type, 1.0)]))
    ):
        return False
    if preferences.version is not None and location.version != preferences.version:
        return False
    return (
        preferences.language is None
        or location.language is None
        or _covers(preferences.language.lower(), location.language.lower())
    )


def best_offer(offers: Sequence[str], types: Sequence[tuple[str, float]] | None) -> str | None:
    """Return the media type with the greatest weight; None if the client excludes them all.

    Among equals, a type that the client names precedes one that only a wildcard covers; then the client's order
    decides, then the order of `offers`.

    >>> best_offer(("application/json", "text/html"), (("application/json", 0.0), ("*/*", 0.1)))
    'text/html'
    """
    ranges = _ranges(ANY_TYPE if types is None else types)
    ranked = [(fit, position) for position, offer in enumerate(offers) if (fit := _fit(offer, ranges))]
    return offers[min(ranked)[1]] if ranked else None


class _Range(Struct, frozen=True):
    """A media range; `position` is its place in the header, after all named types if it is a wildcard."""

    essence: str
    parameters: Mapping[str, str]
    weight: float
    position: int


class _Fit(Struct, frozen=True, order=True):
    """How well a type fits: its negated weight, so that the best sorts first, then its position in the header.

    A type that `lacks` a parameter of the range, such as its profile, follows one that has it.
    """

    loss: float
    position: int
    lacks: bool = False


@lru_cache(maxsize=64)
def _analyzed(
    offers: tuple[str, ...], types: tuple[tuple[str, float], ...]
) -> tuple[tuple[_Range, ...], frozenset[str], tuple[_Fit, int] | None]:
    """Return the ranges, the metadata types, and the best named offer with its index; cached for usual headers."""
    ranges = _ranges(types)
    named_offers = [
        (fit, position)
        for position, offer in enumerate(offers)
        if (fit := _fit(offer, ranges)) and fit.position < len(ranges)
    ]
    metadata = frozenset(_parse_media_type(offer)[0] for offer in offers) | (_FOREIGN_TYPES if offers else frozenset())
    return tuple(ranges), metadata, min(named_offers, default=None)


def _ranges(types: Sequence[tuple[str, float]]) -> list[_Range]:
    read = [(*_parse_media_type(media_range), weight) for media_range, weight in types]
    return [
        _Range(essence, parameters, weight, len(read) if essence.endswith("/*") else position)
        for position, (essence, parameters, weight) in enumerate(read)
    ]


def _parse_media_type(media_type: str) -> tuple[str, dict[str, str]]:
    """Return the lower-case type without its parameters, and the parameters; case matters in neither here."""
    essence, semicolon, rest = media_type.lower().partition(";")
    if not semicolon:
        return essence.strip(), {}
    parameters = re.findall(r';([^=;"]*+)=[ \t]*+("(?:[^"\\]|\\.)*+"|[^;]*+)', semicolon + rest)
    return essence.strip(), {name.strip(): value.strip(' \t"') for name, value in parameters}


def _specificity(media_range: _Range, essence: str, parameters: Mapping[str, str]) -> int:
    """Return how specifically a range matches a type, 0 if not; a parameter that the type lacks may match."""
    if media_range.essence == "*/*":
        return 1
    if media_range.essence.endswith("/*"):
        return 2 if essence.startswith(media_range.essence[:-1]) else 0
    required = media_range.parameters
    if media_range.essence != essence or any(parameters.get(name, value) != value for name, value in required.items()):
        return 0
    return _LACKING + 1 + len(required) if required.keys() <= parameters.keys() else _LACKING


def _fit(media_type: str, ranges: Sequence[_Range]) -> _Fit | None:
    """Return how well a type fits by the most specific range, or None; among equals, exclusion decides."""
    essence, parameters = _parse_media_type(media_type)
    matches = [
        (specificity, each.weight <= 0, each.weight, -each.position)
        for each in ranges
        if (specificity := _specificity(each, essence, parameters))
    ]
    if not matches:
        return None
    specificity, is_excluded, weight, negated_position = max(matches)
    return None if is_excluded else _Fit(-weight, -negated_position, lacks=specificity == _LACKING)


@lru_cache(maxsize=256)
def _location_rank(
    media_type: str | None,
    language: str | None,
    quality: float | None,
    offers: tuple[str, ...],
    preferences: ClientPreferences,
) -> tuple[tuple[bool, float], _Fit] | None:
    """Return a location's score and its type's fit, None if it is excluded; cached, because most are alike."""
    ranges, named, _ = _analyzed(offers, _type_ranges(preferences))
    fit = _type_fit(media_type, ranges, named)
    score = _score(language, quality, fit, preferences) if fit else None
    return (score, fit) if score and fit else None


def _type_ranges(preferences: ClientPreferences) -> tuple[tuple[str, float], ...]:
    return ANY_TYPE if preferences.types is None or preferences.media_type is not None else preferences.types


def _type_fit(media_type: str | None, ranges: Sequence[_Range], named: frozenset[str]) -> _Fit | None:
    """Return the fit of a location; an unknown type may be any type except a metadata type."""
    if media_type is not None:
        return _fit(media_type, ranges)
    fits = [_Fit(-each.weight, each.position) for each in ranges if each.weight > 0 and each.essence not in named]
    return min(fits, default=None)


def _score(
    language: str | None, quality: float | None, fit: _Fit, preferences: ClientPreferences
) -> tuple[bool, float] | None:
    """Return the score of a location, None if its language is excluded. A `quality` of 0 sorts last."""
    ranges = ((preferences.language.lower(), 1.0),) if preferences.language is not None else preferences.languages
    language_weight = _language_weight(language, (("*", 1.0),) if ranges is None else ranges)
    if language_weight is None:
        return None
    quality = 1.0 if quality is None else quality
    # Twelve digits, so that 0.1 * 0.07 is 0.7 * 0.01.
    return quality > 0, float(f"{-fit.loss * language_weight * (quality or 1.0):.12g}")


def _language_weight(language: str | None, ranges: Sequence[tuple[str, float]]) -> float | None:
    """Return the weight of a language by RFC 4647: filtering (3.3.1), lookup (3.4), then `*`; None if excluded."""
    rest = [weight for media_range, weight in ranges if media_range == "*"]
    if language is None:
        return max([*rest, _LANGUAGE_UNKNOWN])
    tag = language.lower()
    filtering = [(len(each), weight <= 0, weight) for each, weight in ranges if each != "*" and _covers(each, tag)]
    if filtering:
        _, is_excluded, weight = max(filtering)
        return None if is_excluded else weight
    weights = [
        weight * _MORE_GENERAL ** (each.count("-") - tag.count("-"))
        for each, weight in ranges
        if each.startswith(f"{tag}-")
    ]
    if any(weights):
        return max(weights)
    if rest:
        return None if min(rest) <= 0 else max(rest)
    return _LANGUAGE_UNWANTED


def _covers(language_range: str, tag: str) -> bool:
    """Return whether a range matches a tag by basic filtering, both in lower case."""
    return language_range in ("*", tag) or tag.startswith(f"{language_range}-")
