"""The providers of a prefix of the Bioregistry, in order of preference.

First is the Bioregistry's default. The aligned registries follow, then the RDF URLs, then the extra providers, which
include those of identifiers.org. Identifiers.org has the codes `ols` and `bptl` for services that the Bioregistry omits
from its extra providers, because it derives their URLs itself.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from coolid.local.bioregistry_data.faults import DEFAULT, SLOT, UrlFormat, corrected, formats_of, n2t_format
from coolid.model.prefixes import PLACEHOLDER, Provider, as_uri, fold

ALIGNED: Final = ("obofoundry", "miriam", "ols", "n2t", "rrid")
BIOPORTAL: Final = "bioportal"
_IDENTIFIERS_ORG: Final = {"bptl": BIOPORTAL}
"""Codes of identifiers.org for providers that have another code here."""
_CODES_BY_URL: Final = {"https://www.ebi.ac.uk/ols": "ols", "http://www.ebi.ac.uk/ols": "ols"}
"""Codes of identifiers.org by the beginning of a URL that is the namespace's first there."""

Locator = Callable[[str, str], str | None]
"""Returns the URL of an identifier under a prefix, or None."""
Formatters = Mapping[str, Callable[[Any], str | None]]


def providers_of(resource: Any, formatters: Formatters, locators: Mapping[str, Locator]) -> Iterator[Provider]:
    """Yield the providers of an entry, each code once, with the URLs of other registries by their codes."""
    formats = {code: formatter(resource) for code, formatter in formatters.items()}
    formats |= {code: url for code, locate in locators.items() if (url := _example_format(resource, locate))}
    if url := n2t_format(resource, formats.get("n2t")):
        formats["n2t"] = url
    own = [(each.code, corrected(resource, each), each.title) for each in formats_of(resource)]
    default = [each for each in own if each[0] == DEFAULT]
    listed = [*default, *((code, url, "") for code, url in formats.items())]
    if default:  # without a default, it may be a name that does not resolve
        listed.append(("rdf", resource.get_rdf_uri_format(), ""))
    listed += [*own, *_of_identifiers_org(resource, formats)]
    codes: set[str] = set()
    for code, url, title in listed:
        if url and code and SLOT in url and fold(code) not in codes:
            codes.add(fold(code))
            yield Provider(code, as_uri(url).replace(SLOT, PLACEHOLDER), title)


def _example_format(resource: Any, locate: Locator) -> str | None:
    """Return a format made from the URL of the example, for a registry without an exact format."""
    example = resource.get_example()
    location = locate(resource.prefix, example) if example else None
    return location[: -len(example)] + SLOT if location and location.endswith(example) else None


def _of_identifiers_org(resource: Any, formats: Mapping[str, str | None]) -> list[tuple[str, str | None, str]]:
    """Return code, format and title of the providers that identifiers.org has and the Bioregistry omits."""
    record = resource.get_external("miriam")
    if not record:
        return []
    first = record.get("uri_format") or ""
    named = [(code, formats.get(other), "") for code, other in _IDENTIFIERS_ORG.items()]
    codes = [code for beginning, code in _CODES_BY_URL.items() if first.startswith(beginning)]
    return named + [(code, corrected(resource, UrlFormat("miriam", "", first)), "") for code in codes]
