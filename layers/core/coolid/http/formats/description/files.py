"""The files of a thing: the active locations of a record, then the downloads that schema.org's members describe.

>>> distributions({"distribution": {"contentUrl": "https://a.example/x.csv", "contentSize": "7"}})[0].size
7
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from coolid.http.formats.description.json_values import Members, in_members, member, objects_in, text_of
from coolid.http.formats.metadata_terms import NAMES, items
from coolid.http.formats.metadata_text import iso_date, line
from coolid.http.formats.uris import escape, uri_of
from coolid.http.message import compiled
from coolid.model.records import Location, Record

_DOWNLOADS: Final = ("distribution", "encoding", "associatedMedia")
_SIZES: Final = ("sizes", "size", "contentSize", "extent")
_FORMATS: Final = ("formats", "format", "encodingFormat", "fileFormat")

MEMBERS: Final = frozenset((*_DOWNLOADS, *_SIZES, *_FORMATS))
"""The members that this module reads."""


def files_of(record: Record) -> tuple[Location, ...]:
    """Return the files, with texts without control characters and URIs in ASCII."""
    own = [_plain(each) for each in items(record)]
    uris = {each.uri for each in own} | {escape(each.uri) for each in record.records}
    return (*own, *(each for each in distributions(record.metadata) if each.uri not in uris))


def distributions(metadata: Members) -> tuple[Location, ...]:
    """Return the downloads in the metadata as locations, each URL once."""
    found = {each.uri: each for value in objects_in(metadata, *_DOWNLOADS) for each in _download(value)}
    return tuple(found.values())


def sizes_of(metadata: Members, files: tuple[Location, ...]) -> tuple[str, ...]:
    """Return the sizes in the metadata that are not those of a file."""
    own = {text for each in files if each.size is not None for text in (size_in_bytes(each.size), str(each.size))}
    found = [text_of(item, "value", *NAMES) for item in in_members(metadata, _SIZES)]
    for value in objects_in(metadata, *_DOWNLOADS):
        size = member(value, "contentSize")
        found += [size] if not _bytes(size) else []
    return tuple(each for each in dict.fromkeys(found) if each and each not in own)


def formats_of(metadata: Members, files: tuple[Location, ...]) -> tuple[str, ...]:
    """Return the formats in the metadata that are not those of a file."""
    own = {each.media_type for each in files}
    found = dict.fromkeys(text_of(item, *NAMES) for item in in_members(metadata, _FORMATS))
    return tuple(each for each in found if each and each not in own)


def size_in_bytes(size: int) -> str:
    """Return a size in words.

    >>> size_in_bytes(7)
    '7 bytes'
    """
    return f"{size} bytes"


def _plain(location: Location) -> Location:
    names = ("media_type", "language", "version")
    texts = {name: line(text) or None for name in names if (text := getattr(location, name))}
    return replace(location, uri=escape(location.uri), **texts)


def _download(value: Members) -> Iterator[Location]:
    uri = uri_of(member(value, "contentUrl", "downloadURL", "@id", "url"))
    if uri:
        checksum = member(value, "sha256")
        yield Location(
            uri,
            media_type=member(value, "encodingFormat", "fileFormat", "mediaType") or None,
            language=member(value, "inLanguage") or None,
            version=member(value, "version") or None,
            checksum={"algorithm": "sha-256", "value": checksum} if checksum else None,
            size=_bytes(member(value, "contentSize")),
            last_modified=iso_date(member(value, "dateModified")),
        )


def _bytes(text: str) -> int | None:
    found = compiled("([0-9]{1,15})(?: ?(?:B|bytes?))?").fullmatch(text)
    return int(found[1]) if found else None
