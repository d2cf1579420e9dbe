"""Differences of LocalStack (2026.3) from AWS. A test that meets one ends as an expected failure.

Everything else must hold there as at AWS and on this machine. Each difference is detected in the response, so the tests
fail once LocalStack is corrected.
"""

import re

import pytest

from tests.e2e.service import Service
from tests.support.servers.responses import Reply


def cuts_paths_at_semicolons(service: Service, target: str, reply: Reply) -> None:
    """It reads paths with `urllib.parse.urlparse`, for which `;` begins parameters of the path's last part.

    localstack/services/apigateway/next_gen/execute_api/handlers/parse.py, `_enrich_with_raw_path`
    """
    if not service.is_localstack or ";" not in target.partition("?")[0].rpartition("/")[2]:
        return
    cut = service.get(target[: target.rindex(";")])
    if (reply.status, reply.headers.get("location")) == (cut.status, cut.headers.get("location")):
        pytest.xfail("LocalStack cuts the path off at a semicolon")


def applies_no_gateway_responses(service: Service, reply: Reply) -> None:
    """What it refuses by itself it tells in API Gateway's own words, whatever responses the API has of its own.

    localstack/services/apigateway/next_gen/execute_api/handlers/gateway_exception.py
    """
    if service.is_localstack and reply.media_type == "application/json" and reply.json().keys() == {"message"}:
        pytest.xfail("LocalStack applies no gateway responses")


def rewrites_locations(service: Service, location: str, seen: str) -> None:
    """Its answers are werkzeug's, which takes `Location` apart and loses an empty query and fragment on the way."""
    if service.is_localstack and seen != location and seen == location.removesuffix("?#"):
        pytest.xfail("LocalStack takes an empty query and fragment off Location")


def sends_bytes_in_base64(service: Service, reply: Reply) -> None:
    """It passes over the binary media type `*/*`, so that bytes stay the base64 that the function gave.

    localstack/services/apigateway/next_gen/execute_api/helpers.py, `mime_type_matches_binary_media_types`
    """
    if service.is_localstack and re.fullmatch(rb"[A-Za-z0-9+/]+={0,2}", reply.body):
        pytest.xfail("LocalStack does not take everything for binary, though it is told to")


def drops_from_304(service: Service) -> set[str]:
    """Headers that werkzeug takes out of a 304, as RFC 2616 had it; RFC 9110 asks for none of them."""
    return {"last-modified"} if service.is_localstack else set()
