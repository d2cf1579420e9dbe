"""Identifier schemes, one module each, with the same verbs.

`compact(text)` the spelling-independent form that serves as key; `validate(text, rules)` the compact form or an
`InvalidIdentifier` that says why; `is_valid(text, rules)`; `format(text)` the form for people; and, where the scheme
has them, `generate(entropy, rules)` and `calc_check_digits(…)`.
"""
