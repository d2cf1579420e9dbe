"""Mutating: good examples made bad, a few places at a time, with what programs stumble over.

An example is a JSON value; so is what comes of it, which can therefore be written down and tried again. Random bytes
would be refused at the first look: what is nearly right gets further.

>>> from random import Random
>>> Mutator(Random(1), [{"a": 1}]).mutated({"a": [1, "two"], "b": None}) != {"a": [1, "two"], "b": None}
True
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

HOSTILE: Sequence[str] = (
    *("", " ", "%", "%2", "%2F", "%25", "%00", "%ff", "%C0%AF", "%ED%A0%80", "..", ".", "/", "//", ":", "?", "#", "\\"),
    *(
        "\x00",
        "\t",
        "\r\n",
        "\x7f",
        "\x85",
        "\u2028",
        "\ufeff",
        "\ufffe",
        "\ud800",
        "\U0010ffff",
        "\u202e",
        "e\u0301",
        "ı",
    ),
    *(
        "ß",
        "K",
        "０",
        "١",
        "𝟘",
        "²",
        ";",
        ",",
        '"',
        "'",
        "<",
        ">",
        "&",
        "{$id}",
        "{}",
        "*",
        "*/*",
        ";q=",
        ";q=0",
        "=",
        "-",
    ),
    *("ark:", "doi:", "urn:", "hdl:", "lid:", "https://", "http://[::1", "//", "@", "demo", "go", "GO:", "resolve/"),
    *("null", "true", "NaN", "-0", "1e400", "00", "2025-02-30", "9999-12-31T23:59:60Z", "0001-01-01T00:00:00Z"),
)
VALUES: Sequence[Any] = (
    *(None, True, False, 0, -1, 1, 0.0, -0.5, 1.5, 1e300, 2**31, 2**53, 2**63, 2**64, 10**30, "", [], {}, [[]], [None]),
    *(
        {"": ""},
        {"a": None},
        "0",
        "1",
        "\ud800",
        [[[[[[[[]]]]]]]],
        "text",
        "text/html",
        "https://example.org/",
        "active",
    ),
)
LONGEST = 4_000


class Mutator:
    """Mutates by `dice`, with pieces of `examples` among what it puts in."""

    def __init__(self, rng: Random, examples: Sequence[Any]) -> None:
        self._rng = rng
        self._examples = examples

    def mutated(self, example: Any, most: int = 4) -> Any:
        """A copy of a JSON value that is changed in one to `most` places."""
        value = deepcopy(example)
        for _ in range(self._rng.randint(1, most)):
            value = self._changed(value)
        return value

    def text(self, text: str) -> str:
        """A text with one change."""
        start = self._rng.randint(0, len(text))
        stop = min(len(text), start + self._rng.randint(0, 4))
        piece = text[start:stop]
        match self._rng.randrange(9):
            case 0 | 1:
                piece = self._rng.choice(HOSTILE)
            case 2:
                piece += self._rng.choice(HOSTILE)
            case 3:
                piece = ""
            case 4:
                piece = "".join(reversed(piece))
            case 5:
                piece = piece.swapcase()
            case 6:
                piece = "".join(
                    chr((ord(each) + self._rng.choice((-1, 1, 0x20, 0x80, 0xFEE0))) % 0x110000) for each in piece
                )
            case 7:
                piece = (piece or self._rng.choice(HOSTILE)) * self._rng.choice((2, 3, 50, 1000))
            case _:
                return self._spliced(text)
        return (text[:start] + piece + text[stop:])[:LONGEST]

    def _spliced(self, text: str) -> str:
        """The beginning of one, the end of another."""
        other = self._rng.choice([*_texts(self._examples), text])
        return text[: self._rng.randint(0, len(text))] + other[self._rng.randint(0, len(other)) :]

    def _changed(self, value: Any) -> Any:
        places = [*_places(value)]
        if not places:
            return self._another(value)
        holder, name = self._rng.choice(places)
        match self._rng.randrange(8):
            case 0:
                del holder[name]
            case 1:
                self._added(holder, name)
            case 2:
                holder[name] = deepcopy(self._rng.choice(VALUES))
            case 3:
                other, its = self._rng.choice([*_places(self._examples)])
                holder[name] = deepcopy(other[its])
            case 4 if isinstance(holder, dict):
                holder[self.text(name)] = holder.pop(name)
            case _:
                holder[name] = self._another(holder[name])
        return value

    def _added(self, holder: Any, name: Any) -> None:
        """The same once more, or a member of another example."""
        if isinstance(holder, list):
            holder.insert(self._rng.randint(0, len(holder)), deepcopy(holder[name]))
            return
        other, its = self._rng.choice([*_places(self._examples)])
        holder[its if isinstance(its, str) else self.text(name)] = deepcopy(other[its])

    def _another(self, value: Any) -> Any:
        """One of its kind, mostly."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool) or value is None or isinstance(value, dict | list):
            return deepcopy(self._rng.choice(VALUES))
        return self._rng.choice((value + 1, value - 1, -value, value * 1000, str(value), float(value)))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a value, as what holds it and its name or number there."""
    names: Any = [*value] if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for name in names:
        yield value, name
        yield from _places(value[name])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for holder, name in _places(value):
        if isinstance(holder[name], str):
            yield holder[name]
