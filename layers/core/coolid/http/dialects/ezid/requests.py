"""The parts of EZID's requests: elements in the body, options in the query, and whether a browser sent it.

Specification: EZID API, version 2, "API vs. UI" and "Request & response bodies". Unknown parameters are refused, as
EZID does, because a misspelt one would change what a request means.
"""

import re
from collections.abc import Sequence
from typing import Final

from coolid.errors import InvalidInput
from coolid.http.accept import prefers_html
from coolid.http.dialects.ezid.anvl import InvalidAnvl, parse_elements
from coolid.http.json_bodies import checked_body
from coolid.http.message import Request

_CHARSET: Final = re.compile(r'charset\s*=\s*"?([^";\s]+)', re.IGNORECASE)
_UNSAFE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML cannot contain, which EZID replaces by question marks (XML 1.0, section 2.2)."""


def elements_in(request: Request) -> dict[str, str]:
    """Return the elements in the body. Raises `InvalidInput` with EZID's reasons, and `BodyTooLarge`."""
    media_type, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = _CHARSET.search(parameters)
    is_plain = media_type.strip().lower() in ("", "text/plain")
    if not is_plain or (charset and charset[1].lower() not in ("utf-8", "utf8")):
        raise InvalidInput.at("", "if specified, Content-Type must be text/plain and encoding must be UTF-8")
    try:
        elements = parse_elements(checked_body(request).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput.at("", "character decoding error") from None
    except InvalidAnvl as error:
        raise InvalidInput.at("", f"ANVL parse error ({error})") from None
    return {_UNSAFE.sub("?", name): _UNSAFE.sub("?", value).strip() for name, value in elements.items()}


def require_known_options(request: Request, names: Sequence[str] = (), ignored: Sequence[str] = ()) -> None:
    """Raise `InvalidInput` for a query parameter that the operation does not have, or a value but yes and no.

    The `ignored` ones may have any value.
    """
    for name, value in request.query:
        if name in ignored:
            continue
        if name not in names:
            raise InvalidInput.at("", f"unrecognized URL query parameter '{name[:50]}'")
        if value.lower() not in ("yes", "no"):
            raise InvalidInput.at("", f"invalid value for URL query parameter '{name}'")


def is_set(request: Request, name: str) -> bool:
    """Return whether an option is `yes`."""
    return (request.parameter(name) or "").lower() == "yes"


def is_from_browser(request: Request) -> bool:
    """Return whether the client prefers a page."""
    return prefers_html(request.headers.get("accept"))
