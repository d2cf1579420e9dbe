"""Accession numbers of well-known databases, recognised without a label. Each is a guess, because others can share it.

The registry's patterns find more (`coolid.recognition.guesses`). These come first, because the registry has wider
patterns for some, and without a store there are no others.

>>> guess_accession("P0DP23"), guess_accession("50-00-0"), guess_accession("50-00-1")
('uniprot:P0DP23', 'cas:50-00-0', None)
"""

import re
from typing import Final

MAX_CHARACTERS: Final = 64


def _has_cas_check(text: str) -> bool:
    """Return whether the check digit of a CAS Registry Number is right: weights 1, 2, 3 … from the right, modulo 10."""
    digits = [int(symbol) for symbol in reversed(text.replace("-", ""))]
    return sum(place * digit for place, digit in enumerate(digits)) % 10 == digits[0]


def _has_lei_check(text: str) -> bool:
    """Return whether the check digits of a Legal Entity Identifier are right (ISO 17442: ISO 7064 MOD 97-10)."""
    return int("".join(str(int(symbol, 36)) for symbol in text)) % 97 == 1


def _always(_text: str) -> bool:
    return True


_FORMS: Final = (
    ("uniprot", "[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2}", _always),
    ("wikidata", "Q[1-9][0-9]{0,9}", _always),
    ("refseq", r"(?:A[CP]|N[CGMPRTWZ]|WP|X[MPR]|YP)_(?:[A-Z]{2,4})?[0-9]{5,12}(?:\.[0-9]+)?", _always),
    ("geo", "G(?:SE|SM|PL|DS)[0-9]{1,8}", _always),
    ("ensembl", r"ENS[A-Z]{0,6}[EFGPTR][0-9]{11}(?:\.[0-9]+)?", _always),
    ("dbsnp", "rs[1-9][0-9]{2,11}", _always),
    ("interpro", "IPR[0-9]{6}", _always),
    ("pfam", "PF[0-9]{5}", _always),
    ("clinicaltrials", "NCT[0-9]{8}", _always),
    ("insdc.gca", r"GCA_[0-9]{9}(?:\.[0-9]+)?", _always),
    ("insdc.gcf", r"GCF_[0-9]{9}(?:\.[0-9]+)?", _always),
    ("chembl.compound", "CHEMBL[0-9]{1,8}", _always),
    ("drugbank", "DB[0-9]{5}", _always),
    ("bioproject", "PRJ[DEN][A-Z][0-9]+", _always),
    ("biosample", "SAM[NED][AG]?[0-9]+", _always),
    ("insdc.sra", "[SED]R[APRSXZ][0-9]{6,9}", _always),
    ("reactome", r"R-[A-Z]{3}-[0-9]+(?:\.[0-9]+)?", _always),
    ("inchikey", "[A-Z]{14}-[A-Z]{10}-[A-Z]", _always),
    ("openalex", "W[0-9]{8,11}", _always),
    ("arxiv", r"[0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5}(?:v[0-9]+)?", _always),
    ("arxiv", r"[a-z]{2,8}(?:-[a-z]{2,4})?(?:\.[A-Z]{2})?/[0-9]{7}(?:v[0-9]+)?", _always),
    ("rrid", "AB_[0-9]{6,9}", _always),
    ("cas", "[1-9][0-9]{1,6}-[0-9]{2}-[0-9]", _has_cas_check),
    ("lei", "[0-9A-Z]{18}[0-9]{2}", _has_lei_check),
)
_ANY: Final = re.compile("|".join(f"({form})" for _, form, _ in _FORMS), re.ASCII)


def guess_accession(text: str) -> str | None:
    """Return the CURIE of the first database whose accession numbers have this form, or None."""
    found = _ANY.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    if found is None or found.lastindex is None:
        return None
    prefix, _, has_check = _FORMS[found.lastindex - 1]
    return f"{prefix}:{text}" if has_check(text) else None
