"""Bodies of the management API: one JSON value in, within the size that is read, and one out."""

from typing import Any, Final

from coolid.errors import InvalidInput
from coolid.http.caching import NO_STORE, strong_etag
from coolid.http.errors import BodyTooLarge, MalformedBody, UnsupportedPatch
from coolid.http.message import Request, Response
from coolid.strict_json import MOST_BYTES, NotJson, dump, load

MERGE_PATCH: Final = "application/merge-patch+json"
_JSON: Final = "application/json"
_FORM: Final = "application/x-www-form-urlencoded"  # what curl -d says when it is told nothing


def sized(request: Request) -> bytes:
    """The body; `BodyTooLarge`."""
    if len(request.body) > MOST_BYTES:
        raise BodyTooLarge(f"the body has {len(request.body)} bytes, more than the {MOST_BYTES} that are read")
    return request.body


def json_of(request: Request) -> Any:
    """The JSON value of the body; `BodyTooLarge`, `MalformedBody`."""
    try:
        return load(sized(request))
    except NotJson as error:
        raise MalformedBody(f"the body is not JSON: {error}") from error


def merge_patch_of(request: Request) -> dict[str, Any]:
    """The merge patch of the body (RFC 7396): an object. Any other kind of patch is `UnsupportedPatch`."""
    media_type = (request.header("content-type") or _JSON).partition(";")[0].strip().lower()
    if media_type not in (MERGE_PATCH, _JSON, _FORM):
        raise UnsupportedPatch(f"a change is a merge patch ({MERGE_PATCH}), not {media_type!a}")
    patch = json_of(request)
    if not isinstance(patch, dict):
        raise InvalidInput.at("", "a merge patch is a JSON object here")
    return patch


def stored(status: int, document: Any) -> Response:
    """What is stored, as the management API gives it: never cached, with the tag that changes are guarded by."""
    text = dump(document)
    return Response(
        status, {"Content-Type": "application/json", "Cache-Control": NO_STORE, "ETag": strong_etag(text)}, text
    )
