"""Values of the model for tests, and Hypothesis strategies for them."""

import json
from datetime import UTC, datetime
from pathlib import Path
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any, get_args

from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import lui
from coolid.model.prefixes import DATA, URI, Namespace, Provider, ProviderPrefix
from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Location, Record, Withdrawal
from coolid.model.repositories import Landing, RedirectStatus, Repository

ROOT = Path(__file__).parents[3]
BASE_URL = "https://id.example.org"
MOMENT = datetime(2025, 7, 10, 14, 22, 30, tzinfo=UTC)
LATER = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

VECTORS: dict[str, Any] = json.loads((ROOT / "tests/vectors/identifiers.json").read_text(encoding="utf-8"))
PROVIDER_VECTORS: dict[str, Any] = json.loads((ROOT / "tests/vectors/providers.json").read_text(encoding="utf-8"))
SCHEME_VECTORS: dict[str, Any] = json.loads((ROOT / "tests/vectors/schemes.json").read_text(encoding="utf-8"))


def repository(identifier: str = "r4k2-9m3x-62", **members: Any) -> Repository:
    """Return a repository of LUIs of the usual width."""
    return replace(Repository(identifier, "A repository", MOMENT, MOMENT, LuiRules()), **members)


def namespace(name: str, owner: Repository | None = None, **members: Any) -> Namespace:
    """Return an alias of a repository."""
    owner = owner or repository()
    owner = replace(owner, canonical=owner.canonical or name)
    return replace(Namespace(name=name, repository=owner, created=MOMENT, updated=MOMENT), **members)


def provider_prefix(name: str, *urls: str, **members: Any) -> ProviderPrefix:
    """Return a provider prefix with one provider for each URL pattern; the codes are `p0`, `p1` and so on."""
    providers = tuple(Provider(f"p{position}", url) for position, url in enumerate(urls))
    return replace(ProviderPrefix(name=name, providers=providers, created=MOMENT, updated=MOMENT), **members)


def record(key: str = "tw0tywdj94", owner: str = "r4k2-9m3x-62", **members: Any) -> Record:
    """Return the first version of an active record with one location."""
    display = lui.format(key)
    plain = Record(
        id=display,
        pid=f"{BASE_URL}/2021/06/mp/{display}",
        repository=owner,
        version=1,
        created=MOMENT,
        updated=MOMENT,
        issuer=BASE_URL,
        status=ACTIVE,
        records=(Location("https://content.example.org/v1"),),
        key=key,
    )
    return replace(plain, **members)


# Hypothesis strategies for all values that the types allow.

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
moments = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC)).map(  # noqa: DTZ001 - a bound
    lambda moment: moment.replace(microsecond=0)
)
numbers = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=8,
)
widths = st.integers(1, lui.MAX_SYMBOLS)
labels = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
names = st.builds(
    lambda parts, separators: "".join(
        part + separator for part, separator in zip(parts, [*separators, ""], strict=False)
    ),
    st.lists(labels, min_size=1, max_size=5),
    st.lists(st.sampled_from("/:"), min_size=4, max_size=4),
).map(lambda name: name.rstrip("/:"))
visible = st.characters(min_codepoint=0x21, max_codepoint=0x7E)
uris = st.builds(
    "https://{}.example/{}".format, st.text(ascii_lowercase, min_size=1, max_size=10), st.text(visible, max_size=30)
)

locations = st.builds(
    Location,
    uri=uris,
    status=st.sampled_from(["active", "inactive"]),
    media_type=st.none() | text,
    language=st.none() | text,
    quality=st.none() | st.floats(0, 1),
    valid_from=st.none() | text,
    valid_until=st.none() | text,
    version=st.none() | text,
    checksum=st.none() | st.fixed_dictionaries({"algorithm": text, "value": text}),
    size=st.none() | st.integers(0, 2**53 - 1),
    last_modified=st.none() | text,
)


def records_with(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[Record]:
    """A strategy for records whose members come from these strategies."""
    return st.builds(Record, **(_RECORD | members))


_RECORD: dict[str, st.SearchStrategy[Any]] = {
    "id": text,
    "pid": uris,
    "repository": text,
    "version": st.integers(1, 10**6),
    "created": moments,
    "updated": moments,
    "issuer": uris,
    "status": st.sampled_from([ACTIVE, RESERVED, WITHDRAWN]),
    "records": st.lists(locations, max_size=3).map(tuple),
    "metadata": st.dictionaries(text, json_values, max_size=4).map(MappingProxyType),
    "alternates": st.lists(st.fixed_dictionaries({"scheme": text, "identifier": text}), max_size=3).map(tuple),
    "withdrawn": st.none() | st.builds(Withdrawal, moments, text, st.none() | text),
    "ttl": st.none() | st.integers(0, 31_536_000),
    "previous": st.none() | st.just("sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"),
    "proof": st.none() | st.just("eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"),
}
records = records_with()
repositories = st.builds(
    Repository,
    id=text,
    title=text,
    created=moments,
    updated=moments,
    rules=st.builds(LuiRules, widths) | st.builds(UuidRules, st.sampled_from([4, 7]), st.sampled_from([None, (1, 7)])),
    ttl=st.integers(0, 31_536_000),
    redirect=st.sampled_from(get_args(RedirectStatus)),
    domains=st.lists(text, max_size=3).map(tuple),
    denied_domains=st.lists(text, max_size=3).map(tuple),
    passthrough=st.booleans(),
    landing=st.sampled_from(get_args(Landing)),
    canonical=st.none() | names,
    support=st.none() | st.dictionaries(st.sampled_from(["who", "what", "when", "where"]), text, min_size=1),
    archive=st.none() | text,
    home=st.none() | st.sampled_from(["eu-west-1", "us-gov-east-1"]),
    settled=st.none() | moments,
    revision=st.integers(1, 10**6),
)
namespaces = st.builds(
    Namespace,
    name=names,
    longer=st.frozensets(names, max_size=3),
    repository=repositories,
    title=text,
    created=moments,
    updated=moments,
    revision=st.integers(1, 10**6),
)
provider_prefixes = st.builds(
    ProviderPrefix,
    name=names,
    longer=st.frozensets(names, max_size=3),
    title=text,
    description=text,
    homepage=st.none() | uris,
    pattern=st.none() | text,
    example=st.none() | text,
    strict=st.booleans(),
    encoding=st.sampled_from([URI, DATA]),
    providers=st.lists(st.builds(Provider, code=labels, url=uris, title=text), max_size=3).map(tuple),
    synonyms=st.lists(names, max_size=3).map(tuple),
    redundant=st.lists(text, max_size=3).map(tuple),
    ttl=st.integers(0, 31_536_000),
    source=st.none() | text,
    deprecated=st.booleans(),
    created=moments,
    updated=moments,
    revision=st.integers(1, 10**6),
)


def strings(value: Any) -> set[str]:
    """Return all strings in a JSON value, names included."""
    if isinstance(value, dict):
        return {*value} | {each for inner in value.values() for each in strings(inner)}
    if isinstance(value, list):
        return {each for inner in value for each in strings(inner)}
    return {value} if isinstance(value, str) else set()
