"""Ours: addresses of the service itself, as people copy them, and what these ask for beside the thing.

>>> page_at("/"), page_at("/pages/mint?prefix=mp"), page_at("/mp:tw0t-ywdj-94"), page_at("/pages/../x")
('', 'pages/mint?prefix=mp', None, None)
>>> asked_in("/mp:tw0t-ywdj-94?version=1&utm_source=x&info#top"), asked_in("/mp:tw0t-ywdj-94??")
('?version=1&info', '??')
"""

import re
from typing import Final

from coolid.http.public import prefix_browser
from coolid.http.public.discovery import PARAMETERS
from coolid.identifiers import percent_encoding

_PAGE: Final = re.compile("/?|/health|/(?:pages|problems)/[a-z0-9-]+(?:/[a-z0-9-]+)*")
_PAGES_READ: Final = (*prefix_browser.PARAMETERS, "prefix")
_QUERY_KEEPS: Final = "!$&'()*+,/:;=?@~%"  # RFC 3986, section 3.4, and the escapes that there are
_INFLECTION: Final = "?"


def page_at(behind: str) -> str | None:
    """The path, without its slash, and the query of a page of ours, of what stands behind the base URL; else None.

    The front door forgets what was typed into it.
    """
    path, _, query = behind.partition("#")[0].partition("?")
    if not _PAGE.fullmatch(path):
        return None
    page = path[1:]
    return page + _query(query, _PAGES_READ) if page.startswith("pages/") else page


def asked_in(behind: str) -> str:
    """The parameters that we know, with their question mark, of what stands behind the base URL; others are dropped."""
    query = behind.partition("#")[0].partition("?")[2]
    return f"?{_INFLECTION}" if query == _INFLECTION else _query(query, PARAMETERS)


def _query(written: str, known: tuple[str, ...]) -> str:
    kept = [part for part in written.split("&") if part.partition("=")[0] in known]
    return f"?{percent_encoding.encode('&'.join(kept), _QUERY_KEEPS)}" if kept else ""
