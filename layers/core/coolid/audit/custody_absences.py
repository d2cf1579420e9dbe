"""Versions that a log lacks because the record was at other services, in whose logs they are.

A record that was transferred may come back later. The versions between are then of others.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from coolid.proofs.custody_checks import is_of_other
from coolid.proofs.verification import check_version, verify


def is_absence(versions: Sequence[Mapping[str, Any]], issuer: str, keys: Mapping[str, Any]) -> bool:
    """Return whether a record was at other services between two versions of `issuer`.

    `versions` are these two and all between them, the oldest first. The first one transfers the record, others signed
    those between, and the last one continues them. `keys` are the keys of the issuer.
    """
    first, *others, last = versions
    _, link = check_version(first, keys, issuer=issuer)
    return (
        link is not None
        and link.transfer is not None
        and all(is_of_other(other, issuer, keys) for other in others)
        and [each.get("version") for each in versions] == list(range(link.version, link.version + len(versions)))
        and verify(last, keys, versions[:-1], issuer=issuer, issuer_keys={issuer: keys}).ok
    )
