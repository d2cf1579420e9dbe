"""`coolid validate`: a verdict on each identifier in a file."""

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import orjson
import typer

from coolid.cli.exit_codes import NO
from coolid.cli.output import discard_stdout, for_people, print_json, print_line, printable
from coolid.cli.progress import progress
from coolid.errors import BadReference, UsageError
from coolid.identifiers.schemes import linkid
from coolid.recognition.detection import SCHEMES, SchemeMatch, detect, judge
from coolid.recognition.unwrap import unwrap_any_url
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK, TOO_LONG, Line, read_lines
from coolid.transfer.csv_rows import MalformedCsv, read_rows, split_cells

_SEPARATORS: Final = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_DEFAULT_COLUMN: Final = "id"
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")


def validate(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="TSV, CSV or JSONL, by its suffix.")],
    column: Annotated[
        str | None, typer.Option(help="Column or member with the identifier; by default id, or the first column.")
    ] = None,
    scheme: Annotated[
        str | None, typer.Option(autocompletion=lambda: list(SCHEMES), help="Validate all of them in this scheme.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each row instead of TSV.")] = False,
) -> None:
    """Validate the identifiers in a file.

    Prints a line for each: row, text, scheme, verdict, and the canonical form or the reason. A row of more than
    1,000,000 bytes is invalid. Exits with 1 if any is invalid, and with 2 if the file does not have the format of its
    suffix, for instance because a quotation mark is misplaced.

        $ coolid validate references.csv
        $ coolid validate dois.csv --column doi --scheme doi > verdicts.tsv
    """
    if scheme is not None and scheme not in SCHEMES:
        raise UsageError(f"{scheme} is not a scheme; the schemes are {', '.join(SCHEMES)}")
    wrong = rows = 0
    try:
        with file.open("rb") as read, progress("Validating", file.stat().st_size, on_stdout=True) as show:
            for rows, text in enumerate(_texts(read, file.suffix, column), 1):
                verdict = _judge(text, scheme)
                wrong += not verdict.valid
                _print(rows, text or "", verdict, as_json=json)
                if rows % 100 == 0:
                    show(read.tell(), rows)
    except BrokenPipeError:  # for example `| head`, which has all that it needs
        discard_stdout()
        return
    except (MalformedCsv, ValueError) as error:
        raise UsageError(f"{file}, after row {rows}: {error}") from error
    print_line(f"{rows} rows, {wrong} invalid")
    if wrong:
        raise typer.Exit(NO)


def _judge(text: str | None, scheme: str | None) -> SchemeMatch:
    if text is None:
        return SchemeMatch(scheme or "none", False, None, f"the row {TOO_LONG}")
    if scheme == linkid.NAME:  # a resolver's URL is not the LinkID
        return judge(scheme, text)
    try:
        inner = unwrap_any_url(text).text
    except BadReference as error:
        return SchemeMatch(scheme or "none", False, None, str(error))
    if scheme is not None:
        return judge(scheme, inner)
    matches = detect(inner)
    return matches[0] if matches else SchemeMatch("none", False, None, "it does not have the form of a scheme")


def _texts(file: BinaryIO, suffix: str, column: str | None) -> Iterator[str | None]:
    """Return the identifier of each row, or None for a row that is too long. Raises `ValueError`, `MalformedCsv`."""
    if suffix.lower() in (".jsonl", ".ndjson"):
        return _members(read_lines(file), column or _DEFAULT_COLUMN)
    separator = _SEPARATORS.get(suffix.lower())
    if separator is None:
        raise ValueError("the suffix must be .tsv, .csv, .txt, .jsonl or .ndjson")
    quotes = separator == ","
    dialect: Any = {} if quotes else {"delimiter": separator, "quoting": csv.QUOTE_NONE}
    rows = (row for row in read_rows(file, quotes=quotes) if row.is_too_long or row.content)
    return _column((None if row.is_too_long else split_cells(row.content.decode(), **dialect) for row in rows), column)


def _members(lines: Iterable[Line], name: str) -> Iterator[str | None]:
    """Yield the member of each row of JSON Lines, or the row itself if that is a string."""
    for line in lines:
        content = line.content.removeprefix(BYTE_ORDER_MARK) if line.number == 1 else line.content
        if line.is_too_long:
            yield None
        elif content.strip():
            row = orjson.loads(content)
            value = row.get(name) if isinstance(row, dict) else row
            if not isinstance(value, str):
                raise ValueError(f"the row has no string {name}")
            yield value


def _column(rows: Iterator[list[str] | None], column: str | None) -> Iterator[str | None]:
    """Yield the cells of the column of that name, and None for each row that is None.

    If the first row does not have the name, the file has no header.
    """
    first = next(rows, [])
    if first == []:
        return
    name, index = column or _DEFAULT_COLUMN, 0
    if first and name in first:
        index = first.index(name)
    elif column is not None:
        present = f"the columns are {', '.join(first)}" if first else f"the first row {TOO_LONG}"
        raise ValueError(f"there is no column {column}; {present}")
    else:
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
