"""The `<meta>` elements of a record's page: Dublin Core, `citation_…` and OpenGraph.

Source: DCMI, "Expressing Dublin Core metadata using HTML/XHTML meta and link elements" (2008); Google Scholar,
"Inclusion Guidelines for Webmasters" (Highwire Press tags, which Zotero reads too); The Open Graph protocol (ogp.me).
The affiliations and ORCID iD of an author follow the author.

>>> MetaTag("og:title", "Tea").attribute, MetaTag("DC.title", "Tea").attribute
('property', 'name')
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from msgspec import Struct

from coolid.http.formats.description import dcmi_terms
from coolid.http.formats.description.model import Agent, Description
from coolid.http.formats.description.rights import COAR_ACCESS
from coolid.http.formats.metadata_terms import ANY
from coolid.http.formats.metadata_text import on_one_line

SCHEMAS: Final = {"DC": "http://purl.org/dc/elements/1.1/", "DCTERMS": "http://purl.org/dc/terms/"}
MAX_TEXT_LENGTH: Final = 5_000
MAX_LENGTH: Final = 24_000
"""The most characters of all elements; the other forms have the rest."""

_PDF: Final = "application/pdf"
_CONTAINERS: Final = {"chapter": "citation_inbook_title", "paper-conference": "citation_conference_title"}
"""The elements with the title of the publication that contains a work, by CSL's types; others appear in journals."""
_INSTITUTIONS: Final = {
    "report": "citation_technical_report_institution",
    "thesis": "citation_dissertation_institution",
}
"""The elements that name the publisher of a work in addition, by CSL's types."""


class MetaTag(Struct, frozen=True):
    """A `<meta>` element."""

    name: str
    content: str

    @property
    def attribute(self) -> str:
        """The attribute that has the name: that of RDFa for OpenGraph."""
        return "property" if self.name.startswith("og:") else "name"


def meta_tags(thing: Description, title: str, summary: str, site_name: str) -> list[MetaTag]:
    """Return the elements, each text on one line, for a page of this title and summary; a site is a repository."""
    found: dict[MetaTag, None] = {}
    remaining = MAX_LENGTH
    for name, text in chain(_dublin_core(thing), _citation(thing), _open_graph(thing, title, summary, site_name)):
        content = on_one_line(text)[:MAX_TEXT_LENGTH]
        remaining -= len(name) + len(content)
        if remaining < 0:
            break
        if content:
            found[MetaTag(name, content)] = None
    return list(found)


def _dublin_core(thing: Description) -> Iterator[tuple[str, str]]:
    yield "DC.identifier", thing.pid
    yield from (("DC.identifier", each.uri or f"{each.scheme}:{each.identifier}") for each in thing.other_identifiers)
    for title in thing.titles:
        yield "DCTERMS.alternative" if title.type else "DC.title", title.text
    yield from (("DC.creator", each.name) for each in thing.creators)
    yield from (("DC.publisher", each.name) for each in thing.publishers)
    yield from (("DC.contributor", each.name) for each in thing.contributors)
    yield "DC.date", thing.when
    yield "DCTERMS.issued", thing.when
    for date in thing.dates:
        yield "DCTERMS." + dcmi_terms.DATES.get(date.type, "date"), "" if date.type == "Issued" else date.date
    yield "DCTERMS.available", thing.access.embargo_end
    yield "DC.type", thing.schema_type or ANY
    yield "DC.type", thing.resource_type
    yield from (("DC.language", each) for each in thing.languages)
    yield from (("DC.subject", each.text) for each in thing.subjects)
    yield from (("DC.description", each.text) for each in thing.descriptions)
    yield from (("DC.format", each) for each in (*(file.media_type or "" for file in thing.files), *thing.formats))
    yield from (("DCTERMS.extent", f"{file.size} bytes") for file in thing.files if file.size is not None)
    yield from (("DCTERMS.extent", each) for each in thing.sizes)
    for rights in thing.rights:
        yield "DCTERMS.license", rights.uri
        yield "DC.rights", str(rights)
    yield from (
        ("DCTERMS.accessRights", each) for each in (COAR_ACCESS.get(thing.access.level, ""), *thing.access.conditions)
    )
    for each in thing.related:
        name = dcmi_terms.RELATIONS.get(each.relation)
        yield f"DCTERMS.{name}" if name else "DC.relation", each.uri or each.identifier or each.title
    yield from (("DCTERMS.spatial", each.place) for each in thing.geo_locations)


def _citation(thing: Description) -> Iterator[tuple[str, str]]:
    """Yield what reference managers and Google Scholar read, if there is a title."""
    if not thing.title:
        return
    yield "citation_title", thing.title
    for author in thing.creators:
        yield from _author(author)
    yield "citation_publication_date", "/".join(f"{part:02}" for part in thing.issued) or thing.year
    yield "citation_doi", thing.doi
    yield from (("citation_publisher", each.name) for each in thing.publishers)
    if thing.kind.csl in _INSTITUTIONS:
        yield _INSTITUTIONS[thing.kind.csl], thing.publisher
    container = thing.container
    yield _CONTAINERS.get(thing.kind.csl, "citation_journal_title"), container.title
    kind = container.type.lower()
    yield f"citation_{kind}", container.identifier if kind in ("issn", "isbn") else ""
    yield "citation_volume", container.volume
    yield "citation_issue", container.issue
    yield "citation_firstpage", container.first_page
    yield "citation_lastpage", container.last_page
    yield from (("citation_keywords", each.text) for each in thing.subjects)
    yield from (("citation_language", each) for each in thing.languages)
    yield "citation_abstract_html_url", thing.pid
    yield from (("citation_pdf_url", file.uri) for file in thing.files if file.media_type == _PDF)


def _author(author: Agent) -> Iterator[tuple[str, str]]:
    yield "citation_author", author.name
    yield from (("citation_author_institution", each.name) for each in author.affiliations)
    yield "citation_author_orcid", author.orcid


def _open_graph(thing: Description, title: str, summary: str, site_name: str) -> Iterator[tuple[str, str]]:
    yield "og:title", title
    yield "og:type", "website" if thing.schema_type in ("", "Dataset", "Collection", "DataCatalog") else "article"
    yield "og:url", thing.pid
    yield "og:description", summary
    yield "og:site_name", site_name
    images = (file.uri for file in thing.files if (file.media_type or "").startswith("image/"))
    yield "og:image", next(images, "")
    yield "twitter:card", "summary"
