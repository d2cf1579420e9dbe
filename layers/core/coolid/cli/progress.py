"""Progress of long work, on a terminal: how much is done, how many a second, and how long it still takes.

It is drawn on standard error, vanishes at the end, and leaves standard output alone. Where the answers themselves run
down the same terminal, they are progress enough.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from coolid.cli.output import err, on_screen, out

Show = Callable[[int, int | None], None]
"""Told how much of the total is done, and how many rows that were (None: nothing to count)."""

_SECONDS: Final = 0.2
_Item = TypeVar("_Item")


@contextmanager
def progress(what: str, total: int | None, unit: str = "rows", *, answers: bool = False) -> Iterator[Show]:
    """Gives what shows how far it is; `total` may be unknown. `answers` says that work writes to standard output."""
    if not on_screen(err) or err.is_dumb_terminal or (answers and on_screen(out)):
        yield lambda _done, _rows: None
        return
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn
    from rich.text import Text

    class Left(ProgressColumn):
        """The time that is left, once it can be told."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            left = task.time_remaining
            return Text("" if left is None or task.finished else f"{duration(left)} left")

    columns = [TextColumn("{task.description}"), TextColumn("{task.fields[told]}"), Left()]
    if total:
        columns[1:1] = [BarColumn(), TaskProgressColumn()]
    # Nothing is redirected: rich would print on standard error what the command writes to standard output.
    with Progress(*columns, console=err, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(what, total=total, told="")
        bar.refresh()
        shown = 0.0

        def show(done: int, rows: int | None) -> None:
            nonlocal shown, total
            elapsed = bar.tasks[0].elapsed or 0.0
            if elapsed < shown + _SECONDS:
                return
            shown = elapsed
            if total is not None and done > total:  # it was an estimate
                total = None
                bar.update(task, total=None)
            told = f"{rows:,} {unit}, {rows / elapsed:,.0f} a second" if rows and elapsed else ""
            bar.update(task, completed=done, told=told)

        yield show


def watched(items: Iterable[_Item], what: str, total: int | None, unit: str, *, answers: bool) -> Iterator[_Item]:
    """The same items, while their number is shown."""
    with progress(what, total, unit, answers=answers) as show:
        for count, item in enumerate(items, 1):
            yield item
            show(count, count)


def duration(seconds: float) -> str:
    """A time as people say it, in two units at the most.

    >>> duration(3.2), duration(75), duration(3 * 3600 + 120)
    ('4 s', '1 min 15 s', '3 h 2 min')
    """
    whole = int(seconds) + (seconds > int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
