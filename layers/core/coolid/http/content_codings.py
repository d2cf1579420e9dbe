"""Content codings that a client accepts (RFC 9110, section 12.5.3).

>>> accepts_gzip("br, gzip;q=0.5"), accepts_gzip("gzip;q=0"), accepts_gzip("identity")
(True, False, False)
"""

import re
from typing import Final

ENCODING: Final = "Accept-Encoding"
_GZIP: Final = re.compile(r"(?:^|,)\s*gzip\s*(?:;\s*q=(?:1(?:\.0*)?|0\.\d*[1-9]\d*)\s*)?(?:,|$)", re.IGNORECASE)


def accepts_gzip(accept_encoding: str | None) -> bool:
    """Return whether the value of `Accept-Encoding` names gzip with a weight above 0."""
    return _GZIP.search(accept_encoding or "") is not None
