"""Items: how rows of the tables and values of the domain become each other.

A row keeps apart only what conditions and keys need; the rest is one JSON text, `body`, so that numbers and order
survive as they were written. The prefix table holds prefixes, synonyms and stems under their folded names and
repositories under `/repositories/ID` (no prefix begins with a slash); the LUI table holds current records under
`REPOSITORY/KEY`, version 0, and superseded ones there under their own numbers; only current ones have the attribute
`repository`, by which they are listed. The public keys of proofs are in the LUI table, too, for whoever signs may write
there and everybody may read there: under `/keys`, each in a row of its own that never changes, so that regions which
publish keys at the same time lose none. What stands there as version 0 is a list of keys, for the release before.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from msgspec import json
from msgspec.structs import asdict, replace

from coolid.domain.prefixes import Namespace, Prefix, Provider, ProviderPrefix, Stem, Synonym, ancestors
from coolid.domain.records import Record, parse_time
from coolid.domain.repositories import Repository
from coolid.domain.rules.table import rules_of
from coolid.domain.shelves import most_weight

NAMESPACE: Final = "namespace"
PROVIDER: Final = "provider"
SYNONYM: Final = "synonym"
CURRENT: Final = 0
KEYS: Final = "/keys"
_RECORDS: Final = json.Decoder(Record)
_APART: Final = ("home", "settled", "support", "archive")
_APART_OF_PREFIXES: Final = ("deprecated",)
"""Of a repository and of a prefix, what stands in an attribute `home` beside the text: it came later, and the release
before must be able to read the text. What a release after this one may put there is passed over."""


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


def own_record(body: str, author: str | None = None) -> Record:
    """The same of a row that only we can have written, in a third of the time, and weighed."""
    return replace(_RECORDS.decode(body), author=author, weight=most_weight(body))


def repository_body(repository: Repository) -> str:
    """The text of a repository without its home, and without its canonical prefix, on which writes are conditional."""
    return _text(_repository_values(repository) | {"canonical": None})


def home_text(prefix: Repository | Prefix) -> str | None:
    """The text of what a repository, a namespace's repository or a prefix has there; None for nothing."""
    of_whom = prefix.repository if isinstance(prefix, Namespace) else prefix
    names = (*_APART, *_APART_OF_PREFIXES)
    told = {name: value for name in names if (value := getattr(of_whom, name, None)) not in (None, False)}
    return _text(told) if told else None


def home_member(prefix: Repository | Prefix) -> dict[str, Any]:
    """The same as the member `home` of a document, which has none without one."""
    home = home_text(prefix)
    return {} if home is None else {"home": json.decode(home)}


def home_attribute(document: Mapping[str, Any]) -> dict[str, str]:
    """The inverse of `home_member`: the attribute `home` of a row, from a document that was read."""
    return {"home": _text(document["home"])} if "home" in document else {}


def repository_of(body: str, canonical: str | None, home: str | None = None) -> Repository:
    """The inverse of `repository_body` and `home_text`."""
    return _repository(json.decode(body) | {"canonical": canonical}, home)


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
        for name in _APART_OF_PREFIXES:
            del values[name]
    return _text(values)


def prefix_of(row: Mapping[str, Any]) -> Prefix | None:
    """The prefix of a row in plain Python types; None for a row that is none."""
    name, longer = row["name"], frozenset(row.get("longer", ()))
    kind = row.get("kind")
    if kind == SYNONYM:
        return Synonym(name=name, longer=longer, target=row["target"])
    if kind == NAMESPACE:
        values = _timed(json.decode(row["body"]))
        values["repository"] = _repository(values["repository"], row.get("home"))
        return Namespace(name=name, longer=longer, revision=int(row["revision"]), **values)
    if kind == PROVIDER:
        values = _timed(json.decode(row["body"]))
        values["providers"] = tuple(Provider(**provider) for provider in values["providers"])
        values["synonyms"] = tuple(values["synonyms"])
        values["redundant"] = tuple(values["redundant"])
        values |= _apart(row.get("home"), _APART_OF_PREFIXES)
        return ProviderPrefix(name=name, longer=longer, revision=int(row["revision"]), **values)
    return Stem(name=name, longer=longer) if kind is None else None


def rows_of(prefixes: Iterable[ProviderPrefix]) -> list[dict[str, Any]]:
    """All the rows of a whole registry, synonyms and stems included, to fill an empty table with."""
    rows: dict[str, dict[str, Any]] = {}
    for prefix in prefixes:
        row = {"kind": PROVIDER, "revision": prefix.revision, "body": prefix_body(prefix)}
        row |= {"home": home} if (home := home_text(prefix)) else {}
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


def _repository(values: dict[str, Any], home: str | None) -> Repository:
    values = _timed(values | _apart(home, _APART))
    values["rules"] = rules_of(values.pop("scheme"), values["rules"])
    values["domains"] = tuple(values["domains"])
    return Repository(**values)


def _apart(home: str | None, known: Sequence[str]) -> dict[str, Any]:
    """What the attribute `home` says of what is known."""
    return {name: value for name, value in json.decode(home).items() if name in known} if home else {}


def _timed(values: dict[str, Any]) -> dict[str, Any]:
    return values | {name: parse_time(values[name]) for name in ("created", "updated", "settled") if values.get(name)}


def _repository_values(repository: Repository) -> dict[str, Any]:
    values = {name: value for name, value in asdict(repository).items() if name not in _APART}
    return values | {"scheme": repository.rules.scheme, "rules": repository.rules.document()}


def _text(values: Any) -> str:
    """JSON as it is stored: as orjson writes times and numbers, for what is stored is compared by its text."""
    import orjson  # which those who only read do without

    return orjson.dumps(values).decode()
