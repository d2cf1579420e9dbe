"""Any metadata: JSON values in the members that the formats read, among them texts that are hard to write."""

from types import MappingProxyType

from hypothesis import strategies as st

from tests.support.builders.samples import BASE_URL, json_values, record, records_with, text

PID = record().pid
DOI_PID = f"{BASE_URL}/10.5555/tw0t-ywdj-94"
ORCID = "https://orcid.org/0000-0001-5109-3700"

MEMBERS = (
    *("who", "what", "when", "how", "type", "types", "creators", "creator", "author", "titles", "title", "name"),
    *("publisher", "publicationYear", "dates", "date", "dateType", "subjects", "keywords", "language", "version"),
    *("descriptions", "description", "rightsList", "container", "contributors", "contributorType", "givenName"),
    *("familyName", "nameType", "affiliation", "relatedIdentifiers", "fundingReferences", "firstPage", "volume"),
    *("contributor", "editor", "funder", "funding", "geoLocations", "geoLocationPoint", "pointLatitude", "latitude"),
    *("pointLongitude", "longitude", "geo", "box", "polygon", "relatedItems", "relatedItemIdentifier", "isPartOf"),
    *("relatedIdentifier", "relatedIdentifierType", "relationType", "citation", "nameIdentifiers", "nameIdentifier"),
    *("nameIdentifierScheme", "schemeUri", "accessRights", "isAccessibleForFree", "sizes", "formats", "identifier"),
    *("lang", "subject", "valueUri", "classificationCode", "rightsUri", "awardUri", "awardNumber", "distribution"),
    *(
        "contentUrl",
        "temporalCoverage",
        "language",
        "inLanguage",
        "rights",
        "variableMeasured",
        "@id",
        "@type",
        "@value",
        "id",
    ),
)
hostile = st.sampled_from(
    [
        *("}", "{", "{{{", "\\", "\\}", "a\\", '"', "#", "$x$", "%", "a and b", "and", "others", "A, B, C, D", ", ,"),
        *(
            "Lee, Ann",
            "Lee, Ann; Roe, Jo",
            "O'Neil, Ann-Mary J.",
            "von der and, x",
            "\r\nER  - ",
            "\nTY  - BOOK",
            "@book{x,",
        ),
        *(
            "\u2028AU  - x",
            "\x85ER  - \x85",
            "\x00",
            "\x1a",
            "(:unav)",
            ":unav",
            "2024-05-06",
            "20240506",
            "1952",
            "0000",
        ),
        *("spring 1952", "2024/2025", "Dataset", "JournalArticle", "Book", "Organizational", "Editor", "Issued", ORCID),
        *("en", "10.1000/{x}", "\ud7ff\U0010ffff", "~^_&", "Ünïcode, Ö.", "李, 安"),
    ]
)
shaped = st.recursive(
    json_values | hostile,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=4),
    max_leaves=6,
)
alternates = st.lists(
    st.fixed_dictionaries(
        {
            "scheme": st.sampled_from(["doi", "DOI", "ark", "isbn"]) | text,
            "identifier": hostile | text | st.just("10.1/x"),
        }
    ),
    max_size=3,
).map(tuple)
any_records = records_with(
    metadata=st.dictionaries(st.sampled_from(MEMBERS), shaped, max_size=6).map(MappingProxyType),
    alternates=alternates,
    pid=st.sampled_from([PID, DOI_PID, f"{BASE_URL}/10.5555/%7B_%25~", f"{BASE_URL}/mp:a,b(c)'"]),
    issuer=st.just(BASE_URL),
)
