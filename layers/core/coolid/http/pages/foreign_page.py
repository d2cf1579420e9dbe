"""The page of an identifier that others keep: where it leads, whether it is written rightly, and how it is cited.

What is known of it is little, for nobody here has seen the thing: its prefix's providers and pattern, and what the
scheme says of its check characters, where the prefix is that of a scheme.

>>> checked("orcid", "0000-0002-1825-0097"), checked("go", "0006915")
(PatternCheck(name='ORCID iD', valid=True, reason='', has_digits=True), None)
>>> checked("orcid", "0000-0002-1825-0098").reason
'Its check digits are 8, but the other symbols call for 7.'
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.http.message import Response
from coolid.http.pages import render
from coolid.http.pages.condition_view import ConditionView, seen
from coolid.http.pages.marked_text import legible, shown
from coolid.http.pages.script_messages import WORDS
from coolid.http.problems import sentence
from coolid.identifiers import percent_encoding
from coolid.identifiers.patterns import matches
from coolid.model.prefixes import join, path_of
from coolid.recognition.detection import judge
from coolid.recognition.extraction import HOMES
from coolid.resolution.provider_failover import able_providers, condition_of
from coolid.resolution.resolver import ProviderRedirect

_WEB: Final = ("https://", "http://")
_SCHEMES: Final = {"handle": "handle"} | {prefix: scheme for scheme, prefix in HOMES.items()}
"""The schemes whose identifiers stand under these prefixes."""
_DIGITS: Final = ("isbn", "isni", "issn", "orcid", "ror")
"""Those whose identifiers have check characters."""


class PatternCheck(Struct, frozen=True):
    """What the scheme of this name says of an identifier, and why not; `has_digits` if it checks for typing errors."""

    name: str
    valid: bool
    reason: str
    has_digits: bool


class ProviderRow(Struct, frozen=True):
    """Where a provider has it: its `url`, a link only if it `is_web`, and the address `here` that leads there.

    `seen` is what is known of the provider's health.
    """

    code: str
    title: str
    url: str
    is_web: bool
    here: str
    seen: ConditionView | None


def page(decision: ProviderRedirect, headers: Mapping[str, str], base: str) -> Response:
    """The page of what was decided to be somewhere else; `base` is the service's URL."""
    prefix, identifier = decision.prefix, decision.identifier
    address = f"{base}/{path_of(prefix.name, identifier)}"
    places = [
        ProviderRow(
            provider.code,
            provider.title,
            (url := provider.location(identifier, prefix.encoding)),
            url.startswith(_WEB),
            f"{address}?provider={percent_encoding.encode(provider.code, '')}",
            seen(condition_of(prefix, provider)),
        )
        for provider in able_providers(prefix, identifier)
    ]
    values: dict[str, Any] = {
        "written": shown(join(prefix.name, identifier)),
        "name": prefix.name,
        "kind": prefix.title or prefix.name,
        "prefix_address": f"{base}/{path_of(prefix.name)}",
        "address": address,
        "choice": decision.choice,
        "first": places[0],
        "chosen": next(place for place in places if place.code == decision.provider),
        "others": [place for place in places if place.code != decision.provider],
        "deprecated": prefix.deprecated,
        "pattern": prefix.pattern,
        "fits": matches(prefix.pattern, identifier) if prefix.pattern else None,
        "check": checked(prefix.name, identifier),
    }
    return render("elsewhere.html", 200, headers, base, **values)


def checked(name: str, identifier: str) -> PatternCheck | None:
    """What the scheme of a prefix says of an identifier; None for a prefix of no scheme."""
    scheme = _SCHEMES.get(name)
    if scheme is None:
        return None
    judgement = judge(scheme, identifier)
    reason = shown(legible(sentence(judgement.reason))) if judgement.reason else ""
    return PatternCheck(WORDS["home"][f"scheme-{scheme}"], judgement.valid, reason, scheme in _DIGITS)
