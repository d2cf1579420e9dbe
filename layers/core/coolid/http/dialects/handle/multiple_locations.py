r"""The value of type `10320/loc`: XML that lists several locations with their attributes.

Specification: DOI Handbook, appendix "10320/LOC: XML Attributes". `id` is the index of the location's value of type
URL, `weight` its quality; `lang` and `country` come from its language tag.

>>> from coolid.model.records import Location
>>> text = write([(1, Location("https://a.example/?x&y", language="en-GB")), (2, Location("https://b.example/"))])
>>> print(text.replace("><", ">\n<"))
<locations chooseby="locatt,country,weighted">
<location id="1" href="https://a.example/?x&amp;y" weight="1" lang="en-GB" country="gb"/>
<location id="2" href="https://b.example/" weight="1"/>
</locations>
"""

import re
from collections.abc import Iterable
from html import escape
from typing import Final

from coolid.http.tokens import LANGUAGE
from coolid.model.records import Location

_REGION: Final = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z]{3}){0,3}(?:-[A-Za-z]{4})?-([A-Za-z]{2})(?:-.*)?")


def write(locations: Iterable[tuple[int, Location]]) -> str:
    """Return the XML of locations, each with the index of its value."""
    elements = "".join(_element(index, location) for index, location in locations)
    return f'<locations chooseby="locatt,country,weighted">{elements}</locations>'


def attributes(index: int, location: Location) -> dict[str, str]:
    """Return the attributes of a location, except `href`.

    >>> attributes(3, Location("https://a.example/", language="de-CH-1996", quality=0.5))
    {'id': '3', 'weight': '0.5', 'lang': 'de-CH-1996', 'country': 'ch'}
    """
    members = {"id": str(index), "weight": f"{1 if location.quality is None else location.quality:g}"}
    language = location.language or ""
    if re.fullmatch(LANGUAGE, language):
        members["lang"] = language
        region = _REGION.fullmatch(language)
        if region:
            members["country"] = region[1].lower()
    return members


def _element(index: int, location: Location) -> str:
    members = {"id": str(index), "href": location.uri, **attributes(index, location)}
    text = " ".join(f'{name}="{escape(value)}"' for name, value in members.items())
    return f"<location {text}/>"
