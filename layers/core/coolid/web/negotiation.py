"""Choosing a representation by `Accept` (RFC 9110 section 12.5.1): q-values, `q=0`, parameters, specificity.

>>> choose("application/json;q=0, */*", ("application/json", "text/html"))
'text/html'
>>> choose("text/html;q=0.2, application/json", ("text/html", "application/json"))
'application/json'
>>> choose("image/png", ("text/html",)) is None
True
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from coolid.web.errors import NotAcceptable

if TYPE_CHECKING:  # the parser is imported where a header calls for it
    from werkzeug.datastructures import MIMEAccept

JSON = "application/json"
HTML = "text/html"

_NO_WISH = ("", "*", "*/*")


def choose(accept: str | None, offers: Sequence[str]) -> str | None:
    """The offer that the client likes best, None if it excludes them all.

    Among equals, one that the client names comes before one that only a wildcard covers, then the order in which it
    names them, then the order of `offers`. Without the header, or with `*/*`, the first offer.
    """
    if accept is None or accept.strip(" ,") in _NO_WISH:
        return offers[0]
    parsed, named = _parsed(accept)
    ranked = [
        (-parsed.quality(offer), named.index(offer) if offer in named else len(named), position, offer)
        for position, offer in enumerate(offers)
        if parsed.quality(offer) > 0
    ]
    return min(ranked)[-1] if ranked else None


def prefers(accept: str | None, offers: Sequence[str], *, over: str) -> bool:
    """Whether one of `offers` serves the client better than `over`, the usual answer, which comes first among equals.

    An `Accept` that names none of them, nor anything that we know, leaves the usual answer: the type of what a
    location holds is its own affair. `NotAcceptable` if it excludes whatever there could be.

    >>> prefers("text/html,*/*;q=0.8", (JSON,), over=HTML), prefers("application/json", (JSON,), over=HTML)
    (False, True)
    """
    if accept is None or not any(sign in accept.lower() for sign in ("json", "application/*", "q=0")):
        return False  # the common case, decided without the parser
    chosen = choose(accept, (over, *offers))
    if chosen is None and not _accepts_anything(accept):
        raise NotAcceptable((over, *offers))
    return chosen in offers


def prefers_html(accept: str | None) -> bool:
    """Whether a page serves this client better than JSON: it names HTML, as browsers do."""
    return accept is not None and HTML in accept.lower() and choose(accept, (JSON, HTML)) == HTML


def _accepts_anything(accept: str) -> bool:
    return any(quality > 0 for _, quality in _parsed(accept)[0])


def _parsed(accept: str) -> "tuple[MIMEAccept, list[str]]":
    """The header, and the types that it names in order; parameters other than `q` say nothing that we could heed."""
    from werkzeug.datastructures import Accept, MIMEAccept
    from werkzeug.http import parse_accept_header

    # werkzeug keeps the order in which equals are named.
    ranges = [(item.partition(";")[0].lower(), quality) for item, quality in parse_accept_header(accept, Accept)]
    return MIMEAccept(ranges), [media_range for media_range, _ in ranges]
