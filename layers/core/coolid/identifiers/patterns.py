"""Matching of regular expressions from registries and operators in linear time, with RE2.

>>> matches(r"^\\d{7}$", "0006915"), matches(r"^(a+)+$", "a" * 50_000 + "!")
(True, False)
>>> is_supported(r"(a)\\1")
False
"""

import re
from functools import lru_cache
from typing import Any, Final

import re2

_OPTIONS: Final = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 1 << 20  # bytes; RE2 rejects patterns that need more
_REFERENCE: Final = re.compile(r"\\(.?)", re.DOTALL)


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


def replacement_objection(pattern: str, replacement: str) -> str | None:
    """Return why a text cannot replace the matches of a supported pattern, or None.

    >>> replacement_objection("(a)", r"\\1"), replacement_objection("(a)", r"\\2")
    (None, 'the pattern has no group 2; write a backslash as \\\\\\\\')
    """
    groups = _compiled(pattern).groups
    for name in _REFERENCE.findall(replacement):
        if name != "\\" and not (name.isdecimal() and int(name) <= groups):
            return f"the pattern has no group {name or 'without a number'}; write a backslash as \\\\"
    return None


def replaced(pattern: str, replacement: str, text: str) -> str:
    """Return a text with all matches of a supported pattern replaced.

    In the replacement, `\\1` is the first group, `\\0` the whole match and `\\\\` a backslash.

    >>> replaced(r"^https://old[.]example/(\\d+)$", r"https://new.example/items/\\1", "https://old.example/7")
    'https://new.example/items/7'
    """

    def expand(match: Any) -> str:
        return _REFERENCE.sub(lambda found: "\\" if found[1] == "\\" else match[int(found[1])] or "", replacement)

    try:
        result: str = _compiled(pattern).sub(expand, text)
    except UnicodeEncodeError:  # a lone surrogate, which no pattern matches
        return text
    return result
