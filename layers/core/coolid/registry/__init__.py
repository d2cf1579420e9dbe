"""Prefixes: lookup, references, the directory of all, registration."""
