"""Identifier schemes, one module each, with the same functions.

`compact(text)` returns the key, the same for all spellings; `validate(text, rules)` returns the key of a valid
identifier or raises `InvalidIdentifier`; `is_valid(text, rules)`; `format(text)` returns the display form. Some schemes
have `generate(entropy, rules)` and `calc_check_digits(…)`.
"""
