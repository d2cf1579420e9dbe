"""Hooks of MkDocs: pages that are generated from other files of the repository."""
