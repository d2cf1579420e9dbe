"""The exit codes of all commands, and the errors that lead to them.

`coolid.cli.error_report` prints the errors, and `coolid --help` lists the codes.

>>> exit_code(FileNotFoundError()), exit_code(ZeroDivisionError())
(2, None)
"""

import errno
import sys
from typing import Final

import typer

DONE: Final = 0
NO: Final = 1
USAGE: Final = 2
UNREACHABLE: Final = 3
INACTIVE: Final = 4
DEPRECATED: Final = 5
REVOKED: Final = 6
TOMBSTONED: Final = 7
POLICY_DENIED: Final = 8
INTEGRITY_FAILURE: Final = 9
INTERRUPTED: Final = 130

MEANINGS: Final = {
    DONE: "done",
    NO: "the answer is no: not found, not valid, not allowed",
    USAGE: "wrong usage: an argument, a setting or a file is invalid",
    UNREACHABLE: "the service could not be reached, or cannot answer now",
    INACTIVE: "resolve: the LinkID is assigned, but has no location now",
    DEPRECATED: "resolve: the LinkID is withdrawn and has a successor",
    REVOKED: "resolve: the LinkID is revoked by its authority",
    TOMBSTONED: "resolve: the resource of the LinkID no longer exists",
    POLICY_DENIED: "resolve: a policy forbids the use of the LinkID's target",
    INTEGRITY_FAILURE: "resolve: no answer about the LinkID passed verification",
    INTERRUPTED: "ended by Ctrl-C",
}


def exit_code(error: Exception) -> int | None:
    """Return the exit code for an error that a user can cause, or None for a defect of the program."""
    from coolid.cli.missing_extras import missing_extra  # help pages need none of these modules
    from coolid.client.errors import FailedVerification, NotServed, RefusedByClient, RequestDeclined
    from coolid.errors import BadReference, CoolidError, UsageError

    if isinstance(error, typer.TyperException):  # wrong arguments
        return int(error.exit_code)
    if isinstance(error, typer.Abort):  # a question that was not answered
        return INTERRUPTED if isinstance(error.__context__, KeyboardInterrupt) else NO
    if isinstance(error, RequestDeclined | NotServed) or is_broken_pipe(error):
        return NO
    if isinstance(error, RefusedByClient | BadReference | UsageError | OSError) or missing_extra(error):
        return USAGE
    botocore = sys.modules.get("botocore.exceptions")  # only commands for operators import it
    if isinstance(error, FailedVerification):
        return INTEGRITY_FAILURE
    is_of_aws = botocore is not None and isinstance(error, botocore.BotoCoreError | botocore.ClientError)
    return UNREACHABLE if is_of_aws or isinstance(error, CoolidError) else None


def is_broken_pipe(error: Exception) -> bool:
    """Return whether the reader of standard output has closed it, for example `| head`."""
    return isinstance(error, BrokenPipeError) or (isinstance(error, OSError) and error.errno == errno.EPIPE)
