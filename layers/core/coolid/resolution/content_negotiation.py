"""Choosing what a client gets: one of a record's locations, or a representation of its metadata.

Media types are weighed as RFC 9110 (section 12.5.1) says, languages as RFC 4647 says (basic filtering, and lookup for
what is more general than the client's range), and both with the draft's `quality` of a location. The usual answer is
a location; metadata is for those who name it.

>>> paper = Location("https://example.org/a.pdf", media_type="application/pdf")
>>> offers = ("application/linkid+json", "application/ld+json")
>>> choose([paper], offers, ClientPreferences()) == (paper,)
True
>>> choose([paper], offers, ClientPreferences(types=(("application/ld+json", 1.0), ("*/*", 0.8))))
'application/ld+json'
>>> choose([paper], offers, ClientPreferences(types=(("*/*", 0.0),))) is None
True
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from coolid.model.records import Location

_ANY_TYPE: Final = (("*/*", 1.0),)
_ANY_LANGUAGE: Final = (("*", 1.0),)

# What may still be served, but after whatever the client names: the language is unknown; it is another one.
_LANGUAGE_UNKNOWN: Final = 0.01
_LANGUAGE_UNWANTED: Final = 0.001
# What a language loses for each subtag by which it is more general than the client's range (`en` for `en-US`).
_MORE_GENERAL: Final = 0.99

# Metadata of DOIs that others write: nobody who asks for it means a location that does not say that it is this.
_OTHERS_METADATA: Final = frozenset(
    {
        "application/vnd.codemeta.ld+json",
        "application/vnd.crossref.unixref+xml",
        "application/vnd.crossref.unixsd+xml",
        "application/vnd.datacite.datacite+xml",
        "application/vnd.jats+xml",
        "application/vnd.medra.onixdoi+xml",
        "application/x-datacite+xml",
    }
)

_PARAMETER: Final = r';([^=;"]*+)=[ \t]*+("(?:[^"\\]|\\.)*+"|[^;]*+)'


class ClientPreferences(Struct, frozen=True, cache_hash=True):
    """What a client would like. Ranges are lower case, in the client's order, each with its weight from 0 to 1.

    `types` and `languages` are preferences, None if the client states none. The others are demands: only a location of
    that media type, language or version will do.
    """

    types: tuple[tuple[str, float], ...] | None = None
    languages: tuple[tuple[str, float], ...] | None = None
    media_type: str | None = None
    language: str | None = None
    version: str | None = None


_NO_WISHES: Final = (ClientPreferences(), ClientPreferences(types=_ANY_TYPE))
"""What most programs send; anything will do."""


def choose(
    locations: Sequence[Location], offers: Sequence[str], wishes: ClientPreferences
) -> tuple[Location, ...] | str | None:
    """The best of `locations`, or the media type of the best metadata, or None if nothing is acceptable.

    `locations` are those that may be served at all, `offers` the media types of the metadata, the preferred one first.
    Of locations there are several only if they are equally good; they come in the record's order. Metadata comes before
    them only if the client names it with a greater weight than what covers the best location, or with the same weight
    and earlier. Where no location is acceptable, offers and the record's page compete; where none meets the demands,
    only offers that the client names, for demands are made on locations alone.
    """
    if len(locations) == 1 and wishes in _NO_WISHES:
        return tuple(locations)
    offers = tuple(offers)
    rival = _weighed(offers, _types(wishes))[2]
    demanded = [location for location in locations if meets(location, wishes)]
    scored = [
        (*standing, location)
        for location in demanded
        if (standing := _standing(location.media_type, location.language, location.quality, offers, wishes))
    ]
    if not scored:
        if wishes.media_type is not None:
            return None
        if locations and not demanded:
            return offers[rival[1]] if rival else None
        return best_offer((*offers, "text/html"), wishes.types)
    best = max(score for score, _, _ in scored)
    winners = [(fit, location) for score, fit, location in scored if score == best]
    if rival and rival[0] < min(fit for fit, _ in winners):
        return offers[rival[1]]
    return tuple(location for _, location in winners)


def meets(location: Location, wishes: ClientPreferences) -> bool:
    """Whether a location meets the demands. Its media type and version must be known; its language need not be."""
    if wishes.media_type is not None and not (
        location.media_type is not None and _fit(location.media_type, _ranges([(wishes.media_type, 1.0)]))
    ):
        return False
    if wishes.version is not None and location.version != wishes.version:
        return False
    return (
        wishes.language is None
        or location.language is None
        or _filters(wishes.language.lower(), location.language.lower())
    )


def best_offer(offers: Sequence[str], types: Sequence[tuple[str, float]] | None) -> str | None:
    """The media type that the client likes best, None if it excludes them all.

    Among equals, one that the client names comes before one that only a wildcard covers, then the order in which it
    names them, then the order of `offers`.

    >>> best_offer(("application/json", "text/html"), (("application/json", 0.0), ("*/*", 0.1)))
    'text/html'
    """
    ranges = _ranges(_ANY_TYPE if types is None else types)
    ranked = [(fit, position) for position, offer in enumerate(offers) if (fit := _fit(offer, ranges))]
    return offers[min(ranked)[1]] if ranked else None


class _Range(Struct, frozen=True):
    """A media range; `place` is where the client names it, all wildcards after everything that is named."""

    essence: str
    parameters: Mapping[str, str]
    weight: float
    place: int


class _Fit(Struct, frozen=True, order=True):
    """How well something suits: its weight, negated so that the best comes first, then where the client names it."""

    loss: float
    place: int


@lru_cache(maxsize=64)
def _weighed(
    offers: tuple[str, ...], types: tuple[tuple[str, float], ...]
) -> tuple[tuple[_Range, ...], frozenset[str], tuple[_Fit, int] | None]:
    """The ranges, the types of metadata, and of the offers that the client names the best with its place among them.

    Kept, because most clients send one of a few headers, and nearly all records are offered in the same forms.
    """
    ranges = _ranges(types)
    rivals = [
        (fit, position)
        for position, offer in enumerate(offers)
        if (fit := _fit(offer, ranges)) and fit.place < len(ranges)
    ]
    metadata = frozenset(_read(offer)[0] for offer in offers) | (_OTHERS_METADATA if offers else frozenset())
    return tuple(ranges), metadata, min(rivals, default=None)


def _ranges(types: Sequence[tuple[str, float]]) -> list[_Range]:
    read = [(*_read(media_range), weight) for media_range, weight in types]
    return [
        _Range(essence, parameters, weight, len(read) if essence.endswith("/*") else place)
        for place, (essence, parameters, weight) in enumerate(read)
    ]


def _read(media_type: str) -> tuple[str, dict[str, str]]:
    """The type without its parameters, and these; without case, which matters in none of those that types have here."""
    essence, semicolon, rest = media_type.lower().partition(";")
    if not semicolon:
        return essence.strip(), {}
    parameters = re.findall(_PARAMETER, semicolon + rest)
    return essence.strip(), {name.strip(): value.strip(' \t"') for name, value in parameters}


def _specificity(media_range: _Range, essence: str, parameters: Mapping[str, str]) -> int:
    """How closely a range describes a type, 0 if it does not.

    A type that lacks a parameter of the range may still have what it asks for; one that has another value does not.
    """
    if media_range.essence == "*/*":
        return 1
    if media_range.essence.endswith("/*"):
        return 2 if essence.startswith(media_range.essence[:-1]) else 0
    wanted = media_range.parameters
    if media_range.essence != essence or any(parameters.get(name, value) != value for name, value in wanted.items()):
        return 0
    return 4 + len(wanted) if wanted.keys() <= parameters.keys() else 3


def _fit(media_type: str, ranges: Sequence[_Range]) -> _Fit | None:
    """How well a type suits, by the most specific range that describes it; None if not at all.

    Among equally specific ranges a weight of 0 decides, as what a client excludes it shall never get.
    """
    essence, parameters = _read(media_type)
    matches = [
        (specificity, each.weight <= 0, each.weight, -each.place)
        for each in ranges
        if (specificity := _specificity(each, essence, parameters))
    ]
    if not matches:
        return None
    _, is_excluded, weight, place = max(matches)
    return None if is_excluded else _Fit(-weight, -place)


@lru_cache(maxsize=256)
def _standing(
    media_type: str | None,
    language: str | None,
    quality: float | None,
    offers: tuple[str, ...],
    wishes: ClientPreferences,
) -> tuple[tuple[bool, float], _Fit] | None:
    """What a location of this type, language and quality is compared by, and how well its type suits.

    None if the client excludes it. Kept, because nearly all locations are alike in this.
    """
    ranges, named, _ = _weighed(offers, _types(wishes))
    fit = _type_fit(media_type, ranges, named)
    score = _score(language, quality, fit, wishes) if fit else None
    return (score, fit) if score and fit else None


def _types(wishes: ClientPreferences) -> tuple[tuple[str, float], ...]:
    return _ANY_TYPE if wishes.types is None or wishes.media_type is not None else wishes.types


def _type_fit(media_type: str | None, ranges: Sequence[_Range], named: frozenset[str]) -> _Fit | None:
    """How well a location suits; one of unknown type might be whatever the client likes, but is no metadata of ours."""
    if media_type is not None:
        return _fit(media_type, ranges)
    fits = [_Fit(-each.weight, each.place) for each in ranges if each.weight > 0 and each.essence not in named]
    return min(fits, default=None)


def _score(
    language: str | None, quality: float | None, fit: _Fit, wishes: ClientPreferences
) -> tuple[bool, float] | None:
    """What locations are compared by, None if the client excludes this one's language. A `quality` of 0 comes last."""
    ranges = ((wishes.language.lower(), 1.0),) if wishes.language is not None else wishes.languages
    welcome = _language_weight(language, _ANY_LANGUAGE if ranges is None else ranges)
    if welcome is None:
        return None
    quality = 1.0 if quality is None else quality
    # Twelve digits, so that 0.1 * 0.07 is 0.7 * 0.01.
    return quality > 0, float(f"{-fit.loss * welcome * (quality or 1.0):.12g}")


def _language_weight(language: str | None, ranges: Sequence[tuple[str, float]]) -> float | None:
    """How welcome a language is, None if it is excluded.

    The longest range that filters it decides (RFC 4647, section 3.3.1), then one that looks it up because it is more
    special (section 3.4), then `*`.
    """
    rest = [weight for media_range, weight in ranges if media_range == "*"]
    if language is None:
        return max([*rest, _LANGUAGE_UNKNOWN])
    tag = language.lower()
    filtering = [(len(each), weight <= 0, weight) for each, weight in ranges if each != "*" and _filters(each, tag)]
    if filtering:
        _, is_excluded, weight = max(filtering)
        return None if is_excluded else weight
    looking = [weight * _MORE_GENERAL ** _excess(each, tag) for each, weight in ranges if each.startswith(f"{tag}-")]
    if any(looking):
        return max(looking)
    if rest:
        return None if min(rest) <= 0 else max(rest)
    return _LANGUAGE_UNWANTED


def _filters(language_range: str, tag: str) -> bool:
    """Basic filtering, both in lower case.

    >>> _filters("en", "en-us"), _filters("en-us", "en"), _filters("e", "en")
    (True, False, False)
    """
    return language_range in ("*", tag) or tag.startswith(f"{language_range}-")


def _excess(language_range: str, tag: str) -> int:
    """By how many subtags a range is longer."""
    return language_range.count("-") - tag.count("-")
