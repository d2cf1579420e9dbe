"""Prefix lookup, references, registration and home regions."""
