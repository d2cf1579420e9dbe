"""Starting: how a function is put together at the least cost, and so that the collector never stops it for long.

What is made at the start stays for as long as the process. Collecting garbage meanwhile finds none and takes a tenth of
the time; and each collection later would walk through all of it again. What is made for a request goes by itself, but
for what an error leaves behind, and what is remembered is bounded: looking seldom is enough, and keeps pauses short
(of 15,000 requests the slowest took 3 ms of processor time instead of 12, one in a thousand 0.3 ms instead of 0.7).

>>> with cold_start():
...     made = ["a function"]
>>> gc.isenabled()
True
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SELDOM: Final = (10_000, 20, 20)
"""Objects more than there were after which the youngest are looked through, and how often before the older are, too."""


@contextmanager
def cold_start() -> Iterator[None]:
    """While this lasts nothing is collected; what then exists is not looked at again by the collector."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*SELDOM)
        gc.enable()
