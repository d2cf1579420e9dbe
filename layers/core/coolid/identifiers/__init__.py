"""Identifier schemes, minting rules and the judgement of text and URLs; no I/O, usable as a library."""
