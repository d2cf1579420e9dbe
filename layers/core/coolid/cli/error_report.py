"""Reports of errors that a user can cause: a sentence on standard error, what to do next, and an exit code.

>>> after_refusal(404, "https://id.example.org/problems/unknown-prefix")
'the page /pages/prefixes of the service lists all prefixes; an administrator registers new ones'
>>> after_refusal(418, "")
"""

import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit

import typer

from coolid.cli.exit_codes import INTERRUPTED, UNREACHABLE, exit_code, is_broken_pipe
from coolid.cli.help_text import example_in
from coolid.cli.missing_extras import missing_extra
from coolid.cli.output import discard_stdout, print_json, print_line
from coolid.client.errors import (
    BadAnswer,
    ClientError,
    NotServed,
    RefusedByClient,
    RequestDeclined,
    Unreachable,
    without_keys,
)
from coolid.errors import StoreUnavailable, UsageError

_KIND: Final = {
    "unknown-prefix": "the page /pages/prefixes of the service lists all prefixes; an administrator registers new ones",
    "unknown-version": "`coolid history PID` lists the versions",
    "unknown-repository": "`coolid repositories list` lists those that have a prefix",
    "prefix-taken": "`coolid prefixes list --q NAME` lists similar prefixes",
    "unknown-client": "the id is the part of the key between cool_ and the next underscore",
    "identifier-taken": "omit --id to mint a random identifier, or see `coolid show PID`",
    "already-withdrawn": "a withdrawal is permanent; see `coolid history PID`",
    "custody-offered": "`coolid custody revoke PID` revokes the offer",
    "custody-elsewhere": "only the operator of that service can change it; see `coolid history PID`",
    "no-such-offer": "the operator who has the record offers it: `coolid custody offer PID`",
    "home-elsewhere": "use --url with the region that it names",
    "wrong-job-state": "`coolid bulk list` shows the states of your jobs",
    "unknown-job": "`coolid bulk list` lists your jobs",
    "contended": "nothing is lost: repeat the command",
    "request-under-way": "wait a moment and repeat the command with the same --idempotency-key",
    "idempotency-key-reused": "use another --idempotency-key, or none, to mint one more",
    "exhausted": "mint under another prefix, or ask an administrator for a longer template",
}
"""By the last segment of the problem type, for a status with several causes."""

_STATUS: Final = {
    400: "`coolid parse PID` shows what is wrong with the identifier",
    401: "check the key of --key-file, COOLID_KEY or `coolid login`; administrators create keys: `coolid keys create`",
    403: "an administrator creates a key with the scope: `coolid keys create --scope SCOPE`",
    404: "`coolid parse PID --url URL` shows each step of the resolution",
    409: "`coolid show PID` shows the present record",
    413: "shorten the document: publish long content elsewhere and link to it",
    422: "correct these members and repeat the command",
    428: "show the record, then use its etag: `coolid show PID`, --if-match ETAG",
}

AFTER_CONFLICT: Final = "review the record and repeat the change: `coolid show PID`, `coolid history PID`"
AFTER_NO_RESOLVER: Final = "name another resolver: --resolver URL, or COOLID_URL; `coolid serve` starts one here"
UNRESOLVED: Final = "`coolid parse` with --url shows each step of the resolution"
"""After a resolver's negative answer."""
AFTER_AWS: Final = (
    "`aws sts get-caller-identity` shows which credentials are used; AWS_DEFAULT_REGION must be the region of the "
    "stack, and AWS_ENDPOINT_URL unset unless you use an emulator"
)
"""After an error of AWS, or of an emulator, in an operator's command."""

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_NO_PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType({})


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
            print_line(without_keys(line))
    if isinstance(error, RequestDeclined) and (parameters.get("json") or parameters.get("format_") == "json"):
        print_json(error.problem)
    return code


def after_refusal(status: int, kind: str, pid: str | None = None) -> str | None:
    """Return the suggestion for a status and a problem type (RFC 9457), or None."""
    step = _KIND.get(kind.rpartition("/")[2]) or _STATUS.get(status)
    return step and with_pid(step, pid)


def with_pid(step: str, pid: str | None) -> str:
    """Return a suggestion with the PID in its commands, so that they can be copied.

    >>> with_pid("`coolid show PID`", "demo:x y")
    "`coolid show 'demo:x y'`"
    """
    return step if pid is None else re.sub(r"\bPID\b", lambda _: shlex.quote(pid), step)


def after_unreachable(error: ClientError, url: str | None) -> str | None:
    """Return the suggestion if the service at `url` could not be reached or another service answered, or None.

    >>> after_unreachable(Unreachable("Connection refused"), "http://127.0.0.1:8080")
    'is `coolid serve` running? It prints its URL, for --url or COOLID_URL'
    """
    if isinstance(error, BadAnswer):
        return "is that the address of a coolid service, without the path of a page?"
    if not isinstance(error, Unreachable) or "(status " in str(error):
        return None
    try:
        host = urlsplit(url or "").hostname
    except ValueError:
        host = None
    if host in _LOOPBACK:
        return "is `coolid serve` running? It prints its URL, for --url or COOLID_URL"
    return "check the address and the network, then repeat the command"


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
        step = after_refusal(error.status, str(error.problem.get("type")), parameters.get("pid"))
    elif isinstance(error, NotServed):
        yield f"coolid: there is no record to verify: {error}"
    elif isinstance(error, ClientError) and not isinstance(error, RefusedByClient):
        url = _service_url(parameters)
        yield f"coolid: no usable answer{f' from {url}' if url else ''}: {error}"
        step = after_unreachable(error, url or parameters.get("source"))
    elif isinstance(error, ModuleNotFoundError):
        yield f"coolid: the library {error.name} is not installed, which this command needs"
        step = f"pip install 'coolid[{missing_extra(error, parameters)}]'"
    elif isinstance(error, OSError):
        yield f"coolid: {error.filename or 'a file'} cannot be used: {error.strerror or error}"
    else:
        yield f"coolid: {error}"
        step = AFTER_AWS if code == UNREACHABLE and _is_of_aws(error, parameters) else None
    if step is not None:
        yield f"  {step}"


def _service_url(parameters: Mapping[str, Any]) -> str | None:
    """Return the URL of the service that a command used, if its parameters show it."""
    from coolid.cli.profiles import chosen_profile

    url = parameters.get("url")
    if url is None and "profile" in parameters:
        with suppress(UsageError, OSError):
            if profile := chosen_profile(parameters["profile"]):
                return profile.url
    return url


def _is_of_aws(error: Exception, parameters: Mapping[str, Any]) -> bool:
    """Return whether an error is that of AWS: of botocore, or of a store in a process that uses botocore.

    >>> _is_of_aws(StoreUnavailable("the database's disk is full"), {"data": "coolid.db"})
    False
    """
    if type(error).__module__.startswith("botocore."):
        return True
    return isinstance(error, StoreUnavailable) and not parameters.get("data") and "botocore" in sys.modules


def _declined_lines(declined: RequestDeclined) -> Iterator[str]:
    yield f"coolid: {declined}"
    for pointer, reason in declined.violations:
        line = f"{pointer or 'the whole document'}: {reason}"
        if len(declined.violations) > 1 or line not in str(declined):
            yield f"  {line}"
    suggestions = declined.problem.get("suggestions")
    if isinstance(suggestions, list) and suggestions:
        yield f"  similar registered identifiers: {', '.join(map(str, suggestions))}"


def _usage_lines(error: Any) -> Iterator[str]:
    """Yield what is wrong with a command line, an example, and where the help is."""
    ctx = getattr(error, "ctx", None)
    path, command = (ctx.command_path, ctx.command) if ctx else ("coolid", None)
    message = " ".join(error.format_message().replace("Value error, ", "").split())
    yield f"coolid: {message[:1].lower()}{message[1:]}"
    example = example_in(getattr(command, "help", None))
    is_group = hasattr(command, "commands")
    if example and not is_group:
        yield f"  such as: {example}"
    yield f"  `{path} --help` lists {'the commands' if is_group else 'arguments and options'}"
