"""Finding the prefix of a reference: the longest registered one wins, over all the ways to read the reference.

A reference may be read in several ways, tried in this order:

1. `doi:10.5072/x`, `hdl:10.5072/x`: as an identifier under a namespace of ours, `10.5072`; `ark:/12345/x5-4xz`: by the
   beginnings of the normalised ARK `ark:12345/x54xz`, its shoulder `ark:12345/x5` among them;
2. `ols/go:0006915`: as the CURIE `go:0006915` from its provider `ols`, if that is a provider of `go`, and no prefix
   longer than `ols` is registered that fits;
3. as it stands: `go:0006915`, `2021/06/mp/LUI`;
4. `10.5281/zenodo.31780`: as a DOI without its `doi:`.

All rows that may be needed are asked for in one batch.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidIdentifier, UnknownPrefix, UnknownProvider
from coolid.model.prefixes import (
    BOUNDARIES,
    HANDLES,
    MOST_NAME_BYTES,
    Namespace,
    Prefix,
    ProviderPrefix,
    Stem,
    Synonym,
    fold,
    has_handles,
    is_date_qualified,
)
from coolid.registry.references import MOST_CANDIDATES, PrefixCandidate, Reference
from coolid.store.reader import Reader

_LABELS: Final = tuple(f"{scheme}{end}" for scheme in HANDLES for end in BOUNDARIES)
_LONGEST: Final = max(map(len, _LABELS))
_DOI: Final = "doi"
_ARK: Final = "ark:"
_LID: Final = "lid:"


class PrefixMatch(Struct, frozen=True):
    """A registered prefix, the identifier under it as written, and the provider that the reference names, if any.

    `name` is the folded name that matched: the prefix's own, or a synonym. Behind a shoulder there may be `another`,
    that of the NAAN: names under it that begin like the shoulder may have been there before. `concealed` are slashes in
    the identifier that came encoded, counted from its end.
    """

    prefix: Namespace | ProviderPrefix
    identifier: str
    name: str
    provider: str | None = None
    another: "PrefixMatch | None" = None
    concealed: tuple[int, ...] = ()


class _Reading(Struct, frozen=True):
    candidates: tuple[PrefixCandidate, ...]
    shoulder: PrefixCandidate | None = None
    namespaces_only: bool = False
    provider: str | None = None


def find(reference: Reference, reader: Reader) -> PrefixMatch:
    """The match of the first reading that has one; `UnknownPrefix`, or `UnknownProvider` where only that is wrong.

    `InvalidIdentifier` for what would be no LinkID even if somebody registered `lid`.
    """
    readings = _readings(reference)
    names = dict.fromkeys([candidate.name for reading in readings for candidate in reading.candidates])
    if readings[0].shoulder is not None:
        names[readings[0].shoulder.name] = None
    rows = reader.prefixes(tuple(names))
    refused: UnknownProvider | None = None
    for reading in readings:
        match = _longest(reading, rows, reader)
        if match is None or (reading.namespaces_only and not isinstance(match.prefix, Namespace)):
            continue
        if match.provider is not None:
            plain = _longest(_Reading(reference.candidates()), rows, reader)
            if plain and len(plain.name) > len(fold(match.provider)):
                return plain
            known = provider_codes(match.prefix)
            if fold(match.provider) not in known or not match.identifier:
                refused = UnknownProvider(match.prefix.name, match.provider, known)
                continue
        if reference.concealed and not has_handles(match.prefix.name):  # as whole, they are often sent encoded
            return replace(match, concealed=reference.concealed)
        return match
    raise refused or _unknown(reference)


def roots(reference: Reference) -> tuple[str, ...]:
    """The shortest name of each way to read a reference: if none of them has a row, no prefix of it is registered."""
    candidates = (reading.candidates for reading in _readings(reference))
    return tuple(dict.fromkeys(each[0].name for each in candidates if each))


def lookup(name: str, reader: Reader, *, consistent: bool = False) -> Namespace | ProviderPrefix | None:
    """The prefix of this name, a synonym followed; None if there is none."""
    folded = fold(name)
    if not folded or len(folded.encode()) > MOST_NAME_BYTES:
        return None
    row = reader.prefixes((folded,), consistent=consistent).get(folded)
    return _followed(row, reader, consistent=consistent) if row else None


def provider_codes(prefix: Prefix) -> Sequence[str]:
    """The folded codes of its providers."""
    return tuple(fold(provider.code) for provider in prefix.providers) if isinstance(prefix, ProviderPrefix) else ()


def _unknown(reference: Reference) -> Exception:
    """What to raise for a reference that nothing is registered for: a LinkID has a form of its own to keep."""
    if fold(reference.text[: len(_LID)]) == _LID:
        from coolid.identifiers.schemes import lid

        try:
            lid.validate(reference.text)
        except InvalidIdentifier as error:
            return error
    return UnknownPrefix(reference.text)


def _readings(reference: Reference) -> list[_Reading]:
    readings = []
    beginning = reference.text[:_LONGEST].lower()
    if beginning.startswith(_LABELS):
        scheme = next(each for each in _LABELS if beginning.startswith(each))
        readings.append(_ours(reference.text[len(scheme) :]))
    elif reference.is_doi():
        readings.append(_ours(reference.text))
    elif beginning.startswith(_ARK):
        readings.append(_ark(reference.text))
    elif (curie := _behind_provider(reference)) is not None:
        provider = reference.text[: reference.boundaries[0]]
        readings.append(_Reading(curie.candidates(), provider=provider))
    readings.append(_Reading(reference.candidates()))
    if reference.is_doi():
        readings.append(_Reading((PrefixCandidate(_DOI, reference.text),)))
    return readings


def _ours(text: str) -> _Reading:
    """As an identifier of a namespace of ours, with every slash a boundary: DOIs come with theirs encoded, too."""
    return _Reading(Reference.of(text).candidates(), namespaces_only=True)


def _ark(text: str) -> _Reading:
    """As an ARK, whose names are normalised, while what stands behind them is as it was written."""
    from coolid.identifiers.schemes import ark

    found = ((fold(before), rest) for before, rest in islice(ark.divisions(text), MOST_CANDIDATES))
    candidates = tuple(PrefixCandidate(name, rest) for name, rest in found if len(name.encode()) <= MOST_NAME_BYTES)
    behind = ark.behind_shoulder(text)
    return _Reading(candidates, PrefixCandidate(*behind) if behind and len(behind[0]) <= MOST_NAME_BYTES else None)


def _behind_provider(reference: Reference) -> Reference | None:
    """What follows the first slash, if the text has the form `provider/prefix:identifier`."""
    if len(reference.boundaries) < 2:
        return None
    first, second = reference.boundaries[:2]
    if reference.text[first] != "/" or reference.text[second] != ":" or first == 0:
        return None
    return None if is_date_qualified(reference.text) else reference.after(first + 1)


def _longest(reading: _Reading, rows: Mapping[str, Prefix], reader: Reader) -> PrefixMatch | None:
    """Walk from the shortest candidate upwards, for as long as the rows say that longer names exist."""
    best: tuple[Prefix, PrefixCandidate] | None = None
    longer: frozenset[str] | None = None
    for candidate in reading.candidates:
        row = rows.get(candidate.name)
        if row is None or (longer is not None and candidate.name not in longer):
            break
        if not isinstance(row, Stem):
            best = row, candidate
        longer = row.longer
    match = _match(*best, reading, reader) if best is not None else None
    shoulder = reading.shoulder
    row = rows.get(shoulder.name) if shoulder is not None else None
    if row is None or shoulder is None or isinstance(row, Stem) or (match and len(match.name) >= len(shoulder.name)):
        return match
    behind = _match(row, shoulder, reading, reader)
    if behind is None or match is None or not isinstance(match.prefix, Namespace):
        return behind or match
    return replace(behind, another=match)


def _match(row: Prefix, candidate: PrefixCandidate, reading: _Reading, reader: Reader) -> PrefixMatch | None:
    prefix = _followed(row, reader)
    return PrefixMatch(prefix, candidate.identifier, candidate.name, reading.provider) if prefix else None


def _followed(row: Prefix, reader: Reader, *, consistent: bool = False) -> Namespace | ProviderPrefix | None:
    """The prefix that a row stands for; a synonym is followed once, for synonyms never name synonyms."""
    target: Prefix | None = row
    if isinstance(row, Synonym):
        target = reader.prefixes((row.target,), consistent=consistent).get(row.target)
    return target if isinstance(target, Namespace | ProviderPrefix) else None
