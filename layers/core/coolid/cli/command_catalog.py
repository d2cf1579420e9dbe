"""The commands of `coolid`: the panel of the help page that lists each, its line there, and where it is defined.

The module of a command is imported when the command runs, or when its own help is shown.

>>> COMMANDS["backup"]
CommandEntry(panel='Operate', summary='Copy the database while it is in use.', target='database:backup')
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple

import typer
from typer.main import get_command

from coolid.cli.help_pages import Command, group

_PACKAGE: Final = "coolid.cli.commands"


class CommandEntry(NamedTuple):
    """A command, or a group of commands. `target` is a module of `coolid.cli.commands` and a function or app in it."""

    panel: str
    summary: str
    target: str


_TRY: Final = "Try it"
_LOOK_UP: Final = "Look up and check"
_KEEP: Final = "Mint and keep"
_CONNECT: Final = "Connect"
_OPERATE: Final = "Operate"

COMMANDS: Final = {
    "serve": CommandEntry(_TRY, "Serve the whole system on this machine.", "serve:serve"),
    "generate": CommandEntry(_TRY, "Generate random identifiers, one a line.", "generate:generate"),
    "resolve": CommandEntry(_LOOK_UP, "Resolve an identifier and print every hop.", "resolution.resolve:resolve"),
    "parse": CommandEntry(_LOOK_UP, "Explain what a text is.", "parse:parse"),
    "validate": CommandEntry(_LOOK_UP, "Validate the identifiers in a file.", "validate:validate"),
    "verify": CommandEntry(_LOOK_UP, "Verify the proof of a record.", "verification.verify:verify"),
    "audit": CommandEntry(_LOOK_UP, "Audit a service by its transparency log.", "transparency.audit:audit"),
    "mint": CommandEntry(_KEEP, "Mint a record and print its PID.", "mint:mint"),
    "show": CommandEntry(_KEEP, "Show a record.", "show:show"),
    "update": CommandEntry(_KEEP, "Change a record.", "update:update"),
    "withdraw": CommandEntry(_KEEP, "Withdraw a record for good.", "withdraw:withdraw"),
    "history": CommandEntry(_KEEP, "List the versions of a record.", "history:history"),
    "custody": CommandEntry(_KEEP, "Give records to another operator, or receive.", "custody.command:app"),
    "health": CommandEntry(_KEEP, "List links and providers that do not work.", "health:health"),
    "bulk": CommandEntry(_KEEP, "Mint or change many records by bulk jobs.", "bulk:app"),
    "repositories": CommandEntry(_KEEP, "Manage repositories and their rules.", "repositories:app"),
    "prefixes": CommandEntry(_KEEP, "Manage prefixes, NAANs and shoulders.", "prefixes:app"),
    "login": CommandEntry(_CONNECT, "Store an API key for later commands.", "login:login"),
    "logout": CommandEntry(_CONNECT, "Remove a stored API key.", "login:logout"),
    "doctor": CommandEntry(_CONNECT, "Find out why a service does not work.", "doctor:doctor"),
    "backup": CommandEntry(_OPERATE, "Copy the database while it is in use.", "database:backup"),
    "check": CommandEntry(_OPERATE, "Check the integrity of the database.", "database:check"),
    "export": CommandEntry(_OPERATE, "Export identifiers to another service.", "export:export"),
    "import": CommandEntry(_OPERATE, "Import identifiers from another service.", "identifier_import.command:import_"),
    "import-snapshot": CommandEntry(_OPERATE, "Convert an old `serve --data` file.", "import_snapshot:import_snapshot"),
    "mirror": CommandEntry(_OPERATE, "Mirror a service as a static site.", "transparency.mirror:mirror"),
    "keys": CommandEntry(_OPERATE, "Manage signing keys and API keys.", "keys:app"),
    "registry": CommandEntry(_OPERATE, "Import and check the registry of prefixes.", "registry:app"),
    "witness": CommandEntry(_OPERATE, "Witness transparency logs of others.", "transparency.witness:app"),
    "records": CommandEntry(_OPERATE, "List, mint, export and import records.", "records:app"),
}
"""By name, in the order of the help page. A test compares the summaries with the help of the commands."""


class LoadedCommands(Mapping[str, Any]):
    """The commands by name, as typer's command objects, each loaded when it is looked up."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = _load(name, COMMANDS[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _load(name: str, entry: CommandEntry) -> Any:
    module, _, member = entry.target.partition(":")
    target = getattr(import_module(f"{_PACKAGE}.{module}"), member)
    if isinstance(target, typer.Typer):
        command: Any = get_command(target)
    else:
        alone = group(name, add_completion=False)
        alone.command(name, cls=Command)(target)
        command = get_command(alone)
    command.name, command.rich_help_panel = name, entry.panel
    return command
