"""More and more prefixes at the store: flat names (`p000001`), or all of them below one stem (`2021/06/p000001`)."""

from collections.abc import Callable
from functools import partial
from typing import Final

from scripts.benchmark.cliffs import Cliff, Workspace
from scripts.benchmark.handlers import cold, events, repeated, resolving
from scripts.benchmark.tables import STEM

SIZES: Final = {"flat": (100, 1_000, 10_000, 100_000), "nested": (100, 1_000, 10_000)}
STEMS: Final = {"flat": "", "nested": STEM}
HOT: Final = 100


def _environment(workspace: Workspace, shape: str, count: int, view: str) -> dict[str, str]:
    """Return an environment whose functions share no cache with those of another `view`."""
    table = f"prefixes-{shape}-{count}"
    return workspace.store(table).environment(tls=False, prefixes=f"{table}.{view}", luis=f"luis-1000.{table}.{view}")


def path(shape: str, number: int) -> str:
    """Return the path of an identifier of a prefix."""
    return f"/{STEMS[shape]}p{number:06}:0000001"


def _paths(shape: str, count: int) -> list[str]:
    return [path(shape, number) for number in range(count)]


def _warm(shape: str, workspace: Workspace, count: int) -> Callable[[], object]:
    return repeated(resolving(_environment(workspace, shape, count, "warm")), _paths(shape, count)[:HOT])


def _cold(shape: str, workspace: Workspace, count: int) -> Callable[[], object]:
    return cold(_environment(workspace, shape, count, "cold"), events(_paths(shape, count)))


CLIFFS: Final = tuple(
    Cliff(name, SIZES[shape], f"prefixes, {shape}", partial(prepare, shape), quick=SIZES[shape][:3])
    for name, prepare in (("warm hit", _warm), ("cold memory, one read", _cold))
    for shape in STEMS
)
