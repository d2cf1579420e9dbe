"""coolid: a serverless resolver and minter of persistent identifiers.

Rooms of the house, from the inside out:

* `coolid.domain` what the system is about: identifiers, prefixes, records, resolving, minting; no AWS, no HTTP.
* `coolid.web` requests and responses, problems, representations; knows HTTP, not AWS.
* `coolid.aws` API Gateway events, DynamoDB, settings and the wiring of the Lambda functions.
* `coolid.local` the same functions behind a development server, over an embedded backend.
* `coolid.client` the other side of HTTP: resolving and verifying what any resolver serves.
* `coolid.cli` the console commands.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from coolid.domain.verdicts import Verdict

__version__ = "0.5.0"


def verify(
    document: "Mapping[str, Any]",
    keys: "Mapping[str, Any]",
    history: "Iterable[Mapping[str, Any]]" = (),
    *,
    pid: str | None = None,
    issuer: str | None = None,
) -> "Verdict":
    """Judge a record's document by its issuer's key set, offline: `coolid.domain.verifying.verify`.

    >>> verify({}, {"keys": []}).ok
    False
    """
    from coolid.domain.verifying import verify as judge  # nothing is imported by importing coolid

    return judge(document, keys, history, pid=pid, issuer=issuer)
