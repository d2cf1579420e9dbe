"""The typed links of a record (RFC 8288) by the FAIR Signposting Profile, and their `Link` header.

Source: signposting.org/FAIR (2023-10-02). Level 1 (2.1): `cite-as` the PID, `describedby` its metadata, `item` its
content, `type`, `license` and `author`. Level 2 (2.2): `linkset` for all links (`coolid.http.formats.linkset`).
Besides: `collection` for the whole and its inverse `item` for parts (RFC 6573), and `successor-version` (RFC 5829) for
a tombstone's successor. A target is an absolute URI in printable ASCII, and no attribute needs escapes between quotes.

The header has at most 7,000 bytes, so that a `Location` of 2,048 bytes and all other headers fit into the 10,240 bytes
that API Gateway passes. The context of a link is the requested resource: the PID, or its page. A form of the metadata
is another resource: it `describes` the PID (2.1.2), a link set has its `alternate` form (RFC 9264, section 7.1), and
the links of the PID have the PID as their `anchor`.

>>> print(TypedLink("item", "https://content.example.org/a.pdf", "application/pdf"))
<https://content.example.org/a.pdf>; rel="item"; type="application/pdf"
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.formats import metadata_terms
from coolid.http.formats.representation import LINK_SETS, Forms, Representation
from coolid.http.formats.uris import escape, is_plain, uri_of
from coolid.http.message import LANGUAGE, MEDIA_TYPE, compiled
from coolid.model.records import ACTIVE, Record

MAX_BYTES: Final = 7_000
MAX_SKIPPED: Final = 20
"""The number of links that do not fit after which the rest is skipped: a record can have thousands."""
TIMEMAP: Final = "/timemap/"

_LICENSES: Final = frozenset(metadata_terms.LICENSES)
_SEPARATOR: Final = ", "
_PID: Final = "\0"
"""A placeholder for the PID that no URI contains."""
_MIN_LINK_BYTES: Final = 40
"""The least bytes of a useful link with its relation and separator."""
_MEDIA_TYPE: Final = rf"\s*({MEDIA_TYPE})\s*"


class TypedLink(Struct, frozen=True):
    """A link with its relation, target and target attributes; `profile` contains URIs separated by spaces.

    `anchor` is its context if that is not the requested resource. Its text is a link value of RFC 8288.
    """

    rel: str
    href: str
    type: str | None = None
    hreflang: str | None = None
    profile: str | None = None
    anchor: str | None = None

    def __str__(self) -> str:
        value = f'<{self.href}>; rel="{self.rel}"'
        if self.type:
            value += f'; type="{self.type}"'
        if self.hreflang:
            value += f'; hreflang="{self.hreflang}"'
        if self.profile:
            value += f'; profile="{self.profile}"'
        return f'{value}; anchor="{self.anchor}"' if self.anchor else value


def link_header(
    record: Record, forms: Forms, *, canonical: str, form: str | None = None, version: str | None = None
) -> str:
    """Return the value of the header; `canonical` is the canonical link of the record, `forms` are its forms.

    `form` is the requested media type, if it is a form of the metadata with its own address. `version` is the requested
    number; the links then lead to its forms and to its original.
    """
    if form is not None:
        return _with_dated_links(_signposts_of_form(record, forms, form, canonical, version), record, version)
    if version is not None:
        return _with_dated_links(signposts(record, forms, canonical=canonical, version=version), record, version)
    pid = _escaped(record.pid)
    uri = pid if canonical == record.pid else _escaped(canonical)
    kind = metadata_terms.schema_type(record) if record.metadata else None
    head = f'<{uri}>; rel="canonical", {pid.join(_form_links(forms, kind))}, {dated_links(record, uri)}'
    if len(head) <= MAX_BYTES:
        fitting = _fitting(_fact_links(record), MAX_BYTES - len(head))
        return _SEPARATOR.join([head, *[value for value, _ in fitting]])
    # The PID is so long that not all forms fit.
    return _joined(signposts(record, forms, canonical=canonical))


def dated_links(record: Record, original: str, query: str = "") -> str:
    """Return the links to its versions (RFC 7089, section 2.2); the URI `original` is its own TimeGate."""
    return (
        f'<{original}{query}>; rel="original timegate", '
        f'<{timemap_of(record, original)}>; rel="timemap"; type="application/link-format"'
    )


def timemap_of(record: Record, original: str) -> str:
    """Return the address of the list of all its versions."""
    base_url = _escaped_issuer(record.issuer)
    return f"{base_url}{TIMEMAP}{original.removeprefix(base_url + '/')}"


def signposts(record: Record, forms: Forms, *, canonical: str, version: str | None = None) -> list[TypedLink]:
    """Return the links of the header, for other syntaxes."""
    links = profile_links(record, _announced(forms), version)
    return _bounded([TypedLink("canonical", escape(canonical))], links, record, version)


def profile_links(
    record: Record, representations: Sequence[Representation], version: str | None = None
) -> Iterator[TypedLink]:
    """Return the links of the profile, which excludes `alternate`, to the forms of the `version` if it is not None."""
    available = [each for each in representations if each.available(record)]
    yield from _profile_of_forms(escape(record.pid), available, f"&version={version}" if version else "")
    yield from _type_links(metadata_terms.schema_type(record))
    yield from _fact_links(record)


def _signposts_of_form(record: Record, forms: Forms, form: str, canonical: str, version: str | None) -> list[TypedLink]:
    pid = escape(record.pid)
    links = list(profile_links(record, _announced(forms), version))
    own = [link for link in links if link.rel == "linkset"]
    if form in LINK_SETS:
        own = [replace(link, rel="alternate") for link in own if link.type != form]
    elif form in forms.offers:  # not a picture of the PID
        own.insert(0, TypedLink("describes", pid))
    others = (replace(link, anchor=pid) for link in links if link not in own)
    return _bounded([TypedLink("canonical", escape(canonical)), *own], others, record, version)


def _bounded(
    first: list[TypedLink], links: Iterable[TypedLink], record: Record, version: str | None
) -> list[TypedLink]:
    """Return the first links and those others that fit, leaving room for the links of a version to its original."""
    remaining = MAX_BYTES - len(_joined(first))
    if version is not None:
        remaining -= len(dated_links(record, escape(record.pid))) + len(_SEPARATOR)
    return [*first, *[link for _, link in _fitting(links, remaining)]]


def _with_dated_links(links: Iterable[TypedLink], record: Record, version: str | None) -> str:
    """Return the header of these links, with those of a version to its original if they fit."""
    header = _joined(links)
    longer = _SEPARATOR.join((header, dated_links(record, escape(record.pid))))
    return header if version is None or len(longer) > MAX_BYTES else longer


def _fitting(links: Iterable[TypedLink], remaining: int) -> list[tuple[str, TypedLink]]:
    """Return the links that fit into `remaining` bytes after others, with their values."""
    fitting: list[tuple[str, TypedLink]] = []
    skipped = 0
    for link in links if remaining >= _MIN_LINK_BYTES else ():
        value = str(link)
        length = len(value) + len(_SEPARATOR)
        if length <= remaining:
            fitting.append((value, link))
            remaining -= length
        else:
            skipped += 1
        if remaining < _MIN_LINK_BYTES or skipped > MAX_SKIPPED:
            break
    return fitting


def _joined(links: Iterable[TypedLink]) -> str:
    return _SEPARATOR.join(map(str, links))


@cache
def _form_links(forms: Forms, schema_type: str | None) -> tuple[str, ...]:
    """Return the links to the forms and the type, split where the PID belongs, because joining is the fastest way.

    The number of results is bounded by the types of schema.org.
    """
    return tuple(_joined((*_profile_of_forms(_PID, _announced(forms)), *_type_links(schema_type))).split(_PID))


def _profile_of_forms(pid: str, representations: Iterable[Representation], more: str = "") -> Iterator[TypedLink]:
    """Return the links to the PID and to its record's representations, with `more` in their queries."""
    yield TypedLink("cite-as", pid)
    for each in sorted(representations, key=lambda form: form.media_type not in LINK_SETS):  # link sets first
        relation = "linkset" if each.media_type in LINK_SETS else "describedby"
        yield TypedLink(relation, f"{pid}?format={each.name}{more}", each.essence, profile=each.profile)


def _type_links(kind: str | None) -> Iterator[TypedLink]:
    """Return the links to its schema.org type and to the type of its page."""
    yield TypedLink("type", "https://schema.org/" + (kind or metadata_terms.ANY))
    yield TypedLink("type", "https://schema.org/AboutPage")


def _fact_links(record: Record) -> Iterator[TypedLink]:
    """Return the links to its successor, licences, collections, authors, items and parts."""
    successor = metadata_terms.successor_uri(record) if record.withdrawn else None
    if successor:
        yield TypedLink("successor-version", successor)
    if record.metadata:
        for uri in _license_uris(record):
            yield TypedLink("license", uri)
        for uri in metadata_terms.related_uris(record, metadata_terms.WHOLE):
            yield TypedLink("collection", uri)
        for uri in metadata_terms.uris_in(record, metadata_terms.CREATORS):
            yield TypedLink("author", uri)
    for location in record.records:
        if location.status == ACTIVE:
            full_type, language, media_type, profile = location.media_type, location.language, None, None
            if full_type:
                media_type = _media_type(full_type)
                profile = _profile(full_type) if media_type and ";" in full_type else None
            yield TypedLink("item", _escaped(location.uri), media_type, language and _language(language), profile)
    if record.metadata:
        for uri in metadata_terms.related_uris(record, metadata_terms.PART):
            yield TypedLink("item", uri)


def _license_uris(record: Record) -> Iterable[str]:
    """Return the URIs of its licences; those that have only a name or an SPDX identifier may have one too."""
    if _LICENSES.isdisjoint(record.metadata):  # as for most records
        return ()
    found = list(metadata_terms.uris_in(record, metadata_terms.LICENSES))
    if found:
        return found
    from coolid.http.formats.description.rights import licences  # few licences have no URI

    return dict.fromkeys(each.uri for each in licences(record.metadata) if each.uri)


def _announced(forms: Forms) -> list[Representation]:
    return [each for each in forms.representations if each.announced]


def _escaped(uri: str) -> str:
    """Return `escape(uri)`, which most URIs do not need."""
    return uri if is_plain(uri) else escape(uri)


_escaped_issuer: Final = lru_cache(maxsize=64)(_escaped)
"""The same for issuers, of which there are few."""


def _media_type(text: str) -> str | None:
    """Return a media type without its parameters, which the `type` attribute excludes."""
    found = compiled(_MEDIA_TYPE).fullmatch(text.partition(";")[0])
    return found[1] if found else None


def _profile(text: str) -> str | None:
    """Return the web URLs in the `profile` parameter of a media type (RFC 6906), or None."""
    found = compiled(r""";\s*[Pp][Rr][Oo][Ff][Ii][Ll][Ee]=(?:"([^"]*)"|([^\s;"]+))""").search(text)
    values = (found[1] or found[2] or "").split() if found else ()
    return " ".join(filter(None, map(uri_of, values))) or None


def _language(text: str) -> str | None:
    return text if compiled(LANGUAGE).fullmatch(text) else None
