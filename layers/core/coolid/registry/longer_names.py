"""The names of registered prefixes that begin with another name, also if its row does not list them.

>>> from coolid.model.prefixes import Stem
>>> list(longer_names(Stem(name="2021", longer=frozenset({"2021/06", "2021/05"})), prefixes=None))
['2021/05', '2021/06']
"""

from collections.abc import Iterator
from typing import Final

from coolid.model.prefixes import BOUNDARIES, UNLISTED, Prefix
from coolid.store.pages import all_members
from coolid.store.prefixes import PrefixStore

_KINDS: Final = ("namespace", "provider")
"""The kinds in the positions of `coolid.store.prefixes.position_of`."""


def longer_names(row: Prefix, prefixes: PrefixStore) -> Iterator[str]:
    """Yield the names one boundary longer that the row lists, or all longer names if some are unlisted.

    Takes no read in the first case. In the second, it takes pages of the list of prefixes. The newest names may be
    missing then, and synonyms unless the row lists them.
    """
    yield from sorted(row.longer - {UNLISTED})
    if UNLISTED not in row.longer:
        return
    for start in (f"{row.name}{boundary}" for boundary in sorted(BOUNDARIES)):
        for kind in _KINDS:
            for each in all_members(prefixes.list_prefixes, f"{kind} {start}"):
                if not each.name.startswith(start):
                    break
                if each.name not in row.longer:
                    yield each.name
