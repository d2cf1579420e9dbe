"""Prefixes: the names under which identifiers are addressed, and the tree that they form.

Two kinds resolve: a `Namespace` is an alias of a repository here; a `ProviderPrefix` names identifiers of others,
and its providers' URL patterns lead to them. A `Synonym` is another name of a provider prefix. Names are folded
(`fold`) and nest at boundaries, the characters `/` and `:`. Every row lists the registered names that are one boundary
`longer`, or some of them and `UNLISTED`. A name that only begins longer names has a `Stem`; any other unregistered name
has no row. A lookup from the shortest candidate upwards can therefore stop at the first missing row.

Specification: Cool LUIs seed (date-qualified aliases; URL pattern filling as in identifiers.org's `{$id}`), CURIE
Syntax 1.0.

>>> fold("UniProt")
'uniprot'
>>> ancestors("2021/06/mp")
('2021', '2021/06')
>>> Provider("ebi", "https://www.ebi.ac.uk/x?q={$id}").location("A B%", DATA)
'https://www.ebi.ac.uk/x?q=A%20B%25'
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from coolid.identifiers import percent_encoding
from coolid.identifiers.rules.base import Rules
from coolid.model.conditions import UNKNOWN, Health
from coolid.model.repositories import DEFAULT_TTL, Repository

BOUNDARIES: Final = "/:"
MAX_NAME_BYTES: Final = 128
PLACEHOLDER: Final = "{$id}"

MAX_LISTED: Final = 128
"""The number of longer names that a row lists. It bounds the row, which every request for one of these names reads."""
UNLISTED: Final = "*"
"""The entry of a row's longer names that stands for those that it does not list. No name is equal to it, because a
longer name begins with the shorter one."""

URI: Final = "uri"
"""Encoding `uri`: the identifier is already part of a URL; only characters that no URL may contain are escaped."""
DATA: Final = "data"
"""Encoding `data`: the identifier is opaque text; `%`, `#` and `?` are escaped, too."""

HANDLES: Final = ("doi", "hdl", "handle")
"""The prefixes of Handles, which include DOIs."""
LINKID: Final = "linkid"
"""The prefix of LinkIDs, revision 01 (`coolid.identifiers.schemes.linkid`). After it there is a UUID with hyphens."""
NUMBERED: Final = frozenset({"isbn", "isni", "issn", "orcid", "ror"})
"""The prefixes of numbers with check digits. Each has the name of its scheme (`coolid.identifiers.schemes`)."""

_PLAIN: Final = percent_encoding.UNRESERVED + BOUNDARIES  # characters that no encoding escapes
_BARE_PERCENT: Final = r"%(?![0-9A-Fa-f]{2})"
_URI_SAFE: Final = "!#$%&'()*+,/:;=?@[]~"  # RFC 3986: reserved, unreserved and the escapes themselves
_DATA_SAFE: Final = "!$'()*,/:;=@~"  # neither `&` nor `+`: patterns may put the identifier in a query
PATH_SAFE: Final = "!$&'()*+,/:;=@~"  # RFC 3986: what a path may contain, including slashes
_SEPARATORS: Final = str.maketrans(dict.fromkeys(" -_."))
# Few redirects need these, so that they are compiled on first use.
_SHOULDER: Final = "(ark:[^/:]+/[a-z]+[0-9])([^/:.].*)?"
_HANDLE_PREFIX: Final = r"[0-9]+(\.[0-9a-z_-]+)+"


class Prefix(Struct, frozen=True, kw_only=True):
    """The members of every row: the folded `name`, and the registered names one boundary `longer`, or `UNLISTED`."""

    name: str
    longer: frozenset[str] = frozenset()

    def may_begin(self, name: str) -> bool:
        """Return whether a name one boundary longer may be registered. If some are unlisted, its own row decides."""
        return name in self.longer or UNLISTED in self.longer

    def with_longer(self, name: str) -> frozenset[str]:
        """Return `longer` with another name one boundary longer, or with `UNLISTED` if the row lists `MAX_LISTED`."""
        if self.may_begin(name):
            return self.longer
        return self.longer | {name if len(self.longer) < MAX_LISTED else UNLISTED}


class Stem(Prefix, frozen=True, kw_only=True):
    """A name that is not registered itself, but begins longer names."""


class Synonym(Prefix, frozen=True, kw_only=True):
    """Another name of the provider prefix `target`."""

    target: str


class Namespace(Prefix, frozen=True, kw_only=True):
    """An alias of a repository, with a copy of the repository's rules so that resolving needs one read less."""

    repository: Repository
    title: str = ""
    created: datetime
    updated: datetime
    revision: int = 1

    @property
    def cited(self) -> str:
        """The prefix in the PIDs of new records: the repository's canonical one, but `linkid` under this name.

        So a repository of revision 00, whose canonical prefix is `lid`, assigns LinkIDs of revision 01, too.
        """
        return LINKID if self.name == LINKID else self.repository.canonical or self.name

    @property
    def rules(self) -> Rules:
        """The rules by which identifiers are written under this name: the repository's, but a LinkID's own syntax."""
        if self.name != LINKID:
            return self.repository.rules
        from coolid.identifiers.rules.linkid import LinkidRules  # rarely needed

        return LinkidRules()

    @property
    def ttl(self) -> int:
        """The repository's lifetime of answers, in seconds; provider prefixes have a member of this name."""
        return self.repository.ttl


class Provider(Struct, frozen=True, cache_hash=True):
    """A service that resolves identifiers: `url` is a pattern in which `{$id}` stands for the identifier."""

    code: str
    url: str
    title: str = ""

    def location(self, identifier: str, encoding: str) -> str:
        """Return the URL of an identifier (decoded text), in `encoding` `uri` or `data`."""
        return self.url.replace(PLACEHOLDER, encode_identifier(identifier, encoding))


class ProviderPrefix(Prefix, frozen=True, kw_only=True):
    """A prefix of identifiers that others keep, with its providers in order of preference.

    `pattern` is documentation unless the prefix is `strict`. `redundant` lists text that repeats the prefix before the
    identifier (`GO:`) and is removed. `source` is the origin of the entry. A `deprecated` prefix resolves, but should
    not be used for new links. `mapped` are the synonyms that only other registries use, each with these registries.
    `health` are its providers' conditions, stored beside the managed members.
    """

    title: str = ""
    description: str = ""
    homepage: str | None = None
    pattern: str | None = None
    example: str | None = None
    strict: bool = False
    encoding: str = URI
    providers: tuple[Provider, ...] = ()
    synonyms: tuple[str, ...] = ()
    redundant: tuple[str, ...] = ()
    ttl: int = DEFAULT_TTL
    source: str | None = None
    deprecated: bool = False
    mapped: Mapping[str, Sequence[str]] = {}
    health: Health = UNKNOWN
    created: datetime
    updated: datetime
    revision: int = 1


def fold(name: str) -> str:
    """Return the form in which names are stored and compared: case folded, composed (Unicode NFC)."""
    if name.isascii():
        return name.lower()
    from unicodedata import normalize  # rarely needed

    return normalize("NFC", normalize("NFC", name).casefold())


def compact(name: str) -> str:
    """Return a folded name without the separators that the Bioregistry ignores in names.

    >>> compact("go_ref"), compact("go.ref"), compact("goref")
    ('goref', 'goref', 'goref')
    """
    return name.translate(_SEPARATORS)


def encode_identifier(identifier: str, encoding: str) -> str:
    """Percent-encode an identifier for the URLs of a prefix's providers, in its `encoding` `uri` or `data`.

    >>> encode_identifier("98C(%2B1) #x", URI), encode_identifier("98C(%2B1) #x", DATA)
    ('98C(%2B1)%20#x', '98C(%252B1)%20%23x')
    """
    if not identifier.strip(_PLAIN):
        return identifier
    return percent_encoding.encode(identifier, _DATA_SAFE) if encoding == DATA else as_uri(identifier)


def has_dots(identifier: str) -> bool:
    """Return whether an identifier has dots, escaped or not, with which it could lead out of a URL pattern.

    `coolid.identifiers.path_traversal` decides whether it does; most identifiers never need that module.

    >>> has_dots("10.1000/182"), has_dots("a/../b"), has_dots("%252e%2E/x")
    (False, True, True)
    """
    return ".." in identifier or "%2" in identifier


def as_uri(text: str) -> str:
    """Escape only what no URL may contain (RFC 3986): spaces, quotes, non-ASCII, a `%` that begins no escape."""
    return percent_encoding.encode(re.sub(_BARE_PERCENT, "%25", text), _URI_SAFE)


def ancestors(name: str) -> tuple[str, ...]:
    """Return the shorter texts that end at a boundary of the name, shortest first."""
    return tuple([name[:end] for end, character in enumerate(name) if end and character in BOUNDARIES])


def parent(name: str) -> str | None:
    """Return the longest ancestor of a name, or None."""
    end = max(name.rfind("/"), name.rfind(":"))
    return name[:end] if end > 0 else None


def join(name: str, identifier: str) -> str:
    """Return an identifier with its prefix: a slash after names of several parts, DOI prefixes and NAANs, else a colon.

    After a shoulder there is no separator (draft-kunze-ark, section 2.4.1). A LinkID is in its canonical form.

    >>> join("2021/06/mp", "tw0t-ywdj-94"), join("10.5072", "x"), join("ark:99999", "x"), join("mp", "tw0t-ywdj-94")
    ('2021/06/mp/tw0t-ywdj-94', '10.5072/x', 'ark:99999/x', 'mp:tw0t-ywdj-94')
    >>> join("ark:99999/fk4", "rx9d523")
    'ark:99999/fk4rx9d523'
    >>> join("linkid", "00c538ea846b47a6a3d470a9ebd29d7c")
    'linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
    """
    if name == LINKID:
        return _linkid(identifier)
    if "/" in name:
        is_behind = is_shoulder(name) and not identifier.startswith((*BOUNDARIES, "."))
        return name + identifier if is_behind else f"{name}/{identifier}"
    return name + ("/" if name.startswith("ark:") or is_handle_prefix(name) else ":") + identifier


def _linkid(identifier: str) -> str:
    """Return the canonical LinkID of a UUID with or without hyphens, or another text after the label."""
    from coolid.identifiers.schemes import linkid, uuid

    return linkid.format(identifier) if uuid.is_valid(identifier) else f"{LINKID}:{identifier}"


def path_of(name: str, identifier: str = "") -> str:
    """Return the path of an identifier, or of a prefix alone, percent-encoded so that decoding it is lossless."""
    return as_path(join(name, identifier) if identifier else name)


def as_path(text: str) -> str:
    """Percent-encode a text as part of a path (RFC 3986, `pchar`); slashes stay, and `%` becomes `%25`."""
    return text if not text.strip(_PLAIN) else percent_encoding.encode(text, PATH_SAFE)


def is_shoulder(name: str) -> bool:
    """Return whether a folded name is a NAAN with a shoulder by the first-digit convention: letters and one digit.

    >>> is_shoulder("ark:99999/fk4"), is_shoulder("ark:99999/fk"), is_shoulder("ark:99999/fk42")
    (True, False, False)
    """
    return name[:4] == "ark:" and shoulder_of(name) == name


def shoulder_of(name: str) -> str | None:
    """Return the NAAN and shoulder that a folded name begins with, if no boundary follows; else None.

    >>> shoulder_of("ark:99999/fk42"), shoulder_of("ark:99999/fk4/2"), shoulder_of("ark:99999")
    ('ark:99999/fk4', None, None)
    """
    found = re.fullmatch(_SHOULDER, name)
    return found[1] if found else None


def is_handle_prefix(name: str) -> bool:
    """Return whether a folded name is a Handle or DOI prefix: a number and further segments after dots (RFC 3651)."""
    return "." in name and re.fullmatch(_HANDLE_PREFIX, name) is not None


def has_handles(name: str) -> bool:
    """Return whether the identifiers under a folded name are Handles, because it begins with a Handle prefix."""
    return is_handle_prefix(name.partition("/")[0])


def is_namespace_name(name: str) -> bool:
    """Return whether a folded name has the form of a namespace's name.

    >>> is_namespace_name("ark:99999/fk4"), is_namespace_name("mp/"), is_namespace_name("*")
    (True, False, False)
    """
    return re.fullmatch(r"[a-z0-9][a-z0-9._-]*([/:][a-z0-9][a-z0-9._-]*)*", name) is not None


def is_date_qualified(text: str) -> bool:
    """Return whether a text begins with `YYYY/MM/`."""
    return text[4:5] == "/" == text[7:8] and text[:4].isdecimal() and text[5:7].isdecimal()
