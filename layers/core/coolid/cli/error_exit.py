"""The end of the program: an error that a user can cause prints a sentence and sets the exit code, no traceback."""

import errno
import re
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

import typer

from coolid.cli.output import DONE, INTERRUPTED, NO, USAGE, err, let_go, print_line

EXAMPLE: Final = re.compile(r"^ *\$ (.*)$", re.MULTILINE)
"""A command line in a help text."""
_NO_ARGUMENTS: Final = "NoArgsIsHelpError"


def run(command: Callable[[], Any]) -> NoReturn:
    """Run a command line and exit with its exit code; `command` returns that of `typer.Exit`, if any."""
    try:
        code = command()
        sys.stdout.flush()
    except Exception as error:
        code = _report(error)
        if code is None:
            raise
    sys.exit(code or DONE)


def _report_usage(error: Any) -> None:
    """Print what is wrong with a command line, an example, and where the help is."""
    ctx = getattr(error, "ctx", None)
    path, command = (ctx.command_path, ctx.command) if ctx else ("coolid", None)
    message = " ".join(error.format_message().replace("Value error, ", "").split())
    print_line(f"coolid: {message[:1].lower()}{message[1:]}")
    example = EXAMPLE.search(getattr(command, "help", None) or "")
    if example and not hasattr(command, "commands"):
        print_line(f"  such as: {example[1]}")
    print_line(f"  `{path} --help` lists {'the commands' if hasattr(command, 'commands') else 'arguments and options'}")


def _report(error: Exception) -> int | None:
    """Print an error and return the exit code, or None for an error that only a bug can cause."""
    if type(error).__name__ == _NO_ARGUMENTS:
        typer.echo(str(error), err=True)
        return USAGE
    if isinstance(error, typer.TyperException):
        _report_usage(error)
        return int(error.exit_code)
    if isinstance(error, typer.Abort):  # an unanswered prompt
        err.print()
        if isinstance(error.__context__, KeyboardInterrupt):
            return INTERRUPTED
        print_line("coolid: nothing was changed, for the question was not answered; --yes answers it")
        return NO
    if isinstance(error, BrokenPipeError) or (isinstance(error, OSError) and error.errno == errno.EPIPE):
        let_go()
        return NO
    if isinstance(error, OSError):
        print_line(f"coolid: {error.filename or 'a file'} cannot be used: {error.strerror or error}")
        return USAGE
    return None
