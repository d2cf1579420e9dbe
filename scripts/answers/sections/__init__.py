"""The sections of a recording, in their order: each is a module with a function `run`, which takes the session."""

from collections.abc import Callable
from typing import Final

from scripts.answers.sections import (
    changes,
    dialects,
    foundation,
    management,
    outages,
    pages,
    reads,
    refusals,
    spellings,
    works,
)
from scripts.answers.session import Session

SECTIONS: Final[tuple[Callable[[Session], None], ...]] = tuple(
    module.run
    for module in (foundation, reads, works, spellings, dialects, pages, management, changes, refusals, outages)
)
