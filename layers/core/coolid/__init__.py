"""coolid: a serverless resolver and minter of persistent identifiers.

Packages, each of which imports only from those above it:

* `errors`, `ports`, `deadlines`, `strict_json`: error kinds; clock and entropy; time limits; JSON in and out.
* `identifiers`: schemes, minting rules, check characters, and the judgement of text and URLs. No I/O.
* `model`: values: record, location, prefix, provider, repository, version, check state, client.
* `net`: one hardened client for outgoing HTTP.
* `store`: what the package requires of a store, as protocols.
* `proofs`: statements, signatures, key sets, history chains, verification.
* `registry`: prefix lookup, references, the directory of prefixes, registration.
* `resolution`: resolver, provider failover, suffix pass-through, content negotiation, cache.
* `recognition`: what a pasted text is.
* `records`: minting, counters, idempotency, quotas, amendment, withdrawal.
* `health`: checks of providers and targets, link reports, webhooks.
* `http`: requests, responses and problems; public and management endpoints, formats, pages, dialects.
* `client`: the other side of HTTP: resolving, verifying and managing what any resolver serves.
* `aws`: API Gateway, DynamoDB, KMS, queues, streams, telemetry, and the wiring of the Lambda functions.
* `local`, `cli`: the service on one machine, and the console commands.
"""

from typing import TYPE_CHECKING

from coolid.version import __version__ as __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from coolid.proofs.verdicts import Verdict


def verify(
    document: "Mapping[str, Any]",
    keys: "Mapping[str, Any]",
    history: "Iterable[Mapping[str, Any]]" = (),
    *,
    pid: str | None = None,
    issuer: str | None = None,
) -> "Verdict":
    """Judge a record's document by its issuer's key set, offline: `coolid.proofs.verification.verify`.

    >>> verify({}, {"keys": []}).ok
    False
    """
    from coolid.proofs.verification import verify as judge  # nothing is imported by importing coolid

    return judge(document, keys, history, pid=pid, issuer=issuer)
