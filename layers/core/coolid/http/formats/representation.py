"""What a representation of a record is: a name for `?format=`, a media type, and what writes it.

>>> erc = Representation("erc", "text/plain", lambda record: record.pid, aliases=("text",))
>>> erc.content_type
'text/plain; charset=utf-8'
"""

from collections.abc import Callable

from msgspec import Struct

from coolid.model.records import Record


def always(_record: Record) -> bool:
    """That there is one of every record."""
    return True


class Representation(Struct, frozen=True):
    """One way to write a record down.

    `aliases` are other names of its format, `also` other media types that it is an answer to; `available` says
    whether there is one of a given record: only then may `write` be called. One that is not `announced` is told of in
    the link set alone, not in the header of every answer. One `of_metadata` is offered of every record; where it is not
    available, the answer is that there is nothing to say. `profile` is the URI of what its media type leaves open.
    One that `is_whole` is of the record itself; the others tell of those locations alone that are good now.
    """

    name: str
    media_type: str
    write: Callable[[Record], str]
    aliases: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    available: Callable[[Record], bool] = always
    announced: bool = True
    of_metadata: bool = False
    profile: str | None = None
    is_whole: bool = False

    @property
    def content_type(self) -> str:
        """The media type as `ContentDescription-Type` has it: text says how it is encoded, the others always are UTF-8."""
        return f"{self.media_type}; charset=utf-8" if self.media_type.startswith("text/") else self.media_type
