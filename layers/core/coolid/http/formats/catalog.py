"""The table of a record's representations, in order of preference. A new one needs a module and a row here.

The record's HTML page is not in the table. See `coolid.http.pages`.

>>> for_name("turtle").media_type, for_media_type("application/json").name
('text/turtle', 'linkid')
>>> for_name("pdf") is None, for_media_type("text/html") is None
(True, True)
"""

from functools import cache, partial
from typing import Final

from coolid.http.formats.representation import LINKS, LINKSET, Forms, Representation
from coolid.model.records import Record
from coolid.strict_json import dump

CITATION: Final = "text/x-bibliography"


def _write(name: str, record: Record) -> str:
    """Write the format of this name. Its module is imported here, because a redirect needs only the table."""
    match name:
        case "linkset":
            from coolid.http.formats.linkset import write_json

            return write_json(record, REPRESENTATIONS)
        case "links":
            from coolid.http.formats.linkset import write_text

            return write_text(record, REPRESENTATIONS)
        case "jsonld":
            from coolid.http.formats.linked_data.schemaorg import write
        case "ttl":
            from coolid.http.formats.linked_data.turtle import write
        case "dcat":
            from coolid.http.formats.linked_data.dcat import write
        case "erc":
            from coolid.http.formats.erc import write
        case "csl":
            from coolid.http.formats.citations.csl import write
        case "bibtex":
            from coolid.http.formats.citations.bibtex import write
        case "ris":
            from coolid.http.formats.citations.ris import write
        case "datacite":
            from coolid.http.formats.citations.datacite import write
        case "datacite-xml":
            from coolid.http.formats.citations.datacite_xml import write
        case _:
            from coolid.http.formats.citations.bibliography import write
    return write(record)


def _linkid(record: Record) -> str:
    """Write the complete document, as the LinkID draft, revision 00 ("Metadata Format") defines it.

    Only this form can be verified, because the signature covers all of it and the other forms contain less.
    """
    return dump(record.to_document())


def _proof(record: Record) -> str:
    """Write the proof, a compact JWS (RFC 7515) over the record's digest (`coolid.proofs.statements`)."""
    assert record.proof is not None
    return record.proof


def _is_signed(record: Record) -> bool:
    """Return whether the record has a proof. Records from before the introduction of proofs have none."""
    return record.proof is not None


def _is_citable(record: Record) -> bool:
    from coolid.http.formats.description.metadata_reader import is_citable

    return is_citable(record)


def _citation(name: str, media_type: str, *synonyms: str) -> Representation:
    """Return the row of a format that reference managers read."""
    write = partial(_write, name)
    return Representation(name, media_type, write, (), synonyms, _is_citable, announced=False, of_metadata=True)


_SCHEMA_ORG: Final = "https://schema.org/"
_SCHEMA_ORG_JSON: Final = "application/vnd.schemaorg.ld+json"
_DCAT: Final = "http://www.w3.org/ns/dcat#"
_KERNEL: Final = "http://purl.org/kernel/elements/1.1/"

# The synonyms are media types of DOI content negotiation for the same formats (citation.doi.org/docs.html).
REPRESENTATIONS: Final[tuple[Representation, ...]] = (
    Representation("linkid", "application/linkid+json", _linkid, ("json",), ("application/json",), is_whole=True),
    Representation("linkset", LINKSET, partial(_write, "linkset")),
    Representation("links", LINKS, partial(_write, "links")),
    Representation(
        "jsonld", "application/ld+json", partial(_write, "jsonld"), (), (_SCHEMA_ORG_JSON,), profile=_SCHEMA_ORG
    ),
    Representation("dcat", f'application/ld+json;profile="{_DCAT}"', partial(_write, "dcat"), profile=_DCAT),
    Representation("ttl", "text/turtle", partial(_write, "ttl"), ("turtle",), profile=_SCHEMA_ORG),
    Representation("erc", "text/plain", partial(_write, "erc"), ("text",), profile=_KERNEL),
    Representation("jws", "application/jose", _proof, available=_is_signed),
    _citation("csl", "application/vnd.citationstyles.csl+json", "application/citeproc+json"),
    _citation("bibtex", "application/x-bibtex"),
    _citation("ris", "application/x-research-info-systems"),
    _citation("datacite", "application/vnd.datacite.datacite+json"),
    _citation("datacite-xml", "application/vnd.datacite.datacite+xml"),
    _citation("citation", CITATION),
)

_BY_NAME: Final = {name: each for each in REPRESENTATIONS for name in (each.name, *each.aliases)}
_BY_MEDIA_TYPE: Final = {name: each for each in REPRESENTATIONS for name in (each.media_type, *each.synonyms)}


def forms_of(record: Record) -> Forms:
    """Return the forms of a record."""
    return forms(is_signed=_is_signed(record))


@cache
def forms(*, is_signed: bool) -> Forms:
    """Return the forms of records with a proof, or of those without."""
    present = tuple(each for each in REPRESENTATIONS if is_signed or each.available is not _is_signed)
    offers = tuple(media_type for each in present for media_type in (each.media_type, *each.synonyms))
    return Forms(present, offers)


def for_name(name: str) -> Representation | None:
    """Return the representation with this name or alias in `?format=`, or None."""
    return _BY_NAME.get(name)


def for_media_type(media_type: str) -> Representation | None:
    """Return the representation for a media type without parameters, in any case, or None."""
    return _BY_MEDIA_TYPE.get(media_type.lower())


def has_content(media_type: str, record: Record) -> bool:
    """Return whether an offer has content for the record; only offers of metadata may have none."""
    representation = for_media_type(media_type)
    return representation is None or not representation.of_metadata or representation.available(record)
