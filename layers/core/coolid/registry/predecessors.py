"""The names that a new prefix takes over from, because the longest prefix wins (`coolid.registry.prefix_lookup`).

>>> predecessors("ark:99999/fk4rx")
('ark:99999/fk4rx', 'ark:99999', 'ark', 'ark:99999/fk4')
"""

from coolid.model.prefixes import HANDLES, ancestors, is_handle_prefix, shoulder_of


def predecessors(name: str) -> tuple[str, ...]:
    """Return the folded name and the names of all prefixes that it may take over from, or return to if it is deleted.

    Cached answers under these may be outdated. An own DOI or Handle prefix takes over from the general ones. Three
    cases are not included, because they are rare: `doi:mp:x` for a new `mp`; `provider/prefix:x` for a prefix named
    like a provider; and a new `go_ref`, which takes over from `go.ref` when the cached answers expire.
    """
    shorter = (name, *reversed(ancestors(name)))
    shoulders = filter(None, map(shoulder_of, shorter))
    return tuple(dict.fromkeys((*shorter, *shoulders, *(HANDLES if is_handle_prefix(shorter[-1]) else ()))))
