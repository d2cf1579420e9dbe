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
    """The key of a spelling, as in `crockford.compact`; unchecked."""
    return crockford.compact(text)


def validate(text: str) -> str:
    """The compact form of a valid suffix; `InvalidCharacter` or `InvalidLength`.

    >>> validate("55e5-t5c0-9")
    Traceback (most recent call last):
    ...
    coolid.errors.InvalidLength: it has 9 symbols, not 8
    """
    return crockford.validate(text, SYMBOLS)


def is_valid(text: str) -> bool:
    """Whether `validate` would accept it.

    >>> is_valid("55e5-t5c0"), is_valid("55e5-t5cu")
    (True, False)
    """
    return crockford.is_valid(text, SYMBOLS)


def format(text: str) -> str:
    """The form for people: two groups of four symbols."""
    return crockford.format(text)


def encode(number: int) -> str:
    """The compact suffix of an integer, 0 <= number < 32**8; `ValueError` outside."""
    return crockford.encode(number, SYMBOLS)


def decode(text: str) -> int:
    """The integer of a valid suffix; errors as of `validate`."""
    return crockford.decode(text, SYMBOLS)


def generate(entropy: Entropy) -> str:
    """Draw a compact suffix. That nobody has it yet is for the store to say."""
    return crockford.generate(entropy, SYMBOLS)
