"""Repositories and prefixes that continue a minter of another service, from a file with its state."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coolid.cli.output import print_line
from coolid.errors import UsageError

if TYPE_CHECKING:
    from coolid.client.client import Client
    from coolid.migration.minter_states.minter_state import MinterState

Minter = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Continue a minter of Noid, EZID or arklet: its database, a dump, or JSON."),
]


def minter_state(file: Path, prefix: str | None, named: Mapping[str, Any]) -> "MinterState":
    """Return the state of a minter. Raises `UsageError`, also if `named` has what the state decides."""
    from coolid.migration.minter_states.state_selection import selected_state

    others = sorted({"repository", "providers"} & named.keys())
    if others:
        raise UsageError("--minter excludes --repository and --provider, because it creates a repository")
    state = selected_state(file, prefix)
    if not (prefix or state.prefix):
        raise UsageError("which prefix? The minter has no NAAN; use a NAME, such as mp")
    return state


def print_continuation(state: "MinterState", prefix: str) -> None:
    """Print how a minter continues, so that the operator can compare the next identifiers."""
    separator = "" if state.rules.shoulder else "/"
    minted = "" if state.minted is None else f", which has minted {state.minted} names"
    print_line(f"coolid: {prefix} continues a minter of {state.program}{minted}")
    for warning in state.warnings:
        print_line(f"coolid: note: {warning}")
    following = [f"{prefix}{separator}{name}" for name in state.next_names(3)]
    if following:
        print_line(f"coolid: the next identifiers are {', '.join(following)}")
        print_line("  compare them with the old minter's preview, and stop the old minter before you mint here")
    elif state.minted is None:
        print_line("coolid: it mints at random, so the next identifiers cannot be predicted")
    else:
        print_line("coolid: all its names are used")


def reserve_names(client: "Client", state: "MinterState", prefix: str) -> None:
    """Reserve the names that the minter holds back. Print the one that fails, if any, and raise its error."""
    for name in state.reserved:
        try:
            client.mint({"prefix": prefix, "id": name, "status": "reserved"})
        except Exception:
            print_line(f"coolid: {name} could not be reserved; the names before it are. The others may be minted:")
            print_line(f"  coolid mint --prefix {prefix} --reserved --id {name}")
            raise
