"""Cool DOI: the suffix of a DOI as a random integer in Crockford's base32, `xxxx-xxxx`, without check digits.

Specification: "Cool DOIs in Python" (eight symbols in two groups of four, no check: 32**8 suffixes); M. Fenner, "Cool
DOI's", DataCite Blog, 2016. Case does not matter, as in every DOI; the seed's alphabet is Crockford's.

>>> format(encode(923446243762))
'tw0t-ywdj'
>>> validate("TWOT-YWDJ")
'tw0tywdj'
"""

from typing import Final

from coolid.identifiers.schemes import crockford, validity
from coolid.ports import Entropy

ALPHABET: Final = crockford.ALPHABET
SYMBOLS: Final = 8

compact = crockford.compact
format = crockford.format


def validate(text: str) -> str:
    """Return the compact form of a valid suffix; raise `InvalidCharacter` or `InvalidLength`."""
    return crockford.validate(text, SYMBOLS)


is_valid = validity(validate)


def encode(number: int) -> str:
    """Return the compact suffix of an integer, 0 <= number < 32**8; raise `ValueError` outside."""
    return crockford.encode(number, SYMBOLS)


def decode(text: str) -> int:
    """Return the integer of a valid suffix; raises the errors of `validate`."""
    return crockford.decode(text, SYMBOLS)


def generate(entropy: Entropy) -> str:
    """Return a random compact suffix, which may be taken."""
    return crockford.generate(entropy, SYMBOLS)
