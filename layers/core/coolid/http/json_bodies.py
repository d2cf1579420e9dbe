"""JSON in requests and responses of the management API: values, merge patches (RFC 7396), documents and records.

Responses with one record have the header `Target-Warning` if a target is suspicious, a list of strings (RFC 9651), each
with the JSON pointer to its target in the record. Warnings are never part of the record, which is signed:

    Target-Warning: "its host xn--pple-43d.com: xn--pple-43d mixes scripts: Cyrillic, Latin";at="/records/0/uri"

Responses with many records have `target_warnings(record)` as a member, in the form of a problem's `errors`.

>>> merged({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": None}, "d": [2]})
{'a': {'c': 2}, 'd': [2]}
"""

from typing import Any, Final

from coolid.errors import InvalidInput
from coolid.http.caching import NO_STORE, strong_etag
from coolid.http.errors import BodyTooLarge, MalformedBody, UnsupportedPatch
from coolid.http.message import Request, Response
from coolid.model.records import Record
from coolid.strict_json import MAX_BYTES, NotJson, dump, load

MERGE_PATCH: Final = "application/merge-patch+json"
MAX_WARNINGS: Final = 5
MAX_WARNING_LENGTH: Final = 500
"""Characters of a warning; their number is limited because API Gateway limits headers."""
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


def require_texts(members: list[Any]) -> list[str]:
    """Return the members of `ids`. Raises `InvalidInput` with a pointer to the first one that is not a string."""
    wrong = next((at for at, member in enumerate(members) if not isinstance(member, str)), None)
    if wrong is not None:
        raise InvalidInput.at(f"/ids/{wrong}", "it is not a string")
    return members


def merge_patch_of(request: Request) -> dict[str, Any]:
    """Return the merge patch in the body, an object. Raises `UnsupportedPatch` for another kind."""
    media_type = (request.headers.get("content-type") or _JSON).partition(";")[0].strip().lower()
    if media_type not in (MERGE_PATCH, _JSON, _FORM):
        raise UnsupportedPatch(f"a change is a merge patch ({MERGE_PATCH}), not {media_type!a}")
    patch = json_of(request)
    if not isinstance(patch, dict):
        raise InvalidInput.at("", "a merge patch is a JSON object here")
    return patch


def merged(target: Any, patch: Any) -> Any:
    """Return the target changed by the patch (RFC 7396, section 2): null removes, objects merge, all else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def document_response(status: int, document: Any, **headers: str) -> Response:
    """Return an uncacheable response with an entity tag for changes; `_` in a header's name stands for `-`."""
    text = dump(document)
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, {"Content-Type": _JSON, "Cache-Control": NO_STORE, "ETag": strong_etag(text), **more}, text)


def record_response(status: int, record: Record, **headers: str) -> Response:
    """Return a record as a response, with warnings about its targets."""
    warning = target_warning(record)
    return document_response(
        status, record.to_document(), **headers, **({"Target_Warning": warning} if warning else {})
    )


def target_warnings(record: Record) -> list[dict[str, str]]:
    """Return the warnings, each with the `pointer` to its target and its `detail`."""
    from coolid.identifiers.target_policy import warning  # not needed to resolve in bulk

    reasons = ((at, warning(each.uri)) for at, each in enumerate(record.records))
    return [
        {"pointer": f"/records/{at}/uri", "detail": reason[:MAX_WARNING_LENGTH]} for at, reason in reasons if reason
    ]


def target_warning(record: Record) -> str | None:
    """Return the value of `Target-Warning` with the first warnings, None without any."""
    warnings = target_warnings(record)[:MAX_WARNINGS]
    return ", ".join(f"{_string(each['detail'])};at={_string(each['pointer'])}" for each in warnings) or None


def _string(text: str) -> str:
    """Return a string of RFC 9651, with `?` for characters outside printable ASCII."""
    printable = "".join(symbol if " " <= symbol <= "~" else "?" for symbol in text)
    return '"' + printable.replace("\\", "\\\\").replace('"', '\\"') + '"'
