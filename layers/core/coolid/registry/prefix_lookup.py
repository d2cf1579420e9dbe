"""The lookup of a reference's longest registered prefix, over all ways to read the reference.

A reference is read in these ways, in this order, with all rows read in one batch:

1. `doi:10.5072/x`, `hdl:10.5072/x`: an identifier under the own namespace `10.5072`; `ark:/12345/x5-4xz`: by the
   beginnings of the normalised ARK `ark:12345/x54xz`, including its shoulder `ark:12345/x5`;
2. as written: `go:0006915`, `2021/06/mp/LUI`;
3. by its name without separators, which the Bioregistry ignores: `GO_REF:0000041` as `goref:0000041`, if that is a
   provider prefix;
4. `10.5281/zenodo.31780`: a DOI without its `doi:`.

`ols/go:0006915` and `ols/go/0006915` are `go:0006915` at its provider `ols`, unless a prefix longer than `ols` matches.
If `ols` is no provider of `go`, the prefix `ols` may have such an identifier (`coolid.registry.foreign_labels`).

A text that begins with `linkid:` is a LinkID or invalid; nothing is looked up for an invalid one.

The longest prefix wins, so a new name takes over from shorter ones (`coolid.registry.predecessors`).
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
    LINKID,
    MAX_NAME_BYTES,
    Namespace,
    Prefix,
    ProviderPrefix,
    Stem,
    Synonym,
    compact,
    fold,
    has_handles,
    is_date_qualified,
    is_handle_prefix,
)
from coolid.registry.references import MAX_CANDIDATES, PrefixCandidate, Reference
from coolid.store.prefixes import PrefixReader

_LABELS: Final = tuple(f"{scheme}{end}" for scheme in HANDLES for end in BOUNDARIES)
_LONGEST: Final = max(map(len, _LABELS))
_LID: Final = "lid:"
_LINKID: Final = f"{LINKID}:"
_REGISTERED: Final = (Namespace, ProviderPrefix)


class PrefixMatch(Struct, frozen=True):
    """A registered prefix, the identifier under it as written, and the provider in the reference, if any.

    `name` is the folded name that matched: the prefix's own or a synonym. A match of a shoulder has the NAAN's match as
    `naan_match`, because names under the NAAN may be older than the shoulder. `encoded_slashes` are the positions of
    `%2F` in the identifier, counted from its end.
    """

    prefix: Namespace | ProviderPrefix
    identifier: str
    name: str
    provider: str | None = None
    naan_match: "PrefixMatch | None" = None
    encoded_slashes: tuple[int, ...] = ()


class _Reading(Struct, frozen=True):
    candidates: tuple[PrefixCandidate, ...]
    shoulder: PrefixCandidate | None = None
    namespaces_only: bool = False
    provider: str | None = None
    providers_only: bool = False


def find_prefix(reference: Reference, reader: PrefixReader) -> PrefixMatch:
    """Return the match at a named provider, or else of the first reading that has one.

    Raises `UnknownPrefix`, `InvalidIdentifier` for an invalid LinkID (`linkid:` or `lid:`), `UnknownProvider` if only
    the provider is unknown.
    """
    if fold(reference.text[: len(_LINKID)]) == _LINKID:
        _require_linkid(reference.text)
    readings, behind = _readings(reference), _behind_first_slash(reference)
    names = _names(readings)
    shoulder = readings[0].shoulder
    if shoulder is not None:
        names.append(shoulder.name)
    if behind is not None and _separator_behind(reference) == ":":  # rarely anything but a provider
        names += _names(_curie_readings(reference, behind))
    rows = reader.prefixes(names)
    match = _first(readings, rows, reader)
    if behind is not None and (match is None or len(match.name) <= len(fold(_code(reference)))):
        match = _at_provider(reference, behind, match, rows, reader)
    if match is None:
        raise _unknown(reference)
    if match.prefix.name == LINKID and match.identifier and isinstance(match.prefix, Namespace):
        _require_linkid(f"{reference.text[: len(LINKID)]}:{match.identifier}")  # after a slash
    # Handles are often sent with an encoded slash.
    if reference.encoded_slashes and not has_handles(match.prefix.name):
        return replace(match, encoded_slashes=reference.encoded_slashes)
    return match


def _names(readings: Sequence[_Reading]) -> list[str]:
    return [candidate.name for reading in readings for candidate in reading.candidates]


def _first(readings: Sequence[_Reading], rows: Mapping[str, Prefix], reader: PrefixReader) -> PrefixMatch | None:
    """Return the match of the first reading that has one of its kind."""
    for reading in readings:
        match = _longest(reading, rows, reader)
        if match is not None and _admits(reading, match.prefix):
            return match
    return None


def _admits(reading: _Reading, prefix: Namespace | ProviderPrefix) -> bool:
    """Return whether the prefix is of a kind that the reading may lead to."""
    return not (reading.providers_only if isinstance(prefix, Namespace) else reading.namespaces_only)


def roots(reference: Reference) -> tuple[str, ...]:
    """Return the shortest name of each reading: if none has a row, no prefix of the reference is registered."""
    candidates = (reading.candidates for reading in _readings(reference))
    return tuple(dict.fromkeys(each[0].name for each in candidates if each))


def prefix_by_name(name: str, reader: PrefixReader, *, consistent: bool = False) -> Namespace | ProviderPrefix | None:
    """Return the prefix of this name or synonym, or None."""
    folded = fold(name)
    if not folded or len(folded.encode()) > MAX_NAME_BYTES:
        return None
    row = reader.prefixes((folded,), consistent=consistent).get(folded)
    return _synonym_target(row, reader, consistent=consistent) if row else None


def prefix_named(name: str, reader: PrefixReader, *, consistent: bool = False) -> Namespace | ProviderPrefix:
    """Return the prefix of this name or synonym, with any separators in it. Raises `UnknownPrefix`."""
    prefix = prefix_by_name(name, reader, consistent=consistent)
    other = compact(fold(name))
    if prefix is None and other != fold(name):
        found = prefix_by_name(other, reader, consistent=consistent)
        prefix = found if isinstance(found, ProviderPrefix) else None
    if prefix is None:
        raise UnknownPrefix(name)
    return prefix


def provider_codes(prefix: Prefix) -> Sequence[str]:
    """Return the folded codes of the prefix's providers."""
    return tuple(fold(provider.code) for provider in prefix.providers) if isinstance(prefix, ProviderPrefix) else ()


def _unknown(reference: Reference) -> Exception:
    """Return the error for a reference without a registered prefix."""
    if fold(reference.text[: len(_LID)]) == _LID:
        from coolid.identifiers.schemes import lid

        try:
            lid.validate(reference.text)
        except InvalidIdentifier as error:
            return error
    return UnknownPrefix(reference.text)


def _require_linkid(text: str) -> None:
    """Raise `InvalidIdentifier` unless the text is a LinkID. Its label may only be equal to `linkid:` when folded."""
    from coolid.identifiers.schemes import linkid

    linkid.validate(text)


def _readings(reference: Reference) -> list[_Reading]:
    readings = []
    beginning = reference.text[:_LONGEST].lower()
    if beginning.startswith(_LABELS):
        scheme = next(each for each in _LABELS if beginning.startswith(each))
        readings.append(_own_namespace(reference.text[len(scheme) :]))
    elif reference.is_doi:
        readings.append(_own_namespace(reference.text))
    elif beginning.startswith("ark:"):
        readings.append(_ark(reference.text))
    readings += _with_compacted(_Reading(reference.candidates))
    if reference.is_doi:
        readings.append(_Reading((PrefixCandidate("doi", reference.text),)))
    return readings


def _with_compacted(reading: _Reading) -> list[_Reading]:
    """Return the reading, and the one by its shortest name without separators if it has some: `GO_REF` as `goref`."""
    shortest = reading.candidates[0] if reading.candidates else PrefixCandidate("", "")
    name = compact(shortest.name)
    if not name or name == shortest.name or shortest.name[0] == "." or is_handle_prefix(shortest.name):
        return [reading]
    compacted = PrefixCandidate(name, shortest.identifier)
    return [reading, _Reading((compacted,), provider=reading.provider, providers_only=True)]


def _curie_readings(reference: Reference, behind: Reference) -> list[_Reading]:
    """Return the readings of what follows a provider's code."""
    return _with_compacted(_Reading(behind.candidates, provider=_code(reference)))


def _own_namespace(text: str) -> _Reading:
    """Return the reading as an identifier of an own namespace; every slash separates, because DOIs arrive encoded."""
    return _Reading(Reference.of(text).candidates, namespaces_only=True)


def _ark(text: str) -> _Reading:
    """Return the reading as an ARK, whose beginning is normalised and whose rest is as written."""
    from coolid.identifiers.schemes import ark

    splits = ((fold(before), rest) for before, rest in islice(ark.divisions(text), MAX_CANDIDATES))
    candidates = tuple(PrefixCandidate(name, rest) for name, rest in splits if len(name.encode()) <= MAX_NAME_BYTES)
    behind = ark.behind_shoulder(text)
    return _Reading(candidates, PrefixCandidate(*behind) if behind and len(behind[0]) <= MAX_NAME_BYTES else None)


def _behind_first_slash(reference: Reference) -> Reference | None:
    """Return the part after the first slash if the text may have the form `provider/prefix:identifier`."""
    text, boundaries = reference.text, reference.boundaries
    if len(boundaries) < 2 or text[boundaries[0]] != "/" or boundaries[0] == 0:
        return None
    behind = boundaries[0] + 1
    is_handle = text[behind : behind + 1].isdigit() and text[:_LONGEST].lower().startswith(_LABELS)
    return None if is_handle or reference.is_doi or is_date_qualified(text) else reference.after(behind)


def _code(reference: Reference) -> str:
    """Return the text before the first separator, which may be a provider's code."""
    return reference.text[: reference.boundaries[0]]


def _separator_behind(reference: Reference) -> str:
    """Return the separator after a second name."""
    return reference.text[reference.boundaries[1]]


def _at_provider(
    reference: Reference,
    behind: Reference,
    plain: PrefixMatch | None,
    rows: Mapping[str, Prefix],
    reader: PrefixReader,
) -> PrefixMatch | None:
    """Return the match of the prefix after the provider, or the `plain` one if the first name is a prefix.

    Raises `UnknownProvider` if the provider does not serve the prefix, and the plain reading is certainly not meant.
    """
    code, separator = _code(reference), _separator_behind(reference)
    if separator == "/":
        if plain is not None and isinstance(plain.prefix, Namespace):
            return plain
        rows = reader.prefixes(tuple(_names(_curie_readings(reference, behind))))
    match = _first(_curie_readings(reference, behind), rows, reader)
    if match is None:
        return plain
    codes = provider_codes(match.prefix)
    if match.identifier and fold(code) in codes:
        return match
    if plain is not None and _contains_curie(plain, match, separator):
        return plain
    raise UnknownProvider(match.prefix.name, code, codes)


def _contains_curie(plain: PrefixMatch, match: PrefixMatch, separator: str) -> bool:
    """Return whether the plain match's identifier may begin with the name of the other match's prefix."""
    if isinstance(plain.prefix, Namespace) or plain.prefix.name == match.prefix.name:
        return True
    from coolid.registry.foreign_labels import may_contain  # rarely needed

    return may_contain(plain.prefix, plain.identifier, f"{separator}{match.identifier}")


def _longest(reading: _Reading, rows: Mapping[str, Prefix], reader: PrefixReader) -> PrefixMatch | None:
    """Return the longest match; stop at the first candidate that the rows of shorter names exclude."""
    best: tuple[Prefix, PrefixCandidate] | None = None
    shorter: Prefix | None = None
    for candidate in reading.candidates:
        row = rows.get(candidate.name)
        if row is None or (shorter is not None and not shorter.may_begin(candidate.name)):
            break
        if not isinstance(row, Stem):
            best = row, candidate
        shorter = row
    match = _match(*best, reading, reader) if best is not None else None
    shoulder = reading.shoulder
    row = rows.get(shoulder.name) if shoulder is not None else None
    if row is None or shoulder is None or isinstance(row, Stem) or (match and len(match.name) >= len(shoulder.name)):
        return match
    behind = _match(row, shoulder, reading, reader)
    if behind is None or match is None or not isinstance(match.prefix, Namespace):
        return behind or match
    return replace(behind, naan_match=match)


def _match(row: Prefix, candidate: PrefixCandidate, reading: _Reading, reader: PrefixReader) -> PrefixMatch | None:
    prefix = _synonym_target(row, reader)
    return PrefixMatch(prefix, candidate.identifier, candidate.name, reading.provider) if prefix else None


def _synonym_target(
    row: Prefix, reader: PrefixReader, *, consistent: bool = False
) -> Namespace | ProviderPrefix | None:
    """Return the prefix of a row. A synonym is followed once, because synonyms never name synonyms."""
    target: Prefix | None = row
    if isinstance(row, Synonym):
        target = reader.prefixes((row.target,), consistent=consistent).get(row.target)
    return target if isinstance(target, _REGISTERED) else None
