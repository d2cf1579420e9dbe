"""Cache tags, which name what a response shows, so that a CDN can invalidate it.

A record has too many addresses to list: spellings, aliases, `/resolve/`, pasted URLs, queries, and a variant for each
`Accept`. Whatever the address, `Cache-Tag` names what the response shows. A cache that supports tags (CloudFront's
`CacheTagConfig`) invalidates all responses that carry a tag.

Source: Amazon CloudFront Developer Guide, "Invalidating content by cache tags": tags are separated by commas, of at
most 256 visible ASCII characters each, at most 50 to a response, and case-insensitive.

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
    """Return the header of a response about a prefix, or about a record found under it.

    The tag of the record's repository invalidates all of its records together.
    """
    tags = [prefix_tag(prefix.name)]
    if isinstance(prefix, Namespace):
        repository = prefix.repository
        tags.append(repository_tag(repository.id))
        if record is not None:
            tags.append(record_tag(repository.id, record.key))
    return ",".join(tags)


def record_tag(repository: str, key: str) -> str:
    """Return the tag of every response that shows the record."""
    return f"{_RECORD}{_plain(repository)}/{_plain(key)}"


def repository_tag(repository: str) -> str:
    """Return the tag of every response that shows a record of the repository or describes one of its prefixes."""
    return f"repository:{_plain(repository)}"


def prefix_tag(name: str) -> str:
    """Return the tag of every response found under the prefix; `name` is never a synonym.

    >>> prefix_tag("2021/06/mp"), prefix_tag("größe")
    ('prefix:2021/06/mp', 'prefix:sha256-d353a2671b67afff0941ae456e5c76e9')
    """
    return f"prefix:{_plain(name)}"


def repository_of(tag: str) -> str | None:
    """Return the repository in a record's tag, None for another tag."""
    return tag.removeprefix(_RECORD).partition("/")[0] if tag.startswith(_RECORD) else None


def is_tag(text: str) -> bool:
    """Return whether the text is one valid tag.

    >>> is_tag("prefix:mp"), is_tag("prefix:a,b"), is_tag("a b")
    (True, False, False)
    """
    return re.fullmatch(_TAG, text) is not None


def _plain(text: str) -> str:
    """Return the text, or its digest if it is long or has other characters, because escapes might be decoded."""
    return text if _PLAIN.fullmatch(text) else f"sha256-{sha256(text.encode()).hexdigest()[:32]}"
