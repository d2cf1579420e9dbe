"""Selects the states of a file by prefix, to create repositories, and gives the names that a minter holds back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from coolid.errors import UsageError
from coolid.migration.minter_states.minter_state import MinterState
from coolid.migration.minter_states.state_files import read_states
from coolid.migration.source_identifiers import SourceIdentifier, SourceVersion
from coolid.model.records import RESERVED

_MAX_LISTED: Final = 10
_SEVERAL: Final = (
    "the file has several minters for this prefix, of which one can be continued; shoulders that are not letters and a "
    "digit belong to the prefix of their NAAN"
)


def states_by_prefix(path: Path) -> tuple[dict[str, MinterState], list[str]]:
    """Return the states of a file by prefix, and a sentence about each minter that cannot be continued.

    Of several states for a prefix, none is used, because only one of them can be right. Raises `UsageError`.
    """
    states: dict[str, MinterState] = {}
    refusals: list[str] = []
    repeated: set[str] = set()
    for state in read_states(path):
        if not isinstance(state, MinterState):
            refusals.append(f"{state.name}: {state.reason}")
        elif state.prefix in states:
            repeated.add(state.prefix)
        else:
            states[state.prefix] = state
    for prefix in sorted(repeated):
        del states[prefix]
        refusals.append(f"{prefix or 'without a NAAN'}: {_SEVERAL}")
    return states, refusals


def selected_state(path: Path, prefix: str | None) -> MinterState:
    """Return the state for a prefix, or the only one of a file. Raises `UsageError` with those to choose from."""
    states, refusals = states_by_prefix(path)
    if not states:
        raise UsageError(f"{path} has no minter that can be continued: {'; '.join(refusals[:_MAX_LISTED])}")
    if prefix in states:
        return states[prefix]
    named = [each or "one without a NAAN" for each in sorted(states)]
    listed = ", ".join(named[:_MAX_LISTED]) + (f" and {len(named) - _MAX_LISTED} more" if named[_MAX_LISTED:] else "")
    if len(states) > 1:
        raise UsageError(f"{path} has {len(states)} minters; name the prefix of one: {listed}")
    [state] = states.values()
    if prefix is not None and state.prefix:
        raise UsageError(f"the minter of {path} is for {state.prefix}, not for {prefix}")
    return state


def reserved_identifiers(state: MinterState) -> Iterator[SourceIdentifier]:
    """Yield the names that the minter holds back or has queued, as reserved identifiers: they are never minted."""
    version = SourceVersion(status=RESERVED)
    head = state.prefix + ("" if state.rules.shoulder else "/")
    for position, name in enumerate(state.reserved, 1):
        yield SourceIdentifier(position, f"{head}{name}", (version,))
