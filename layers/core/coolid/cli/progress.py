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
    if not on_screen(err) or err.is_dumb_terminal or (on_stdout and on_screen(out)):
        yield lambda _done, _rows: None
        return
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn
    from rich.text import Text

    class Left(ProgressColumn):
        """The remaining time, as soon as it can be estimated."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            left = task.time_remaining
            return Text("" if left is None or task.finished else f"{duration(left)} left")

    columns = [TextColumn("{task.description}"), TextColumn("{task.fields[rate]}"), Left()]
    if total:
        columns[1:1] = [BarColumn(), TaskProgressColumn()]
    # Without these arguments, rich redirects the command's standard output to standard error.
    with Progress(*columns, console=err, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
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


def duration(seconds: float) -> str:
    """Return a duration in at most two units.

    >>> duration(3.2), duration(75), duration(3 * 3600 + 120)
    ('4 s', '1 min 15 s', '3 h 2 min')
    """
    whole = int(seconds) + (seconds > int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
