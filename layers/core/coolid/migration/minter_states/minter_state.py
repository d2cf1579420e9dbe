"""The state of a minter of another service, as the rules that continue it.

>>> from coolid.identifiers.rules.noid import NoidRules
>>> rules = NoidRules(".reedk", "77913", "", "r7", sequence="perl", first=2191, grows=3)
>>> state = MinterState(program="EZID", rules=rules, minted=2191)
>>> state.prefix, state.next_names(2)
('ark:77913/r7', ('2t0f', 'z389'))
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import Exhausted
from coolid.identifiers.rules.noid import NoidRules

_SHOULDER: Final = re.compile("[a-z]{1,64}[0-9]")


class MinterState(Struct, frozen=True, kw_only=True):
    """A minter of `program`: the rules that continue it, and how many names it has minted, None if it does not count.

    `reserved` are names under the prefix that the minter holds back or has queued, and that it has not issued since.
    `warnings` are sentences about what continues differently.
    """

    program: str
    rules: NoidRules
    minted: int | None
    reserved: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def prefix(self) -> str:
        """The prefix of the names, such as `ark:77913/r7`; empty if the minter has no NAAN."""
        return f"ark:{self.rules.naan}/{self.rules.shoulder}".removesuffix("/") if self.rules.naan else ""

    def next_names(self, count: int) -> tuple[str, ...]:
        """Return the next names that are minted, in their order; fewer if the template ends, none if it is random."""
        if self.minted is None:
            return ()
        names: list[str] = []
        reserved, number = set(self.reserved), self.rules.first
        try:
            while len(names) < count:
                name = self.rules.key(number)
                names += [] if name in reserved else [name]
                number += 1
        except Exhausted:
            pass
        return tuple(names)


def shoulder_of(head: str, naan: str) -> str:
    """Return the shoulder that the text before a mask is, or an empty text if it is a prefix of the template.

    >>> shoulder_of("fk4", "12345"), shoulder_of("x", "12345"), shoulder_of("fk4", "")
    ('fk4', '', '')
    """
    return head if naan and _SHOULDER.fullmatch(head) else ""


class UnreadableState(Struct, frozen=True):
    """A minter that cannot be continued, by its name or position in the file, and the reason."""

    name: str
    reason: str


State = MinterState | UnreadableState
