"""Spellings of one identifier: what people make of it in mails, on paper and in browsers.

>>> from random import Random
>>> [misread("tw01-ywdj-94", Random(number)) for number in (6, 16, 26, 28)]
['TW01YWDJ94', 'two1-ywdj-94', 'twOLywdj94', 'TW0L-YWDJ-94']
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from scripts.soak.kept import Foreign, Kept

_LOOK_ALIKE: Final = {"0": "oO", "1": "iIlL"}


def misread(lui: str, dice: Random) -> str:
    """Return a LUI as people type it: in any case, without hyphens, `O` for 0, `I` and `L` for 1."""
    text = lui if dice.random() < 0.5 else lui.replace("-", "")
    if dice.random() < 0.5:
        text = "".join(dice.choice(sign + _LOOK_ALIKE.get(sign, "")) for sign in text)
    return text.upper() if dice.random() < 0.5 else text


def of_record(kept: Kept, base_url: str, dice: Random) -> str:
    """A path at which a record is."""
    lui, short = misread(kept.lui, dice), kept.namespace
    ways: Sequence[Callable[[], str]] = (
        lambda: f"/{kept.path}",
        lambda: f"/{kept.path.removesuffix(kept.lui)}{lui}",
        lambda: f"/{short}:{lui}",
        lambda: f"/{short.upper()}:{lui}",
        lambda: f"/{short}/{lui}",
        lambda: f"/resolve/{short}:{lui}",
        lambda: f"/{base_url}/{kept.path}",
    )
    return dice.choice(ways)()


def number(foreign: Foreign, dice: Random) -> str:
    """An identifier that fits a prefix."""
    return str(dice.randrange(10 ** (foreign.digits - 1), 10**foreign.digits))


def of_foreign(foreign: Foreign, identifier: str, dice: Random) -> str:
    """A path at which an identifier of others is."""
    prefix = foreign.prefix
    ways = (
        f"/{prefix}:{identifier}",
        f"/{prefix.upper()}:{identifier}",
        f"/{prefix}/{identifier}",
        f"/resolve/{prefix}:{identifier}",
        f"/{prefix.title()}:{identifier}",
        f"/{prefix.upper()}:{prefix.upper()}:{identifier}",
    )
    return dice.choice(ways)
