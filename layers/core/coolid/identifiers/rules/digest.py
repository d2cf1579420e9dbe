"""Rules of scheme `sha256`: the SHA-256 of a thing's content, supplied by the caller.

>>> from coolid.identifiers.schemes.digest import calc_digest
>>> DigestRules().validate(calc_digest(b"123").upper())[:8]
'a665a459'
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from coolid.errors import InvalidIdentifier, InvalidInput
from coolid.identifiers.rules.base import RulesDescription, SuppliedRules, Syntax
from coolid.identifiers.schemes import digest
from coolid.ports import Entropy


class DigestRules(SuppliedRules, frozen=True):
    """Rules without options. Minting takes `{"parts": {"sha256": …}}`, or the digest as `id`."""

    scheme: ClassVar[str] = "sha256"
    syntax: ClassVar[Syntax] = digest

    def build_key(self, parts: Mapping[str, Any], entropy: Entropy) -> str:
        value = parts.get("sha256")
        if not isinstance(value, str) or len(parts) != 1:
            raise InvalidInput.at("/parts", "it must have one member, sha256: the digest of the content in hexadecimal")
        try:
            return digest.validate(value)
        except InvalidIdentifier as error:
            raise InvalidInput.at("/parts/sha256", str(error)) from error

    def describe(self) -> RulesDescription:
        return RulesDescription(
            alphabet="0123456789abcdef",
            length=(digest.DIGITS, digest.DIGITS),
            pattern=f"^([Ss][Hh][Aa]-?256:)?[0-9A-Fa-f]{{{digest.DIGITS}}}$",
            example="a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3",
            labels=1,
            reads=("ABCDEF", "abcdef"),
        )
