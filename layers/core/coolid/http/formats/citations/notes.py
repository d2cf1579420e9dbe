"""Notes for BibTeX and RIS: what these formats have no field for, in words.

>>> from coolid.http.formats.description.model import Funding
>>> list(notes(Description("https://id.example/x", funding=(Funding("ERC", award_number="7"),)), ()))
['Funding: ERC, award 7']
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from coolid.http.formats.description.files import size_in_bytes
from coolid.http.formats.description.model import ABSTRACT, ISSUED, Agent, Description, Funding, Related, Rights
from coolid.http.formats.description.places import position_of
from coolid.http.formats.description.rights import COAR_LABELS, FREE_LABELS
from coolid.http.formats.metadata_text import on_one_line
from coolid.model.records import Location


def notes(about: Description, omitted: Collection[str]) -> Iterator[str]:
    """Yield a line for each value of a member that is not `omitted`; see `_NOTES` for their names."""
    for name, read in _NOTES.items():
        if name not in omitted:
            yield from (on_one_line(text) for text in read(about) if text)


def named(agent: Agent) -> str:
    """Return the name of an agent with its identifiers and affiliations."""
    parts = [agent.name, *(each.identifier for each in agent.identifiers)]
    for each in agent.affiliations:
        parts += [each.name, each.identifier.identifier if each.identifier else ""]
    return _list(*parts)


def is_detailed(agent: Agent) -> bool:
    """Return whether an agent has identifiers or affiliations."""
    return bool(agent.identifiers or agent.affiliations)


def licence(rights: Rights) -> str:
    """Return a licence by its name, SPDX identifier and address.

    >>> licence(Rights("CC BY 4.0", "https://l.example/", "CC-BY-4.0"))
    'CC BY 4.0, CC-BY-4.0, https://l.example/'
    """
    return _list(rights.name, rights.identifier, rights.uri)


def access(about: Description) -> str:
    """Return the level and the conditions of access."""
    stated = about.access
    level = COAR_LABELS[stated.level] if stated.level else ""
    until = f"{level} until {stated.embargo_end}" if level and stated.embargo_end else level
    free = FREE_LABELS[stated.is_free] if stated.is_free is not None else ""
    return _list(until, *stated.conditions, free)


def _list(*parts: str | None) -> str:
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _labelled(label: str, texts: Iterable[str]) -> Iterator[str]:
    return (f"{label}: {text}" for text in texts if text)


def _titles(about: Description) -> Iterator[str]:
    for each in about.titles[1:]:
        yield f"{each.type or 'Title'}: {each.text}" + (f" ({each.lang})" if each.lang else "")


def _contributors(about: Description) -> Iterator[str]:
    return (f"{each.role}: {named(each)}" for each in about.contributors)


def _publishers(about: Description) -> Iterator[str]:
    listed = (named(each) for at, each in enumerate(about.publishers) if at or each.identifiers)
    return _labelled("Publisher", listed)


def _dates(about: Description) -> Iterator[str]:
    for each in about.dates:
        if each.type != ISSUED or each.information:
            yield f"{each.type or 'Date'}: {each.date}" + (f" ({each.information})" if each.information else "")


def _subjects(about: Description) -> Iterator[str]:
    found = ((each.text, _list(each.scheme, each.code, each.uri)) for each in about.subjects)
    return _labelled("Subject", (f"{text} ({source})" for text, source in found if source))


def _descriptions(about: Description) -> Iterator[str]:
    return (f"{each.type or ABSTRACT}: {each.text}" for each in about.descriptions if each.text != about.abstract)


def _related(about: Description) -> Iterator[str]:
    for each in about.related:
        yield f"{each.relation or 'Related'}: {thing(each)}"


def thing(each: Related) -> str:
    """Return a related thing with its identifier and position."""
    identifier = each.uri or (f"{each.type} {each.identifier}".strip() if each.identifier else "")
    return _list(
        *(agent.name for agent in each.creators),
        *(title.text for title in each.titles),
        each.resource_type,
        each.edition,
        each.volume and f"volume {each.volume}",
        each.issue and f"issue {each.issue}",
        each.number and f"{each.number_type or 'number'} {each.number}",
        each.first_page and f"pages {each.pages('-')}",
        each.publisher,
        each.year,
        *(f"{agent.name} ({agent.role})" for agent in each.contributors),
        identifier,
        each.metadata_scheme,
        each.scheme_uri,
    )


def funding(each: Funding) -> str:
    """Return a funder with its award."""
    return _list(each.name, each.identifier, award(each), each.award_uri)


def award(each: Funding) -> str:
    """Return the number and the title of an award; an empty text if it has neither."""
    return _list(each.award_number and f"award {each.award_number}", each.award_title)


def file(each: Location) -> str:
    """Return the address of a file with its type, size and checksum."""
    checksum = each.checksum or {}
    size = size_in_bytes(each.size) if each.size is not None else ""
    digest = f"{checksum.get('algorithm', '')} {checksum.get('value', '')}".strip()
    return _list(each.uri, each.media_type, each.language, each.version, size, digest, each.last_modified)


_NOTES: Final[dict[str, Callable[[Description], Iterable[str]]]] = {
    "withdrawal": lambda about: [about.withdrawal],
    "titles": _titles,
    "publishers": _publishers,
    "contributors": _contributors,
    "resource_type": lambda about: _labelled("Type", [about.resource_type]),
    "dates": _dates,
    "subjects": _subjects,
    "descriptions": _descriptions,
    "rights": lambda about: _labelled("License", map(licence, about.rights)),
    "access": lambda about: _labelled("Access", [access(about)]),
    "funding": lambda about: _labelled("Funding", map(funding, about.funding)),
    "related": _related,
    "alternates": lambda about: (f"Identifier: {each.scheme} {each.identifier}" for each in about.alternates),
    "geo_locations": lambda about: _labelled("Place", (_list(*position_of(each)) for each in about.geo_locations)),
    "sizes": lambda about: _labelled("Size", about.sizes),
    "formats": lambda about: _labelled("Format", about.formats),
    "files": lambda about: _labelled("File", map(file, about.files)),
}
