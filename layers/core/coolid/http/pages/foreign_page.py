"""The page of an identifier of a provider prefix: its targets, its validity, and how to cite it.

It shows the prefix's providers and pattern. For the prefix of a scheme it shows the result of the check characters, and
for a DOI the title and citation from its registration agency.

>>> check_identifier("orcid", "0000-0002-1825-0097"), check_identifier("go", "0006915")
(PatternCheck(name='ORCID iD', valid=True, reason='', has_digits=True), None)
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.http.formats.citations.csl_records import citation_line
from coolid.http.message import Response
from coolid.http.pages import SCHEME_NAMES, render
from coolid.http.pages.marked_text import name_escaped_characters, printable
from coolid.http.pages.prefix_page import ProviderRow, provider_row
from coolid.http.pages.record_page import CITATION_STYLES, MAX_CITATION_LENGTH, MAX_QR_LENGTH
from coolid.http.problems import sentence
from coolid.identifiers.patterns import matches
from coolid.model.prefixes import join, path_of
from coolid.recognition.detection import SCHEME_PREFIXES, judge
from coolid.resolution.provider_failover import usable_providers
from coolid.resolution.resolver import ProviderRedirect

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


def page(
    decision: ProviderRedirect, headers: Mapping[str, str], base_url: str, work: Mapping[str, Any] | None = None
) -> Response:
    """Return the page of an identifier that a provider resolves; `work` is its metadata if that is known."""
    prefix, identifier = decision.prefix, decision.identifier
    address = f"{base_url}/{path_of(prefix.name, identifier)}"
    rows = [provider_row(prefix, each, identifier, address) for each in usable_providers(prefix, identifier)]
    chosen = next(row for row in rows if row.code == decision.provider)
    values = {
        "written": printable(join(prefix.name, identifier)),
        "prefix": prefix,
        "prefix_address": f"{base_url}/{path_of(prefix.name)}",
        "address": address,
        "choice": decision.choice,
        "first": rows[0],
        "chosen": chosen,
        "others": other_rows(chosen, rows),
        "fits": matches(prefix.pattern, identifier) if prefix.pattern else None,
        "check": check_identifier(prefix.name, identifier),
        "title": work and printable(work["title"]),
        "citation": work and printable(citation_line(work))[:MAX_CITATION_LENGTH],
        "citation_styles": CITATION_STYLES,
        "has_qr_code": len(address) <= MAX_QR_LENGTH,
    }
    return render("foreign.html", 200, headers, base_url, **values)


def other_rows(chosen: ProviderRow, rows: Iterable[ProviderRow]) -> list[ProviderRow]:
    """Return the first row for each page that is not the chosen one. Registries list many pages several times."""
    found: dict[str, ProviderRow] = {}
    for row in rows:
        found.setdefault(_page_of(row), row)
    found.pop(_page_of(chosen), None)
    return list(found.values())


def _page_of(row: ProviderRow) -> str:
    """Return the URL of a row without what seldom makes a difference: its scheme, `www.` and a slash at the end.

    >>> _page_of(ProviderRow("a", "", "", "http://www.example.org/1/", None, None))
    'example.org/1'
    """
    return (row.url or "").partition("://")[2].removeprefix("www.").removesuffix("/")


def check_identifier(name: str, identifier: str) -> PatternCheck | None:
    """Check an identifier by the scheme of its prefix; return None for a prefix of no scheme."""
    scheme = _SCHEMES.get(name)
    if scheme is None:
        return None
    match = judge(scheme, identifier)
    reason = printable(name_escaped_characters(sentence(match.reason))) if match.reason else ""
    return PatternCheck(SCHEME_NAMES[scheme], match.valid, reason, scheme in _WITH_CHECK_CHARACTERS)
