"""coolid: a resolver and minter of persistent identifiers, and a client of such services.

The names in `__all__` are the public Python API. They are stable: the changelog announces the change or removal of one
a release before. The modules of `coolid.identifiers.schemes` are stable, too, with the functions `compact`, `validate`,
`is_valid` and `format` of each. All other modules are internal.

Without a service:

>>> parse("https://doi.org/10.5281/ZENODO.31780").canonical
'doi:10.5281/zenodo.31780'
>>> validate("0000-0002-1825-0097", "orcid")
'0000-0002-1825-0097'
>>> len(generate("lui"))
12

With a service (`docs/reference/python-api.md` has more):

    with coolid.Client("https://id.example.org", key) as client:
        record = client.mint(prefix="demo", uri="https://example.org/", metadata={"what": "A thing"})
        client.resolve(record.pid).target

Importing `coolid` imports none of its modules; each is imported when one of its names is used.

Packages, each of which imports only from those above it:

* `errors`, `ports`, `deadlines`, `strict_json`, `private_files`: error kinds; clock and entropy; time limits; JSON
  parsing; files of mode 600.
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
* `sqlite`: the embedded store.
* `transfer`: exports, imports and rows to mint.
* `wiring`: the assembly of the applications and of the Lambda handlers.
* `local`, `cli`: the service on one machine, and the console commands.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from coolid.client.async_client import AsyncClient
    from coolid.client.batches import MintResult
    from coolid.client.client import Client
    from coolid.client.documents import (
        ApiKey,
        BulkJob,
        Location,
        Prefix,
        Record,
        ReportedLink,
        Repository,
        Version,
        Withdrawal,
    )
    from coolid.client.errors import (
        AlreadyExists,
        BadAnswer,
        BadRequest,
        ClientError,
        ConnectionLost,
        DeniedByPolicy,
        FailedVerification,
        InsufficientScope,
        InvalidKey,
        MintQuotaExceeded,
        PayloadTooLarge,
        PreconditionFailed,
        RefusedByClient,
        RequestDeclined,
        ResourceConflict,
        ResourceNotFound,
        ServiceUnavailable,
        TooManyRequests,
        Unreachable,
        ValidationFailed,
        Withdrawn,
    )
    from coolid.client.inputs import NewRecord, NewRepository, PrefixMembers, RecordContent, RepositoryTerms
    from coolid.client.linkid.linkid_resolution import LinkIdResolution
    from coolid.client.redirects import Hop
    from coolid.client.resolution import Outcome, Resolution
    from coolid.errors import BadReference, CoolidError, InvalidIdentifier
    from coolid.identifiers.generation import Scheme
    from coolid.proofs.verdicts import CheckOutcome, Verdict
    from coolid.recognition.detection import SchemeMatch
    from coolid.recognition.parsed_text import ParsedText
    from coolid.version import __version__

__all__ = [
    "AlreadyExists",
    "ApiKey",
    "AsyncClient",
    "BadAnswer",
    "BadReference",
    "BadRequest",
    "BulkJob",
    "CheckOutcome",
    "Client",
    "ClientError",
    "ConnectionLost",
    "CoolidError",
    "DeniedByPolicy",
    "FailedVerification",
    "Hop",
    "InsufficientScope",
    "InvalidIdentifier",
    "InvalidKey",
    "LinkIdResolution",
    "Location",
    "MintQuotaExceeded",
    "MintResult",
    "NewRecord",
    "NewRepository",
    "Outcome",
    "ParsedText",
    "PayloadTooLarge",
    "PreconditionFailed",
    "Prefix",
    "PrefixMembers",
    "Record",
    "RecordContent",
    "RefusedByClient",
    "ReportedLink",
    "Repository",
    "RepositoryTerms",
    "RequestDeclined",
    "Resolution",
    "ResourceConflict",
    "ResourceNotFound",
    "Scheme",
    "SchemeMatch",
    "ServiceUnavailable",
    "TooManyRequests",
    "Unreachable",
    "ValidationFailed",
    "Verdict",
    "Version",
    "Withdrawal",
    "Withdrawn",
    "__version__",
    "generate",
    "parse",
    "validate",
    "verify",
]

_MODULES = {
    "AlreadyExists": "coolid.client.errors",
    "ApiKey": "coolid.client.documents",
    "AsyncClient": "coolid.client.async_client",
    "BadAnswer": "coolid.client.errors",
    "BadReference": "coolid.errors",
    "BadRequest": "coolid.client.errors",
    "BulkJob": "coolid.client.documents",
    "CheckOutcome": "coolid.proofs.verdicts",
    "Client": "coolid.client.client",
    "ClientError": "coolid.client.errors",
    "ConnectionLost": "coolid.client.errors",
    "CoolidError": "coolid.errors",
    "DeniedByPolicy": "coolid.client.errors",
    "FailedVerification": "coolid.client.errors",
    "Hop": "coolid.client.redirects",
    "InsufficientScope": "coolid.client.errors",
    "InvalidIdentifier": "coolid.errors",
    "InvalidKey": "coolid.client.errors",
    "LinkIdResolution": "coolid.client.linkid.linkid_resolution",
    "Location": "coolid.client.documents",
    "MintQuotaExceeded": "coolid.client.errors",
    "MintResult": "coolid.client.batches",
    "NewRecord": "coolid.client.inputs",
    "NewRepository": "coolid.client.inputs",
    "Outcome": "coolid.client.resolution",
    "ParsedText": "coolid.recognition.parsed_text",
    "PayloadTooLarge": "coolid.client.errors",
    "PreconditionFailed": "coolid.client.errors",
    "Prefix": "coolid.client.documents",
    "PrefixMembers": "coolid.client.inputs",
    "Record": "coolid.client.documents",
    "RecordContent": "coolid.client.inputs",
    "RefusedByClient": "coolid.client.errors",
    "ReportedLink": "coolid.client.documents",
    "Repository": "coolid.client.documents",
    "RepositoryTerms": "coolid.client.inputs",
    "RequestDeclined": "coolid.client.errors",
    "Resolution": "coolid.client.resolution",
    "ResourceConflict": "coolid.client.errors",
    "ResourceNotFound": "coolid.client.errors",
    "Scheme": "coolid.identifiers.generation",
    "SchemeMatch": "coolid.recognition.detection",
    "ServiceUnavailable": "coolid.client.errors",
    "TooManyRequests": "coolid.client.errors",
    "Unreachable": "coolid.client.errors",
    "ValidationFailed": "coolid.client.errors",
    "Verdict": "coolid.proofs.verdicts",
    "Version": "coolid.client.documents",
    "Withdrawal": "coolid.client.documents",
    "Withdrawn": "coolid.client.errors",
    "__version__": "coolid.version",
}
"""The module of each name that is defined elsewhere."""


def parse(text: str) -> "ParsedText":
    """Return what a text is: the schemes that it could belong to, its canonical form, or why it is not valid.

    The text is an identifier in any form: bare, with its prefix, or as a URL. Every text has a result.

    >>> parsed = parse("0000-0002-1825-0098")
    >>> parsed.scheme, parsed.valid, parsed.reason
    ('orcid', False, 'its check digits are 8, but the other symbols call for 7')
    """
    from coolid.recognition import parsed_text

    return parsed_text.parse(text)


def validate(text: str, scheme: str | None = None) -> str:
    """Return the canonical form of an identifier in a scheme, or in the most likely one.

    Raises:
        InvalidIdentifier: It breaks a rule of the scheme. If the scheme is named, a subclass says which one.
        BadReference: The text is no identifier.
        ValueError: There is no such scheme.

    >>> validate("0-14-029161-X", "isbn")
    '978-0-14-029161-2'
    """
    from coolid.recognition import parsed_text

    return parsed_text.validate(text, scheme)


def generate(
    scheme: "Scheme" = "lui",
    *,
    symbols: int = 8,
    template: str = ".reedeedk",
    naan: str = "",
    shoulder: str = "",
    prefix: str = "",
    object_type: str = "NOT",
) -> str:
    """Return a random identifier. It is registered nowhere: two calls can, rarely, return the same one.

    Args:
        scheme: `lui`, `cooldoi`, `pilin`, `noid`, `uuid`, `ror` or `contextual`.
        symbols: The number of symbols of a LUI without its check digits, 1 to 12.
        template: The template of a NOID.
        naan: The NAAN that the check character of a NOID covers.
        shoulder: The shoulder that the check character of a NOID covers.
        prefix: The namespace prefix of a contextual identifier.
        object_type: The object type of a contextual identifier.

    Raises:
        InvalidIdentifier: An argument does not follow the rules of the scheme.
        ValueError: An argument is invalid.

    >>> validate(generate("lui"), "lui") != validate(generate("lui"), "lui")
    True
    """
    from coolid.aws.clock import SystemClock
    from coolid.aws.entropy import SystemEntropy
    from coolid.identifiers import generation

    options = generation.GenerationOptions(symbols, template, naan, shoulder, prefix, object_type)
    return next(generation.generate(scheme, 1, SystemEntropy(), SystemClock(), options))


def verify(
    document: "Mapping[str, Any]",
    keys: "Mapping[str, Any]",
    history: "Iterable[Mapping[str, Any]]" = (),
    *,
    pid: str | None = None,
    issuer: str | None = None,
    issuer_keys: "Mapping[str, Mapping[str, Any]] | None" = None,
) -> "Verdict":
    """Verify a record's document offline with its issuer's key set. See `coolid.proofs.verification.verify`.

    >>> verify({}, {"keys": []}).ok
    False
    """
    from coolid.proofs.verification import verify as check

    return check(document, keys, history, pid=pid, issuer=issuer, issuer_keys=issuer_keys or {})


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name: str) -> object:
        """Return a public name, whose module is imported when it is first used."""
        if name not in _MODULES:
            raise AttributeError(f"module 'coolid' has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value
