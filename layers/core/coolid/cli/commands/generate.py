"""`coolid generate`: random identifiers, generated offline, one a line."""

import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Final

import typer

from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.cli.output import discard_stdout
from coolid.cli.progress import with_progress
from coolid.errors import InvalidIdentifier, UsageError
from coolid.identifiers import generation
from coolid.identifiers.generation import GenerationOptions, Scheme
from coolid.identifiers.schemes import lui
from coolid.model.prefixes import is_shoulder, join
from coolid.strict_json import dump

_PROXIES: Final = {"cooldoi": "https://doi.org/", "pilin": "https://hdl.handle.net/"}
_DEFAULT_PROXY: Final = "https://n2t.net/"
_MANY: Final = 10_000


def generate(
    scheme: Annotated[Scheme, typer.Argument(help="The scheme of the identifiers.")],
    number: Annotated[int, typer.Option("-n", min=0, help="How many.")] = 1,
    prefix: Annotated[str | None, typer.Option(help="Their prefix, such as 10.5072 or ark:99999.")] = None,
    proxy: Annotated[bool, typer.Option("--proxy", help="Print URLs at the scheme's resolver.")] = False,
    symbols: Annotated[int, typer.Option(min=1, max=12, help="Symbols of a LUI.")] = lui.DEFAULT_SYMBOLS,
    template: Annotated[str, typer.Option(help="Template of NOIDs.")] = generation.TEMPLATE,
    naan: Annotated[str, typer.Option(help="NAAN that NOIDs' check characters cover.")] = "",
    object_type: Annotated[str, typer.Option(help="Object type of contextual identifiers.")] = "NOT",
    json: Annotated[bool, typer.Option("--json", help="Print each as a JSON string.")] = False,
) -> None:
    """Generate random identifiers, one a line. They are not registered: two runs can, rarely, give the same one.

    $ coolid generate lui -n 3
    $ coolid generate cooldoi -n 5 --prefix 10.5072 --proxy
    $ coolid generate noid --template .reedeedk --prefix ark:99999
    $ coolid generate linkid
    """
    if scheme == "linkid" and prefix:
        raise UsageError("--prefix is not for LinkIDs, which have only the label linkid:")
    if proxy and not prefix:
        raise UsageError("--proxy needs --prefix, because a resolver finds identifiers by their prefix")
    try:
        options = GenerationOptions(symbols, template, naan, _shoulder(prefix, naan), prefix or "", object_type)
        identifiers = generation.generate(scheme, number, SystemEntropy(), SystemClock(), options)
        written: Iterator[str] = map(_formatter(scheme, prefix, proxy=proxy), identifiers)
        if json:
            written = map(dump, written)
        if number >= _MANY:
            written = with_progress(written, "Generating", number, "identifiers", on_stdout=True)
        sys.stdout.writelines(f"{line}\n" for line in written)
    except BrokenPipeError:  # for example `| head`, which has all that it needs
        discard_stdout()
    except (InvalidIdentifier, ValueError) as error:
        raise UsageError(str(error)) from error


def _shoulder(prefix: str | None, naan: str) -> str:
    """Return the shoulder in an ARK's prefix, which check characters cover if there is a NAAN."""
    stem = (prefix or "").rstrip("/").lower()
    return stem.rpartition("/")[2] if naan and is_shoulder(stem) else ""


def _formatter(scheme: Scheme, prefix: str | None, *, proxy: bool) -> Callable[[str], str]:
    """Return a function that puts an identifier under the prefix."""
    if not prefix or scheme == "contextual":
        return str
    name = prefix.rstrip("/")
    with_slash = scheme in ("cooldoi", "pilin") or name.isdecimal()
    start = (_PROXIES.get(scheme, _DEFAULT_PROXY) if proxy else "") + (name + "/" if with_slash else join(name, ""))
    return start.__add__
