"""The identifiers of a store with their targets, as destinations write them.

>>> from coolid.identifiers.rules.lui import LuiRules
>>> spellings("mp", "tw0t-ywdj-94", LuiRules())
('mp:tw0t-ywdj-94', 'mp:tw0tywdj94', 'mp/tw0t-ywdj-94', 'mp/tw0tywdj94')
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final, Protocol

from msgspec import Struct

from coolid.errors import UsageError
from coolid.identifiers.rules.base import Rules
from coolid.identifiers.schemes import linkid
from coolid.migration.source_identifiers import Loss
from coolid.model.locations import locations_of, valid_locations
from coolid.model.prefixes import LINKID, Namespace, fold, has_handles, join
from coolid.model.records import RESERVED, WITHDRAWN, Record
from coolid.model.repositories import Repository
from coolid.resolution.content_negotiation import ANY_TYPE, ClientPreferences, choose
from coolid.store.bulk import BulkReader
from coolid.store.prefixes import PrefixReader
from coolid.store.rows import record_of

NO_TARGET: Final = "it has no target"
NOT_PUBLIC: Final = "it is reserved, so it is not public yet"
CONTROL: Final = "it or its target has a control character"
NORMALISED: Final = "web servers change double slashes and dot segments, so no rule can match it"
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_CHANGED_PATH: Final = re.compile(r"//|(?:^|/)\.\.?(?:/|$)")
_ANYBODY: Final = ClientPreferences(types=ANY_TYPE)


class ExportedIdentifier(Struct, frozen=True):
    """A record under one of its prefixes, whose folded name is `prefix`."""

    prefix: str
    record: Record
    repository: Repository


class Redirect(Struct, frozen=True):
    """Where an identifier leads: a status and a target, 410 without one. `paths` are its spellings after the slash."""

    identifier: str
    paths: tuple[str, ...]
    status: int
    target: str = ""
    folds_case: bool = False


LossListener = Callable[[Loss], None]
"""Receives each identifier or value that a destination cannot keep; its name begins with the identifier."""


class Destination(Protocol):
    """Writes identifiers in one form. It reads them once, in bounded memory, and may use a temporary file."""

    def __call__(self, identifiers: Iterable[ExportedIdentifier], on_loss: LossListener) -> Iterator[bytes]:
        """Yield the pieces of the file."""


def exported_identifiers(
    prefixes: PrefixReader, reader: BulkReader, prefix: str | None, *, all_prefixes: bool
) -> Iterator[ExportedIdentifier]:
    """Yield the current records of all repositories, or of the one that `prefix` names, under that prefix.

    With `all_prefixes`, each record comes once for each prefix of its repository, those with longer names first, as
    they win in resolution. Otherwise it comes once, under its canonical prefix. Raises `UsageError`,
    `StoreUnavailable`.
    """
    repositories = {each.id: each for each in reader.repositories()}
    for namespace in _namespaces(prefixes, repositories, prefix, all_prefixes=all_prefixes):
        repository = repositories.get(namespace.repository.id, namespace.repository)
        for row in reader.record_rows(repository.id):
            if not row.is_current:
                continue
            record = record_of(row.body, row.author, row.pid)
            if namespace.name != LINKID or spellings(LINKID, record.id, repository.rules):
                yield ExportedIdentifier(namespace.name, record, repository)


def _namespaces(
    prefixes: PrefixReader, repositories: Mapping[str, Repository], prefix: str | None, *, all_prefixes: bool
) -> list[Namespace]:
    if prefix is not None:
        found = prefixes.prefixes([fold(prefix)]).get(fold(prefix))
        if not isinstance(found, Namespace):
            raise UsageError(f"{prefix!a} is not a prefix of a repository here")
        return [found]
    namespaces = [each for each in prefixes.all_prefixes() if isinstance(each, Namespace)]
    if not all_prefixes:
        first: dict[str, Namespace] = {}
        for each in namespaces:
            repository = repositories.get(each.repository.id, each.repository)
            if each.name == repository.canonical or repository.id not in first:
                first[repository.id] = each
        namespaces = list(first.values())
    return sorted(namespaces, key=lambda each: (-len(each.name), each.name))


def redirects(identifiers: Iterable[ExportedIdentifier], now: datetime, on_loss: LossListener) -> Iterator[Redirect]:
    """Yield where the identifiers lead at a moment, for clients without preferences.

    Calls `on_loss` for those that a web server's configuration cannot contain, and for targets that are left out.
    """
    for each in identifiers:
        redirect = _redirect(each, now)
        if isinstance(redirect, Redirect):
            number = len(valid_locations(locations_of(each.record, each.repository), now))
            if redirect.status != 410 and number > 1:
                on_loss(Loss(redirect.identifier, "it has several targets; the redirect leads to the preferred one"))
            yield redirect
        else:
            on_loss(redirect)


def _redirect(each: ExportedIdentifier, now: datetime) -> Redirect | Loss:
    record, rules = each.record, each.repository.rules
    identifier = join(each.prefix, record.id)
    target = "" if record.status == WITHDRAWN else target_of(record, each.repository, now)
    paths = spellings(each.prefix, record.id, rules)
    if record.status == RESERVED:
        return Loss(identifier, NOT_PUBLIC)
    if record.status != WITHDRAWN and not target:
        return Loss(identifier, NO_TARGET)
    if _CONTROL.search(identifier + target):
        return Loss(identifier, CONTROL)
    if _CHANGED_PATH.search(identifier):
        return Loss(identifier, NORMALISED)
    status = 410 if record.status == WITHDRAWN else each.repository.redirect
    return Redirect(identifier, paths, status, target, each.prefix == LINKID or not rules.case_matters)


def target_of(record: Record, repository: Repository, now: datetime) -> str:
    """Return the target of a client without preferences, or "" if the record has none at the moment."""
    chosen = choose(valid_locations(locations_of(record, repository), now), (), _ANYBODY)
    return chosen[0].uri if isinstance(chosen, tuple) and chosen else ""


def spellings(prefix: str, identifier: str, rules: Rules) -> tuple[str, ...]:
    """Return the usual spellings of an identifier as decoded paths, the canonical one first.

    >>> from coolid.identifiers.rules.chosen import ChosenRules
    >>> spellings("ark:12345", "x5", ChosenRules()), spellings("10.5072", "x5", ChosenRules())
    (('ark:12345/x5', 'ark:/12345/x5'), ('10.5072/x5', 'doi:10.5072/x5'))
    >>> [spellings("linkid", each, ChosenRules())[1:] for each in ("00c538ea846b47a6a3d470a9ebd29d7c", "x")]
    [('linkid/00c538ea-846b-47a6-a3d4-70a9ebd29d7c',), ()]
    """
    if prefix == LINKID:
        text = join(prefix, identifier)
        return (text, text.replace(":", "/")) if linkid.is_valid(text) else ()
    compact = identifier if rules.hyphens_matter else identifier.replace("-", "")
    canonical = dict.fromkeys((join(prefix, identifier), join(prefix, compact)))
    if prefix.startswith("ark:"):
        others = [each.replace("ark:", "ark:/", 1) for each in canonical]
    elif has_handles(prefix):
        label = "doi:" if prefix.startswith("10.") else "hdl:"
        others = [label + each for each in canonical]
    elif "/" in prefix:
        others = []
    else:
        others = [f"{prefix}/{each}" for each in dict.fromkeys((identifier, compact))]
    return (*canonical, *others)
