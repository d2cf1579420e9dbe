"""The shared description of a record: one object for all that its metadata may contain, whatever its vocabulary.

The members are those of DataCite Metadata Schema 4.6, which is the richest of the vocabularies; the kernel and
schema.org have fewer. Unknown members are empty. Every text is without control characters and codes for missing
values; only descriptions have several lines. `coolid.http.formats.description.metadata_reader` makes it from a record.
"""

from msgspec import Struct

from coolid.http.formats.description.geography import GeoLocation
from coolid.http.formats.description.work_types import ANY, WorkType
from coolid.http.formats.metadata_text import year_of
from coolid.http.formats.uris import alternate_uri, person_uri
from coolid.http.message import LANGUAGE, compiled
from coolid.model.records import Location

PERSONAL = "Personal"
ORGANIZATIONAL = "Organizational"
EDITOR = "Editor"
ABSTRACT = "Abstract"
METHODS = "Methods"
DATASET_MEMBERS = ("variableMeasured", "includedInDataCatalog")
"""Members of datasets that only schema.org has, and which stay as they are."""
ISSUED = "Issued"
CONTAINERS = ("IsPublishedIn", "IsPartOf")
"""The relations to a publication that contains the thing, in order of preference."""


class NameIdentifier(Struct, frozen=True):
    """An identifier of an agent, as `https://orcid.org/0000-0001-5109-3700` of the scheme `ORCID`.

    `identifier` is the URI in the schemes that have one; otherwise as supplied.
    """

    identifier: str
    scheme: str = ""
    scheme_uri: str = ""

    @property
    def uri(self) -> str | None:
        """The URI of the agent, or None if the scheme has no known resolver."""
        return person_uri(self.identifier)


class Affiliation(Struct, frozen=True):
    """An organization to which an agent belongs."""

    name: str
    identifier: NameIdentifier | None = None


class Agent(Struct, frozen=True):
    """A person or organization; `name` is `Family, Given` if the parts are known, else as supplied, never empty.

    `kind` is `Personal`, `Organizational` or empty. `role` is the type of a contributor, empty for others.
    """

    name: str
    kind: str = ""
    given: str = ""
    family: str = ""
    identifiers: tuple[NameIdentifier, ...] = ()
    affiliations: tuple[Affiliation, ...] = ()
    role: str = ""
    lang: str = ""

    @property
    def uri(self) -> str | None:
        """The first URI among the identifiers, or None."""
        return next(filter(None, (each.uri for each in self.identifiers)), None)

    @property
    def is_organization(self) -> bool:
        """Whether the metadata says that it is an organization."""
        return self.kind == ORGANIZATIONAL

    @property
    def orcid(self) -> str:
        """The URI of the ORCID iD, or an empty text."""
        return next((each.identifier for each in self.identifiers if each.scheme == "ORCID"), "")


class TypedText(Struct, frozen=True):
    """A title or description: its `type` is of DataCite's `titleType` or `descriptionType`; a main title has none."""

    text: str
    type: str = ""
    lang: str = ""


class TypedDate(Struct, frozen=True):
    """A date, period or text in the place of one; `type` is of DataCite's `dateType`."""

    date: str
    type: str
    information: str = ""


class Subject(Struct, frozen=True):
    """A keyword or term; `uri` identifies the term and `scheme_uri` the vocabulary."""

    text: str
    scheme: str = ""
    scheme_uri: str = ""
    uri: str = ""
    code: str = ""
    lang: str = ""


class Rights(Struct, frozen=True):
    """A licence or statement of rights; `identifier` is that of SPDX unless `scheme` has another name."""

    name: str = ""
    uri: str = ""
    identifier: str = ""
    scheme: str = ""
    scheme_uri: str = ""
    lang: str = ""

    def __str__(self) -> str:
        return self.name or self.identifier or self.uri


class Access(Struct, frozen=True):
    """The access to the thing: `level` is `open`, `embargoed`, `restricted`, `closed` or empty.

    `conditions` are sentences or URIs; `is_free` is None if the metadata does not say it; `embargo_end` is a date.
    """

    level: str = ""
    conditions: tuple[str, ...] = ()
    is_free: bool | None = None
    embargo_end: str = ""


class Related(Struct, frozen=True):
    """A related thing, which has an identifier, titles or both; `relation` is of DataCite's `relationType`.

    `type` is of `relatedIdentifierType`, `resource_type` of `resourceTypeGeneral`; either may be empty. The members
    after `schema_type` describe the thing, such as the journal in which a work appeared.
    """

    relation: str = ""
    identifier: str = ""
    type: str = ""
    resource_type: str = ""
    metadata_scheme: str = ""
    scheme_uri: str = ""
    schema_type: str = ""
    titles: tuple[TypedText, ...] = ()
    creators: tuple[Agent, ...] = ()
    contributors: tuple[Agent, ...] = ()
    year: str = ""
    publisher: str = ""
    volume: str = ""
    issue: str = ""
    number: str = ""
    number_type: str = ""
    first_page: str = ""
    last_page: str = ""
    edition: str = ""

    @property
    def title(self) -> str:
        """The first title, or an empty text."""
        return self.titles[0].text if self.titles else ""

    @property
    def uri(self) -> str | None:
        """The URI of the identifier, or None if its type has no known resolver."""
        return alternate_uri(self.type, self.identifier) if self.identifier else None

    def pages(self, separator: str) -> str:
        """Return the known pages with a separator between them."""
        return separator.join(filter(None, (self.first_page, self.last_page)))


class Funding(Struct, frozen=True):
    """A funder, whose name may be unknown, with an award; `identifier_type` is of DataCite's `funderIdentifierType`."""

    name: str
    identifier: str = ""
    identifier_type: str = ""
    scheme_uri: str = ""
    award_number: str = ""
    award_uri: str = ""
    award_title: str = ""


class AlternateIdentifier(Struct, frozen=True):
    """Another identifier of the same thing."""

    identifier: str
    scheme: str

    @property
    def uri(self) -> str | None:
        """The URI, or None if the scheme has no known resolver."""
        return alternate_uri(self.scheme, self.identifier)


class Description(Struct, frozen=True):
    """All that a record and its metadata say about a thing. `files` are its active locations.

    `pid` is a URI; `doi` is without a resolver. `when` is the date of publication as written, and `issued` its year,
    month and day as far as they are known. `sizes` and `formats` are those of the metadata that no file has.
    `resource_type` is the type in the client's words. `version` is that of the thing, not of the record. `others` are
    the members of the metadata that no vocabulary here has. `withdrawal` is a sentence.
    """

    pid: str
    doi: str = ""
    kind: WorkType = ANY
    schema_type: str = ""
    resource_type: str = ""
    titles: tuple[TypedText, ...] = ()
    creators: tuple[Agent, ...] = ()
    publishers: tuple[Agent, ...] = ()
    contributors: tuple[Agent, ...] = ()
    when: str = ""
    issued: tuple[int, ...] = ()
    dates: tuple[TypedDate, ...] = ()
    languages: tuple[str, ...] = ()
    version: str = ""
    subjects: tuple[Subject, ...] = ()
    descriptions: tuple[TypedText, ...] = ()
    rights: tuple[Rights, ...] = ()
    access: Access = Access()
    related: tuple[Related, ...] = ()
    funding: tuple[Funding, ...] = ()
    alternates: tuple[AlternateIdentifier, ...] = ()
    geo_locations: tuple[GeoLocation, ...] = ()
    sizes: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    files: tuple[Location, ...] = ()
    others: tuple[str, ...] = ()
    withdrawal: str = ""

    @property
    def other_identifiers(self) -> tuple[AlternateIdentifier, ...]:
        """The identifiers besides the PID, with the DOI."""
        own = AlternateIdentifier(self.doi, "DOI")
        is_listed = not self.doi or any(each.uri == own.uri for each in self.alternates)
        return self.alternates if is_listed else (own, *self.alternates)

    @property
    def title(self) -> str:
        """The first title, or an empty text."""
        return self.titles[0].text if self.titles else ""

    @property
    def year(self) -> str:
        """The year in four digits, or an empty text if the date has none."""
        return f"{self.issued[0]:04}" if self.issued else year_of(self.when)

    @property
    def publisher(self) -> str:
        """The name of the first publisher, or an empty text."""
        return self.publishers[0].name if self.publishers else ""

    @property
    def editors(self) -> tuple[Agent, ...]:
        """The contributors who are editors."""
        return tuple(each for each in self.contributors if each.role == EDITOR)

    @property
    def language(self) -> str:
        """The first language tag, or an empty text."""
        return next(filter(compiled(LANGUAGE).fullmatch, self.languages), "")

    @property
    def abstract(self) -> str:
        """The abstract, or else the first description, on several lines."""
        return next((each.text for each in self.descriptions if each.type in ("", ABSTRACT)), "")

    @property
    def methods(self) -> tuple[str, ...]:
        """The descriptions of methods, which are the kernel's `how`."""
        return tuple(each.text for each in self.descriptions if each.type == METHODS)

    @property
    def container(self) -> Related:
        """The publication that contains the thing, with its position there; empty if there is none."""
        found = [
            each
            for name in ("IsPublishedIn", "IsPartOf")
            for each in self.related
            if each.relation == name and each.titles
        ]
        return next(iter(found), Related())
