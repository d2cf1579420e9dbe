"""Describing: what a command is, as data that the help pages and the reference in `docs/` are both made of.

The commands themselves say it: their docstrings, and the help of their arguments and options. A docstring's first
sentence is what a list of commands says, and its lines that begin with a dollar sign are examples.
"""

import inspect
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

from msgspec import Struct

PROGRAM: Final = "coolid"

_EXAMPLE: Final = "$ "
_NAMES: Final = {
    "str": "TEXT",
    "list[str]": "TEXT",
    "int": "NUMBER",
    "int range": "NUMBER",
    "float": "NUMBER",
    "path": "FILE",
    "file": "FILE",
}
"""What the types of options are called, by typer's names for them."""


class Parameter(Struct, frozen=True):
    """An argument or an option: how it is written, what it does, and the small print behind that."""

    written: str
    help: str
    notes: tuple[str, ...]
    panel: str = ""


class Description(Struct, frozen=True):
    """A command or a group of them."""

    path: str
    usage: str
    paragraphs: tuple[str, ...]
    examples: tuple[str, ...]
    arguments: tuple[Parameter, ...]
    options: tuple[Parameter, ...]
    commands: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """Headings, and under each the names of commands and what they do."""


def describe(command: Any, ctx: Any) -> Description:
    """What a command of typer says of itself; `ctx` is its context."""
    paragraphs, examples = texts(command.help)
    shown = [each for each in command.get_params(ctx) if not getattr(each, "hidden", False)]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    return Description(
        path=ctx.command_path,
        usage=" ".join((ctx.command_path, "[OPTIONS]", *_pieces(command, arguments, ctx))),
        paragraphs=paragraphs,
        examples=examples,
        arguments=tuple(_parameter(each, ctx) for each in arguments),
        options=tuple(_parameter(each, ctx) for each in shown if each.param_type_name == "option"),
        commands=_listed(command),
    )


def walk(command: Any, path: str = PROGRAM, parent: Any = None) -> Iterator[Description]:
    """The description of a command and of all below it, groups first; nothing of it is run."""
    from typer import Context

    ctx = Context(command, info_name=path, parent=parent, resilient_parsing=True)
    yield describe(command, ctx)
    for name, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            yield from walk(each, name, ctx)


def texts(help_text: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paragraphs of a docstring, each on one line, and its examples.

    >>> texts("Say\\nit.\\n\\n  $ coolid say it")
    (('Say it.',), ('coolid say it',))
    """
    parts = [each.strip() for each in inspect.cleandoc(help_text or "").split("\n\n") if each.strip()]
    paragraphs = (" ".join(each.split()) for each in parts if not each.startswith(_EXAMPLE))
    examples = (line.strip() for each in parts if each.startswith(_EXAMPLE) for line in each.splitlines())
    return tuple(paragraphs), tuple(each.removeprefix(_EXAMPLE) for each in examples)


def sentence(help_text: str | None) -> str:
    """What a list of commands says of one: the first sentence.

    >>> sentence("Draw identifiers. Nothing is registered.")
    'Draw identifiers.'
    """
    paragraphs, _ = texts(help_text)
    first, stop, _ = (paragraphs[0] if paragraphs else "").partition(". ")
    return first + stop.rstrip()


def _pieces(command: Any, arguments: list[Any], ctx: Any) -> Iterator[str]:
    """What stands behind the options."""
    for each in arguments:
        kind = _kind(each, ctx)
        yield kind if each.required or kind.startswith("[") else f"[{kind}]"
    if hasattr(command, "commands"):
        yield "COMMAND ..."


def _listed(group: Any) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    panels: dict[str, list[tuple[str, str]]] = {}
    for name, command in getattr(group, "commands", {}).items():
        if not command.hidden:
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            panels.setdefault(panel, []).append((name, sentence(command.help)))
    return tuple((panel, tuple(commands)) for panel, commands in panels.items())


def _parameter(parameter: Any, ctx: Any) -> Parameter:
    is_option = parameter.param_type_name == "option"
    kind = "" if is_option and parameter.is_flag else _kind(parameter, ctx)
    names = sorted(parameter.opts, key=len) if is_option else [kind]
    written = ", ".join(names) + "".join(f" / {each}" for each in parameter.secondary_opts)
    notes = ["required"] if parameter.required else []
    if not is_option and parameter.type_descriptor.is_choice:
        notes.append("one of " + ", ".join(each.value for each in parameter.type_descriptor.choices))
    default = _default(parameter)
    if default:
        notes.append(f"default: {default}")
    if getattr(parameter, "min", None) is not None:
        notes.append(f"at least {parameter.min}" if parameter.max is None else f"{parameter.min} to {parameter.max}")
    if parameter.envvar and getattr(parameter, "show_envvar", True):
        notes.append(f"or {parameter.envvar} in the environment")
    return Parameter(
        f"{written} {kind}" if is_option and kind else written,
        " ".join((parameter.help or "").split()),
        tuple(notes),
        getattr(parameter, "rich_help_panel", None) or "",
    )


def _kind(parameter: Any, ctx: Any) -> str:
    if parameter.metavar:
        return str(parameter.metavar)
    kind = str(parameter.display_type(ctx)).strip("<>")
    return str(parameter.name).upper() if parameter.param_type_name == "argument" else _NAMES.get(kind, kind)


def _default(parameter: Any) -> str:
    value = parameter.default
    if value is None or value is False or value == "" or callable(value) or parameter.show_default is False:
        return ""
    if value is True:
        return str(parameter.opts[0]) if parameter.secondary_opts else ""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value.value) if isinstance(value, Enum) else str(value)
