"""Own URLs: recognition of copied addresses of this service and of their query parameters.

>>> page_at("/"), page_at("/pages/mint?prefix=mp"), page_at("/mp:tw0t-ywdj-94"), page_at("/pages/../x")
('', 'pages/mint?prefix=mp', None, None)
>>> parameters_in("/mp:tw0t-ywdj-94?version=1&utm_source=x&info#top"), parameters_in("/mp:tw0t-ywdj-94??")
('?version=1&info', '??')
"""

import re
from typing import Final

from coolid.http.public import prefix_browser
from coolid.http.public.discovery import PARAMETERS
from coolid.identifiers import percent_encoding

_PAGE: Final = re.compile("/?|/health|/(?:pages|problems)/[a-z0-9-]+(?:/[a-z0-9-]+)*")
_PAGE_PARAMETERS: Final = (*prefix_browser.PARAMETERS, "prefix")
_QUERY_KEEPS: Final = "!$&'()*+,/:;=?@~%"  # RFC 3986, section 3.4, and existing escapes
_INFLECTION: Final = "?"


def page_at(behind: str) -> str | None:
    """Return the path, without its slash, and query of an own page, from the text after the base URL; else None.

    The query of the home page is dropped.
    """
    path, _, query = behind.partition("#")[0].partition("?")
    if not _PAGE.fullmatch(path):
        return None
    page = path[1:]
    return page + _query(query, _PAGE_PARAMETERS) if page.startswith("pages/") else page


def parameters_in(behind: str) -> str:
    """Return the known query parameters, with their question mark, in the text after the base URL."""
    query = behind.partition("#")[0].partition("?")[2]
    return f"?{_INFLECTION}" if query == _INFLECTION else _query(query, PARAMETERS)


def _query(written: str, names: tuple[str, ...]) -> str:
    parts = [part for part in written.split("&") if part.partition("=")[0] in names]
    return f"?{percent_encoding.encode('&'.join(parts), _QUERY_KEEPS)}" if parts else ""
