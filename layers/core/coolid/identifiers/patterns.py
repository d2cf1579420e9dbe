"""Matching of regular expressions from registries and operators in linear time, with RE2.

>>> matches(r"^\\d{7}$", "0006915"), matches(r"^(a+)+$", "a" * 50_000 + "!")
(True, False)
>>> is_supported(r"(a)\\1")
False
"""

from functools import lru_cache
from typing import Any, Final

import re2

_OPTIONS: Final = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 1 << 20  # bytes; RE2 rejects patterns that need more


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Any:
    """Return the compiled pattern, or None if RE2 rejects it."""
    try:
        return re2.compile(pattern, options=_OPTIONS)
    except re2.error:
        return None


def is_supported(pattern: str) -> bool:
    """Return whether RE2 accepts the pattern; rejected ones (back-references, look-around) are never enforced."""
    return _compiled(pattern) is not None


def matches(pattern: str, identifier: str) -> bool:
    """Return whether the whole identifier matches; a pattern that RE2 rejects matches everything."""
    compiled = _compiled(pattern)
    if compiled is None:
        return True
    try:
        return compiled.fullmatch(identifier) is not None
    except UnicodeEncodeError:  # a lone surrogate, which no pattern matches
        return False
