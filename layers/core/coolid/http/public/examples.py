"""Examples of identifiers for the home page, as far as their prefixes are registered."""

from typing import Final

from coolid.model.prefixes import ProviderPrefix, Synonym
from coolid.store.reader import Reader

EXAMPLES: Final = {
    "uniprot": "uniprot:P0DP23",
    "doi": "doi:10.5281/zenodo.31780",
    "orcid": "orcid:0000-0002-1825-0097",
    "go": "go",
}
"""By their prefixes, which not everybody has."""


def examples(reader: Reader) -> dict[str, str]:
    """Those of `EXAMPLES` that lead somewhere, by their prefixes."""
    rows = reader.prefixes(tuple(EXAMPLES))
    return {name: text for name, text in EXAMPLES.items() if _is_led(rows.get(name))}


def _is_led(row: object) -> bool:
    """Whether identifiers under it are likely to lead somewhere; under a namespace of ours not just any is there."""
    return isinstance(row, Synonym) or (isinstance(row, ProviderPrefix) and bool(row.providers))
