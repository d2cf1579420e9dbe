"""Items: how rows of the tables and values of the domain become each other.

A row keeps apart only what conditions and keys need; the rest is one JSON text, `body`, so that numbers and order
survive as they were written. The prefix table holds prefixes, synonyms and stems under their folded names and
repositories under `/repositories/ID` (no prefix begins with a slash); the LUI table holds current records under
`REPOSITORY/KEY`, version 0, and superseded ones there under their own numbers; only current ones have the attribute
`repository`, by which they are listed. The public keys of proofs are in the LUI table, too, for whoever signs may write
there and everybody may read there: under `/keys`, each in a row of its own that never changes, so that regions which
publish keys at the same time lose none. Version 0 may be a list of keys, which release 0.1 wrote.

What is known of the addresses of a prefix or record (`coolid.model.conditions`) stands beside them as `health`. A change
of a record writes its row anew, without: what a new version names nobody has looked at.

`write_token` is the random token of the write that a row comes from. A write that was sent again, because its answer
was lost, finds its own token in the row and has succeeded (`coolid.aws.dynamodb.writer`). Nothing else reads it, and no client
sees it. Rows of an import or of an earlier release have none.
"""

import hashlib
from collections.abc import Iterable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from msgspec import MsgspecError, Struct, json
from msgspec.structs import asdict, replace

from coolid.identifiers.rules.catalog import rules_of
from coolid.model.conditions import STATES, UNKNOWN, Condition, Health
from coolid.model.prefixes import Namespace, Prefix, Provider, ProviderPrefix, Stem, Synonym, ancestors
from coolid.model.records import Record, parse_time
from coolid.model.repositories import Repository
from coolid.resolution.bounded_cache import max_size_in_memory

NAMESPACE: Final = "namespace"
PROVIDER: Final = "provider"
SYNONYM: Final = "synonym"
CURRENT: Final = 0
KEYS: Final = "/keys"
NOTHING_APART: Final[Mapping[str, str]] = MappingProxyType({})
_RECORDS: Final = json.Decoder(Record)
_HEALTH: Final = json.Decoder(dict[str, Condition])
_APART: Final = {"home": ("home", "settled"), "terms": ("support", "archive", "deprecated")}
"""Of repositories and prefixes, what stands in attributes of a row beside its text. It came later: the release before
must be able to read the text, and overlooks attributes that it does not know."""


def repository_name(repository_id: str) -> str:
    """Where a repository stands in the prefix table."""
    return f"/repositories/{repository_id}"


def pid_of(repository_id: str, key: str) -> str:
    """Where a record stands in the LUI table."""
    return f"{repository_id}/{key}"


def key_version(key_id: str) -> int:
    """Under which version of `/keys` a public key stands: as long a number of its name's digest as there can be."""
    return int.from_bytes(hashlib.sha256(key_id.encode()).digest()[:15])


def record_body(record: Record) -> str:
    """The text of a record."""
    return _text(record.to_document())


def record_of(body: str, author: str | None = None) -> Record:
    """The inverse of `record_body`; who wrote it stands beside the text."""
    return Record.from_document(json.decode(body), author)


def own_record(
    body: str, author: str | None = None, health: str | None = None, write_token: str | None = None
) -> Record:
    """The same of a row that only we can have written, in a third of the time, and weighed."""
    record = _RECORDS.decode(body)
    if health is None:
        return replace(record, author=author, weight=max_size_in_memory(body), write_token=write_token)
    weighed = max_size_in_memory(body) + max_size_in_memory(health)
    return replace(record, author=author, health=health_of(health), weight=weighed, write_token=write_token)


def health_body(health: Health) -> str:
    """The text of what is known of addresses.

    >>> health_body({"ols": Condition("up", parse_time("2026-05-04T12:00:00Z"))})
    '{"ols":{"state":"up","since":"2026-05-04T12:00:00Z"}}'
    """
    return json.encode(dict(health)).decode()


def health_of(body: str) -> Health:
    """The inverse of `health_body`; what a later release wrote that this one does not know is as if nobody had looked.

    >>> health_of('{"ols":{"state":"resting","since":"2026-05-04T12:00:00Z"}}'), dict(health_of('{"ols":"fine"}'))
    ({}, {})
    """
    try:
        health = _HEALTH.decode(body)
    except MsgspecError:
        return UNKNOWN
    return {name: condition for name, condition in health.items() if condition.state in STATES}


def repository_body(repository: Repository) -> str:
    """The text of a repository without its home, and without its canonical prefix, on which writes are conditional."""
    return _text(_repository_values(repository) | {"canonical": None})


def apart(prefix: Repository | Prefix) -> dict[str, str]:
    """The attributes in use beside the text of a repository, of a namespace (its repository's) or of a prefix."""
    return {attribute: _text(told) for attribute, told in apart_members(prefix).items()}


def apart_members(prefix: Repository | Prefix) -> dict[str, dict[str, Any]]:
    """The same as members of a document."""
    of_whom = prefix.repository if isinstance(prefix, Namespace) else prefix
    found = {
        attribute: {name: value for name in names if (value := getattr(of_whom, name, None)) not in (None, False)}
        for attribute, names in _APART.items()
    }
    return {attribute: told for attribute, told in found.items() if told}


def apart_attributes(document: Mapping[str, Any]) -> dict[str, str]:
    """The attributes of a row, from a document that was read."""
    return {attribute: _text(document[attribute]) for attribute in _APART if attribute in document}


def repository_of(body: str, canonical: str | None, row: Mapping[str, Any] = NOTHING_APART) -> Repository:
    """The inverse of `repository_body` and `apart`, which may be in a whole row."""
    return _repository(json.decode(body) | {"canonical": canonical}, row)


def prefix_kind(prefix: Namespace | ProviderPrefix) -> str:
    """The kind that its row states."""
    return NAMESPACE if isinstance(prefix, Namespace) else PROVIDER


def prefix_body(prefix: Namespace | ProviderPrefix) -> str:
    """The text of a prefix: all but its name, its revision and what is longer."""
    values = {name: value for name, value in asdict(prefix).items() if name not in ("name", "longer", "revision")}
    if isinstance(prefix, Namespace):
        values["repository"] = _repository_values(prefix.repository)
    else:
        values["providers"] = [asdict(provider) for provider in prefix.providers]
        del values["deprecated"], values["health"]
    return _text(values)


def prefix_of(row: Mapping[str, Any]) -> Prefix | None:
    """The prefix of a row in plain Python types; None for a row that is none."""
    name, longer = row["name"], frozenset(row.get("longer", ()))
    kind = row.get("kind")
    if kind == SYNONYM:
        return Synonym(name=name, longer=longer, target=row["target"])
    if kind == NAMESPACE:
        values = _timed(json.decode(row["body"]))
        values["repository"] = _repository(values["repository"], row)
        return Namespace(name=name, longer=longer, revision=int(row["revision"]), **values)
    if kind == PROVIDER:
        values = _timed(json.decode(row["body"]))
        values["providers"] = tuple(Provider(**provider) for provider in values["providers"])
        values["synonyms"] = tuple(values["synonyms"])
        values["redundant"] = tuple(values["redundant"])
        values |= _beside(row, ProviderPrefix)
        values["health"] = health_of(row["health"]) if "health" in row else UNKNOWN
        return ProviderPrefix(name=name, longer=longer, revision=int(row["revision"]), **values)
    return Stem(name=name, longer=longer) if kind is None else None


def rows_of(prefixes: Iterable[ProviderPrefix]) -> list[dict[str, Any]]:
    """All the rows of a whole registry, synonyms and stems included, to fill an empty table with."""
    rows: dict[str, dict[str, Any]] = {}
    for prefix in prefixes:
        row = {"kind": PROVIDER, "revision": prefix.revision, "body": prefix_body(prefix)}
        row |= apart(prefix)
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


def _repository(values: dict[str, Any], row: Mapping[str, Any]) -> Repository:
    values = _timed(values | _beside(row, Repository))
    values["rules"] = rules_of(values.pop("scheme"), values["rules"])
    values["domains"] = tuple(values["domains"])
    return Repository(**values)


def _beside(row: Mapping[str, Any], shape: type[Struct]) -> dict[str, Any]:
    """What attributes of a row say, as far as such a value has it; a later release may have put more there."""
    return {
        name: value
        for attribute, names in _APART.items()
        if attribute in row
        for name, value in json.decode(row[attribute]).items()
        if name in names and name in shape.__struct_fields__
    }


def _timed(values: dict[str, Any]) -> dict[str, Any]:
    return values | {name: parse_time(values[name]) for name in ("created", "updated", "settled") if values.get(name)}


def _repository_values(repository: Repository) -> dict[str, Any]:
    elsewhere = {name for names in _APART.values() for name in names}
    values = {name: value for name, value in asdict(repository).items() if name not in elsewhere}
    return values | {"scheme": repository.rules.scheme, "rules": repository.rules.document()}


def _text(values: Any) -> str:
    """JSON as it is stored: as orjson writes times and numbers, for what is stored is compared by its text."""
    import orjson  # which those who only read do without

    return orjson.dumps(values).decode()
