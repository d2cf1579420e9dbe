"""The funders and awards of a thing: DataCite's fundingReferences, schema.org's `funder` and `funding`, InvenioRDM's.

>>> for each in funding({"funding": {"@type": "Grant", "identifier": "7", "funder": {"name": "ERC"}}}):
...     print(each.name, each.award_number)
ERC 7
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from coolid.http.formats.description.datacite_terms import FUNDER_TYPES, OTHER
from coolid.http.formats.description.json_values import Members, each_of, filled, in_members, member, merged, text_of
from coolid.http.formats.description.model import Funding
from coolid.http.formats.description.name_identifiers import identified, identifiers_of
from coolid.http.formats.metadata_terms import NAMES
from coolid.http.formats.uris import uri_of

_MEMBERS: Final = ("fundingReferences", "funding", "funder", "funders")

MEMBERS: Final = frozenset(_MEMBERS)
"""The members that this module reads."""


def funding(metadata: Members) -> tuple[Funding, ...]:
    """Return the funders with their awards, without those that another member names with an award."""
    found = merged((each for item in in_members(metadata, _MEMBERS) for each in _funding(item)), _keys)
    plain = {each.name: each for each in found if not _has_award(each)}
    with_award = {each.name for each in found if _has_award(each)}
    joined = (filled(each, plain[each.name]) if each.name in plain else each for each in found)
    return tuple(each for each in joined if _has_award(each) or each.name not in with_award)


def _has_award(each: Funding) -> bool:
    return bool(each.award_number or each.award_title or each.award_uri)


def _funding(value: Any) -> Iterator[Funding]:
    if not isinstance(value, Mapping):
        if text := text_of(value):
            found = identified(text)
            yield Funding(text, found.identifier, _type(found.scheme)) if found else Funding(text)
        return
    funder = next(each_of(value.get("funder")), None)
    award = next((each for each in each_of(value.get("award")) if isinstance(each, Mapping)), None)
    is_grant = funder is not None or award is not None
    grant = award or value
    number = member(value, "awardNumber") or (member(grant, "awardNumber", "number", "identifier") if is_grant else "")
    title = text_of(value.get("awardTitle")) or (text_of(grant, "title", "name", *NAMES) if is_grant else "")
    awards = [text_of(each) for each in each_of(value.get("award"))] if award is None else []
    uri = member(value, "awardUri", "awardURI") or next(filter(None, _uris(grant if is_grant else {})), "")
    if is_grant and uri_of(number):
        number, uri = "", uri or number
    named = _funder(funder if funder is not None else {} if is_grant and "funderName" not in value else value)
    for each in awards or [number]:
        if named[0] or each or title or uri:
            yield Funding(*named, award_number=each, award_uri=uri, award_title=title)


def _funder(value: Any) -> tuple[str, str, str, str]:
    """Return the name of a funder, with the identifier, its type and the scheme's URI."""
    if not isinstance(value, Mapping):
        found = identified(text_of(value))
        return (text_of(value), found.identifier, _type(found.scheme), "") if found else (text_of(value), "", "", "")
    doi = member(value, "DOI", "doi")
    found = identified(doi, "Crossref Funder ID") if doi else next(iter(identifiers_of(value)), None)
    name = member(value, "funderName") or text_of(value, "name", "legalName", *NAMES)
    if not found:
        return name, "", "", ""
    scheme_uri = member(value, "schemeUri", "schemeURI")
    return name or found.identifier, found.identifier, _type(found.scheme), scheme_uri


def _uris(grant: Members) -> Iterator[str | None]:
    for item in each_of([grant.get(name) for name in ("@id", "url", "uri", "identifiers", "sameAs")]):
        yield uri_of(text_of(item, "identifier", "value", "@id"))


def _type(scheme: str) -> str:
    return scheme if scheme in FUNDER_TYPES else OTHER


def _keys(each: Funding) -> Iterator[tuple[str, ...]]:
    award = (each.award_number, each.award_title)
    yield "name", each.name, *award
    if each.identifier:
        yield "identifier", each.identifier, *award
