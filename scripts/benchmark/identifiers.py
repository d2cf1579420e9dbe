"""The identifiers that everything is measured on, one list for us and for the peers."""

from typing import Final

from coolid.identifiers.schemes import lui

BASE_URL: Final = "https://id.example.org"
NAMESPACE: Final = "2021/06/demo"

CURIES: Final = (
    "go:0006915",
    "chebi:24431",
    "uniprot:P12345",
    "pubmed:12345678",
    "ncbitaxon:9606",
    "hgnc:1234",
    "ensembl:ENSG00000157764",
    "mesh:D014867",
    "efo:0000400",
    "mondo:0005148",
    "hp:0000118",
    "omim:603903",
    "orcid:0000-0002-1825-0097",
    "ror:03yrm5c26",
    "wikidata:Q42",
    "arxiv:2106.12345",
    "geo:GSE1234",
    "cl:0000236",
    "so:0000704",
    "interpro:IPR000001",
)
"""Identifiers of other services, which coolid, the Bioregistry and curies resolve."""

TEXTS: Final = (
    "10.5281/zenodo.31780",
    "doi:10.1002/asi.23256",
    "https://doi.org/10.1007/978-3-319-07443-6_39",
    "0000-0002-1825-0097",
    "https://orcid.org/0000-0001-5109-3700",
    "9780140291612",
    "0-14-029161-X",
    "0378-5955",
    "ark:/12148/bpt6k97497t",
    "hdl:102.100.272/Y35XYS0QH",
    "https://ror.org/03yrm5c26",
    "urn:lsid:catalogueoflife.org:taxon:02af8238",
    "1bc2f359-47e4-5da6-a748-74676b7c8c5d",
    "not an identifier",
)
"""Texts to recognise."""

BY_SCHEME: Final = {
    "isbn": ("9780140291612", "0-14-029161-X", "978-3-16-148410-0"),
    "issn": ("0378-5955", "1865-0473", "2049-3630"),
    "isni": ("0000 0001 2281 955X", "000000012146438X"),
    "orcid": ("0000-0002-1825-0097", "0000-0001-5109-3700"),
    "doi": ("10.5281/zenodo.31780", "10.1002/asi.23256"),
    "ark": ("ark:/12148/bpt6k97497t", "ark:/13030/tf5p30086k"),
    "ror": ("03yrm5c26", "https://ror.org/05dxps055"),
}
"""Valid ones, whose scheme is known beforehand."""

_STEP: Final = 0x9E3779B1  # odd, so that all numbers below a power of two come up once
_NUMBERS: Final = 32**lui.DEFAULT_SYMBOLS


def suffix(number: int) -> str:
    """The LUI, in compact form, of the record of this number at the canned store.

    >>> suffix(0), suffix(1)
    ('0000000098', '02f3eydh62')
    """
    return lui.encode(number * _STEP % _NUMBERS)
