"""The content of a source's version as the API would accept it, and the losses that this takes.

The rules are those of `coolid.http.api_documents`, whose violations have JSON pointers. What a pointer refers to is
left out and reported: a location with a hostile target, a member of a location, an element of the metadata.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from coolid.errors import InvalidInput, Violation
from coolid.http.api_documents import ContentBody, WithdrawalBody, parse, validated_content
from coolid.identifiers.typography import is_visible
from coolid.migration.encoded_targets import encoded_target
from coolid.migration.source_identifiers import Loss, SourceVersion, drop_largest
from coolid.model.custody import MEMBER as CUSTODY
from coolid.model.records import WITHDRAWN, Content
from coolid.model.repositories import Repository
from coolid.proofs.canonical_json import canonical
from coolid.store.limits import MAX_RECORD_BYTES
from coolid.strict_json import check_depth

NO_REASON: Final = "withdrawn in the source, which gives no reason"
TARGET: Final = "target"
"""The name of a target in a report."""
ENCODABLE: Final = "it has characters that must be percent-encoded; --encode-targets encodes them"

_MAX_BYTES: Final = MAX_RECORD_BYTES - 10_000
"""The most bytes of a content. The rest of a record is for its identifier, its claims and its proof."""
_MAX_MEMBERS: Final = 100
_MAX_NAME_LENGTH: Final = 200
_MAX_REASON_LENGTH: Final = 500
_MAX_SHOWN: Final = 2_048
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]+")
_TOO_LARGE: Final = f"with it, the record would be larger than {MAX_RECORD_BYTES} bytes"
_LISTS: Final = {"records": TARGET, "alternates": "alternate"}
_TOO_MANY: Final = f"there are more than {_MAX_MEMBERS}"

Document = dict[str, Any]


def checked_content(version: SourceVersion, repository: Repository) -> tuple[Content, list[Loss]]:
    """Return the content of a version without what the API would refuse, and what was left out.

    The content of a withdrawn version is active. Raises `InvalidInput` if nothing can be left out to make it valid.
    """
    losses: list[Loss] = []
    document: Document = {
        "records": [location.to_document() for location in version.locations],
        "metadata": _checked_metadata(version.metadata, losses),
        "alternates": [dict(alternate) for alternate in version.alternates],
        "status": "active" if version.status == WITHDRAWN else version.status,
        "ttl": version.ttl,
    }
    for name, label in _LISTS.items():
        losses += [Loss(label, _TOO_MANY, _shown(each)) for each in document[name][_MAX_MEMBERS:]]
        del document[name][_MAX_MEMBERS:]
    while True:
        try:
            return validated_content(parse(ContentBody, document), repository), losses
        except InvalidInput as error:
            removed = _without(document, error.violations)
            if not removed:
                raise
            losses += removed


def withdrawal_of(version: SourceVersion) -> tuple[WithdrawalBody, list[Loss]]:
    """Return the withdrawal of a withdrawn version, and what was left out."""
    losses = []
    reason = _CONTROLS.sub(" ", version.reason or "").strip()
    if not is_visible(reason):
        reason = NO_REASON
    elif len(reason) > _MAX_REASON_LENGTH:
        losses.append(Loss("reason", f"it is cut to {_MAX_REASON_LENGTH} characters", reason))
        reason = reason[: _MAX_REASON_LENGTH - 1] + "…"
    document: Document = {"reason": reason, "successor": version.successor or None}
    try:
        return parse(WithdrawalBody, document), losses
    except InvalidInput as error:
        losses += [Loss("successor", each.reason, _shown(version.successor)) for each in error.violations]
        return parse(WithdrawalBody, document | {"successor": None}), losses


def _checked_metadata(metadata: Mapping[str, Any], losses: list[Loss]) -> Document:
    """Return the metadata without elements that no record can have. They are added to the losses."""
    checked: Document = {}
    for name, value in metadata.items():
        reason = _TOO_MANY if len(checked) == _MAX_MEMBERS - 1 else _element_objection(name, value)
        if reason:
            losses.append(Loss(str(name)[:_MAX_NAME_LENGTH], reason, _shown(value)))
        else:
            checked[name] = value
    sizes = {name: len(orjson.dumps(value)) for name, value in checked.items()}
    losses += drop_largest(checked, sizes, _MAX_BYTES, _TOO_LARGE)
    return checked


def _element_objection(name: str, value: Any) -> str | None:
    """Return why the metadata cannot have an element, or None."""
    if not 0 < len(name) <= _MAX_NAME_LENGTH:
        return f"its name does not have 1 to {_MAX_NAME_LENGTH} characters"
    if name == CUSTODY:
        return "only the service writes this element"
    try:
        check_depth({"versions": [{"record": {"metadata": {name: value}}}]})
        orjson.dumps(value)
        canonical({name: value})
    except (ValueError, TypeError, RecursionError) as error:
        return f"no record can have such a value: {error}"
    return None


def _without(document: Document, violations: Sequence[Violation]) -> list[Loss]:
    """Remove what the violations refer to, and return it. The last ones come first, because lists shrink."""
    losses: dict[tuple[str, ...], Loss] = {}
    for violation in violations:
        parts = tuple(violation.pointer.split("/")[1:])
        if len(parts) > 1 and parts[0] in _LISTS:
            is_member = parts[0] == "records" and len(parts) > 2 and parts[2] != "uri"
            path = parts[:3] if is_member else parts[:2]
        elif parts and parts[0] in ("ttl", "metadata"):
            path = parts[:2]
        else:
            continue
        value = _value_at(document, path)
        name = path[2] if len(path) == 3 else _LISTS.get(path[0], path[-1])
        shown = _shown(value)
        reason = ENCODABLE if name == TARGET and encoded_target(shown) else violation.reason
        losses.setdefault(path, Loss(name, reason, shown))
    for path in sorted(losses, key=lambda path: (path[0], *(part.zfill(9) for part in path[1:])), reverse=True):
        holder = _value_at(document, path[:-1])
        del holder[int(path[-1]) if isinstance(holder, list) else path[-1]]
    return [*losses.values()]


def _value_at(document: Document, path: Sequence[str]) -> Any:
    value: Any = document
    for part in path:
        value = value[int(part) if isinstance(value, list) else part]
    return value


def _shown(value: Any) -> str:
    """Return a value as text for a report: the target of a location, a text, or JSON."""
    if isinstance(value, Mapping) and "uri" in value:
        value = value["uri"]
    if not isinstance(value, str):
        try:
            value = orjson.dumps(value).decode()
        except TypeError:
            value = repr(value)
    return str(value)[:_MAX_SHOWN]
