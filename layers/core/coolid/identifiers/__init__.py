"""Identifier schemes, minting rules and the validation of text and URLs; no I/O, usable as a library."""
