"""Verifies proofs with public tools: jwcrypto for signatures, rfc8785 for the bytes, the published key set.

The checks are those of `docs/explanation/proofs.md`.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import rfc8785
from jwcrypto.jwk import JWKSet
from jwcrypto.jws import JWS

from tests.e2e.service import Service

KEYS = "/.well-known/jwks.json"


def published_keys(service: Service) -> JWKSet:
    """The key set as it is now."""
    return JWKSet.from_json(service.get(KEYS).text)


def digest_of(record: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical form of the record without its proof, as RFC 9530 writes digests."""
    bare = {member: value for member, value in record.items() if member != "proof"}
    return f"sha-256=:{base64.b64encode(hashlib.sha256(rfc8785.dumps(bare)).digest()).decode()}:"


def check(record: Mapping[str, Any], keys: JWKSet) -> None:
    """Whether the issuer said exactly this; an error of jwcrypto's if the signature is not that of a key of the set."""
    token = JWS()
    token.allowed_algs = ["ES256"]
    token.deserialize(record["proof"])
    assert token.jose_header.keys() == {"alg", "kid"}
    key = keys.get_key(token.jose_header["kid"])
    assert key is not None
    assert key.thumbprint() == token.jose_header["kid"]
    token.verify(key)
    statement = json.loads(token.payload)
    assert statement["digest"] == digest_of(record)
    assert (statement["pid"], statement["version"]) == (record["pid"], record["version"])
    assert statement["iss"] == record["issuer"]
    assert record["pid"].startswith(f"{record['issuer']}/")


def check_chain(versions: Sequence[Mapping[str, Any]], keys: JWKSet) -> None:
    """Whether these, oldest first, are all versions of one record, each naming the one before."""
    for number, record in enumerate(versions, 1):
        check(record, keys)
        assert record["version"] == number
        assert record.get("previous") == (digest_of(versions[number - 2]) if number > 1 else None)
        for member in ("pid", "id", "repository", "created"):
            assert record[member] == versions[0][member]
