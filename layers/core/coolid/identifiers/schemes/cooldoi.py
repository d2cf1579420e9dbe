"""Cool DOI: the suffix of a DOI as a random integer in Crockford's base32, `xxxx-xxxx`, without check digits.

Specification: "Cool DOIs in Python" (eight symbols in two groups of four, no check: 32**8 suffixes); M. Fenner, "Cool
DOI's", DataCite Blog, 2016. Case does not matter, as in every DOI; the seed's alphabet is Crockford's.

>>> format(encode(923446243762))
'tw0t-ywdj'
>>> validate("TWOT-YWDJ")
'tw0tywdj'
"""

from typing import Final

from coolid.identifiers.schemes import crockford
from coolid.ports import Entropy

ALPHABET: Final = crockford.ALPHABET
SYMBOLS: Final = 8


def compact(text: str) -> str:
    """Return the key of a spelling, as in `crockford.compact`; unchecked."""
    return crockford.compact(text)


def validate(text: str) -> str:
    """Return the compact form of a valid suffix; raise `InvalidCharacter` or `InvalidLength`.

    >>> validate("55e5-t5c0-9")
    Traceback (most recent call last):
    ...
    coolid.errors.InvalidLength: it has 9 symbols, not 8
    """
    return crockford.validate(text, SYMBOLS)


def is_valid(text: str) -> bool:
    """Return whether `validate` accepts the text.

    >>> is_valid("55e5-t5c0"), is_valid("55e5-t5cu")
    (True, False)
    """
    return crockford.is_valid(text, SYMBOLS)


def format(text: str) -> str:
    """Return the display form: two groups of four symbols."""
    return crockford.format(text)


def encode(number: int) -> str:
    """Return the compact suffix of an integer, 0 <= number < 32**8; raise `ValueError` outside."""
    return crockford.encode(number, SYMBOLS)


def decode(text: str) -> int:
    """Return the integer of a valid suffix; raises the errors of `validate`."""
    return crockford.decode(text, SYMBOLS)


def generate(entropy: Entropy) -> str:
    """Return a random compact suffix, which may be taken."""
    return crockford.generate(entropy, SYMBOLS)
