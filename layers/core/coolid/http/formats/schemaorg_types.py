"""A table from the types in metadata to the types of schema.org.

Source: schema.org, the types below CreativeWork; DataCite Metadata Schema 4.6, appendix 1, table 7
(resourceTypeGeneral), where schema.org has an equivalent.

>>> TYPES["dataset"], TYPES["journalarticle"]
('Dataset', 'ScholarlyArticle')
"""

from typing import Final

ANY: Final = "CreativeWork"

_SCHEMA_ORG: Final = """
    ArchiveComponent Article AudioObject Audiobook Blog BlogPosting Book Chapter Claim Collection Course
    CreativeWork DataCatalog DataDownload Dataset DefinedTermSet DigitalDocument Drawing
    EducationalOccupationalCredential Game HowTo ImageObject LearningResource Legislation Manuscript Map
    MathSolver MediaObject Movie MusicComposition MusicRecording NewsArticle Newspaper Painting Periodical
    Photograph Play Poster PresentationDigitalDocument PublicationIssue PublicationVolume Report Review
    ScholarlyArticle Sculpture SheetMusic SoftwareApplication SoftwareSourceCode SpreadsheetDigitalDocument Statue
    TechArticle TextDigitalDocument Thesis VideoObject VisualArtwork WebApplication WebPage WebSite
"""

_DATACITE: Final = {
    "audiovisual": "MediaObject",
    "bookchapter": "Chapter",
    "computationalnotebook": "SoftwareSourceCode",
    "conferencepaper": "ScholarlyArticle",
    "datapaper": "ScholarlyArticle",
    "dissertation": "Thesis",
    "image": "ImageObject",
    "journal": "Periodical",
    "journalarticle": "ScholarlyArticle",
    "preprint": "ScholarlyArticle",
    "presentation": "PresentationDigitalDocument",
    "software": "SoftwareSourceCode",
    "sound": "AudioObject",
    "text": "TextDigitalDocument",
}

TYPES: Final = {name.lower(): name for name in _SCHEMA_ORG.split()} | _DATACITE
"""The types by their names, reduced to lower-case letters."""
