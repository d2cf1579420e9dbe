"""The description of a mirror, `_mirror/mirror.json`: of which service and checkpoint it is, for programs."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from msgspec import Struct

from coolid.errors import UsageError
from coolid.mirror.folder import MirrorFolder
from coolid.mirror.layout import DESCRIPTION
from coolid.mirror.manifest import FORMAT, checkpoint_line
from coolid.mirror.pages import MirrorState

FROM_LOG: Final = "log"


class MirrorDescription(Struct, frozen=True):
    """See `coolid.mirror.pages.MirrorState`. `checkpoint` is a line, and `verifier_key` that of the log, or empty.

    `namespaces` are the prefixes of repositories in the log.
    """

    format: str
    service: str
    made_from: str
    checkpoint: str
    verifier_key: str
    newest: str
    records: int
    namespaces: tuple[str, ...] = ()


def description_of(state: MirrorState, verifier_key: str, namespaces: Iterable[str]) -> bytes:
    """Return the description as JSON."""
    found = MirrorDescription(
        FORMAT,
        state.service,
        state.made_from,
        checkpoint_line(state.checkpoint),
        verifier_key,
        state.newest,
        state.records,
        tuple(sorted(namespaces)),
    )
    return msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n"


def read_description(folder: MirrorFolder) -> MirrorDescription | None:
    """Return the description of a mirror, or None if there is none. Raises `UsageError` for another format."""
    content: Any = folder.read(DESCRIPTION)
    if content is None:
        return None
    try:
        found = msgspec.json.decode(content, type=MirrorDescription)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{folder.path / DESCRIPTION} is not the description of a mirror: {error}") from error
    if found.format != FORMAT:
        raise UsageError(f"{folder.path} is a mirror of another format, {found.format!a}")
    return found
