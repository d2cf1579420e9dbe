"""Cool DOI: the suffix of a DOI as a random integer in Crockford's base32, `xxxx-xxxx`, without check digits.

Specification: "Cool DOIs in Python" (eight symbols in two groups of four, no check: 32**8 suffixes); M. Fenner, "Cool
DOI's", DataCite Blog, 2016. Case does not matter, as in every DOI; the seed's alphabet is Crockford's.

>>> format(encode(923446243762))
'tw0t-ywdj'
>>> validate("TWOT-YWDJ")
'tw0tywdj'
"""

from functools import partial
from typing import Final

from coolid.identifiers.schemes import crockford, validity

ALPHABET: Final = crockford.ALPHABET
SYMBOLS: Final = 8

compact = crockford.compact
format = crockford.format
validate = partial(crockford.validate, symbols=SYMBOLS)
"""Return the compact form of a valid suffix; raise `InvalidCharacter` or `InvalidLength`."""
is_valid = validity(validate)
encode = partial(crockford.encode, symbols=SYMBOLS)
"""Return the compact suffix of an integer, 0 <= number < 32**8; raise `ValueError` outside."""
decode = partial(crockford.decode, symbols=SYMBOLS)
"""Return the integer of a valid suffix; raises the errors of `validate`."""
generate = partial(crockford.generate, symbols=SYMBOLS)
"""Return a random compact suffix, which may be taken."""
