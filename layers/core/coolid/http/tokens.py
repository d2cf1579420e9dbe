"""Regular expressions of tokens, media types and language tags.

They use syntax that every engine supports. To avoid backtracking, put them into an atomic group.

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
"""A type without parameters (RFC 6838, section 4.2), whose names never need quoting."""
LANGUAGE: Final = "[A-Za-z]{1,8}(?:-[0-9A-Za-z]{1,8})*"
"""A basic language range (RFC 4647, section 2.1)."""
NUMBER: Final = "[1-9][0-9]{0,8}"
"""A positive integer of at most nine digits, without leading zeros."""

compiled: Final = cache(re.compile)
"""Return the expression, compiled on first use; this cache is faster than that of `re`."""
