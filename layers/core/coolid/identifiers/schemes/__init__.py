"""Identifier schemes, one module each, with the same functions.

`compact(text)` returns the key, the same for all spellings; `validate(text, rules)` returns the key of a valid
identifier or raises `InvalidIdentifier`; `is_valid(text, rules)`; `format(text)` returns the display form. Some schemes
have `generate(entropy, rules)` and `calc_check_digits(…)`.
"""

from collections.abc import Callable
from typing import ParamSpec

from coolid.errors import InvalidIdentifier

Arguments = ParamSpec("Arguments")


def validity(validate: Callable[Arguments, str]) -> Callable[Arguments, bool]:
    """Return the function `is_valid` of a scheme with this function `validate`."""

    def is_valid(*arguments: Arguments.args, **options: Arguments.kwargs) -> bool:
        """Return whether `validate` accepts the text."""
        try:
            validate(*arguments, **options)
        except InvalidIdentifier:
            return False
        return True

    return is_valid
