"""Request and response bodies of the management API: one JSON value each, the request limited in size."""

from typing import Any, Final

from coolid.errors import InvalidInput
from coolid.http.caching import NO_STORE, strong_etag
from coolid.http.errors import BodyTooLarge, MalformedBody, UnsupportedPatch
from coolid.http.message import Request, Response
from coolid.strict_json import MAX_BYTES, NotJson, dump, load

MERGE_PATCH: Final = "application/merge-patch+json"
_JSON: Final = "application/json"
_FORM: Final = "application/x-www-form-urlencoded"  # the default of curl -d


def checked_body(request: Request) -> bytes:
    """Return the body. Raises `BodyTooLarge`."""
    if len(request.body) > MAX_BYTES:
        raise BodyTooLarge(f"the body has {len(request.body)} bytes, more than the {MAX_BYTES} that are read")
    return request.body


def json_of(request: Request) -> Any:
    """Return the JSON value of the body. Raises `BodyTooLarge`, `MalformedBody`."""
    try:
        return load(checked_body(request))
    except NotJson as error:
        raise MalformedBody(f"the body is not JSON: {error}") from error


def merge_patch_of(request: Request) -> dict[str, Any]:
    """Return the merge patch in the body (RFC 7396), an object. Raises `UnsupportedPatch` for another kind."""
    media_type = (request.header("content-type") or _JSON).partition(";")[0].strip().lower()
    if media_type not in (MERGE_PATCH, _JSON, _FORM):
        raise UnsupportedPatch(f"a change is a merge patch ({MERGE_PATCH}), not {media_type!a}")
    patch = json_of(request)
    if not isinstance(patch, dict):
        raise InvalidInput.at("", "a merge patch is a JSON object here")
    return patch


def document_response(status: int, document: Any) -> Response:
    """Return a document as an uncacheable response, with the entity tag that conditional changes need."""
    text = dump(document)
    return Response(
        status, {"Content-Type": "application/json", "Cache-Control": NO_STORE, "ETag": strong_etag(text)}, text
    )
