"""The class of a record's representations, each with a name for `?format=`, a media type and a function that writes it.

>>> erc = Representation("erc", "text/plain", lambda record: record.pid, aliases=("text",))
>>> erc.content_type
'text/plain; charset=utf-8'
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from coolid.model.records import Record

LINKSET: Final = "application/linkset+json"
LINKS: Final = "application/linkset"
LINK_SETS: Final = (LINKSET, LINKS)


def always(_record: Record) -> bool:
    """Return True, for a representation that every record has."""
    return True


class Representation(Struct, frozen=True):
    """One format of a record.

    `aliases` are other names of the format, `synonyms` are other media types that it answers. `write` may only
    be called if `available` returns True for the record. If `announced` is false, only the link set links to it, not
    every answer's `Link` header. One `of_metadata` is offered for every record; if it is not available, the answer
    says so. `profile` is the URI of the vocabulary that its media type leaves open. If `is_whole`, it contains the
    whole record; the others contain only the locations that are valid now.
    """

    name: str
    media_type: str
    write: Callable[[Record], str]
    aliases: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    available: Callable[[Record], bool] = always
    announced: bool = True
    of_metadata: bool = False
    profile: str | None = None
    is_whole: bool = False

    @property
    def essence(self) -> str:
        """The media type without parameters."""
        return self.media_type.partition(";")[0]

    @property
    def content_type(self) -> str:
        """The value of `Content-Type`; text types have a charset, the others are always UTF-8."""
        return f"{self.media_type}; charset=utf-8" if self.media_type.startswith("text/") else self.media_type


class Forms(Struct, frozen=True, eq=False):
    """The representations of a record; `offers` are their media types, including the other ones of each.

    Representations of metadata are included even if the record has none. Each set has one object.
    """

    representations: tuple[Representation, ...]
    offers: tuple[str, ...]
