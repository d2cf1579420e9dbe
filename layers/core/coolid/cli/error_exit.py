"""Ending: whatever a user can cause ends in a sentence that says what to do, an exit code, and no traceback."""

import errno
import re
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

import typer

from coolid.cli.output import DONE, INTERRUPTED, NO, USAGE, err, let_go, tell

EXAMPLE: Final = re.compile(r"^ *\$ (.*)$", re.MULTILINE)
"""A command line in a help text."""
_SHOWING: Final = "NoArgsIsHelpError"


def run(command: Callable[[], Any]) -> NoReturn:
    """Run a command line, which gives back its exit code where `typer.Exit` named one, and end the program with it."""
    try:
        code = command()
        sys.stdout.flush()
    except Exception as error:
        code = _told(error)
        if code is None:
            raise
    sys.exit(code or DONE)


def _tell_usage(error: Any) -> None:
    """What is wrong with a command line, and where to read how it is right."""
    ctx = getattr(error, "ctx", None)
    path, command = (ctx.command_path, ctx.command) if ctx else ("coolid", None)
    message = " ".join(error.format_message().replace("Value error, ", "").split())
    tell(f"coolid: {message[:1].lower()}{message[1:]}")
    example = EXAMPLE.search(getattr(command, "help", None) or "")
    if example and not hasattr(command, "commands"):
        tell(f"  such as: {example[1]}")
    tell(f"  `{path} --help` lists {'the commands' if hasattr(command, 'commands') else 'arguments and options'}")


def _told(error: Exception) -> int | None:
    """Tell of an error and give the exit code; None for what only a mistake of ours can cause."""
    if type(error).__name__ == _SHOWING:
        typer.echo(str(error), err=True)
        return USAGE
    if isinstance(error, typer.TyperException):
        _tell_usage(error)
        return int(error.exit_code)
    if isinstance(error, typer.Abort):  # a question that was not answered
        err.print()
        if isinstance(error.__context__, KeyboardInterrupt):
            return INTERRUPTED
        tell("coolid: nothing was changed, for the question was not answered; --yes answers it")
        return NO
    if isinstance(error, BrokenPipeError) or (isinstance(error, OSError) and error.errno == errno.EPIPE):
        let_go()
        return NO
    if isinstance(error, OSError):
        tell(f"coolid: {error.filename or 'a file'} cannot be used: {error.strerror or error}")
        return USAGE
    return None
