"""Foreign labels: names of other prefixes at the beginning of an identifier, as in `pdb/go:0006915`.

Few prefixes have such identifiers. A pattern that accepts the label but not every label is evidence for them, and so is
a pattern or an example with the same separator. A pattern that accepts any characters is no evidence.
"""

import re
from typing import Final

from coolid.identifiers.patterns import matches
from coolid.model.prefixes import ProviderPrefix, fold

_CLASS: Final = re.compile(r"\[[^]]*\]")
_NO_LABEL: Final = "zz"
"""Text that is the label of no prefix."""


def may_contain(prefix: ProviderPrefix, identifier: str, rest: str) -> bool:
    """Return whether an identifier of the prefix may begin with a foreign label; `rest` is what follows the label.

    >>> from datetime import UTC, datetime
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> pdb = ProviderPrefix(name="pdb", pattern="^[0-9][A-Za-z0-9]{3}$", example="2gc4", created=now, updated=now)
    >>> may_contain(pdb, "go:0006915", ":0006915")
    False
    """
    if any(fold(identifier).startswith(fold(label)) for label in prefix.redundant):
        return True
    if prefix.pattern is not None:
        if not matches(prefix.pattern, identifier):
            return False
        if rest[0] in _CLASS.sub("", prefix.pattern) or not matches(prefix.pattern, _NO_LABEL + rest):
            return True
    return prefix.example is None or rest[0] in prefix.example
