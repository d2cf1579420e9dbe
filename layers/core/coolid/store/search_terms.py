"""The terms of records, by which every store indexes them, and the terms of searches.

A search finds the records that have all its terms. A term is a folded word, or a name, a colon and a value:

- words of the PID, of titles, of creators and contributors, of other identifiers, and of targets;
- `status:active`, and `health:down` for the worst state of a location (`coolid.model.conditions`). `health:moved` says
  that one redirects permanently elsewhere, `health:unchecked` that no check has a result;
- `host:www.example.org` and `host:example.org`: the hosts of targets with their parent domains.

Words are folded, so that case, accents and compatibility forms (Unicode NFKC) do not matter. Parts of words with
hyphens are words too: `tw0t-ywdj-94` is found by `tw0tywdj94`, by `tw0t`, and without its check digits. Text in scripts
without spaces between words has each character, and each pair of neighbours, as words.

There are no prefixes of words, because a table of postings would need a row for each.

>>> list(words("Zoë O’Neill, Co-operation"))
['zoe', 'o', 'neill', 'oneill', 'co', 'operation', 'cooperation']
>>> list(words("東京"))
['東', '東京', '京']
>>> query_terms("https://example.org/Tea/1 green", status="active")
('status:active', 'host:example.org', 'tea', '1', 'green')
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final
from unicodedata import category, combining, normalize
from urllib.parse import unquote

from coolid.model.conditions import STATES, UP, Health
from coolid.model.records import Record

MOVED: Final = "moved"
UNCHECKED: Final = "unchecked"
HEALTH: Final = (*STATES, MOVED, UNCHECKED)
"""The values of `health:`."""
MAX_LENGTH: Final = 40
"""The most characters of a word. Longer ones are cut, in records and in searches."""
MAX_QUERY_WORDS: Final = 16
"""The most words of a search. It ignores further ones."""

_MAX_HOSTS: Final = 12
_URL_WORDS: Final = 8
"""The words of a target's path that count. A search by a URL has no more either."""
_TITLES: Final = frozenset(
    {
        *("what", "title", "titles", "additional_titles", "name", "headline", "subtitle"),
        *("alternateName", "alternativeHeadline", "alternative"),
    }
)
_PEOPLE: Final = frozenset(
    {"who", "creator", "creators", "author", "authors", "contributor", "contributors", "editor", "editors"}
)
_NO_NAMES: Final = frozenset(
    {
        *("lang", "@language", "xml:lang", "language", "@type", "type", "titleType", "nameType", "contributorType"),
        *("role", "scheme", "nameIdentifierScheme", "schemeURI", "schemeUri", "affiliation", "affiliations"),
    }
)
"""Members of titles and people that contain codes, and texts about something else."""
_MAX_TEXTS: Final = 200
_URL: Final = re.compile(r"https?://(?:[^/?#@]*@)?(\[[^\]/]*\]|[^/?#:]*)(?::[0-9]*)?(.*)", re.IGNORECASE | re.DOTALL)
_ASCII_GAPS: Final = re.compile(r"[^a-z0-9'-]+")
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u312f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7a3"
    "\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese, without spaces between words, and Korean, with particles."""
_UNSPACED_RUN: Final = re.compile(f"[{_UNSPACED}]+")
_RUNS: Final = re.compile(f"({_UNSPACED_RUN.pattern})|[^{_UNSPACED}]+")


class _Folding(dict[int, str]):
    """Maps the characters of a decomposed, case-folded text: those between words to a space, joining ones to `-`."""

    def __missing__(self, code: int) -> str:
        character, kind = chr(code), category(chr(code))
        if kind == "Pd" or character in "-'’ʼ·":
            found = "-"
        elif kind == "Cf" or (combining(character) and character not in "\u3099\u309a"):  # not the marks of kana
            found = ""
        else:
            found = character if character.isalnum() or kind[0] == "M" else " "
        self[code] = found
        return found


_FOLDING: Final = _Folding(zip(map(ord, "øłđðħıæœþ"), ("o", "l", "d", "d", "h", "i", "ae", "oe", "th"), strict=True))
"""Letters that Unicode does not decompose have entries of their own."""


def record_terms(record: Record) -> frozenset[str]:
    """Return the terms of a current record: at most 160, each of at most 260 characters."""
    urls = [found for found in map(_URL.match, (location.uri for location in record.records)) if found]
    hosts = dict.fromkeys(domain for found in urls for domain in _domains(found[1].lower()))
    alternates = (str(alternate.get("identifier", "")) for alternate in record.alternates)
    groups: tuple[tuple[Iterable[str], int], ...] = (
        (chain(_identifier_words(record), words(record.pid.partition("://")[2].partition("/")[2])), 16),
        (_words_of(_texts(record.metadata, _TITLES)), 40),
        (_words_of(alternates), 16),
        (_words_of(_texts(record.metadata, _PEOPLE)), 32),
        (chain.from_iterable(chain(words(found[1]), _path_words(found[2])) for found in urls), 40),
    )
    return frozenset(
        chain(
            [f"status:{record.status}"],
            _health_terms(record),
            (f"host:{host}" for host in islice(hosts, _MAX_HOSTS)),
            *(_first_distinct(group, limit) for group, limit in groups),
        )
    )


def query_terms(
    q: str = "", *, status: str | None = None, target_host: str | None = None, health: str | None = None
) -> tuple[str, ...]:
    """Return the terms of a search, none for one that every record fits.

    `q` has words, PIDs and URLs of targets, separated by spaces. `target_host` is a domain name: subdomains count.
    `health` is one of `HEALTH`.
    """
    filters = {"status": status, "host": target_host and target_host.lower().rstrip("."), "health": health}
    named = (f"{name}:{value}" for name, value in filters.items() if value)
    found = chain.from_iterable(_query_words(text) for text in q.split())
    return tuple(dict.fromkeys(chain(named, _first_distinct(found, MAX_QUERY_WORDS))))


def words(text: str) -> Iterator[str]:
    """Yield the words of a text, with repetitions. A word with hyphens or apostrophes follows its parts."""
    folded = _folded(text)
    has_spaces = folded.isascii() or not _UNSPACED_RUN.search(folded)
    for joined in folded.split():
        if has_spaces and "-" not in joined:
            yield joined[:MAX_LENGTH]
            continue
        parts = [part for part in joined.split("-") if part]
        for part in parts:
            yield from (part[:MAX_LENGTH],) if has_spaces else _runs(part)
        if len(parts) > 1:
            yield "".join(parts)[:MAX_LENGTH]


def _folded(text: str) -> str:
    if text.isascii():
        return _ASCII_GAPS.sub(" ", text.lower()).replace("'", "-")
    return normalize("NFC", normalize("NFKD", text).casefold().translate(_FOLDING))


def _runs(part: str) -> Iterator[str]:
    """Yield the runs of a word. Of scripts without spaces, yield each character and each pair of neighbours."""
    for run in _RUNS.finditer(part):
        if not run[1]:
            yield run[0][:MAX_LENGTH]
            continue
        for at, character in enumerate(run[1]):
            yield character
            if at + 1 < len(run[1]):
                yield run[1][at : at + 2]


def _query_words(text: str) -> Iterator[str]:
    """Yield the terms that a record must have for one text of a search.

    Of hyphenated words only the parts count, because the record may have them apart. Of a run of characters only the
    pairs count.
    """
    url = _URL.match(text)
    if url:
        yield f"host:{url[1].lower()}"
        text = " ".join(islice(_path_words(url[2]), _URL_WORDS))
    for part in _folded(text).replace("-", " ").split():
        for run in _RUNS.finditer(part):
            pairs = run[1] and len(run[1]) > 1
            yield from (run[1][at : at + 2] for at in range(len(run[1]) - 1)) if pairs else (run[0][:MAX_LENGTH],)


def _path_words(path: str) -> Iterator[str]:
    """Yield the first words of what follows the host of a URL, decoded. Hyphens separate words."""
    return islice(words(_folded(unquote(path)).replace("-", " ")), _URL_WORDS)


def _identifier_words(record: Record) -> Iterator[str]:
    """Yield the identifier and its leading parts without hyphens, so that a missing check character does not matter."""
    parts = [part for part in _folded(record.id).replace(" ", "").split("-") if part]
    yield from ("".join(parts[:count])[:MAX_LENGTH] for count in range(len(parts), 1, -1))
    yield from words(record.key)


def _words_of(texts: Iterable[str]) -> Iterator[str]:
    return chain.from_iterable(map(words, texts))


def _texts(metadata: Mapping[str, Any], names: frozenset[str]) -> Iterator[str]:
    """Yield the first texts in the members with these names, at any depth, with or without a prefix (`dc:title`)."""
    members = (value for name, value in metadata.items() if name.rpartition(":")[2] in names)
    remaining = list(members)[::-1]
    for _ in range(_MAX_TEXTS):
        if not remaining:
            return
        value = remaining.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            remaining += [each for name, each in reversed([*value.items()]) if name not in _NO_NAMES]
        elif isinstance(value, list | tuple):
            remaining += reversed(value[:_MAX_TEXTS])


def _domains(host: str) -> Iterator[str]:
    """Yield a host and its parent domains of at least two labels.

    >>> list(_domains("www.example.org")), list(_domains("localhost")), list(_domains("192.0.2.1"))
    (['www.example.org', 'example.org'], ['localhost'], ['192.0.2.1'])
    """
    yield host
    while host.count(".") > 1 and not host[-1].isdigit():
        host = host.partition(".")[2]
        yield host


def record_health(record: Record) -> str:
    """Return the most important one of `HEALTH` for the current locations: the worst state, or that one has moved."""
    found = [text.partition(":")[2] for text in _health_terms(record)]
    return MOVED if MOVED in found and found[0] == UP else found[0]


def _health_terms(record: Record) -> Sequence[str]:
    """Return the terms of the conditions of the current locations, the worst state first."""
    health: Health = record.health
    found = [health[location.uri] for location in record.records if location.uri in health] if health else []
    states = {condition.state for condition in found}
    worst = max(states, key=STATES.index) if states else UNCHECKED
    return [f"health:{state}" for state in (worst, MOVED) if state == worst or any(each.moved for each in found)]


def _first_distinct(terms: Iterable[str], limit: int) -> Iterable[str]:
    """Return the first different terms, at most this many."""
    found: dict[str, None] = {}
    for term in terms:
        found[term] = None
        if len(found) == limit:
            break
    return found
