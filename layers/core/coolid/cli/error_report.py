"""Reports of errors that a user can cause: a sentence on standard error and an exit code, no traceback."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NoReturn

import typer

from coolid.cli import next_steps
from coolid.cli.exit_codes import DONE, INTERRUPTED, UNREACHABLE, exit_code, is_broken_pipe
from coolid.cli.output import discard_stdout, print_json, print_line
from coolid.client.errors import ClientError, NotServed, RefusedByClient, RequestDeclined

EXAMPLE: Final = re.compile(r"^ *\$ (.*)$", re.MULTILINE)
"""A command line in a help text."""
_NO_PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType({})


def run(command: Callable[[], Any]) -> NoReturn:
    """Run a command line and exit with its exit code; `command` returns that of `typer.Exit`, if any."""
    try:
        code = command()
        sys.stdout.flush()
    except Exception as error:
        code = report(error)
        if code is None:
            raise
    sys.exit(code or DONE)


def report(error: Exception, parameters: Mapping[str, Any] = _NO_PARAMETERS) -> int | None:
    """Print an error, and return the exit code, or None for an error that is a defect.

    `parameters` are those of the command. With `--json`, the problem document is printed instead of the result.
    """
    code = exit_code(error)
    if is_broken_pipe(error):
        discard_stdout()
    elif type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(str(error), err=True)
    elif code is not None:
        for line in _lines(error, code, parameters):
            print_line(line)
    if isinstance(error, RequestDeclined) and (parameters.get("json") or parameters.get("format_") == "json"):
        print_json(error.problem)
    return code


def _lines(error: Any, code: int, parameters: Mapping[str, Any]) -> Iterator[str]:
    step = None
    if isinstance(error, typer.Abort):
        yield ""
        if code != INTERRUPTED:
            yield "coolid: nothing was changed, because the question was not answered; --yes answers it"
    elif isinstance(error, typer.TyperException):
        yield from _usage_lines(error)
    elif isinstance(error, RequestDeclined):
        yield from _declined_lines(error)
        step = next_steps.after_refusal(error.status, str(error.problem.get("type")), parameters.get("pid"))
    elif isinstance(error, NotServed):
        yield f"coolid: there is no record to verify: {error}"
    elif isinstance(error, ClientError) and not isinstance(error, RefusedByClient):
        yield f"coolid: no usable answer: {error}"
        step = next_steps.after_unreachable(error, parameters.get("url") or parameters.get("source"))
    elif isinstance(error, OSError):
        yield f"coolid: {error.filename or 'a file'} cannot be used: {error.strerror or error}"
    else:
        yield f"coolid: {error}"
        step = next_steps.AFTER_AWS if code == UNREACHABLE else None
    if step is not None:
        yield f"  {step}"


def _declined_lines(declined: RequestDeclined) -> Iterator[str]:
    yield f"coolid: {declined}"
    for pointer, reason in declined.violations:
        yield f"  {pointer or 'the whole document'}: {reason}"
    suggestions = declined.problem.get("suggestions")
    if isinstance(suggestions, list) and suggestions:
        yield f"  similar registered identifiers: {', '.join(map(str, suggestions))}"


def _usage_lines(error: Any) -> Iterator[str]:
    """Yield what is wrong with a command line, an example, and where the help is."""
    ctx = getattr(error, "ctx", None)
    path, command = (ctx.command_path, ctx.command) if ctx else ("coolid", None)
    message = " ".join(error.format_message().replace("Value error, ", "").split())
    yield f"coolid: {message[:1].lower()}{message[1:]}"
    example = EXAMPLE.search(getattr(command, "help", None) or "")
    is_group = hasattr(command, "commands")
    if example and not is_group:
        yield f"  such as: {example[1]}"
    yield f"  `{path} --help` lists {'the commands' if is_group else 'arguments and options'}"
