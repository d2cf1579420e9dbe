"""Redirects: the answer that says where something is.

>>> redirect("https://example.org/?a&b", 302, {}).body.splitlines()[1]
'<html lang="en"><title>It is here</title><p>It is at <a href="https://example.org/?a&amp;b">https://example.org/?a&amp;b</a>.</html>'
"""

from typing import Final

from coolid.web.message import Response

MOST_LOCATED: Final = 9_000
"""Bytes of `Location` and `Link` together; API Gateway lets pass 10,240 of all headers."""

_MARKUP: Final = frozenset("&<>\"'")


def redirect(location: str, status: int, headers: dict[str, str]) -> Response:
    """A redirect, its `Location` byte for byte, with a short page that links there."""
    link = _escaped(location)
    return Response(
        status,
        {"Location": location, **headers, "Content-Type": "text/html; charset=utf-8"},
        f'<!doctype html>\n<html lang="en"><title>It is here</title><p>It is at <a href="{link}">{link}</a>.</html>\n',
    )


def _escaped(text: str) -> str:
    """The text as HTML has it in an attribute."""
    if _MARKUP.isdisjoint(text):
        return text
    from html import escape  # which takes long to load

    return escape(text)
