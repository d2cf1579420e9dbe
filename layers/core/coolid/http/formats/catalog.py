"""The table of a record's representations, in order of preference. A new one needs a module and a row here.

The record's HTML page is not in the table. See `coolid.http.pages`.

>>> for_name("turtle").media_type, for_media_type("application/json").name
('text/turtle', 'linkid')
>>> for_name("pdf") is None, for_media_type("text/html") is None
(True, True)
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Final

from coolid.http.formats import linkid
from coolid.http.formats.representation import LINKS, LINKSET, Forms, Representation
from coolid.model.records import Record

CITATION: Final = "text/x-bibliography"


def _writer(module: str) -> Callable[[Record], str]:
    """Return the function that writes with a module of this folder.

    The module is imported when a record is written, because the headers of a redirect need only the table.
    """

    def write(record: Record) -> str:
        written: str = import_module(f"coolid.http.formats.{module}").write(record)
        return written

    return write


def _linkset(record: Record) -> str:
    """Write the link set, which links to all representations of this table."""
    from coolid.http.formats import linkset

    return linkset.write_json(record, REPRESENTATIONS)


def _links(record: Record) -> str:
    from coolid.http.formats import linkset

    return linkset.write_text(record, REPRESENTATIONS)


def _proof(record: Record) -> str:
    """Write the proof, a compact JWS (RFC 7515) over the record's digest (`coolid.proofs.statements`)."""
    assert record.proof is not None
    return record.proof


def _is_signed(record: Record) -> bool:
    """Return whether the record has a proof. Records from before the introduction of proofs have none."""
    return record.proof is not None


def _is_citable(record: Record) -> bool:
    from coolid.http.formats.citations.works import is_citable

    return is_citable(record)


def _citation_format(name: str, media_type: str, module: str, synonyms: tuple[str, ...] = ()) -> Representation:
    """Return the row of a format that reference managers read."""
    write = _writer(f"citations.{module}")
    return Representation(name, media_type, write, (), synonyms, _is_citable, announced=False, of_metadata=True)


# Profiles: the vocabularies of media types that do not determine one.
_SCHEMA_ORG: Final = "https://schema.org/"
_KERNEL: Final = "http://purl.org/kernel/elements/1.1/"

# Media types of DOI content negotiation for the same formats (citation.doi.org/docs.html).
_SCHEMA_ORG_JSON: Final = "application/vnd.schemaorg.ld+json"
_CITEPROC: Final = "application/citeproc+json"

REPRESENTATIONS: Final[tuple[Representation, ...]] = (
    Representation(
        "linkid", "application/linkid+json", linkid.write, ("json",), synonyms=("application/json",), is_whole=True
    ),
    Representation("linkset", LINKSET, _linkset),
    Representation("links", LINKS, _links),
    Representation(
        "jsonld", "application/ld+json", _writer("schemaorg"), synonyms=(_SCHEMA_ORG_JSON,), profile=_SCHEMA_ORG
    ),
    Representation("ttl", "text/turtle", _writer("turtle"), aliases=("turtle",), profile=_SCHEMA_ORG),
    Representation("erc", "text/plain", _writer("erc"), aliases=("text",), profile=_KERNEL),
    Representation("jws", "application/jose", _proof, available=_is_signed),
    _citation_format("csl", "application/vnd.citationstyles.csl+json", "csl", synonyms=(_CITEPROC,)),
    _citation_format("bibtex", "application/x-bibtex", "bibtex"),
    _citation_format("ris", "application/x-research-info-systems", "ris"),
    _citation_format("datacite", "application/vnd.datacite.datacite+json", "datacite"),
    _citation_format("citation", CITATION, "bibliography"),
)

_BY_NAME: Final = {name: each for each in REPRESENTATIONS for name in (each.name, *each.aliases)}
_BY_MEDIA_TYPE: Final = {name: each for each in REPRESENTATIONS for name in (each.media_type, *each.synonyms)}


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
