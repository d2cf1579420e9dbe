"""The prefixes that a newly registered name takes over from.

The longest registered prefix wins (`coolid.registry.prefix_lookup`), so a new name shadows shorter ones, and an own DOI
or Handle prefix shadows the general one. Cached answers under those may be outdated. The same prefixes matter when a
name is removed.

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
    """Return the folded name and the names of all prefixes that it may take over from.

    Two cases are not included. Nobody writes `doi:mp:x` for a new `mp`. A prefix named like a provider of the new one
    matters only for `provider/prefix:x`.
    """
    first = _BOUNDARY.split(name, maxsplit=1)[0]
    shorter = (name, *reversed(ancestors(name)))
    shoulders = filter(None, map(shoulder_of, shorter))
    return tuple(dict.fromkeys((*shorter, *shoulders, *(HANDLES if is_handle_prefix(first) else ()))))
