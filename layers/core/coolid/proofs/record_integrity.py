"""The integrity of one version of a record, checked without a library for signatures.

A service that resolves uses it for its own records and its own published keys, before it serves a record. Signatures
are cached (see `p256`); the digest is computed each time, because the document may have changed since.

>>> find_failure({"id": "a"}, [])
CheckOutcome(name='document', passed=False, detail='the document has no text for pid')
"""

from collections.abc import Mapping, Sequence
from typing import Any

from coolid.proofs.p256 import is_signature
from coolid.proofs.verdicts import CheckOutcome
from coolid.proofs.verification import check_version


def find_failure(document: Mapping[str, Any], public_keys: Sequence[Mapping[str, Any]]) -> CheckOutcome | None:
    """Return the first failed check of a document, or None if one of these keys (JWKs) signed exactly this document."""
    checks, _ = check_version(document, {"keys": public_keys}, signature_check=is_signature)
    return next((check for check in checks if not check.passed), None)
