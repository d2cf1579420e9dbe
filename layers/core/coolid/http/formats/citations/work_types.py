"""A table of the types of works in CSL, BibTeX, RIS and DataCite's resourceTypeGeneral.

Source: CSL 1.0.2, appendix III (types); the BibTeX manual, section 3.1 (entry types); the RIS format as Reference
Manager and EndNote describe it (TY); DataCite Metadata Schema 4.6, appendix 1, table 7. The rows are named by the types
of schema.org and DataCite, reduced to letters. A vocabulary without an equivalent type has its most general one.

>>> KINDS["conferencepaper"]
WorkType(csl='paper-conference', bibtex='inproceedings', ris='CPAPER', general='ConferencePaper')
"""

from typing import Final

from msgspec import Struct

from coolid.http.formats.metadata_terms import type_words
from coolid.model.records import Record


class WorkType(Struct, frozen=True):
    """A type of work, by its name in each vocabulary."""

    csl: str
    bibtex: str
    ris: str
    general: str


_TABLE: Final = """
article                  article             article        GEN      Text
audiobook                book                book           SOUND    Sound
audioobject              song                misc           SOUND    Sound
audiovisual              motion_picture      misc           VIDEO    Audiovisual
award                    document            misc           GEN      Award
blog                     post-weblog         misc           BLOG     Text
blogposting              post-weblog         misc           BLOG     Text
book                     book                book           BOOK     Book
bookchapter              chapter             incollection   CHAP     BookChapter
chapter                  chapter             incollection   CHAP     BookChapter
collection               collection          misc           GEN      Collection
computationalnotebook    software            misc           COMP     ComputationalNotebook
conferencepaper          paper-conference    inproceedings  CPAPER   ConferencePaper
conferenceproceeding     book                proceedings    CONF     ConferenceProceeding
datacatalog              dataset             misc           DBASE    Collection
datadownload             dataset             misc           DATA     Dataset
datapaper                article-journal     article        JOUR     DataPaper
dataset                  dataset             misc           DATA     Dataset
dissertation             thesis              phdthesis      THES     Dissertation
drawing                  graphic             misc           ART      Image
event                    document            misc           GEN      Event
image                    graphic             misc           FIGURE   Image
imageobject              graphic             misc           FIGURE   Image
instrument               document            misc           GEN      Instrument
interactiveresource      webpage             misc           ELEC     InteractiveResource
journal                  periodical          misc           JFULL    Journal
journalarticle           article-journal     article        JOUR     JournalArticle
legislation              legislation         misc           STAT     Text
manuscript               manuscript          unpublished    MANSCPT  Text
map                      map                 misc           MAP      Image
model                    document            misc           GEN      Model
movie                    motion_picture      misc           MPCT     Audiovisual
musiccomposition         musical_score       misc           MUSIC    Other
musicrecording           song                misc           SOUND    Sound
newsarticle              article-newspaper   article        NEWS     Text
newspaper                periodical          misc           NEWS     Text
outputmanagementplan     report              techreport     RPRT     OutputManagementPlan
painting                 graphic             misc           ART      Image
peerreview               review              misc           GEN      PeerReview
periodical               periodical          misc           JFULL    Journal
photograph               graphic             misc           ART      Image
physicalobject           document            misc           GEN      PhysicalObject
preprint                 article             misc           INPR     Preprint
presentation             speech              misc           SLIDE    Other
presentationdigitaldocument speech           misc           SLIDE    Other
project                  document            misc           GEN      Project
report                   report              techreport     RPRT     Report
review                   review              misc           GEN      Text
scholarlyarticle         article-journal     article        JOUR     JournalArticle
service                  webpage             misc           GEN      Service
sheetmusic               musical_score       misc           MUSIC    Other
software                 software            misc           COMP     Software
softwareapplication      software            misc           COMP     Software
softwaresourcecode       software            misc           COMP     Software
sound                    song                misc           SOUND    Sound
standard                 standard            misc           STAND    Standard
studyregistration        document            misc           GEN      StudyRegistration
techarticle              report              techreport     RPRT     Report
text                     document            misc           GEN      Text
textdigitaldocument      document            misc           GEN      Text
thesis                   thesis              phdthesis      THES     Dissertation
videoobject              motion_picture      misc           VIDEO    Audiovisual
visualartwork            graphic             misc           ART      Image
webapplication           webpage             misc           ELEC     InteractiveResource
webpage                  webpage             misc           ELEC     Text
website                  webpage             misc           ELEC     Text
workflow                 software            misc           COMP     Workflow
"""

KINDS: Final = {name: WorkType(*words) for name, *words in map(str.split, _TABLE.strip().splitlines())}
ANY: Final = WorkType("document", "misc", "GEN", "Other")


def work_type_of(record: Record) -> WorkType:
    """Return the first type of work in the metadata that the table contains, else `ANY`."""
    return next((KINDS[word] for word in type_words(record) if word in KINDS), ANY)
