"""Options that describe repositories and prefixes, also in the words of those who work with ARKs.

A NAAN and a shoulder are the prefix of an ARK: `ark:99999/fk4`. The program noid takes the shoulder as a part of its
template (`fk4.reedeedk`). Here that would register the whole NAAN, so there is a warning.

>>> ark_prefix("ark:/99999", "/fk4"), ark_prefix("99999", "")
('ark:99999/fk4', 'ark:99999')
>>> template_warning("99999/fk4.reedeedk", "", "")
'the template begins with a NAAN and a shoulder: use --naan 99999 --shoulder fk4 --template .reedeedk'
>>> template_warning(".reedeedk", "99999", "fk4")
"""

import re
import sys
from typing import Annotated, Any, Final

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import print_line
from coolid.cli.service_connection import json_of
from coolid.errors import UsageError

_HEAD: Final = re.compile(r"(?:ark:)?/?(?:([0-9]{5,9})/?)?([a-z]+[0-9])?(.*)")

Title = Annotated[str | None, typer.Option(help="Its title.")]
Members = Annotated[
    str | None, typer.Option(metavar="JSON|@FILE", help="Further members, an object, as in the API's documentation.")
]
Ttl = Annotated[int | None, typer.Option(min=0, metavar="SECONDS", help="How long caches may use its responses.")]
Redirect = Annotated[int | None, typer.Option(metavar="STATUS", help="Status of redirects: 301, 302, 303, 307 or 308.")]
Domains = Annotated[
    list[str] | None, typer.Option("--domain", metavar="HOST", help="A host that targets may have; repeatable.")
]
Target = Annotated[str | None, typer.Option(metavar="URL", help="Where records without a location lead, with {$id}.")]
Passthrough = Annotated[
    bool | None, typer.Option("--passthrough/--no-passthrough", help="Let longer PIDs lead below a record's target.")
]
Choices = Annotated[
    bool | None, typer.Option("--choices/--no-choices", help="Offer a list of locations that fit equally well.")
]
Landing = Annotated[
    str | None, typer.Option(metavar="target|page", help="Where its PIDs lead: to the target, or to the record's page.")
]
Naan = Annotated[str | None, typer.Option(metavar="NAAN", help="The NAAN of an ARK prefix, such as 99999.")]
Shoulder = Annotated[str | None, typer.Option(metavar="SHOULDER", help="A shoulder under the NAAN, such as fk4.")]
Template = Annotated[str, typer.Option(help="Noid template of its names, without the shoulder.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def members_of(members: str | None, **options: Any) -> dict[str, Any]:
    """Return the members of a document: those of `--members`, and the options that were used."""
    document = json_of(members, "--members", dict) if members is not None else {}
    return document | {name: value for name, value in options.items() if value is not None}


def ark_prefix(naan: str, shoulder: str) -> str:
    """Return the prefix of a NAAN and a shoulder, which may be empty. See `bare_naan` and `bare_shoulder`."""
    return f"ark:{bare_naan(naan)}" + (f"/{bare_shoulder(shoulder)}" if shoulder else "")


def bare_naan(text: str) -> str:
    """Return a NAAN without the label and slashes that are often written with it."""
    return text.strip().lower().removeprefix("ark:").strip("/")


def bare_shoulder(text: str) -> str:
    """Return a shoulder without a slash. Raises `UsageError` if it is not one."""
    shoulder = text.strip().strip("/")
    if shoulder and not re.fullmatch("[a-z]+[0-9]", shoulder):
        raise UsageError("a shoulder is lower-case letters and one digit, such as fk4 (the first-digit convention)")
    return shoulder


def template_warning(template: str, naan: str, shoulder: str) -> str | None:
    """Return what is unusual about a template that begins with a NAAN or a shoulder, and what to use, or None.

    >>> template_warning("fk4.reedeedk", "99999", "fk4")
    'the template begins with a shoulder: use --naan 99999 --shoulder fk4 --template .reedeedk'
    """
    head, _, mask = template.partition(".")
    found = _HEAD.fullmatch(head)
    if not found or not (found[1] or found[2]):
        return None
    what = " and ".join(name for name, part in (("a NAAN", found[1]), ("a shoulder", found[2])) if part)
    suggested = found[2] or shoulder
    options = f"--naan {found[1] or naan or 'NAAN'}" + (f" --shoulder {suggested}" if suggested else "")
    return f"the template begins with {what}: use {options} --template {found[3]}.{mask}"


def confirm_template(template: Any, naan: str, shoulder: str, *, yes: bool) -> None:
    """Print the warning about a template, if any, and a prompt at a terminal. Exits with 1 unless confirmed."""
    text = template_warning(template, naan, shoulder) if isinstance(template, str) else None
    if text is None:
        return
    print_line(f"coolid: {text}")
    print_line("  a prefix contains its shoulder here, and rules are permanent")
    if not yes and sys.stdin.isatty() and not typer.confirm("Use this template all the same?", err=True):
        print_line("coolid: nothing was created")
        raise typer.Exit(NO)
