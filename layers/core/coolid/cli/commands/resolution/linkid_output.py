"""Output of the resolution of a LinkID: its state, what that is based on, and the hops from its target on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from coolid.cli.commands.resolution.hop_output import print_hops
from coolid.cli.error_report import AFTER_NO_RESOLVER
from coolid.cli.exit_codes import (
    DEPRECATED,
    DONE,
    INACTIVE,
    INTEGRITY_FAILURE,
    NO,
    POLICY_DENIED,
    REVOKED,
    TOMBSTONED,
    UNREACHABLE,
)
from coolid.cli.output import BAD, GOOD, cell, on_screen, out, print_line, print_pairs
from coolid.client import Resolution
from coolid.client.linkid.linkid_resolution import LinkIdResolution
from coolid.client.linkid.resolver_sources import MEANINGS
from coolid.linkid import states

if TYPE_CHECKING:
    from coolid.cli.output import Cell

STATE_CODES: Final = {
    states.ACTIVE: DONE,
    states.UNKNOWN: NO,
    states.TEMPORARILY_UNAVAILABLE: UNREACHABLE,
    states.INACTIVE: INACTIVE,
    states.DEPRECATED: DEPRECATED,
    states.REVOKED: REVOKED,
    states.TOMBSTONED: TOMBSTONED,
    states.POLICY_DENIED: POLICY_DENIED,
    states.INTEGRITY_FAILURE: INTEGRITY_FAILURE,
}
"""The exit code of `coolid resolve` for each state of a LinkID."""


def print_linkid(resolution: Resolution, found: LinkIdResolution) -> None:
    """Print the state of a LinkID in pairs, problems of resolvers on standard error, and the hops from its target."""
    for attempt in found.attempts:
        print_line(f"{attempt.resolver}: {attempt.problem}")
    print_pairs(_pairs(found))
    for note in found.notes:
        print_line(f"note: {note}")
    if found.status == states.TEMPORARILY_UNAVAILABLE:
        print_line(f"  {AFTER_NO_RESOLVER}")
    if found.successor:
        print_line("  --successor resolves the successor, too")
    print_hops(resolution)
    if resolution.stopped:
        print_line(f"coolid: {resolution.stopped}")


def _pairs(found: LinkIdResolution) -> Iterator[tuple[str, "Cell"]]:
    status: Cell = found.status
    if on_screen(out):
        status = cell(found.status, GOOD if found.status == states.ACTIVE else BAD)
    yield "id", found.id
    yield "status", status
    if found.reason:
        yield "reason", found.reason
    if found.target is not None:
        yield "target", found.target
    if found.successor:
        yield "successor", found.successor
    if found.resolver is not None:
        yield "resolver", f"{found.resolver}, from {MEANINGS[str(found.source)]}"
    if found.authority is not None:
        yield "authority", found.authority
    for transfer in found.result.custody if found.result else ():
        yield "custody", f"from {transfer.sender} to {transfer.recipient} at {transfer.at}"
    if found.trust is not None:
        yield "trust", found.trust
    for check in found.checks:
        yield "passed" if check.passed else "FAILED", f"{check.name}: {check.detail}"
