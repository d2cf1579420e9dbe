"""DOIs in the paths and queries of URLs, at any host.

A publisher's URL often continues after the DOI (`/full`, `.pdf`, `v2.full.pdf+html`). A DOI may contain slashes itself.
The end of a DOI is found in this order:

1. by the form of the DOIs of its registrant, if `_FORMS` contains it, or of DOIs that begin with an ISSN;
2. by the parts of paths and the file extensions that belong to no DOI;
3. otherwise each slash may be the end, and all candidates are returned.

Form of DOIs: DOI Handbook, section 2. Forms of registrants: the DOIs in Crossref and DataCite.

>>> dois_in("content/10.1101/2020.01.01.123456v2.full.pdf+html")
('10.1101/2020.01.01.123456',)
>>> dois_in("doi/10.55555/abc/suppl_file/x.pdf"), dois_in("items/10.55555/abc/2")
(('10.55555/abc',), ('10.55555/abc/2', '10.55555/abc'))
"""

import re
from collections.abc import Iterator
from typing import Final

_DOI: Final = re.compile(r"(?<![0-9A-Za-z.~-])(10\.(?P<registrant>[0-9]{4,9}(?:\.[0-9]+)*)/)(?P<suffix>[!-~]+)")
_ARTICLE: Final = re.compile(r"/article(?:-[a-z]+)*/doi/(10\.[0-9]{4,9}/[!-~]+?)/[0-9]{5,9}(?:/[^/]*)?$")
"""Paths of a platform of many publishers, which puts the number of an article and its title after the DOI."""
_PARAMETER: Final = re.compile(r"(?i);(?:jsessionid|utm_[a-z]+|[a-z]+sid)=.*", re.DOTALL)
_MAX_CANDIDATES: Final = 4
_MAX_EXTENSIONS: Final = 3

_ISSN_FIRST: Final = r"[0-9]{4}-[0-9]{3}[0-9Xx](?:/[^/]+){1,3}"
_ONE_PART: Final = r"/?[^/]+"
_ONE_PART_REGISTRANTS: Final = (
    "1001", "1006", "1007", "1016", "1017", "1021", "1023", "1037", "1038", "1039", "1042", "1046", "1053", "1055",
    "1056", "1057", "1061", "1063", "1073", "1074", "1080", "1083", "1084", "1085", "1086", "1091", "1097", "1098",
    "1103", "1104", "1105", "1107", "1108", "1109", "1111", "1113", "1115", "1117", "1119", "1121", "1124", "1126",
    "1128", "1134", "1136", "1142", "1145", "1146", "1152", "1158", "1159", "1161", "1164", "1165", "1172", "1175",
    "1177", "1182", "1183", "1186", "1187", "1190", "1192", "1198", "1242", "1289", "1353", "1364", "1515", "2105",
    "2139", "2147", "2196", "2214", "2217", "2307", "2337", "3109", "3138", "3168", "3233", "3322", "3324", "3354",
    "3389", "3390", "3897", "4049", "4103", "4161", "4269", "5194", "7573", "12688", "15252", "18637", "20944",
    "21037", "21105", "26434", "26508",
)  # fmt: skip
_FORMS: Final[dict[str, str]] = {
    **dict.fromkeys(_ONE_PART_REGISTRANTS, _ONE_PART),
    "1002": rf"\((?i:sici)\).+?;2-.|{_ONE_PART}",
    **dict.fromkeys(("1140", "1210"), rf"[a-z]+/[^/]+|{_ONE_PART}"),
    "1093": r"(?:[a-z]+|[a-z]+:[a-z]+|ref:odnb)/[0-9A-Za-z.()-]+",
    **dict.fromkeys(
        ("1101", "64898"), r"[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.[0-9]{6,8}|[0-9]{6}(?![0-9])|[a-z]+\.[0-9A-Za-z.-]+"
    ),
    "1155": r"[0-9]{4}/[0-9]+|[A-Z]+/[0-9]{4}/[0-9]+",
    "1371": r"journal\.[a-z]+\.[0-9]{7}(?:\.[gst][0-9]{3})?|annotation/[0-9a-f-]+",
    "1594": r"(?i:pangaea|ieda|wdcc)[./][^/]+",
    "5061": r"dryad\.[^/]+(?:/[0-9.]+)?",
    "5281": r"(?i:zenodo)\.[0-9]+",
    "6084": r"m9\.figshare\.(?:c\.)?[0-9]+(?:\.v[0-9]+)?",
    "7554": r"(?i:elife)\.[0-9]{5,6}(?:\.[0-9a-z]+)*?(?=\.(?:pdf|xml)|[^0-9A-Za-z.]|$)",
    "7717": r"peerj(?:-[a-z]+)?\.[0-9]+(?:/(?:fig|supp|table)-[0-9]+)?",
    "7910": r"DVN/[0-9A-Z]+(?:/[0-9A-Z]{6}(?![0-9A-Z]))?",
    "17605": r"(?i:osf\.io)/[0-9A-Za-z]{5}",
    "17632": r"[0-9a-z]{10}(?:\.[0-9]+)?",
    "18653": r"v1/[^/]+",
    "21203": r"rs\.[0-9]\.(?:rs|pex)-[0-9]+/v[0-9]+",
    **dict.fromkeys(("31219", "31222", "31234", "31235", "35542"), r"osf\.io/[0-9a-z]{5}(?:_v[0-9]+)?"),
    "48550": r"(?i:arxiv)\.(?:[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})",
}
"""The form of the suffixes by registrant. What follows it is no part of the DOI."""

_OTHER_PARTS: Final = re.compile(
    r"(?i)/{1,2}(?:full|full-?text|full_?html|abs|abstracts?|summary|e?pdf|pdfplus|pdf[+]html|pdfft|reader|epub|html?|xml|meta"
    r"|metrics|references|reflist|figures?|tables|media|suppl|suppl_file|supp-?info|supporting-information|issuetoc"
    r"|supplementa(?:l|ry)(?:[_-](?:data|files?|information|materials?))?|-?/?dc(?:supplemental|[0-9])|assets?"
    r"|attachments?|bibtex|ris|endnote|cit(?:e|ation|ations|edby)|cited-by|related|related-articles|permissions|share"
    r"|downloads?|article-info|info|preview|print|standard|long|short|extract|peer-review|comments|metadata"
    r"|transform|agency|tab-(?:pdf|references|figures-data|article-info|supplements)|type/.*|format/.*)(?:/.*)?$"
)
_EXTENSION: Final = re.compile(
    r"(?i)\.(?:e?pdf|full|full-?text|abstract|html?|xhtml|xml|epub|jsonld|json|ris|bib|bibtex|long|short|extract"
    r"|figures-only|supplementary-material|(?:full[.])?pdf[+]html|article-info|article-metrics)$|[+]html$"
)
_ASSET: Final = re.compile(r"(?i)\.(?:png|jpe?g|gif|tiff?|svg|zip|gz|csv|xlsx?|docx?|pptx?|mp4|css|js)/?$")
"""Files that belong to a publication; their names often continue the DOI."""
_NO_DIGIT: Final = re.compile(r"[^0-9]+")


def dois_in(text: str) -> tuple[str, ...]:
    """Return the DOIs that a decoded path or query value can contain, the likeliest first; one if it is certain.

    A text with several DOIs gives the candidates of each.
    """
    article = _ARTICLE.search(f"/{text}")
    if article:
        return (article[1],)
    found = dict.fromkeys(doi for match in _DOI.finditer(text) for doi in _candidates(match))
    return tuple(found)[:_MAX_CANDIDATES]


def _candidates(match: re.Match[str]) -> Iterator[str]:
    registrant, suffix = match["registrant"], _PARAMETER.sub("", match["suffix"])
    if _is_date(registrant) and _NO_DIGIT.fullmatch(suffix):
        return
    ruled = re.match(_FORMS.get(registrant, _ISSN_FIRST), suffix)
    whole = ruled[0] if ruled else suffix
    if _ASSET.search(whole):
        return
    suffix = _without_tail(whole)
    if ruled or suffix != whole or "/" not in suffix:
        yield from [match[1] + suffix] if suffix.strip("/") else []
        return
    parts = suffix.split("/")
    ends = [match[1] + "/".join(parts[:count]) for count in range(len(parts), 0, -1) if any(parts[:count])]
    # A word without digits is a page about the thing more often than a part of its DOI.
    yield from reversed(ends) if _NO_DIGIT.fullmatch(parts[-1]) else ends


def _is_date(registrant: str) -> bool:
    """Return whether `10.` and the registrant can be a month."""
    return re.fullmatch("19[0-9]{2}|20[0-4][0-9]", registrant) is not None


def _without_tail(suffix: str) -> str:
    """Return the suffix without the parts and extensions that belong to no DOI."""
    suffix = _OTHER_PARTS.sub("", suffix).rstrip("/")
    for _ in range(_MAX_EXTENSIONS):
        suffix = _EXTENSION.sub("", suffix).rstrip("/.,;")
    return suffix
