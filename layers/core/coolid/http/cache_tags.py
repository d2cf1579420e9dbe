"""Cache tags: what an answer is made of, told to the caches in front of us, so that they can be made to forget it.

A record has more addresses than anybody could list: spellings, aliases, `/resolve/`, pasted URLs, queries, and a
variant for each `Accept`. Whatever the address, the answer names in `Cache-Tag` what it shows. A cache that knows tags
(CloudFront's `CacheTagConfig`) is given a tag and forgets all answers that carry it.

Source: Amazon CloudFront Developer Guide, "Invalidating content by cache tags": tags are separated by commas, of at
most 256 visible ASCII characters each, at most 50 to an answer; case does not matter in them.

>>> record_tag("r4k2-9m3x-62", "tw0tywdj94")
'record:r4k2-9m3x-62/tw0tywdj94'
>>> repository_of("record:r4k2-9m3x-62/tw0tywdj94")
'r4k2-9m3x-62'
"""

import re
from hashlib import sha256
from typing import Final

from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import Record

HEADER: Final = "Cache-Tag"
KEYS: Final = "keys"
"""The tag of the public keys."""

_RECORD: Final = "record:"
_PLAIN: Final = re.compile(r"[A-Za-z0-9._:/-]{1,64}")
_TAG: Final = r"[!-+\--~]{1,256}"


def header_of(prefix: Namespace | ProviderPrefix, record: Record | None = None) -> str:
    """The header of an answer that was found under a prefix, and shows a record, if any.

    With the record's own tag comes its repository's, by which all its records are forgotten together.
    """
    tags = [prefix_tag(prefix.name)]
    if isinstance(prefix, Namespace):
        repository = prefix.repository
        tags.append(repository_tag(repository.id))
        if record is not None:
            tags.append(record_tag(repository.id, repository.rules.compact(record.id)))
    return ",".join(tags)


def record_tag(repository: str, key: str) -> str:
    """What every answer that shows the record carries."""
    return f"{_RECORD}{_plain(repository)}/{_plain(key)}"


def repository_tag(repository: str) -> str:
    """What every answer carries that shows a record of the repository, or describes a prefix of it."""
    return f"repository:{_plain(repository)}"


def prefix_tag(name: str) -> str:
    """What every answer carries that was found under the prefix; `name` is its own, never a synonym.

    >>> prefix_tag("2021/06/mp"), prefix_tag("größe")
    ('prefix:2021/06/mp', 'prefix:sha256-d353a2671b67afff0941ae456e5c76e9')
    """
    return f"prefix:{_plain(name)}"


def repository_of(tag: str) -> str | None:
    """The repository that a record's tag names; None for the tag of something else."""
    return tag.removeprefix(_RECORD).partition("/")[0] if tag.startswith(_RECORD) else None


def is_tag(text: str) -> bool:
    """Whether a cache would take it for one tag.

    >>> is_tag("prefix:mp"), is_tag("prefix:a,b"), is_tag("a b")
    (True, False, False)
    """
    return re.fullmatch(_TAG, text) is not None


def _plain(text: str) -> str:
    """The text, or where it is long or has other signs a digest of it; an escape might be undone on the way."""
    return text if _PLAIN.fullmatch(text) else f"sha256-{sha256(text.encode()).hexdigest()[:32]}"
