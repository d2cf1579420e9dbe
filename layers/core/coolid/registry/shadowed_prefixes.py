"""Takeover: which prefixes have answered so far for what a newly registered name stands for.

The longest registered prefix wins (`coolid.registry.prefix_lookup`), so that a new name takes over from a shorter one, and a
DOI or Handle prefix of ours from everybody's. What was told under those may be wrong now. The same names matter when a
name ceases to be registered.

>>> predecessors("ark:99999/fk4")
('ark:99999/fk4', 'ark:99999', 'ark')
>>> predecessors("ark:99999/fk4rx")
('ark:99999/fk4rx', 'ark:99999', 'ark', 'ark:99999/fk4')
>>> predecessors("10.5072")
('10.5072', 'doi', 'hdl', 'handle')
"""

import re
from typing import Final

from coolid.model.prefixes import HANDLES, ancestors, is_handle_prefix, shoulder_of

_BOUNDARY: Final = re.compile("[/:]")


def predecessors(name: str) -> tuple[str, ...]:
    """The folded name itself, which may have meant something else, and all from which it may take over.

    Not listed: prefixes under which nobody would write it, as `doi` of `doi:mp:x` for a new `mp`; and a prefix that is
    named like a provider of the new one, under which `provider/prefix:x` was looked for.
    """
    first = _BOUNDARY.split(name, maxsplit=1)[0]
    shorter = (name, *reversed(ancestors(name)))
    shoulders = filter(None, map(shoulder_of, shorter))
    return tuple(dict.fromkeys((*shorter, *shoulders, *(HANDLES if is_handle_prefix(first) else ()))))
