"""`coolid validate`: a verdict on each identifier in a file."""

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import orjson
import typer

from coolid.aws.transfer.bounded_lines import BYTE_ORDER_MARK, TOO_LONG, Line, read_lines
from coolid.aws.transfer.csv_rows import MalformedCsv, read_rows, split_cells
from coolid.cli.output import NO, USAGE, let_go, print_json, print_line
from coolid.cli.progress import progress
from coolid.cli.tables import for_people
from coolid.cli.terminal_text import printable
from coolid.errors import BadReference
from coolid.recognition.detection import SCHEMES, SchemeMatch, detect, judge
from coolid.recognition.unwrap import unwrap

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_DEFAULT_COLUMN = "id"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


class BadFileError(Exception):
    """The file does not have the format that its suffix indicates."""


def validate(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="TSV, CSV or JSONL, by its ending.")],
    column: Annotated[
        str | None, typer.Option(help="Column or member that holds the identifier; else id, or the first.")
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(autocompletion=lambda: list(SCHEMES), help="Take them all for identifiers of this scheme."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each row instead of TSV.")] = False,
) -> None:
    """Validate the identifiers in a file.

    Prints a line for each: row, text, scheme, verdict, and the canonical form or the reason. A row of more than
    1,000,000 bytes is invalid. Exits with 1 if any is invalid, and with 2 if the file cannot be read as its ending
    says, for instance because a quotation mark is out of place.

        $ coolid validate references.csv
        $ coolid validate dois.csv --column doi --scheme doi > verdicts.tsv
    """
    if scheme is not None and scheme not in SCHEMES:
        print_line(f"coolid: there is no scheme {scheme}; there are {', '.join(SCHEMES)}")
        raise typer.Exit(USAGE)
    wrong = rows = 0
    try:
        size = file.stat().st_size
        with file.open("rb") as read, progress("Judging", size, on_stdout=True) as show:
            for rows, text in enumerate(_texts(read, file.suffix, column), 1):
                verdict = _judge(text, scheme)
                wrong += not verdict.valid
                _print(rows, text or "", verdict, as_json=json)
                if rows % 100 == 0:
                    show(read.tell(), rows)
    except BrokenPipeError:  # for example `| head`
        let_go()
        return
    except (BadFileError, MalformedCsv, ValueError) as error:
        print_line(f"coolid: {file}, after row {rows}: {error}")
        raise typer.Exit(USAGE) from error
    print_line(f"{rows} judged, {wrong} wrong")
    if wrong:
        raise typer.Exit(NO)


def _judge(text: str | None, scheme: str | None) -> SchemeMatch:
    if text is None:
        return SchemeMatch(scheme or "none", False, None, f"the row {TOO_LONG}")
    try:
        inner = unwrap(text).text
    except BadReference as error:
        return SchemeMatch(scheme or "none", False, None, str(error))
    if scheme is not None:
        return judge(scheme, inner)
    matches = detect(inner)
    return matches[0] if matches else SchemeMatch("none", False, None, "it does not have the form of a scheme")


def _texts(file: BinaryIO, suffix: str, column: str | None) -> Iterator[str | None]:
    """Return the identifier of each row, or None for a row that is too long."""
    if suffix.lower() in (".jsonl", ".ndjson"):
        return _members(read_lines(file), column)
    separator = _SEPARATORS.get(suffix.lower())
    if separator is None:
        raise BadFileError("the ending must be .tsv, .csv, .txt, .jsonl or .ndjson")
    quotes = separator == ","
    dialect: Any = {} if quotes else {"delimiter": separator, "quoting": csv.QUOTE_NONE}
    rows = (row for row in read_rows(file, quotes=quotes) if row.is_too_long or row.content)
    return _column((None if row.is_too_long else split_cells(row.content.decode(), **dialect) for row in rows), column)


def _members(lines: Iterable[Line], column: str | None) -> Iterator[str | None]:
    for line in lines:
        content = line.content.removeprefix(BYTE_ORDER_MARK) if line.number == 1 else line.content
        if line.is_too_long:
            yield None
        elif content.strip():
            yield _member(orjson.loads(content), column)


def _member(row: Any, column: str | None) -> str:
    if isinstance(row, str):
        return row
    value = row.get(column or _DEFAULT_COLUMN) if isinstance(row, dict) else None
    if not isinstance(value, str):
        raise BadFileError(f"the row has no string {column or _DEFAULT_COLUMN}")
    return value


def _column(rows: Iterator[list[str] | None], column: str | None) -> Iterator[str | None]:
    """Yield the cells of the column of that name, and None for each row that is None.

    If the first row does not have the name, the file has no header.
    """
    first = next(rows, [])
    if first == []:
        return
    name = column or _DEFAULT_COLUMN
    index = first.index(name) if first and name in first else None
    if index is None and column is not None:
        there = f"there are {', '.join(first)}" if first else f"the first row {TOO_LONG}"
        raise BadFileError(f"there is no column {column}; {there}")
    if index is None:
        index = 0
        yield first[0] if first else None
    for row in rows:
        yield None if row is None else row[index] if index < len(row) else ""


def _print(row: int, text: str, verdict: SchemeMatch, *, as_json: bool) -> None:
    if as_json:
        members = {"scheme": verdict.scheme, "valid": verdict.valid, "canonical": verdict.canonical}
        print_json({"row": row, "text": text, **members, "reason": verdict.reason})
        return
    result = verdict.canonical if verdict.valid else verdict.reason
    cells = (str(row), text, verdict.scheme, "valid" if verdict.valid else "wrong", result or "")
    line = "\t".join(_CONTROLS.sub(" ", cell) for cell in cells)
    sys.stdout.write((printable(line, lines=True) if for_people() else line) + "\n")
