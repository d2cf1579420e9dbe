"""Suspicions: what is told of a record's targets, beside the record, to those who write it.

Never within the record, which is signed, and does not say what is suspicious about itself. Answers of one record have
the header `Target-Warning`, a list of strings (RFC 9651), each with the place of its target in the record:

    Target-Warning: "its host xn--pple-43d.com: xn--pple-43d mixes scripts: Cyrillic, Latin";at="/records/0/uri"

Answers of many have `target_warnings(record)` as a member, in the form of a problem's `errors`.
"""

from typing import Final

from coolid.identifiers.target_policy import objection, warning
from coolid.model.records import Record

HEADER: Final = "Target-Warning"
MOST: Final = 5
LONGEST: Final = 500
"""So many reasons of so many characters at most, or headers could outgrow what API Gateway passes on."""


def target_warnings(record: Record) -> list[dict[str, str]]:
    """Each with the `pointer` to its target and its `detail`.

    What was stored before a rule was made may be against it; that is told too.
    """
    reasons = ((at, objection(each.uri) or warning(each.uri)) for at, each in enumerate(record.records))
    return [{"pointer": f"/records/{at}/uri", "detail": reason[:LONGEST]} for at, reason in reasons if reason]


def target_warning(record: Record) -> str | None:
    """The value of the header, with the first suspicions; None if there is none."""
    told = target_warnings(record)[:MOST]
    return ", ".join(f"{_string(each['detail'])};at={_string(each['pointer'])}" for each in told) or None


def _string(text: str) -> str:
    r"""A string of RFC 9651; what is not printable ASCII cannot be in one.

    >>> print(_string('say "é"'))
    "say \"?\""
    """
    printable = "".join(symbol if " " <= symbol <= "~" else "?" for symbol in text)
    return '"' + printable.replace("\\", "\\\\").replace('"', '\\"') + '"'
