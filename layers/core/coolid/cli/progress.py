"""The progress display of long work on a terminal: the amount, the rate and the remaining time.

It is drawn on standard error and removed at the end. There is none if results are printed on the same terminal.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from coolid.cli.output import err, on_screen, out

ShowProgress = Callable[[int, int | None], None]
"""Called with the completed part of the total, and with the number of rows or None."""

_SECONDS: Final = 0.2
_Item = TypeVar("_Item")


@contextmanager
def progress(what: str, total: int | None, unit: str = "rows", *, on_stdout: bool = False) -> Iterator[ShowProgress]:
    """Yield a function that updates the display; `on_stdout` means that the work prints to standard output."""
    if not on_screen(err) or err.console.is_dumb_terminal or (on_stdout and on_screen(out)):
        yield lambda _done, _rows: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    amount = (BarColumn(), TaskProgressColumn()) if total else ()
    left = (TimeRemainingColumn(), TextColumn("left")) if total else ()
    columns = (TextColumn("{task.description}"), *amount, TextColumn("{task.fields[rate]}"), *left)
    # Without these arguments, rich redirects the command's standard output to standard error.
    with Progress(*columns, console=err.console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(what, total=total, rate="")
        bar.refresh()
        shown = 0.0

        def show(done: int, rows: int | None) -> None:
            nonlocal shown, total
            elapsed = bar.tasks[0].elapsed or 0.0
            if elapsed < shown + _SECONDS:
                return
            shown = elapsed
            if total is not None and done > total:  # the total was an estimate
                total = None
                bar.update(task, total=None)
            rate = f"{rows:,} {unit}, {rows / elapsed:,.0f} a second" if rows and elapsed else ""
            bar.update(task, completed=done, rate=rate)

        yield show


def with_progress(
    items: Iterable[_Item], what: str, total: int | None, unit: str, *, on_stdout: bool
) -> Iterator[_Item]:
    """Yield the items and display their number."""
    with progress(what, total, unit, on_stdout=on_stdout) as show:
        for count, item in enumerate(items, 1):
            yield item
            show(count, count)
