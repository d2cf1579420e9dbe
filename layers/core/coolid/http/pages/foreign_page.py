"""The page of an identifier of a provider prefix: its targets, its validity, and how to cite it.

It shows only the prefix's providers and pattern, and, for the prefix of a scheme, the result of its check characters.

>>> check_identifier("orcid", "0000-0002-1825-0097"), check_identifier("go", "0006915")
(PatternCheck(name='ORCID iD', valid=True, reason='', has_digits=True), None)
>>> check_identifier("orcid", "0000-0002-1825-0098").reason
'Its check digits are 8, but the other symbols call for 7.'
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.http.message import Response
from coolid.http.pages import render
from coolid.http.pages.condition_view import ConditionView, describe_condition
from coolid.http.pages.marked_text import name_escaped_characters, printable
from coolid.http.pages.script_messages import WORDS
from coolid.http.problems import sentence
from coolid.identifiers import percent_encoding
from coolid.identifiers.patterns import matches
from coolid.model.prefixes import join, path_of
from coolid.recognition.detection import judge
from coolid.recognition.extraction import SCHEME_PREFIXES
from coolid.resolution.provider_failover import condition_of, usable_providers
from coolid.resolution.resolver import ProviderRedirect

_WEB: Final = ("https://", "http://")
_SCHEMES: Final = {"handle": "handle"} | {prefix: scheme for scheme, prefix in SCHEME_PREFIXES.items()}
"""The schemes of prefixes."""
_WITH_CHECK_CHARACTERS: Final = ("isbn", "isni", "issn", "orcid", "ror")
"""The schemes whose identifiers have check characters."""


class PatternCheck(Struct, frozen=True):
    """Whether an identifier is valid in the scheme of this name, and why not; `has_digits` for check characters."""

    name: str
    valid: bool
    reason: str
    has_digits: bool


class ProviderRow(Struct, frozen=True):
    """A provider's `url` of the identifier, a link only if it `is_web`, and the address `here` that redirects there.

    `seen` is the provider's health.
    """

    code: str
    title: str
    url: str
    is_web: bool
    here: str
    seen: ConditionView | None


def page(decision: ProviderRedirect, headers: Mapping[str, str], base: str) -> Response:
    """Return the page of an identifier that a provider resolves; `base` is the service's URL."""
    prefix, identifier = decision.prefix, decision.identifier
    address = f"{base}/{path_of(prefix.name, identifier)}"
    rows = [
        ProviderRow(
            provider.code,
            provider.title,
            (url := provider.location(identifier, prefix.encoding)),
            url.startswith(_WEB),
            f"{address}?provider={percent_encoding.encode(provider.code, '')}",
            describe_condition(condition_of(prefix, provider)),
        )
        for provider in usable_providers(prefix, identifier)
    ]
    values: dict[str, Any] = {
        "written": printable(join(prefix.name, identifier)),
        "name": prefix.name,
        "kind": prefix.title or prefix.name,
        "prefix_address": f"{base}/{path_of(prefix.name)}",
        "address": address,
        "choice": decision.choice,
        "first": rows[0],
        "chosen": next(row for row in rows if row.code == decision.provider),
        "others": [row for row in rows if row.code != decision.provider],
        "deprecated": prefix.deprecated,
        "pattern": prefix.pattern,
        "fits": matches(prefix.pattern, identifier) if prefix.pattern else None,
        "check": check_identifier(prefix.name, identifier),
    }
    return render("elsewhere.html", 200, headers, base, **values)


def check_identifier(name: str, identifier: str) -> PatternCheck | None:
    """Check an identifier by the scheme of its prefix; return None for a prefix of no scheme."""
    scheme = _SCHEMES.get(name)
    if scheme is None:
        return None
    judgement = judge(scheme, identifier)
    reason = printable(name_escaped_characters(sentence(judgement.reason))) if judgement.reason else ""
    return PatternCheck(WORDS["home"][f"scheme-{scheme}"], judgement.valid, reason, scheme in _WITH_CHECK_CHARACTERS)
