"""The text of help pages: the end of the main page, and examples in the help of a command.

>>> example_in("Print a record.\\n\\n    $ coolid show demo:1")
'coolid show demo:1'
"""

import inspect
import re
from typing import Final

from coolid.cli.exit_codes import MEANINGS

EXAMPLE: Final = re.compile(r"^ *\$ (.*)$", re.MULTILINE)
"""A command line in a help text."""

_EXIT_CODES: Final = "\n".join(f"    {code:<3}  {meaning}" for code, meaning in MEANINGS.items())

ABOUT: Final = f"""\
Exit codes:

{_EXIT_CODES}

Environment:

    COOLID_URL      the service; --url overrides it
    COOLID_KEY      the API key; --key-file overrides it. No option
                    takes a key, because other users could read it
    COOLID_PROFILE  the profile of `coolid login` for commands without
                    --profile; by default it is named default
    COOLID_STACK    the deployed stack for operators' commands
    NO_COLOR        switches off all colours if it is set; so does
                    TERM=dumb

`coolid --install-completion` completes commands, options and schemes in bash, zsh and fish with the Tab key.
`--help` after a command lists its options, with examples."""
"""The end of the main help page, which applies to all commands."""


def page_text(docstring: str | None) -> str:
    """Return the text of a help page, in which examples are indented."""
    return EXAMPLE.sub(r"    $ \1", inspect.cleandoc(docstring or ""))


def example_in(text: str | None) -> str | None:
    """Return the first command line in a help text, or None."""
    found = EXAMPLE.search(text or "")
    return found and found[1]
