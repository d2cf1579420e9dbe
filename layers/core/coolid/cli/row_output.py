"""Output of long lists: tables at a terminal, lines separated by tabs in a pipe, or JSON Lines.

Rows are printed as they arrive, so a list of any length needs no memory, and its reader can stop early.

>>> print_rows(("id",), [({"id": "x", "more": 1}, ["x"])], as_json=True, nothing="things")
{"id":"x","more":1}
1
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from coolid.cli.output import for_people, print_json, print_line, print_table, printable

_TABLE_ROWS: Final = 100
"""The rows of a table. A longer list is printed as several, because the first rows decide the widths of columns."""


def print_rows(
    headings: Sequence[str],
    rows: Iterable[tuple[Mapping[str, Any], Sequence[str]]],
    *,
    as_json: bool,
    nothing: str,
) -> int:
    """Print rows, each a document for JSON and the cells under the headings. Return the number of rows.

    If there are none, a line on standard error says so; `nothing` is the plural of what a row is.
    """
    count = 0
    if for_people() and not as_json:
        remaining = (cells for _, cells in rows)
        while part := list(islice(remaining, _TABLE_ROWS)):
            print_table(headings, part)
            count += len(part)
    else:
        for document, cells in rows:
            if as_json:
                print_json(document)
            else:
                sys.stdout.write("\t".join(map(printable, cells)) + "\n")  # rich would replace the tabs
            count += 1
    if not count:
        print_line(f"coolid: there are no {nothing}")
    return count
