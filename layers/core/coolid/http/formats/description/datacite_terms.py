"""The controlled lists of DataCite Metadata Schema 4.6 (appendix 1, tables 1 to 11).

>>> "IsPartOf" in RELATION_TYPES, canonical("is part of", RELATION_TYPES), canonical("Narrator", CONTRIBUTOR_TYPES)
(True, 'IsPartOf', '')
"""

import re
from typing import Final

_CONTRIBUTORS: Final = """
    ContactPerson DataCollector DataCurator DataManager Distributor Editor HostingInstitution Producer ProjectLeader
    ProjectManager ProjectMember RegistrationAgency RegistrationAuthority RelatedPerson Researcher ResearchGroup
    RightsHolder Sponsor Supervisor Translator WorkPackageLeader Other
"""
_DATES: Final = """
    Accepted Available Collected Copyrighted Coverage Created Issued Other Submitted Updated Valid Withdrawn
"""
_RELATIONS: Final = """
    IsCitedBy Cites IsCollectedBy Collects IsSupplementTo IsSupplementedBy IsContinuedBy Continues IsDescribedBy
    Describes HasMetadata IsMetadataFor HasVersion IsVersionOf IsNewVersionOf IsPreviousVersionOf IsPartOf HasPart
    IsPublishedIn IsReferencedBy References IsDocumentedBy Documents IsCompiledBy Compiles IsVariantFormOf
    IsOriginalFormOf IsIdenticalTo IsReviewedBy Reviews IsDerivedFrom IsSourceOf Requires IsRequiredBy Obsoletes
    IsObsoletedBy HasTranslation IsTranslationOf
"""
_IDENTIFIERS: Final = """
    ARK arXiv bibcode CSTR DOI EAN13 EISSN Handle IGSN ISBN ISSN ISTC LISSN LSID PMID PURL RRID UPC URL URN w3id
"""

CONTRIBUTOR_TYPES: Final = tuple(_CONTRIBUTORS.split())
DATE_TYPES: Final = tuple(_DATES.split())
RELATION_TYPES: Final = tuple(_RELATIONS.split())
IDENTIFIER_TYPES: Final = tuple(_IDENTIFIERS.split())
FUNDER_TYPES: Final = ("Crossref Funder ID", "GRID", "ISNI", "ROR", "Other")
TITLE_TYPES: Final = ("AlternativeTitle", "Subtitle", "TranslatedTitle", "Other")
DESCRIPTION_TYPES: Final = ("Abstract", "Methods", "SeriesInformation", "TableOfContents", "TechnicalInfo", "Other")
NUMBER_TYPES: Final = ("Article", "Chapter", "Report", "Other")
OTHER: Final = "Other"


def canonical(text: str, terms: tuple[str, ...]) -> str:
    """Return the term that a text names, regardless of case, spaces and vocabulary; empty if there is none."""
    word = _letters(re.split("[/#:]", text.rstrip("/"))[-1])
    return next((term for term in terms if _letters(term) == word), "")


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())
