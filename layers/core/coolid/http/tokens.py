"""Tokens, media types and language tags as regular expressions, for all who read or write them.

They are of the plain kind that every engine knows: whoever needs no backtracking puts them into an atomic group.

>>> import re
>>> re.fullmatch(MEDIA_TYPE, "image/svg+xml") is not None, re.fullmatch(MEDIA_TYPE, "image/*") is not None
(True, False)
>>> re.fullmatch(LANGUAGE, "de-CH-1996") is not None, re.fullmatch(LANGUAGE, "de_CH") is not None
(True, False)
"""

import re
from functools import cache
from typing import Final

TOKEN: Final = r"[0-9A-Za-z!#$%&'*+.^_`|~-]+"  # noqa: S105 - it is no password
"""RFC 9110, section 5.6.2."""
_NAME: Final = "[0-9A-Za-z][0-9A-Za-z!#$&^_.+-]{0,126}"
MEDIA_TYPE: Final = f"{_NAME}/{_NAME}"
"""A type without parameters (RFC 6838, section 4.2): names that need no quoting anywhere."""
LANGUAGE: Final = "[A-Za-z]{1,8}(?:-[0-9A-Za-z]{1,8})*"
"""A language tag as far as RFC 4647 (section 2.1) looks at one."""
NUMBER: Final = "[1-9][0-9]{0,8}"
"""A whole number from 1, written in one way only, and small enough for everybody."""

compiled: Final = cache(re.compile)
"""The expression, compiled when it is first needed; found faster than `re` finds what it has compiled."""
