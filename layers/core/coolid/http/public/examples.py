"""Example identifiers for the home page."""

from typing import Final

from coolid.model.prefixes import ProviderPrefix, Synonym
from coolid.store.reader import Reader

EXAMPLES: Final = {
    "uniprot": "uniprot:P0DP23",
    "doi": "doi:10.5281/zenodo.31780",
    "orcid": "orcid:0000-0002-1825-0097",
    "go": "go",
}
"""By prefix; not every system has all of them."""


def examples(reader: Reader) -> dict[str, str]:
    """Return those of `EXAMPLES` that probably resolve, by prefix."""
    rows = reader.prefixes(tuple(EXAMPLES))
    return {name: text for name, text in EXAMPLES.items() if _is_resolvable(rows.get(name))}


def _is_resolvable(row: object) -> bool:
    """Return whether identifiers of the prefix probably resolve; in a namespace here only registered ones do."""
    return isinstance(row, Synonym) or (isinstance(row, ProviderPrefix) and bool(row.providers))
