"""Items: how rows of the tables and values of the domain become each other.

A row keeps apart only what conditions and keys need; the rest is one JSON text, `body`, so that numbers and order
survive as they were written. The prefix table holds prefixes, synonyms and stems under their folded names and
repositories under `/repositories/ID` (no prefix begins with a slash); the LUI table holds current records under
`REPOSITORY/KEY`, version 0, and superseded ones there under their own numbers; only current ones have the attribute
`repository`, by which they are listed. The public keys of proofs are one row
of the LUI table, `/keys`, for whoever signs may write there and everybody may read there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import pairwise
from typing import Any, Final

import orjson

from coolid.domain.prefixes import Namespace, Prefix, Provider, ProviderPrefix, Stem, Synonym, ancestors
from coolid.domain.records import Record, parse_time
from coolid.domain.repositories import Repository
from coolid.domain.rules.table import rules_of

NAMESPACE: Final = "namespace"
PROVIDER: Final = "provider"
SYNONYM: Final = "synonym"
CURRENT: Final = 0
KEYS: Final = "/keys"


def repository_name(repository_id: str) -> str:
    """Where a repository stands in the prefix table."""
    return f"/repositories/{repository_id}"


def pid_of(repository_id: str, key: str) -> str:
    """Where a record stands in the LUI table."""
    return f"{repository_id}/{key}"


def record_body(record: Record) -> str:
    """The text of a record."""
    return orjson.dumps(record.to_document()).decode()


def record_of(body: str, author: str | None = None) -> Record:
    """The inverse of `record_body`; who wrote it stands beside the text."""
    return Record.from_document(orjson.loads(body), author)


def repository_body(repository: Repository) -> str:
    """The text of a repository; its canonical prefix is kept apart, for writes are conditional on it."""
    return orjson.dumps(_repository_values(repository) | {"canonical": None}).decode()


def repository_of(body: str, canonical: str | None) -> Repository:
    """The inverse of `repository_body`."""
    return _repository(orjson.loads(body) | {"canonical": canonical})


def prefix_kind(prefix: Namespace | ProviderPrefix) -> str:
    """The kind that its row states."""
    return NAMESPACE if isinstance(prefix, Namespace) else PROVIDER


def prefix_body(prefix: Namespace | ProviderPrefix) -> str:
    """The text of a prefix: all but its name, its revision and what is longer."""
    values = {
        field.name: getattr(prefix, field.name)
        for field in fields(prefix)
        if field.name not in ("name", "longer", "revision")
    }
    if isinstance(prefix, Namespace):
        values["repository"] = _repository_values(prefix.repository)
    return orjson.dumps(values).decode()


def prefix_of(row: Mapping[str, Any]) -> Prefix | None:
    """The prefix of a row in plain Python types; None for a row that is none."""
    name, longer = row["name"], frozenset(row.get("longer", ()))
    kind = row.get("kind")
    if kind == SYNONYM:
        return Synonym(name=name, longer=longer, target=row["target"])
    if kind == NAMESPACE:
        values = _timed(orjson.loads(row["body"]))
        values["repository"] = _repository(values["repository"])
        return Namespace(name=name, longer=longer, revision=int(row["revision"]), **values)
    if kind == PROVIDER:
        values = _timed(orjson.loads(row["body"]))
        values["providers"] = tuple(Provider(**provider) for provider in values["providers"])
        values["synonyms"] = tuple(values["synonyms"])
        values["redundant"] = tuple(values["redundant"])
        return ProviderPrefix(name=name, longer=longer, revision=int(row["revision"]), **values)
    return Stem(name=name, longer=longer) if kind is None else None


def rows_of(prefixes: Iterable[ProviderPrefix]) -> list[dict[str, Any]]:
    """All the rows of a whole registry, synonyms and stems included, to fill an empty table with."""
    rows: dict[str, dict[str, Any]] = {}
    for prefix in prefixes:
        row = {"kind": PROVIDER, "revision": prefix.revision, "body": prefix_body(prefix)}
        rows.setdefault(prefix.name, {"name": prefix.name}).update(row)
        for synonym in prefix.synonyms:
            rows.setdefault(synonym, {"name": synonym}).update(kind=SYNONYM, target=prefix.name)
    for name in list(rows):
        for shorter, longer in steps_to(name):
            rows.setdefault(shorter, {"name": shorter}).setdefault("longer", set()).add(longer)
    return list(rows.values())


def steps_to(name: str) -> list[tuple[str, str]]:
    """Each ancestor of a name with the name one boundary further, shortest first.

    >>> steps_to("2021/06/mp")
    [('2021', '2021/06'), ('2021/06', '2021/06/mp')]
    """
    path = (*ancestors(name), name)
    return list(pairwise(path))


def _repository(values: dict[str, Any]) -> Repository:
    values = _timed(values)
    values["rules"] = rules_of(values.pop("scheme"), values["rules"])
    values["domains"] = tuple(values["domains"])
    return Repository(**values)


def _timed(values: dict[str, Any]) -> dict[str, Any]:
    return values | {"created": parse_time(values["created"]), "updated": parse_time(values["updated"])}


def _repository_values(repository: Repository) -> dict[str, Any]:
    values = {field.name: getattr(repository, field.name) for field in fields(repository)}
    return values | {"scheme": repository.rules.scheme, "rules": repository.rules.document()}
