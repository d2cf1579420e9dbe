"""Conversions between the rows of the tables and the values of the domain. All stores have the same tables.

Keys, and the members that conditional writes compare, are attributes of a row. The rest is one JSON text, `body`, which
preserves numbers and order.

- The prefix table contains prefixes, synonyms and stems under their folded names, and repositories under
  `/repositories/ID` (no prefix begins with a slash).
- The LUI table contains records under `REPOSITORY/KEY`: the current one as version 0, superseded ones under their own
  numbers. The attributes `repository` and `changed` of current ones are for indexes. Rows of earlier releases have no
  `changed` (`coolid.aws.dynamodb.changes`), and a SQLite database computes it from `body`. In DynamoDB, superseded ones
  have both attributes with other values (`coolid.store.change_positions`), so that lists of current ones do not have
  them.
- The LUI table also contains the public keys of proofs under `/keys`, because every signing function may write there
  and every function may read there. Each key has a row that never changes, so that concurrent writes from several
  regions lose none. Version 0 may be a list of keys, written by release 0.1.

`health` contains the conditions of the addresses of a prefix or record (`coolid.model.conditions`). A change of a
record removes it, because the addresses of the new version are unchecked.

`write_token` is the random token of the write that produced a row. When a write is repeated after a lost
response, its own token in the row shows that it has succeeded (`coolid.aws.dynamodb.client`). Nothing else reads it,
and responses do not include it. Rows of an import or of an earlier release have none.
"""

import hashlib
from collections.abc import Iterable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from msgspec import MsgspecError, Struct, json
from msgspec.structs import asdict, replace

from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.catalog import rules_of
from coolid.model.conditions import STATES, UNKNOWN, Condition, Health
from coolid.model.prefixes import Namespace, Prefix, Provider, ProviderPrefix, Stem, Synonym, ancestors
from coolid.model.records import Record, parse_time
from coolid.model.repositories import TARGET, Repository
from coolid.store.memory_size import max_size_in_memory

NAMESPACE: Final = "namespace"
PROVIDER: Final = "provider"
SYNONYM: Final = "synonym"
CURRENT: Final = 0
KEYS: Final = "/keys"
_RECORDS: Final = json.Decoder(Record)
_HEALTH: Final = json.Decoder(dict[str, Condition])
_ABSENT: Final[tuple[Any, ...]] = (None, False, TARGET, {}, ())
"""The values of side members that are not stored, because they are the defaults."""
_SIDE_MEMBERS: Final = {
    "home": ("home", "settled"),
    "terms": ("support", "archive", "denied_domains", "deprecated", "landing", "listed", "mapped", "rules"),
}
"""The members of repositories and prefixes stored in side attributes instead of `body`, because they were added later:
the release before must be able to read `body`, and ignores unknown attributes. `rules` are there only if that release
cannot read them; `body` then has rules that accept the same identifiers (`Rules.fallback`)."""


def repository_name(repository_id: str) -> str:
    """Return the key of a repository in the prefix table."""
    return f"/repositories/{repository_id}"


def pid_of(repository_id: str, key: str) -> str:
    """Return the hash key of a record in the LUI table."""
    return f"{repository_id}/{key}"


def key_of(pid: str) -> str:
    """Return the key in a record's hash key; the inverse of `pid_of`."""
    return pid.partition("/")[2]


def key_version(key_id: str) -> int:
    """Return the range key of a public key below `/keys`: its id's digest, cut to the size of a DynamoDB number."""
    return int.from_bytes(hashlib.sha256(key_id.encode()).digest()[:15])


def record_body(record: Record) -> str:
    """Return the body of a record."""
    return _text(record.to_document())


def record_row(record: Record, version: int) -> dict[str, Any]:
    """Return the row of a record as `CURRENT` or under its number. Raises `InvalidInput` if it is too large."""
    from coolid.store.change_positions import record_position  # not needed for reading
    from coolid.store.limits import require_record_size

    body = record_body(record)
    require_record_size(record, body)
    return {
        "pid": pid_of(record.repository, record.key),
        "version": version,
        "status": record.status,
        "revision": record.version,
        "repository": record.repository if version == CURRENT else None,
        "changed": record_position(record) if version == CURRENT else None,
        "author": record.author,
        "body": body,
    }


def record_of(body: str, author: str | None = None, pid: str = "") -> Record:
    """Return the record of a body; `author` is an attribute of its own. The hash key `pid` has repository and key."""
    repository, _, key = pid.partition("/")
    return Record.from_document(json.decode(body), author, key).stored_in(repository)


def stored_record(
    body: str, author: str | None = None, health: str | None = None, write_token: str | None = None, pid: str = ""
) -> Record:
    """Return the record of a row that this service wrote, with its weight. Takes a third of the time of `record_of`."""
    repository, _, key = pid.partition("/")
    record = _RECORDS.decode(body).stored_in(repository)
    if health is None:
        return replace(record, key=key, author=author, weight=max_size_in_memory(body), write_token=write_token)
    weight = max_size_in_memory(body) + max_size_in_memory(health)
    return replace(record, key=key, author=author, health=health_of(health), weight=weight, write_token=write_token)


def health_body(health: Health) -> str:
    """Return the attribute `health` for conditions.

    >>> health_body({"ols": Condition("up", parse_time("2026-05-04T12:00:00Z"))})
    '{"ols":{"state":"up","since":"2026-05-04T12:00:00Z"}}'
    """
    return json.encode(dict(health)).decode()


def health_of(body: str) -> Health:
    """Return the conditions of the attribute `health`. Omit unknown states and formats of later releases.

    >>> health_of('{"ols":{"state":"resting","since":"2026-05-04T12:00:00Z"}}'), dict(health_of('{"ols":"fine"}'))
    ({}, {})
    """
    try:
        health = _HEALTH.decode(body)
    except MsgspecError:
        return UNKNOWN
    return {name: condition for name, condition in health.items() if condition.state in STATES}


def repository_body(repository: Repository) -> str:
    """Return the body of a repository without members that have attributes of their own."""
    return _text(_repository_values(repository) | {"canonical": None})


def side_attributes(prefix: Repository | Prefix) -> dict[str, str]:
    """Return the non-empty side attributes of a repository or prefix. A namespace has those of its repository."""
    return {attribute: _text(members) for attribute, members in side_members(prefix).items()}


def side_members(prefix: Repository | Prefix) -> dict[str, dict[str, Any]]:
    """Return the content of `side_attributes` before encoding."""
    owner = prefix.repository if isinstance(prefix, Namespace) else prefix
    found = {
        attribute: {name: value for name in names if (value := _side_value(owner, name)) not in _ABSENT}
        for attribute, names in _SIDE_MEMBERS.items()
    }
    return {attribute: members for attribute, members in found.items() if members}


def _side_value(owner: Repository | Prefix, name: str) -> Any:
    """Return a side member, which for rules is their document with the scheme, or None if `body` has them."""
    value = getattr(owner, name, None)
    return value if not isinstance(value, Rules) else _rules_values(value) if value.fallback() is not None else None


def side_attributes_of(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the side attributes of a row from a decoded document of an export."""
    return {attribute: _text(document[attribute]) for attribute in _SIDE_MEMBERS if attribute in document}


def repository_of(body: str, canonical: str | None, row: Mapping[str, Any] = MappingProxyType({})) -> Repository:
    """Return the repository of a body, its canonical prefix and the side attributes in `row`."""
    return _repository(json.decode(body) | {"canonical": canonical}, row)


def prefix_kind(prefix: Namespace | ProviderPrefix) -> str:
    """Return the attribute `kind` of a prefix."""
    return NAMESPACE if isinstance(prefix, Namespace) else PROVIDER


def prefix_body(prefix: Namespace | ProviderPrefix) -> str:
    """Return the body of a prefix: all members without attributes of their own."""
    values = {name: value for name, value in asdict(prefix).items() if name not in ("name", "longer", "revision")}
    if isinstance(prefix, Namespace):
        values["repository"] = _repository_values(prefix.repository)
    else:
        values["providers"] = [asdict(provider) for provider in prefix.providers]
        del values["deprecated"], values["mapped"], values["health"]
    return _text(values)


def prefix_of(row: Mapping[str, Any]) -> Prefix | None:
    """Return the prefix of a row in plain Python types, or None if the row is not a prefix."""
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
        values |= _side_values(row, ProviderPrefix)
        values["health"] = health_of(row["health"]) if "health" in row else UNKNOWN
        return ProviderPrefix(name=name, longer=longer, revision=int(row["revision"]), **values)
    return Stem(name=name, longer=longer) if kind is None else None


def registry_rows(prefixes: Iterable[ProviderPrefix]) -> list[dict[str, Any]]:
    """Return the rows of a registry, including synonyms and stems, for an empty table."""
    rows: dict[str, dict[str, Any]] = {}
    for prefix in prefixes:
        row = {"kind": PROVIDER, "revision": prefix.revision, "body": prefix_body(prefix)}
        row |= side_attributes(prefix)
        rows.setdefault(prefix.name, {"name": prefix.name}).update(row)
        for synonym in prefix.synonyms:
            rows.setdefault(synonym, {"name": synonym}).update(kind=SYNONYM, target=prefix.name)
    stems: dict[str, Stem] = {}
    for name in rows:
        for shorter, longer in steps_to(name):
            stem = stems.setdefault(shorter, Stem(name=shorter))
            stems[shorter] = replace(stem, longer=stem.with_longer(longer))
    for name, stem in stems.items():
        rows.setdefault(name, {"name": name})["longer"] = set(stem.longer)
    return list(rows.values())


def have_providers_changed(prefix: Prefix, replaced: Prefix | None) -> bool:
    """Return whether a change of a prefix concerns its providers, so that their conditions no longer hold."""
    if isinstance(prefix, ProviderPrefix) and isinstance(replaced, ProviderPrefix):
        return prefix.providers != replaced.providers
    return False


def steps_to(name: str) -> list[tuple[str, str]]:
    """Return each ancestor of a name with the next longer one, shortest first.

    >>> steps_to("2021/06/mp")
    [('2021', '2021/06'), ('2021/06', '2021/06/mp')]
    """
    path = (*ancestors(name), name)
    return list(pairwise(path))


def _repository(values: dict[str, Any], row: Mapping[str, Any]) -> Repository:
    beside = _side_values(row, Repository)
    values = _timed(values | (beside.pop("rules", None) or {}) | beside)
    values["rules"] = rules_of(values.pop("scheme"), values["rules"])
    for name in ("domains", "denied_domains"):
        values[name] = tuple(values.get(name, ()))
    return Repository(**values)


def _side_values(row: Mapping[str, Any], shape: type[Struct]) -> dict[str, Any]:
    """Return the members in side attributes that the class `shape` has. A later release may have written others."""
    return {
        name: value
        for attribute, names in _SIDE_MEMBERS.items()
        if attribute in row
        for name, value in json.decode(row[attribute]).items()
        if name in names and name in shape.__struct_fields__
    }


def _timed(values: dict[str, Any]) -> dict[str, Any]:
    return values | {name: parse_time(values[name]) for name in ("created", "updated", "settled") if values.get(name)}


def _repository_values(repository: Repository) -> dict[str, Any]:
    excluded = {name for names in _SIDE_MEMBERS.values() for name in names}
    values = {name: value for name, value in asdict(repository).items() if name not in excluded}
    return values | _rules_values(repository.rules.fallback() or repository.rules)


def _rules_values(rules: Rules) -> dict[str, Any]:
    return {"scheme": rules.scheme, "rules": rules.document()}


def _text(values: Any) -> str:
    """Return JSON as orjson formats times and numbers, because stored texts are compared."""
    import orjson  # not needed for reading

    return orjson.dumps(values).decode()
