"""Cache tags of more and more changed records, which become the items of one CloudFront invalidation.

One call of the purge function gets at most 100 messages (`BatchSize` in `template.yaml`) of at most 100 tags.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from coolid.aws.edge_purge.invalidations import MAX_ITEMS, collapse, invalidation_items
from coolid.http.caching import record_tag
from scripts.benchmark.cliffs import Cliff, Workspace
from scripts.benchmark.identifiers import suffix

SIZES: Final = (100, 1_000, 10_000)
REPOSITORIES: Final = {"in one repository": 1, "in many repositories": 500}


def _prepare(repositories: int, _workspace: Workspace, size: int) -> Callable[[], object]:
    tags = frozenset(record_tag(f"r{number % repositories:04}", suffix(number)) for number in range(size))
    assert len(invalidation_items(collapse(tags))) <= MAX_ITEMS
    return lambda: invalidation_items(collapse(tags))


CLIFFS: Final = tuple(
    Cliff(f"cache tag of a change, {where}", SIZES, "changes", partial(_prepare, number), per_thing=True)
    for where, number in REPOSITORIES.items()
)
