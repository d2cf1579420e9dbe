"""The extra to install for a library that a command needs and that a plain install does not bring.

>>> missing_extra(ModuleNotFoundError(name="uvicorn.config"))
'server'
>>> missing_extra(ModuleNotFoundError(name="httpx"))  # a plain install brings it
"""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

EXTRAS: Final = {
    "server": frozenset(
        {"bioregistry", "citeproc", "jinja2", "markdown_it", "markupsafe", "segno", "uvicorn", "uvloop"}
    ),
    "aws": frozenset({"aws_lambda_powertools", "boto3", "botocore", "pynamodb", "urllib3", "yaml"}),
    "store": frozenset({"httptools", "publicsuffixlist", "pydantic"}),
}
"""The libraries of each extra in `pyproject.toml`, by the names of their packages. The extras of commands include
`store`."""

_NO_PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType({})


def missing_extra(error: Exception, parameters: Mapping[str, Any] = _NO_PARAMETERS) -> str | None:
    """Return the extra that brings the library that was not found, or None for another error.

    `parameters` are those of the command. They decide for libraries that several extras bring.
    """
    library = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    extra = next((extra for extra, libraries in EXTRAS.items() if library in libraries), None)
    if extra == "store":
        return "aws" if _uses_tables(parameters) else "server"
    return extra


def _uses_tables(parameters: Mapping[str, Any]) -> bool:
    """Return whether a command uses tables: it has an option for a stack, and neither option nor setting of a file."""
    from coolid.aws.settings import DYNAMODB, STORE

    return "stack" in parameters and not parameters.get("data") and (os.environ.get(STORE) or DYNAMODB) == DYNAMODB
