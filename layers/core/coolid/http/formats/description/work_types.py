"""A table of the types of works in CSL, BibTeX, RIS and DataCite's resourceTypeGeneral.

Source: CSL 1.0.2, appendix III (types); the BibTeX manual, section 3.1 (entry types); the RIS format as Reference
Manager and EndNote describe it (TY); DataCite Metadata Schema 4.6, appendix 1, table 7. Each row ends with the types of
schema.org and DataCite, reduced to letters. A vocabulary without an equivalent type has its most general one.

>>> KINDS["conferencepaper"]
WorkType(csl='paper-conference', bibtex='inproceedings', ris='CPAPER', general='ConferencePaper')
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.formats.description.json_values import last_segment
from coolid.http.formats.metadata_terms import TYPES, letters_of, objects, texts, type_words
from coolid.model.records import Record


class WorkType(Struct, frozen=True):
    """A type of work, by its name in each vocabulary."""

    csl: str
    bibtex: str
    ris: str
    general: str


_TABLE: Final = """
article           article       GEN     Text                  article
book              book          SOUND   Sound                 audiobook
song              misc          SOUND   Sound                 audioobject musicrecording sound
motion_picture    misc          VIDEO   Audiovisual           audiovisual videoobject motionpicture video broadcast
document          misc          GEN     Award                 award
post-weblog       misc          BLOG    Text                  blog blogposting postweblog
book              book          BOOK    Book                  book publicationbook
chapter           incollection  CHAP    BookChapter           bookchapter chapter
chapter           incollection  CHAP    BookChapter           entrydictionary entryencyclopedia publicationsection
collection        misc          GEN     Collection            collection
software          misc          COMP    ComputationalNotebook computationalnotebook
paper-conference  inproceedings CPAPER  ConferencePaper       conferencepaper paperconference publicationconferencepaper
book              proceedings   CONF    ConferenceProceeding  conferenceproceeding
dataset           misc          DBASE   Collection            datacatalog
dataset           misc          DATA    Dataset               datadownload dataset
article-journal   article       JOUR    DataPaper             datapaper
thesis            phdthesis     THES    Dissertation          dissertation thesis publicationthesis
graphic           misc          ART     Image                 drawing painting photograph visualartwork imagedrawing
document          misc          GEN     Event                 event
graphic           misc          FIGURE  Image                 image imageobject
graphic           misc          FIGURE  Image                 figure graphic imagefigure imagephoto
document          misc          GEN     Instrument            instrument
webpage           misc          ELEC    InteractiveResource   interactiveresource webapplication
periodical        misc          JFULL   Journal               journal periodical
article-journal   article       JOUR    JournalArticle        journalarticle scholarlyarticle
article-journal   article       JOUR    JournalArticle        articlejournal publicationarticle
legislation       misc          STAT    Text                  legislation
manuscript        unpublished   MANSCPT Text                  manuscript
map               misc          MAP     Image                 map
document          misc          GEN     Model                 model
motion_picture    misc          MPCT    Audiovisual           movie
musical_score     misc          MUSIC   Other                 musiccomposition sheetmusic musicalscore
article-newspaper article       NEWS    Text                  newsarticle articlenewspaper
periodical        misc          NEWS    Text                  newspaper
report            techreport    RPRT    OutputManagementPlan  outputmanagementplan
review            misc          GEN     PeerReview            peerreview
document          misc          GEN     PhysicalObject        physicalobject
article           misc          INPR    Preprint              preprint publicationpreprint
speech            misc          SLIDE   Other                 presentation presentationdigitaldocument speech
document          misc          GEN     Project               project
report            techreport    RPRT    Report                report techarticle publicationreport
review            misc          GEN     Text                  review reviewbook
webpage           misc          GEN     Service               service
software          misc          COMP    Software              software softwareapplication softwaresourcecode
standard          misc          STAND   Standard              standard
document          misc          GEN     StudyRegistration     studyregistration
document          misc          GEN     Text                  text textdigitaldocument
webpage           misc          ELEC    Text                  webpage website
software          misc          COMP    Workflow              workflow
"""

KINDS: Final = {
    name: WorkType(csl, bibtex, ris, general)
    for csl, bibtex, ris, general, *names in map(str.split, _TABLE.strip().splitlines())
    for name in names
}
_TEXT: Final = KINDS["text"]
ANY: Final = WorkType("document", "misc", "GEN", "Other")
GENERAL_TYPES: Final = tuple(sorted({each.general for each in KINDS.values()} | {ANY.general}))
"""The values of `resourceTypeGeneral` (DataCite 4.6, appendix 1, table 7)."""

_NAMES: Final = {name.lower(): name for name in GENERAL_TYPES}
_GENERAL: Final = ("Other", "Text")
"""The general types beside which another type says more."""


def work_type_of(record: Record) -> WorkType:
    """Return the type of work in the metadata; DataCite's general type stays the stated one if there is one."""
    found = [KINDS[word] for word in type_words(record) if word in KINDS]
    stated = _stated_type(record)
    if not stated:
        return next(iter(found), ANY)
    if stated not in _GENERAL:
        return next((each for each in found if each.general == stated), ANY)
    exact = (each for each in found if each.general not in _GENERAL or (each.general == stated and each != _TEXT))
    return replace(next(exact, ANY), general=stated)


def general_type(text: str) -> str:
    """Return the general type of DataCite for a type of any vocabulary; empty for `Other`, which says nothing."""
    word = letters_of(last_segment(text))
    return KINDS[word].general if word in KINDS else ""


def is_type(text: str) -> bool:
    """Return whether a text is a type that the vocabularies here have, in any spelling."""
    word = letters_of(text)
    return word in KINDS or word in TYPES or word == ANY.general.lower()


def _stated_type(record: Record) -> str:
    """Return DataCite's general type if the metadata states it in the member for it."""
    for each in objects(record, "types", "type", "resourceType"):
        word = letters_of(next(texts(each.get("resourceTypeGeneral")), ""))
        if word in _NAMES:
            return _NAMES[word]
    return ""
