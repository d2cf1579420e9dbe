"""coolid: a serverless resolver and minter of persistent identifiers.

Packages, each of which imports only from those above it:

* `errors`, `ports`, `deadlines`, `strict_json`: error kinds; clock and entropy; time limits; JSON parsing.
* `identifiers`: schemes, minting rules, check characters, and the validation of text and URLs. No I/O.
* `model`: values: record, location, prefix, provider, repository, version, check state, client.
* `net`: one hardened client for outgoing HTTP.
* `store`: the protocols that a store implements.
* `proofs`: statements, signatures, key sets, history chains, verification.
* `registry`: prefix lookup, references, the directory of prefixes, registration.
* `resolution`: resolver, provider failover, suffix pass-through, content negotiation, cache.
* `recognition`: the identifier schemes that match a pasted text.
* `records`: minting, counters, idempotency, quotas, amendment, withdrawal.
* `health`: checks of providers and targets, link reports, webhooks.
* `http`: requests, responses and problems; public and management endpoints, formats, pages, dialects.
* `client`: an HTTP client that resolves, verifies and manages the records of any resolver.
* `aws`: API Gateway, DynamoDB, KMS, queues, streams, telemetry.
* `wiring`: the assembly of the applications and of the Lambda handlers.
* `local`, `cli`: the service on one machine, and the console commands.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from coolid.proofs.verdicts import Verdict
    from coolid.version import __version__ as __version__


def verify(
    document: "Mapping[str, Any]",
    keys: "Mapping[str, Any]",
    history: "Iterable[Mapping[str, Any]]" = (),
    *,
    pid: str | None = None,
    issuer: str | None = None,
) -> "Verdict":
    """Verify a record's document offline with its issuer's key set. See `coolid.proofs.verification.verify`.

    >>> verify({}, {"keys": []}).ok
    False
    """
    from coolid.proofs.verification import verify as check  # `import coolid` imports no module of it

    return check(document, keys, history, pid=pid, issuer=issuer)


def __getattr__(name: str) -> str:
    """Return `__version__`, read when it is used, because importing `coolid` imports none of its modules."""
    if name == "__version__":
        from coolid.version import __version__

        return __version__
    raise AttributeError(f"module 'coolid' has no attribute {name!r}")
