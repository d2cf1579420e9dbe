"""What the sources of short links share: columns under several names, and the path in a short URL."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

import can_ada


def first_text(values: Mapping[str, Any], names: Iterable[str]) -> str:
    """Return the first of these members that is a text, without white space around it, or an empty text."""
    texts = (values.get(name) for name in names)
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def path_in(text: str) -> str:
    """Return the path of a short URL without the slash before it, or the text itself if it is no URL.

    >>> path_in("https://s.example/a%C3%A9"), path_in("abc")
    ('aé', 'abc')
    """
    if "://" not in text:
        return text
    try:
        return unquote(str(can_ada.parse(text).pathname)).lstrip("/")
    except ValueError:
        return ""
