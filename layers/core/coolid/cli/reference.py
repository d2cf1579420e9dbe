"""The reference of the commands, as Markdown: `docs/commands.md`, which `scripts/commands` writes.

It is made of what the commands say of themselves (`coolid.cli.describing`), whatever the terminal.

>>> reference().partition("\\n")[0]
'# Commands'
"""

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import Final

import typer.main

from coolid.cli import app
from coolid.cli.describing import Description, Parameter, walk
from coolid.cli.pages import ABOUT

_BEGINNING: Final = """\
# Commands

`coolid --help` tells the same at a terminal, and `--help` behind a command tells of that. This page is made by
`scripts/commands` from the commands themselves.

At a terminal, answers are tables in colour and long work shows its progress; in a pipe they are plain lines, which stay
as they are for scripts, and `--json` prints JSON. Whatever cannot be done is told in a sentence on standard error, with
what to do next.
"""

_COMPLETION: Final = """\
## Completion

Commands, options and schemes complete on the Tab key in bash, zsh and fish, and files where a file is meant:

```sh
coolid --install-completion    # for the shell that runs it; begin a new one afterwards
coolid --show-completion       # only prints what it would install
```
"""


def reference() -> str:
    """The whole page."""
    described = list(walk(typer.main.get_command(app)))
    parts = [_BEGINNING, *_about(), _COMPLETION, *_contents(described[0])]
    parts += [_section(each) for each in described[1:]]
    return "\n".join(parts)


def _about() -> Iterator[str]:
    for heading, rows in ABOUT:
        yield f"## {heading}\n\n" + "".join(f"- `{name}`: {text}\n" for name, text in rows)


def _contents(program: Description) -> Iterator[str]:
    yield "## All commands\n"
    for panel, commands in program.commands:
        lines = (f"- [`{program.path} {name}`](#{program.path}-{name}): {text}\n" for name, text in commands)
        yield f"{panel}:\n\n" + "".join(lines)
    yield from _parameters("Options", program.options)


def _section(described: Description) -> str:
    parts = [f"## {described.path}\n", f"```\n{described.usage}\n```\n"]
    parts += [fill(paragraph, 120, break_on_hyphens=False) + "\n" for paragraph in described.paragraphs]
    if described.examples:
        parts.append("```sh\n" + "".join(f"{each}\n" for each in described.examples) + "```\n")
    for panel, commands in described.commands:
        parts.append(f"{panel}:\n")
        parts.append("".join(f"- `{described.path} {name}`: {text}\n" for name, text in commands))
    parts += _parameters("Arguments", described.arguments)
    parts += _parameters("Options", described.options)
    return "\n".join(parts)


def _parameters(heading: str, parameters: Sequence[Parameter]) -> Iterator[str]:
    shown = [each for each in parameters if each.written != "--help"]
    if shown:
        yield f"{heading}:\n"
        yield "".join(f"- `{each.written}`: {each.help}{_notes(each)}\n" for each in shown)


def _notes(parameter: Parameter) -> str:
    return f" ({'; '.join(parameter.notes)})" if parameter.notes else ""
