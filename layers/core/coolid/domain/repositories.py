"""Repositories: permanent, opaque owners of identifiers, and the rules that their identifiers keep.

A repository's id is itself a LUI, so that nothing in it can go out of date (Cool LUIs seed: a prefix "is merely an
alias for a permanent and semantically opaque repository ID").

>>> rules = LuiRules(symbols=6)
>>> rules.validate("079J-XH42"), rules.display("079jxh42")
('079jxh42', '079j-xh42')
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from coolid.domain.ports import Entropy
from coolid.domain.schemes import lui

DEFAULT_TTL: Final = 300
REDIRECTS: Final = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True)
class LuiRules:
    """The rules of scheme `lui`: `symbols` base32 symbols (1 to 12) and two check digits."""

    symbols: int = lui.DEFAULT_SYMBOLS

    def validate(self, text: str) -> str:
        """The key of a valid identifier; `InvalidIdentifier` with the reason otherwise."""
        return lui.validate(text, self.symbols)

    def display(self, key: str) -> str:
        """The canonical form for people."""
        return lui.format(key)

    def generate(self, entropy: Entropy) -> str:
        """Draw a key."""
        return lui.generate(entropy, self.symbols)


@dataclass(frozen=True, slots=True)
class Repository:
    """Who owns identifiers and their rules.

    `ttl` in seconds; `redirect` one of `REDIRECTS`; `domains` the hosts that targets may have (empty: any);
    `canonical` the prefix under which its identifiers are cited, the first alias that it got; `revision` counts
    changes and guards them.
    """

    id: str
    title: str
    created: datetime
    updated: datetime
    scheme: str = "lui"
    rules: LuiRules = field(default_factory=LuiRules)
    ttl: int = DEFAULT_TTL
    redirect: int = 302
    domains: tuple[str, ...] = ()
    passthrough: bool = False
    canonical: str | None = None
    revision: int = 1
