"""Foreign identifiers whose standard has check digits: the service can judge them without the prefix's pattern.

A number with wrong check digits, or of a wrong length, identifies nothing, so it is certainly wrong.

>>> require_valid("orcid", "0000-0002-1825-0097")
>>> require_valid("isbn", "978-3-16-148410-1")
Traceback (most recent call last):
...
coolid.errors.InvalidCheck: its check digits are 1, but the other symbols call for 0
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import isbn, isni, issn, orcid, ror

_VALIDATORS: Final[Mapping[str, Callable[[str], str]]] = MappingProxyType(
    {
        "isbn": isbn.validate,
        "isni": isni.validate,
        "issn": issn.validate,
        "orcid": orcid.validate,
        "ror": ror.validate,
    }
)
"""The validators of `NUMBERED` (`coolid.model.prefixes`)."""


def require_valid(prefix: str, identifier: str) -> None:
    """Raise `InvalidIdentifier` if an identifier of one of these prefixes breaks its standard."""
    try:
        _VALIDATORS[prefix](identifier)
    except InvalidIdentifier as error:
        error.prefix = prefix
        raise
