"""Foreign patterns: regular expressions that come from registries and operators, run in linear time by RE2.

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
_OPTIONS.max_mem = 1 << 20  # bytes; a pattern that needs more to be compiled is refused


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Any:
    """The compiled pattern, or None where RE2 refuses it."""
    try:
        return re2.compile(pattern, options=_OPTIONS)
    except re2.error:
        return None


def is_supported(pattern: str) -> bool:
    """Whether RE2 takes the pattern; one that it refuses (back-references, look-around) is never enforced."""
    return _compiled(pattern) is not None


def matches(pattern: str, identifier: str) -> bool:
    """Whether the whole identifier fits; a pattern that RE2 refuses fits everything."""
    compiled = _compiled(pattern)
    if compiled is None:
        return True
    try:
        return compiled.fullmatch(identifier) is not None
    except UnicodeEncodeError:  # half of a surrogate pair, which no pattern means
        return False
